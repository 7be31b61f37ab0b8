// SPDX-License-Identifier: MIT
// Ranks of anmf-mpi that were not given the same: the job ends, and one message says where and why.
#include <algorithm>

#include "mpi_program.h"

namespace anmf::test {
namespace {

namespace fs = std::filesystem;

class MpiAgreement : public MpiTest {
 protected:
  /// The folders of the two ranks hold the same at first.
  MpiAgreement() {
    for (const char* rank : {"0", "1"}) {
      fs::create_directory(file(rank));
      fs::copy(file("tall.npy"), at(rank, "M.npy"));
    }
  }

  [[nodiscard]] fs::path at(const std::string& rank, const std::string& name) const {
    return file(rank) / name;
  }

  /// A rank that waits for ever is a failure: exit code 124.
  [[nodiscard]] Outcome within_seconds(const Arguments& ranks) const {
    return run_in(file(""), "/usr/bin/env", Arguments{"timeout", "-k", "2", "100", ANMF_MPIRUN} + ranks);
  }

  /// Two ranks, each with arguments and a folder of its own.
  [[nodiscard]] Outcome apart(const Arguments& first, const Arguments& second) const {
    const auto rank = [&](const std::string& folder, const Arguments& arguments) {
      return Arguments{"-n", "1", "-wdir", file(folder).string(), ANMF_MPI_PROGRAM} + arguments;
    };
    return within_seconds(rank("0", first) + Arguments{":"} + rank("1", second));
  }

  /// The one complaint of a job that ends with this code and leaves nothing behind.
  [[nodiscard]] std::string complaint_of(int exit_code, const Arguments& first,
                                         const Arguments& second) const {
    const Outcome outcome = apart(first, second);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    EXPECT_FALSE(fs::exists(at("0", "out"))) << outcome.err;
    const std::string name = "anmf-mpi: ";
    const std::size_t begin = outcome.err.find(name);
    if (begin == std::string::npos) return outcome.err;
    EXPECT_EQ(outcome.err.find(name, begin + 1), std::string::npos) << outcome.err;
    return outcome.err.substr(begin + name.size(), outcome.err.find('\n', begin) - begin - name.size());
  }
  [[nodiscard]] std::string complaint_of(int exit_code, const Arguments& both) const {
    return complaint_of(exit_code, both, both);
  }

  const std::string must_ = "; it must be the same on all ranks.";
  const Arguments short_ = run("M.npy", "out", {"--max-iterations", "3"});
};

TEST_F(MpiAgreement, OneRankCannotReadTheOptionsOfAFile) {
  const Arguments configured = short_ + Arguments{"--config", "run.toml"};
  write_text(at("0", "run.toml"), "seed = 3\n");
  EXPECT_EQ(complaint_of(3, configured),
            "on rank 1 of 2: run.toml: the options cannot be read: No such file or directory.");
  fs::rename(at("0", "run.toml"), at("1", "run.toml"));
  EXPECT_EQ(complaint_of(3, configured),
            "on rank 0 of 2: run.toml: the options cannot be read: No such file or directory.");
  write_text(at("0", "run.toml"), "seed = 4\n");
  EXPECT_EQ(complaint_of(2, configured), "--seed is 3 on rank 1 of 2, and 4 on rank 0" + must_);
}

TEST_F(MpiAgreement, OneRankHasAnotherCommand) {
  const auto against_short = [&](const Arguments& second) { return complaint_of(2, short_, second); };
  EXPECT_EQ(against_short(short_ + Arguments{"--seed", "8"}),
            "--seed is 8 on rank 1 of 2, and not given on rank 0" + must_);
  EXPECT_EQ(against_short({"factorize", "M.npy", "--rank", "6", "--out", "out"}),
            "--rank is 6 on rank 1 of 2, and 5 on rank 0" + must_);
  EXPECT_EQ(against_short(short_ + Arguments{"--transpose"}),
            "--transpose is given on rank 1 of 2, and not given on rank 0" + must_);
  EXPECT_EQ(against_short({"--help"}),
            "the command is --help or --version on rank 1 of 2, and factorize on rank 0" + must_);
  EXPECT_EQ(against_short(short_ + Arguments{"--alpha", "-1"}),
            "on rank 1 of 2: --alpha must be a number at least 0, not '-1' (see anmf-mpi factorize --help)");
  EXPECT_EQ(against_short({"solve"}),
            "on rank 1 of 2: 'solve' is neither a subcommand nor an option; choose one of factorize.");
  // The first of those that fail is the one that is heard.
  EXPECT_EQ(complaint_of(2, {"solve"}, short_ + Arguments{"--config", "none.toml"}),
            "on rank 0 of 2: 'solve' is neither a subcommand nor an option; choose one of factorize.");
  EXPECT_EQ(complaint_of(2, {"solve"}),
            "'solve' is neither a subcommand nor an option; choose one of factorize.");
  const Outcome help = apart({"--version"}, {"--version"});
  EXPECT_EQ(help.exit_code, 0) << help.err;
  EXPECT_EQ(std::count(help.out.begin(), help.out.end(), '\n'), 1) << help.out;
}

}  // namespace
}  // namespace anmf::test
