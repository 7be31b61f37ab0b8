// SPDX-License-Identifier: MIT
// --memory: matrices that stay on disk give the factors of those in memory, within the limit.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "program.h"
#include "support/hdf5_writer.h"

namespace anmf::test {
namespace {

class Memory : public ProgramTest {
 protected:
  static constexpr Index kRows = 2400;
  static constexpr Index kCols = 500;

  /// Whole numbers to 255, two of three zero.
  template <class T>
  static Matrix<T> counts() {
    const Matrix<double> random = random_matrix(kRows, kCols, 3);
    Matrix<T> M(kRows, kCols);
    for (Index k = 0; k < M.size(); ++k) {
      const double x = random.values()[static_cast<std::size_t>(k)];
      M.values()[static_cast<std::size_t>(k)] = x < 2.0 / 3 ? T{0} : static_cast<T>(256 * (3 * x - 2));
    }
    return M;
  }

  /// A double for an entry, column by column.
  void write_fortran_npy(const std::string& name, const Matrix<double>& M) const {
    io::write_npy<double>(file(name), M.view());
    std::string text = read_text(file(name));
    const std::size_t header = text.find('\n') + 1;
    text.replace(text.find("False"), 6, "True, ");
    const auto turned = transposed(M);
    std::copy_n(reinterpret_cast<const char*>(turned.data()), text.size() - header,
                text.begin() + static_cast<std::ptrdiff_t>(header));
    write_text(file(name), text);
  }

  /// X by columns, as AnnData has it.
  void write_csc(const std::string& name, const Matrix<double>& M) const {
    std::vector<double> offsets = {0};
    std::vector<double> indices;
    std::vector<double> values;
    for (Index j = 0; j < M.cols(); ++j) {
      for (Index i = 0; i < M.rows(); ++i) {
        if (M(i, j) == 0) continue;
        indices.push_back(static_cast<double>(i));
        values.push_back(M(i, j));
      }
      offsets.push_back(static_cast<double>(values.size()));
    }
    const io_test::Hdf5Writer writer(file(name));
    for (const char* group : {"obs", "var", "X"}) writer.group(group);
    writer.text_attribute("X", "encoding-type", "csc_matrix");
    writer.shape_attribute("X", {M.rows(), M.cols()});
    writer.whole("X/indptr", offsets);
    writer.whole("X/indices", indices);
    writer.numbers("X/data", {values.size()}, values);
  }

  [[nodiscard]] static Arguments run(const std::string& input, const std::string& out,
                                     const Arguments& method = {"--method", "a-hals", "--inner-stop",
                                                                "block"}) {
    return Arguments{"factorize",        input, "--rank",  "5",           "--tolerance", "0",
                     "--max-iterations", "20",  "--quiet", "--no-report", "--out",       out} +
           method;
  }

  /// A limit that the matrix in memory just exceeds.
  [[nodiscard]] std::string limit(const Arguments& loaded) const {
    const Outcome outcome = anmf(loaded + Arguments{"--dry-run", "--json"});
    return std::to_string(nlohmann::json::parse(outcome.out)["peak_bytes"].get<Index>() - 1);
  }

  void expect_same_factors(const std::string& a, const std::string& b) const {
    for (const std::string name : {"/W.npy", "/H.npy"}) {
      const auto left = io::read_npy<double>(file(a + name));
      const auto right = io::read_npy<double>(file(b + name));
      ASSERT_EQ(left.size(), right.size());
      const double largest = *std::max_element(left.values().begin(), left.values().end());
      for (std::size_t k = 0; k < left.values().size(); ++k)
        ASSERT_NEAR(left.values()[k], right.values()[k], 1e-10 * std::max(1.0, largest))
            << a << name << " " << k;
    }
  }

  /// run.json of a streamed run, which gives the factors of one in memory.
  template <class... Method>
  [[nodiscard]] nlohmann::json streamed_like_loaded(const std::string& input, const Arguments& further,
                                                    const Method&... method) const {
    const Arguments loaded = run(input, "loaded", method...) + further;
    EXPECT_EQ(anmf(loaded).exit_code, 0);
    const Outcome outcome =
        anmf(run(input, "streamed", method...) + further + Arguments{"--memory", limit(loaded)});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    expect_same_factors("loaded", "streamed");
    return read_json(file("streamed/run.json"));
  }

  void expect_streamed_equals_loaded(const std::string& input, const Arguments& further = {}) const {
    const auto streamed = streamed_like_loaded(input, further);
    EXPECT_EQ(streamed["notes"], read_json(file("loaded/run.json"))["notes"]) << input;
    const auto& stream = streamed["stream"];
    EXPECT_GT(stream["blocks"], 1) << input;
    EXPECT_GE(stream["passes"], 21) << input;
    EXPECT_GT(stream["bytes"], 20 * 100'000.0) << input;
    const double seconds = stream["seconds"];
    EXPECT_GE(seconds, stream["reading_seconds"]);
    EXPECT_GE(seconds, stream["waiting_seconds"]);
    EXPECT_LE(stream["bytes_per_second"], stream["reading_bytes_per_second"]);
    const bool slow_disk = stream["reading_seconds"] > seconds - stream["waiting_seconds"].get<double>();
    EXPECT_EQ(stream["bound_by"], slow_disk ? "disk" : "compute");
    EXPECT_FALSE(read_json(file("loaded/run.json")).contains("stream"));
  }
};

TEST_F(Memory, StreamedNpyFilesGiveTheSameFactors) {
  io::write_npy<std::uint8_t>(file("u8.npy"), counts<std::uint8_t>().view());
  expect_streamed_equals_loaded("u8.npy");
  expect_streamed_equals_loaded("u8.npy", {"--transpose"});
  io::write_npy<float>(file("f4.npy"), counts<float>().view());
  expect_streamed_equals_loaded("f4.npy");
  io::write_npy<double>(file("c.npy"), counts<double>().view());
  expect_streamed_equals_loaded("c.npy");
  write_fortran_npy("f.npy", counts<double>());
  expect_streamed_equals_loaded("f.npy");
}

TEST_F(Memory, StreamedSparseFilesGiveTheSameFactors) {
  io::write_npy<double>(file("c.npy"), counts<double>().view());
  ASSERT_EQ(anmf({"convert", "c.npy", "c.anmf", "--quiet"}).exit_code, 0);
  ASSERT_EQ(anmf({"convert", "c.anmf", "c.h5ad", "--quiet"}).exit_code, 0);
  write_csc("csc.h5ad", counts<double>());
  expect_streamed_equals_loaded("c.anmf");
  expect_streamed_equals_loaded("c.h5ad");
  expect_streamed_equals_loaded("csc.h5ad");
}

TEST_F(Memory, NegativeEntriesOfStreamedFilesAreClippedAndCountedOnce) {
  auto M = counts<double>();
  Index negative = 0;
  for (Index k = 0; k < M.size(); k += 1000) {  // in every block; some are zeros
    double& x = M.values()[static_cast<std::size_t>(k)];
    x = -x;
    negative += static_cast<Index>(x < 0);
  }
  ASSERT_GT(negative, 300);
  io::write_npy<double>(file("c.npy"), M.view());
  write_fortran_npy("f.npy", M);
  write_csc("csc.h5ad", M);
  io::AnnData<double> data{
      .observations = kRows, .variables = kCols, .X = io::rows_of(std::as_const(M).view())};
  io::write_h5ad(file("dense.h5ad"), data);
  Csr<double> csr{kRows, kCols, {0}, {}, {}};
  for (Index i = 0; i < kRows; ++i) {
    for (Index j = 0; j < kCols; ++j) {
      if (M(i, j) == 0) continue;
      csr.indices.push_back(static_cast<std::uint32_t>(j));
      csr.values.push_back(M(i, j));
    }
    csr.offsets.push_back(static_cast<Index>(csr.values.size()));
  }
  data.X = io::view_of(csr);
  io::write_h5ad(file("csr.h5ad"), data);
  for (const std::string name : {"c.npy", "f.npy", "dense.h5ad", "csr.h5ad", "csc.h5ad"}) {
    expect_streamed_equals_loaded(name, {"--negative", "clip"});
    const auto notes = read_json(file("streamed/run.json"))["notes"];
    ASSERT_EQ(notes.size(), 1) << name;
    EXPECT_EQ(notes[0], std::to_string(negative) + " entries of the file are negative and taken for zero.");
  }
  EXPECT_TRUE(contains(complaint(3, run("csc.h5ad", "out") + Arguments{"--memory", "32M"}),
                       "--negative clip takes zeros for such entries."));
}

TEST_F(Memory, TheOtherFactorFirstReadsFilesByColumnsOnceInAnIteration) {
  io::write_npy<double>(file("c.npy"), counts<double>().view());
  write_fortran_npy("f.npy", counts<double>());
  const auto streamed = [&](const std::string& input, const Arguments& further,
                            const Arguments& method = {"--method", "e-a-hals"}) {
    return streamed_like_loaded(input, further, method);
  };
  const auto note = [](const std::string& lines, const std::string& first, const std::string& other) {
    return "The file is read twice in every iteration, since its blocks are " + lines + " of M and " + first +
           " comes first; --first " + other + " would read it once.";
  };
  const auto by_rows = streamed("c.npy", {});
  const Index once = by_rows["stream"]["passes"];
  EXPECT_LE(once, 24);  // the look, the start, 20 iterations and the end
  EXPECT_EQ(by_rows["first"], "W");
  EXPECT_TRUE(by_rows["notes"].empty());

  const auto columns_first = streamed("f.npy", {"--first", "H"});
  EXPECT_EQ(columns_first["stream"]["passes"], once);
  EXPECT_EQ(columns_first["first"], "H");
  EXPECT_TRUE(columns_first["notes"].empty());
  EXPECT_EQ(streamed("c.npy", {"--transpose", "--first", "H"})["stream"]["passes"], once);

  const auto by_columns = streamed("f.npy", {});
  EXPECT_EQ(by_columns["stream"]["passes"], once + 19);  // the first iteration begins with both products
  EXPECT_EQ(by_columns["notes"], nlohmann::json({note("columns", "W", "H")}));
  EXPECT_EQ(streamed("c.npy", {"--first", "H"})["notes"], nlohmann::json({note("rows", "H", "W")}));
  EXPECT_EQ(streamed("c.npy", {"--transpose"})["notes"], nlohmann::json({note("columns", "W", "H")}));
  // Other methods read it as often in either order.
  EXPECT_TRUE(streamed("f.npy", {}, {"--method", "hals"})["notes"].empty());
  EXPECT_TRUE(streamed("f.npy", {"--inner-stop", "hybrid"})["notes"].empty());
}

TEST_F(Memory, StreamedRunsAreResumed) {
  io::write_npy<double>(file("c.npy"), counts<double>().view());
  const Arguments memory = {"--memory", limit(run("c.npy", "none"))};
  ASSERT_EQ(anmf(run("c.npy", "whole") + memory).exit_code, 0);
  Arguments half = run("c.npy", "halves") + memory + Arguments{"--checkpoint-every", "1000"};
  *std::find(half.begin(), half.end(), "20") = "10";
  ASSERT_EQ(anmf(half).exit_code, 0);
  const Outcome outcome = anmf({"factorize", "--resume", "halves", "--max-iterations", "20"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "streamed        "));
  EXPECT_TRUE(contains(outcome.out, " dense, on disk float64)"));  // and no count of nonzeros
  expect_same_factors("whole", "halves");
}

// The matrix is 400 MB; 48 whole rows would be 192 MB, and several such blocks are in memory.
TEST_F(Memory, IsNotNeededForWholeLongRows) {
#ifdef ANMF_SAMPLE_SLOW_TESTS
  GTEST_SKIP() << "A sanitizer takes several times the memory of the program.";
#endif
  constexpr Index kFewRows = 100;
  constexpr Index kLong = 500'000;
  const Matrix<double> row = random_matrix(1, kLong, 7);
  io::write_npy<double>(file("wide.npy"), io::DenseRows<double>{kFewRows, kLong, [&](const auto& visit) {
                                                                  for (Index i = 0; i < kFewRows; ++i)
                                                                    visit(row.view());
                                                                }});
  const Outcome outcome = anmf({"factorize", "wide.npy", "--rank", "10", "--method", "hals", "--memory",
                                "290M", "--max-iterations", "1", "--no-report", "--out", "out"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_LT(outcome.peak_bytes, 290e6);
}

TEST_F(Memory, PartsOfLongRowsGiveTheSameFactors) {
  const auto M = transposed(counts<double>());
  io::write_npy<double>(file("wide.npy"), M.view());
  // Whole rows would be five times 48 rows of 2400.
  const Outcome outcome = anmf(run("wide.npy", "streamed") + Arguments{"--memory", "23.5M"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  ASSERT_EQ(anmf(run("wide.npy", "loaded")).exit_code, 0);
  expect_same_factors("loaded", "streamed");
  EXPECT_GT(read_json(file("streamed/run.json"))["stream"]["blocks"], 20);
  EXPECT_EQ(anmf(run("wide.npy", "turned") + Arguments{"--memory", "23.5M", "--transpose"}).exit_code, 0);
  ASSERT_EQ(anmf(run("wide.npy", "loaded") + Arguments{"--transpose"}).exit_code, 0);
  expect_same_factors("loaded", "turned");
}

TEST_F(Memory, IsNotExceeded) {
#ifdef ANMF_SAMPLE_SLOW_TESTS
  GTEST_SKIP() << "A sanitizer takes several times the memory of the program.";
#endif
  constexpr Index kManyRows = 40'000;
  constexpr Index kBlock = 2500;
  const Matrix<double> random = random_matrix(kBlock, 1000, 4);
  Matrix<float> block(kBlock, 1000);
  std::copy(random.values().begin(), random.values().end(), block.values().begin());
  io::write_npy<float>(file("large.npy"), io::DenseRows<float>{kManyRows, 1000, [&](const auto& visit) {
                                                                 for (Index i = 0; i < kManyRows; i += kBlock)
                                                                   visit(std::as_const(block).view());
                                                               }});
  const Outcome outcome = anmf({"factorize", "large.npy", "--rank", "5", "--precision", "float32", "--memory",
                                "60M", "--max-iterations", "2", "--no-report", "--out", "out"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_LT(outcome.peak_bytes, 60e6);
}

TEST_F(Memory, ThatIsTooLittleIsSaidBeforeAFileIsRead) {
  const auto refusal = [&](const std::string& name, const std::string& limit) {
    return complaint(2, {"factorize", name, "--rank", "1", "--memory", limit, "--out", "out"});
  };
  // Entries that are promised and not there would be the reader's complaint.
  const std::string sizes = "1000 1000 1000000000";
  write_text(file("m.mtx"), "%%MatrixMarket matrix coordinate real general\n" + sizes + "\n1 1 2\n");
  write_text(file("dense.mtx"),
             "%%MatrixMarket matrix array real general\n2000 2000\n" + std::string(8'000'000, '\n'));
  write_text(file("c.mat"), sizes + "\n1 2\n\n");
  write_text(file("docword.b.txt"), "1000\n1000\n1000000000\n1 1 2\n");
  for (const std::string name : {"m.mtx", "c.mat", "docword.b.txt"}) {
    EXPECT_TRUE(contains(refusal(name, "1G"), "--memory 1 GB is too little for '" + name +
                                                  "', which needs about 24 GB and cannot be read in blocks; "
                                                  "anmf convert '" +
                                                  name + "' M.anmf makes a file that can."));
  }
  EXPECT_TRUE(contains(refusal("dense.mtx", "50M"), "which needs about 57 MB and cannot"));
  EXPECT_TRUE(contains(complaint(3, {"factorize", "m.mtx", "--rank", "1", "--out", "out"}),
                       "m.mtx, line 3: the file ends after 1 entry, but line 2 promises 1000000000."));

  EXPECT_TRUE(contains(
      complaint(2, {"factorize", "m.mtx", "--rank", "1", "--columns", "a", "--memory", "1G", "--out", "out"}),
      "which needs about 24 GB and cannot"));

  std::string row = "1";
  for (int j = 2; j <= 2500; ++j) row += ",1";
  std::string line = "1";
  for (int j = 1; j <= 1250; ++j) line += ' ' + std::to_string(j) + ":1";
  {
    std::ofstream table(file("t.csv"));
    std::ofstream svmlight(file("s.svm"));
    for (int i = 0; i < 1000; ++i) {
      table << row << '\n';
      svmlight << line << '\n';
    }
  }
  ASSERT_EQ(anmf({"convert", "t.csv", "d.npz", "--quiet"}).exit_code, 0);
  for (const std::string name : {"t.csv", "s.svm", "d.npz"}) {
    const Outcome outcome = anmf({"factorize", name, "--rank", "1", "--memory", "37M", "--out", "out"});
    EXPECT_EQ(outcome.exit_code, 2) << name << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "is too little for '" + name + "'"));
#ifndef ANMF_SAMPLE_SLOW_TESTS
    EXPECT_LT(outcome.peak_bytes, 37e6) << name;
#endif
  }
}

TEST_F(Memory, ThatIsTooLittleOrDoesNotFitIsExplained) {
  io::write_npy<double>(file("c.npy"), counts<double>().view());
  EXPECT_TRUE(
      contains(complaint(2, run("c.npy", "out") + Arguments{"--memory", "20M"}),
               "--memory 20 MB is too little for 'c.npy': the factors and what goes with them take "));
  EXPECT_TRUE(contains(complaint(2, run("c.npy", "out") + Arguments{"--memory", "2X"}),
                       "--memory must be a number of bytes such as 2G, 500M or 1.5Gi, not '2X'"));
  EXPECT_TRUE(contains(complaint(2, run("c.npy", "out") + Arguments{"--memory", "25M", "--rows", "a"}),
                       "--rows does not go with a matrix that --memory keeps on disk"));
  const std::string huge = "{'descr': '|u1', 'fortran_order': False, 'shape': (1099511627776, 3), }\n";
  write_text(file("huge.npy"),
             std::string("\x93NUMPY\1\0", 8) + static_cast<char>(huge.size()) + '\0' + huge);
  const auto header = std::filesystem::file_size(file("huge.npy"));
  std::filesystem::resize_file(file("huge.npy"), header + 3 * (std::uint64_t{1} << 40U));  // a hole
  EXPECT_TRUE(
      contains(complaint(2, run("huge.npy", "out") + Arguments{"--memory", "2G"}),
               "--memory 2 GB is too little for 'huge.npy': the factors and what goes with them take "));
  write_text(file("small.csv"), "1,2\n3,4\n");
  EXPECT_TRUE(
      contains(complaint(2, {"factorize", "small.csv", "--rank", "1", "--memory", "1Ki", "--out", "out"}),
               "cannot be read in blocks; anmf convert 'small.csv' M.npy makes a file that can."));
  EXPECT_EQ(anmf({"factorize", "small.csv", "--rank", "1", "--memory", "1Gi", "--out", "out"}).exit_code, 0);
  const Outcome outcome =
      anmf(Arguments{"factorize", "c.npy", "--rank", "5", "--memory", "27MB", "--dry-run", "--out", "out"});
  EXPECT_TRUE(contains(outcome.out, "9.6 MB read in every pass"));
}

}  // namespace
}  // namespace anmf::test
