// SPDX-License-Identifier: MIT
#include "survey/cross_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "anmf/estimate.h"
#include "anmf/nnls.h"
#include "core/random.h"
#include "data/borrowed.h"
#include "data/entry_rows.h"
#include "data/transposed_data.h"
#include "loss/entry_pass.h"
#include "loss/rank_one.h"
#include "survey/part_of_matrix.h"
#include "survey/resampled.h"

namespace anmf {
namespace {

Index larger_half(Index lines) { return (lines + 1) / 2; }

/// Both halves of so many lines, each ascending: those with the smallest random numbers are the first one.
std::array<std::vector<Index>, 2> halves(Index lines, std::uint64_t seed, std::uint64_t stream) {
  std::vector<std::pair<std::uint64_t, Index>> drawn;
  drawn.reserve(static_cast<std::size_t>(lines));
  for (Index line = 0; line < lines; ++line) drawn.emplace_back(random_bits(seed, stream, line)[0], line);
  std::ranges::sort(drawn);
  std::array<std::vector<Index>, 2> result;
  for (Index k = 0; k < lines; ++k)
    result[k < larger_half(lines) ? 0 : 1].push_back(drawn[static_cast<std::size_t>(k)].second);
  for (std::vector<Index>& half : result) std::ranges::sort(half);
  return result;
}

/// The mean of what counts, the best model that is the same everywhere.
template <class T>
double mean_entry(const Data<T>& data, ThreadPool& pool) {
  if (!kind_of(data).weighted) {
    return sum_of_matrix(data, Workers{pool}) /
           (static_cast<double>(data.rows()) * static_cast<double>(data.cols()));
  }
  double mass = 0;
  double weight = 0;
  Matrix<T> entries(1, data.cols());
  Matrix<T> counts(1, data.cols());
  data.for_each_block(Side::W, [&](const EntryBlock<T>& block) {
    for (Index i = 0; i < block.rows.count; ++i) {
      load_rows(block, i, i + 1, entries.view());
      load_weights(block, i, i + 1, counts.view());
      const std::span<const T> rows = block.weights.of_rows;
      const double of_row = rows.empty() ? 1.0 : static_cast<double>(rows[static_cast<std::size_t>(i)]);
      for (Index j = 0; j < entries.cols(); ++j) {
        const double count = of_row * static_cast<double>(counts(0, j));
        weight += count;
        mass += count == 0 ? 0 : count * static_cast<double>(entries(0, j));
      }
    }
  });
  return mass / weight;
}

/// Columns of nothing say that M has nothing there, beside which a loss may be infinite: they say almost
/// nothing.
template <class T>
void lift_empty_columns(Matrix<T>& H) {
  for (Index j = 0; j < H.cols(); ++j) {
    bool empty = true;
    for (Index p = 0; p < H.rows(); ++p) empty = empty && H(p, j) == T{0};
    for (Index p = 0; p < H.rows() && empty; ++p) H(p, j) = kLeastModel<T>;
  }
}

template <class T>
void take_scale_to_W(Result<T>& result) {
  for (Index i = 0; i < result.W.rows(); ++i) {
    for (Index p = 0; p < result.W.cols(); ++p) {
      const double scale = result.scale[static_cast<std::size_t>(p)];
      if (scale != 1) result.W(i, p) = static_cast<T>(static_cast<double>(result.W(i, p)) * scale);
    }
  }
}

/// The four quarters of M.
template <class T>
class Quarters {
 public:
  Quarters(const Data<T>& M, std::uint64_t seed) {
    const auto rows = halves(M.rows(), seed, streams::kHalvesOfRows);
    const auto columns = halves(M.cols(), seed, streams::kHalvesOfColumns);
    for (std::size_t a = 0; a < 2; ++a) {
      for (std::size_t b = 0; b < 2; ++b) parts_[2 * a + b] = part_of_matrix<T>(M, rows[a], columns[b]);
    }
  }
  [[nodiscard]] const Data<T>& of(std::size_t row_half, std::size_t column_half) const {
    return *parts_[2 * row_half + column_half];
  }

 private:
  std::array<std::unique_ptr<Data<T>>, 4> parts_;
};

/// What the three other quarters say of one.
template <class T>
class Foretelling {
 public:
  Foretelling(const Options& options, ThreadPool& pool) : pool_(pool) {
    fit_.loss = options.loss;
    fit_.threads = pool.threads();
  }

  /// Rows and columns of A beside a model of D.
  [[nodiscard]] double error(const Quarters<T>& M, std::size_t a, std::size_t b, const Result<T>& model) {
    const Data<T>& A = M.of(a, b);
    Matrix<T> W = fit_rows<T>(M.of(a, 1 - b), model.H.view(), fit_, look()).X;
    const TransposedData<T> C(std::make_unique<Borrowed<T>>(M.of(1 - a, b)));
    const Matrix<T> turned = transposed(model.W);
    Matrix<T> H = transposed(fit_rows<T>(C, turned.view(), fit_, look()).X);
    lift_empty_columns(H);
    return fit_error<T>(A, std::move(W), std::as_const(H).view(), fit_, look());
  }
  [[nodiscard]] double error_of_mean(const Data<T>& A) {
    const Matrix<T> W(A.rows(), 1, T{1});
    const double mean = std::max(mean_entry(A, pool_), static_cast<double>(kLeastModel<T>));
    const Matrix<T> H(1, A.cols(), static_cast<T>(mean));
    return fit_error<T>(A, W, H.view(), fit_, look());
  }

 private:
  /// The pool's own interrupt.
  [[nodiscard]] Interrupt look() {
    return [this] { pool_.look(); };
  }

  ThreadPool& pool_;
  FitOptions fit_;
};

}  // namespace

template <class T>
void check_cross_validation(const Data<T>& data, Index rank) {
  if (data.storage() != Storage::dense && data.storage() != Storage::sparse) {
    throw InvalidInput(
        fmt::format("Bi-cross-validation needs a matrix in the memory of one process; this one is {}.",
                    to_string(data.storage())));
  }
  const Index least = 2 * std::max<Index>(1, rank);
  if (std::min(data.rows(), data.cols()) >= least) return;
  throw InvalidInput(fmt::format(
      "Bi-cross-validation fits quarters of M, which is {} x {}; for rank {} it needs at least {} "
      "rows and columns. Choose smaller ranks, or hold out single entries (speckled).",
      data.rows(), data.cols(), rank, least));
}

template <class T>
CrossValidated cross_validate(const Data<T>& data, const Options& options, Observer<T>* observer,
                              ThreadPool* pool) {
  check(options);
  check_cross_validation(data, options.rank);
  std::unique_ptr<ThreadPool> own_pool;
  if (pool == nullptr) {
    own_pool = std::make_unique<ThreadPool>(
        options.threads, observer == nullptr ? Interrupt() : [observer] { observer->interrupt(); });
    pool = own_pool.get();
  }
  const Quarters<T> quarters(data, options.seed);
  Foretelling<T> foretelling(options, *pool);
  CrossValidated found;
  double squares = 0;
  double squares_of_mean = 0;
  for (std::size_t a = 0; a < 2; ++a) {
    for (std::size_t b = 0; b < 2; ++b) {
      Result<T> model = factorize<T>(quarters.of(1 - a, 1 - b), options, {}, observer, nullptr, pool);
      take_scale_to_W(model);
      found.iterations += model.iterations;
      found.kkt = std::max(found.kkt, model.kkt);
      if (found.status == Status::converged) found.status = model.status;
      const double error = foretelling.error(quarters, a, b, model);
      const double of_mean = foretelling.error_of_mean(quarters.of(a, b));
      squares += error * error;
      squares_of_mean += of_mean * of_mean;
    }
  }
  found.error = std::sqrt(squares);
  found.relative_error = squares_of_mean > 0 ? std::sqrt(squares / squares_of_mean) : 0;
  return found;
}

template <class T>
double cross_validation_bytes(Index rows, Index cols, Index nonzeros, const Options& options) {
  const Index half_rows = larger_half(rows);
  const Index half_cols = larger_half(cols);
  const double entries = static_cast<double>(rows) * static_cast<double>(cols);
  const bool dense = static_cast<double>(nonzeros) >= entries;
  const Index quarter = dense ? half_rows * half_cols : (nonzeros + 3) / 4;
  const RunMemory run = run_memory<T>(half_rows, half_cols, quarter, options, 1);
  const double rest = static_cast<double>((half_rows + half_cols) * options.rank) * 2 * sizeof(T);
  const double one = resampled_bytes<T>(half_rows, half_cols, quarter);
  return 4 * one + std::max({run.start, run.compression, run.loop, run.end}) + rest;
}

template void check_cross_validation(const Data<float>&, Index);
template void check_cross_validation(const Data<double>&, Index);
template CrossValidated cross_validate(const Data<float>&, const Options&, Observer<float>*, ThreadPool*);
template CrossValidated cross_validate(const Data<double>&, const Options&, Observer<double>*, ThreadPool*);
template double cross_validation_bytes<float>(Index, Index, Index, const Options&);
template double cross_validation_bytes<double>(Index, Index, Index, const Options&);

}  // namespace anmf
