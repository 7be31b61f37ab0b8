// SPDX-License-Identifier: MIT
#include "data/pass_group.h"

#include <algorithm>
#include <utility>

namespace anmf {
namespace {

thread_local PassGroup* group_of_thread = nullptr;

/// Thrown through a pass that nobody looks at any more.
struct NobodyLooks {};

}  // namespace

PassGroup* PassGroup::entered() { return group_of_thread; }

PassGroup::Entered::Entered(PassGroup& group) { group_of_thread = &group; }
PassGroup::Entered::~Entered() { group_of_thread = nullptr; }

void PassGroup::take_place(Lock& lock) {
  changed_.wait(lock, [this] { return free_ > 0; });
  --free_;
}

void PassGroup::free_place() {
  ++free_;
  changed_.notify_all();
}

void PassGroup::join() {
  Lock lock(mutex_);
  ++joined_;
  take_place(lock);
}

void PassGroup::leave() {
  const Lock lock(mutex_);
  --joined_;
  free_place();
}

void PassGroup::pass(const std::function<void(const std::function<void()>& show)>& read,
                     const std::function<void()>& use) {
  Lock lock(mutex_);
  Waiting me;
  waiting_.push_back(&me);
  free_place();
  changed_.wait(
      lock, [&] { return me.begun || (!reading_ && waiting_.size() == joined_ && waiting_.front() == &me); });
  std::exception_ptr error;
  try {
    if (me.begun) {
      follow(lock, use);
    } else {
      read_for_all(lock, read, use);
    }
  } catch (...) {
    error = std::current_exception();
  }
  if (!lock.owns_lock()) lock.lock();
  take_place(lock);
  if (error) std::rethrow_exception(error);
}

void PassGroup::use_block(Lock& lock, const std::function<void()>& use) {
  take_place(lock);
  lock.unlock();
  std::exception_ptr error;
  try {
    use();
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  free_place();
  if (error) std::rethrow_exception(error);
}

void PassGroup::read_for_all(Lock& lock, const std::function<void(const std::function<void()>&)>& read,
                             const std::function<void()>& use) {
  reading_ = true;
  followers_ = waiting_.size() - 1;
  block_ = 0;
  using_ = 0;
  over_ = false;
  error_ = nullptr;
  for (Waiting* one : std::exchange(waiting_, {})) one->begun = true;
  changed_.notify_all();
  lock.unlock();
  std::exception_ptr own_error;
  std::exception_ptr error;
  try {
    read([&] { show_to_all(use, own_error); });
  } catch (const NobodyLooks&) {
    error = nullptr;
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  over_ = true;
  error_ = error;
  changed_.notify_all();
  changed_.wait(lock, [this] { return followers_ == 0; });
  error_ = nullptr;
  reading_ = false;
  changed_.notify_all();
  if (own_error) std::rethrow_exception(own_error);
  if (error) std::rethrow_exception(error);
}

void PassGroup::show_to_all(const std::function<void()>& use, std::exception_ptr& own_error) {
  if (interrupt_) interrupt_();
  Lock lock(mutex_);
  ++block_;
  using_ = followers_;
  changed_.notify_all();
  if (!own_error) {
    try {
      use_block(lock, use);
    } catch (...) {
      own_error = std::current_exception();
    }
  }
  changed_.wait(lock, [this] { return using_ == 0; });
  if (own_error && followers_ == 0) throw NobodyLooks();
}

void PassGroup::follow(Lock& lock, const std::function<void()>& use) {
  const auto end = [this] {
    --followers_;
    changed_.notify_all();
  };
  for (Index seen = 0;;) {
    changed_.wait(lock, [&] { return block_ != seen || over_; });
    if (block_ == seen) {
      const std::exception_ptr error = error_;
      end();
      if (error) std::rethrow_exception(error);
      return;
    }
    seen = block_;
    try {
      use_block(lock, use);
    } catch (...) {
      --using_;
      end();
      throw;
    }
    if (--using_ == 0) changed_.notify_all();
  }
}

}  // namespace anmf
