// SPDX-License-Identifier: MIT
#include "survey_watch.h"

#include <nanobind/stl/string.h>

#include <chrono>
#include <condition_variable>
#include <string>
#include <thread>

namespace anmf::python {
namespace {

namespace nb = nanobind;

constexpr std::chrono::milliseconds kBetweenLooks(50);

}  // namespace

void run_aside(Call& call, std::atomic<bool>& stop, const std::function<void()>& work) {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr failure;
  std::exception_ptr end_of_call;
  {
    const nb::gil_scoped_release no_gil;
    std::thread worker([&] {
      try {
        work();
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      done = true;
      changed.notify_one();
    });
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, kBetweenLooks, [&] { return done; })) {
      if (end_of_call) continue;
      lock.unlock();
      try {
        call.look();
      } catch (...) {
        end_of_call = std::current_exception();
        stop = true;
      }
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (end_of_call) std::rethrow_exception(end_of_call);
  if (failure) std::rethrow_exception(failure);
}

template <class T>
nb::object PySurveyObserver<T>::call_on_job(const JobRecord& record, const SurveyProgress& progress) const {
  return on_job_(record.key.rank, std::string(to_string(record.key.kind)), record.key.number,
                 std::string(to_string(record.status)), record.relative_error, progress.done, progress.total,
                 progress.made, progress.at_a_time, progress.seconds, progress.seconds_left);
}

template class PySurveyObserver<float>;
template class PySurveyObserver<double>;

}  // namespace anmf::python
