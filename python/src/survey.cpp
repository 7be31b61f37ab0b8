// SPDX-License-Identifier: MIT
// A survey of a matrix that Python holds, kept in memory or in a folder (report/survey_folder.h).
#include "survey.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "anmf/error.h"
#include "anmf/estimate.h"
#include "anmf/survey.h"
#include "call.h"
#include "matrix.h"
#include "report.h"
#include "survey_options.h"
#include "survey_values.h"
#include "survey_watch.h"
#if ANMF_SURVEY_FOLDERS
#include "report_page.h"
#include "survey_folder.h"
#include "survey_report.h"
#endif

namespace anmf::python {
namespace {

template <class T>
constexpr std::string_view precision_name() {
  return std::is_same_v<T, float> ? "float32" : "float64";
}

/// Where the jobs are, and what the program would write beside them.
struct Place {
  std::string folder;  ///< empty: in memory
  std::string name;    ///< of the matrix
  std::string title;
  std::string command;
  bool keep_usages = false;
  bool mix_versions = false;
};

/// A survey of either type.
class PySurvey {
 public:
  virtual ~PySurvey() = default;
  /// Makes what is missing, and with `sum_up` the tables.
  virtual nb::dict make(bool sum_up, nb::object on_job, nb::object on_rank) = 0;
  virtual nb::dict consensus(Index rank, const SurveyOptions* other) = 0;
  virtual nb::dict best(Index rank) = 0;
  virtual nb::tuple spectra(Index rank) = 0;
#if ANMF_SURVEY_FOLDERS
  virtual std::string page(const nb::dict& labels) = 0;
#endif
};

template <class T>
class SurveyOf final : public PySurvey {
 public:
  SurveyOf(nb::object matrix, const Data<T>& data, SurveyOptions options, Place place,
           const report::ReportLabels& labels)
      : matrix_(std::move(matrix)), data_(data), options_(std::move(options)), place_(std::move(place)) {
    Call call;
    const nb::gil_scoped_release no_gil;
    check_survey(data_, options_);
    if (place_.folder.empty()) {
      auto memory = std::make_unique<SurveyMemory<T>>();
      memory_ = memory.get();
      store_ = std::move(memory);
    } else {
      open_folder(labels, call);
    }
  }

  nb::dict make(bool sum_up, nb::object on_job, nb::object on_rank) override {
    std::atomic<bool> interrupted = false;
    PySurveyObserver<T> observer(std::move(on_job), std::move(on_rank), interrupted);
    Call call;
    run_aside(call, interrupted, [&] {
      const std::lock_guard lock(mutex_);
      const auto began = std::chrono::steady_clock::now();
      if (sum_up) {
        table_ = survey(data_, options_, *store_, &observer);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
        seconds_ = seconds.count();
        publish();
      } else {
        make_jobs(data_, options_, *store_, &observer);
      }
    });
    return describe_table(table_);
  }

  nb::dict consensus(Index rank, const SurveyOptions* other) override {
    std::optional<RankConsensus<T>> made;
    const RankConsensus<T>* found = nullptr;
    Call call;
    {
      const nb::gil_scoped_release no_gil;
      const std::lock_guard lock(mutex_);
      if (other == nullptr) found = found_in_memory(rank);
      if (found == nullptr) {
        made = anmf::consensus(data_, other == nullptr ? options_ : *other, *store_, rank);
        found = &*made;
      }
    }
    return describe_consensus(*found);
  }

  nb::dict best(Index rank) override {
    JobResult<T> start;
    {
      Call call;
      const nb::gil_scoped_release no_gil;
      const std::lock_guard lock(mutex_);
      start = store_->best(rank);
    }
    return describe_start(std::move(start));
  }

  nb::tuple spectra(Index rank) override {
    RankSpectra all;
    {
      Call call;
      const nb::gil_scoped_release no_gil;
      const std::lock_guard lock(mutex_);
      all = store_->spectra(rank);
    }
    return nb::make_tuple(vector_to_numpy(std::move(all.starts)), to_numpy(std::move(all.spectra)),
                          to_numpy(std::move(all.labels)));
  }

#if ANMF_SURVEY_FOLDERS
  std::string page(const nb::dict& known) override {
    const report::ReportLabels labels = labels_from(known, data_.rows(), data_.cols());
    Call call;
    const nb::gil_scoped_release no_gil;
    const std::lock_guard lock(mutex_);
    // Of a folder that was not surveyed by this object, but by another one before.
    if (table_.ranks.empty() && folder_ != nullptr) table_ = report::read_survey(folder_->path()).table;
    report::SurveyPictures pictures(options_.ranks, options_.spectra, labels, options_.job.threads);
    for (const RankSummary& row : table_.ranks) {
      if (const RankConsensus<T>* const found = found_in_memory(row.rank)) {
        pictures.add(*found, store_->spectra(row.rank));
      } else {
        pictures.add(anmf::consensus(data_, options_, *store_, row.rank), store_->spectra(row.rank));
      }
      call.look();
    }
    ThreadPool pool(options_.job.threads, call.interrupt());
    const auto description =
        report::describe_survey(report::survey_input(place_.name, data_, pool),
                                report::survey_key(options_, precision_name<T>()), table_, seconds_);
    return report::report_page(
        report::survey_report(place_.title, place_.command, description, table_, pictures));
  }
#endif

 private:
  void open_folder([[maybe_unused]] const report::ReportLabels& labels, [[maybe_unused]] Call& call) {
#if ANMF_SURVEY_FOLDERS
    ThreadPool pool(options_.job.threads, call.interrupt());
    auto folder = std::make_unique<report::SurveyFolder<T>>(
        place_.folder, report::SurveyFolderSettings{.input = report::survey_input(place_.name, data_, pool),
                                                    .key = report::survey_key(options_, precision_name<T>()),
                                                    .spectra = options_.spectra,
                                                    .keep_usages = place_.keep_usages,
                                                    .mix_versions = place_.mix_versions});
    if (report::has_report_page()) {
      pictures_ = std::make_unique<report::SurveyPictures>(options_.ranks, options_.spectra, labels,
                                                           options_.job.threads);
      folder->set_pictures(pictures_.get());
    }
    folder_ = folder.get();
    store_ = std::move(folder);
#else
    throw InvalidInput("This build of anmf has no readers and writers of files; surveys stay in memory.");
#endif
  }

  void publish() {
#if ANMF_SURVEY_FOLDERS
    if (folder_ != nullptr) folder_->publish(table_, seconds_, place_.title, place_.command);
#endif
  }

  [[nodiscard]] const RankConsensus<T>* found_in_memory(Index rank) const {
    return memory_ == nullptr ? nullptr : memory_->found(rank);
  }

  nb::object matrix_;  // keeps what data_ is of
  const Data<T>& data_;
  SurveyOptions options_;
  Place place_;
  std::mutex mutex_;  // stores are not made for several threads
#if ANMF_SURVEY_FOLDERS
  std::unique_ptr<report::SurveyPictures> pictures_;  // outlives the folder
  report::SurveyFolder<T>* folder_ = nullptr;
#endif
  SurveyMemory<T>* memory_ = nullptr;
  std::unique_ptr<SurveyStore<T>> store_;
  SurveyTable table_;
  double seconds_ = 0;
};

std::unique_ptr<PySurvey> survey_of(const nb::object& matrix, const SurveyOptions& options,
                                    const std::string& folder, const std::string& name,
                                    const std::string& title, const std::string& command, bool keep_usages,
                                    bool mix_versions, const nb::dict& labels) {
  return nb::cast<const PyMatrix&>(matrix).with_data(
      [&]<class T>(const Data<T>& data) -> std::unique_ptr<PySurvey> {
        return std::make_unique<SurveyOf<T>>(matrix, data, options,
                                             Place{.folder = folder,
                                                   .name = name,
                                                   .title = title,
                                                   .command = command,
                                                   .keep_usages = keep_usages,
                                                   .mix_versions = mix_versions},
                                             labels_from(labels, data.rows(), data.cols()));
      });
}

/// Jobs at a time, and the most bytes that the survey takes then.
std::pair<int, double> needs_of(const PyMatrix& M, const SurveyOptions& options, bool in_memory) {
  return M.with_data([&]<class T>(const Data<T>& data) {
    const SurveyNeeds needs =
        survey_memory<T>(data.rows(), data.cols(), data.nonzeros(), options, options.job.threads);
    return std::pair(needs.jobs, needs.peak(in_memory));
  });
}

#if ANMF_SURVEY_FOLDERS
/// survey.json, and the tables.
nb::tuple read_folder(const std::string& folder) {
  const report::SavedSurvey saved = report::read_survey(folder);
  return nb::make_tuple(saved.description.dump(), describe_table(saved.table));
}
#endif

}  // namespace

void bind_survey(nb::module_& module) {
  bind_survey_options(module);
  module.def("survey_job", &survey_job);
  nb::class_<PySurvey> survey(module, "Survey");
  survey.def("make", &PySurvey::make, nb::arg("sum_up"), nb::arg("on_job").none(), nb::arg("on_rank").none())
      .def("consensus", &PySurvey::consensus, nb::arg("rank"), nb::arg("other").none())
      .def("best", &PySurvey::best, nb::arg("rank"))
      .def("spectra", &PySurvey::spectra, nb::arg("rank"));
  module.def("survey", &survey_of, nb::arg("matrix"), nb::arg("options"), nb::kw_only(), nb::arg("folder"),
             nb::arg("name"), nb::arg("title"), nb::arg("command"), nb::arg("keep_usages"),
             nb::arg("mix_versions"), nb::arg("labels"));
  module.def("survey_needs", &needs_of, nb::arg("matrix"), nb::arg("options"), nb::arg("in_memory"));
#if ANMF_SURVEY_FOLDERS
  survey.def("page", &PySurvey::page, nb::arg("labels"));
  module.def("read_survey", &read_folder, nb::arg("folder"));
#endif
}

}  // namespace anmf::python
