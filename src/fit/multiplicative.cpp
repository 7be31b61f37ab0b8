// SPDX-License-Identifier: MIT
#include "anmf/multiplicative.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "anmf/options.h"
#include "core/chunks.h"
#include "core/sums.h"
#include "data/range_finder.h"
#include "kernels/gram.h"
#include "kernels/squared_error.h"
#include "kernels/tall_products.h"
#include "loss/check_loss.h"
#include "loss/row_method.h"
#include "validate/entries.h"
#include "validate/options.h"

namespace anmf {
namespace {

// A look at so few entries is over before a team of threads is there.
constexpr double kFewEntries = 1 << 14;
// Updates after which the gain is looked at.
constexpr Index kGainSpan = 10;

/// above and below for the rows of one factor, with the other one, F, as it is.
template <class T>
class Ratios {
 public:
  Ratios(const Data<T>& data, Side side, ConstMatrixView<T> F, double beta, ThreadPool& pool)
      : data_(data), side_(side), F_(F), beta_(beta), pool_(pool) {
    const Index rows = side == Side::W ? data.rows() : data.cols();
    above_ = Matrix<T>(rows, F.cols);
    below_ = Matrix<T>(rows, F.cols);
    if (beta == 2) {  // above is the product with M, whatever the factor is
      data.cross(side, F, above_.view(), pool);
      gram_ = converted<T>(gram<T>(F, Workers{pool}));
    } else {
      column_sums_ = column_sums(F);
    }
  }

  void look(ConstMatrixView<T> X) {
    if (beta_ == 2) return multiply_small<T>(X, std::as_const(gram_).view(), below_.view(), pool_);
    for (Matrix<T>* sums : {&above_, &below_}) std::ranges::fill(sums->values(), T{0});
    data_.for_each_block(side_, [&](const EntryBlock<T>& block) {
      const Index begin = block.rows.begin;
      const Index end = begin + block.rows.count;
      BlockFactors<T> factors = factors_beside<T>(block, beta_, X.middle_rows(begin, end), F_, column_sums_);
      factors.floor = kRatioFloor;
      add_row_sums<T>(RowSums::ratios, block, factors, above_.view().middle_rows(begin, end),
                      below_.view().middle_rows(begin, end), pool_);
    });
  }

  [[nodiscard]] const Matrix<T>& above() const { return above_; }
  [[nodiscard]] const Matrix<T>& below() const { return below_; }

 private:
  const Data<T>& data_;
  Side side_;
  ConstMatrixView<T> F_;
  double beta_;
  ThreadPool& pool_;
  Matrix<T> above_;
  Matrix<T> below_;
  Matrix<T> gram_;
  std::vector<double> column_sums_;
};

template <class T>
void check_factor(std::string_view name, ConstMatrixView<T> X, Index rows, Index r) {
  if (X.rows != rows || X.cols != r) {
    throw InvalidInput(fmt::format("{} is {} x {}; it must be {} x {}.", name, X.rows, X.cols, rows, r));
  }
  validate::entries(name, X);
}

void check_memory(double memory) {
  if (memory >= 0 && memory <= 1) return;
  throw InvalidInput(fmt::format("memory = {}; it must lie in [0, 1].", memory));
}

void check_limits(const UpdateLimits& limits) {
  if (limits.most < 1) throw InvalidInput(fmt::format("most = {}; it must be at least 1.", limits.most));
  for (const auto& [name, value] :
       {std::pair("least_step", limits.least_step), std::pair("least_gain", limits.least_gain)}) {
    if (!(value >= 0)) throw InvalidInput(fmt::format("{} = {}; it must be >= 0.", name, value));
  }
}

}  // namespace

template <class T>
class MultiplicativeUpdates<T>::Impl {
 public:
  Impl(const Data<T>& data, const UpdateOptions& options, Interrupt interrupt)
      : data_(data),
        beta_(beta_of(options.loss)),
        pool_(team(data, beta_, options.threads), std::move(interrupt)) {
    const double weight_W = options.alpha_W * static_cast<double>(data.cols());
    const double weight_H = options.alpha_H * static_cast<double>(data.rows());
    penalties_ = {.W = {.l1 = weight_W * options.l1_ratio, .l2 = weight_W * (1 - options.l1_ratio)},
                  .H = {.l1 = weight_H * options.l1_ratio, .l2 = weight_H * (1 - options.l1_ratio)}};
  }

  [[nodiscard]] double divergence(ConstMatrixView<T> W, ConstMatrixView<T> Ht) {
    if (beta_ != 2) return divergence_by_entries(W, Ht);
    const Ratios<T> ratios(data_, Side::W, Ht, beta_, pool_);
    return squares(W, Ht, ratios.above());
  }

  Index update_W(MatrixView<T> W, ConstMatrixView<T> Ht, const UpdateLimits& limits) {
    Ratios<T> ratios(data_, Side::W, Ht, beta_, pool_);
    return update_W(W, Ht, limits, ratios);
  }

  double learn(MatrixView<T> W, const LearntComponents<T>& H, double memory, const UpdateLimits& limits) {
    double reached = 0;
    {
      const ConstMatrixView<T> Ht = H.Ht;
      Ratios<T> ratios(data_, Side::W, Ht, beta_, pool_);
      update_W(W, Ht, limits, ratios);
      reached = beta_ == 2 ? squares(W, Ht, ratios.above()) : divergence_by_entries(W, Ht);
    }
    Ratios<T> ratios(data_, Side::H, W, beta_, pool_);
    ratios.look(H.Ht);
    for_each_row(H.Ht, [&](Index i, Index /*chunk*/) { learn_row(ratios, H, memory, i); });
    return reached;
  }

 private:
  static int team(const Data<T>& data, double beta, int threads) {
    const double all = static_cast<double>(data.rows()) * static_cast<double>(data.cols());
    const double looked_at = beta == 1 || beta == 2 ? static_cast<double>(data.nonzeros()) : all;
    return looked_at < kFewEntries ? 1 : threads;
  }

  Index update_W(MatrixView<T> W, ConstMatrixView<T> Ht, const UpdateLimits& limits, Ratios<T>& ratios) {
    const auto error = [&] {
      const double D = beta_ == 2 ? squares(W, Ht, ratios.above()) : divergence_by_entries(W, Ht);
      return std::sqrt(2 * std::max(0.0, D));
    };
    const double first = limits.least_gain > 0 ? error() : 0;
    double before = first;
    for (Index made = 1;; ++made) {
      pool_.look();
      const double step = update_once(W, ratios);
      if (made == limits.most || (limits.least_step > 0 && step <= limits.least_step)) return made;
      if (limits.least_gain == 0 || made % kGainSpan != 0) continue;
      const double now = error();
      // A start without error, of which there is no share, has nothing to gain.
      if (first == 0 || before - now < limits.least_gain * first) return made;
      before = now;
    }
  }

  /// ||step|| / ||W||.
  double update_once(MatrixView<T> W, Ratios<T>& ratios) {
    ratios.look(W);
    const RowProblem<T> problem{
        .beta = beta_, .penalty = penalties_.W, .least_entry = least_entry_of(Side::W, beta_)};
    PartialSums<2> sums(row_chunks(W.rows).count());
    for_each_row(W, [&](Index i, Index chunk) {
      T* const row = W.row(i);
      sums.at(chunk)[0] += multiplicative_step(problem, ratios.above().view().row(i),
                                               ratios.below().view().row(i), W.cols, row);
      sums.at(chunk)[1] += dot(W.cols, row, row);
    });
    const std::vector<double> total = sums.total();
    return total[0] == 0 ? 0 : std::sqrt(total[0] / total[1]);
  }

  void learn_row(const Ratios<T>& ratios, const LearntComponents<T>& H, double memory, Index i) const {
    const double gamma = multiplicative_exponent(beta_);
    const double least = least_entry_of(Side::H, beta_);
    const auto power = [](double x, double exponent) { return exponent == 1 ? x : std::pow(x, exponent); };
    for (Index p = 0; p < H.Ht.cols; ++p) {
      const auto old = static_cast<double>(H.Ht(i, p));
      auto below = static_cast<double>(ratios.below()(i, p));
      if (beta_ == 1 && below == 0) below = 1;  // no row of the batch has this component
      const double pull = below + penalties_.H.l1 + penalties_.H.l2 * old;
      const double above = static_cast<double>(ratios.above()(i, p)) * power(old, 1 / gamma);
      H.above(i, p) = static_cast<T>(memory * static_cast<double>(H.above(i, p)) + above);
      H.below(i, p) =
          static_cast<T>(memory * static_cast<double>(H.below(i, p)) + (pull == 0 ? kRatioFloor : pull));
      const double updated =
          power(static_cast<double>(H.above(i, p)) / static_cast<double>(H.below(i, p)), gamma);
      H.Ht(i, p) = static_cast<T>(updated < least ? 0 : updated);
    }
  }

  template <class Act>
  void for_each_row(ConstMatrixView<T> X, const Act& act) {
    const Chunks chunks = row_chunks(X.rows);
    const double flops = 20 * static_cast<double>(X.rows) * static_cast<double>(X.cols);
    pool_.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
      for (Index i = chunks.begin(chunk); i < chunks.end(chunk); ++i) act(i, chunk);
    });
  }

  /// ||M - W H||^2 / 2 with C = M H'.
  [[nodiscard]] double squares(ConstMatrixView<T> W, ConstMatrixView<T> Ht, const Matrix<T>& C) {
    const Workers workers{pool_};
    const ErrorTerms terms = {.squared_norm = data_.norm() * data_.norm(),
                              .overlap = inner_product<T>(C.view(), W, workers),
                              .square = inner_product(gram<T>(Ht, workers), gram<T>(W, workers))};
    return 0.5 * squared_error(data_, terms, W, Ht, pool_).value;
  }

  [[nodiscard]] double divergence_by_entries(ConstMatrixView<T> W, ConstMatrixView<T> Ht) {
    const Side side = data_.whole_rows(Side::W) ? Side::W : Side::H;
    const ConstMatrixView<T> X = side == Side::W ? W : Ht;
    const ConstMatrixView<T> F = side == Side::W ? Ht : W;
    const std::vector<double> sums = column_sums(F);
    double total = 0;
    data_.for_each_block(side, [&](const EntryBlock<T>& block) {
      const ConstMatrixView<T> rows = X.middle_rows(block.rows.begin, block.rows.begin + block.rows.count);
      total += block_loss<T>(block, factors_beside<T>(block, beta_, rows, F, sums), pool_);
    });
    return total;
  }

  const Data<T>& data_;
  double beta_;
  Penalties penalties_;
  ThreadPool pool_;

  friend class MultiplicativeUpdates<T>;
};

template <class T>
MultiplicativeUpdates<T>::MultiplicativeUpdates(const Data<T>& data, const UpdateOptions& options,
                                                Interrupt interrupt) {
  validate::options({.rank = 1,
                     .loss = options.loss,
                     .alpha_W = options.alpha_W,
                     .alpha_H = options.alpha_H,
                     .l1_ratio = options.l1_ratio,
                     .threads = options.threads});
  validate::data(data);
  const double beta = beta_of(options.loss);
  if (beta != 2) check_loss(data, beta);
  impl_ = std::make_unique<Impl>(data, options, std::move(interrupt));
}

template <class T>
MultiplicativeUpdates<T>::~MultiplicativeUpdates() = default;

template <class T>
double MultiplicativeUpdates<T>::divergence(ConstMatrixView<T> W, ConstMatrixView<T> Ht) {
  check_factor("W", W, impl_->data_.rows(), Ht.cols);
  check_factor("H'", Ht, impl_->data_.cols(), Ht.cols);
  return impl_->divergence(W, Ht);
}

template <class T>
Index MultiplicativeUpdates<T>::update_W(MatrixView<T> W, ConstMatrixView<T> Ht, const UpdateLimits& limits) {
  check_limits(limits);
  check_factor<T>("W", W, impl_->data_.rows(), Ht.cols);
  check_factor("H'", Ht, impl_->data_.cols(), Ht.cols);
  return impl_->update_W(W, Ht, limits);
}

template <class T>
double MultiplicativeUpdates<T>::learn(MatrixView<T> W, const LearntComponents<T>& H, double memory,
                                       const UpdateLimits& limits) {
  check_limits(limits);
  check_memory(memory);
  check_factor<T>("W", W, impl_->data_.rows(), H.Ht.cols);
  check_factor<T>("H'", H.Ht, impl_->data_.cols(), H.Ht.cols);
  check_factor<T>("above", H.above, H.Ht.rows, H.Ht.cols);
  check_factor<T>("below", H.below, H.Ht.rows, H.Ht.cols);
  return impl_->learn(W, H, memory, limits);
}

template class MultiplicativeUpdates<float>;
template class MultiplicativeUpdates<double>;

}  // namespace anmf
