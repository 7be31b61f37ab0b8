// SPDX-License-Identifier: MIT
#include "call.h"

#include <optional>
#include <thread>

namespace anmf::python {
namespace {

namespace nb = nanobind;

// Both are read and written with the GIL held.
int calls = 0;
std::optional<std::thread::id> finalizing_thread;

/// With the GIL held.
void expect_no_end() {
  if (!finalizing_thread || *finalizing_thread == std::this_thread::get_id()) return;
  PyErr_SetNone(PyExc_SystemExit);
  throw nb::python_error();
}

/// Waits until no other thread is in a call. Ctrl-C ends the waiting, say for a callback that does not
/// return.
void end_calls() {
  finalizing_thread = std::this_thread::get_id();
  while (calls > 0) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    const nb::gil_scoped_release no_gil;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

Call::Call() {
  expect_no_end();
  ++calls;
}

Call::~Call() { --calls; }

void Call::look() {
  // Taking the GIL from other threads costs more than a chunk of work.
  const auto now = std::chrono::steady_clock::now();
  if (now - last_look_ < std::chrono::milliseconds(50)) return;
  last_look_ = now;
  const nb::gil_scoped_acquire gil;
  expect_no_end();
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void bind_call(nb::module_& module) {
  module.def("_end_calls", &end_calls);
  nb::module_::import_("atexit").attr("register")(module.attr("_end_calls"));
  // A child has one thread; the others' calls go on in the parent alone.
  module.def("_forget_calls", [] { calls = 0; });
  nb::module_::import_("os").attr("register_at_fork")(nb::arg("after_in_child") =
                                                          module.attr("_forget_calls"));
}

}  // namespace anmf::python
