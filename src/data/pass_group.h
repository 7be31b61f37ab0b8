// SPDX-License-Identifier: MIT
// Threads that read one matrix together, pass by pass: when all of them want one, one of them reads, and
// every block is shown to all, each of which does with it in its own thread what it would do alone.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

#include "anmf/parallel.h"

namespace anmf {

class PassGroup {
 public:
  /// So many of the threads compute at a time. The interrupt is asked by the one that reads; what it throws
  /// comes out of all that take part.
  PassGroup(int threads, Interrupt interrupt) : free_(threads), interrupt_(std::move(interrupt)) {}

  /// The calling thread takes part until it leaves; it waits until it may compute.
  void join();
  void leave();

  /// The group that the calling thread reads with at this moment, or null.
  [[nodiscard]] static PassGroup* entered();
  /// Reads of the calling thread are those of a group as long as this is there.
  class Entered {
   public:
    explicit Entered(PassGroup& group);
    ~Entered();
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;
  };

  /// Waits until all who joined call it. One of them calls read(show), which calls show() for every block,
  /// and show() calls use() of each in its thread. What use() throws comes out of its own call at once, and
  /// what read() throws out of all. Everybody's read() does the same.
  void pass(const std::function<void(const std::function<void()>& show)>& read,
            const std::function<void()>& use);

 private:
  using Lock = std::unique_lock<std::mutex>;
  struct Waiting {
    bool begun = false;  // its pass, which somebody else reads
  };

  void take_place(Lock& lock);
  void free_place();
  void use_block(Lock& lock, const std::function<void()>& use);
  void read_for_all(Lock& lock, const std::function<void(const std::function<void()>&)>& read,
                    const std::function<void()>& use);
  void show_to_all(const std::function<void()>& use, std::exception_ptr& own_error);
  void follow(Lock& lock, const std::function<void()>& use);

  std::mutex mutex_;  // of everything below
  std::condition_variable changed_;
  int free_;  // threads that may compute beside those that do
  Interrupt interrupt_;
  std::size_t joined_ = 0;
  std::vector<Waiting*> waiting_;  // for a pass to begin
  bool reading_ = false;
  std::size_t followers_ = 0;  // who take part in the pass, beside the one who reads
  std::size_t using_ = 0;      // of these, who have not done with the block
  Index block_ = 0;            // that is shown, counted from 1; 0 before the first one
  bool over_ = false;
  std::exception_ptr error_;  // of the reading
};

}  // namespace anmf
