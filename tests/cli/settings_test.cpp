// SPDX-License-Identifier: MIT
// anmf factorize --config: options in a file.
#include "program.h"

namespace anmf::test {
namespace {

class Config : public ProgramTest {
 protected:
  void write_config(std::string_view text) const { write_text(file("run.toml"), text); }
  [[nodiscard]] std::string config_complaint(int exit_code, std::string_view text) const {
    write_config(text);
    return complaint(exit_code, {"factorize", "M.npy", "--out", "out", "--config", "run.toml"});
  }
};

TEST_F(Config, GivesWhatIsNotTyped) {
  write_config(
      "# the usual\n"
      "input = \"M.npy\"\n"
      "rank = 3\n"
      "max_iterations = 7\n"
      "tolerance = 0.0\n"
      "method = 'a-hals'\n"
      "shuffle = true\n"
      "revive = false\n"
      "transpose = false\n");
  const Outcome outcome = anmf({"factorize", "--config", "run.toml", "--rank", "2", "--out", "out"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto run = read_json(file("out/run.json"));
  EXPECT_EQ(run["rank"], 2);
  EXPECT_EQ(run["iterations"], 7);
  EXPECT_EQ(run["method"], "a-hals");
  EXPECT_EQ(run["shuffle"], true);
  EXPECT_EQ(run["revive"], false);
}

TEST_F(Config, ListsAreArrays) {
  write_text(file("t.csv"), "name,a,b,c\nx,1,2,3\ny,4,5,6\n");
  write_config("columns = ['c', 'a']\nrank = 1\n");
  const Outcome outcome = anmf({"factorize", "t.csv", "--config", "run.toml", "--out", "out"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(read_json(file("out/run.json"))["cols"], 2);
  EXPECT_EQ(read_text(file("out/H.tsv")).substr(0, 5), "\tc\ta\n");
}

TEST_F(Config, ThatIsWrongIsRefusedWithItsLine) {
  EXPECT_EQ(config_complaint(2, "rank = 3\nrang = 4\n"),
            "anmf: run.toml, line 2: 'rang' is not an option of factorize (see anmf factorize --help).\n");
  EXPECT_EQ(config_complaint(2, "rank = 0\n"),
            "anmf: run.toml, line 1: --rank must be a whole number in [1, 1000000], not '0'.\n");
  EXPECT_EQ(config_complaint(2, "rank = 2\ntranspose = 3\n"),
            "anmf: run.toml, line 2: 'transpose' must be true or false, not '3'.\n");
  EXPECT_EQ(config_complaint(2, "rank = 2\nresume = 'out'\n"),
            "anmf: run.toml, line 2: 'resume' is not an option of factorize (see anmf factorize --help).\n");
  EXPECT_TRUE(contains(config_complaint(3, "rank = 2\n[section]\nseed = 1\n"),
                       "run.toml, line 2: 'section' is neither a text, a number, true or false"));
  EXPECT_TRUE(contains(config_complaint(3, "rank = = 2\n"), "run.toml, line 1: this is not TOML"));
  EXPECT_TRUE(contains(config_complaint(2, "seed = 1\n"), "--rank is required"));
  EXPECT_EQ(complaint(3, {"factorize", "M.npy", "--out", "out", "--config", "nothing.toml"}),
            "anmf: nothing.toml: the options cannot be read: No such file or directory.\n");
  EXPECT_TRUE(contains(complaint(3, {"factorize", "M.npy", "--out", "out", "--config", "."}),
                       "the options cannot be read: Is a directory."));
}

}  // namespace
}  // namespace anmf::test
