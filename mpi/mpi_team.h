// SPDX-License-Identifier: MIT
// The ranks of an MPI job as the team of `factorize`: M over a grid of them, rank 0 leads.
#pragma once

#include <optional>

#include "anmf/mpi/distributed_data.h"
#include "team.h"

namespace anmf::mpi {

/// The cores that a rank may take: those it is bound to, or its share of the machine.
[[nodiscard]] int cores_per_rank(const Communicator& workers);

template <class T>
class MpiTeam final : public cli::Team<T> {
 public:
  /// `workers` must outlive it.
  explicit MpiTeam(const Communicator& workers) : workers_(workers) {}

  [[nodiscard]] bool leads() const override { return workers_.rank() == 0; }
  [[nodiscard]] bool prepares() const override { return false; }  // a rank sees its part only
  void together(const std::function<void()>& step) override { workers_.together(step); }
  void agree_on_files(const std::vector<std::string>& files) override;
  /// Each rank reads its own part of a file that is read in parts, and all of another one.
  [[nodiscard]] cli::Input<T> read(const cli::InputRequest& request) override;
  [[nodiscard]] Result<T> factorize(const Data<T>& M, const Options& options, const Start<T>& start,
                                    Observer<T>& observer) override;
  [[nodiscard]] Result<T> resume(const Data<T>& M, const Options& options, Checkpoint<T> checkpoint,
                                 Observer<T>& observer) override;
  /// "mpi": ranks, grid (null if every rank has rows and columns), and what an iteration sent from the rank
  /// that sent most, beside what the model says.
  void describe(nlohmann::ordered_json& run) const override;

 private:
  class TeamObserver;

  template <class Run>
  Result<T> run(const Data<T>& M, const Options& options, Observer<T>& observer, const Run& run);

  const Communicator& workers_;
  std::optional<ProcessGrid> grid_;
  ProblemSize size_;
  LineSums sums_;  // of a run without a grid
  Traffic per_iteration_;
  int threads_ = 1;
};

}  // namespace anmf::mpi
