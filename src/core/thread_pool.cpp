// SPDX-License-Identifier: MIT
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

}  // namespace

class ThreadPool::Impl {
 public:
  explicit Impl(int threads) {
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
    {
      const std::lock_guard lock(mutex_);
      body_ = &body;
      count_ = count;
      next_ = 0;
      error_ = nullptr;
      busy_ = workers_.size();
      ++generation_;
    }
    wake_.notify_all();
    take_chunks();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void serve() {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return closing_ || generation_ != seen; });
      if (closing_) return;
      seen = generation_;
      lock.unlock();
      take_chunks();
      lock.lock();
      if (--busy_ == 0) done_.notify_one();
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
  std::size_t busy_ = 0;
  std::uint64_t generation_ = 0;
  std::exception_ptr error_;
  bool closing_ = false;
};

ThreadPool::ThreadPool(int threads)
    : impl_(std::make_unique<Impl>(
          threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency())))) {}

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
