// SPDX-License-Identifier: MIT
// A computation in steps: a coroutine that stops wherever it lacks something that others must supply.
//
//     Steps<Lack> compute() { Lack lack = ...; co_yield lack; ... go on with what is there now ... }
//     for (Steps<Lack> steps = compute(); Lack* lack = steps.next();) supply(*lack);
//
// A part of it that has steps of its own is a function of the same kind, and is run by `co_yield part();`.
#pragma once

#include <coroutine>
#include <exception>
#include <memory>
#include <utility>

namespace anmf {

template <class Lack>
class Steps {
 public:
  struct promise_type {  // NOLINT(readability-identifier-naming): the language's name
    Lack* lack = nullptr;
    std::unique_ptr<Steps> part;  ///< that is being run
    std::exception_ptr error;

    Steps get_return_object() { return Steps(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(Lack& lacking) noexcept {
      lack = &lacking;
      return {};
    }
    std::suspend_always yield_value(Steps steps) {
      part = std::make_unique<Steps>(std::move(steps));
      return {};
    }
    void return_void() {}
    void unhandled_exception() { error = std::current_exception(); }
  };

  Steps(Steps&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;
  Steps& operator=(Steps&&) = delete;
  ~Steps() {
    if (!handle_) return;
    handle_.promise().part.reset();  // before what it may refer to
    handle_.destroy();
  }

  /// Goes on until something is lacking and returns that, or nothing at the end. What is lacking must be
  /// there at the next call. Throws what the computation throws, which ends it.
  [[nodiscard]] Lack* next() {
    promise_type& promise = handle_.promise();
    while (!handle_.done()) {
      if (promise.part) {
        if (Lack* lack = promise.part->next()) return lack;
        promise.part.reset();
      }
      handle_.resume();
      if (promise.error) std::rethrow_exception(std::exchange(promise.error, nullptr));
      if (!handle_.done() && !promise.part) return promise.lack;
    }
    return nullptr;
  }

 private:
  using Handle = std::coroutine_handle<promise_type>;
  explicit Steps(Handle handle) : handle_(handle) {}

  Handle handle_;
};

}  // namespace anmf
