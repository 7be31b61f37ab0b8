// SPDX-License-Identifier: MIT
#include "mpi_team.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "failure.h"
#include "shared_input.h"

namespace anmf::mpi {
namespace {

template <class T>
Matrix<T> rows_of(const Matrix<T>& X, RowRange range) {
  Matrix<T> result(range.count, X.cols());
  std::copy_n(X.view().row(range.begin), result.size(), result.data());
  return result;
}

/// All rows of X on rank 0; nothing on the others.
template <class T>
Matrix<T> whole(const Communicator& workers, const Data<T>& M, Side side, const Matrix<T>& X) {
  std::vector<double> ends(static_cast<std::size_t>(2 * workers.size()), 0.0);
  const RowRange mine = M.owned(side);
  const auto at = static_cast<std::size_t>(2 * workers.rank());
  ends[at] = static_cast<double>(mine.begin);
  ends[at + 1] = static_cast<double>(mine.count);
  workers.sum(ends);
  std::vector<RowRange> ranges;
  for (std::size_t k = 0; k < ends.size(); k += 2)
    ranges.push_back({static_cast<Index>(ends[k]), static_cast<Index>(ends[k + 1])});
  Matrix<T> all(workers.rank() == 0 ? (side == Side::W ? M.rows() : M.cols()) : 0, X.cols());
  workers.gather_rows(X.view(), ranges, all.view());
  return all;
}

Side side_of(const std::string& name) { return name.starts_with("W.") ? Side::W : Side::H; }

void require_shape(std::string_view name, Index rows, Index cols, Index m, Index n) {
  if (rows == m && cols == n) return;
  throw InvalidInput(
      fmt::format("The start factor {} is {} x {}; it must be {} x {}.", name, rows, cols, m, n));
}

}  // namespace

int cores_per_rank(const Communicator& workers) {
  const int mine = ThreadPool(0).threads();
  const auto all = static_cast<int>(std::thread::hardware_concurrency());
  if (mine < all) return mine;
  return std::max(1, mine / static_cast<int>(workers.ranks_on_this_machine()));
}

/// Counts what is sent from the first to the last iteration, and puts the states of all ranks together for
/// the observer of rank 0.
template <class T>
class MpiTeam<T>::TeamObserver final : public Observer<T> {
 public:
  TeamObserver(const Communicator& workers, const Data<T>& M, Observer<T>& observer)
      : workers_(workers), M_(M), observer_(observer) {}

  typename Observer<T>::Action on_iteration(const IterationRecord& record, ConstMatrixView<T> W,
                                            ConstMatrixView<T> Ht) override {
    last_ = workers_.traffic();
    last_iteration_ = record.iteration;
    if (first_iteration_ < 0) {
      first_ = last_;
      first_iteration_ = record.iteration;
    }
    return observer_.on_iteration(record, W, Ht);
  }
  [[nodiscard]] bool wants_factors() const override { return observer_.wants_factors(); }
  /// A signal need not come to all ranks at once.
  bool checkpoint_due() override { return observer_.checkpoint_due(); }
  void on_checkpoint(const Checkpoint<T>& checkpoint) override {
    const Traffic before = workers_.traffic();
    Checkpoint<T> all = checkpoint;
    for (auto& [name, matrix] : all.matrices) matrix = whole(workers_, M_, side_of(name), matrix);
    workers_.together([&] {
      if (workers_.rank() == 0) observer_.on_checkpoint(all);
    });
    // No part of an iteration.
    first_.words += workers_.traffic().words - before.words;
    first_.messages += workers_.traffic().messages - before.messages;
  }

  [[nodiscard]] Traffic per_iteration() const {
    const auto count = static_cast<double>(std::max(Index{1}, last_iteration_ - first_iteration_));
    return {.words = (last_.words - first_.words) / count,
            .messages = (last_.messages - first_.messages) / count};
  }

 private:
  const Communicator& workers_;
  const Data<T>& M_;
  Observer<T>& observer_;
  Traffic first_;
  Traffic last_;
  Index first_iteration_ = -1;
  Index last_iteration_ = 0;
};

template <class T>
void MpiTeam<T>::agree_on_files(const std::vector<std::string>& files) {
  workers_.agree(contents_of(files));
}

template <class T>
cli::Input<T> MpiTeam<T>::read(const cli::InputRequest& request) {
  SharedInput<T> shared = read_shared<T>(workers_, request);
  grid_ = shared.grid;
  size_ = shared.size;
  shared.input.shared = workers_.size() > 1;
  return std::move(shared.input);
}

template <class T>
template <class Run>
Result<T> MpiTeam<T>::run(const Data<T>& M, const Options& options, Observer<T>& observer, const Run& run) {
  Options mine = options;
  if (mine.threads == 0) mine.threads = cores_per_rank(workers_);
  threads_ = mine.threads;
  TeamObserver joint(workers_, M, observer);
  MpiReducer reducer(workers_);
  Result<T> result;
  workers_.together(
      [&] { cli::in_phase(cli::ExitCode::usage, [&] { result = run(mine, joint, reducer); }); });
  std::array<double, 2> most = {joint.per_iteration().words, joint.per_iteration().messages};
  workers_.max(most);
  per_iteration_ = {.words = most[0], .messages = most[1]};
  sums_.curvatures = result.effective.method.ends_with("spn");
  result.W = whole(workers_, M, Side::W, result.W);
  result.H = transposed(whole(workers_, M, Side::H, transposed(result.H)));
  return result;
}

template <class T>
Result<T> MpiTeam<T>::factorize(const Data<T>& M, const Options& options, const Start<T>& start,
                                Observer<T>& observer) {
  if (start.W) require_shape("W", start.W->rows(), start.W->cols(), M.rows(), options.rank);
  if (start.H) require_shape("H", start.H->rows(), start.H->cols(), options.rank, M.cols());
  Start<T> mine;
  if (start.W) mine.W = rows_of(*start.W, M.owned(Side::W));
  if (start.H) mine.H = transposed(rows_of(transposed(*start.H), M.owned(Side::H)));
  return run(M, options, observer, [&](const Options& my_options, Observer<T>& joint, Reducer& reducer) {
    return anmf::factorize(M, my_options, mine, &joint, &reducer);
  });
}

template <class T>
Result<T> MpiTeam<T>::resume(const Data<T>& M, const Options& options, Checkpoint<T> checkpoint,
                             Observer<T>& observer) {
  for (auto& [name, matrix] : checkpoint.matrices) {  // which become those of this rank
    const Side side = side_of(name);
    if (matrix.rows() != (side == Side::W ? M.rows() : M.cols()))
      throw InvalidInput("The checkpoint is of another run: its factors belong to a matrix of another size.");
    matrix = rows_of(matrix, M.owned(side));
  }
  return run(M, options, observer, [&](const Options& my_options, Observer<T>& joint, Reducer& reducer) {
    return anmf::resume(M, my_options, std::move(checkpoint), &joint, &reducer);
  });
}

template <class T>
void MpiTeam<T>::describe(nlohmann::ordered_json& run) const {
  using Json = nlohmann::ordered_json;
  const IterationCost model =
      grid_ ? iteration_cost(*grid_, size_) : lines_cost(workers_.size(), size_, sums_);
  run["mpi"] = {{"ranks", workers_.size()},
                {"grid", grid_ ? Json{grid_->rows, grid_->cols} : Json(nullptr)},
                {"threads_per_rank", threads_},
                {"words_per_iteration", per_iteration_.words},
                {"messages_per_iteration", per_iteration_.messages},
                {"modelled_words", model.words},
                {"modelled_messages", model.messages}};
}

template class MpiTeam<float>;
template class MpiTeam<double>;

}  // namespace anmf::mpi
