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
    return run_in(file(""), "/usr/bin/env", Arguments{"timeout", "-k", "2", "100", kMpirun} + ranks);
  }

  /// Two ranks, each with arguments and a folder of its own.
  [[nodiscard]] Outcome apart(const Arguments& first, const Arguments& second) const {
    const auto rank = [&](const std::string& folder, const Arguments& arguments) {
      return Arguments{"-n", "1", "-wdir", file(folder).string(), kMpiProgram} + arguments;
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
            "on rank 1 of 2: 'solve' is neither a subcommand nor an option; choose one of factorize survey.");
  // The first of those that fail is the one that is heard.
  EXPECT_EQ(complaint_of(2, {"solve"}, short_ + Arguments{"--config", "none.toml"}),
            "on rank 0 of 2: 'solve' is neither a subcommand nor an option; choose one of factorize survey.");
  EXPECT_EQ(complaint_of(2, {"solve"}),
            "'solve' is neither a subcommand nor an option; choose one of factorize survey.");
  const Outcome help = apart({"--version"}, {"--version"});
  EXPECT_EQ(help.exit_code, 0) << help.err;
  EXPECT_EQ(std::count(help.out.begin(), help.out.end(), '\n'), 1) << help.out;
}

TEST_F(MpiAgreement, OneRankHasAnotherMatrix) {
  io::write_npy<double>(at("1", "M.npy"), random_matrix(261, 90, 9).view());
  EXPECT_EQ(
      complaint_of(3, short_),
      "the matrix in 'M.npy' is 261 x 90 (dense) on rank 1 of 2, and 261 x 100 (dense) on rank 0" + must_);
  Matrix<double> other = random_matrix(261, 100, 9);
  other(130, 50) += 1;
  io::write_npy<double>(at("1", "M.npy"), other.view());
  const std::string entry = complaint_of(3, short_);
  EXPECT_TRUE(contains(entry, "the content of 'M.npy' is 208928 bytes with the checksum "));
  EXPECT_TRUE(contains(entry, " on rank 1 of 2, and 208928 bytes with the checksum "));
  fs::remove(at("1", "M.npy"));
  EXPECT_TRUE(contains(complaint_of(3, short_), "on rank 1 of 2: M.npy: "));
  EXPECT_TRUE(contains(complaint_of(3, run("no.npy", "out")), "no.npy: "));
  fs::remove(at("0", "M.npy"));
  EXPECT_TRUE(contains(complaint_of(3, short_ + Arguments{"--dry-run"}), "on rank 0 of 2: M.npy: "));
}

TEST_F(MpiAgreement, OneRankHasAnotherSparseMatrix) {
  const auto text = [](const std::string& sizes) {
    return "%%MatrixMarket matrix coordinate integer general\n" + sizes + "\n1 1 4\n2 2 3\n3 3 5\n";
  };
  write_text(at("0", "M.mtx"), text("3 4 3"));
  write_text(at("1", "M.mtx"), text("3 5 3"));
  const std::string said =
      " is 3 x 5 (sparse, 3 nonzeros) on rank 1 of 2, and 3 x 4 (sparse, 3 nonzeros) on rank 0" + must_;
  EXPECT_EQ(complaint_of(3, {"factorize", "M.mtx", "--rank", "1", "--out", "out"}),
            "the matrix in 'M.mtx'" + said);
  for (const std::string rank : {"0/", "1/"})
    ASSERT_EQ(anmf({"convert", rank + "M.mtx", rank + "M.anmf"}).exit_code, 0);
  EXPECT_EQ(complaint_of(3, {"factorize", "M.anmf", "--rank", "1", "--out", "out"}),
            "the matrix in 'M.anmf'" + said);
}

TEST_F(MpiAgreement, OneRankHasAnotherStart) {
  io::write_npy<double>(at("0", "W.npy"), random_matrix(261, 5, 1).view());
  io::write_npy<double>(at("1", "W.npy"), random_matrix(261, 5, 2).view());
  EXPECT_TRUE(contains(complaint_of(3, short_ + Arguments{"--init-w", "W.npy"}),
                       "the content of 'W.npy' is 10568 bytes with the checksum "));
}

TEST_F(MpiAgreement, OneRankHasAnotherCheckpoint) {
  const auto begin = [&](const std::string& rank, const std::string& iterations) {
    return anmf(run(rank + "/M.npy", rank + "/begun",
                    {"--max-iterations", iterations, "--checkpoint-every", "0", "--init", "random"}));
  };
  ASSERT_EQ(begin("0", "3").exit_code, 0);
  const Arguments resume = {"factorize", "--resume", "begun", "--out", "out", "--max-iterations", "9"};
  EXPECT_EQ(complaint_of(3, resume),
            "on rank 1 of 2: begun: there is no checkpoint.npz to go on from; only runs with "
            "--checkpoint-every write one.");
  // A run on the same file, one iteration further.
  fs::copy(at("0", "begun"), at("1", "begun"), fs::copy_options::recursive);
  ASSERT_EQ(anmf({"factorize", "--resume", "1/begun", "--max-iterations", "4"}).exit_code, 0);
  const Arguments limits = resume + Arguments{"--tolerance", "0"};
  EXPECT_TRUE(contains(complaint_of(3, limits), "the content of 'begun/checkpoint.npz' is "));
}

}  // namespace
}  // namespace anmf::test
