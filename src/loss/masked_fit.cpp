// SPDX-License-Identifier: MIT
// Least squares with weights a of the rows of M (m x n), b of its columns, and missing entries S, of which M
// holds zeros:
//
//     1/2 sum over (i, j) not in S of a_i b_j (m_ij - y_ij)^2,    Y = W H.
//
// With X the factor of a side (N x r), F the other one, D the weights of the rows of F and D' those of X, the
// half-step of that side has G = F' D F + l2 I and C = M D F + E D F, where E has the entries of Y in S as
// they are at X, and zeros elsewhere: what is missing is filled in with the model. That lies above the
// objective and touches it at X, so any number of sweeps lowers it; without S it is the objective. The row
// weights D' belong to whole rows of the problem and leave it alone. The value at the pair is, with the sums
// weighted,
//
//     1/2 (||M||^2 - 2 <M, Y> + ||Y||^2 - sum over S of y_ij^2),
//
// and its last term is <X, E D F>.
#include "loss/masked_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/chunks.h"
#include "core/cost_model.h"
#include "core/sums.h"
#include "kernels/gram.h"
#include "kernels/sparse_rows.h"
#include "kernels/squared_error.h"
#include "loss/balance.h"
#include "loss/entry_pass.h"
#include "loss/quadratic_half.h"
#include "loss/revive.h"

namespace anmf {
namespace {

/// X with its rows multiplied by weights, or by their roots.
template <class T>
Matrix<T> weighted_rows(ConstMatrixView<T> X, std::span<const T> weights, bool roots) {
  Matrix<T> result(X.rows, X.cols);
  for (Index i = 0; i < X.rows; ++i) {
    const T weight = weights[static_cast<std::size_t>(i)];
    const T by = roots ? std::sqrt(weight) : weight;
    for (Index p = 0; p < X.cols; ++p) result(i, p) = by * X(i, p);
  }
  return result;
}

/// Entries of a row that begins at a cache line.
template <class T>
Index aligned_stride(Index cols) {
  constexpr Index kLine = 64 / Index{sizeof(T)};
  return (cols + kLine - 1) / kLine * kLine;
}

template <class T>
class MaskedFit final : public FitTerm<T> {
 public:
  MaskedFit(const Data<T>& data, Factors<T> start, const Penalties& penalties, const Workers& workers)
      : FitTerm<T>(data, std::move(start), penalties, workers),
        squared_norm_(data.norm() * data.norm()),
        masked_(data.counted() == Counted::all_but) {
    for (const Side side : {Side::W, Side::H}) this->moved(side);
  }

  bool revive(Side side) override {
    if (!this->penalties().none()) return false;  // a penalty may want a component gone
    const Revived revived = revive_zero_columns(this->state(side), this->state(other(side)));
    if (revived.any) {
      for (const Side one : {Side::W, Side::H}) this->moved(one);
    }
    return revived.any;
  }
  bool balance() override {
    if (!this->penalties().none()) return false;  // a penalty knows one scale alone
    if (!balance_components(this->state(Side::W), this->state(Side::H))) return false;
    for (const Side side : {Side::W, Side::H}) this->moved(side);
    return true;
  }

  [[nodiscard]] Wanted<T> wants_for_half(Side side, BlockUpdate<T> /*update*/) override {
    Wanted<T> wanted;
    want_product(side, wanted);
    want_missing(side, this->factor(side).X.view(), wanted);
    return wanted;
  }
  [[nodiscard]] Wanted<T> wants_for_value(Side last_updated) override {
    Wanted<T> wanted;
    want_product(last_updated, wanted);
    // The next half-step needs what is missing seen from its own side.
    if (!missing_[index(last_updated)].current)
      want_missing(other(last_updated), this->factor(other(last_updated)).X.view(), wanted);
    return wanted;
  }
  [[nodiscard]] Wanted<T> wants_for_gradients(const std::array<ConstMatrixView<T>, 2>& at) override {
    Wanted<T> wanted;
    for (const Side side : {Side::W, Side::H}) {
      want_product(side, wanted);
      const bool elsewhere =
          at[index(side)].cols != 0 && at[index(side)].data != this->factor(side).X.view().data;
      if (elsewhere) missing_[index(side)].current = false;
      want_missing(side, elsewhere ? at[index(side)] : this->factor(side).X.view(), wanted);
      missing_[index(side)].elsewhere = elsewhere;
    }
    return wanted;
  }
  void supplied(const Wanted<T>& wanted) override {
    for (const Product<T>& made : wanted.products) {
      products_[index(made.side)].current = true;
      products_[index(made.side)].seconds = made.seconds;
    }
    for (const EntryPass<T>& pass : wanted.passes) missing_[index(pass.side)].current = true;
  }
  [[nodiscard]] double product_seconds(Side side) const override { return products_[index(side)].seconds; }

  [[nodiscard]] HalfStep<T> half(Side side) override {
    return halves_[index(side)].of(this->gram(other(side)), completed(side), this->penalties().of(side),
                                   this->workers());
  }
  [[nodiscard]] Model model() const override { return masked_ ? Model::majoriser : Model::exact; }

  [[nodiscard]] double half_flops(Side side) const override {
    const double all = static_cast<double>(this->data().rows()) * static_cast<double>(this->data().cols());
    const double missing = all - this->data().observed();
    return cost::products(this->data().nonzeros(), this->factor(other(side)).all_rows(), rank()) +
           (masked_ ? 4 * missing * static_cast<double>(rank()) : 0);
  }
  [[nodiscard]] double rho(Side side) const override {
    return cost::rho(this->data().nonzeros(), this->factor(side).all_rows(),
                     this->factor(other(side)).all_rows(), rank());
  }

  [[nodiscard]] Optimality optimality(Side side, ConstMatrixView<T> X, double lower_bound) override {
    return at_weighted_rows(side, X, [&](const HalfStep<T>& problem, ConstMatrixView<T> shown) {
      return anmf::optimality<T>(problem, shown, lower_bound);
    });
  }
  [[nodiscard]] GradientNorms norms_of_gradient(Side side, double lower_bound) override {
    return at_weighted_rows(side, this->factor(side).X.view(),
                            [&](const HalfStep<T>& problem, ConstMatrixView<T> shown) {
                              return gradient_norms<T>(problem, shown, lower_bound);
                            });
  }

  [[nodiscard]] Reported reported(const Value& value, double scale) const override {
    return reported_squares(value, squared_norm_, scale);
  }
  [[nodiscard]] double reference() const override { return 0.5 * squared_norm_; }
  [[nodiscard]] double best_multiple(Side last_updated) override {
    const Terms terms = terms_of(last_updated);
    const double square = terms.square - terms.missing;
    return square > 0 ? terms.overlap / square : 0;
  }

 private:
  /// M times the other factor with its weights.
  struct Plain {
    bool current = false;
    double seconds = 0;
    Matrix<T> cross;
  };
  /// E times the same.
  struct Missing {
    bool current = false;
    bool elsewhere = false;  ///< E is not that of the pair, but of another X
    Matrix<T> cross;
  };
  struct Terms {
    double overlap = 0;  ///< <M, Y>
    double square = 0;   ///< ||Y||^2
    double missing = 0;  ///< what of it is missing
  };

  [[nodiscard]] static std::size_t index(Side side) { return side == Side::W ? 0 : 1; }
  [[nodiscard]] Index rank() const { return this->factor(Side::W).X.cols(); }

  void refresh(Side side) override {
    const ConstMatrixView<T> X = this->factor(side).X.view();
    const std::span<const T> weights = this->weights_of_rows(side);
    if (weights.empty()) return this->refresh_gram(side);
    weighted_[index(side)] = weighted_rows(X, weights, false);
    const Matrix<T> roots = weighted_rows(X, weights, true);
    this->state(side).gram = anmf::gram<T>(roots.view(), this->workers());
  }
  void make_stale(Side moved) override {
    products_[index(other(moved))].current = false;
    for (Missing& missing : missing_) missing.current = missing.elsewhere = false;
  }

  void want_product(Side side, Wanted<T>& wanted) {
    Plain& product = products_[index(side)];
    if (product.current) return;
    const FactorState<T>& F = this->factor(other(side));
    const Index rows = this->factor(side).X.rows();
    if (product.cross.rows() != rows) product.cross = Matrix<T>(rows, rank());
    const bool weighs = !this->weights_of_rows(other(side)).empty();
    wanted.products.push_back(
        {.side = side,
         .factor = weighs ? std::as_const(weighted_[index(other(side))]).view() : F.X.view(),
         .result = product.cross.view()});
  }

  /// E times the other factor, E being that of X.
  void want_missing(Side side, ConstMatrixView<T> X, Wanted<T>& wanted) {
    Missing& missing = missing_[index(side)];
    if (!masked_ || (missing.current && !missing.elsewhere)) return;
    missing.elsewhere = false;
    if (missing.cross.rows() != X.rows) missing.cross = Matrix<T>(X.rows, rank());
    const ConstMatrixView<T> F = aligned(other(side));
    wanted.passes.push_back(
        {side, [this, side, X, F](const EntryBlock<T>& block) { fill_in(side, block, X, F); }});
  }

  /// A factor in rows that begin at cache lines: most of what is loaded of any other would lie across two.
  [[nodiscard]] ConstMatrixView<T> aligned(Side side) {
    const ConstMatrixView<T> X = this->factor(side).X.view();
    const Index stride = aligned_stride<T>(X.cols);
    Matrix<T>& copy = aligned_[index(side)];
    if (copy.rows() != X.rows) copy = Matrix<T>(X.rows, stride);
    const Chunks chunks = row_chunks(X.rows);
    this->workers().pool.for_each_chunk(chunks.count(), static_cast<double>(copy.size()), [&](Index chunk) {
      for (Index i = chunks.begin(chunk); i < chunks.end(chunk); ++i)
        std::copy_n(X.row(i), X.cols, copy.view().row(i));
    });
    return {copy.data(), X.rows, X.cols, stride};
  }

  void fill_in(Side side, const EntryBlock<T>& block, ConstMatrixView<T> X, ConstMatrixView<T> F) {
    const MatrixView<T> sums = missing_[index(side)].cross.view();
    const PlacesView& places = block.weights.missing;
    const std::span<const T> weights = block.weights.of_columns;
    const T* const of_columns = weights.empty() ? nullptr : weights.data();
    const Chunks chunks = row_chunks(block.rows.count);
    const auto count = static_cast<double>(places.offsets.back() - places.offsets.front());
    const SparseRowKernels<T>& kernels = sparse_row_kernels<T>();
    this->workers().pool.for_each_chunk(
        chunks.count(), 4 * count * static_cast<double>(rank()), [&](Index chunk) {
          for (Index i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
            const Index row = block.rows.begin + i;
            const std::span<const std::uint32_t> gone = places.row(i);
            kernels.model_sums(F, X.row(row), of_columns, gone.data(), gone.size(), sums.row(row));
          }
        });
  }

  /// C, both parts.
  [[nodiscard]] ConstMatrixView<T> completed(Side side) {
    const Matrix<T>& plain = products_[index(side)].cross;
    if (!masked_) return plain.view();
    Matrix<T>& cross = this->state(side).cross;
    if (cross.rows() != plain.rows()) cross = Matrix<T>(plain.rows(), plain.cols());
    const Matrix<T>& missing = missing_[index(side)].cross;
    const Chunks chunks = row_chunks(plain.rows());
    this->workers().pool.for_each_chunk(chunks.count(), static_cast<double>(plain.size()), [&](Index chunk) {
      const Index begin = chunks.begin(chunk) * plain.cols();
      const Index end = chunks.end(chunk) * plain.cols();
      for (Index k = begin; k < end; ++k) cross.data()[k] = plain.data()[k] + missing.data()[k];
    });
    return std::as_const(cross).view();
  }

  /// Asks something of the half problem whose rows are multiplied by the roots of what they count: its
  /// objective is then their part of the whole one.
  template <class Question>
  [[nodiscard]] auto at_weighted_rows(Side side, ConstMatrixView<T> X, const Question& question) {
    HalfStep<T> problem = half(side);
    const std::span<const T> weights = this->weights_of_rows(side);
    if (weights.empty()) return question(problem, X);
    Matrix<T> cross(X.rows, X.cols);
    for (Index i = 0; i < X.rows; ++i) {
      for (Index p = 0; p < X.cols; ++p)
        cross(i, p) = problem.cross(i, p) - problem.linear[static_cast<std::size_t>(p)];
    }
    const Matrix<T> weighted_cross = weighted_rows(std::as_const(cross).view(), weights, true);
    const Matrix<T> weighted_X = weighted_rows(X, weights, true);
    const std::vector<T> nothing(static_cast<std::size_t>(X.cols), T{0});
    problem.cross = weighted_cross.view();
    problem.linear = nothing;
    return question(problem, weighted_X.view());
  }

  /// <A, B> with rows that count.
  [[nodiscard]] double inner(Side side, ConstMatrixView<T> A, ConstMatrixView<T> B) const {
    const std::span<const T> weights = this->weights_of_rows(side);
    if (weights.empty()) return inner_product<T>(A, B, this->workers());
    const Matrix<T> weighted = weighted_rows(A, weights, false);
    return inner_product<T>(weighted.view(), B, this->workers());
  }

  [[nodiscard]] Terms terms_of(Side side) const {
    Terms terms{.overlap = inner(side, products_[index(side)].cross.view(), this->factor(side).X.view()),
                .square = inner_product(this->gram(Side::W), this->gram(Side::H))};
    if (!masked_) return terms;
    const Side seen = missing_[index(side)].current && !missing_[index(side)].elsewhere ? side : other(side);
    terms.missing = inner(seen, missing_[index(seen)].cross.view(), this->factor(seen).X.view());
    return terms;
  }

  [[nodiscard]] typename FitTerm<T>::Loss loss(Side last_updated) override {
    const Terms terms = terms_of(last_updated);
    const double squared = squared_norm_ - 2 * terms.overlap + terms.square - terms.missing;
    const double magnitude = squared_norm_ + terms.missing;
    if (squared < kCancelled<T> * magnitude && this->data().shows_entries() &&
        this->workers().reducer == nullptr) {
      return entry_by_entry();
    }
    return {.value = 0.5 * (squared < 0 ? 0 : squared),  // keeps NaN
            .rounding = 0.5 * kDifferenceRounding<T> * magnitude};
  }

  /// Where the fit is so close that the difference of the terms is rounding.
  [[nodiscard]] typename FitTerm<T>::Loss entry_by_entry() {
    const Side side = this->data().whole_rows(Side::W) ? Side::W : Side::H;
    const ConstMatrixView<T> X = this->factor(side).X.view();
    const ConstMatrixView<T> F = this->factor(other(side)).X.view();
    double sum = 0;
    this->data().for_each_block(side, [&](const EntryBlock<T>& block) {
      const RowRange& rows = block.rows;
      const std::vector<double> none(static_cast<std::size_t>(rank()), 0.0);
      sum += block_loss<T>(
          block, factors_beside<T>(block, 2, X.middle_rows(rows.begin, rows.begin + rows.count), F, none),
          this->workers().pool);
    });
    const double d =
        std::numeric_limits<T>::epsilon() * std::sqrt(static_cast<double>(rank()) * 2 * reference());
    return {.value = sum, .rounding = std::min(0.5 * sum, std::sqrt(2 * sum) * d)};
  }

  double squared_norm_;
  bool masked_;
  std::array<Plain, 2> products_;
  std::array<Missing, 2> missing_;
  std::array<QuadraticHalf<T>, 2> halves_;
  std::array<Matrix<T>, 2> aligned_;
  std::array<Matrix<T>, 2> weighted_;  // factors whose rows are multiplied by what they count
};

}  // namespace

template <class T>
std::unique_ptr<FitTerm<T>> make_masked_fit(const Data<T>& data, Factors<T> start, const Penalties& penalties,
                                            const Workers& workers) {
  return std::make_unique<MaskedFit<T>>(data, std::move(start), penalties, workers);
}

template <class T>
double masked_fit_bytes(Index rows, Index cols, Index rank) {
  return static_cast<double>((rows + cols) * (2 * rank + aligned_stride<T>(rank))) * sizeof(T);
}

template double masked_fit_bytes<float>(Index, Index, Index);
template double masked_fit_bytes<double>(Index, Index, Index);
template std::unique_ptr<FitTerm<float>> make_masked_fit(const Data<float>&, Factors<float>, const Penalties&,
                                                         const Workers&);
template std::unique_ptr<FitTerm<double>> make_masked_fit(const Data<double>&, Factors<double>,
                                                          const Penalties&, const Workers&);

}  // namespace anmf
