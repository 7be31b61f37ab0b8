// SPDX-License-Identifier: MIT
// anmf-mpi factorize under mpirun: the files that anmf factorize leaves, on any number of ranks.
#include "mpi_program.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "support/files_and_messages.h"

namespace anmf::test {
namespace {

namespace fs = std::filesystem;

class MpiProgram : public MpiTest {
 protected:
  void expect_near(const std::string& a, const std::string& b, double tolerance = 1e-9) const {
    for (const char* name : {"/W.npy", "/H.npy"}) {
      const auto expected = io::read_npy<double>(file(a + name));
      const auto found = io::read_npy<double>(file(b + name));
      ASSERT_EQ(found.rows(), expected.rows()) << name;
      ASSERT_EQ(found.cols(), expected.cols()) << name;
      const double size = *std::max_element(expected.values().begin(), expected.values().end());
      for (Index k = 0; k < expected.size(); ++k)
        ASSERT_NEAR(found.data()[k], expected.data()[k], tolerance * size) << name << " " << k;
    }
  }
};

const Arguments kTwenty = {"--method", "e-a-hals", "--max-iterations", "20"};

TEST_F(MpiProgram, WritesWhatTheSerialOneWrites) {
  ASSERT_EQ(anmf(run("tall.npy", "serial", kTwenty)).exit_code, 0);
  const Outcome outcome = mpi(3, run("tall.npy", "three", kTwenty));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_near("serial", "three");
  const nlohmann::json described = read_json(file("three/run.json"));
  EXPECT_EQ(described["mpi"]["ranks"], 3);
  EXPECT_EQ(described["mpi"]["grid"], (nlohmann::json{3, 1}));
  EXPECT_GT(described["mpi"]["words_per_iteration"], 0);
  EXPECT_GT(described["mpi"]["messages_per_iteration"], 0);
  EXPECT_EQ(described["iterations"], 20);
  const auto trace = read_trace(file("three/trace.csv"));
  ASSERT_EQ(trace.size(), 21U);
  // One rank speaks.
  const std::string word = "relative error";
  const auto first = outcome.out.find(word);
  EXPECT_NE(first, std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find(word, first + 1), std::string::npos) << outcome.out;
}

// Of C order every rank reads its own pixels; of Fortran order each reads the file as a whole.
TEST_F(MpiProgram, SharesACube) {
  const Matrix<double> M = io::read_npy<double>(file("tall.npy"));
  std::string in_fortran_order;
  for (Index k = 0; k < 100; ++k) {
    for (Index j = 0; j < 29; ++j) {
      for (Index i = 0; i < 9; ++i) in_fortran_order += io_test::stored<double>({M(i * 29 + j, k)});
    }
  }
  const auto write_cube = [&](const char* name, const std::string& order, const std::string& entries) {
    write_text(
        file(name),
        io_test::npy("{'descr': '<f8', 'fortran_order': " + order + ", 'shape': (9, 29, 100)}\n", entries));
  };
  write_cube("cube.npy", "False", {reinterpret_cast<const char*>(M.data()), M.values().size_bytes()});
  write_cube("fortran.npy", "True", in_fortran_order);
  ASSERT_EQ(anmf(run("tall.npy", "serial", kTwenty)).exit_code, 0);
  for (const char* name : {"cube", "fortran"}) {
    const Outcome outcome = mpi(3, run(std::string(name) + ".npy", name, kTwenty));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    expect_near("serial", name);
  }
}

TEST_F(MpiProgram, EndsWithItsResultAndACheckpointWhenOneRankHearsASignal) {
  const std::string script =
      std::string(kMpirun) + " -n 2 sh -c 'echo $$ > rank$OMPI_COMM_WORLD_RANK; exec " + kMpiProgram +
      " factorize tall.npy --rank 5 --tolerance 0 --max-iterations 100000000 --no-report "
      "--quiet --checkpoint-every 1000 --out out' &\n"
      "until [ -e out/checkpoint.npz ]; do :; done\n"
      "kill -TERM $(cat rank1); wait $!";
  const Outcome outcome = run_in(file(""), "/bin/sh", {"-c", script});
  EXPECT_EQ(outcome.exit_code, 143) << outcome.err;
  const auto json = read_json(file("out/run.json"));
  EXPECT_EQ(json["status"], "stopped_by_observer");
  const double error =
      dense_error(io::read_npy<double>(file("tall.npy")), io::read_npy<double>(file("out/W.npy")),
                  io::read_npy<double>(file("out/H.npy")));
  EXPECT_NEAR(json["error"].get<double>(), error, 1e-9 * error);
  const std::string more = std::to_string(json["iterations"].get<int>());  // the checkpoint is of the end
  const Outcome resumed =
      mpi(2, {"factorize", "--resume", "out", "--max-iterations", more, "--out", "again"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(read_text(file("again/W.npy")), read_text(file("out/W.npy")));
}

TEST_F(MpiProgram, TakesOtherFormatsAndTheOptionsOfTheSerialOne) {
  Matrix<float> narrow(100, 130);
  const Matrix<double> wide = random_matrix(100, 130, 4);
  for (Index k = 0; k < wide.size(); ++k)
    narrow.data()[k] = wide.data()[k] < 0.7 ? 0.0F : static_cast<float>(wide.data()[k]);
  io::write_npy<float>(file("narrow.npy"), narrow.view());
  ASSERT_EQ(anmf({"convert", "tall.npy", "tall.mtx"}).exit_code, 0);
  const Arguments options =
      kTwenty + Arguments{"--transpose", "--normalize", "max", "--sort-components", "--threads", "2"};
  for (const std::string input : {"narrow.npy", "tall.mtx"}) {
    ASSERT_EQ(anmf(run(input, "serial", options)).exit_code, 0);
    const Outcome outcome = mpi(4, run(input, "four", options));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    expect_near("serial", "four");
  }
  const Arguments given = {"--method", "a-hals", "--max-iterations", "3", "--init-w", "serial/H.npy"};
  const Outcome outcome = mpi(2, run("tall.npy", "given", given));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(contains(outcome.err, "The start factor W is 5 x 261; it must be 261 x 5."));
}

TEST_F(MpiProgram, ReadsPartsOfAContainerAndStreamsThemWithinALimit) {
  Matrix<double> M = random_matrix(4000, 1500, 5);
  for (double& x : M.values()) x = x < 0.5 ? 0 : x;
  io::write_npy<double>(file("M.npy"), M.view());
  ASSERT_EQ(anmf({"convert", "M.npy", "M.anmf"}).exit_code, 0);
  const Arguments six = {"--method", "e-a-hals", "--max-iterations", "6"};
  for (const std::string input : {"M.anmf", "M.npy"}) {
    ASSERT_EQ(anmf(run(input, "serial", six)).exit_code, 0);
    ASSERT_EQ(mpi(4, run(input, "four", six)).exit_code, 0);
    EXPECT_FALSE(read_json(file("four/run.json")).contains("stream"));
    expect_near("serial", "four");
    const Outcome outcome = mpi(4, run(input, "streamed", six + Arguments{"--memory", "30M"}));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_GT(read_json(file("streamed/run.json"))["stream"]["passes"], 12);
    expect_near("serial", "streamed");
  }
  const Outcome small = mpi(2, run("M.anmf", "out", {"--memory", "1M"}));
  EXPECT_EQ(small.exit_code, 2);
  EXPECT_TRUE(contains(small.err, "anmf-mpi: --memory 1 MB is too little for 'M.anmf'"));
}

TEST_F(MpiProgram, MinimisesOtherLossesAndGoesOnWithThem) {
  Matrix<double> counts = random_matrix(130, 100, 4);
  for (double& x : counts.values()) x = std::max(0.0, std::floor(6 * x) - 2);
  io::write_npy<double>(file("counts.npy"), counts.view());
  ASSERT_EQ(anmf({"convert", "counts.npy", "counts.anmf"}).exit_code, 0);
  ASSERT_EQ(anmf({"convert", "counts.npy", "counts.mtx"}).exit_code, 0);
  const Arguments kl = {"--loss", "kl", "--checkpoint-every", "0", "--max-iterations"};
  const auto expect_same_run = [&](int ranks, const std::string& input, const Arguments& options) {
    const Outcome outcome = mpi(ranks, run(input, "ranks", options));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    expect_near("serial", "ranks");
    const nlohmann::json expected = read_json(file("serial/run.json"));
    const nlohmann::json found = read_json(file("ranks/run.json"));
    EXPECT_EQ(found["method"], expected["method"]);
    EXPECT_TRUE(found["mpi"]["grid"].is_null());
    EXPECT_NEAR(found["divergence"], expected["divergence"], 1e-9 * expected["divergence"].get<double>());
  };
  // Parts of a file, a file that all read, and a dense one.
  for (const std::string input : {"counts.anmf", "counts.mtx", "counts.npy"}) {
    const Arguments options = kl + Arguments{"15"} + Arguments(input == "counts.mtx" ? 1 : 0, "--transpose");
    ASSERT_EQ(anmf(run(input, "serial", options)).exit_code, 0);
    if (input == "counts.anmf") expect_same_run(1, input, options);
    expect_same_run(4, input, options);
  }
  // The state of four ranks goes on in one process and on three ranks, to where a run without a stop comes.
  ASSERT_EQ(anmf(run("counts.npy", "longer", kl + Arguments{"25"})).exit_code, 0);
  fs::copy(file("ranks"), file("alone"), fs::copy_options::recursive);
  const Arguments more = {"--max-iterations", "25"};
  ASSERT_EQ(anmf(Arguments{"factorize", "--resume", "alone"} + more).exit_code, 0);
  expect_near("longer", "alone");
  const Outcome three = mpi(3, Arguments{"factorize", "--resume", "ranks"} + more);
  ASSERT_EQ(three.exit_code, 0) << three.err;
  expect_near("longer", "ranks");
  const Outcome zero = mpi(3, run("counts.npy", "out", {"--loss", "is"}));
  EXPECT_EQ(zero.exit_code, 2);
  EXPECT_TRUE(
      contains(zero.err, "anmf-mpi: loss = itakura-saito is infinite where M is zero, as it is in row"));
}

TEST_F(MpiProgram, WeighsRowsAndColumns) {
  const Matrix<double> M = random_matrix(130, 100, 4);
  io::write_npy<double>(file("M.npy"), M.view());
  ASSERT_EQ(anmf({"convert", "M.npy", "M.mtx"}).exit_code, 0);
  std::ofstream rows(file("rows.txt"));
  for (Index i = 0; i < M.rows(); ++i) rows << 0.25 * static_cast<double>(i % 5) << '\n';
  rows.close();
  std::ofstream columns(file("columns.txt"));
  for (Index j = 0; j < M.cols(); ++j) columns << 0.5 * static_cast<double>(1 + j % 3) << '\n';
  columns.close();
  const Arguments weights = {"--row-weights", "rows.txt",         "--column-weights",
                             "columns.txt",   "--max-iterations", "8"};
  for (const Arguments& more : {Arguments{"--loss", "frobenius"}, Arguments{"--loss", "kl", "--transpose"}}) {
    for (const std::string input : {"M.npy", "M.mtx"}) {
      ASSERT_EQ(anmf(run(input, "serial", weights + more)).exit_code, 0);
      const Outcome three = mpi(3, run(input, "ranks", weights + more));
      ASSERT_EQ(three.exit_code, 0) << three.err;
      expect_near("serial", "ranks");
      EXPECT_EQ(read_json(file("ranks/run.json"))["observed"],
                read_json(file("serial/run.json"))["observed"]);
    }
  }
  const Outcome masked = mpi(2, run("M.npy", "out", {"--missing", "nan"}));
  EXPECT_EQ(masked.exit_code, 2);
  EXPECT_TRUE(contains(masked.err, "--missing, --weights and --heldout do not go with several processes"));
  const Outcome chosen = mpi(2, run("M.npy", "out", {"--row-weights", "rows.txt", "--rows", "@rows.txt"}));
  EXPECT_EQ(chosen.exit_code, 2);
  EXPECT_TRUE(contains(chosen.err, "do not go with --rows and --columns in several processes"));
}

TEST_F(MpiProgram, StreamsOtherLossesWithinALimit) {
  Matrix<double> M = random_matrix(1500, 2000, 5);
  for (double& x : M.values()) x = x < 0.5 ? 0 : x;
  io::write_npy<double>(file("M.npy"), M.view());
  ASSERT_EQ(anmf({"convert", "M.npy", "M.anmf"}).exit_code, 0);
  // Multiplicative updates are the same whichever way the blocks lie.
  const Arguments three = {"--loss", "kl", "--method", "mu", "--max-iterations", "3"};
  for (const auto& [input, limit] : {std::pair("M.anmf", "45M"), std::pair("M.npy", "40M")}) {
    ASSERT_EQ(anmf(run(input, "serial", three)).exit_code, 0);
    const Outcome outcome = mpi(2, run(input, "streamed", three + Arguments{"--memory", limit}));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_GT(read_json(file("streamed/run.json"))["stream"]["passes"], 6);
    expect_near("serial", "streamed");
  }
  const Outcome small = mpi(2, run("M.anmf", "out", {"--loss", "kl", "--memory", "1M"}));
  EXPECT_EQ(small.exit_code, 2);
  EXPECT_TRUE(contains(small.err, "--memory 1 MB is too little for 'M.anmf'"));
}

TEST_F(MpiProgram, CountsWhatAllRanksHaveClipped) {
  Matrix<double> M = random_matrix(261, 100, 9);
  for (const Index i : {0, 100, 260}) M(i, i % 100) = -1;
  io::write_npy<double>(file("bad.npy"), M.view());
  const Arguments clip = kTwenty + Arguments{"--negative", "clip"};
  ASSERT_EQ(anmf(run("bad.npy", "serial", clip)).exit_code, 0);
  const Outcome outcome = mpi(3, run("bad.npy", "three", clip));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_near("serial", "three");
  EXPECT_TRUE(contains(outcome.err, "3 entries of the file are negative and taken for zero."));
}

/// What a run of Open MPI sent from the rank that sent most, by Open MPI's own count.
struct Sent {
  double bytes = 0;
  double messages = 0;
};

Sent most_sent(const fs::path& folder, int ranks) {
  Sent most;
  for (int rank = 0; rank < ranks; ++rank) {
    std::istringstream lines(read_text(folder / ("sent." + std::to_string(rank) + ".prof")));
    Sent sent;
    for (std::string line; std::getline(lines, line);) {
      // I, from, to, N bytes, N msgs sent: messages that the library sends for its collective operations.
      if (!line.starts_with("I\t")) continue;
      std::istringstream fields(line.substr(2));
      double from = 0;
      double to = 0;
      double bytes = 0;
      double messages = 0;
      std::string word;
      fields >> from >> to >> bytes >> word >> messages;
      sent.bytes += bytes;
      sent.messages += messages;
    }
    most.bytes = std::max(most.bytes, sent.bytes);
    most.messages = std::max(most.messages, sent.messages);
  }
  return most;
}

TEST_F(MpiProgram, SendsWhatTheModelSays) {
  io::write_npy<double>(file("square.npy"), random_matrix(960, 960, 3).view());
  const auto expect_model = [&](int ranks, const Arguments& method) {
    const auto sent = [&](const std::string& iterations) {
      const Outcome outcome =
          run_in(file(""), kMpirun,
                 Arguments{"-n", std::to_string(ranks), "--mca", "pml_monitoring_enable", "2", "--mca",
                           "pml_monitoring_enable_output", "3", "--mca", "pml_monitoring_filename", "sent",
                           kMpiProgram} +
                     run("square.npy", "out", method + Arguments{"--max-iterations", iterations}));
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      return most_sent(file(""), ranks);
    };
    // The start and the end are no part of an iteration.
    const Sent few = sent("4");
    const Sent many = sent("12");
    const nlohmann::json described = read_json(file("out/run.json"))["mpi"];
    const double words = (many.bytes - few.bytes) / 8 / sizeof(double);
    const double messages = (many.messages - few.messages) / 8;
    EXPECT_NEAR(words, described["modelled_words"], 0.1 * words) << ranks << " " << described["grid"];
    EXPECT_NEAR(messages, described["modelled_messages"], 0.1 * messages)
        << ranks << " " << described["grid"];
  };
  for (const int ranks : {2, 4, 8, 9}) expect_model(ranks, {"--method", "e-a-hals"});
  for (const char* method : {"e-ccd", "e-spn"}) expect_model(4, {"--loss", "kl", "--method", method});
}

TEST_F(MpiProgram, FailsOnceAndWithTheRightCode) {
  Matrix<double> bad = random_matrix(261, 100, 9);
  bad(200, 33) = -1;
  io::write_npy<double>(file("bad.npy"), bad.view());
  const auto complaints = [](const std::string& text) {
    int count = 0;
    for (auto at = text.find("anmf-mpi: "); at != std::string::npos; at = text.find("anmf-mpi: ", at + 1))
      ++count;
    return count;
  };
  const Outcome negative = mpi(3, run("bad.npy", "out"));
  EXPECT_EQ(negative.exit_code, 3);
  EXPECT_TRUE(contains(negative.err, "anmf-mpi: on rank 2 of 3: bad.npy: M[200, 33] = -1 is negative"));
  EXPECT_EQ(complaints(negative.err), 1) << negative.err;
  EXPECT_FALSE(fs::exists(file("out")));
  const Outcome missing = mpi(2, run("no.npy", "out"));
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_EQ(complaints(missing.err), 1) << missing.err;
  const Outcome usage = mpi(2, run("tall.npy", "out", {"--method", "none"}));
  EXPECT_EQ(usage.exit_code, 2);
  EXPECT_EQ(complaints(usage.err), 1) << usage.err;
  const Outcome init = mpi(2, run("tall.npy", "out", {"--init", "nndsvd"}));
  EXPECT_EQ(init.exit_code, 2);
  EXPECT_TRUE(contains(init.err, "needs all of M in one process"));
}

TEST_F(MpiProgram, GoesOnAfterARankWasKilledOnAnyNumberOfRanks) {
  const Arguments options = {"--method", "a-hals", "--max-iterations", "60", "--checkpoint-every", "0"};
  ASSERT_EQ(anmf(run("tall.npy", "whole", options)).exit_code, 0);
  // The second of three ranks is killed as soon as there is a checkpoint.
  write_text(file("killed.sh"),
             "\"$@\" & rank=$!\n"
             "until [ -e killed/checkpoint.npz ]; do :; done\n"
             "kill -KILL $rank\n"
             "kill -KILL $$\n");
  const Arguments command = Arguments{kMpiProgram} + run("tall.npy", "killed", options);
  const Outcome killed =
      run_in(file(""), kMpirun,
             Arguments{"-n", "1"} + command + Arguments{":", "-n", "1", "sh", "killed.sh"} + command +
                 Arguments{":", "-n", "1"} + command);
  EXPECT_NE(killed.exit_code, 0);
  EXPECT_TRUE(contains(killed.err, "signal 9"));
  EXPECT_FALSE(fs::exists(file("killed/run.json")));
  ASSERT_TRUE(fs::exists(file("killed/checkpoint.npz")));
  fs::copy(file("killed"), file("alone"), fs::copy_options::recursive);
  const Outcome two = mpi(2, {"factorize", "--resume", "killed"});
  ASSERT_EQ(two.exit_code, 0) << two.err;
  expect_near("whole", "killed");
  const Outcome serial = anmf({"factorize", "--resume", "alone"});
  ASSERT_EQ(serial.exit_code, 0) << serial.err;
  expect_near("whole", "alone");
}

}  // namespace
}  // namespace anmf::test
