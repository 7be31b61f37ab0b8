// SPDX-License-Identifier: MIT
// The state of a run between two outer iterations: all that the rest of the run depends on, apart from the
// matrix and the options. A run that goes on from it computes the same bits as one that was never stopped.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "anmf/matrix.h"
#include "anmf/result.h"

namespace anmf {

template <class T>
struct Checkpoint {
  /// What must be the same where the run goes on, by name: the matrix, the method and its settings, the seed.
  /// Threads, limits and tolerances may be others.
  std::map<std::string, std::string> run;
  std::map<std::string, double> numbers;
  /// The factors and what goes with them. Names that begin with W. are m x r, those with H. are n x r.
  std::map<std::string, Matrix<T>> matrices;
  std::vector<IterationRecord> trace;
};

}  // namespace anmf
