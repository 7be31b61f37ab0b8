// SPDX-License-Identifier: MIT
// Wrong surveys: each has its sentence and exit code, and loses nothing.
#include "survey_fixture.h"

namespace anmf::test {
namespace {

namespace fs = std::filesystem;

class SurveyErrors : public SurveyTest {
 protected:
  /// What is said of a survey of P.npy with these options.
  [[nodiscard]] std::string wrong(const Arguments& options, int code = 2) const {
    const std::string sentence = complaint(code, Arguments{"survey", "P.npy", "--out", "s"} + options);
    EXPECT_FALSE(fs::exists(file("s"))) << sentence;
    return sentence;
  }
  void expect_said(const Arguments& options, const std::string& part, int code = 2) const {
    EXPECT_TRUE(contains(wrong(options, code), part));
  }
};

TEST_F(SurveyErrors, NameWhatIsWrongWithRanks) {
  expect_said({}, "--ranks is required");
  for (const char* ranks :
       {"", "a", "2-", "-3", "2:3:4", "2-15:", "2,,3", "2..5", "3,", "1e3", "9999999999999999999"})
    expect_said({"--ranks", ranks},
                std::string("--ranks must be ranks such as 2-15, 5-50:5 or 4,8,16, not '") + ranks);
  expect_said({"--ranks", "0-3"}, "--ranks must be at least 1, and '0-3' has 0");
  expect_said({"--ranks", "2-4:0"}, "--ranks must be at least 1, and '2-4:0' has 0");
  expect_said({"--ranks", "5-2"}, "--ranks goes down from 5 to 2; write 2-5");
  expect_said({"--ranks", "2,3,2"}, "--ranks names rank 2 twice: '2,3,2'");
  expect_said({"--ranks", "2-4,3"}, "--ranks names rank 3 twice");
  expect_said({"--ranks", "1-100000"}, "has more than 1000 ranks");
  expect_said({"--ranks", "2-16"}, "for a matrix of 24 x 15 ranks must lie in [1, 15]");
}

TEST_F(SurveyErrors, NameWhatIsWrongWithOptions) {
  const auto with = [](const Arguments& options) { return Arguments{"--ranks", "2-3"} + options; };
  expect_said(with({"--starts", "0"}), "--starts must be a whole number in [1, 1000000], not '0'");
  expect_said(with({"--seed", "-1"}), "--seed must be a whole number at least 0, not '-1'");
  expect_said(with({"--features", "colums"}),
              "--features must be one of columns|rows, not 'colums'; did you mean columns?");
  expect_said(with({"--heldout", "0.1"}), "--heldout must be one of speckled|bcv|none, not '0.1'");
  expect_said(with({"--heldout-fraction", "1"}),
              "--heldout-fraction must be a number in [0.001, 0.5], not '1'");
  expect_said(with({"--heldout-repeats", "0"}), "--heldout-repeats must be a whole number in [1, 1000]");
  expect_said(with({"--clusters", "kmeans"}), "--clusters must be one of matched|free, not 'kmeans'");
  expect_said(with({"--density-threshold", "3"}), "--density-threshold must be a number in [0, 2], not '3'");
  expect_said(with({"--density-threshold", "0"}), "density_threshold = 0; it must be above 0");
  expect_said(with({"--neighbourhood", "0"}), "neighbourhood = 0; it is a share of the starts");
  for (const char* kind : {"gauss", "uniform", "uniform:", "uniform:0", "uniform:2", "uniform:x"})
    expect_said(with({"--resample", kind}),
                "--resample must be none, poisson, multinomial, or uniform:E with E in (0, 1], not '");
  expect_said(with({"--keep", "none"}), "--keep must be one of spectra|all, not 'none'");
  expect_said(with({"--consensus-rows", "1"}), "--consensus-rows must be a whole number in [2, 65536]");
  expect_said(with({"--jobs", "-2"}), "--jobs must be a whole number");
  for (const char* part : {"0/3", "4/3", "3", "/3", "1/", "1/2/3", "-1/3", "a/b"})
    expect_said(with({"--part", part}),
                "--part must be I/N with 1 <= I <= N, such as 3/16 for the third of sixteen, not '");
  expect_said(with({"--part", "1/2", "--dry-run"}), "--part does not go with --dry-run");
  expect_said(with({"--stars", "5"}), "there is no option --stars; did you mean --starts?");
}

TEST_F(SurveyErrors, RefuseWhatAFactorizationTakes) {
  const auto with = [](const Arguments& options) { return Arguments{"--ranks", "2-3"} + options; };
  expect_said(
      with({"--time-limit", "10"}),
      "--time-limit does not go with a survey: what a job finds would hang on how busy the machine is");
  expect_said(with({"--explore", "on"}),
              "--explore does not go with a survey: its starts tell how different the minima are");
  expect_said(with({"--init-w", "W.npy"}), "--init-w does not go with a survey: its starts have to differ");
  expect_said(with({"--init", "nndsvd"}), "--init must be scaled-random or random in a survey");
  expect_said(with({"--rank", "3"}),
              "--rank does not go with a survey: it has several. --ranks 2-15 names them");
  expect_said(with({"--rho", "measured"}), "--rho measured does not go with a survey");
  expect_said(with({"--prepare", "sqrt", "--memory", "1G"}), "--prepare does not go with --memory");
  expect_said(with({"--loss", "kl", "--method", "hals"}), "hals");
  EXPECT_EQ(
      done(Arguments{"survey", "P.npy", "--ranks", "2", "--starts", "2", "--explore", "off", "--out", "ok"})
          .exit_code,
      0);
}

TEST_F(SurveyErrors, NameWhatIsWrongWithTheInput) {
  EXPECT_TRUE(contains(complaint(3, {"survey", "absent.npy", "--ranks", "2", "--out", "s"}), "absent.npy"));
  Matrix<double> negative(4, 4, 1.0);
  negative(2, 1) = -1;
  io::write_npy<double>(file("negative.npy"), negative.view());
  EXPECT_TRUE(
      contains(complaint(3, {"survey", "negative.npy", "--ranks", "2", "--out", "s"}), "--negative clip"));
  EXPECT_FALSE(fs::exists(file("s")));
  EXPECT_TRUE(contains(complaint(2, {"survey", "--ranks", "2", "--out", "s"}), "INPUT is required"));
  EXPECT_TRUE(contains(complaint(2, {"survey", "P.npy", "--ranks", "2"}), "--out is required"));
}

TEST_F(SurveyErrors, LeaveOtherFoldersAlone) {
  const Arguments arguments = {"survey", "P.npy", "--ranks", "2", "--starts", "2", "--out"};
  write_text(file("plain"), "text");
  EXPECT_TRUE(contains(complaint(5, arguments + Arguments{"plain"}),
                       "'plain' is a file, and a survey needs a folder."));
  EXPECT_EQ(read_text(file("plain")), "text");
  fs::create_directory(file("photos"));
  write_text(file("photos/me.jpg"), "photo");
  EXPECT_TRUE(
      contains(complaint(5, arguments + Arguments{"photos"}),
               "'photos' holds something else than a survey: it is not empty and has no survey.json."));
  EXPECT_EQ(std::distance(fs::directory_iterator(file("photos")), fs::directory_iterator()), 1);
  EXPECT_TRUE(contains(complaint(3, {"survey", "--resume", "photos"}),
                       "'photos' holds something else than a survey"));
  EXPECT_TRUE(
      contains(complaint(3, {"survey", "--resume", "nowhere"}), "'nowhere' is no folder of a survey"));
  EXPECT_FALSE(fs::exists(file("nowhere")));
}

TEST_F(SurveyErrors, NameTheDifferenceToTheSurveyThatIsThere) {
  done(survey("s"));
  fs::copy(file("s"), file("before"), fs::copy_options::recursive);
  const auto differs = [&](const Arguments& arguments, const std::string& part) {
    EXPECT_TRUE(contains(complaint(2, arguments), part));
  };
  differs({"survey", "M.npy", "--ranks", "2", "--out", "s"}, "its number of rows is 24, that of '");
  Matrix<double> other = io::read_npy<double>(file("P.npy"));
  other(3, 3) += 1e-9;
  io::write_npy<double>(file("O.npy"), other.view());
  differs({"survey", "O.npy", "--ranks", "2", "--out", "s"}, "its checksum of the entries is ");
  differs({"survey", "O.npy", "--resume", "s"}, "its checksum of the entries is ");
  differs(survey("s", {"--seed", "1"}), "has seed = 0, and here it is 1");
  differs(survey("s", {"--loss", "kl"}), "has loss = frobenius, and here it is kullback-leibler");
  differs(survey("s", {"--precision", "float32"}), "has precision = float64, and here it is float32");
  differs({"survey", "--resume", "s", "--max-iterations", "10"},
          "has max_iterations = 5000, and here it is 10");
  differs({"survey", "--resume", "s", "--heldout-fraction", "0.2"},
          "has heldout_fraction = 0.1, and here it is 0.2");
  expect_same("s", "before");
  done({"survey", "--resume", "s"});
  expect_same("s", "before");
}

TEST_F(SurveyErrors, DoNotStopAtTheEdges) {
  // One start, rank 1, and nothing held out: there is nothing to compare.
  const Outcome one =
      done({"survey", "P.npy", "--ranks", "1", "--starts", "1", "--heldout", "none", "--out", "one"});
  EXPECT_TRUE(contains(one.out, "suggestion      none"));
  EXPECT_EQ(read_json(file("one/survey.json"))["suggestion"]["rank"], nullptr);
  const Table table = read_table(file("one/survey.csv"));
  EXPECT_EQ(table.at(1).at(8), "");  // silhouette
  // Ranks up to the size of the matrix.
  done({"survey", "P.npy", "--ranks", "15", "--starts", "2", "--heldout", "none", "--out", "all"});
  // Starts that end at once, and agree on nothing: all of their components are unstable.
  const Outcome noise = done(
      {"survey", "M.npy", "--ranks", "2-12:5", "--starts", "10", "--max-iterations", "2", "--out", "noise"});
  EXPECT_TRUE(contains(noise.out, "suggestion      none"));
  const Outcome zeros = anmf({"survey", "Z.npy", "--ranks", "2", "--starts", "2", "--out", "zeros"});
  EXPECT_EQ(zeros.exit_code, 3);  // there is no such file yet
  io::write_npy<double>(file("Z.npy"), Matrix<double>(5, 4).view());
  const Outcome nothing = anmf({"survey", "Z.npy", "--ranks", "2", "--starts", "2", "--out", "zeros"});
  EXPECT_TRUE(nothing.exit_code == 0 || nothing.exit_code == 6 || nothing.exit_code == 2) << nothing.err;
  EXPECT_EQ(nothing.err.find("unexpected"), std::string::npos) << nothing.err;
}

}  // namespace
}  // namespace anmf::test
