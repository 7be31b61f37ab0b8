// SPDX-License-Identifier: MIT
// anmf compare: what it computes, that it goes on after a kill, and what it says to wrong input.
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <csignal>

#include "anmf/factorize.h"
#include "program.h"

namespace anmf::test {
namespace {

namespace fs = std::filesystem;

/// Without what the clock decides.
nlohmann::json without_seconds(nlohmann::json json) {
  if (json.is_object()) json.erase("seconds");
  for (auto& entry : json) {
    if (entry.is_structured()) entry = without_seconds(std::move(entry));
  }
  return json;
}

class Compare : public ProgramTest {
 protected:
  [[nodiscard]] nlohmann::json compared(const Arguments& further, const std::string& out = "out") const {
    const Outcome outcome = anmf(Arguments{"compare", "M.npy", "--rank", "4", "--out", out} + further);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return read_json(file(out + "/comparison.json"));
  }
  /// The one line on stderr of a comparison that must fail with this code.
  [[nodiscard]] std::string complaint(int exit_code, const Arguments& arguments) const {
    const Outcome outcome = anmf(Arguments{"compare"} + arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_FALSE(fs::exists(file("out")));
    return outcome.err;
  }
  [[nodiscard]] std::size_t run_files(const std::string& out = "out") const {
    const auto begin = fs::directory_iterator(file(out + "/runs"));
    return static_cast<std::size_t>(std::distance(begin, fs::directory_iterator()));
  }
};

const Arguments kSmall = {"--methods", "a-hals,mu,hals:alpha=1", "--starts", "2", "--work", "20"};

TEST_F(Compare, DescribesThePanelAndItsCurves) {
  const auto json = compared(kSmall + Arguments{"--seed", "5"});

  EXPECT_EQ(json["format"], 1);
  EXPECT_EQ(json["kind"], "comparison");
  EXPECT_EQ(
      json["command"],
      "anmf compare M.npy --rank 4 --out out --methods a-hals,mu,hals:alpha=1 --starts 2 --work 20 --seed 5");
  const auto& panel = json.at("figures").at(0).at("panels").at(0);
  EXPECT_EQ(panel["title"], "M r = 4");
  EXPECT_EQ(panel["rows"], 30);
  EXPECT_EQ(panel["cols"], 20);
  EXPECT_EQ(panel["nonzeros"], nullptr);  // not counted in a dense matrix
  EXPECT_EQ(panel["storage"], "dense");
  EXPECT_EQ(panel["starts"], 2);
  ASSERT_EQ(panel["curves"].size(), 3U);
  EXPECT_EQ(panel["curves"][0]["parameters"], "alpha 0.5, epsilon 0.1");
  EXPECT_EQ(panel["curves"][2]["label"], "hals:alpha=1");
  EXPECT_EQ(run_files(), 6U);
}

/// What was printed, the document and its curves name the same winner, at the end of what limits the runs.
TEST_F(Compare, SaysWhoWonWhereTheRunsEnd) {
  for (const auto& [limit, amount] : {std::pair("seconds", "0.02"), std::pair("work", "15")}) {
    const Outcome outcome = anmf({"compare", "M.npy", "--rank", "4", "--methods", "mu,anls,a-hals",
                                  "--starts", "3", std::string("--") + limit, amount, "--out", limit});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto json = read_json(file(std::string(limit) + "/comparison.json"));
    const auto& panel = json.at("figures").at(0).at("panels").at(0);
    const std::string axis = panel["limited_by"];
    EXPECT_EQ(axis, std::string(limit) == "seconds" ? "seconds" : "flops");
    double lowest = HUGE_VAL;
    std::string winner;
    for (const auto& curve : panel["curves"]) {
      const double last = curve[axis]["mean"].back();
      if (last < lowest) winner = curve["label"];
      lowest = std::min(lowest, last);
      EXPECT_TRUE(contains(outcome.out, fmt::format("{:.2e}", last)));
    }
    EXPECT_EQ(panel["winner"], winner);
    EXPECT_TRUE(contains(outcome.out, fmt::format("  {} has the lowest E after ", winner)));
  }
}

TEST_F(Compare, AveragesEOverTheSameStarts) {
  const auto json = compared({"--methods", "hals,mu", "--starts", "3", "--work", "10", "--seed", "2"});

  // The same runs by the engine itself, and E at the end by hand.
  const DenseData<double> data(std::as_const(M_).view());
  const double per_iteration = 4.0 * 600 * 4 + 4.0 * 50 * 16 + 50 * 4;
  double e_min = 1e300;
  std::vector<double> first;
  std::map<std::string, std::vector<double>> last;
  for (const std::string method : {"hals", "mu"}) {
    for (std::uint64_t seed = 2; seed < 5; ++seed) {
      Options options{.rank = 4, .method = method, .seed = seed, .max_iterations = 20, .tolerance = 0};
      const Result<double> result = factorize<double>(data, options);
      double error = 0;
      for (const IterationRecord& record : result.trace) {
        if (record.flops <= 10 * per_iteration) error = record.error;
      }
      // The run goes on to the iteration that passes the limit; e_min may be there.
      for (const IterationRecord& record : result.trace) {
        e_min = std::min(e_min, record.error);
        if (record.flops >= 10 * per_iteration) break;
      }
      first.push_back(result.trace.front().error);
      last[method].push_back(error);
    }
  }
  const auto& panel = json.at("figures").at(0).at("panels").at(0);
  EXPECT_NEAR(panel["e_min"].get<double>(), e_min, 1e-12);
  for (std::size_t m = 0; m < 2; ++m) {
    const auto& errors = last[m == 0 ? "hals" : "mu"];
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += (errors[k] - e_min) / (first[k] - e_min) / 3;
    const auto& flops = panel["curves"][m]["flops"];
    EXPECT_NEAR(flops["mean"].back().get<double>(), sum, 1e-5 * sum);
    EXPECT_NEAR(flops["x"].back().get<double>(), 10 * per_iteration, 1e-3 * per_iteration);
    EXPECT_EQ(flops["mean"].front(), 1);
    EXPECT_EQ(flops["low"].front(), 1);
  }
  EXPECT_EQ(first[0], first[3]);  // both methods from the same start
}

TEST_F(Compare, IsTheSameForAnyNumberOfJobs) {
  const auto one = compared(kSmall, "one");
  auto two = compared(kSmall + Arguments{"--jobs", "2"}, "two");

  EXPECT_NE(one["seconds"]["note"], two["seconds"]["note"]);
  two["command"] = one["command"];
  EXPECT_EQ(without_seconds(two), without_seconds(one));
}

TEST_F(Compare, MakesOnlyWhatIsMissingOrDamaged) {
  const auto before = compared(kSmall);
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(file("out/runs"))) files.push_back(entry.path());
  fs::remove(files.at(0));
  write_text(files.at(1), "{\"key\":");
  const std::string kept = read_text(files.at(2));

  const Outcome again = anmf(Arguments{"compare", "M.npy", "--rank", "4", "--out", "out"} + kSmall);

  EXPECT_NE(again.out.find("2 runs made, 4 were there"), std::string::npos) << again.out;
  EXPECT_EQ(read_text(files.at(2)), kept);
  EXPECT_EQ(without_seconds(read_json(file("out/comparison.json"))), without_seconds(before));
}

TEST_F(Compare, GoesOnAfterAKillAsIfThereHadBeenNone) {
  const Arguments options = {"--methods", "a-hals,hals,mu", "--starts", "20", "--work", "600"};
  auto expected = compared(options, "whole");
  Arguments words = Arguments{kProgram, "compare", "M.npy", "--rank", "4", "--out", "killed"} + options;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, file("").c_str());
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  ASSERT_EQ(posix_spawn(&child, kProgram, &actions, nullptr, argv.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);

  // As soon as five runs are there, in the middle of some other one.
  int status = 0;
  std::error_code none;
  while (waitpid(child, &status, WNOHANG) == 0) {
    const auto begin = fs::directory_iterator(file("killed/runs"), none);
    if (!none && std::distance(begin, fs::directory_iterator()) >= 5) break;
    sched_yield();
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << "the comparison was over before it could be killed";
  EXPECT_FALSE(fs::exists(file("killed/comparison.json")));
  const Outcome resumed = anmf(Arguments{"compare", "M.npy", "--rank", "4", "--out", "killed"} + options);

  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(resumed.out.find(" 0 were there"), std::string::npos) << resumed.out;
  const auto actual = read_json(file("killed/comparison.json"));
  expected["command"] = actual["command"];  // another --out
  EXPECT_EQ(without_seconds(actual), without_seconds(expected));
}

TEST_F(Compare, ReadsAnExperimentFile) {
  write_text(file("e.toml"),
             "title = \"Mine\"\nstarts = 2\n[[data]]\nnames = [\"M\"]\nranks = [2, 3]\nwork = 5\n"
             "[[method]]\nlabel = \"H\"\nmethod = \"hals\"\n[[method]]\nmethod = \"anls\"\n");

  const Outcome outcome = anmf({"compare", "e.toml", "--data", ".", "--out", "out", "--starts", "3"});

  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = read_json(file("out/comparison.json"));
  EXPECT_EQ(json["title"], "Mine");
  const auto& panels = json.at("figures").at(0).at("panels");
  ASSERT_EQ(panels.size(), 2U);
  EXPECT_EQ(panels[0]["title"], "M r = 2");
  EXPECT_EQ(panels[1]["rank"], 3);
  EXPECT_EQ(panels[1]["starts"], 3);
  EXPECT_EQ(panels[1]["curves"][0]["label"], "H");
}

TEST_F(Compare, ComparesMethodsInAnotherLoss) {
  const Outcome outcome = anmf(
      {"compare", "M.npy", "--rank", "3", "--loss", "kl", "--starts", "2", "--work", "20", "--out", "out"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "The loss D is kullback-leibler")) << outcome.out;
  const auto figure = read_json(file("out/comparison.json")).at("figures").at(0);
  EXPECT_EQ(figure["loss"], "kullback-leibler");
  const auto& panel = figure.at("panels").at(0);
  std::vector<std::string> labels;
  for (const auto& curve : panel["curves"]) labels.push_back(curve["label"]);
  EXPECT_EQ(labels, (std::vector<std::string>{"e-a-mu", "a-mu", "mu", "e-spn", "spn", "e-ccd", "ccd"}));
  // E is that of sqrt(2 D): the least error of all is one that the engine reports.
  const DenseData<double> data(std::as_const(M_).view());
  double least = HUGE_VAL;
  for (const std::string& method : labels) {
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      const Result<double> run = factorize<double>(
          data,
          {.rank = 3, .method = method, .loss = "kl", .seed = seed, .max_iterations = 200, .tolerance = 0});
      for (const IterationRecord& record : run.trace) {
        if (std::abs(record.error - panel["e_min"].get<double>()) < 1e-12) least = record.error;
      }
    }
  }
  EXPECT_NEAR(panel["e_min"].get<double>(), least, 1e-12);
  // The runs of one loss are not those of another.
  const Outcome again = anmf({"compare", "M.npy", "--rank", "3", "--loss", "1.5", "--methods", "mu",
                              "--starts", "2", "--work", "20", "--out", "out"});
  EXPECT_TRUE(contains(again.out, "2 runs made, 0 were there")) << again.out;
}

TEST_F(Compare, TakesTheLossOfAnExperimentFileUnlessAnotherIsAsked) {
  write_text(file("kl.toml"),
             "loss = \"kl\"\nstarts = 1\n[[data]]\nnames = [\"M\"]\nranks = [2]\nwork = 5\n"
             "[[method]]\nmethod = \"e-ccd\"\n");
  ASSERT_EQ(anmf({"compare", "kl.toml", "--out", "made"}).exit_code, 0);
  EXPECT_EQ(read_json(file("made/comparison.json")).at("figures").at(0)["loss"], "kullback-leibler");
  EXPECT_TRUE(contains(complaint(2, {"kl.toml", "--loss", "is", "--out", "out"}),
                       "\"e-ccd\" cannot minimise the loss itakura-saito; those that can are auto, e-a-mu"));
  EXPECT_TRUE(
      contains(complaint(2, {"M.npy", "--rank", "2", "--loss", "kl", "--methods", "hals", "--out", "out"}),
               "\"hals\" cannot minimise the loss kullback-leibler"));
  EXPECT_TRUE(contains(complaint(2, {"M.npy", "--rank", "2", "--methods", "e-ccd", "--out", "out"}),
                       "\"e-ccd\" cannot minimise the loss frobenius"));
  io::write_npy<double>(file("Z.npy"), Matrix<double>(4, 4).view());
  const Outcome zeros =
      anmf({"compare", "Z.npy", "--rank", "2", "--loss", "is", "--work", "1", "--out", "zeros"});
  EXPECT_EQ(zeros.exit_code, 3);
  EXPECT_TRUE(contains(zeros.err, "Z: loss = itakura-saito is infinite where M is zero")) << zeros.err;
}

TEST_F(Compare, SaysWhatIsWrongBeforeAnyWork) {
  const std::string data = "[[data]]\nnames = [\"M\"]\nranks = [2]\nwork = 5\n";
  const std::string method = "[[method]]\nmethod = \"hals\"\n";
  write_text(file("method.toml"), data + "[[method]]\nmethod = \"fast\"\n");
  write_text(file("alpha.toml"), data + method + "alpha = -1\n");
  write_text(file("rank.toml"), "[[data]]\nnames = [\"M\"]\nranks = [21]\nwork = 5\n" + method);
  write_text(file("absent.toml"), "[[data]]\nnames = [\"N\"]\nranks = [2]\nwork = 5\n" + method);
  write_text(file("limit.toml"), "[[data]]\nnames = [\"M\"]\nranks = [2]\n" + method);
  write_text(file("text.toml"), "some words\n");
  const auto config = [](const std::string& name) { return Arguments{name, "--out", "out"}; };

  EXPECT_EQ(complaint(3, config("method.toml")).substr(0, 55),
            "anmf: method.toml, line 6: method = \"fast\" is unknown; ");
  EXPECT_EQ(complaint(3, config("alpha.toml")),
            "anmf: alpha.toml, line 7: alpha must be a number of at least 0.\n");
  EXPECT_EQ(complaint(2, config("rank.toml")),
            "anmf: rank: rank 21 is too large for M (30 x 20); it must be at most 20.\n");
  EXPECT_EQ(
      complaint(3, config("absent.toml")),
      "anmf: there is no 'N' in '.'; looked for N/N and N with .npy, .mtx.gz and .mtx appended. --data names "
      "the folder.\n");
  EXPECT_EQ(complaint(2, config("limit.toml")),
            "anmf: limit: the runs on M have no limit; give seconds or work.\n");
  EXPECT_EQ(complaint(3, config("text.toml")).substr(0, 43), "anmf: text.toml, line 1: this is not TOML: ");
  EXPECT_EQ(complaint(3, config("none.toml")), "anmf: cannot read 'none.toml'.\n");
  EXPECT_EQ(complaint(2, {"M.npy", "--out", "out"}),
            "anmf: --rank is required unless an experiment file is given.\n");
  EXPECT_EQ(complaint(2, {"text.toml", "M.npy", "--out", "out"}),
            "anmf: give either one experiment file or matrices, not both.\n");
  EXPECT_EQ(complaint(2, {"text.toml", "--rank", "2", "--out", "out"}),
            "anmf: --rank and --methods do not go with an experiment file, which names its own.\n");
  EXPECT_NE(complaint(2, {"M.npy", "--rank", "2", "--methods", "hals:alpha=x", "--out", "out"})
                .find("alpha = 'x' is not a number."),
            std::string::npos);
  EXPECT_NE(complaint(3, {"absent.npy", "--rank", "2", "--out", "out"}).find("absent.npy"),
            std::string::npos);
}

TEST_F(Compare, NamesTheFolderThatCannotBeWritten) {
  write_text(file("plain"), "a file");

  const Outcome outcome = anmf({"compare", "M.npy", "--rank", "2", "--work", "1", "--out", "plain"});

  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_NE(outcome.err.find("'plain'"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace anmf::test
