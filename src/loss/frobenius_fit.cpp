// SPDX-License-Identifier: MIT
// Least squares, 1/2 ||M - W H||^2, for M (m x n). With X the factor of a side (N x r) and F the other one,
// the half-step of that side has G = F'F + l2 I, C = M F (or M' F) and l = l1, and is the objective itself. C
// stays what it is as long as F does.
#include <array>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <utility>

#include "core/cost_model.h"
#include "kernels/gram.h"
#include "kernels/squared_error.h"
#include "loss/balance.h"
#include "loss/fit_term.h"
#include "loss/quadratic_half.h"
#include "loss/revive.h"

namespace anmf {
namespace {

template <class T>
class FrobeniusFit final : public FitTerm<T> {
 public:
  FrobeniusFit(const Data<T>& data, Factors<T> start, const Penalties& penalties, const Workers& workers)
      : FitTerm<T>(data, std::move(start), penalties, workers), squared_norm_(data.norm() * data.norm()) {
    for (const Side side : {Side::W, Side::H}) this->moved(side);
  }

  bool revive(Side side) override {
    if (!this->penalties().none()) return false;  // a penalty may want a component gone
    const Revived revived = revive_zero_columns(this->state(side), this->state(other(side)));
    if (revived.any) this->moved(side);
    if (revived.pair) this->moved(other(side));
    return revived.any;
  }

  bool balance() override {
    if (!this->penalties().none()) return false;  // a penalty knows one scale alone
    return balance_components(this->state(Side::W), this->state(Side::H));
  }

  [[nodiscard]] Wanted<T> wants_for_half(Side side, BlockUpdate<T> update) override {
    Wanted<T> result = wanted({side});
    if (update && !result.products.empty()) {
      result.half = {.update = std::move(update), .result = room_for_cross(other(side))};
    }
    return result;
  }
  [[nodiscard]] Wanted<T> wants_for_value(Side last_updated) override { return wanted({last_updated}); }
  [[nodiscard]] Wanted<T> wants_for_gradients(const std::array<ConstMatrixView<T>, 2>& /*at*/) override {
    return wanted({Side::W, Side::H});
  }

  void supplied(const Wanted<T>& wanted) override {
    for (const Product<T>& made : wanted.products) {
      mark_current(made.side, made.seconds);
      if (!wanted.half_is_made()) continue;
      this->refresh_gram(made.side);
      mark_current(other(made.side), made.seconds);
    }
  }
  [[nodiscard]] double product_seconds(Side side) const override {
    return products_[side == Side::W ? 0 : 1].seconds;
  }

  [[nodiscard]] HalfStep<T> half(Side side) override {
    return product(side).half.of(this->gram(other(side)), std::as_const(this->state(side).cross).view(),
                                 this->penalties().of(side), this->workers());
  }
  [[nodiscard]] Model model() const override { return Model::exact; }

  [[nodiscard]] double half_flops(Side side) const override {
    return cost::products(this->data().nonzeros(), this->factor(other(side)).all_rows(), rank());
  }
  [[nodiscard]] double rho(Side side) const override {
    return cost::rho(this->data().nonzeros(), this->factor(side).all_rows(),
                     this->factor(other(side)).all_rows(), rank());
  }

  [[nodiscard]] Reported reported(const Value& value, double scale) const override {
    return reported_squares(value, squared_norm_, scale);
  }
  [[nodiscard]] double reference() const override { return 0.5 * squared_norm_; }
  [[nodiscard]] double best_multiple(Side last_updated) override {
    const ErrorTerms terms = error_terms(last_updated);
    return terms.square > 0 ? terms.overlap / terms.square : 0;
  }

 private:
  /// The product behind the half-step of one side, and that half-step as rules take it.
  struct ProductState {
    bool current = false;  ///< the other factor has not changed since the product was made
    double seconds = 0;
    QuadraticHalf<T> half;
  };

  [[nodiscard]] ProductState& product(Side side) { return products_[side == Side::W ? 0 : 1]; }
  void mark_current(Side side, double seconds) {
    product(side).current = true;
    product(side).seconds = seconds;
  }
  [[nodiscard]] Index rank() const { return this->factor(Side::W).X.cols(); }

  /// The products of these sides, as far as they are stale.
  [[nodiscard]] Wanted<T> wanted(std::initializer_list<Side> sides) {
    Wanted<T> result;
    for (const Side side : sides) {
      if (product(side).current) continue;
      result.products.push_back({.side = side,
                                 .factor = std::as_const(this->state(other(side)).X).view(),
                                 .result = room_for_cross(side)});
    }
    return result;
  }

  [[nodiscard]] MatrixView<T> room_for_cross(Side side) {
    FactorState<T>& s = this->state(side);
    if (s.cross.rows() != s.X.rows()) s.cross = Matrix<T>(s.X.rows(), s.X.cols());
    return s.cross.view();
  }

  void make_stale(Side moved) override { product(other(moved)).current = false; }

  [[nodiscard]] ErrorTerms error_terms(Side side) {
    const FactorState<T>& s = this->factor(side);
    return {.squared_norm = squared_norm_,
            .overlap = inner_product<T>(s.cross.view(), s.X.view(), this->workers()),
            .square = inner_product(s.gram, this->gram(other(side)))};
  }

  [[nodiscard]] typename FitTerm<T>::Loss loss(Side last_updated) override {
    const SquaredError squared =
        squared_error<T>(this->data(), error_terms(last_updated), this->factor(Side::W).X.view(),
                         this->factor(Side::H).X.view(), this->workers().pool);
    return {.value = 0.5 * squared.value, .rounding = squared.rounding};
  }

  double squared_norm_;
  std::array<ProductState, 2> products_;
};

}  // namespace

template <class T>
std::unique_ptr<FitTerm<T>> make_fit(const Data<T>& data, Factors<T> start, const Penalties& penalties,
                                     const Workers& workers) {
  return std::make_unique<FrobeniusFit<T>>(data, std::move(start), penalties, workers);
}

template std::unique_ptr<FitTerm<float>> make_fit(const Data<float>&, Factors<float>, const Penalties&,
                                                  const Workers&);
template std::unique_ptr<FitTerm<double>> make_fit(const Data<double>&, Factors<double>, const Penalties&,
                                                   const Workers&);

}  // namespace anmf
