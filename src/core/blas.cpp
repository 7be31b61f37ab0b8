// SPDX-License-Identifier: MIT
#include "core/blas.h"

#include <pthread.h>

namespace anmf::blas {
namespace {

struct ThreadSetting {
  std::mutex mutex;
  int users = 0;
  int before = 0;
};

ThreadSetting& thread_setting() {
  static ThreadSetting setting;
  // A fork waits until nobody is changing the setting: the child would find the lock taken for ever.
  [[maybe_unused]] static const int registered = pthread_atfork([] { setting.mutex.lock(); },    //
                                                                [] { setting.mutex.unlock(); },  //
                                                                [] { setting.mutex.unlock(); });
  return setting;
}

}  // namespace

SingleThreaded::SingleThreaded() {
  ThreadSetting& setting = thread_setting();
  const std::lock_guard lock(setting.mutex);
  if (setting.users++ > 0) return;
  setting.before = openblas_get_num_threads();
  openblas_set_num_threads(1);
}

SingleThreaded::~SingleThreaded() {
  ThreadSetting& setting = thread_setting();
  const std::lock_guard lock(setting.mutex);
  if (--setting.users == 0) openblas_set_num_threads(setting.before);
}

std::unique_lock<std::mutex> detail::take_turns() {
  static std::mutex mutex;
  static const bool serial_build = openblas_get_parallel() == OPENBLAS_SEQUENTIAL;
  return serial_build ? std::unique_lock(mutex) : std::unique_lock<std::mutex>();
}

}  // namespace anmf::blas
