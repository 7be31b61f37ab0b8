// SPDX-License-Identifier: MIT
// Exit codes, and the exception that carries one to main().
#pragma once

#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "anmf/error.h"

namespace anmf::cli {

enum class ExitCode {
  done = 0,
  bug = 1,            ///< something this program did not foresee
  usage = 2,          ///< the command line is wrong
  input = 3,          ///< the data are wrong or cannot be read
  numerical = 4,      ///< arithmetic left the range of the number type
  output = 5,         ///< the results cannot be written
  jobs_failed = 6,    ///< a survey is done, but some of its jobs have failed
  interrupted = 130,  ///< by SIGINT
  terminated = 143,   ///< by SIGTERM or SIGUSR1
};

/// Ends the program with this code and one sentence on stderr.
class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
  [[nodiscard]] ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// Runs one phase of a command. The library throws the same exceptions for a bad option and for bad data;
/// what they mean to the shell depends on the phase, so they leave it as a Failure with the phase's code.
/// `memory` ends the sentence "not enough memory", with what it is for and what would take less.
template <class Body>
decltype(auto) in_phase(ExitCode code, Body&& body, const std::function<std::string()>& memory = {}) {
  const auto not_enough = [&] {
    return Failure(code, "not enough memory" + (memory ? memory() : std::string(".")));
  };
  try {
    return std::forward<Body>(body)();
  } catch (const Failure&) {
    throw;
  } catch (const NumericalError& error) {
    throw Failure(ExitCode::numerical, error.what());
  } catch (const NotEnoughMemory& error) {
    throw Failure(code, error.what());
  } catch (const std::bad_alloc&) {
    throw not_enough();
  } catch (const std::length_error&) {  // what a container throws for a size that no memory could hold
    throw not_enough();
  } catch (const InvalidInput& error) {
    throw Failure(code, error.what());
  } catch (const IoError& error) {
    throw Failure(code, error.what());
  }
}

}  // namespace anmf::cli
