// SPDX-License-Identifier: MIT
// Multiplicative updates of Lee and Seung for every beta, b, as scikit-learn has them:
//
//     x <- x (above / (below + l1 + l2 x))^gamma,   gamma = 1/(2-b) for b < 1, 1/(b-1) for b > 2, else 1
//
// with above and below of loss/entry_pass.h. Each sweep needs the model of all entries anew: what further
// sweeps save is reading them, and the rows of F that belong to them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/inner_stop.h"
#include "loss/row_method.h"

namespace anmf {
namespace {

// Where nothing pulls an entry down, as beside a column of zeros.
constexpr double kNoPull = 1.1920928955078125e-07;
// Entries that die out would end as denormal numbers, which are slow.
template <class T>
constexpr T kDead = sizeof(T) == 4 ? T{1e-30F} : T{1e-60};

template <class T>
class MuRows final : public RowMethod<T> {
 public:
  void improve(const RowProblem<T>& problem, const EntryBlock<T>& block, MatrixView<T> X, ThreadPool& pool,
               RowReport& report) override {
    std::optional<SparseRows<T>> rows;
    if (skips_zeros(problem.beta, block)) rows.emplace(block);
    const SparseRows<T>* const sparse = rows ? &*rows : nullptr;
    const Chunks chunks = look_chunks(block, sparse);
    const double entry_flops = 6.0 * static_cast<double>(X.cols);
    const auto entries = [&](Index begin, Index end) {
      if (sparse == nullptr) return (end - begin) * problem.F.rows;
      const std::span<const Index> offsets = sparse->lines().offsets;
      return offsets[static_cast<std::size_t>(end)] - offsets[static_cast<std::size_t>(begin)];
    };
    PartialSums<3> sums(chunks.count());
    pool.for_each_chunk(chunks.count(), entry_flops * entries_looked_at(block, sparse), [&](Index chunk) {
      RowLook<T> look(block, sparse, problem.beta, problem.F, problem.column_sums, problem.floor);
      // Sparse rows stop one by one, dense ones by tiles (rows_at_once): what is decided does not depend on
      // which rows are here.
      const Index together = sparse == nullptr ? chunks.largest() : 1;
      Matrix<T> above(together, X.cols);
      Matrix<T> below(together, X.cols);
      for (Index begin = chunks.begin(chunk); begin < chunks.end(chunk); begin += together) {
        const Index end = std::min(begin + together, chunks.end(chunk));
        const MatrixView<T> rows_of_X = X.middle_rows(begin, end);
        double first_step = 0;
        Index done = 0;
        while (true) {
          look.sums(RowSums::ratios, begin, end, rows_of_X, above.view().middle_rows(0, end - begin),
                    below.view().middle_rows(0, end - begin));
          double step = 0;
          for (Index i = 0; i < rows_of_X.rows; ++i) {
            step += multiplicative_step(problem, above.view().row(i), below.view().row(i), X.cols,
                                        rows_of_X.row(i));
          }
          if (++done == 1) first_step = step;
          if (done >= problem.budget || step_is_small(problem.epsilon, step, first_step)) break;
        }
        sums.at(chunk)[0] += static_cast<double>(done * (end - begin));
        sums.at(chunk)[1] += static_cast<double>(done * entries(begin, end));
        if (problem.wants_loss) sums.at(chunk)[2] += look.loss(begin, end, rows_of_X);
      }
    });
    const std::vector<double> total = sums.total();
    report.sweeps += total[0];
    report.weight += static_cast<double>(X.rows);
    report.flops += entry_flops * total[1];
    report.loss += total[2];
  }

  [[nodiscard]] double rho(Index /*K*/, Index /*r*/) const override { return 1; }
  [[nodiscard]] double bytes(const RowSizes& sizes) const override { return look_bytes<T>(sizes); }
};

}  // namespace

double multiplicative_exponent(double beta) {
  return beta < 1 ? 1 / (2 - beta) : beta > 2 ? 1 / (beta - 1) : 1;
}

double least_entry_of(Side side, double beta) {
  return beta < 1 || (beta == 1 && side == Side::H) ? std::numeric_limits<double>::epsilon() : 0;
}

template <class T>
double multiplicative_step(const RowProblem<T>& problem, const T* above, const T* below, Index r, T* x) {
  const double gamma = multiplicative_exponent(problem.beta);
  const double least = std::max(static_cast<double>(kDead<T>), problem.least_entry);
  double squared = 0;
  for (Index p = 0; p < r; ++p) {
    const auto old = static_cast<double>(x[p]);
    double pull = static_cast<double>(below[p]) + problem.penalty.l1 + problem.penalty.l2 * old;
    if (pull == 0) pull = kNoPull;
    const double ratio = static_cast<double>(above[p]) / pull;
    double updated = old * (gamma == 1 ? ratio : std::pow(ratio, gamma));
    if (updated < least) updated = 0;
    x[p] = static_cast<T>(std::max(updated, problem.lower_bound));
    const double step = static_cast<double>(x[p]) - old;
    squared += step * step;
  }
  return squared;
}

template <class T>
std::unique_ptr<RowMethod<T>> make_mu_rows() {
  return std::make_unique<MuRows<T>>();
}

template double multiplicative_step(const RowProblem<float>&, const float*, const float*, Index, float*);
template double multiplicative_step(const RowProblem<double>&, const double*, const double*, Index, double*);
template std::unique_ptr<RowMethod<float>> make_mu_rows();
template std::unique_ptr<RowMethod<double>> make_mu_rows();

}  // namespace anmf
