// SPDX-License-Identifier: MIT
// Reading a matrix by the ranks of an MPI job, each its own part of it, once all of them see the same files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "anmf/mpi/distributed_lines.h"
#include "input.h"
#include "open_input.h"

namespace anmf::mpi {

template <class T>
struct SharedInput {
  cli::Input<T> input;              ///< its matrix is a DistributedData, or a DistributedLines
  std::optional<ProcessGrid> grid;  ///< none if every rank has rows and columns
  ProblemSize size;                 ///< of the file
};

/// The content of these files, for Communicator::agree.
[[nodiscard]] std::vector<Fact> contents_of(const std::vector<std::string>& files);

/// Each rank reads its own block, or its rows and its columns if the loss looks at entries, of a file that is
/// read in parts, and all of another one.
template <class T>
[[nodiscard]] SharedInput<T> read_shared(const Communicator& workers, const cli::InputRequest& request);

}  // namespace anmf::mpi
