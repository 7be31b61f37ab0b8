// SPDX-License-Identifier: MIT
#include "anmf/option_table.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "outer/run_identity.h"
#include "support/files_and_messages.h"
#include "support/members.h"
#include "support/problems.h"

namespace anmf::test::option_table_test {
namespace {

using io_test::message_of;

TEST(OptionTable, HasARowForEveryMemberUnderANameOfItsOwn) {
  EXPECT_EQ(option_table().size(), count_members<Options>());
  std::set<std::string_view> names;
  std::set<std::string> keys;
  std::set<std::string_view> identities;
  std::size_t saved = 0;
  for (const OptionInfo& option : option_table()) {
    names.insert(option.name);
    keys.insert(option.key());
    if (!option.identity.empty()) ++saved;
    identities.insert(option.identity);
    EXPECT_EQ(&find_option(option.name), &option);
    EXPECT_FALSE(option.help.empty()) << option.name;
  }
  EXPECT_EQ(names.size(), option_table().size());
  EXPECT_EQ(keys.size(), option_table().size());
  EXPECT_EQ(identities.size(), saved + 1);
  EXPECT_EQ(find_option("alpha_W").key(), "alpha_w");
  EXPECT_THROW((void)find_option("alpha_w"), InvalidInput);
}

TEST(OptionTable, HasNoRowTwice) {
  // Each row changes something that no other row shows.
  for (const OptionInfo& option : option_table()) {
    Options changed;
    std::visit(
        [&]<class Member>(const Member& member) {
          if constexpr (std::is_same_v<Member, WordMember>) {
            for (const std::string_view word : member.words) {
              EXPECT_TRUE(member.set(changed, word));
              EXPECT_EQ(member.get(changed), word);
            }
          } else if constexpr (std::is_same_v<Member, bool Options::*>) {
            changed.*member = !(changed.*member);
          } else if constexpr (std::is_same_v<Member, std::string Options::*>) {
            changed.*member = "another";
          } else {
            changed.*member = 7;
          }
        },
        option.member);
    for (const OptionInfo& shown : option_table()) {
      const bool same = to_text(shown, changed) == to_text(shown, Options{});
      EXPECT_EQ(same, shown.name != option.name) << option.name << " and " << shown.name;
    }
  }
}

TEST(OptionTable, RangesHoldTheDefaultsExceptOfTheRankThatMustBeGiven) {
  for (const OptionInfo& option : option_table()) {
    with_value(option, Options{}, [&option]<class Value>(const Value& value) {
      if constexpr (std::is_arithmetic_v<Value>) {
        EXPECT_EQ(option.range.contains(static_cast<double>(value)), option.name != "rank") << option.name;
        EXPECT_EQ(option.range.words.empty(), (std::is_same_v<Value, bool>)) << option.name;
      }
    });
  }
  EXPECT_EQ(default_text(find_option("threads")), "0: every core");
  EXPECT_EQ(default_text(find_option("tolerance")), "1e-06");
  EXPECT_EQ(default_text(find_option("time_limit")), "none");
  EXPECT_EQ(default_text(find_option("alpha")), "by method");
  EXPECT_EQ(default_text(find_option("revive")), "yes");
  EXPECT_EQ(default_text(find_option("explore")), "auto: with method auto");
}

TEST(OptionTable, WordsAreChosenByNameAndLeftOpenWhereThatIsAllowed) {
  Options options;
  set_word(options, find_option("inner_stop"), "hybrid");
  EXPECT_EQ(options.inner_stop, InnerStopMode::hybrid);
  EXPECT_EQ(
      message_of<InvalidInput>([&] { set_word(options, find_option("inner_stop"), "projected_gradient"); }),
      "inner_stop = \"projected_gradient\" is unknown; choose one of \"fixed\", \"dynamic\", "
      "\"hybrid\", \"block\".");
  set_word(options, find_option("inner_stop"), std::nullopt);
  EXPECT_FALSE(options.inner_stop);
  EXPECT_EQ(message_of<InvalidInput>([&] { set_word(options, find_option("first"), std::nullopt); }),
            "first = \"\" is unknown; choose one of \"W\", \"H\".");
  // An outcome of pg, and no choice.
  EXPECT_EQ(to_string(InnerStopMode::projected_gradient), "projected_gradient");
}

/// Checkpoints say what their run is in these words. A change makes those that were written before useless.
TEST(RunIdentity, IsSaidInTheWordsOfEarlierCheckpoints) {
  const Matrix<double> M = planted(4, 3, 2, 1, 0.1);
  const DenseData<double> data(M.view());
  ThreadPool pool(1, {});
  const auto identity_of = [&](const Options& options) {
    const Plan plan = make_plan<double>(options, data.rows(), data.cols(), data.nonzeros());
    RunIdentity run = run_identity<double>(data, options, plan, Workers{pool, nullptr});
    for (const char* of_matrix : {"fingerprint of the entries", "norm"}) EXPECT_EQ(run.erase(of_matrix), 1U);
    return run;
  };
  const RunIdentity expected = {{"rows", "4"},
                                {"columns", "3"},
                                {"nonzeros", "12"},
                                {"precision", "float64"},
                                {"method", "e-a-hals"},
                                {"rank", "2"},
                                {"seed", "0"},
                                {"inner stop", "block"},
                                {"alpha", "1"},
                                {"epsilon", "0.1"},
                                {"delta", "0"},
                                {"rho", "flops"},
                                {"limit of inner iterations", "1000"},
                                {"explore", "true"},
                                {"alpha_W", "0.1"},
                                {"alpha_H", "0.1"},
                                {"l1_ratio", "0"},
                                {"shuffle", "false"},
                                {"revive", "true"},
                                {"first factor", "W"}};
  EXPECT_EQ(identity_of({.rank = 2, .max_iterations = 7, .tolerance = 0, .alpha_W = 0.1, .threads = 3}),
            expected);
  RunIdentity other = identity_of({.rank = 2,
                                   .method = "pg",
                                   .rho = RhoSource::measured,
                                   .seed = 18446744073709551615U,
                                   .alpha_H = 1.0 / 3,
                                   .shuffle = true,
                                   .first = Side::H});
  EXPECT_EQ(other["inner stop"], "projected_gradient");
  EXPECT_EQ(other["alpha"], "0");
  EXPECT_EQ(other["rho"], "measured");
  EXPECT_EQ(other["seed"], "18446744073709551615");
  EXPECT_EQ(other["alpha_H"], "0.3333333333333333");
  EXPECT_EQ(other["explore"], "false");
  EXPECT_EQ(other["shuffle"], "true");
  EXPECT_EQ(other["first factor"], "H");
}

}  // namespace
}  // namespace anmf::test::option_table_test
