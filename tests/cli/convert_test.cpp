// SPDX-License-Identifier: MIT
// anmf convert, from file to file.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "anmf/io.h"
#include "program.h"
#include "support/loaded.h"

namespace anmf::test {
namespace {

// Rows and columns have names; some entries are 0.
constexpr const char* kTable = ",a,\"b, c\",é\nrow 1,5,0,2.5\nrow 2,0,4,0.1\n";

class Convert : public ProgramTest {
 protected:
  void convert(const std::string& in, const std::string& out, const Arguments& further = {}) const {
    const Outcome outcome = anmf(Arguments{"convert", in, out} + further);
    EXPECT_EQ(outcome.exit_code, 0) << in << " to " << out << ": " << outcome.err;
  }
  /// Through a table, which every matrix can become.
  [[nodiscard]] Matrix<double> entries(const std::string& name) const {
    convert(name, "entries.csv", {"--dense", "--precision", "float64"});
    return io::read_table<double>(file("entries.csv")).matrix;
  }
};

TEST_F(Convert, GoesFromEveryFormatToEveryOther) {
  write_text(file("m.csv"), kTable);
  const Matrix<double> expected = io::read_table<double>(file("m.csv")).matrix;
  const std::vector<std::string> names = {"a.npy", "a.npz",  "a.mtx",    "a.mtx.gz", "a.csv",
                                          "a.tsv", "a.h5ad", "a.csv.gz", "a.tsv.gz"};
  for (const std::string& first : names) {
    convert("m.csv", first);
    for (const std::string& second : names) {
      convert(first, "b" + second);
      EXPECT_EQ(as_read(io::load<double>(file("b" + second))), expected) << first << " to " << second;
    }
  }
}

TEST_F(Convert, KeepsNamesWhereTheFormatHasAPlaceForThem) {
  write_text(file("m.csv"), kTable);

  convert("m.csv", "m.h5ad", {"--sparse"});
  convert("m.h5ad", "m.tsv", {"--transpose"});
  convert("m.tsv", "back.csv", {"--transpose"});

  EXPECT_EQ(read_text(file("m.tsv")), "\trow 1\trow 2\na\t5\t0\n\"b, c\"\t0\t4\né\t2.5\t0.1\n");
  EXPECT_EQ(read_text(file("back.csv")), kTable);
  EXPECT_TRUE(contains(anmf({"convert", "m.csv", "m.npy"}).out, "names           not written"));
}

TEST_F(Convert, StreamsInWhicheverOrderTheFileHas) {
  // In NumPy's Fortran order the columns come first.
  const std::string dict = "{'descr': '<f8', 'fortran_order': True, 'shape': (30, 20), }";
  const Matrix<double> by_columns = transposed(M_);
  std::string bytes = std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(dict.size()) + '\0' + dict;
  bytes.append(reinterpret_cast<const char*>(by_columns.data()), 30 * 20 * sizeof(double));
  write_text(file("F.npy"), bytes);

  for (const char* in : {"M.npy", "F.npy"}) {
    for (const char* out : {"o.npy", "o.csv", "o.mtx", "o.npz", "o.h5ad"}) {
      convert(in, out);
      EXPECT_EQ(entries(out), M_) << in << " to " << out;
      convert(in, out, {"--transpose"});
      EXPECT_EQ(entries(out), by_columns) << in << " to " << out;
      convert(out, "again.mtx", {"--sparse", "--transpose"});
      EXPECT_EQ(entries("again.mtx"), M_) << in << " to " << out;
    }
  }
}

TEST_F(Convert, KeepsTheTypeUnlessToldOtherwise) {
  Matrix<std::uint8_t> pixels(2, 3, std::uint8_t{7});
  io::write_npy<std::uint8_t>(file("p.npy"), std::as_const(pixels).view());
  io::write_npy<float>(file("f.npy"), Matrix<float>(2, 3, 0.1F).view());
  const auto type_of = [&](const std::string& name) {
    return read_text(file(name)).substr(0, 60).find("'|u1'") != std::string::npos   ? "uint8"
           : read_text(file(name)).substr(0, 60).find("'<f4'") != std::string::npos ? "float32"
                                                                                    : "float64";
  };

  convert("p.npy", "p2.npy", {"--transpose"});
  convert("p.npy", "p.h5ad");
  convert("p.h5ad", "p3.npy");
  convert("p.npy", "p4.npy", {"--precision", "float32"});
  convert("f.npy", "f.npz", {"--sparse"});
  convert("f.npz", "f2.npy");
  convert("f.npy", "f3.npy", {"--precision", "float64"});
  convert("M.npy", "f4.npy", {"--precision", "float32"});

  EXPECT_STREQ(type_of("p2.npy"), "uint8");
  EXPECT_STREQ(type_of("p3.npy"), "uint8");
  EXPECT_STREQ(type_of("p4.npy"), "float32");
  EXPECT_STREQ(type_of("f2.npy"), "float32");
  EXPECT_STREQ(type_of("f3.npy"), "float64");
  EXPECT_STREQ(type_of("f4.npy"), "float32");
  EXPECT_EQ(io::read_npy<float>(file("f2.npy")), Matrix<float>(2, 3, 0.1F));
  EXPECT_EQ(io::read_npy<float>(file("f4.npy"))(3, 4), static_cast<float>(M_(3, 4)));
}

TEST_F(Convert, ChoosesDenseOrSparseOnRequest) {
  write_text(file("s.mtx"), "%%MatrixMarket matrix coordinate integer general\n2 3 1\n2 1 5\n");

  convert("s.mtx", "kept.mtx");
  convert("s.mtx", "dense.mtx", {"--dense"});
  convert("dense.mtx", "array.mtx");
  convert("dense.mtx", "sparse.mtx", {"--sparse"});

  EXPECT_EQ(read_text(file("kept.mtx")), read_text(file("s.mtx")));
  EXPECT_EQ(read_text(file("dense.mtx")),
            "%%MatrixMarket matrix array integer general\n2 3\n0\n5\n0\n0\n0\n0\n");
  EXPECT_EQ(read_text(file("array.mtx")), read_text(file("dense.mtx")));
  EXPECT_EQ(read_text(file("sparse.mtx")), read_text(file("s.mtx")));
}

TEST_F(Convert, RefusesADenseFileThatNoDiskHolds) {
  std::string text = "%%MatrixMarket matrix coordinate integer general\n5000000 5000000 50000\n";
  for (int i = 1; i <= 50000; ++i) text += fmt::format("{} 1 5\n", i);
  write_text(file("s.mtx"), text);

  const std::string sentence = complaint(5, {"convert", "s.mtx", "d.npy"});

  EXPECT_TRUE(contains(sentence, "as a dense matrix of 5000000 x 5000000, but there are"));
  EXPECT_FALSE(std::filesystem::exists(file("d.npy")));
}

TEST_F(Convert, ComplainsBeforeItTouchesAnything) {
  EXPECT_TRUE(contains(complaint(2, {"convert", "M.npy", "./M.npy"}), "is the input itself"));
  EXPECT_TRUE(contains(complaint(2, {"convert", "M.npy", "M.xyz"}), "choose one of .npy, .npz, .mtx"));
  EXPECT_TRUE(contains(complaint(2, {"convert", "M.npy", "M.csv", "--sparse"}), "--sparse does not go with"));
  EXPECT_TRUE(contains(complaint(2, {"convert", "M.npy", "M.mtx", "--sparse", "--dense"}), "--dense"));
  EXPECT_TRUE(contains(complaint(3, {"convert", "none.npy", "M.csv"}), "none.npy: cannot be opened"));
  EXPECT_TRUE(contains(complaint(5, {"convert", "M.npy", "nowhere/M.csv"}), "'nowhere' is not a folder"));
  EXPECT_EQ(io::read_npy<double>(file("M.npy")), M_);
}

TEST_F(Convert, NamesTheEntryThatIsNegative) {
  Matrix<double> bad = M_;
  bad(7, 3) = -1;
  io::write_npy<double>(file("bad.npy"), bad.view());
  write_text(file("o.csv"), "old");

  const std::string streamed = complaint(3, {"convert", "bad.npy", "o.csv"});
  const std::string loaded = complaint(3, {"convert", "bad.npy", "o.mtx"});

  EXPECT_TRUE(contains(streamed, "bad.npy: M[7, 3] = -1"));
  EXPECT_EQ(streamed, loaded);
  EXPECT_EQ(read_text(file("o.csv")), "old");
}

TEST_F(Convert, IsSilentOnRequest) {
  const Outcome outcome = anmf({"convert", "M.npy", "o.csv", "--quiet"});

  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out + outcome.err, "");
}

// The limit is inherited by the program, which must not die of the signal that goes with it.
TEST_F(Convert, LeavesTheOldFileWhereTheDiskIsFull) {
  const Matrix<double> large = random_matrix(200, 200, 3);
  io::write_npy<double>(file("large.npy"), large.view());
  rlimit old_limit{};
  getrlimit(RLIMIT_FSIZE, &old_limit);
  for (const char* out : {"o.npy", "o.npz", "o.mtx", "o.csv", "o.csv.gz", "o.h5ad"}) {
    convert("M.npy", out);
    const std::string before = read_text(file(out));
    const auto old_handler = std::signal(SIGXFSZ, SIG_DFL);
    rlimit limit = old_limit;
    limit.rlim_cur = 20000;
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::string sentence = complaint(5, {"convert", "large.npy", out});
    setrlimit(RLIMIT_FSIZE, &old_limit);
    std::signal(SIGXFSZ, old_handler);

    EXPECT_TRUE(contains(sentence, out));
    EXPECT_TRUE(contains(sentence, "File too large"));
    EXPECT_EQ(read_text(file(out)), before) << out;
  }
}

}  // namespace
}  // namespace anmf::test
