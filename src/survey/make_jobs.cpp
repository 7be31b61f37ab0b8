// SPDX-License-Identifier: MIT
// Threads take jobs in their order, one thread each; a job that begins when there are fewer jobs than threads
// takes its share of the threads that are idle. Nothing of that changes the bits of a job.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "anmf/error.h"
#include "anmf/estimate.h"
#include "survey/job_forecast.h"
#include "survey/run_job.h"
#include "survey/shared_passes.h"

namespace anmf {
namespace {

/// Thrown through a job that is to end without a result.
struct JobAbandoned {};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// How often jobs ask whether to stop; to ask may take long, and they come by much more often.
constexpr std::chrono::milliseconds kAskAgain(20);

int threads_of(const SurveyOptions& options) {
  if (options.job.threads > 0) return options.job.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

SurveyInput place_of(Storage storage) {
  const bool disk = storage == Storage::dense_on_disk || storage == Storage::sparse_on_disk;
  return disk ? SurveyInput::disk : SurveyInput::memory;
}

template <class T>
class JobCrew {
 public:
  JobCrew(const Data<T>& data, const SurveyOptions& options, SurveyStore<T>& store,
          SurveyObserver<T>* observer, TakeJob take)
      : data_(data),
        options_(options),
        store_(store),
        observer_(observer),
        take_(std::move(take)),
        jobs_(survey_jobs(options)),
        done_(jobs_.size(), false),
        forecast_(data.rows(), data.cols(), data.nonzeros(), options),
        threads_(threads_of(options)) {
    if (!take_) take_ = [next = Index{0}]() mutable { return std::optional(next++); };
    look_for_jobs();
    const int most = jobs_at_a_time(options, threads_, place_of(data.storage()));
    crew_ = static_cast<int>(std::min<Index>(most, std::max<Index>(1, waiting_)));
  }

  void work() {
    if (waiting_ == 0) return;
    std::vector<std::thread> others;
    others.reserve(static_cast<std::size_t>(crew_));
    if (place_of(data_.storage()) == SurveyInput::disk && crew_ > 1)
      passes_.emplace(data_, threads_, [this, last_asked = Clock::now()]() mutable { look(last_asked); });
    serving_ = 1;
    try {
      for (int i = 1; i < crew_; ++i) {
        {
          const std::lock_guard lock(mutex_);
          ++serving_;
        }
        others.emplace_back([this] { serve(); });
      }
    } catch (const std::system_error&) {  // fewer at a time make the same jobs
      const std::lock_guard lock(mutex_);
      --serving_;
    }
    serve();
    wait_for_the_others();
    for (std::thread& other : others) other.join();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  struct Task {
    Index place = 0;
    int threads = 1;
  };

  [[nodiscard]] const JobKey& key_of(Index place) const { return jobs_[static_cast<std::size_t>(place)]; }

  /// The record of a job that need not be made.
  std::optional<JobRecord> known(const JobKey& key) {
    std::optional<JobRecord> record = store_.find(key);
    if (record && record->status == JobStatus::failed && options_.retry_failed) return std::nullopt;
    return record;
  }

  void look_for_jobs() {
    for (std::size_t place = 0; place < jobs_.size(); ++place) {
      if (const std::optional<JobRecord> record = known(jobs_[place])) {
        done_[place] = true;
        ++progress_.done;
        forecast_.found(*record);
      } else {
        ++waiting_;
        forecast_.add(jobs_[place]);
      }
    }
    progress_.total = static_cast<Index>(jobs_.size());
  }

  /// Somebody has taken all jobs up to this place.
  void pass(Index place) {
    for (; passed_ <= place; ++passed_) {
      if (!done_[static_cast<std::size_t>(passed_)]) --waiting_;
    }
  }

  /// The next job to be made, for a thread that has none.
  std::optional<Task> next() {
    if (wants_stop()) ended_ = true;
    const std::lock_guard lock(mutex_);
    while (!ended_) {
      const std::optional<Index> place = take_();
      if (!place || *place >= std::ssize(jobs_)) break;
      if (*place < 0) throw InvalidInput(fmt::format("job {} was taken; jobs are counted from 0.", *place));
      const Index left = std::max<Index>(1, waiting_);
      pass(*place);
      if (done_[static_cast<std::size_t>(*place)]) continue;
      if (const std::optional<JobRecord> record = known(key_of(*place))) {  // by another process
        done_[static_cast<std::size_t>(*place)] = true;
        ++progress_.done;
        forecast_.remove(record->key);
        forecast_.found(*record);
        continue;
      }
      const Index beside = std::min<Index>(left, crew_ - running_);
      const Task task{
          .place = *place,
          .threads = std::max(1, (threads_ - busy_) / static_cast<int>(std::max<Index>(1, beside)))};
      ++running_;
      if (!began_) began_ = Clock::now();
      busy_ += task.threads;
      return task;
    }
    return std::nullopt;
  }

  void make(const Task& task) {
    const JobKey key = key_of(task.place);
    const Clock::time_point began = Clock::now();
    std::optional<JobResult<T>> result;
    try {
      auto last_asked = Clock::now();
      ThreadPool pool(task.threads, [this, last_asked]() mutable { look(last_asked); });
      const std::unique_ptr<Data<T>> shared = passes_ ? passes_->join() : nullptr;
      result = run_job(shared ? *shared : data_, options_, key, pool);
    } catch (const JobAbandoned&) {
      result.reset();
    } catch (const std::exception& error) {
      result = JobResult<T>{.record = failed_job(options_, key, error.what())};
    } catch (...) {
      result = JobResult<T>{.record = failed_job(options_, key, "an error that says nothing of itself")};
    }
    const std::lock_guard lock(mutex_);
    --running_;
    busy_ -= task.threads;
    if (!result || error_) return;
    result->record.seconds = seconds_since(began);
    keep(task.place, std::move(*result));
  }

  void keep(Index place, JobResult<T>&& result) {
    const JobRecord record = result.record;
    store_.keep(std::move(result));
    done_[static_cast<std::size_t>(place)] = true;
    ++progress_.done;
    ++progress_.made;
    forecast_.made(record);
    progress_.at_a_time = crew_;
    progress_.seconds = seconds_since(began_.value_or(Clock::now()));
    progress_.seconds_left = forecast_.seconds_left(progress_.seconds);
    if (observer_ != nullptr) observer_->on_job(record, progress_);
  }

  void serve() {
    try {
      while (const std::optional<Task> task = next()) make(*task);
    } catch (...) {
      end(std::current_exception());
    }
    const std::lock_guard lock(mutex_);
    --serving_;
    over_.notify_one();
  }

  /// The calling thread may be the only one that is told of signals.
  void wait_for_the_others() {
    std::unique_lock lock(mutex_);
    while (!over_.wait_for(lock, kAskAgain, [this] { return serving_ == 0; })) {
      lock.unlock();
      if (!ended_ && wants_stop()) ended_ = true;
      lock.lock();
    }
  }

  void end(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    ended_ = true;
  }

  /// What the observer throws ends the survey, and is no failure of a job.
  bool wants_stop() {
    try {
      return observer_ != nullptr && observer_->stop();
    } catch (...) {
      end(std::current_exception());
      return true;
    }
  }

  void look(Clock::time_point& last_asked) {
    const auto now = Clock::now();
    if (!ended_ && now - last_asked >= kAskAgain) {
      last_asked = now;
      if (wants_stop()) ended_ = true;
    }
    if (ended_) throw JobAbandoned();
  }

  const Data<T>& data_;
  const SurveyOptions& options_;
  SurveyStore<T>& store_;
  SurveyObserver<T>* observer_;
  TakeJob take_;
  const std::vector<JobKey> jobs_;
  std::optional<SharedPasses<T>> passes_;  // where M is on disk

  std::mutex mutex_;  // of what follows, and of calls of the store, the observer and the taker
  std::condition_variable over_;
  std::vector<bool> done_;
  JobForecast forecast_;
  SurveyProgress progress_;
  std::optional<Clock::time_point> began_;  // the first job
  std::exception_ptr error_;
  Index waiting_ = 0;  // jobs that nobody has taken
  Index passed_ = 0;   // place of the next one
  int threads_;
  int crew_ = 1;
  int running_ = 0;
  int busy_ = 0;     // threads of these
  int serving_ = 0;  // threads of the crew that have not ended
  std::atomic<bool> ended_ = false;
};

}  // namespace

template <class T>
void make_jobs(const Data<T>& data, const SurveyOptions& options, SurveyStore<T>& store,
               SurveyObserver<T>* observer, TakeJob take) {
  check_survey(data, options);
  JobCrew<T>(data, options, store, observer, std::move(take)).work();
}

template void make_jobs(const Data<float>&, const SurveyOptions&, SurveyStore<float>&, SurveyObserver<float>*,
                        TakeJob);
template void make_jobs(const Data<double>&, const SurveyOptions&, SurveyStore<double>&,
                        SurveyObserver<double>*, TakeJob);

}  // namespace anmf
