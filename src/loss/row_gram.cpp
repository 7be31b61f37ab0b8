// SPDX-License-Identifier: MIT
// Least squares with weights: row i of A (N x K), beside F (K x r), has normal equations of its own,
//
//     G_i = sum_j p_ij f_j f_j' + l2 I,    c_i = sum_j p_ij a_ij f_j - l1,
//
// where the sums go over the entries that count. They are made once per half-step, r^2 + 2 r multiply-adds
// for each of these entries, and HALS sweeps over the row as often as the inner stop says:
//
//     x_p <- max(0, x_p + (c_p - <x, G_:p>) / G_pp).
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "core/inner_stop.h"
#include "core/spares.h"
#include "loss/row_method.h"

namespace anmf {
namespace {

/// The normal equations of one row, for one thread.
template <class T>
struct RowEquations {
  Matrix<T> gram;
  std::vector<T> cross;
  Matrix<T> entries;  // of a dense row
  Matrix<T> weights;

  RowEquations(Index K, Index r, bool dense) : gram(r, r), cross(static_cast<std::size_t>(r)) {
    if (dense) entries = weights = Matrix<T>(1, K);
  }

  void clear() {
    std::fill_n(gram.data(), gram.size(), T{0});
    std::fill(cross.begin(), cross.end(), T{0});
  }
  /// An entry x that counts so much, of the column with this row of F.
  void add(T x, T weight, const T* f) {
    const Index r = gram.rows();
    for (Index p = 0; p < r; ++p) {
      const T weighted = weight * f[p];
      cross[static_cast<std::size_t>(p)] += weighted * x;
      T* const row = gram.view().row(p);
      for (Index q = 0; q < r; ++q) row[q] += weighted * f[q];
    }
  }
};

template <class T>
class RowGram final : public RowMethod<T> {
 public:
  void improve(const RowProblem<T>& problem, const EntryBlock<T>& block, MatrixView<T> X, ThreadPool& pool,
               RowReport& report) override {
    std::optional<SparseRows<T>> rows;
    if (skips_zeros(problem.beta, block)) rows.emplace(block);
    const SparseRows<T>* const sparse = rows ? &*rows : nullptr;
    const Chunks chunks = look_chunks(block, sparse);
    const double entries = entries_looked_at(block, sparse);
    const auto r = static_cast<double>(X.cols);
    const double flops = entries * (r * r + 4 * r);
    PartialSums<2> sums(chunks.count());
    Spares<RowEquations<T>> spares;
    pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
      const auto equations = spares.lend(
          [&] { return std::make_unique<RowEquations<T>>(problem.F.rows, X.cols, sparse == nullptr); });
      RowLook<T> look(block, sparse, problem.beta, problem.F, problem.column_sums);
      for (Index i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
        set_up(problem, block, sparse, i, *equations);
        sums.at(chunk)[0] += static_cast<double>(sweep(problem, *equations, X.row(i)));
        if (problem.wants_loss) sums.at(chunk)[1] += look.loss(i, i + 1, X.middle_rows(i, i + 1));
      }
    });
    const std::vector<double> total = sums.total();
    report.sweeps += total[0];
    report.weight += static_cast<double>(X.rows);
    report.flops += flops + 2 * r * r * total[0];
    report.loss += total[1];
  }

  /// Normal equations and a sweep, beside one more sweep.
  [[nodiscard]] double rho(Index K, Index r) const override {
    return 1 + static_cast<double>(K) * (0.5 + 1 / static_cast<double>(r));
  }
  [[nodiscard]] double bytes(const RowSizes& sizes) const override {
    const auto r = static_cast<double>(sizes.rank);
    const double row = sizes.skips_zeros ? 0 : 2 * static_cast<double>(sizes.columns);
    return static_cast<double>(sizes.threads) * (r * r + r + row) * sizeof(T) + look_bytes<T>(sizes);
  }

 private:
  static void set_up(const RowProblem<T>& problem, const EntryBlock<T>& block, const SparseRows<T>* sparse,
                     Index i, RowEquations<T>& equations) {
    equations.clear();
    if (sparse == nullptr) {
      load_rows(block, i, i + 1, equations.entries.view());
      load_weights(block, i, i + 1, equations.weights.view());
      for (Index j = 0; j < problem.F.rows; ++j) {
        if (equations.weights(0, j) > T{0})
          equations.add(equations.entries(0, j), equations.weights(0, j), problem.F.row(j));
      }
    } else {
      const EntryWeights<T>& weights = block.weights;
      const std::span<const std::uint32_t> indices = sparse->indices(i);
      const std::span<const T> values = sparse->values(i);
      const auto first = static_cast<std::size_t>(sparse->lines().offsets[static_cast<std::size_t>(i)]);
      for (std::size_t k = 0; k < indices.size(); ++k) {
        T weight = weights.of_stored.empty() ? T{1} : weights.of_stored[first + k];
        if (!weights.of_columns.empty()) weight *= weights.of_columns[indices[k]];
        equations.add(values[k] * sparse->scale(), weight, problem.F.row(indices[k]));
      }
    }
    for (Index p = 0; p < equations.gram.rows(); ++p) {
      equations.gram(p, p) += static_cast<T>(problem.penalty.l2);
      equations.cross[static_cast<std::size_t>(p)] -= static_cast<T>(problem.penalty.l1);
    }
  }

  /// Returns how often.
  static Index sweep(const RowProblem<T>& problem, const RowEquations<T>& equations, T* x) {
    const Matrix<T>& G = equations.gram;
    double first_step = 0;
    for (Index done = 1;; ++done) {
      double step = 0;
      for (Index p = 0; p < G.rows(); ++p) {
        const T* const row = G.view().row(p);
        T slope = equations.cross[static_cast<std::size_t>(p)];
        for (Index q = 0; q < G.rows(); ++q) slope -= row[q] * x[q];
        if (!(row[p] > T{0})) {
          if (slope <= T{0}) x[p] = 0;  // nothing holds the entry but its penalty
          continue;
        }
        const T moved = std::max(T{0}, x[p] + slope / row[p]);
        const auto change = static_cast<double>(moved - x[p]);
        step += change * change;
        x[p] = moved;
      }
      if (done == 1) first_step = step;
      if (done >= problem.budget || step_is_small(problem.epsilon, step, first_step)) return done;
    }
  }
};

}  // namespace

template <class T>
std::unique_ptr<RowMethod<T>> make_row_gram() {
  return std::make_unique<RowGram<T>>();
}

template std::unique_ptr<RowMethod<float>> make_row_gram();
template std::unique_ptr<RowMethod<double>> make_row_gram();

}  // namespace anmf
