// SPDX-License-Identifier: MIT
// A survey in a folder: what is kept comes back, what is damaged counts as absent, and the end of a process
// between two files loses nothing.
#include "survey_folder_fixture.h"

namespace anmf::test {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

class SurveyFolder : public SurveyFolderTest {
 protected:
  /// Every file below the folder but for those of the tables.
  [[nodiscard]] std::vector<fs::path> data_files() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(path())) {
      if (entry.is_regular_file() && entry.path().filename() != report::kSurveyFile)
        files.push_back(entry.path());
    }
    return files;
  }
  /// Opens the folder anew with each of these contents of a file, and then as it was.
  void with_contents(const fs::path& file, const std::vector<std::string>& contents) const {
    fs::copy(path(), aside("whole"), fs::copy_options::recursive);
    for (const std::string& content : contents) {
      write_text(file, content);
      Folder folder(path(), settings());
      const Index found = found_as_kept(folder);
      const Index starts = summed_up_as_kept(folder, 2);
      EXPECT_LE(found, static_cast<Index>(kept_.size()));
      EXPECT_LE(starts, 4);
      fs::remove_all(path());
      fs::copy(aside("whole"), path(), fs::copy_options::recursive);
      if (HasFailure()) break;
    }
    fs::remove_all(aside("whole"));
  }
};

TEST_F(SurveyFolder, GivesBackEveryJob) {
  {
    Folder folder(path(), settings());
    keep_starts(folder, 2, {{0, 3.0}, {1, 1.0 / 3}, {7, RankSummary::kNone}});
    keep(folder, made_up<double>(start(3, 0), 2.5, JobStatus::iteration_limit));
    keep(folder, made_up<double>(start(3, 1), RankSummary::kNone, JobStatus::failed));
    keep(folder, made_up<double>({3, JobKind::heldout, 4}, 1e-300));
    keep(folder, made_up<double>({3, JobKind::bcv, 0}, 1e300));
    EXPECT_EQ(found_as_kept(folder), 7);
  }
  EXPECT_EQ(files_in("jobs/k03"), (Names{"b0000.npz", "h0004.npz", "s0000.npz", "s0001.npz"}));
  Folder folder(path(), settings());
  EXPECT_EQ(found_as_kept(folder), 7);
  EXPECT_FALSE(folder.find(start(2, 2)));
  EXPECT_FALSE(folder.find({2, JobKind::heldout, 0}));
  EXPECT_FALSE(folder.find(start(4, 0)));
  EXPECT_EQ(summed_up_as_kept(folder, 2), 3);
  EXPECT_EQ(summed_up_as_kept(folder, 3), 1);
  EXPECT_EQ(summed_up_as_kept(folder, 4), 0);
}

TEST_F(SurveyFolder, KeepsTheFactorsOfTheBestStart) {
  Folder folder(path(), settings());
  const auto expect_best = [&](Index number) {
    const JobResult<double> best = folder.best(2);
    EXPECT_EQ(best.record.key, start(2, number));
    EXPECT_EQ(best.usages, kept_.at(start(2, number)).usages);
    Folder another(path(), settings());
    EXPECT_EQ(another.best(2).record.key, start(2, number));
  };
  EXPECT_EQ(folder.best(2).usages.size(), 0);
  keep_starts(folder, 2, {{5, RankSummary::kNone}});
  EXPECT_EQ(folder.best(2).usages.size(), 0);  // NaN is no error
  keep_starts(folder, 2, {{2, 4.0}});
  expect_best(2);
  keep_starts(folder, 2, {{3, 4.0}});
  expect_best(2);
  keep_starts(folder, 2, {{1, 4.0}});
  expect_best(1);
  keep_starts(folder, 2, {{4, 3.0}, {6, 5.0}});
  expect_best(4);
  EXPECT_EQ(files_in("factors/k02"), Names{"s0004.npz"});
}

TEST_F(SurveyFolder, KeepsTheFactorsOfAllStartsIfItIsTold) {
  auto all = settings();
  all.keep_usages = true;
  Folder folder(path(), all);
  keep_starts(folder, 2, {{0, 2.0}, {1, 1.0}, {2, 3.0}});
  EXPECT_EQ(files_in("factors/k02"), (Names{"s0000.npz", "s0001.npz", "s0002.npz"}));
  EXPECT_EQ(io::read_npz<double>(path("factors/k02/s0002.npz"), "usages"), kept_.at(start(2, 2)).usages);
}

TEST_F(SurveyFolder, PacksStartsAndAddsOthersLater) {
  {
    Folder folder(path(), settings());
    keep_starts(folder, 2, {{3, 3.0}, {0, 1.0}});
    keep(folder, made_up<double>({2, JobKind::heldout, 1}, 0.5));
    EXPECT_EQ(summed_up_as_kept(folder, 2), 2);
    EXPECT_EQ(files_in("jobs/k02"), Names{});
    EXPECT_EQ(files_in("jobs"), (Names{"k02", "k02.npz"}));
    EXPECT_EQ(found_as_kept(folder), 3);
  }
  EXPECT_EQ(io::read_npy<double>(path("spectra/k02.npy")).rows(), 4);
  EXPECT_EQ(io::read_npy<std::uint16_t>(path("labels/k02.npy")).rows(), 2);
  {
    Folder folder(path(), settings());
    EXPECT_EQ(found_as_kept(folder), 3);
    const auto before = fs::last_write_time(path("jobs/k02.npz"));
    EXPECT_EQ(summed_up_as_kept(folder, 2), 2);
    EXPECT_EQ(fs::last_write_time(path("jobs/k02.npz")), before);  // nothing was new
    keep_starts(folder, 2, {{1, 2.0}});
  }
  Folder folder(path(), settings());
  EXPECT_EQ(folder.spectra(2).starts, (std::vector<Index>{0, 1, 3}));
  EXPECT_EQ(summed_up_as_kept(folder, 2), 3);
  EXPECT_EQ(found_as_kept(folder), 4);
  EXPECT_EQ(folder.best(2).record.key, start(2, 0));
}

TEST_F(SurveyFolder, TakesWhatOthersMakeMeanwhile) {
  Folder one(path(), settings());
  Folder two(path(), settings());
  keep_starts(one, 2, {{0, 2.0}});
  EXPECT_TRUE(two.find(start(2, 0)));
  keep_starts(two, 2, {{1, 1.0}});
  keep_starts(one, 2, {{2, 3.0}});
  EXPECT_EQ(summed_up_as_kept(one, 2), 3);
  EXPECT_EQ(one.best(2).record.key, start(2, 1));
}

TEST_F(SurveyFolder, TakesATruncatedFileForNone) {
  Folder folder(path(), settings());
  keep_starts(folder, 2, {{0, 3.0}, {1, 1.0}});
  keep(folder, made_up<double>({2, JobKind::heldout, 0}, 0.5));
  (void)folder.spectra(2);
  keep_starts(folder, 2, {{2, 2.0}, {3, 0.5}});
  const auto files = data_files();
  EXPECT_EQ(files.size(), 6U);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file);
    const std::string whole = read_text(file);
    std::vector<std::string> contents;
    for (const double share : {0.0, 0.5}) {
      const double size = share * static_cast<double>(whole.size());
      contents.push_back(whole.substr(0, static_cast<std::size_t>(size)));
    }
    contents.push_back(whole.substr(0, whole.size() - 1));
    contents.push_back(whole + "x");
    with_contents(file, contents);
  }
}

TEST_F(SurveyFolder, TakesAFileWithAFlippedByteForNone) {
  Folder folder(path(), settings());
  keep_starts(folder, 2, {{0, 3.0}, {1, 1.0}});
  keep(folder, made_up<double>({2, JobKind::bcv, 0}, 0.5));
  (void)folder.spectra(2);
  keep_starts(folder, 2, {{2, 2.0}, {3, 0.5}});
  for (const fs::path& file : data_files()) {
    SCOPED_TRACE(file);
    const std::string whole = read_text(file);
    std::vector<std::string> contents;
    for (std::size_t k = 0; k < whole.size(); k += 1 + whole.size() / 6) {
      contents.push_back(whole);
      contents.back()[k] = static_cast<char>(contents.back()[k] ^ 0x11);
    }
    with_contents(file, contents);
  }
}

TEST_F(SurveyFolder, MakesWhatIsDamagedAgain) {
  {
    Folder folder(path(), settings());
    keep_starts(folder, 2, {{0, 3.0}, {1, 1.0}, {2, 2.0}});
  }
  write_text(path("jobs/k02/s0002.npz"), "damaged");
  write_text(path("factors/k02/s0001.npz"), "damaged");  // of the best start, which then is wanted anew
  Folder folder(path(), settings());
  EXPECT_TRUE(folder.find(start(2, 0)));
  EXPECT_FALSE(folder.find(start(2, 1)));
  EXPECT_FALSE(folder.find(start(2, 2)));
  keep_starts(folder, 2, {{2, 2.0}});
  keep_starts(folder, 2, {{1, 1.0}});
  EXPECT_EQ(summed_up_as_kept(folder, 2), 3);
  EXPECT_EQ(folder.best(2).record.key, start(2, 1));
  EXPECT_EQ(folder.best(2).usages, kept_.at(start(2, 1)).usages);
}

TEST_F(SurveyFolder, WithoutTheFactorsOfTheBestHasThoseOfTheNext) {
  auto all = settings();
  all.keep_usages = true;
  {
    Folder folder(path(), all);
    keep_starts(folder, 2, {{0, 3.0}, {1, 1.0}, {2, 2.0}});
  }
  fs::remove(path("factors/k02/s0001.npz"));
  Folder folder(path(), all);
  EXPECT_FALSE(folder.find(start(2, 1)));
  EXPECT_EQ(folder.spectra(2).starts, (std::vector<Index>{0, 2}));
  EXPECT_EQ(folder.best(2).record.key, start(2, 2));
}

/// Every state of the folder between one set of packed starts and the next.
TEST_F(SurveyFolder, MayLoseItsProcessAtAnyMomentOfThePacking) {
  {
    Folder folder(path(), settings());
    keep_starts(folder, 2, {{0, 3.0}, {1, 1.0}});
    (void)folder.spectra(2);
    keep_starts(folder, 2, {{2, 0.5}, {3, 2.0}});
    keep(folder, made_up<double>({2, JobKind::heldout, 0}, 0.5));
  }
  fs::copy(path(), aside("before"), fs::copy_options::recursive);
  {
    Folder folder(path(), settings());
    EXPECT_EQ(summed_up_as_kept(folder, 2), 4);
  }
  fs::rename(path(), aside("after"));
  const auto over = fs::copy_options::overwrite_existing;
  using Step = std::function<void(const fs::path&)>;
  const auto put = [&](const std::string& name, const std::string& as) -> Step {
    return
        [this, name, as, over](const fs::path& to) { fs::copy_file(aside("after") / name, to / as, over); };
  };
  const auto take_place = [](const std::string& name, const std::string& as) -> Step {
    return [name, as](const fs::path& in) { fs::rename(in / name, in / as); };
  };
  std::vector<Step> steps = {
      put("spectra/k02.npy", "spectra/k02.next.npy"), put("labels/k02.npy", "labels/k02.next.npy"),
      put("jobs/k02.npz", "jobs/k02.npz"), take_place("spectra/k02.next.npy", "spectra/k02.npy"),
      take_place("labels/k02.next.npy", "labels/k02.npy")};
  for (const char* name : {"h0000.npz", "s0002.npz", "s0003.npz"})
    steps.push_back([name](const fs::path& in) { fs::remove(in / "jobs" / "k02" / name); });
  for (std::size_t done = 0; done <= steps.size(); ++done) {
    SCOPED_TRACE(done);
    fs::remove_all(path());
    fs::copy(aside("before"), path(), fs::copy_options::recursive);
    for (std::size_t k = 0; k < done; ++k) steps[k](path());
    Folder folder(path(), settings());
    EXPECT_EQ(found_as_kept(folder), 5);
    EXPECT_EQ(summed_up_as_kept(folder, 2), 4);
    EXPECT_EQ(folder.best(2).record.key, start(2, 2));
    for (const char* file : {"spectra/k02.npy", "labels/k02.npy"})
      EXPECT_EQ(read_text(path(file)), read_text(aside("after") / file)) << file;
    EXPECT_EQ(files_in("spectra"), Names{"k02.npy"});
  }
}

TEST_F(SurveyFolder, WritesTheConsensusAndTheBestStart) {
  Folder folder(path(), settings());
  keep_starts(folder, 2, {{0, 3.0}, {1, 1.0}});
  RankConsensus<double> consensus;
  consensus.summary.rank = 2;
  consensus.spectra = kept_.at(start(2, 0)).spectra;
  consensus.usages = kept_.at(start(2, 0)).usages;
  folder.keep(std::move(consensus));
  EXPECT_EQ(io::read_npy<double>(path("k02/H.npy")), kept_.at(start(2, 0)).spectra);
  EXPECT_EQ(io::read_npy<double>(path("k02/W.npy")), kept_.at(start(2, 0)).usages);
  EXPECT_EQ(io::read_npy<double>(path("k02/best/H.npy")), kept_.at(start(2, 1)).spectra);
  EXPECT_EQ(io::read_npy<double>(path("k02/best/W.npy")), kept_.at(start(2, 1)).usages);
}

TEST(SurveyFactorsOf, PutsSpectraOfRowsIntoW) {
  const Matrix<float> spectra = made_up<float>({2, JobKind::start, 0}, 1).spectra;
  const Matrix<float> usages = made_up<float>({2, JobKind::start, 0}, 1).usages;
  const auto factors = report::factors_of(spectra, usages, Side::W);
  EXPECT_EQ(factors.W, transposed(spectra));
  EXPECT_EQ(factors.H, transposed(usages));
}

}  // namespace
}  // namespace anmf::test
