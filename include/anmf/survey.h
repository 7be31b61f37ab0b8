// SPDX-License-Identifier: MIT
// A survey: many starts of many ranks over one matrix, entries held out, and what the runs agree on. Its jobs
// are factorizations with the bits of factorize() alone, whoever makes them and in whichever order.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anmf/consensus.h"
#include "anmf/data.h"
#include "anmf/options.h"

namespace anmf {

enum class JobKind {
  start,    ///< a factorization of M, which takes part in the consensus
  heldout,  ///< of M without some entries, by which it is judged
  bcv,      ///< of a quarter of M, judged by the opposite one (bi-cross-validation)
};
[[nodiscard]] std::string_view to_string(JobKind kind);

struct JobKey {
  Index rank = 0;
  JobKind kind = JobKind::start;
  Index number = 0;  ///< of the start, or of the repeat
  auto operator<=>(const JobKey&) const = default;
};

enum class JobStatus { converged, iteration_limit, failed };
[[nodiscard]] std::string_view to_string(JobStatus status);

/// How a job ended: a row of jobs.csv.
struct JobRecord {
  JobKey key;
  std::uint64_t seed = 0;  ///< with which factorize() repeats the job
  JobStatus status = JobStatus::failed;
  Index iterations = 0;
  double seconds = 0;
  /// Of M for a start; of what was held out for the other kinds, relative to its mean in the place of a
  /// model.
  double error = std::numeric_limits<double>::quiet_NaN();
  double relative_error = std::numeric_limits<double>::quiet_NaN();
  double kkt = std::numeric_limits<double>::quiet_NaN();
  std::string message;
};

/// A job with what it found. Factors stand as the survey looks at them: features are the columns of the
/// spectra, and samples the rows of the usages, wherever they are in M.
template <class T>
struct JobResult {
  JobRecord record;
  Matrix<T> spectra;                  ///< k x features; empty unless a start that did not fail
  Matrix<T> usages;                   ///< samples x k; likewise
  std::vector<std::uint16_t> labels;  ///< the strongest component of every sample, 1 to k; 0: none
};

enum class Holdout { speckled, bcv, none };
enum class ClusterKind {
  matched,  ///< every start gives a spectrum to every cluster
  free,     ///< by k-means
};

struct ClusterOptions {
  ClusterKind kind = ClusterKind::matched;
  /// Spectra whose local density is at least this are left out; 2 leaves out none. Default 2, free 0.5.
  std::optional<double> density_threshold;
  double neighbourhood = 0.3;  ///< share of the starts that the density looks at
};

/// What is done to the entries of M before every start, so that the spread of the starts is that of the data,
/// too.
struct Resampling {
  enum class Kind { none, poisson, multinomial, uniform } kind = Kind::none;
  double width = 0;  ///< of uniform: entries times a number in [1 - width, 1 + width]
};

/// The defaults of a job: as those of factorize(), with 5000 iterations and without exploration.
[[nodiscard]] Options survey_job();

struct SurveyOptions {
  std::vector<Index> ranks;  ///< ascending, no two equal
  Index starts = 50;
  std::uint64_t seed = 0;
  /// Of every job; its rank, seed, heldout and heldout_seed are set by the survey, explore is off, and
  /// threads are those of all jobs together. Rules for the rank compare runs that have converged.
  Options job = survey_job();
  /// Which factor has the spectra: H if the features are the columns of M.
  Side spectra = Side::H;
  Holdout heldout = Holdout::speckled;
  double heldout_fraction = 0.1;
  Index heldout_repeats = 5;
  ClusterOptions clusters;
  Resampling resampling;
  Index consensus_rows = 2000;  ///< samples of the consensus matrix, at most
  int jobs = 0;                 ///< at a time; 0: one for every thread
  bool retry_failed = false;
};

/// The options of one job: factorize(data, job_options(...)) makes it, but for bcv, and unless entries are
/// resampled.
[[nodiscard]] Options job_options(const SurveyOptions& options, const JobKey& key);

/// Every job in the order in which they are begun: ten starts of every rank, the largest first, what is held
/// out, and then ten starts more, so that a survey that is cut is a smaller one.
[[nodiscard]] std::vector<JobKey> survey_jobs(const SurveyOptions& options);

/// A row of survey.csv. Errors are those of `JobRecord::error`; NaN where there is nothing to tell.
struct RankSummary {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Index rank = 0;
  Index starts = 0;  ///< that are done
  Index failed = 0;  ///< jobs of any kind
  Index converged = 0;
  double error_best = kNone;
  double error_median = kNone;
  double error_worst = kNone;
  double explained = kNone;       ///< share of the energy by the best start: 1 - relative_error^2
  double silhouette = kNone;      ///< Euclidean, the mean over spectra
  double silhouette_min = kNone;  ///< the worst cluster's mean
  double silhouette_cosine = kNone;
  double instability = kNone;
  double cophenetic = kNone;
  double dispersion = kNone;
  double sparseness_w = kNone;  ///< of the columns of W of the best start, the mean
  double sparseness_h = kNone;  ///< of the rows of H
  double consensus_error = kNone;
  double heldout = kNone;  ///< mean of the relative errors over the repeats
  double heldout_se = kNone;
  double bcv = kNone;  ///< likewise
  Index outliers = 0;  ///< spectra that were left out
  double seconds = 0;  ///< of all jobs of this rank
  bool suggested = false;
};

/// A row of components.csv. Components are numbered from 1, the most used first.
struct ComponentSummary {
  Index rank = 0;
  Index component = 0;
  Index members = 0;  ///< spectra in its cluster
  double silhouette = RankSummary::kNone;
  double spread = RankSummary::kNone;  ///< mean of 1 - cosine of the members and the centre
  double usage = 0;                    ///< mean over the samples of its share in a sample
  Index parent = 0;                    ///< the most similar one at the next smaller rank; 0: none
  double parent_cosine = RankSummary::kNone;
};

/// What the starts of a rank agree on.
template <class T>
struct RankConsensus {
  RankSummary summary;
  std::vector<ComponentSummary> components;
  Matrix<T> spectra;            ///< k x features, the most used first
  Matrix<T> usages;             ///< samples x k, fitted to the spectra
  std::vector<Index> starts;    ///< those done, ascending
  Clusters clusters;            ///< of their spectra, numbered as the components are (from 0)
  std::vector<double> density;  ///< of their spectra
  double density_threshold = 2;
  Silhouettes euclidean;
  std::vector<Index> sampled;          ///< samples of `consensus`, in its order
  Matrix<float> consensus;             ///< similar samples beside each other: in the order of their linkage
  std::vector<double> start_errors;    ///< relative errors, beside `starts`
  std::vector<double> heldout_errors;  ///< relative errors of the repeats
  std::vector<std::string> notes;
};

/// The spectra of all starts of a rank that did not fail.
struct RankSpectra {
  std::vector<Index> starts;  ///< ascending
  Matrix<double> spectra;     ///< S k x features
  SampleLabels labels;        ///< S x samples
};

/// Keeps what jobs found: in a folder, so that a survey goes on where it was, or in memory. The survey makes
/// one call at a time.
template <class T>
class SurveyStore {
 public:
  virtual ~SurveyStore() = default;
  /// The record of a job that has been made, whole and with these options.
  [[nodiscard]] virtual std::optional<JobRecord> find(const JobKey& key) = 0;
  /// Of starts it keeps spectra and labels, and the usages of the best one: that with the least error, the
  /// first of equals; NaN is no error. A job that is there already is replaced.
  virtual void keep(JobResult<T>&& result) = 0;
  /// Of all starts that it has, be they more than the survey asks for now.
  [[nodiscard]] virtual RankSpectra spectra(Index rank) = 0;
  /// The best start with its factors.
  [[nodiscard]] virtual JobResult<T> best(Index rank) = 0;
  /// Rank by rank, ascending; nobody else keeps it.
  virtual void keep(RankConsensus<T>&& consensus) = 0;
};

/// A store in memory.
template <class T>
class SurveyMemory final : public SurveyStore<T> {
 public:
  [[nodiscard]] std::optional<JobRecord> find(const JobKey& key) override;
  /// A start whose usages are empty is not the best one.
  void keep(JobResult<T>&& result) override;
  [[nodiscard]] RankSpectra spectra(Index rank) override;
  [[nodiscard]] JobResult<T> best(Index rank) override;
  void keep(RankConsensus<T>&& consensus) override;

  /// What the starts of a rank agree on; null until that has been summed up.
  [[nodiscard]] const RankConsensus<T>* found(Index rank) const;

 private:
  std::map<JobKey, JobResult<T>> jobs_;
  std::map<Index, Index> best_;  // numbers of starts by rank
  std::map<Index, RankConsensus<T>> consensus_;
};

struct SurveyTable {
  std::vector<RankSummary> ranks;
  std::vector<ComponentSummary> components;
  std::vector<JobRecord> jobs;  ///< by rank, kind and number
  RankSuggestion suggestion;
  std::vector<std::string> notes;
  bool stopped = false;  ///< by the observer, before all jobs were made
};

struct SurveyProgress {
  Index done = 0;  ///< of `total`, those found in the store included
  Index total = 0;
  Index made = 0;  ///< by this call
  int at_a_time = 1;
  double seconds = 0;                        ///< since the first job began
  double seconds_left = RankSummary::kNone;  ///< by the flops that are left; NaN until a job has been made
};

/// Called one at a time, from the threads that make jobs.
template <class T>
class SurveyObserver {
 public:
  virtual ~SurveyObserver() = default;
  virtual void on_job(const JobRecord& record, const SurveyProgress& progress) {
    (void)record;
    (void)progress;
  }
  /// Before a rank is looked at, after all jobs.
  virtual void on_rank(Index rank) { (void)rank; }
  /// Asked often, from any thread: true abandons the jobs under way; what is there is summed up.
  [[nodiscard]] virtual bool stop() { return false; }
};

/// Which jobs a process makes, where several share a survey by one folder. Called one at a time: the place in
/// survey_jobs() of the next one, beginning with 0, or nothing when there is none left.
using TakeJob = std::function<std::optional<Index>()>;

/// Throws InvalidInput where survey() would before any work: options out of range, or that do not go
/// together.
template <class T>
void check_survey(const Data<T>& data, const SurveyOptions& options);

/// Makes the jobs that the store lacks, one thread each as long as there are as many jobs; all of them ask
/// `data` for products at the same time. A job that fails is recorded with its message, and the others go on.
/// What the store or the observer throws ends the survey and comes out.
template <class T>
void make_jobs(const Data<T>& data, const SurveyOptions& options, SurveyStore<T>& store,
               SurveyObserver<T>* observer = nullptr, TakeJob take = {});

/// Sums up what the store has: clusters, measures, consensus and the suggestion, one rank at a time. It does
/// not ask the observer whether to stop.
template <class T>
[[nodiscard]] SurveyTable summarize(const Data<T>& data, const SurveyOptions& options, SurveyStore<T>& store,
                                    SurveyObserver<T>* observer = nullptr);

/// What the starts of one rank agree on, with other clusters than those of the survey, perhaps. Throws
/// InvalidInput if fewer spectra are dense enough than there are clusters. Parents are left to
/// find_parents().
template <class T>
[[nodiscard]] RankConsensus<T> consensus(const Data<T>& data, const SurveyOptions& options,
                                         SurveyStore<T>& store, Index rank);

/// The parents of components with these spectra (k x features) among those of the next smaller rank: each has
/// the spectrum of the largest cosine.
template <class T>
void find_parents(std::vector<ComponentSummary>& components, ConstMatrixView<T> spectra,
                  ConstMatrixView<T> smaller);

/// All of it.
template <class T>
[[nodiscard]] SurveyTable survey(const Data<T>& data, const SurveyOptions& options, SurveyStore<T>& store,
                                 SurveyObserver<T>* observer = nullptr);

}  // namespace anmf
