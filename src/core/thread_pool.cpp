// SPDX-License-Identifier: MIT
#include <hwy/cache_control.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "anmf/parallel.h"
#include "core/blas.h"

namespace anmf {
namespace {

// Waking a sleeping thread takes about ten microseconds; a core does this much work in that time.
constexpr double kSmallLoopFlops = 5e4;

// Rounds of waiting before a thread goes to sleep: some fifty microseconds.
constexpr int kSpins = 1000;

int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace

class ThreadPool::Impl {
 public:
  explicit Impl(int threads) {
    // A thread that spins while another one waits for its core does harm.
    if (threads <= cores()) spins_ = kSpins;
    workers_.reserve(static_cast<std::size_t>(threads - 1));
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { serve(); });
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

  void run(Index count, const std::function<void(Index)>& body) {
    body_ = &body;
    count_ = count;
    next_ = 0;
    error_ = nullptr;
    busy_ = workers_.size();
    ++generation_;  // publishes the lines above
    if (sleeping_ > 0) {
      const std::lock_guard lock(mutex_);
      wake_.notify_all();
    }
    take_chunks();
    if (!spin_until([this] { return busy_ == 0; })) {
      std::unique_lock lock(mutex_);
      done_.wait(lock, [this] { return busy_ == 0; });
    }
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
      take_chunks();
      if (--busy_ == 0) {
        const std::lock_guard lock(mutex_);
        done_.notify_one();
      }
    }
  }

  void take_chunks() {
    try {
      for (Index chunk = next_++; chunk < count_; chunk = next_++) (*body_)(chunk);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      next_ = count_;  // the others have nothing left to take
    }
  }

  const blas::SingleThreaded single_threaded_blas_;
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
  std::atomic<bool> closing_ = false;
  int spins_ = 0;
};

ThreadPool::ThreadPool(int threads) : impl_(std::make_unique<Impl>(threads > 0 ? threads : cores())) {}

ThreadPool::~ThreadPool() = default;

int ThreadPool::threads() const { return impl_->threads(); }

void ThreadPool::for_each_chunk(Index count, double flops, const std::function<void(Index)>& body) {
  if (count <= 1 || impl_->threads() == 1 || flops < kSmallLoopFlops) {
    for (Index chunk = 0; chunk < count; ++chunk) body(chunk);
    return;
  }
  impl_->run(count, body);
}

}  // namespace anmf
