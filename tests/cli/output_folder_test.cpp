// SPDX-License-Identifier: MIT
// The files of a run are one set, whatever ends the run that writes them.
#include <set>

#include "program.h"
#include "support/file_size_limit.h"
#include "support/killed_program.h"

namespace anmf::test {
namespace {

namespace fs = std::filesystem;

class FileSet : public ProgramTest {
 protected:
  [[nodiscard]] static Arguments run(const std::string& seed) {
    return {"factorize", "M.npy", "--rank", "4",  "--max-iterations", "5", "--tolerance", "0",
            "--seed",    seed,    "--out",  "out"};
  }
  [[nodiscard]] static Arguments fit(const std::string& components) {
    return {"transform", "M.npy", "--components", components, "--out", "new"};
  }
};

TEST_F(FileSet, IsDescribedByItsRunJson) {
  ASSERT_EQ(anmf(run("1")).exit_code, 0);
  const nlohmann::json files = read_json(file("out/run.json"))["files"];
  std::set<std::string> expected;
  for (const auto& entry : fs::directory_iterator(file("out"))) {
    const std::string name = entry.path().filename().string();
    if (name == "run.json") continue;
    expected.insert(name);
    EXPECT_EQ(files[name]["bytes"], fs::file_size(entry.path())) << name;
    EXPECT_EQ(files[name]["crc32"].get<std::string>().size(), 8U) << name;
  }
  std::set<std::string> found;
  for (const auto& each : files.items()) found.insert(each.key());
  EXPECT_EQ(found, expected);
}

TEST_F(FileSet, OfTwoRunsIsNeverMixedWhateverRenameIsTheLast) {
  ASSERT_EQ(anmf(run("1")).exit_code, 0);
  fs::copy(file("out"), file("first"));
  ASSERT_EQ(anmf(run("2")).exit_code, 0);
  fs::copy(file("out"), file("second"));
  const auto same = [&](const char* name, const char* folder) {
    return read_text(file("out") / name) == read_text(file(folder) / name);
  };
  bool refused = false;
  for (int n = 1;; ++n) {
    ASSERT_LT(n, 100);
    SCOPED_TRACE(n);
    fs::remove_all(file("out"));
    fs::copy(file("first"), file("out"));
    const End end = run_and_kill_at(n, file(""), kProgram, run("2"));
    if (end == End::not_traced) GTEST_SKIP() << "processes cannot be traced here";
    if (end == End::finished) break;
    fs::remove_all(file("new"));
    const Outcome outcome = anmf(fit("out"));
    const bool whole = fs::exists(file("out/run.json"));
    ASSERT_EQ(outcome.exit_code, whole ? 0 : 3) << outcome.err;
    refused |= !whole;
    if (!whole) continue;
    EXPECT_EQ(same("W.npy", "first"), same("H.npy", "first"));
    EXPECT_EQ(same("W.npy", "second"), same("H.npy", "second"));
  }
  EXPECT_TRUE(refused);
}

TEST_F(FileSet, ThatIsNoneIsRefusedWithASentence) {
  ASSERT_EQ(anmf(run("1")).exit_code, 0);
  ASSERT_EQ(anmf(fit("out")).exit_code, 0);
  const std::string W = read_text(file("new/W.npy"));
  ASSERT_EQ(anmf(fit("out/H.npy")).exit_code, 0);
  EXPECT_EQ(read_text(file("new/W.npy")), W);

  fs::rename(file("out/run.json"), file("run.json.away"));
  EXPECT_EQ(
      complaint(3, fit("out")),
      "anmf: 'out' has no run.json that speaks of H.npy, so its files may be of different runs: one was "
      "ended while it wrote them. Run it again, or name the file 'out/H.npy' itself.\n");
  EXPECT_EQ(anmf(fit("out/H.npy")).exit_code, 0);
  fs::rename(file("run.json.away"), file("out/run.json"));

  io::write_npy<double>(file("out/H.npy"), random_matrix(4, 20, 3).view());
  for (const char* components : {"out", "out/H.npy"}) {
    EXPECT_TRUE(contains(complaint(3, fit(components)),
                         "'out/H.npy' is not the file that 'out/run.json' describes: it is {\"bytes\":768,"));
  }
  fs::copy_file(file("out/H.npy"), file("H.npy"));
  EXPECT_EQ(anmf(fit("H.npy")).exit_code, 0);
}

TEST_F(FileSet, IsPublishedWithoutWhatThereIsNoRoomFor) {
  // The factors and run.json fit below the limit, and the names of the rows do not.
  constexpr rlim_t kFewBytes = 6000;
  std::string table;
  for (int i = 0; i < 30; ++i) {
    table += std::to_string(i) + std::string(300, 'x');
    for (int j = 0; j < 20; ++j) table += "," + std::to_string((i * 7 + j * j) % 13);
    table += "\n";
  }
  write_text(file("t.csv"), table);
  const Arguments arguments = {"factorize", "t.csv",       "--rank", "4",  "--max-iterations",
                               "5",         "--no-report", "--out",  "out"};
  ASSERT_EQ(anmf(arguments).exit_code, 0);
  ASSERT_TRUE(fs::exists(file("out/W.tsv")));
  fs::rename(file("out/W.npy"), file("W.npy"));
  Outcome outcome;
  {
    const FileSizeLimit limit(kFewBytes);
    outcome = anmf(arguments);
  }
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_TRUE(contains(outcome.err, "anmf: the results are in 'out', but without W.tsv"));
  EXPECT_TRUE(contains(outcome.err, "out/W.tsv: cannot be written: File too large."));
  EXPECT_TRUE(contains(outcome.out, "W.npy, H.npy, trace.csv, run.json\n"));
  EXPECT_EQ(read_text(file("out/W.npy")), read_text(file("W.npy")));
  EXPECT_FALSE(fs::exists(file("out/W.tsv")));  // the older one
  const nlohmann::json files = read_json(file("out/run.json"))["files"];
  EXPECT_TRUE(files.contains("W.npy"));
  EXPECT_FALSE(files.contains("W.tsv"));
}

TEST_F(FileSet, WithoutRoomForTheFactorsStaysAsItWas) {
  ASSERT_EQ(anmf(run("1")).exit_code, 0);
  const std::string description = read_text(file("out/run.json"));
  Outcome outcome;
  {
    const FileSizeLimit limit(500);
    outcome = anmf(run("2"));
  }
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_EQ(read_text(file("out/run.json")), description);
  EXPECT_EQ(anmf(fit("out")).exit_code, 0);
}

TEST_F(FileSet, OfAKilledConversionGoesAwayWithTheNext) {
  // A process that is no more, and one that is.
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  ASSERT_EQ(waitpid(gone, nullptr, 0), gone);
  const std::string dead = ".M.npz." + std::to_string(gone) + "-0.tmp";
  const std::string alive = ".M.npz." + std::to_string(getpid()) + "-0.tmp";
  for (const std::string& name : {dead, alive}) write_text(file(name), "begun");
  ASSERT_EQ(anmf({"convert", "M.npy", "M.npz"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(file(dead)));
  EXPECT_TRUE(fs::exists(file(alive)));
}

}  // namespace
}  // namespace anmf::test
