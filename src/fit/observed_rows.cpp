// SPDX-License-Identifier: MIT
// Row i of M (m x n) beside H (r x n), with F = H':
//
//     G_i = sum_j b_j p_ij f_j f_j' + l2 I,    c_i = sum_j b_j p_ij m_ij f_j - l1
//
// over the entries that count. Where most of them do, G_i is what all columns make without those that are
// missing, n_i r^2 flops for the smaller number of both; a row without its own p shares the one of all.
#include "fit/observed_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "core/blas.h"
#include "core/spares.h"
#include "data/range_finder.h"
#include "data/scale.h"
#include "data/scaled_problem.h"
#include "kernels/gram.h"
#include "kernels/nnls_rows.h"
#include "kernels/panels.h"
#include "loss/entry_pass.h"
#include "loss/row_weights.h"

namespace anmf {
namespace {

// Rows of F that are packed for one product.
constexpr Index kRowsAtATime = 256;
// Of a sum of squares, what may be left of it when some are taken away again.
constexpr double kLeastRest = 1e-6;

/// What every row has to do with.
struct BesideRows {
  Matrix<double> F;  // n x r
  double l1 = 0;
  double l2 = 0;
  Matrix<double> gram;               // of all columns, with their weights and l2
  std::optional<NnlsSolver> solver;  // for that
};

/// The equations of one row, and memory to make them in.
class ObservedRow {
 public:
  ObservedRow(const BesideRows& beside, bool dense)
      : beside_(beside),
        gram_(beside.F.cols(), beside.F.cols()),
        cross_(1, beside.F.cols()),
        x_(1, beside.F.cols()),
        packed_(std::min(kRowsAtATime, beside.F.rows()), beside.F.cols()) {
    if (dense) entries_ = weights_ = Matrix<double>(1, beside.F.rows());
  }

  /// Row i of a block.
  template <class T>
  void set_up(const EntryBlock<T>& block, const SparseRows<T>* sparse, Index i) {
    const EntryWeights<T>& weights = block.weights;
    shared_ = false;
    std::fill_n(cross_.data(), cross_.size(), 0.0);
    const auto of_column = [&](Index j) {
      return weights.of_columns.empty()
                 ? 1.0
                 : static_cast<double>(weights.of_columns[static_cast<std::size_t>(j)]);
    };
    const bool own = sparse != nullptr ? weights.counted == Counted::stored : !makes_from_all(weights);
    if (own) start_own();
    if (sparse != nullptr) {
      const std::span<const std::uint32_t> indices = sparse->indices(i);
      std::vector<T> of_stored(indices.size());
      load_stored_weights<T>(block, *sparse, i, of_stored);
      for (std::size_t k = 0; k < indices.size(); ++k) {
        const auto weight = static_cast<double>(of_stored[k]);
        add_cross(Index{indices[k]}, weight * static_cast<double>(sparse->values(i)[k] * sparse->scale()));
        if (own) add_own(Index{indices[k]}, weight, 1);
      }
    } else {
      load(block, i);
      for (Index j = 0; j < entries_.cols(); ++j) {
        if (weights_(0, j) == 0) continue;
        add_cross(j, weights_(0, j) * entries_(0, j));
        if (own) add_own(j, weights_(0, j), 1);
      }
    }
    if (!own) make_from_all(weights, i, of_column);
    if (own) flush(1);
    for (Index p = 0; p < cross_.cols(); ++p) cross_(0, p) -= beside_.l1;
  }

  /// Writes the solution; returns how far it is from optimal.
  template <class T>
  double solve(T* row) {
    std::fill_n(x_.data(), x_.size(), 0.0);
    if (shared_ && beside_.solver) {
      (void)beside_.solver->solve(std::as_const(cross_).view(), x_.view());
    } else {
      (void)NnlsSolver(std::as_const(gram_).view(), kTinyDiagonal<T>)
          .solve(std::as_const(cross_).view(), x_.view());
    }
    const Matrix<double>& G = shared_ ? beside_.gram : gram_;
    Matrix<double> gradient(1, x_.cols());
    Matrix<double> loss_alone = cross_;  // what the entries say, as NnlsResult::kkt has it
    for (Index p = 0; p < x_.cols(); ++p) {
      gradient(0, p) = -cross_(0, p);
      for (Index q = 0; q < x_.cols(); ++q) gradient(0, p) += x_(0, q) * G(q, p);
      loss_alone(0, p) += beside_.l1;
      row[p] = static_cast<T>(x_(0, p));
    }
    return kkt_residual<double>(G.view(), std::as_const(loss_alone).view(), std::as_const(gradient).view(),
                                std::as_const(x_).view());
  }

 private:
  template <class T>
  static bool makes_from_all(const EntryWeights<T>& weights) {
    return weights.counted == Counted::all || weights.counted == Counted::all_but;
  }

  template <class T>
  void load(const EntryBlock<T>& block, Index i) {
    Matrix<T> entries(1, entries_.cols());
    Matrix<T> weights(1, entries_.cols());
    load_rows(block, i, i + 1, entries.view());
    load_weights(block, i, i + 1, weights.view());
    entries_ = converted<double>(entries);
    weights_ = converted<double>(weights);
  }

  /// G_all without the missing ones, or the sum over the others if these are fewer.
  template <class T, class OfColumn>
  void make_from_all(const EntryWeights<T>& weights, Index i, const OfColumn& of_column) {
    const std::span<const std::uint32_t> missing =
        weights.counted == Counted::all_but ? weights.missing.row(i) : std::span<const std::uint32_t>();
    if (missing.empty()) {
      shared_ = true;
      return;
    }
    const Index n = beside_.F.rows();
    if (2 * static_cast<Index>(missing.size()) <= n) {
      gram_ = beside_.gram;
      for (const std::uint32_t j : missing) add_own(Index{j}, of_column(Index{j}), -1);
      flush(-1);
      if (difference_is_sound()) return;
    }
    start_own();
    std::size_t next = 0;
    for (Index j = 0; j < n; ++j) {
      if (next < missing.size() && Index{missing[next]} == j) {
        ++next;
        continue;
      }
      add_own(j, of_column(j), 1);
    }
    flush(1);
  }

  /// Whether no component has lost so much that the rest is rounding.
  [[nodiscard]] bool difference_is_sound() const {
    for (Index p = 0; p < gram_.rows(); ++p) {
      if (gram_(p, p) < kLeastRest * beside_.gram(p, p)) return false;
    }
    return true;
  }

  void start_own() {
    std::fill_n(gram_.data(), gram_.size(), 0.0);
    for (Index p = 0; p < gram_.rows(); ++p) gram_(p, p) = beside_.l2;
  }

  void add_cross(Index j, double by) {
    const double* const f = beside_.F.view().row(j);
    for (Index p = 0; p < cross_.cols(); ++p) cross_(0, p) += by * f[p];
  }

  /// G_i += sign * weight f_j f_j', once flushed.
  void add_own(Index j, double weight, double sign) {
    const double root = std::sqrt(weight);
    const double* const f = beside_.F.view().row(j);
    double* const to = packed_.view().row(count_);
    for (Index p = 0; p < packed_.cols(); ++p) to[p] = root * f[p];
    if (++count_ == packed_.rows()) flush(sign);
  }

  void flush(double sign) {
    const ConstMatrixView<double> rows = packed_.view().middle_rows(0, count_);
    if (count_ > 0)
      blas::gemm<double>(blas::Op::transpose, blas::Op::none, sign, rows, rows, 1.0, gram_.view());
    count_ = 0;
  }

  const BesideRows& beside_;
  Matrix<double> gram_;
  Matrix<double> cross_;
  Matrix<double> x_;
  Matrix<double> packed_;
  Index count_ = 0;
  bool shared_ = false;
  Matrix<double> entries_;  // of a dense row
  Matrix<double> weights_;
};

template <class T>
BesideRows make_beside_rows(const Data<T>& data, const Matrix<T>& Ht, double l1, double l2,
                            const Workers& workers) {
  BesideRows beside{.F = converted<double>(Ht), .l1 = l1, .l2 = l2, .gram = {}, .solver = {}};
  if (data.counted() != Counted::all && data.counted() != Counted::all_but) return beside;
  Matrix<double> weighted = beside.F;
  const std::span<const T> columns = data.line_weights(Side::H);
  for (Index j = 0; j < weighted.rows() && !columns.empty(); ++j) {
    const double root = std::sqrt(static_cast<double>(columns[static_cast<std::size_t>(j)]));
    for (Index p = 0; p < weighted.cols(); ++p) weighted(j, p) *= root;
  }
  beside.gram = gram<double>(std::as_const(weighted).view(), workers);
  for (Index p = 0; p < beside.gram.rows(); ++p) beside.gram(p, p) += l2;
  beside.solver.emplace(std::as_const(beside.gram).view(), kTinyDiagonal<T>);
  return beside;
}

template <class T>
double solve_block(const BesideRows& beside, const EntryBlock<T>& block, MatrixView<T> X, ThreadPool& pool) {
  std::optional<SparseRows<T>> rows;
  if (std::holds_alternative<SparseLines<T>>(block.lines)) rows.emplace(block);
  const SparseRows<T>* const sparse = rows ? &*rows : nullptr;
  const Chunks chunks = look_chunks(block, sparse);
  const auto r = static_cast<double>(X.cols);
  const double flops = entries_looked_at(block, sparse) * r * r + static_cast<double>(X.rows) * r * r * r;
  std::vector<double> worst(static_cast<std::size_t>(chunks.count()), 0.0);
  Spares<ObservedRow> spares;
  pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
    const auto equations =
        spares.lend([&] { return std::make_unique<ObservedRow>(beside, sparse == nullptr); });
    for (Index i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
      pool.look();
      equations->set_up(block, sparse, i);
      double& largest = worst[static_cast<std::size_t>(chunk)];
      largest = std::max(largest, equations->solve(X.row(i)));
    }
  });
  return worst.empty() ? 0 : *std::max_element(worst.begin(), worst.end());
}

}  // namespace

template <class T>
NnlsResult<T> fit_observed_rows(const Data<T>& data, ConstMatrixView<T> H, const FitOptions& options,
                                const Workers& workers) {
  if (!data.whole_rows(Side::W)) {
    throw InvalidInput(
        "Weights and missing entries need whole rows of M, and this matrix is read by columns: read it into "
        "memory, or write it by rows.");
  }
  // M / a is fitted by H / b, which gives W b / a, as in fit_rows().
  Matrix<T> Ht = transposed(H);
  const ScaledProblem<T> problem(data);
  const double a = problem.scale();
  double largest = 0;
  for (const T x : Ht.values()) largest = std::max(largest, static_cast<double>(x));
  const double b = safe_scale<T>(largest);
  multiply(Ht, 1 / b);
  const double weight = options.alpha_W * columns_that_count(data);
  const BesideRows beside = make_beside_rows(data, Ht, weight * options.l1_ratio / a / b,
                                             weight * (1 - options.l1_ratio) / b / b, workers);
  NnlsResult<T> result{.X = Matrix<T>(data.rows(), H.rows)};
  problem.data().for_each_block(Side::W, [&](const EntryBlock<T>& block) {
    const Index begin = block.rows.begin;
    result.kkt = std::max(
        result.kkt, solve_block(beside, block, result.X.view().middle_rows(begin, begin + block.rows.count),
                                workers.pool));
  });
  multiply(result.X, a / b);
  return result;
}

template NnlsResult<float> fit_observed_rows(const Data<float>&, ConstMatrixView<float>, const FitOptions&,
                                             const Workers&);
template NnlsResult<double> fit_observed_rows(const Data<double>&, ConstMatrixView<double>, const FitOptions&,
                                              const Workers&);

}  // namespace anmf
