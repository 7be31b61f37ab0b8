// SPDX-License-Identifier: MIT
// Every option of anmf factorize reaches the engine.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "anmf/options.h"
#include "program.h"

namespace anmf::test {
namespace {

class FactorizeOption : public ProgramTest {
 protected:
  /// Inner iterations of W in all outer iterations together.
  [[nodiscard]] double inner_w(const std::string& out) const {
    double sum = 0;
    for (const auto& row : read_trace(file(out + "/trace.csv"))) sum += row[kTraceInnerW];
    return sum;
  }
};

TEST_F(FactorizeOption, AlphaSetsTheBudgetOfInnerIterations) {
  const auto none = short_run("none", {"--alpha", "0", "--epsilon", "0"});
  const auto more = short_run("more", {"--alpha", "2", "--epsilon", "0"});

  EXPECT_EQ(none["alpha"], 0);
  EXPECT_EQ(more["alpha"], 2);
  EXPECT_EQ(inner_w("none"), 5);  // one in each of the five outer iterations
  EXPECT_GT(inner_w("more"), inner_w("none"));
}

TEST_F(FactorizeOption, EpsilonEndsInnerIterationsEarly) {
  const auto never = short_run("never", {"--alpha", "5", "--epsilon", "0"});
  const auto early = short_run("early", {"--alpha", "5", "--epsilon", "0.9"});

  EXPECT_EQ(never["epsilon"], 0);
  EXPECT_EQ(early["epsilon"], 0.9);
  EXPECT_LT(inner_w("early"), inner_w("never"));
}

TEST_F(FactorizeOption, DeltaIsTheSmallestEntryThatMuKeeps) {
  const auto json = short_run("out", {"--method", "mu", "--delta", "0.01"});
  const auto standard = short_run("standard", {"--method", "mu"});

  EXPECT_EQ(json["delta"], 0.01);
  EXPECT_EQ(standard["delta"], 1e-16);
  const Matrix<double> W = io::read_npy<double>(file("out/W.npy"));
  EXPECT_GE(*std::min_element(W.values().begin(), W.values().end()), 0.01 * (1 - 1e-12));
  EXPECT_NE(read_text(file("out/W.npy")), read_text(file("standard/W.npy")));
}

TEST_F(FactorizeOption, InnerStopChoosesTheRule) {
  const auto fixed = short_run("fixed", {"--inner-stop", "fixed"});
  const auto dynamic = short_run("dynamic", {"--inner-stop", "dynamic"});
  const auto hybrid = short_run("hybrid", {"--inner-stop", "hybrid"});

  EXPECT_EQ(fixed["inner_stop"], "fixed");
  EXPECT_TRUE(fixed["epsilon"].is_null());
  EXPECT_EQ(dynamic["inner_stop"], "dynamic");
  EXPECT_TRUE(dynamic["alpha"].is_null());
  EXPECT_EQ(hybrid["inner_stop"], "hybrid");
  EXPECT_LE(inner_w("hybrid"), std::min(inner_w("fixed"), inner_w("dynamic")));
}

TEST_F(FactorizeOption, RhoCanBeMeasured) {
  EXPECT_EQ(short_run("counted")["rho"], "flops");
  EXPECT_EQ(short_run("measured", {"--rho", "measured"})["rho"], "measured");
}

TEST_F(FactorizeOption, MaxInnerIterationsCapsTheDynamicRule) {
  (void)short_run("out", {"--inner-stop", "dynamic", "--epsilon", "1e-9", "--max-inner-iterations", "3"});

  for (const auto& row : read_trace(file("out/trace.csv"))) EXPECT_LE(row[kTraceInnerW], 3);
  EXPECT_EQ(inner_w("out"), 15);
}

TEST_F(FactorizeOption, SeedChangesTheStart) {
  (void)short_run("one", {"--seed", "1"});
  (void)short_run("again", {"--seed", "1"});
  (void)short_run("two", {"--seed", "2"});

  EXPECT_EQ(read_text(file("one/W.npy")), read_text(file("again/W.npy")));
  EXPECT_NE(read_text(file("one/W.npy")), read_text(file("two/W.npy")));
}

TEST_F(FactorizeOption, InitIsRecordedAndChangesTheStart) {
  EXPECT_EQ(short_run("standard")["init"], "scaled-random");
  std::vector<double> errors;
  for (const char* init : {"scaled-random", "random", "nndsvd", "nndsvda", "nndsvdar", "spa"}) {
    EXPECT_EQ(short_run(init, {"--init", init})["init"], init);
    errors.push_back(read_trace(file(fmt::format("{}/trace.csv", init))).front()[kTraceError]);
  }

  EXPECT_EQ(errors.front(), read_trace(file("standard/trace.csv")).front()[kTraceError]);
  std::sort(errors.begin(), errors.end());
  EXPECT_EQ(std::adjacent_find(errors.begin(), errors.end()), errors.end());
}

TEST_F(FactorizeOption, InitBesideBothStartFactorsIsNoted) {
  io::write_npy<double>(file("W0.npy"), random_matrix(30, 4, 2).view());
  io::write_npy<double>(file("H0.npy"), random_matrix(4, 20, 3).view());

  const auto json = short_run("out", {"--init", "nndsvd", "--init-w", "W0.npy", "--init-h", "H0.npy"});

  ASSERT_EQ(json["notes"].size(), 1U);
  EXPECT_EQ(json["notes"][0], "init has no effect: both start factors are given.");
}

TEST_F(FactorizeOption, ShuffleIsRecordedAndChangesTheResult) {
  EXPECT_EQ(short_run("plain")["shuffle"], false);
  EXPECT_EQ(short_run("shuffled", {"--shuffle"})["shuffle"], true);
  EXPECT_EQ(short_run("mu", {"--shuffle", "--method", "mu"})["notes"].size(), 1U);

  EXPECT_NE(read_text(file("plain/W.npy")), read_text(file("shuffled/W.npy")));
}

TEST_F(FactorizeOption, FirstChoosesTheFactorThatEveryIterationBeginsWith) {
  const auto W = random_matrix(30, 4, 2);
  const auto H = random_matrix(4, 20, 3);
  io::write_npy<double>(file("W0.npy"), W.view());
  io::write_npy<double>(file("H0.npy"), H.view());
  io::write_npy<double>(file("W0t.npy"), transposed(W).view());
  io::write_npy<double>(file("H0t.npy"), transposed(H).view());

  const Arguments start = {"--init-w", "W0.npy", "--init-h", "H0.npy"};
  EXPECT_EQ(short_run("W", start)["first"], "W");
  EXPECT_EQ(short_run("H", start + Arguments{"--first", "H"})["first"], "H");
  static_cast<void>(short_run("mirror", {"--transpose", "--init-w", "H0t.npy", "--init-h", "W0t.npy"}));

  const auto expected = transposed(io::read_npy<double>(file("mirror/H.npy")));
  const auto found = io::read_npy<double>(file("H/W.npy"));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.values().size(); ++k)
    EXPECT_NEAR(found.values()[k], expected.values()[k], 1e-12) << k;
  EXPECT_NE(read_text(file("W/W.npy")), read_text(file("H/W.npy")));
  EXPECT_TRUE(contains(complaint(2, {"factorize", "M.npy", "--rank", "1", "--out", "out", "--first", "M"}),
                       "--first must be one of W|H, not 'M'"));
}

TEST_F(FactorizeOption, ReviveIsOnUnlessItIsTurnedOff) {
  EXPECT_EQ(short_run("plain")["revive"], true);
  EXPECT_EQ(short_run("on", {"--revive"})["revive"], true);
  EXPECT_EQ(short_run("off", {"--no-revive"})["revive"], false);
}

TEST_F(FactorizeOption, MethodIsRecordedAndChangesTheResult) {
  std::vector<std::string> results;
  for (const Method& method : methods()) {
    const std::string name(method.name);
    const std::string loss = minimises(method, 2) ? "frobenius" : "kullback-leibler";
    const auto json = short_run(name, {"--method", name, "--loss", loss});
    EXPECT_EQ(json["method"], name);
    EXPECT_EQ(json["loss"], loss);
    EXPECT_EQ(json["beta"], minimises(method, 2) ? 2 : 1);
    results.push_back(read_text(file(name + "/W.npy")));
  }

  std::sort(results.begin(), results.end());
  EXPECT_EQ(std::adjacent_find(results.begin(), results.end()), results.end());
}

TEST_F(FactorizeOption, TimeLimitOfZeroStopsAtOnce) {
  const auto json = short_run("out", {"--time-limit", "0"});

  EXPECT_EQ(json["status"], "time_limit");
  EXPECT_EQ(json["time_limit"], 0);
  EXPECT_LE(json["iterations"], 1);
}

TEST_F(FactorizeOption, ToleranceEndsTheRun) {
  const Outcome outcome = anmf({"factorize", "M.npy", "--rank", "4", "--tolerance", "0.001",
                                "--max-iterations", "100000", "--out", "out"});

  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = read_json(file("out/run.json"));
  EXPECT_EQ(json["status"], "converged");
  EXPECT_EQ(json["tolerance"], 0.001);
  EXPECT_EQ(json["stop_rule"], "promised-decrease");
  EXPECT_LE(json["promised_decrease"].get<double>(), 0.001);
}

TEST_F(FactorizeOption, StopRuleChoosesTheMeasure) {
  ASSERT_EQ(anmf({"factorize", "M.npy", "--rank", "2", "--out", "out", "--stop-rule", "gradient",
                  "--tolerance", "0.05"})
                .exit_code,
            0);
  const auto json = read_json(file("out/run.json"));

  EXPECT_EQ(json["status"], "converged");
  EXPECT_EQ(json["stop_rule"], "gradient");
  EXPECT_LE(json["kkt"].get<double>(), 0.05);
}

TEST_F(FactorizeOption, ChangeToleranceEndsTheRun) {
  const auto json = short_run("out", {"--change-tolerance", "0.01", "--max-iterations", "100000"});

  EXPECT_EQ(json["status"], "converged");
  EXPECT_EQ(json["change_tolerance"], 0.01);
}

TEST_F(FactorizeOption, PenaltiesShrinkTheFactors) {
  const auto plain = short_run("plain");
  const auto both = short_run("both", {"--alpha-w", "0.01", "--l1-ratio", "0.5"});
  const auto only_w = short_run("only-w", {"--alpha-w", "0.01", "--alpha-h", "0", "--l1-ratio", "0.5"});

  EXPECT_EQ(plain["penalty"], 0);
  EXPECT_GT(both["penalty"], 0);
  EXPECT_EQ(both["alpha_h"], 0.01);
  EXPECT_EQ(both["l1_ratio"], 0.5);
  EXPECT_EQ(only_w["alpha_w"], 0.01);
  EXPECT_EQ(only_w["alpha_h"], 0);
  EXPECT_NE(read_text(file("both/H.npy")), read_text(file("only-w/H.npy")));
}

TEST_F(FactorizeOption, NormalizeMovesTheScaleToJson) {
  const auto json = short_run("out", {"--normalize", "l1"});

  const Matrix<double> W = io::read_npy<double>(file("out/W.npy"));
  const Matrix<double> H = io::read_npy<double>(file("out/H.npy"));
  EXPECT_EQ(json["normalize"], "l1");
  const auto scale = json["scale"].get<std::vector<double>>();
  ASSERT_EQ(scale.size(), 4U);
  for (Index p = 0; p < 4; ++p) {
    double column = 0;
    double row = 0;
    for (Index i = 0; i < W.rows(); ++i) column += W(i, p);
    for (Index j = 0; j < H.cols(); ++j) row += H(p, j);
    EXPECT_NEAR(column, 1, 1e-12);
    EXPECT_NEAR(row, 1, 1e-12);
  }
  const double expected = dense_error(M_, W, H, scale);
  EXPECT_NEAR(json["error"].get<double>(), expected, 1e-9 * expected);
}

TEST_F(FactorizeOption, NormalizeKnowsAllNorms) {
  for (const char* norm : {"none", "l1", "l2", "max"}) {
    const auto json = short_run(norm, {"--normalize", norm});

    EXPECT_EQ(json["normalize"], norm);
    EXPECT_EQ(json.contains("scale"), std::string_view(norm) != "none");
  }
}

TEST_F(FactorizeOption, SortComponentsPutsTheLargestFirst) {
  const auto json = short_run("out", {"--sort-components", "--normalize", "l2"});

  const auto scale = json["scale"].get<std::vector<double>>();
  EXPECT_TRUE(std::is_sorted(scale.rbegin(), scale.rend()));
}

TEST_F(FactorizeOption, HelpNamesEveryMethodRangeAndDefault) {
  const Outcome outcome = anmf({"factorize", "--help"});

  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  for (const Method& method : methods()) {
    EXPECT_NE(outcome.out.find(fmt::format("{}", method.summary)), std::string::npos) << method.name;
  }
  for (const char* option : {"--rank",
                             "--method",
                             "--seed",
                             "--max-iterations",
                             "--time-limit",
                             "--tolerance",
                             "--change-tolerance",
                             "--threads",
                             "--out",
                             "--alpha",
                             "--epsilon",
                             "--delta",
                             "--inner-stop",
                             "--rho",
                             "--init",
                             "--first",
                             "--shuffle",
                             "--init-w",
                             "--init-h",
                             "--precision",
                             "--alpha-w",
                             "--alpha-h",
                             "--l1-ratio",
                             "--normalize",
                             "--sort-components",
                             "--max-inner-iterations"}) {
    const bool alone = outcome.out.find(fmt::format("  {} ", option)) != std::string::npos;
    EXPECT_TRUE(alone || outcome.out.find(fmt::format(",{} ", option)) != std::string::npos) << option;
  }
  for (const char* range : {"at least 1", "in [0, 1)", "in [0, 1]", "default 500", "default 1e-06"}) {
    EXPECT_NE(outcome.out.find(range), std::string::npos) << range;
  }
}

}  // namespace
}  // namespace anmf::test
