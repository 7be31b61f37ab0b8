// SPDX-License-Identifier: MIT
// --prepare: what is done to the entries first, kept with the run, and done again to new rows.
#include <cmath>

#include "program.h"

namespace anmf::test {
namespace {

/// Five rows and four columns with names, one row of zeros.
constexpr std::string_view kCounts =
    "cell,a,b,c,d\nc1,1,0,3,2\nc2,0,2,2,4\nc3,0,0,0,0\nc4,5,1,0,1\nc5,9,0,1,1\n";
const std::vector<std::vector<double>> kEntries = {
    {1, 0, 3, 2}, {0, 2, 2, 4}, {0, 0, 0, 0}, {5, 1, 0, 1}, {9, 0, 1, 1}};

/// total=10,log1p by hand.
double logged(std::size_t i, std::size_t j) {
  double sum = 0;
  for (const double x : kEntries[i]) sum += x;
  return sum > 0 ? std::log1p(kEntries[i][j] * 10 / sum) : 0;
}

class Prepare : public ProgramTest {
 protected:
  Prepare() { write_text(file("counts.csv"), kCounts); }

  [[nodiscard]] Arguments fit(const std::string& out, const Arguments& further) const {
    return Arguments{"factorize",   "counts.csv", "--rank",      "2",       "--method", "anls",
                     "--tolerance", "1e-15",      "--no-report", "--quiet", "--out",    out} +
           further;
  }
  void expect_done(const Arguments& arguments) const {
    const Outcome outcome = anmf(arguments);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
};

TEST_F(Prepare, ConvertsDenseAndSparseToTheSameNumbers) {
  expect_done({"convert", "counts.csv", "dense.npy", "--prepare", "total=10,log1p"});
  expect_done({"convert", "counts.csv", "counts.npz", "--sparse"});
  expect_done({"convert", "counts.npz", "sparse.mtx", "--prepare", "total=10, log1p"});
  expect_done({"convert", "counts.csv", "turned.csv", "--transpose"});
  expect_done({"convert", "turned.csv", "back.npy", "--transpose", "--prepare", "total=10,log1p"});
  expect_done({"convert", "sparse.mtx", "sparse.npy", "--dense"});

  const Matrix<double> dense = io::read_npy<double>(file("dense.npy"));
  ASSERT_EQ(dense.rows(), 5);
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < 4; ++j) {
      const double expected = logged(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
      EXPECT_NEAR(dense(i, j), expected, 1e-15) << i << ' ' << j;
    }
  }
  EXPECT_EQ(io::read_npy<double>(file("sparse.npy")), dense);
  EXPECT_EQ(io::read_npy<double>(file("back.npy")), dense);
  EXPECT_TRUE(contains(read_text(file("sparse.mtx")), "5 4 12\n"));  // no zero was filled
}

TEST_F(Prepare, KeepsSingleNumbersSingle) {
  expect_done({"convert", "counts.csv", "single.npy", "--precision", "float32"});
  const Outcome outcome = anmf({"convert", "single.npy", "out.npy", "--prepare", "sqrt"});
  EXPECT_TRUE(contains(outcome.out, "dense float32")) << outcome.out;
}

TEST_F(Prepare, IsTheSameAsFactorizingWhatIsPrepared) {
  expect_done({"convert", "counts.csv", "prepared.csv", "--prepare", "tfidf"});
  expect_done(fit("direct", {"--prepare", "tfidf"}));
  expect_done({"factorize", "prepared.csv", "--rank", "2", "--method", "anls", "--tolerance", "1e-15",
               "--no-report", "--quiet", "--out", "twice"});

  EXPECT_EQ(read_text(file("direct/H.npy")), read_text(file("twice/H.npy")));
  EXPECT_EQ(read_text(file("direct/W.tsv")), read_text(file("twice/W.tsv")));
}

TEST_F(Prepare, WritesWhatWasLearntAndCutsTheNames) {
  expect_done(fit("run", {"--prepare", "total=10,log1p,top-variance=2,unit-variance"}));

  const auto run = read_json(file("run/run.json"));
  EXPECT_EQ(run["prepare"], nlohmann::json({"total=10", "log1p", "top-variance=2", "unit-variance"}));
  EXPECT_EQ(run["cols"], 2);
  EXPECT_TRUE(run["files"].contains("prepare.json"));
  const auto learnt = read_json(file("run/prepare.json"));
  EXPECT_EQ(learnt["features"], 4);
  std::vector<double> variance(4);
  for (std::size_t j = 0; j < 4; ++j) {
    double mean = 0;
    for (std::size_t i = 0; i < 5; ++i) mean += logged(i, j) / 5;
    for (std::size_t i = 0; i < 5; ++i) variance[j] += std::pow(logged(i, j) - mean, 2) / 5;
  }
  // By hand: a varies most, then c.
  ASSERT_GT(variance[0], variance[2]);
  ASSERT_GT(variance[2], std::max(variance[1], variance[3]));
  EXPECT_EQ(learnt["steps"][2]["kept"], nlohmann::json({0, 2}));
  EXPECT_NEAR(learnt["steps"][3]["learnt"][0].get<double>(), std::sqrt(variance[0]), 1e-15);
  EXPECT_NEAR(learnt["steps"][3]["learnt"][1].get<double>(), std::sqrt(variance[2]), 1e-15);
  const std::string H = read_text(file("run/H.tsv"));
  EXPECT_TRUE(contains(H.substr(0, H.find('\n')), "a\tc"));

  expect_done(fit("run", {}));  // an earlier one's goes away
  EXPECT_FALSE(std::filesystem::exists(file("run/prepare.json")));
  EXPECT_EQ(read_json(file("run/run.json"))["prepare"], nlohmann::json::array());
}

TEST_F(Prepare, TransformsNewRowsWithTheNumbersOfTheRun) {
  const std::string steps = "max=1,tfidf,top-variance=3,unit-variance";
  expect_done(fit("run", {"--prepare", steps, "--max-iterations", "20000"}));
  write_text(file("some.csv"), "cell,a,b,c,d\nc5,9,0,1,1\nc2,0,2,2,4\n");
  for (const Arguments& further : {Arguments{}, Arguments{"--prepare", steps}}) {
    expect_done(Arguments{"transform", "some.csv", "--components", "run", "--out", "new"} + further);
    const Matrix<double> W = io::read_npy<double>(file("run/W.npy"));
    const Matrix<double> some = io::read_npy<double>(file("new/W.npy"));
    for (Index p = 0; p < 2; ++p) {
      EXPECT_NEAR(some(0, p), W(4, p), 1e-6);
      EXPECT_NEAR(some(1, p), W(1, p), 1e-6);
    }
    EXPECT_EQ(read_json(file("new/run.json"))["prepare"].size(), 4);
  }

  expect_done({"convert", "counts.csv", "prepared.csv", "--prepare", steps});
  expect_done(
      {"transform", "prepared.csv", "--components", "run/H.npy", "--prepare", "none", "--out", "as_is"});
  EXPECT_EQ(read_json(file("as_is/run.json"))["prepare"], nlohmann::json::array());

  EXPECT_TRUE(contains(
      complaint(2, {"transform", "some.csv", "--components", "run", "--prepare", "log1p", "--out", "x"}),
      "--prepare is log1p here, but the factorization had max=1,tfidf"));
  expect_done(fit("plain", {}));
  EXPECT_TRUE(contains(
      complaint(2, {"transform", "some.csv", "--components", "plain", "--prepare", "tfidf", "--out", "x"}),
      "takes numbers that are learnt from the matrix of the factorization"));
  write_text(file("few.csv"), "cell,a,b\nc5,9,1\n");
  EXPECT_TRUE(contains(complaint(3, {"transform", "few.csv", "--components", "run", "--out", "x"}),
                       "was learnt from 4 features, but the matrix has 2."));
}

TEST_F(Prepare, ComesFromAFileOfOptionsAndStaysTheSameInARunThatGoesOn) {
  write_text(file("run.toml"), "prepare = [\"total=10\", \"log1p\"]\n");
  const Arguments slow = {"--method", "hals", "--tolerance", "0"};
  expect_done(Arguments{"factorize", "counts.csv", "--rank", "2", "--config", "run.toml", "--no-report",
                        "--max-iterations", "20", "--out", "whole"} +
              slow);
  expect_done(Arguments{"factorize", "counts.csv", "--rank", "2", "--prepare", "total=10,log1p",
                        "--no-report", "--max-iterations", "7", "--checkpoint-every", "100", "--out",
                        "parts"} +
              slow);
  EXPECT_TRUE(contains(complaint(2, {"factorize", "--resume", "parts", "--prepare", "log1p"}),
                       "--prepare is log1p here, but the run was begun with total=10,log1p"));
  expect_done({"factorize", "--resume", "parts", "--max-iterations", "20"});
  EXPECT_EQ(read_text(file("whole/H.npy")), read_text(file("parts/H.npy")));
  EXPECT_EQ(read_json(file("parts/run.json"))["prepare"], nlohmann::json({"total=10", "log1p"}));
}

TEST_F(Prepare, IsCountedInADryRun) {
  const Outcome outcome = anmf({"factorize", "counts.csv", "--rank", "2", "--prepare", "top-variance=3",
                                "--dry-run", "--json", "--out", "never"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["cols"], 3);
}

TEST_F(Prepare, RefusesWhatCannotBeDone) {
  const auto said = [&](int code, const std::string& steps, const Arguments& further = {}) {
    return complaint(
        code,
        Arguments{"factorize", "counts.csv", "--rank", "1", "--out", "never", "--prepare", steps} + further);
  };
  EXPECT_TRUE(
      contains(said(2, "log1p,tf-idf"), "'tf-idf' is no step of a preparation (did you mean tfidf?)"));
  EXPECT_TRUE(contains(said(2, "total=0"), "total must be followed by a number above 0, as in total=1e4"));
  EXPECT_TRUE(contains(said(2, "top-variance=0"), "whole number above 0"));
  EXPECT_TRUE(contains(said(2, ""), "--prepare"));
  EXPECT_TRUE(contains(said(3, "top-variance=5"), "more features than the matrix has there: 4."));
  EXPECT_TRUE(contains(said(2, "log1p", {"--memory", "1G"}), "--prepare does not go with --memory"));
  EXPECT_FALSE(std::filesystem::exists(file("never")));
}

TEST_F(Prepare, NoticesADamagedFileOfWhatWasLearnt) {
  expect_done(fit("run", {"--prepare", "tfidf"}));
  write_text(file("run/prepare.json"), "{}");
  EXPECT_TRUE(contains(complaint(3, {"transform", "counts.csv", "--components", "run", "--out", "x"}),
                       "is not the file that"));
}

}  // namespace
}  // namespace anmf::test
