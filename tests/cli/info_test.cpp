// SPDX-License-Identifier: MIT
// anmf info: what a file holds.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "program.h"

namespace anmf::test {
namespace {

class Info : public ProgramTest {
 protected:
  [[nodiscard]] nlohmann::json info(const std::string& input) const {
    const Outcome outcome = anmf({"info", input, "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.exit_code == 0 ? nlohmann::json::parse(outcome.out) : nlohmann::json();
  }
};

TEST_F(Info, DescribesADenseMatrix) {
  Matrix<double> M = M_;
  for (Index j = 0; j < 20; ++j) M(3, j) = M(29, j) = 0;
  for (Index i = 0; i < 30; ++i) M(i, 19) = 0;
  io::write_npy<double>(file("M.npy"), M.view());

  const auto json = info("M.npy");

  EXPECT_EQ(json["input"], "M.npy");
  EXPECT_EQ(json["rows"], 30);
  EXPECT_EQ(json["cols"], 20);
  EXPECT_EQ(json["nonzeros"], 28 * 19);
  EXPECT_DOUBLE_EQ(json["density"].get<double>(), 28.0 * 19 / 600);
  EXPECT_EQ(json["min"], 0.0);
  EXPECT_EQ(json["max"].get<double>(), *std::max_element(M.values().begin(), M.values().end()));
  EXPECT_EQ(json["empty_rows"], 2);
  EXPECT_EQ(json["empty_cols"], 1);
  EXPECT_EQ(json["storage"], "dense");
  EXPECT_EQ(json["entry_type"], "float64");
  EXPECT_EQ(json["row_names"], false);
  EXPECT_EQ(json["col_names"], false);
  EXPECT_EQ(json["matrix_bytes"], 600 * 8);
  EXPECT_EQ(json["component_bytes"], 50 * 8);
}

TEST_F(Info, DescribesASparseMatrix) {
  write_text(file("S.mtx"),
             "%%MatrixMarket matrix coordinate real general\n3 5 4\n1 1 2\n1 3 1.5\n3 4 4\n1 2 0.25\n");

  const auto json = info("S.mtx");

  EXPECT_EQ(json["nonzeros"], 4);
  EXPECT_DOUBLE_EQ(json["density"].get<double>(), 4.0 / 15);
  EXPECT_EQ(json["min"], 0.25);
  EXPECT_EQ(json["max"], 4.0);
  EXPECT_EQ(json["empty_rows"], 1);
  EXPECT_EQ(json["empty_cols"], 1);
  EXPECT_EQ(json["storage"], "sparse");
  EXPECT_EQ(json["matrix_bytes"], 2 * 4 * 12 + 10 * 8);
}

TEST_F(Info, KnowsTheTypeOfNarrowEntries) {
  Matrix<std::uint8_t> bytes(2, 3);
  bytes(0, 0) = 7, bytes(0, 1) = 255, bytes(0, 2) = 1, bytes(1, 0) = 3, bytes(1, 1) = 2, bytes(1, 2) = 9;
  const std::string header =
      fmt::format("{:<117}\n", "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }");
  std::string npy = "\x93NUMPY\x01";
  npy += '\0';
  npy += static_cast<char>(header.size());
  npy += '\0';
  npy += header;
  npy.append(reinterpret_cast<const char*>(bytes.data()), 6);
  write_text(file("bytes.npy"), npy);
  io::write_npy<float>(file("singles.npy"), Matrix<float>(2, 3, 0.5F).view());

  const auto json = info("bytes.npy");

  EXPECT_EQ(json["entry_type"], "uint8");
  EXPECT_EQ(json["min"], 1.0);
  EXPECT_EQ(json["max"], 255.0);
  EXPECT_EQ(json["matrix_bytes"], 6);
  EXPECT_EQ(info("singles.npy")["entry_type"], "float32");
  EXPECT_EQ(info("singles.npy")["matrix_bytes"], 24);
}

TEST_F(Info, KnowsWhetherThereAreNames) {
  write_text(file("named.csv"), "fruit,apple,pear\nred,1,2\nblue,3,4\n");
  write_text(file("columns.csv"), "apple,pear\n1,2\n3,4\n");

  EXPECT_EQ(info("named.csv")["row_names"], true);
  EXPECT_EQ(info("named.csv")["col_names"], true);
  EXPECT_EQ(info("columns.csv")["row_names"], false);
  EXPECT_EQ(info("columns.csv")["col_names"], true);
}

TEST_F(Info, AMatrixWithoutEntriesHasNoRange) {
  write_text(file("Z.mtx"), "%%MatrixMarket matrix coordinate real general\n3 5 0\n");

  const auto json = info("Z.mtx");

  EXPECT_EQ(json["nonzeros"], 0);
  EXPECT_TRUE(json["min"].is_null());
  EXPECT_TRUE(json["max"].is_null());
  EXPECT_EQ(json["empty_rows"], 3);
  EXPECT_TRUE(contains(anmf({"info", "Z.mtx"}).out, "none"));
}

TEST_F(Info, TellsPeopleTheSame) {
  write_text(file("named.csv"), "fruit,apple,pear\nred,1,0\nblue,3,0\n");

  const Outcome outcome = anmf({"info", "named.csv"});

  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out,
            "matrix          named.csv (2 x 2)\n"
            "nonzeros        2 (50 %)\n"
            "stored entries  from 0 to 3\n"
            "only zeros      rows: 0, columns: 1\n"
            "storage         dense float64\n"
            "names           of rows and columns\n"
            "memory          32 bytes, and 32 bytes for each component\n");
}

TEST_F(Info, AFileThatIsAbsentOrNoMatrixIsAnInputError) {
  write_text(file("notes.txt"), "some words\n");

  EXPECT_TRUE(contains(complaint(3, {"info", "absent.npy"}), "absent.npy"));
  EXPECT_TRUE(contains(complaint(3, {"info", "notes.txt", "--json"}), "notes.txt"));
  EXPECT_TRUE(contains(complaint(2, {"info"}), "INPUT"));
}

}  // namespace
}  // namespace anmf::test
