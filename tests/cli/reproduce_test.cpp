// SPDX-License-Identifier: MIT
// anmf reproduce: on small matrices in the places of the paper's, with small experiments.
#include <fmt/format.h>

#include <set>

#include "program.h"

namespace anmf::test {
namespace {

namespace fs = std::filesystem;

class Reproduce : public ProgramTest {
 protected:
  Reproduce() {
    fs::create_directories(file("data/orl"));
    fs::create_directories(file("data/classic"));
    fs::create_directories(file("small"));
    io::write_npy<double>(file("data/orl/orl.npy"), random_matrix(25, 18, 3).view());
    std::string text = "%%MatrixMarket matrix coordinate real general\n40 30 120\n";
    for (int k = 0; k < 120; ++k)
      text += fmt::format("{} {} {}\n", (7 * k) % 40 + 1, (11 * k) % 30 + 1, 1 + k % 5);
    write_text(file("data/classic/classic.mtx"), text);
  }

  void write_experiment(const std::string& name, const std::string& head, const std::string& methods) const {
    write_text(file("small/" + name + ".toml"),
               head +
                   "[[data]]\ntitle = \"dense\"\nnames = [\"orl\", \"umist\"]\nranks = [3]\nquick_work = 6\n"
                   "[[data]]\ntitle = \"sparse\"\nnames = [\"classic\"]\nranks = [2, 3]\nquick_work = 6\n" +
                   methods);
  }

  [[nodiscard]] static std::string method(const std::string& name, const std::string& further = "") {
    return fmt::format("[[method]]\nmethod = \"{}\"\n{}\n", name, further);
  }
};

const Arguments kSmallOnes = {"--quick", "--data", "data", "--experiments", "small", "--out", "out"};

TEST_F(Reproduce, DrawsPooledFiguresAndJudgesThem) {
  write_experiment("figure-1", "pooled = true\nstarts = 2\n",
                   method("mu") + method("mu", "alpha = 0.5") + method("mu", "alpha = 1") +
                       method("mu", "alpha = 2") + method("mu", "alpha = 4"));

  const Outcome outcome = anmf(Arguments{"reproduce"} + kSmallOnes);

  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = read_json(file("out/comparison.json"));
  const auto& panels = json.at("figures").at(0).at("panels");
  ASSERT_EQ(panels.size(), 2U);
  EXPECT_EQ(panels[0]["title"], "dense");
  EXPECT_EQ(panels[1]["sets"], (std::vector<std::string>{"classic r = 2", "classic r = 3"}));
  EXPECT_TRUE(panels[1]["rank"].is_null());
  EXPECT_EQ(panels[1]["flops_label"], "work, in flops of one HALS iteration");
  EXPECT_EQ(panels[1]["curves"][0]["flops"]["x"].back(), 6);
  std::set<std::string> ids;
  for (const auto& claim : json["claims"]) {
    ids.insert(claim["id"]);
    EXPECT_TRUE(claim["verdict"] == "holds" || claim["verdict"] == "does not hold" ||
                claim["verdict"] == "undecided");
  }
  EXPECT_EQ(ids, (std::set<std::string>{"mu-alpha-zero-slowest", "mu-alpha-gain-dense", "mu-alpha-one-best",
                                        "errors-never-rise"}));
  EXPECT_EQ(json["claims"].back()["verdict"], "holds");
  EXPECT_NE(outcome.out.find("The error never rises"), std::string::npos);
}

TEST_F(Reproduce, SharesRunsBetweenFigures) {
  write_experiment("figure-1", "pooled = true\n", method("mu") + method("mu", "alpha = 1"));
  write_experiment(
      "figure-3", "pooled = true\n",
      method("mu") + method("mu", "alpha = 1") + method("mu", "inner_stop = \"dynamic\"\nepsilon = 0.1"));

  const Outcome outcome = anmf(Arguments{"reproduce"} + kSmallOnes);

  // Three methods on three cases; mu and alpha = 1 are in both figures.
  EXPECT_NE(outcome.out.find("9 runs made, 0 were there"), std::string::npos) << outcome.out;
}

TEST_F(Reproduce, NamesAbsentDataAndGoesOn) {
  write_experiment("figure-10", "", method("hals"));

  const Outcome outcome = anmf(Arguments{"reproduce"} + kSmallOnes);

  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto skipped = read_json(file("out/comparison.json"))["skipped"];
  ASSERT_EQ(skipped.size(), 1U);
  EXPECT_EQ(skipped[0]["data"], "umist");
  EXPECT_EQ(skipped[0]["reason"], "not in 'data'; put it there as umist/umist.npy or umist/umist.mtx.gz.");
  EXPECT_NE(outcome.out.find("skipped: umist"), std::string::npos);
}

TEST_F(Reproduce, LooksInsideOneHalfStep) {
  write_text(
      file("small/figure-7.toml"),
      "kind = \"half-step\"\nouter_iterations = [1, 20]\n[[data]]\nnames = [\"classic\"]\nranks = [3]\n" +
          method("hals", "label = \"HALS\"") + method("mu", "label = \"MU\""));

  const Outcome outcome = anmf(Arguments{"reproduce", "7"} + kSmallOnes);

  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = read_json(file("out/comparison.json"));
  const auto& curves = json.at("figures").at(0).at("panels").at(0).at("curves");
  ASSERT_EQ(curves.size(), 4U);
  EXPECT_EQ(curves[0]["label"], "HALS, k = 1");
  for (const auto& curve : curves) {
    const auto gap = curve["flops"]["mean"].get<std::vector<double>>();
    ASSERT_EQ(gap.size(), 11U);
    EXPECT_EQ(gap.front(), 1);
    // Sweeps only ever lower the error, and never below the exact solution.
    for (std::size_t l = 1; l < gap.size(); ++l) EXPECT_LE(gap[l], gap[l - 1] + 1e-6);
    EXPECT_GE(gap.back(), -1e-6);
  }
  // HALS converges to the exact solution that BPP finds.
  EXPECT_LT(curves[0]["flops"]["mean"].back().get<double>(), 1e-2);
}

TEST_F(Reproduce, ComputesTheTablesWithoutAnyData) {
  const Outcome outcome = anmf({"reproduce", "table-1", "table-2", "--out", "out"});

  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = read_json(file("out/comparison.json"));
  ASSERT_EQ(json["tables"].size(), 2U);
  EXPECT_EQ(json["tables"][0]["rows"].size(), 8U);
  EXPECT_EQ(json["tables"][1]["rows"].size(), 12U);
  EXPECT_EQ(json["claims"].size(), 5U);
  EXPECT_NE(outcome.out.find("123.07"), std::string::npos);
}

TEST_F(Reproduce, SaysWhereToGetThePapersData) {
  const Outcome outcome =
      anmf({"reproduce", "11", "--quick", "--data", "data", "--work", "1", "--out", "out"});

  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("skipped: sports: not in 'data'; it is the TREC documents 'sports' of the CLUTO "
                             "collection of G. Karypis: 8580 x 14870, 1091723 nonzeros"),
            std::string::npos)
      << outcome.out;
}

TEST_F(Reproduce, KnowsItsFigures) {
  const Outcome outcome = anmf({"reproduce", "figure-12", "--out", "out"});

  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(
      outcome.err,
      "anmf: there is no 'figure-12'; choose from table-1, table-2, figure-1, figure-2, figure-3, figure-4, "
      "figure-5, figure-6, figure-7, figure-8, figure-9, figure-10, figure-11.\n");
  EXPECT_FALSE(fs::exists(file("out")));
}

TEST_F(Reproduce, WantsExperimentsInTheirFolder) {
  const Outcome outcome = anmf({"reproduce", "--experiments", "none", "--out", "out"});

  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.err, "anmf: there is no experiment (.toml) in the folder 'none'.\n");
}

}  // namespace
}  // namespace anmf::test
