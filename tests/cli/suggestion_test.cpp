// SPDX-License-Identifier: MIT
// Words that the program does not know, and what it takes them for.
#include "suggestion.h"

#include "program.h"

namespace anmf::test {
namespace {

using cli::edit_distance;
using cli::nearest;

/// By the definition, without a table.
std::size_t naive_distance(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const auto drop = [](std::string_view word, std::size_t letters) {
    return word.substr(0, word.size() - letters);
  };
  const std::size_t replaced = naive_distance(drop(a, 1), drop(b, 1)) + (a.back() == b.back() ? 0 : 1);
  std::size_t least =
      std::min({replaced, naive_distance(drop(a, 1), b) + 1, naive_distance(a, drop(b, 1)) + 1});
  if (a.size() > 1 && b.size() > 1 && a.back() == b[b.size() - 2] && b.back() == a[a.size() - 2])
    least = std::min(least, naive_distance(drop(a, 2), drop(b, 2)) + 1);
  return least;
}

TEST(Suggestion, DistanceIsTheNumberOfEdits) {
  const std::vector<std::string> words = {"", "a", "ab", "ba", "abc", "acb", "rank", "rnak", "bank", "tol"};
  for (const std::string& a : words) {
    for (const std::string& b : words) EXPECT_EQ(edit_distance(a, b), naive_distance(a, b)) << a << " " << b;
  }
  EXPECT_EQ(edit_distance("rnak", "rank"), 1U);
}

TEST(Suggestion, IsTheNearestWordOrTheOneThatWasBegun) {
  const std::vector<std::string> known = {"--max-iterations", "--rank", "--rows", "--out"};
  EXPECT_EQ(nearest("--max_iter", known), "--max-iterations");
  EXPECT_EQ(nearest("--max-iteratoins", known), "--max-iterations");
  EXPECT_EQ(nearest("--rnk", known), "--rank");
  EXPECT_EQ(nearest("--Rank", known), "--rank");
  EXPECT_EQ(nearest("--colour", known), std::nullopt);
  EXPECT_EQ(nearest("x", {"W", "H"}), std::nullopt);
}

class Words : public ProgramTest {};

TEST_F(Words, ThatAreUnknownGetASuggestion) {
  const Arguments base = {"factorize", "M.npy"};
  EXPECT_EQ(
      complaint(2, base + Arguments{"--max-iter", "5"}),
      "anmf: there is no option --max-iter; did you mean --max-iterations? (see anmf factorize --help)\n");
  EXPECT_EQ(complaint(2, base + Arguments{"--colour=red"}),
            "anmf: there is no option --colour (see anmf factorize --help)\n");
  EXPECT_TRUE(
      contains(complaint(2, base + Arguments{"--init", "scaled-randm"}), "did you mean scaled-random?"));
  EXPECT_TRUE(contains(complaint(2, base + Arguments{"--method", "ehals"}), "ccd; did you mean hals?"));
  EXPECT_TRUE(
      contains(complaint(2, {"factorise"}), "option; did you mean factorize? choose one of factorize "));
}

TEST_F(Words, HaveShortForms) {
  const Outcome outcome = anmf(
      {"factorize", "M.npy", "-k", "3", "-o", "out", "-t", "1", "--max-iterations", "2", "--tolerance", "0"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = read_json(file("out/run.json"));
  EXPECT_EQ(json["rank"], 3);
  EXPECT_EQ(json["threads"], 1);
  EXPECT_EQ(anmf({"transform", "M.npy", "--components", "out", "-t", "1", "-o", "new"}).exit_code, 0);
  const Arguments compare = {"compare",   "M.npy", "-k",       "2,3", "-o",     "compared",
                             "--methods", "hals",  "--starts", "1",   "--work", "3"};
  EXPECT_EQ(anmf(compare).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(file("compared/comparison.json")));
}

TEST_F(Words, OfTheHelpAreThoseToType) {
  const Outcome help = anmf({"factorize", "--help"});
  EXPECT_TRUE(contains(help.out, "--revive,--no-revive "));
  EXPECT_EQ(help.out.find("{false}"), std::string::npos);
}

}  // namespace
}  // namespace anmf::test
