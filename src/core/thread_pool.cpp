// SPDX-License-Identifier: MIT
#include <hwy/cache_control.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "anmf/parallel.h"
#include "core/blas.h"

namespace anmf {
namespace {

// Handing out a loop and waiting for the last thread takes some ten microseconds, several times that where
// threads have gone to sleep between the short loops of a small problem; a core does this much work in that
// time.
constexpr double kSmallLoopFlops = 2e5;

// Rounds of waiting before a thread goes to sleep: some fifty microseconds.
constexpr int kSpins = 1000;

// How long the caller waits for the others before it asks the interrupt again.
constexpr std::chrono::milliseconds kLookAgain(50);

/// Thrown by a thread whose loop has failed elsewhere; nobody sees it, since the first exception counts.
struct LoopHasFailed {};

int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace

class ThreadPool::Impl {
 public:
  Impl(int threads, Interrupt interrupt) : interrupt_(std::move(interrupt)) {
    // A thread that spins while another one waits for its core does harm.
    if (threads <= cores()) spins_ = kSpins;
    workers_.reserve(static_cast<std::size_t>(threads - 1));
    try {
      for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
      return;  // results do not depend on how many there are
    }
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] int threads() const { return static_cast<int>(workers_.size()) + 1; }

  void look() {
    if (!is_worker()) {
      if (interrupt_) interrupt_();
    } else if (failed_) {
      throw LoopHasFailed();
    }
  }

  void run_alone(Index count, const std::function<void(Index)>& body) const {
    for (Index chunk = 0; chunk < count; ++chunk) {
      if (interrupt_) interrupt_();
      body(chunk);
    }
  }

  void run(Index count, const std::function<void(Index)>& body) {
    body_ = &body;
    count_ = count;
    next_ = 0;
    error_ = nullptr;
    failed_ = false;
    busy_ = workers_.size();
    ++generation_;  // publishes the lines above
    if (sleeping_ > 0) {
      const std::lock_guard lock(mutex_);
      wake_.notify_all();
    }
    take_chunks(interrupt_);
    wait_for_the_others();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  /// Loops follow each other within microseconds, faster than a thread can be put to sleep and woken. True
  /// as soon as the condition holds, false if that takes long.
  template <class Condition>
  [[nodiscard]] bool spin_until(const Condition& condition) const {
    for (int k = 0; k < spins_; ++k) {
      if (condition()) return true;
      hwy::Pause();
    }
    return condition();
  }

  void serve() {
    std::uint64_t seen = 0;
    const auto called = [&] { return closing_ || generation_ != seen; };
    while (true) {
      if (!spin_until(called)) {
        std::unique_lock lock(mutex_);
        ++sleeping_;
        wake_.wait(lock, called);
        --sleeping_;
      }
      if (closing_) return;
      seen = generation_;
      take_chunks({});
      if (--busy_ == 0) {
        const std::lock_guard lock(mutex_);
        done_.notify_one();
      }
    }
  }

  [[nodiscard]] bool is_worker() const {
    const std::thread::id me = std::this_thread::get_id();
    return std::ranges::any_of(workers_, [me](const std::thread& worker) { return worker.get_id() == me; });
  }

  void take_chunks(const Interrupt& interrupt) {
    attempt([&] {
      for (Index chunk = next_++; chunk < count_; chunk = next_++) {
        if (interrupt) interrupt();
        (*body_)(chunk);
      }
    });
  }

  /// Another thread's last chunk may take long.
  void wait_for_the_others() {
    const auto done = [this] { return busy_ == 0; };
    if (spin_until(done)) return;
    std::unique_lock lock(mutex_);
    while (!done_.wait_for(lock, kLookAgain, done)) {
      if (!interrupt_ || failed_) continue;
      lock.unlock();
      attempt(interrupt_);
      lock.lock();
    }
  }

  template <class Work>
  void attempt(const Work& work) {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      failed_ = true;
      next_ = count_;  // the others have nothing left to take
    }
  }

  const blas::SingleThreaded single_threaded_blas_;
  const Interrupt interrupt_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::vector<std::thread> workers_;
  const std::function<void(Index)>* body_ = nullptr;
  Index count_ = 0;
  std::atomic<Index> next_ = 0;
  std::atomic<std::size_t> busy_ = 0;
  std::atomic<std::size_t> sleeping_ = 0;
  std::atomic<std::uint64_t> generation_ = 0;
  std::exception_ptr error_;
  std::atomic<bool> failed_ = false;
  std::atomic<bool> closing_ = false;
  int spins_ = 0;
};

ThreadPool::ThreadPool(int threads, Interrupt interrupt)
    : impl_(std::make_unique<Impl>(threads > 0 ? threads : cores(), std::move(interrupt))) {}

ThreadPool::~ThreadPool() = default;

int ThreadPool::threads() const { return impl_->threads(); }

void ThreadPool::for_each_chunk(Index count, double flops, const std::function<void(Index)>& body) {
  if (count <= 1 || impl_->threads() == 1 || flops < kSmallLoopFlops) {
    impl_->run_alone(count, body);
    return;
  }
  impl_->run(count, body);
}

void ThreadPool::look() { impl_->look(); }

}  // namespace anmf
