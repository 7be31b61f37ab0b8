// SPDX-License-Identifier: MIT
// Experiment files: what they say, and the line of what is wrong in them.
#include "experiments/experiment.h"

#include <gtest/gtest.h>

#include <set>

#include "anmf/error.h"
#include "experiments/tables.h"

namespace anmf::cli {
namespace {

constexpr const char* kSmall = R"(title = "Two methods"
starts = 4
quick_starts = 2

[[data]]
names = ["orl", "frey"]
ranks = [3, 5]
seconds = 2.5
quick_ranks = [3]
quick_work = 7

[[method]]
method = "a-hals"
rho = "measured"

[[method]]
label = "mine"
method = "mu"
alpha = 1
)";

std::string complaint(const std::string& text) {
  try {
    (void)parse_experiment(text, "e.toml", Scope::full);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

/// kSmall with one text replaced.
std::string altered(const std::string& from, const std::string& to) {
  std::string text = kSmall;
  text.replace(text.find(from), from.size(), to);
  return text;
}

Experiment embedded(const std::string& id, Scope setting = Scope::full) {
  for (const EmbeddedFile& file : embedded_experiments()) {
    if (file.name == id + ".toml") return parse_experiment(file.text, std::string(file.name), setting);
  }
  ADD_FAILURE() << "there is no " << id;
  return {};
}

TEST(Experiment, HasTheSettingOfThePaper) {
  const Experiment e = parse_experiment(kSmall, "some/e.toml", Scope::full);

  EXPECT_EQ(e.id, "e");
  EXPECT_EQ(e.title, "Two methods");
  EXPECT_EQ(e.starts, 4);
  ASSERT_EQ(e.groups.size(), 1U);
  EXPECT_EQ(e.groups[0].data, (std::vector<std::string>{"orl", "frey"}));
  EXPECT_EQ(e.groups[0].ranks, (std::vector<Index>{3, 5}));
  EXPECT_EQ(e.groups[0].limit.seconds, 2.5);
  ASSERT_EQ(e.variants.size(), 2U);
  EXPECT_EQ(e.variants[0].label, "a-hals");
  EXPECT_EQ(e.variants[0].rho, RhoSource::measured);
  EXPECT_EQ(e.variants[1].label, "mine");
  EXPECT_EQ(e.variants[1].alpha, 1);
}

TEST(Experiment, HasAQuickSettingThatNoClockDecides) {
  const Experiment e = parse_experiment(kSmall, "e.toml", Scope::quick);

  EXPECT_EQ(e.starts, 2);
  EXPECT_EQ(e.groups[0].ranks, (std::vector<Index>{3}));
  EXPECT_EQ(e.groups[0].limit.work, 7);
  EXPECT_EQ(e.groups[0].limit.seconds, std::numeric_limits<double>::infinity());
  EXPECT_EQ(e.variants[0].rho, RhoSource::flops);
}

TEST(Experiment, NamesTheLineOfWhatIsWrong) {
  EXPECT_EQ(complaint(altered("\"a-hals\"", "\"b-hals\"")).substr(0, 47),
            "e.toml, line 13: method = \"b-hals\" is unknown; ");
  EXPECT_EQ(complaint(altered("alpha = 1", "alpha = -1")),
            "e.toml, line 19: alpha must be a number of at least 0.");
  EXPECT_EQ(complaint(altered("alpha = 1", "aplha = 1")),
            "e.toml, line 19: there is no 'aplha' here; is it misspelled?");
  EXPECT_EQ(complaint(altered("[3, 5]", "[0]")),
            "e.toml, line 7: ranks must be a list of whole numbers of at least 1.");
  EXPECT_EQ(complaint(altered("starts = 4", "starts = 0")),
            "e.toml, line 2: starts must be a whole number of at least 1.");
  EXPECT_EQ(complaint(altered("\"measured\"", "\"felt\"")),
            "e.toml, line 13: rho = \"felt\" is unknown; choose flops or measured.");
  EXPECT_EQ(complaint("starts = 1\n[[method]]\nmethod = \"mu\"\n"),
            "e.toml, line 1: there is no [[data]]: name the data sets to use.");
  EXPECT_EQ(complaint("kind = \"song\"\n"),
            "e.toml, line 1: kind = \"song\" is unknown; choose one of traces, half-step, table.");
}

TEST(Experiment, ThatIsNotTomlIsToldSo) {
  EXPECT_EQ(complaint("starts = 1\nnames = [\n").substr(0, 37), "e.toml, line 2: this is not TOML: Err");
}

TEST(Experiment, OfEveryFigureAndTableIsBuiltIn) {
  std::set<std::string> names;
  for (const EmbeddedFile& file : embedded_experiments()) names.emplace(file.name);

  for (int k = 1; k <= 11; ++k) EXPECT_TRUE(names.contains("figure-" + std::to_string(k) + ".toml")) << k;
  EXPECT_TRUE(names.contains("table-1.toml"));
  EXPECT_TRUE(names.contains("table-2.toml"));
  EXPECT_EQ(names.size(), 13U);
}

TEST(Experiment, OfThePaperHasItsNumberOfStarts) {
  EXPECT_EQ(embedded("figure-10").starts, 50);
  EXPECT_EQ(embedded("figure-11").starts, 50);
  for (const char* id :
       {"figure-1", "figure-2", "figure-3", "figure-4", "figure-5", "figure-6", "figure-8"}) {
    const Experiment e = embedded(id);
    EXPECT_EQ(e.starts, 10) << id;
    EXPECT_TRUE(e.pooled) << id;
    EXPECT_EQ(e.groups.at(0).data.size(), 4U) << id;
    EXPECT_EQ(e.groups.at(1).data.size(), 6U) << id;
  }
}

TEST(RhoTable, HasTheFormulaBesideThePrintedNumbers) {
  const TextTable images = rho_table(embedded("table-1"));
  const TextTable texts = rho_table(embedded("table-2"));

  const std::vector<std::string> orl = {"orl", "10304",   "400", "4121600", "30",    "13.941",
                                        "358", "358.316", "13",  "28, 717", "7, 180"};
  EXPECT_EQ(images.rows.at(0), orl);
  const auto rho_of = [](const TextTable& table, std::size_t row) {
    return std::pair(table.rows.at(row).at(5), table.rows.at(row).at(7));
  };
  const std::vector<std::pair<std::string, std::string>> expected_images = {
      {"13.941", "358.316"}, {"7.596", "195.256"}, {"19.602", "350.729"}, {"10.481", "187.544"},
      {"85.866", "12.789"},  {"47.438", "7.064"},  {"67.783", "19.340"},  {"36.665", "10.461"}};
  for (std::size_t k = 0; k < expected_images.size(); ++k) EXPECT_EQ(rho_of(images, k), expected_images[k]);
  const std::vector<std::pair<std::string, std::string>> expected_texts = {
      {"9.210", "1.643"},  {"8.098", "1.418"},  {"14.143", "8.199"}, {"8.710", "5.046"},
      {"22.079", "4.931"}, {"14.204", "3.164"}, {"18.075", "4.196"}, {"12.030", "2.783"},
      {"7.426", "7.232"},  {"4.855", "4.728"},  {"23.663", "2.491"}, {"17.549", "1.829"}};
  for (std::size_t k = 0; k < expected_texts.size(); ++k) EXPECT_EQ(rho_of(texts, k), expected_texts[k]);
}

TEST(RhoClaims, SayWhatIsExchangedAndWhatWasComputedAtOtherRanks) {
  const std::vector<Claim> claims = rho_claims({embedded("table-1"), embedded("table-2")});

  ASSERT_EQ(claims.size(), 5U);
  EXPECT_EQ(claims[0].id, "table-1-rho");
  EXPECT_EQ(claims[0].verdict, Verdict::fails);
  EXPECT_NE(claims[0].reason.find("14 of 16 are the floor of the formula and 2 rounded"), std::string::npos);
  EXPECT_EQ(claims[1].verdict, Verdict::fails);
  EXPECT_NE(claims[1].reason.find("23 of 24 are the floor of the formula and 1 rounded"), std::string::npos);
  EXPECT_NE(claims[1].reason.find("hitech 3.740 printed as 4"), std::string::npos);
  EXPECT_EQ(claims[2].id, "cbcl-example");
  EXPECT_NE(claims[2].numbers.find("rho_W = 123.07, rho_H = 18.33"), std::string::npos);
  for (std::size_t k = 2; k < claims.size(); ++k)
    EXPECT_EQ(claims[k].verdict, Verdict::holds) << claims[k].id;
  // r (m + n) <= K leaves out classic at both ranks and la1 at 20.
  EXPECT_EQ(claims[3].data.size(), 17U);
}

TEST(RhoClaims, HoldWhereATableIsRight) {
  Experiment table = embedded("table-1");
  table.exchanged_columns = false;
  for (TableRow& row : table.table) std::swap(row.printed_rho_w, row.printed_rho_h);
  table.table[1].printed_rho_h = {350, 187};  // umist, rounded down as the others

  EXPECT_EQ(rho_claims({table}).at(0).verdict, Verdict::holds);
}

}  // namespace
}  // namespace anmf::cli
