// SPDX-License-Identifier: MIT
// All of it is made on M / a with entries about 1 and on H / b likewise, a and b being powers of four: W is
// then divided by a / b, and the objective by a^beta.
#include "fit/entry_losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "anmf/options.h"
#include "data/range_finder.h"
#include "data/scale.h"
#include "data/scaled_problem.h"
#include "fit/observed_rows.h"
#include "loss/entry_pass.h"
#include "loss/optimal_rows.h"
#include "loss/rank_one.h"

namespace anmf {
namespace {

/// The transpose of H, divided by a power of four that makes its largest entry about 1, and that power.
template <class T>
std::pair<Matrix<T>, double> scaled_transpose(ConstMatrixView<T> H) {
  Matrix<T> Ht = transposed(H);
  double largest = 0;
  for (const T x : Ht.values()) largest = std::max(largest, static_cast<double>(x));
  const double scale = largest > 0 ? power_of_four_below(largest) : 1;
  multiply(Ht, 1 / scale);
  return {std::move(Ht), scale};
}

/// The sum of every column of M, of the entries that count; what they count is left out.
template <class T>
Matrix<T> sums_of_columns(const Data<T>& data, ThreadPool& pool) {
  Matrix<T> sums(data.cols(), 1);
  if (data.counted() != Counted::each) {  // the others hold zeros where nothing counts
    Matrix<T> ones(data.rows(), 1, T{1});
    const std::span<const T> rows = data.line_weights(Side::W);
    const std::span<const T> columns = data.line_weights(Side::H);
    for (std::size_t i = 0; i < rows.size(); ++i) ones.data()[i] = rows[i] > T{0} ? T{1} : T{0};
    data.cross(Side::H, ones.view(), sums.view(), pool);
    for (std::size_t j = 0; j < columns.size(); ++j)
      sums.data()[j] = columns[j] > T{0} ? sums.data()[j] : T{0};
    return sums;
  }
  Matrix<T> entries(1, data.cols());
  Matrix<T> weights(1, data.cols());
  data.for_each_block(Side::W, [&](const EntryBlock<T>& block) {
    for (Index i = 0; i < block.rows.count; ++i) {
      load_rows(block, i, i + 1, entries.view());
      load_weights(block, i, i + 1, weights.view());
      for (Index j = 0; j < sums.rows(); ++j) sums(j, 0) += weights(0, j) > T{0} ? entries(0, j) : T{0};
    }
  });
  return sums;
}

/// Whether M has something in a column in which H, the transpose of F, has nothing.
template <class T>
bool lacks_a_column(const Data<T>& data, const Matrix<T>& F, ThreadPool& pool) {
  std::optional<Matrix<T>> sums;
  for (Index j = 0; j < F.rows(); ++j) {
    const T* const row = F.view().row(j);
    if (*std::max_element(row, row + F.cols()) > 0) continue;
    if (!sums) sums = sums_of_columns(data, pool);
    if ((*sums)(j, 0) > 0) return true;
  }
  return false;
}

}  // namespace

template <class T>
NnlsResult<T> fit_entry_rows(const Data<T>& data, ConstMatrixView<T> H, const FitOptions& options,
                             ThreadPool& pool) {
  const double beta = beta_of(options.loss);
  if (!data.whole_rows(Side::W)) {
    throw InvalidInput(fmt::format(
        "loss = {} needs whole rows of M, and this matrix is read by columns: read it into memory, "
        "or write it by rows.",
        loss_name(beta)));
  }
  const ScaledProblem<T> problem(data, beta);
  const double a = problem.scale();
  const auto [F, b] = scaled_transpose(H);
  const double weight = options.alpha_W * columns_that_count(data) * std::pow(a, 1 - beta) / b;
  const FixedFactor factor(beta,
                           {.l1 = weight * options.l1_ratio, .l2 = weight * (1 - options.l1_ratio) * (a / b)},
                           converted<double>(F));
  NnlsResult<T> result{.X = Matrix<T>(data.rows(), H.rows)};
  problem.data().for_each_block(Side::W, [&](const EntryBlock<T>& block) {
    const Index begin = block.rows.begin;
    const double kkt =
        fit_optimal_rows(factor, block, result.X.view().middle_rows(begin, begin + block.rows.count), pool);
    result.kkt = std::max(result.kkt, kkt);
  });
  multiply(result.X, a / b);
  return result;
}

template <class T>
double entry_error(const Data<T>& data, Matrix<T> W, ConstMatrixView<T> H, double beta,
                   const Workers& workers) {
  const ScaledProblem<T> scaled(data, beta);
  const Data<T>& problem = scaled.data();
  const auto [F, b] = scaled_transpose(H);
  if (beta <= 1 && lacks_a_column(problem, F, workers.pool)) return std::numeric_limits<double>::infinity();
  multiply(W, b / scaled.scale());
  const Side side = problem.whole_rows(Side::W) ? Side::W : Side::H;
  const Matrix<T>& X = side == Side::W ? W : F;
  const Matrix<T>& other = side == Side::W ? F : W;
  const std::vector<double> sums =
      column_sums<T>(other.view(), problem.line_weights(side == Side::W ? Side::H : Side::W));
  double loss = 0;
  problem.for_each_block(side, [&](const EntryBlock<T>& block) {
    const ConstMatrixView<T> rows =
        X.view().middle_rows(block.rows.begin, block.rows.begin + block.rows.count);
    loss += block_loss<T>(block, factors_beside<T>(block, beta, rows, other.view(), sums), workers.pool);
  });
  return std::sqrt(2 * std::max(0.0, loss) * std::pow(scaled.scale(), beta));
}

template <class T>
double entry_reference(const Data<T>& data, double beta, const Workers& workers) {
  const ScaledProblem<T> scaled(data, beta);
  return std::sqrt(2 * std::max(0.0, rank_one_loss(scaled.data(), beta, workers)) *
                   std::pow(scaled.scale(), beta));
}

template NnlsResult<float> fit_entry_rows(const Data<float>&, ConstMatrixView<float>, const FitOptions&,
                                          ThreadPool&);
template NnlsResult<double> fit_entry_rows(const Data<double>&, ConstMatrixView<double>, const FitOptions&,
                                           ThreadPool&);
template double entry_error(const Data<float>&, Matrix<float>, ConstMatrixView<float>, double,
                            const Workers&);
template double entry_error(const Data<double>&, Matrix<double>, ConstMatrixView<double>, double,
                            const Workers&);
template double entry_reference(const Data<float>&, double, const Workers&);
template double entry_reference(const Data<double>&, double, const Workers&);

}  // namespace anmf
