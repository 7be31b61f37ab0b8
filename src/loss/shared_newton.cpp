// SPDX-License-Identifier: MIT
// Newton's method for every beta, with one matrix of second derivatives for all rows. The row x (of N) has
// the gradient g = sum_j s_j f_j + l1 + l2 x and the curvature F' diag(v_i) F, s and v being those of
// kernels/divergence.h. With v_ij ~ a_i u_j the matrix G = F' diag(u) F + l2/a I serves every row, as F'F
// does for least squares, and the model of a row, divided by a_i,
//
//     1/2 <x', G x'> - <c, x'>,   c = G x - g / a_i,
//
// is swept over by HALS. The step from x to what comes of that is shortened until the slope along it shows
// that the convex function above the loss has fallen; a row that comes nowhere near is improved by itself.
// Per half-step: 6 N K r flops for model, gradient and step, one look at every entry. a_i = sum_j v_ij y_ij^2
// / sum_j u_j y_ij^2 is that of the row as it is, u_j = sum_i v_ij y_ij^2 / sum_i a_i y_ij^2 that of the last
// half-step of the side: weights y^2 keep out entries whose model is next to zero, where v may be anything.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/blas.h"
#include "core/chunks.h"
#include "core/inner_stop.h"
#include "core/spares.h"
#include "core/sums.h"
#include "kernels/divergence.h"
#include "kernels/panels.h"
#include "loss/newton_tile.h"
#include "loss/row_method.h"
#include "loss/shared_curvature.h"
#include "loss/step_length.h"

namespace anmf {
namespace {

// Sweeps of a multiplicative half-step, as those of a-mu.
constexpr Index kGentleSweeps = 3;
// More sweeps over a model that is only near bring nothing.
constexpr Index kMostNewtonSweeps = 20;
// Slopes that are rounding, beside the curvature.
template <class T>
constexpr double kNoSlope = sizeof(T) == 4 ? 1e-6 : 1e-14;
// A row that comes no further on its way has a model that is far off, and is improved by itself.
constexpr double kShort = 0.1;
// Sums over columns are made for groups of tiles.
constexpr Index kMostGroups = 64;

template <class T>
class SharedNewton final : public RowMethod<T> {
 public:
  using Memory = typename RowMethod<T>::Memory;

  explicit SharedNewton(Index gentle_steps) : gentle_steps_(gentle_steps) {}

  void begin(const RowProblem<T>& problem, ConstMatrixView<T> X, const Workers& workers) override {
    Memory& kept = memory_[problem.side == Side::W ? 0 : 1];
    if (gently(problem)) return;
    const Index K = problem.F.rows;
    if (kept.mean == 0) kept.curvature = guessed_curvature(problem, X, workers);
    turn(problem.F, workers.pool);
    gram_ = weighted_gram(problem.F, kept.curvature, workers.pool);
    if (kept.mean > 0) {
      for (Index p = 0; p < gram_.rows(); ++p) gram_(p, p) += static_cast<T>(problem.penalty.l2 / kept.mean);
    }
    curvature_.assign(static_cast<std::size_t>(2 * K + 2), 0);
  }

  void improve(const RowProblem<T>& problem, const EntryBlock<T>& block, MatrixView<T> X, ThreadPool& pool,
               RowReport& report) override {
    if (gently(problem)) {
      RowProblem<T> gentle = problem;
      gentle.budget = std::min(problem.budget, kGentleSweeps);
      gentle.floor = 0;  // under which the objective might rise
      return updates_->improve(gentle, block, X, pool, report);
    }
    const Index K = problem.F.rows;
    const Index at_once = rows_at_once(K);
    const Index tiles = (X.rows + at_once - 1) / at_once;
    const Chunks groups(tiles, 1, kMostGroups);
    const SweepGram<T> gram(std::as_const(gram_).view());
    const double flops =
        6.0 * static_cast<double>(X.rows) * static_cast<double>(K) * static_cast<double>(X.cols);
    PartialSums<3> sums(groups.count());  // sweeps, loss, shares
    Matrix<T> totals(2 * groups.count(), K);
    Spares<NewtonTile<T>>& spares = tiles_[problem.side == Side::W ? 0 : 1];
    pool.for_each_chunk(groups.count(), flops, [&](Index group) {
      const auto make = [&] { return std::make_unique<NewtonTile<T>>(std::min(at_once, X.rows), K, X.cols); };
      const typename Spares<NewtonTile<T>>::Loan memory = spares.lend(make);
      if (!memory->fits(std::min(at_once, X.rows), K)) *memory = std::move(*make());  // blocks of a stream
      for (Index tile = groups.begin(group); tile < groups.end(group); ++tile) {
        pool.look();
        const Index begin = tile * at_once;
        improve_tile(problem, block, begin, X.middle_rows(begin, std::min(X.rows, begin + at_once)), gram,
                     *memory, totals.view().row(2 * group), totals.view().row(2 * group + 1), sums.at(group));
      }
    });
    for (Index group = 0; group < groups.count(); ++group) {
      for (Index j = 0; j < K; ++j) {
        curvature_[static_cast<std::size_t>(j)] += static_cast<double>(totals(2 * group, j));
        curvature_[static_cast<std::size_t>(K + j)] += static_cast<double>(totals(2 * group + 1, j));
      }
    }
    const std::vector<double> total = sums.total();
    curvature_[static_cast<std::size_t>(2 * K)] += total[2];
    curvature_[static_cast<std::size_t>(2 * K + 1)] += static_cast<double>(X.rows);
    report.sweeps += total[0];
    report.weight += static_cast<double>(X.rows);
    report.flops += flops + 2 * total[0] * static_cast<double>(X.cols) * static_cast<double>(X.cols);
    report.loss += total[1];
  }

  void end(const RowProblem<T>& problem, const Workers& workers) override {
    Memory& kept = memory_[problem.side == Side::W ? 0 : 1];
    if (gently(problem)) {
      ++kept.gentle;
      return;
    }
    workers.sum(curvature_);
    const std::size_t K = curvature_.size() / 2 - 1;
    if (!(curvature_[2 * K] > 0)) return;
    // Shares are about 1 then.
    kept.mean = 1;
    const double mean = curvature_[2 * K] / curvature_[2 * K + 1];
    for (std::size_t j = 0; j < K; ++j) {
      if (curvature_[K + j] > 0)
        kept.curvature.data()[j] = static_cast<T>(mean * curvature_[j] / curvature_[K + j]);
    }
  }

  [[nodiscard]] double rho(Index K, Index r) const override {
    return 1 + 3 * static_cast<double>(K) / static_cast<double>(r);
  }
  [[nodiscard]] double bytes(const RowSizes& sizes) const override {
    const auto K = static_cast<double>(sizes.columns);
    const auto r = static_cast<double>(sizes.rank);
    const Index at_once = std::min(sizes.rows, rows_at_once(sizes.columns));
    const auto rows = static_cast<double>(at_once);
    const Index tiles = (sizes.rows + at_once - 1) / std::max<Index>(1, at_once);
    const double tile = 3 * rows * (K + r) * sizeof(T) + LoneRows<T>::bytes(sizes.columns, sizes.rank);
    // Sums over columns of every group, their total and what is kept; parts of the Gram matrix.
    const double sums = 2 * static_cast<double>(std::min(tiles, kMostGroups)) * K * sizeof(T) +
                        (2 * sizeof(double) + sizeof(T)) * K;
    const double gram = (static_cast<double>(kMostGroups) * r * r + K * r) * sizeof(T);
    const double turned = K * r * sizeof(T);
    return static_cast<double>(sizes.threads) * tile + sums + gram + turned;
  }
  [[nodiscard]] Memory* memory(Side side) override { return &memory_[side == Side::W ? 0 : 1]; }

 private:
  [[nodiscard]] bool gently(const RowProblem<T>& problem) const {
    return memory_[problem.side == Side::W ? 0 : 1].gentle < gentle_steps_;
  }

  void turn(ConstMatrixView<T> F, ThreadPool& pool) {
    if (turned_.rows() != F.cols || turned_.cols() != F.rows) turned_ = Matrix<T>(F.cols, F.rows);
    const Chunks chunks = row_chunks(F.rows);
    pool.for_each_chunk(chunks.count(), 2.0 * static_cast<double>(turned_.size()), [&](Index chunk) {
      for (Index p = 0; p < F.cols; ++p) {
        for (Index j = chunks.begin(chunk); j < chunks.end(chunk); ++j) turned_(p, j) = F(j, p);
      }
    });
  }

  /// Rows [begin, begin + X.rows) of the block.
  void improve_tile(const RowProblem<T>& problem, const EntryBlock<T>& block, Index begin, MatrixView<T> X,
                    const SweepGram<T>& gram, NewtonTile<T>& memory, T* total, T* weights,
                    std::span<double> sums) const {
    const ConstMatrixView<T> x = see_rows(block, begin, begin + X.rows, memory.rows_of(memory.x, X.rows));
    if (!block.weights.alike_in_rows()) {
      if (memory.weights.rows() == 0) memory.weights = Matrix<T>(memory.x.rows(), memory.x.cols());
      load_weights(block, begin, begin + X.rows, memory.rows_of(memory.weights, X.rows));
    }
    memory.make_models(problem, turned_, x, X, memory_[problem.side == Side::W ? 0 : 1].curvature.data(),
                       total);
    for (Index i = 0; i < X.rows; ++i)
      sums[2] += static_cast<double>(memory.share[static_cast<std::size_t>(i)]);
    sums[0] += sweep(gram, problem, X, memory);
    for (Index i = 0; i < X.rows; ++i) {
      for (Index p = 0; p < X.cols; ++p) memory.moved(i, p) -= X(i, p);
    }
    memory.make_steps(problem, turned_, x, weights);
    memory.alone.clear();
    for (Index i = 0; i < X.rows; ++i)
      sums[1] +=
          weight_of_row(block, begin + i) * take_step(problem, begin + i, x.row(i), X.row(i), i, memory);
    sums[1] += memory.alone.improve(problem, block);
  }

  /// HALS on the model of the rows, which ends in memory.moved; returns how many rows were swept, times.
  static double sweep(const SweepGram<T>& gram, const RowProblem<T>& problem, ConstMatrixView<T> X,
                      NewtonTile<T>& memory) {
    const PanelKernels<T>& kernels = panel_kernels<T>();
    multiply_gram<T>(X, gram.gram, memory.rows_of(memory.cross, X.rows));
    for (Index i = 0; i < X.rows; ++i) {
      const T a = memory.share[static_cast<std::size_t>(i)];
      T* const cross = memory.cross.view().row(i);
      const T* const gradient = memory.gradient.view().row(i);
      const T inverse = a > 0 ? 1 / a : T{0};
      for (Index p = 0; p < X.cols; ++p) cross[p] = a > 0 ? cross[p] - gradient[p] * inverse : T{0};
    }
    PanelBuffer<T>& panels = memory.panels;
    const Index budget = std::min(problem.budget, kMostNewtonSweeps);
    double swept = 0;
    for (Index begin = 0; begin < X.rows; begin += kernels.rows) {
      const Index end = std::min(X.rows, begin + kernels.rows);
      kernels.pack(X.middle_rows(begin, end), T{0}, panels.panel(0));
      kernels.pack(ConstMatrixView<T>(memory.cross.view().middle_rows(begin, end)), T{0}, panels.panel(1));
      double first_step = 0;
      Index done = 0;
      while (true) {
        const double step =
            kernels.hals(gram, panels.panel(1), memory.nothing.data(), panels.panel(0), NextPanel{});
        if (++done == 1) first_step = step;
        if (done >= budget || step_is_small(problem.epsilon, step, first_step)) break;
      }
      kernels.unpack(panels.panel(0), memory.moved.view().middle_rows(begin, end));
      swept += static_cast<double>(done * (end - begin));
    }
    return swept;
  }

  /// Moves row i of the tile, with entries x, as far as that is shown to gain, or leaves it to be improved by
  /// itself; its loss, if it is wanted and the row is done.
  static double take_step(const RowProblem<T>& problem, Index row, const T* x, T* w, Index i,
                          NewtonTile<T>& memory) {
    const DivergenceKernels<T>& divergence = divergence_kernels<T>();
    const auto n = static_cast<std::size_t>(problem.F.rows);
    const Index r = problem.F.cols;
    const T* const y = memory.y.view().row(i);
    const T* const dy = memory.s.view().row(i);
    const T* const e = memory.moved.view().row(i);
    const T* const weights = memory.weights_of(i);
    bool empty = true;
    for (std::size_t j = 0; j < n && empty; ++j)
      empty = x[j] == T{0} || (weights != nullptr && weights[j] == T{0});
    if (empty) {
      std::fill_n(w, r, T{0});  // which Newton's steps come near to, where the curvature vanishes with y
      return 0;
    }
    const double bent = memory.sums[static_cast<std::size_t>(i)].curvature;
    const double at_start = dot(r, memory.gradient.view().row(i), e);
    double t = 0;
    if (at_start < -kNoSlope<T> * bent) {
      const Penalty& penalty = problem.penalty;
      double steps = 0;
      double along = 0;
      double square = 0;
      if (!penalty.none()) {
        steps = sum_terms(r, [&](Index p) { return static_cast<double>(e[p]); });
        along = dot(r, w, e);
        square = dot(r, e, e);
      }
      const auto of_penalty = [&](double at) {
        return penalty.l1 * steps + penalty.l2 * (along + at * square);
      };
      t = step_length(at_start, memory.slopes[static_cast<std::size_t>(i)] + of_penalty(1), [&](double at) {
        return divergence.slope(problem.beta, n, x, y, dy, static_cast<T>(at), weights) + of_penalty(at);
      });
    }
    for (Index p = 0; p < r; ++p) w[p] = std::max(T{0}, w[p] + static_cast<T>(t) * e[p]);
    if (t > 0 ? t < kShort : at_start < -kNoSlope<T> * bent) {
      memory.alone.add(row, w, x);
      return 0;
    }
    return problem.wants_loss ? divergence.value(problem.beta, n, x, y, dy, static_cast<T>(t), weights) : 0;
  }

  Index gentle_steps_;
  std::unique_ptr<RowMethod<T>> updates_ = make_mu_rows<T>();
  std::array<Memory, 2> memory_;
  std::array<Spares<NewtonTile<T>>, 2> tiles_;
  Matrix<T> turned_;  // the transpose of F
  Matrix<T> gram_;
  // Of this half-step: sum_i v_ij y_ij^2 for all j, sum_i a_i y_ij^2 for all j, sum_i a_i, and the rows.
  std::vector<double> curvature_;
};

}  // namespace

template <class T>
std::unique_ptr<RowMethod<T>> make_shared_newton(Index gentle_steps) {
  return std::make_unique<SharedNewton<T>>(gentle_steps);
}

template std::unique_ptr<RowMethod<float>> make_shared_newton(Index);
template std::unique_ptr<RowMethod<double>> make_shared_newton(Index);

}  // namespace anmf
