// SPDX-License-Identifier: MIT
// Runs come back bit for bit, and only if they are the ones that were asked for.
#include "experiments/run_store.h"

#include <gtest/gtest.h>

#include "program.h"

namespace anmf::cli {
namespace {

class Store : public testing::Test {
 protected:
  [[nodiscard]] RunSpec spec() const {
    return {.data = &data_, .rank = 3, .variant = parse_variant("a-hals"), .seed = 7, .limit = {.work = 5}};
  }
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / run_file_name(spec()); }

  test::TemporaryFolder folder_;
  DataSet data_{
      .name = "some/faces", .rows = 9, .cols = 8, .nonzeros = 72, .storage = Storage::dense, .norm = 1.25};
  RunStore store_{folder_.path()};
  const cli::Run run_{.trace = {.seconds = {0, 0.1}, .flops = {0, 1e9 / 3}, .error = {2, 1.0 / 3}},
                      .jobs = 2};
};

TEST_F(Store, GivesBackWhatItKept) {
  EXPECT_FALSE(store_.find(spec()).has_value());

  store_.keep(spec(), run_);

  const std::optional<cli::Run> found = store_.find(spec());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->trace.seconds, run_.trace.seconds);
  EXPECT_EQ(found->trace.flops, run_.trace.flops);
  EXPECT_EQ(found->trace.error, run_.trace.error);
  EXPECT_EQ(found->jobs, 2);
}

TEST_F(Store, KeepsRunsApartThatDiffer) {
  store_.keep(spec(), run_);

  std::vector<RunSpec> others(7, spec());
  others[0].rank = 4;
  others[1].seed = 8;
  others[2].limit.work = 6;
  others[3].limit.seconds = 1;
  others[4].variant = parse_variant("hals");
  others[5].variant = parse_variant("a-hals:epsilon=0.2");
  DataSet changed = data_;
  changed.norm = 1.5;
  others[6].data = &changed;
  for (const RunSpec& other : others) EXPECT_FALSE(store_.find(other).has_value()) << run_key(other);
}

TEST_F(Store, SharesRunsOfTheSameBehaviour) {
  store_.keep(spec(), run_);
  RunSpec same = spec();
  same.variant = parse_variant("a-hals:alpha=0.5");

  EXPECT_TRUE(store_.find(same).has_value());
}

TEST_F(Store, DoesNotTrustADamagedFile) {
  store_.keep(spec(), run_);
  const std::string text = test::read_text(file());
  std::string shorter = text;
  shorter.replace(shorter.find("[0.0,0.1]"), 9, "[0.0]");
  std::string other_key = text;
  other_key.replace(other_key.find("\"rank\":3"), 8, "\"rank\":4");

  for (const std::string& damaged :
       {text.substr(0, text.size() / 2), std::string(), std::string("[]"), shorter, other_key}) {
    test::write_text(file(), damaged);
    EXPECT_FALSE(store_.find(spec()).has_value()) << damaged;
  }
  test::write_text(file(), text);
  EXPECT_TRUE(store_.find(spec()).has_value());
}

}  // namespace
}  // namespace anmf::cli
