// SPDX-License-Identifier: MIT
// anmf transform: rows fitted to the components of a factorization.
#include <fmt/format.h>

#include <algorithm>

#include "anmf/version.h"
#include "program.h"

namespace anmf::test {
namespace {

namespace fs = std::filesystem;

class Transform : public ProgramTest {
 protected:
  /// Factorizes until H has settled and fits the same matrix to it; expects the W of the factorization.
  void expect_the_fitted_W(const std::string& input, const Arguments& further = {}) const {
    const Outcome fit = anmf({"factorize", input, "--rank", "3", "--method", "anls", "--tolerance", "1e-9",
                              "--stop-rule", "gradient", "--max-iterations", "20000", "--out", "fit"});
    ASSERT_EQ(fit.exit_code, 0) << fit.err;
    ASSERT_EQ(read_json(file("fit/run.json"))["status"], "converged");

    const Outcome outcome =
        anmf(Arguments{"transform", input, "--components", "fit/H.npy", "--out", "new"} + further);

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const Matrix<double> expected = io::read_npy<double>(file("fit/W.npy"));
    const Matrix<double> W = io::read_npy<double>(file("new/W.npy"));
    ASSERT_EQ(W.rows(), expected.rows());
    ASSERT_EQ(W.cols(), expected.cols());
    const double largest = *std::max_element(expected.values().begin(), expected.values().end());
    for (Index i = 0; i < W.rows(); ++i) {
      for (Index p = 0; p < W.cols(); ++p) EXPECT_NEAR(W(i, p), expected(i, p), 1e-4 * largest);
    }
  }
};

TEST_F(Transform, GivesTheWOfADenseFactorizationThatHasConverged) {
  expect_the_fitted_W("M.npy");

  const auto json = read_json(file("new/run.json"));
  const double error =
      dense_error(M_, io::read_npy<double>(file("new/W.npy")), io::read_npy<double>(file("fit/H.npy")));
  const double norm = dense_error(M_, Matrix<double>(30, 1), Matrix<double>(1, 20));
  EXPECT_EQ(json["input"], "M.npy");
  EXPECT_EQ(json["rows"], 30);
  EXPECT_EQ(json["cols"], 20);
  EXPECT_EQ(json["rank"], 3);
  EXPECT_EQ(json["components"], "fit/H.npy");
  EXPECT_EQ(json["storage"], "dense");
  EXPECT_EQ(json["version"], kVersion);
  EXPECT_NEAR(json["error"].get<double>(), error, 1e-12 * error);
  EXPECT_NEAR(json["relative_error"].get<double>(), error / norm, 1e-12 * error / norm);
  EXPECT_GE(json["kkt"].get<double>(), 0);
  EXPECT_LT(json["kkt"].get<double>(), 1e-10);
  EXPECT_GE(json["seconds"].get<double>(), 0);
}

TEST_F(Transform, GivesTheWOfASparseFactorizationThatHasConverged) {
  Matrix<double> S(31, 17);
  std::string text;
  Index count = 0;
  const Matrix<double> values = random_matrix(31, 17, 5);
  for (Index i = 0; i < 31; ++i) {
    for (Index j = 0; j < 17; ++j) {
      if ((i * 7 + j * 5) % 4 != 0) continue;
      S(i, j) = values(i, j) + 0.1;
      text += fmt::format("{} {} {}\n", i + 1, j + 1, S(i, j));
      ++count;
    }
  }
  write_text(file("S.mtx"),
             fmt::format("%%MatrixMarket matrix coordinate real general\n31 17 {}\n{}", count, text));

  expect_the_fitted_W("S.mtx");

  const auto json = read_json(file("new/run.json"));
  const double error =
      dense_error(S, io::read_npy<double>(file("new/W.npy")), io::read_npy<double>(file("fit/H.npy")));
  EXPECT_EQ(json["storage"], "sparse");
  EXPECT_EQ(json["nonzeros"], count);
  EXPECT_NEAR(json["error"].get<double>(), error, 1e-12 * error);
}

TEST_F(Transform, ComputesInSinglePrecisionWithAnyNumberOfThreads) {
  expect_the_fitted_W("M.npy", {"--precision", "float32", "--threads", "2"});

  EXPECT_EQ(read_json(file("new/run.json"))["precision"], "float32");
  EXPECT_EQ(read_json(file("new/run.json"))["threads"], 2);
  EXPECT_NE(read_text(file("new/W.npy")).find("'<f4'"), std::string::npos);
}

TEST_F(Transform, FitsWithAPenaltyLikeTheFormula) {
  // One component of ones, H = (1 ... 1): w = max(0, sum_j m_j - n alpha l1) / (n + n alpha (1 - l1)).
  io::write_npy<double>(file("H.npy"), Matrix<double>(1, 20, 1.0).view());

  const Outcome outcome = anmf({"transform", "M.npy", "--components", "H.npy", "--alpha-w", "0.5",
                                "--l1-ratio", "0.25", "--out", "new"});

  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Matrix<double> W = io::read_npy<double>(file("new/W.npy"));
  for (Index i = 0; i < 30; ++i) {
    double sum = 0;
    for (Index j = 0; j < 20; ++j) sum += M_(i, j);
    EXPECT_NEAR(W(i, 0), std::max(0.0, sum - 20 * 0.5 * 0.25) / (20 + 20 * 0.5 * 0.75), 1e-12);
  }
}

TEST_F(Transform, GivesTheErrorOfEntriesWhoseSquaresLeaveTheRange) {
  Matrix<double> huge = M_;
  for (double& x : huge.values()) x *= 1e200;
  io::write_npy<double>(file("huge.npy"), huge.view());
  io::write_npy<double>(file("H.npy"), random_matrix(2, 20, 8).view());

  const Outcome usual = anmf({"transform", "M.npy", "--components", "H.npy", "--out", "usual"});
  const Outcome outcome = anmf({"transform", "huge.npy", "--components", "H.npy", "--out", "huge"});

  ASSERT_EQ(usual.exit_code, 0) << usual.err;
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const double expected = read_json(file("usual/run.json"))["error"];
  EXPECT_NEAR(read_json(file("huge/run.json"))["error"].get<double>() / 1e200, expected, 1e-9 * expected);
}

TEST_F(Transform, FitsInTheLossOfItsRun) {
  const Outcome fit = anmf({"factorize", "M.npy", "--rank", "3", "--loss", "kl", "--tolerance", "1e-9",
                            "--max-iterations", "5000", "--out", "fit"});
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  const auto run = read_json(file("fit/run.json"));
  const Matrix<double> expected = io::read_npy<double>(file("fit/W.npy"));
  for (const Arguments& named :
       {Arguments{"--run", "fit"}, Arguments{"--components", "fit"}, Arguments{"--components", "fit/H.npy"},
        Arguments{"--run", "fit", "--loss", "1"}}) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(named, " ")));
    const Outcome outcome = anmf(Arguments{"transform", "M.npy", "--out", "new"} + named);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(contains(outcome.out, "kullback-leibler")) << outcome.out;
    const auto json = read_json(file("new/run.json"));
    EXPECT_EQ(json["loss"], "kullback-leibler");
    EXPECT_EQ(json["beta"], 1);
    const double divergence = run["divergence"].get<double>();
    EXPECT_NEAR(json["divergence"].get<double>(), divergence, 1e-4 * divergence);
    EXPECT_LE(json["divergence"].get<double>(), divergence * (1 + 1e-9));  // W is the best beside H
    EXPECT_NEAR(json["error"].get<double>(), std::sqrt(2 * json["divergence"].get<double>()), 1e-9);
    EXPECT_NEAR(json["relative_error"].get<double>(), run["relative_error"].get<double>(), 1e-4);
    const Matrix<double> W = io::read_npy<double>(file("new/W.npy"));
    for (Index k = 0; k < W.size(); ++k) EXPECT_NEAR(W.data()[k], expected.data()[k], 0.05);
  }
  const Outcome least_squares =
      anmf({"transform", "M.npy", "--components", "fit", "--loss", "frobenius", "--out", "other"});
  ASSERT_EQ(least_squares.exit_code, 0) << least_squares.err;
  EXPECT_EQ(read_json(file("other/run.json"))["loss"], "frobenius");
}

TEST_F(Transform, SaysWhereTheLossComesFromIfThatIsNotClear) {
  (void)short_run("fit");
  io::write_npy<double>(file("M0.npy"), Matrix<double>(2, 20).view());
  const Arguments base = {"transform", "M.npy", "--out", "new"};
  EXPECT_TRUE(contains(complaint(2, base), "--run or --components"));
  EXPECT_TRUE(contains(complaint(2, base + Arguments{"--run", "fit", "--components", "fit"}),
                       "both name the components"));
  EXPECT_TRUE(contains(complaint(2, base + Arguments{"--run", "fit", "--loss", "kl"}),
                       "minimised the loss frobenius"));
  EXPECT_TRUE(contains(complaint(2, base + Arguments{"--run", "fit", "--loss", "kkl"}), "is unknown"));
  EXPECT_TRUE(contains(complaint(3, base + Arguments{"--run", "fit/H.npy"}), "is no folder"));
  EXPECT_TRUE(
      contains(complaint(2, {"transform", "M0.npy", "--components", "fit", "--loss", "is", "--out", "new"}),
               "row 0, column 0"));
}

TEST_F(Transform, HasNoErrorWhereNoComponentReaches) {
  Matrix<double> H = random_matrix(3, 20, 1);
  for (Index p = 0; p < 3; ++p) H(p, 7) = 0;
  io::write_npy<double>(file("H.npy"), H.view());
  const Outcome outcome =
      anmf({"transform", "M.npy", "--components", "H.npy", "--loss", "kl", "--out", "new"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "is infinite")) << outcome.err;
  const auto json = read_json(file("new/run.json"));
  EXPECT_TRUE(json["error"].is_null());
  EXPECT_TRUE(json["divergence"].is_null());
  EXPECT_EQ(json["notes"].size(), 1);
}

TEST_F(Transform, WrongSizesAreAnInputErrorThatNamesBoth) {
  io::write_npy<double>(file("H.npy"), random_matrix(3, 19, 1).view());

  const std::string sentence = complaint(3, {"transform", "M.npy", "--components", "H.npy", "--out", "new"});

  for (const char* part : {"3 x 19", "30 x 20", "H.npy", "M.npy"}) EXPECT_TRUE(contains(sentence, part));
  EXPECT_FALSE(fs::exists(file("new")));
}

TEST_F(Transform, WrongInputIsAnInputError) {
  Matrix<double> bad = random_matrix(3, 20, 1);
  io::write_npy<double>(file("H.npy"), bad.view());
  bad(2, 5) = -1;
  io::write_npy<double>(file("bad.npy"), bad.view());
  const auto with = [](const char* input, const char* components) {
    return Arguments{"transform", input, "--components", components, "--out", "new"};
  };

  EXPECT_TRUE(contains(complaint(3, with("absent.npy", "H.npy")), "absent.npy"));
  EXPECT_TRUE(contains(complaint(3, with("M.npy", "absent.npy")), "absent.npy"));
  EXPECT_TRUE(contains(complaint(3, with("bad.npy", "H.npy")), "[2, 5]"));
  EXPECT_TRUE(contains(complaint(3, with("M.npy", "bad.npy")), "[2, 5]"));
  EXPECT_FALSE(fs::exists(file("new")));
}

TEST_F(Transform, ComponentsWhoseSquaresLeaveTheRangeAreANumericalError) {
  struct Case {
    double factor;
    const char* precision;
    int exit_code;
  };
  for (const Case& c : {Case{1e200, "float64", 4}, Case{1e-200, "float64", 4}, Case{1e30, "float32", 4},
                        Case{1e-30, "float32", 4}, Case{1e30, "float64", 0}, Case{1e15, "float32", 0}}) {
    Matrix<double> H = random_matrix(3, 20, 1);
    for (double& x : H.values()) x *= c.factor;
    for (Index j = 0; j < 20; ++j) H(0, j) = 0;  // an empty component is none of these
    io::write_npy<double>(file("H.npy"), H.view());
    const Arguments arguments = {"transform",   "M.npy",     "--components", "H.npy",
                                 "--precision", c.precision, "--out",        "new"};

    if (c.exit_code == 0) {
      EXPECT_EQ(anmf(arguments).exit_code, 0) << c.factor;
      EXPECT_LT(read_json(file("new/run.json"))["relative_error"].get<double>(), 0.9) << c.factor;
    } else {
      EXPECT_TRUE(contains(complaint(4, arguments), "row 1 of 'H.npy'")) << c.factor;
    }
  }
}

TEST_F(Transform, WrongUsageIsAUsageError) {
  const Arguments base = {"transform", "M.npy", "--components", "H.npy"};

  EXPECT_TRUE(contains(complaint(2, base), "--out"));
  EXPECT_TRUE(contains(complaint(2, {"transform", "M.npy", "--out", "new"}), "--components"));
  EXPECT_TRUE(contains(complaint(2, base + Arguments{"--out", "new", "--l1-ratio", "2"}), "in [0, 1]"));
}

TEST_F(Transform, AFolderThatCannotBeWrittenIsAnOutputError) {
  io::write_npy<double>(file("H.npy"), random_matrix(3, 20, 1).view());
  write_text(file("plain"), "a file");

  const std::string sentence =
      complaint(5, {"transform", "M.npy", "--components", "H.npy", "--out", "plain/new"});

  EXPECT_TRUE(contains(sentence, "plain/new"));
  EXPECT_EQ(read_text(file("plain")), "a file");
}

TEST_F(Transform, DoesNotReplaceTheFitItself) {
  (void)short_run("fit");
  const std::string W = read_text(file("fit/W.npy"));

  const std::string sentence =
      complaint(5, {"transform", "M.npy", "--components", "fit/H.npy", "--out", "fit"});

  EXPECT_TRUE(contains(sentence, "--out"));
  EXPECT_EQ(read_text(file("fit/W.npy")), W);
}

TEST_F(Transform, TakesTheSameRowsColumnsAndTransposeAsTheFactorization) {
  write_text(file("t.csv"), "name,a,b,c\nx,1,-2,3\ny,4,5,6\nz,7,8,9\n");
  const Arguments chosen = {"t.csv",     "--transpose", "--rows",     "z,y",
                            "--columns", "c,a",         "--negative", "clip"};
  const Outcome fit =
      anmf(Arguments{"factorize", "--rank", "2", "--method", "anls", "--init", "nndsvda", "--max-iterations",
                     "2000", "--tolerance", "1e-12", "--stop-rule", "gradient", "--out", "fit"} +
           chosen);
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  const Outcome outcome = anmf(
      Arguments{"transform", "--components", "fit/H.npy", "--quiet", "--json", "--out", "again"} + chosen);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(nlohmann::json::parse(outcome.out), read_json(file("again/run.json")));
  EXPECT_EQ(read_text(file("again/W.tsv")).substr(0, 14), "\tcomponent_1\tc");
  const auto W = io::read_npy<double>(file("fit/W.npy"));
  const auto again = io::read_npy<double>(file("again/W.npy"));
  ASSERT_EQ(again.rows(), 2);
  for (Index k = 0; k < W.size(); ++k) EXPECT_NEAR(again.data()[k], W.data()[k], 1e-4);
}

}  // namespace
}  // namespace anmf::test
