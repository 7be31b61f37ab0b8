// SPDX-License-Identifier: MIT
// A call that computes without the GIL, and what can end it early: Ctrl-C, and the end of the interpreter.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>

#include "anmf/parallel.h"

namespace anmf::python {

/// Lives from the beginning of a call that releases the GIL to the end of that call. Made and destroyed with
/// the GIL held.
///
/// A thread that wants the GIL while the interpreter is being finalized is ended by Python where it stands,
/// which C++ frames do not survive. So the interpreter, before it goes, asks the calls of daemon threads to
/// end and waits until they have; calls that come later are refused. In both cases the thread gets a
/// SystemExit, at which it ends quietly.
class Call {
 public:
  Call();
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// To be asked while the call computes, without the GIL.
  [[nodiscard]] Interrupt interrupt() {
    return [this] { look(); };
  }
  void look();

 private:
  std::chrono::steady_clock::time_point last_look_ = std::chrono::steady_clock::now();
};

void bind_call(nanobind::module_& module);

}  // namespace anmf::python
