// SPDX-License-Identifier: MIT
// Working memory that threads lend each other: whoever begins a chunk takes what another one has left, so
// that there are as many objects as there are threads at work, and they keep what they have allocated.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace anmf {

template <class Object>
class Spares {
 public:
  /// Gives the object back at its end.
  class Loan {
   public:
    Loan(Spares& owner, std::unique_ptr<Object> object) : owner_(owner), object_(std::move(object)) {}
    ~Loan() { owner_.take_back(std::move(object_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    Object* operator->() const { return object_.get(); }
    Object& operator*() const { return *object_; }

   private:
    Spares& owner_;
    std::unique_ptr<Object> object_;
  };

  /// `make` is asked for an object where none is left over.
  template <class Make>
  [[nodiscard]] Loan lend(const Make& make) {
    {
      const std::scoped_lock lock(mutex_);
      if (!spare_.empty()) {
        std::unique_ptr<Object> object = std::move(spare_.back());
        spare_.pop_back();
        return Loan(*this, std::move(object));
      }
      spare_.reserve(++made_);  // so that giving back never fails
    }
    return Loan(*this, std::unique_ptr<Object>(make()));
  }
  [[nodiscard]] Loan lend() {
    return lend([] { return std::make_unique<Object>(); });
  }

 private:
  void take_back(std::unique_ptr<Object> object) {
    const std::scoped_lock lock(mutex_);
    spare_.push_back(std::move(object));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Object>> spare_;
  std::size_t made_ = 0;
};

}  // namespace anmf
