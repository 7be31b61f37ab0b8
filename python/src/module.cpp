// SPDX-License-Identifier: MIT
// anmf._core: the engine as the Python package uses it. What users call is written in Python on top.
#include <nanobind/nanobind.h>

#include <new>
#include <string>

#include "anmf/error.h"
#include "anmf/version.h"
#include "call.h"
#include "factorize.h"
#include "matrix.h"
#include "options.h"
#include "prepare.h"
#include "report.h"
#include "survey.h"
#include "trace.h"
#include "updates.h"
#include "weights.h"

NB_MODULE(_core, module) {
  // InvalidInput is a std::invalid_argument, which becomes a ValueError by itself.
  nanobind::register_exception_translator([](const std::exception_ptr& exception, void* /*unused*/) {
    try {
      std::rethrow_exception(exception);
    } catch (const anmf::IoError& error) {
      PyErr_SetString(PyExc_OSError, error.what());
    } catch (const anmf::NumericalError& error) {
      PyErr_SetString(PyExc_ArithmeticError, error.what());
    } catch (const anmf::NotEnoughMemory& error) {
      PyErr_SetString(PyExc_MemoryError, error.what());
    } catch (const std::bad_alloc&) {
      PyErr_SetString(
          PyExc_MemoryError,
          "The system refused the memory for this computation. Fewer components and float32 need less.");
    }
  });
  // A daemon thread that Python ends where it stands, and a child of fork(), keep objects for ever: no leak
  // of ours.
  nanobind::set_leak_warnings(false);
  module.attr("version") = anmf::kVersion;
  anmf::python::bind_call(module);
  anmf::python::bind_options(module);
  anmf::python::bind_matrix(module);
  anmf::python::bind_factorize(module);
  anmf::python::bind_prepare(module);
  anmf::python::bind_report(module);
  anmf::python::bind_survey(module);
  anmf::python::bind_trace(module);
  anmf::python::bind_updates(module);
  anmf::python::bind_weights(module);
}
