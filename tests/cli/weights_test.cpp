// SPDX-License-Identifier: MIT
// --missing, --weights, --row-weights, --column-weights and --negative allow: what they do, and every wrong
// input with its sentence.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "anmf/weights.h"
#include "program.h"

namespace anmf::test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const Arguments kFew = {"--rank", "3", "--max-iterations", "30", "--no-report", "--quiet", "--threads", "1"};

class ProgramWeights : public ProgramTest {
 protected:
  ProgramWeights() : mask_(M_.rows(), M_.cols()) {
    for (Index i = 0; i < M_.rows(); ++i) {
      for (Index j = 0; j < M_.cols(); ++j) mask_(i, j) = (i + 3 * j) % 5 == 0 ? 1 : 0;
    }
    const auto holes = [&](double at_holes) {
      Matrix<double> with = M_;
      for (Index k = 0; k < with.size(); ++k)
        with.data()[k] = mask_.data()[k] > 0 ? at_holes : with.data()[k];
      return with;
    };
    save("nan.npy", holes(kNaN));
    save("zeros.npy", holes(0));
    save("mask.npy", mask_);
    Matrix<double> ones = mask_;
    for (double& x : ones.values()) x = 1 - x;
    save("ones.npy", ones);
    std::string triplets = "%%MatrixMarket matrix coordinate real general\n30 20 480\n";
    std::string stored = "%%MatrixMarket matrix coordinate real general\n30 20 600\n";
    for (Index i = 0; i < M_.rows(); ++i) {
      for (Index j = 0; j < M_.cols(); ++j) {
        const bool missing = mask_(i, j) > 0;
        if (!missing) triplets += fmt::format("{} {} {}\n", i + 1, j + 1, M_(i, j));
        stored += fmt::format("{} {} {}\n", i + 1, j + 1, missing ? "nan" : fmt::format("{}", M_(i, j)));
      }
    }
    write_text(file("stored.mtx"), triplets);
    write_text(file("nan.mtx"), stored);
  }

  void save(const std::string& name, const Matrix<double>& matrix) const {
    io::write_npy<double>(file(name), matrix.view());
  }
  [[nodiscard]] nlohmann::json run(const std::string& input, const Arguments& further) const {
    const Outcome outcome = anmf(Arguments{"factorize", input, "--out", "out"} + kFew + further);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return read_json(file("out") / "run.json");
  }
  [[nodiscard]] Matrix<double> factor(const std::string& name) const {
    return io::load_dense<double>(file("out") / name);
  }

  Matrix<double> mask_;
};

TEST_F(ProgramWeights, EveryWayToSayWhatIsMissingIsTheSameProblem) {
  save("W0.npy", random_matrix(30, 3, 5));
  save("H0.npy", random_matrix(3, 20, 6));
  const Arguments mu = {"--method", "mu", "--init-w", "W0.npy", "--init-h", "H0.npy"};
  const double error = run("nan.npy", mu + Arguments{"--missing", "nan"})["error"];
  for (const auto& [input, options] : std::vector<std::pair<std::string, Arguments>>{
           {"nan.mtx", {"--missing", "nan"}},
           {"stored.mtx", {"--missing", "zeros"}},
           {"zeros.npy", {"--missing", "zeros"}},
           {"M.npy", {"--missing", "mask.npy"}},
           {"M.npy", {"--weights", "ones.npy"}},
           {"nan.npy", {"--missing", "nan", "--weights", "ones.npy"}},
           {"zeros.npy", {"--missing", "zeros", "--weights", "ones.npy"}}}) {
    const auto json = run(input, mu + options);
    EXPECT_NEAR(json["error"].get<double>(), error, 1e-9 * error) << input << " " << options[1];
    EXPECT_EQ(json["observed"], 480) << input;
  }
}

TEST_F(ProgramWeights, RunJsonNamesWhatWasUsed) {
  std::string rows;
  for (Index i = 0; i < 30; ++i) rows += i == 4 ? "0\n" : "2\n";
  write_text(file("rows.txt"), rows);
  Matrix<double> columns(1, 20, 1.0);
  columns(0, 7) = 0;
  save("columns.npy", columns);

  const auto json =
      run("nan.npy", {"--missing", "nan", "--row-weights", "rows.txt", "--column-weights", "columns.npy"});

  EXPECT_EQ(json["missing"], "nan");
  EXPECT_EQ(json["weights"], nullptr);
  EXPECT_EQ(json["row_weights"], "rows.txt");
  EXPECT_EQ(json["column_weights"], "columns.npy");
  EXPECT_LT(json["observed"], 480);
  const std::string notes = json["notes"].dump();
  EXPECT_TRUE(contains(notes, "entries are observed"));
  EXPECT_TRUE(contains(notes, "1 of 30 rows has weight 0, to be fitted to what the others give: 4"));
  EXPECT_TRUE(contains(notes, "1 of 20 columns has weight 0"));
}

TEST_F(ProgramWeights, HeldOutEntriesAreScoredBesideWhatIsMissing) {
  Matrix<double> M = M_;
  M(2, 3) = 4;  // more than any model of the others, which then count as what they are
  for (Index k = 0; k < M.size(); ++k) M.data()[k] = mask_.data()[k] > 0 ? kNaN : M.data()[k];
  save("M4.npy", M);
  const auto json = run("M4.npy", {"--missing", "nan", "--heldout", "0.2", "--heldout-seed", "3"});
  const Index held = json["heldout_entries"];
  EXPECT_GT(held, 60);
  EXPECT_LT(held, 130);
  EXPECT_EQ(json["observed"], 480);
  EXPECT_TRUE(contains(json["notes"].dump(), fmt::format("these alone, less {} that are held out", held)));
  double squares = 0;
  const Matrix<double> W = factor("W.npy");
  const Matrix<double> H = factor("H.npy");
  for (Index i = 0; i < M_.rows(); ++i) {
    for (Index j = 0; j < M_.cols(); ++j) {
      double model = 0;
      for (Index p = 0; p < W.cols(); ++p) model += W(i, p) * H(p, j);
      EXPECT_LT(model, 4);
      if (mask_(i, j) == 0) squares += (M(i, j) - model) * (M(i, j) - model);
    }
  }
  const double error = json["error"];
  const double heldout = json["heldout_error"];
  EXPECT_NEAR(error * error + heldout * heldout, squares, 1e-9 * squares);  // seen or held out
  EXPECT_GT(json["heldout_relative_error"], 0.5);                           // noise cannot be predicted
  const std::string trace = read_text(file("out") / "trace.csv");
  EXPECT_TRUE(trace.substr(0, trace.find('\n')).ends_with(",heldout"));
  EXPECT_NEAR(std::stod(trace.substr(trace.rfind(',') + 1)), heldout, 1e-12 * heldout);
  const auto other_seed = run("M4.npy", {"--missing", "nan", "--heldout", "0.2"});
  EXPECT_NE(other_seed["heldout_error"], json["heldout_error"]);
}

TEST_F(ProgramWeights, ARowWithoutObservationsIsZero) {
  Matrix<double> gone = M_;
  for (Index j = 0; j < 20; ++j) gone(4, j) = kNaN;
  for (Index i = 0; i < 30; ++i) gone(i, 9) = kNaN;
  save("gone.npy", gone);
  for (const char* loss : {"frobenius", "kl"}) {
    const std::string notes = run("gone.npy", {"--missing", "nan", "--loss", loss})["notes"].dump();
    EXPECT_TRUE(
        contains(notes, "1 of 30 rows has no observed entry that counts, and a row of zeros in W: 4"));
    EXPECT_TRUE(
        contains(notes, "1 of 20 columns has no observed entry that counts, and a column of zeros in H: 9"));
    const Matrix<double> W = factor("W.npy");
    const Matrix<double> H = factor("H.npy");
    for (Index p = 0; p < 3; ++p) {
      EXPECT_EQ(W(4, p), 0);
      EXPECT_EQ(H(p, 9), 0);
    }
  }
}

TEST_F(ProgramWeights, AnIntegerWeightIsARowThatStandsThereSoOften) {
  Matrix<double> twice(31, 20);
  for (Index i = 0; i < 31; ++i) std::copy_n(M_.view().row(i == 30 ? 12 : i), 20, twice.view().row(i));
  save("twice.npy", twice);
  std::string rows;
  for (Index i = 0; i < 30; ++i) rows += i == 12 ? "2\n" : "1\n";
  write_text(file("rows.txt"), rows);
  const Arguments start = {"--method", "hals", "--init-h", "H0.npy", "--init-w"};
  save("H0.npy", random_matrix(3, 20, 5));
  Matrix<double> W0 = random_matrix(31, 3, 6);
  std::copy_n(W0.view().row(12), 3, W0.view().row(30));
  save("W0twice.npy", W0);
  Matrix<double> once(30, 3);
  std::copy_n(W0.data(), once.size(), once.data());
  save("W0.npy", once);
  const double expected = run("twice.npy", start + Arguments{"W0twice.npy"})["error"];

  const double error = run("M.npy", start + Arguments{"W0.npy", "--row-weights", "rows.txt"})["error"];

  EXPECT_NEAR(error, expected, 1e-9 * expected);
}

TEST_F(ProgramWeights, FilesSpeakOfTheMatrixAsItIsInItsFile) {
  const double error = run("nan.npy", {"--missing", "nan", "--method", "hals", "--transpose"})["error"];
  EXPECT_NEAR(
      run("M.npy", {"--missing", "mask.npy", "--method", "hals", "--transpose"})["error"].get<double>(),
      error, 1e-9 * error);
}

TEST_F(ProgramWeights, AnEmptyFieldOfATableIsMissing) {
  write_text(file("t.csv"), "name,a,b,c\nanna,1,,3\nbert,NA,5,6\ncleo,7,8,9\n");
  const auto json = run("t.csv", {"--missing", "nan"});
  EXPECT_EQ(json["observed"], 7);
}

TEST_F(ProgramWeights, WeightsOfLinesAndStoredEntriesGoWithAStream) {
  constexpr Index kRows = 3000;
  constexpr Index kCols = 500;
  Matrix<double> M = random_matrix(kRows, kCols, 7);
  save("large.npy", M);
  std::string rows;
  for (Index i = 0; i < kRows; ++i) rows += fmt::format("{}\n", i % 3);
  write_text(file("rows.txt"), rows);
  for (double& x : M.values()) x = x < 0.5 ? 0 : x;
  save("half.npy", M);
  ASSERT_EQ(anmf({"convert", "half.npy", "half.anmf", "--quiet"}).exit_code, 0);
  for (Index k = 0; k < M.size(); ++k) M.data()[k] = k % 7 == 3 || k / kCols == 11 ? kNaN : M.data()[k];
  save("gaps.npy", M);
  const Arguments few = {"--method", "mu", "--row-weights", "rows.txt"};
  for (const auto& [input, more, limit] : std::vector<std::tuple<std::string, Arguments, std::string>>{
           {"large.npy", {}, "31M"},
           {"half.anmf", {"--missing", "zeros"}, "36M"},
           {"gaps.npy", {"--missing", "nan"}, "31M"},
           {"gaps.npy", {"--missing", "nan", "--transpose", "--loss", "kl"}, "31M"}}) {
    const auto in_memory = run(input, few + more);
    const double error = in_memory["error"];
    const auto streamed = run(input, few + more + Arguments{"--memory", limit});
    EXPECT_TRUE(contains(streamed["storage"], "on disk"));
    EXPECT_NEAR(streamed["error"].get<double>(), error, 1e-9 * error) << input;
    EXPECT_EQ(streamed["observed"], in_memory["observed"]) << input;
  }
  EXPECT_TRUE(contains(complaint(3, {"factorize", "large.npy", "--rank", "3", "--out", "no", "--missing",
                                     "zeros", "--memory", "30M"}),
                       "for sparse files only"));
}

TEST_F(ProgramWeights, NewRowsAreFittedToWhatTheyHave) {
  static_cast<void>(run("M.npy", {}));
  const Outcome full = anmf({"transform", "M.npy", "--run", "out", "--out", "full", "--missing", "mask.npy"});
  ASSERT_EQ(full.exit_code, 0) << full.err;
  const auto json = read_json(file("full") / "run.json");
  EXPECT_LT(json["kkt"], 1e-10);
  EXPECT_EQ(json["observed"], 480);
  const Matrix<double> W = io::load_dense<double>(file("full") / "W.npy");
  const Matrix<double> H = factor("H.npy");
  double sum = 0;
  for (Index i = 0; i < 30; ++i) {
    for (Index j = 0; j < 20; ++j) {
      double e = M_(i, j);
      for (Index p = 0; p < 3; ++p) e -= W(i, p) * H(p, j);
      if (mask_(i, j) == 0) sum += e * e;
    }
  }
  EXPECT_NEAR(json["error"].get<double>(), std::sqrt(sum), 1e-9 * std::sqrt(sum));
  const Outcome kl = anmf({"transform", "nan.npy", "--components", "out/H.npy", "--loss", "kl", "--out", "kl",
                           "--missing", "nan"});
  ASSERT_EQ(kl.exit_code, 0) << kl.err;
  EXPECT_LT(read_json(file("kl") / "run.json")["kkt"], 1e-4);
}

TEST_F(ProgramWeights, NegativeEntriesMayBeAllowed) {
  Matrix<double> shifted = M_;
  for (double& x : shifted.values()) x -= 0.3;
  save("signed.npy", shifted);
  for (const char* method : {"e-a-hals", "hals", "pg", "anls"}) {
    const auto json = run("signed.npy", {"--negative", "allow", "--method", method});
    const double error = json["error"];
    EXPECT_NEAR(error, dense_error(shifted, factor("W.npy"), factor("H.npy")), 1e-8 * error) << method;
    EXPECT_LT(json["relative_error"], 1) << method;
  }
  for (const Arguments& wrong : std::vector<Arguments>{{"--method", "mu"},
                                                       {"--loss", "kl"},
                                                       {"--init", "nndsvd"},
                                                       {"--prepare", "log1p"},
                                                       {"--memory", "1G"}}) {
    const std::string sentence = complaint(
        2, Arguments{"factorize", "signed.npy", "--rank", "3", "--out", "no", "--negative", "allow"} + wrong);
    EXPECT_TRUE(contains(sentence, wrong.back() == "1G" ? "--memory" : wrong[0].substr(2))) << sentence;
  }
}

TEST_F(ProgramWeights, PredictWritesWhatNobodyHasObserved) {
  static_cast<void>(run("nan.npy", {"--missing", "nan", "--normalize", "l2"}));
  write_text(file("at.mtx"),
             "%%MatrixMarket matrix coordinate real general\n30 20 3\n1 2 0\n5 5 -1\n30 20 7\n");

  EXPECT_EQ(anmf({"predict", "out", "--at", "at.mtx", "--out", "p.npz"}).exit_code, 0);
  EXPECT_EQ(anmf({"predict", "out", "--all", "--out", "all.npy"}).exit_code, 0);

  const Matrix<double> all = io::load_dense<double>(file("all.npy"));
  const auto loaded = io::load<double>(file("p.npz"));
  const auto& some = dynamic_cast<const SparseData<double>&>(*loaded.data).by_row();
  ASSERT_EQ(some.values.size(), 3U);
  EXPECT_NEAR(some.values[0], all(0, 1), 1e-12);
  EXPECT_NEAR(some.values[1], all(4, 4), 1e-12);
  EXPECT_NEAR(some.values[2], all(29, 19), 1e-12);
  const std::vector<double> scale = read_json(file("out") / "run.json")["scale"];
  EXPECT_NEAR(dense_error(all, factor("W.npy"), factor("H.npy"), scale), 0, 1e-12);
}

TEST_F(ProgramWeights, PredictOfATransposedRunStandsAsTheFile) {
  static_cast<void>(run("M.npy", {"--transpose"}));
  ASSERT_EQ(anmf({"predict", "out", "--all", "--out", "all.npy"}).exit_code, 0);
  const Matrix<double> all = io::load_dense<double>(file("all.npy"));
  EXPECT_EQ(all.rows(), 30);
  const double error = read_json(file("out") / "run.json")["error"];
  double sum = 0;
  for (Index k = 0; k < all.size(); ++k) sum += std::pow(all.data()[k] - M_.data()[k], 2);
  EXPECT_NEAR(std::sqrt(sum), error, 1e-9 * error);
}

TEST_F(ProgramWeights, AResumedRunHasItsWeights) {
  const Arguments begin = {
      "factorize", "nan.npy", "--missing",          "nan", "--weights",        "ones.npy", "--rank",     "3",
      "--out",     "saved",   "--checkpoint-every", "0",   "--max-iterations", "4",        "--no-report"};
  ASSERT_EQ(anmf(begin).exit_code, 0);
  const Outcome on = anmf({"factorize", "--resume", "saved", "--max-iterations", "8", "--no-report"});
  EXPECT_EQ(on.exit_code, 0) << on.err;
  EXPECT_EQ(read_json(file("saved") / "run.json")["missing"], "nan");
  EXPECT_TRUE(
      contains(complaint(2, {"factorize", "--resume", "saved", "--missing", "mask.npy"}), "another matrix"));
}

TEST_F(ProgramWeights, EveryWrongInputHasItsSentence) {
  save("large.npy", Matrix<double>(31, 20, 1.0));
  save("wide.npy", Matrix<double>(30, 21, 1.0));
  Matrix<double> bad(30, 20, 1.0);
  bad(2, 3) = -1;
  save("negative.npy", bad);
  bad(2, 3) = kNaN;
  save("nanweights.npy", bad);
  bad(2, 3) = std::numeric_limits<double>::infinity();
  save("infinite.npy", bad);
  save("nothing.npy", Matrix<double>(30, 20, 0.0));
  save("everything.npy", Matrix<double>(30, 20, 1.0));
  save("allnan.npy", Matrix<double>(30, 20, kNaN));
  save("two_axes.npy", Matrix<double>(5, 6, 1.0));
  write_text(file("few.txt"), "1\n2\n3\n");
  write_text(file("empty.txt"), "\n");
  write_text(file("words.txt"), "1\ntwo\n");
  write_text(file("pairs.txt"), "1 2\n3 4\n");
  const auto thirty = [](const std::string& at_three, const std::string& else_where) {
    std::string lines;
    for (int i = 0; i < 30; ++i) lines += (i == 3 ? at_three : else_where) + "\n";
    return lines;
  };
  write_text(file("minus.txt"), thirty("-1", "1"));
  write_text(file("nan.txt"), thirty("nan", "1"));
  write_text(file("none.txt"), thirty("0", "0"));
  write_text(file("right.txt"), thirty("2", "1"));
  write_text(file("gap.csv"), "a,b,c\n1,,3\n4,5,6\n");
  struct Case {
    int code;
    const char* input;
    Arguments options;
    const char* sentence;
  };
  const std::vector<Case> cases = {
      {3, "nan.npy", {}, "--missing nan takes such entries for not observed"},
      {3, "nan.mtx", {}, "--missing nan"},
      {3, "nan.npy", {"--missing", "zeros"}, "is not a number"},
      {3, "nan.npy", {"--missing", "mask.npy"}, "is not a number"},
      {3, "nan.npy", {"--weights", "ones.npy"}, "is not a number"},
      {3, "allnan.npy", {"--missing", "nan"}, "No entry of M counts"},
      {3, "nothing.npy", {"--missing", "zeros"}, "No entry of M counts"},
      {3, "M.npy", {"--missing", "everything.npy"}, "No entry of M counts"},
      {3, "M.npy", {"--weights", "nothing.npy"}, "No entry of M counts"},
      {2, "M.npy", {"--missing", "nna"}, "--missing must be error, nan, zeros, or a file"},
      {3, "M.npy", {"--missing", "large.npy"}, "'large.npy' is 31 x 20, but 'M.npy' is 30 x 20"},
      {3, "M.npy", {"--weights", "wide.npy"}, "'wide.npy' is 30 x 21, but 'M.npy' is 30 x 20"},
      {3, "M.npy", {"--weights", "M.npy.gone"}, "M.npy.gone"},
      {3, "M.npy", {"--weights", "negative.npy"}, "--weights: negative.npy: M[2, 3] = -1 is negative"},
      {3,
       "M.npy",
       {"--weights", "nanweights.npy"},
       "--weights: nanweights.npy: M[2, 3] = nan is not a number"},
      {3, "M.npy", {"--weights", "infinite.npy"}, "is infinite"},
      {3, "M.npy", {"--row-weights", "few.txt"}, "'few.txt' holds 3 numbers, but 'M.npy' has 30 rows"},
      {3, "M.npy", {"--column-weights", "right.txt"}, "holds 30 numbers, but 'M.npy' has 20 columns"},
      {3, "M.npy", {"--row-weights", "minus.txt"}, "the weight of row 3 is -1"},
      {3, "M.npy", {"--row-weights", "nan.txt"}, "the weight of row 3 is nan"},
      {3, "M.npy", {"--row-weights", "none.txt"}, "All weights of rows are zero"},
      {3, "M.npy", {"--row-weights", "empty.txt"}, "holds no number"},
      {3, "M.npy", {"--row-weights", "words.txt"}, "line 2: value 'two' is not a number"},
      {3, "M.npy", {"--row-weights", "pairs.txt"}, "more than one number"},
      {3, "M.npy", {"--row-weights", "two_axes.npy"}, "expected a list of numbers"},
      {3, "M.npy", {"--row-weights", "gone.txt"}, "gone.txt"},
      {2,
       "M.npy",
       {"--missing", "mask.npy", "--memory", "1G"},
       "--missing mask.npy does not go with --memory"},
      {2, "M.npy", {"--weights", "ones.npy", "--memory", "1G"}, "--weights does not go with --memory"},
      {2, "M.npy", {"--missing", "mask.npy", "--prepare", "log1p"}, "preparation"},
      {2, "M.npy", {"--row-weights", "right.txt", "--prepare", "log1p"}, "preparation"},
      {2, "M.npy", {"--missing", "mask.npy", "--method", "pg"}, "hals"},
      {2, "M.npy", {"--weights", "ones.npy", "--method", "anls"}, "hals"},
      {2, "M.npy", {"--missing", "mask.npy", "--init", "nndsvd"}, "init = nndsvd is made from all entries"},
      {2, "M.npy", {"--missing", "mask.npy", "--compress", "on"}, "compress = on does not go with"},
      {2, "M.npy", {"--heldout", "0.1", "--init", "nndsvd"}, "init = nndsvd"},
      {2, "M.npy", {"--heldout", "1"}, "--heldout"},
      {3, "gap.csv", {}, "is empty"},
  };
  for (const Case& c : cases) {
    const std::string sentence =
        complaint(c.code, Arguments{"factorize", c.input, "--rank", "2", "--out", "no"} + c.options);
    EXPECT_TRUE(contains(sentence, c.sentence)) << fmt::format("{}", fmt::join(c.options, " "));
  }
  EXPECT_FALSE(std::filesystem::exists(file("no") / "W.npy"));
}

TEST_F(ProgramWeights, PredictHasASentenceForWhatItCannotDo) {
  static_cast<void>(run("M.npy", {}));
  write_text(file("at.mtx"), "%%MatrixMarket matrix coordinate real general\n30 20 1\n1 2 0\n");
  write_text(file("small.mtx"), "%%MatrixMarket matrix coordinate real general\n3 20 1\n1 2 0\n");
  write_text(file("ratings.data"), "1\t2\t3\t900000000\n2\t2\t3\t900000001\n");
  struct Case {
    int code;
    Arguments words;
    const char* sentence;
  };
  for (const Case& c :
       std::vector<Case>{{2, {"out", "--out", "p.mtx"}, "--at FILE or --all is required"},
                         {2, {"out", "--at", "at.mtx", "--all", "--out", "p.mtx"}, "give one of them"},
                         {2, {"out", "--at", "at.mtx", "--out", "p.npy"}, "holds dense ones only"},
                         {2, {"out", "--all", "--out", "p.mtx"}, "--all writes .npy"},
                         {2, {"out", "--all", "--out", "p.xyz"}, "p.xyz"},
                         {3, {"out", "--at", "small.mtx", "--out", "p.mtx"}, "'small.mtx' is 3 x 20"},
                         {3, {"out", "--at", "M.npy", "--out", "p.mtx"}, "is dense"},
                         {3, {"out", "--at", "ratings.data", "--out", "p.mtx"}, "triplets"},
                         {3, {"out", "--at", "gone.mtx", "--out", "p.mtx"}, "gone.mtx"},
                         {3, {"gone", "--all", "--out", "p.npy"}, "'gone' is no folder"},
                         {3, {".", "--all", "--out", "p.npy"}, "no run.json"}}) {
    EXPECT_TRUE(contains(complaint(c.code, Arguments{"predict"} + c.words), c.sentence));
  }
}

}  // namespace
}  // namespace anmf::test
