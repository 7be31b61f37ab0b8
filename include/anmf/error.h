// SPDX-License-Identifier: MIT
#pragma once

#include <new>
#include <stdexcept>
#include <string>

namespace anmf {

/// The caller's data or options are wrong. The message names the value, where it stands and what is
/// allowed. Thrown before any work is done.
class InvalidInput : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// An entry of the caller's matrix is negative, which the caller may want to mend.
class NegativeEntry : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

/// An entry of the caller's matrix is not a number, which may say that nobody has observed it.
class MissingEntry : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

/// The first line of a table may hold names or entries, and the table does not tell which; the caller may
/// know.
class AmbiguousHeader : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

/// The factors, or what goes with them, are larger than the memory of this machine. Thrown before any work is
/// done; a std::bad_alloc in the middle of the work may still come, where the system grants less memory.
class NotEnoughMemory : public std::bad_alloc {
 public:
  // NOLINTNEXTLINE(bugprone-throw-keyword-missing): a member
  explicit NotEnoughMemory(const std::string& message) : message_(message) {}
  [[nodiscard]] const char* what() const noexcept override { return message_.what(); }

 private:
  std::runtime_error message_;  // copies without throwing, as an exception should
};

/// A file could not be read or written (it is missing, the disk is full, ...).
class IoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Arithmetic left the range of the number type in the middle of a run.
class NumericalError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace anmf
