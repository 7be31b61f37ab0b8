// SPDX-License-Identifier: MIT
// A group of ranks and the collective operations that a shared factorization needs, with a count of what they
// send by the model of process_grid.h. Factors are row-major; rows of all ranks stand in the order of the
// ranks. MPI counts in 32 bits: what is longer goes in pieces.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "anmf/data.h"
#include "anmf/factorize.h"
#include "anmf/mpi/process_grid.h"

namespace anmf::mpi {

/// What all groups of one run have sent from this rank.
using Traffic = IterationCost;

/// A failure that all ranks know of.
struct SharedFailure {
  Index rank = 0;           ///< the first that failed
  bool everywhere = false;  ///< all ranks failed, with the same message
};

/// What must be the same on all ranks: its name and its value, as a message calls them.
using Fact = std::pair<std::string, std::string>;

class Communicator {
 public:
  /// A group of its own over the same ranks as `group`, so that messages never meet those of the caller.
  explicit Communicator(MPI_Comm group, std::shared_ptr<Traffic> traffic = std::make_shared<Traffic>());
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// The ranks of this group with the same colour, in the same order.
  [[nodiscard]] std::unique_ptr<Communicator> split(Index colour) const;

  [[nodiscard]] Index rank() const { return rank_; }
  [[nodiscard]] Index size() const { return size_; }
  /// How many of these ranks are on this machine.
  [[nodiscard]] Index ranks_on_this_machine() const;
  [[nodiscard]] const Traffic& traffic() const { return *traffic_; }

  void sum(std::span<double> values) const { all_reduce(values, MPI_SUM); }
  void max(std::span<double> values) const { all_reduce(values, MPI_MAX); }

  /// The rows of all ranks: `all` has the sum of `counts` rows, `mine` counts[rank()].
  template <class T>
  void all_gather_rows(ConstMatrixView<T> mine, std::span<const Index> counts, MatrixView<T> all) const;
  /// The sum over all ranks of `all`, whose rows are those of `counts`; every rank gets its own.
  template <class T>
  void reduce_scatter_rows(ConstMatrixView<T> all, std::span<const Index> counts, MatrixView<T> mine) const;
  /// Puts the rows of every rank at ranges[rank] of `all`, on rank 0 only. Not counted: no iteration does it.
  template <class T>
  void gather_rows(ConstMatrixView<T> mine, std::span<const RowRange> ranges, MatrixView<T> all) const;

  /// Runs a step of the program on all ranks. If it fails anywhere, it throws everywhere: what was thrown
  /// where it failed, and on the others FailedElsewhere with the message of the first rank that failed. A
  /// rank that failed while the others compute without it cannot reach them: after a while it ends the job.
  /// A step may have steps; once one of them has failed it must not go on.
  void together(const std::function<void()>& step) const;
  /// The failure of the last step, once together() has thrown.
  [[nodiscard]] const std::optional<SharedFailure>& failure() const { return failure_; }

  /// Makes sure that all ranks have the same facts, in the same order. If not, all throw InvalidInput with
  /// the first difference of the first rank that differs from rank 0.
  void agree(std::span<const Fact> facts) const;
  /// The number that this rank has, on all ranks.
  [[nodiscard]] int from(Index rank, int mine) const;

  /// Longest message, in entries; smaller in tests.
  void set_message_limit(Index entries) { message_limit_ = entries; }

 private:
  void all_reduce(std::span<double> values, MPI_Op operation) const;
  void count(const IterationCost& cost) const;
  [[nodiscard]] int lowest(int mine) const;
  /// The text of this rank on all ranks.
  void broadcast(std::string& text, Index rank) const;

  MPI_Comm group_ = MPI_COMM_NULL;
  std::shared_ptr<Traffic> traffic_;
  Index rank_ = 0;
  Index size_ = 1;
  Index message_limit_ = Index{1} << 30;
  mutable std::optional<SharedFailure> failure_;
};

/// Another rank has failed.
class FailedElsewhere : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class MpiReducer final : public Reducer {
 public:
  explicit MpiReducer(const Communicator& workers) : workers_(workers) {}
  void sum(std::span<double> values) override { workers_.sum(values); }
  void max(std::span<double> values) override { workers_.max(values); }

 private:
  const Communicator& workers_;
};

}  // namespace anmf::mpi
