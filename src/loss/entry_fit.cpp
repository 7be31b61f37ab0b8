// SPDX-License-Identifier: MIT
// The losses that look at entries: D(M | W H), a beta-divergence (kernels/divergence.h). There are no
// products with M that hold for several sweeps, so a half-step is made while the entries are read
// (loss/row_method.h), and so are values and gradients. Where a block of M has some columns of all rows, as
// of a matrix that is streamed by columns, sums over the rows are made over all blocks, and the half-step is
// a multiplicative update. Workers who share M see the entries of their own rows, and gather all rows of the
// other factor first (Data::gather).
#include "loss/entry_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/inner_stop.h"
#include "loss/all_rows.h"
#include "loss/balance.h"
#include "loss/entry_pass.h"
#include "loss/entry_sums.h"
#include "loss/row_method.h"

namespace anmf {
namespace {

template <class T>
class EntryFit final : public FitTerm<T> {
 public:
  EntryFit(const Data<T>& data, Factors<T> start, const Penalties& penalties, const EntryLoss& loss,
           const Workers& workers)
      : FitTerm<T>(data, std::move(start), penalties, workers),
        loss_(loss),
        method_(make_row_method<T>(loss.rule, loss.beta)) {
    for (const Side side : {Side::W, Side::H}) this->moved(side);
  }

  bool revive(Side /*side*/) override { return false; }
  bool balance() override {
    if (!this->penalties().none()) return false;  // a penalty knows one scale alone
    if (!balance_components(this->state(Side::W), this->state(Side::H))) return false;
    for (const Side side : {Side::W, Side::H}) refresh(side);
    return true;
  }

  [[nodiscard]] Wanted<T> wants_for_half(Side side, BlockUpdate<T> /*update*/) override {
    report_ = {};
    first_ = {};  // of the last look at the gradients
    second_ = {};
    half_.emplace(problem(side));
    Wanted<T> wanted;
    if (this->data().whole_rows(side)) {
      method_->begin(*half_, std::as_const(this->state(side).X).view(), this->workers());
      wanted.passes.push_back({side, [this, side](const EntryBlock<T>& block) {
                                 method_->improve(*half_, block, rows_of(side, block), this->workers().pool,
                                                  report_);
                               }});
    } else {
      wanted.passes.push_back(sums_pass(side, RowSums::ratios, this->factor(side).X.view()));
    }
    return wanted;
  }

  [[nodiscard]] Wanted<T> wants_for_value(Side /*last_updated*/) override {
    Wanted<T> wanted;
    if (value_is_current_) return wanted;
    sum_ = 0;
    const Side side = value_side();
    const ConstMatrixView<T> X = this->factor(side).X.view();
    const ConstMatrixView<T> F = whole(other(side));
    wanted.passes.push_back({side, [this, side, X, F](const EntryBlock<T>& block) {
                               sum_ += block_loss(block, factors_of(side, block, X, F), this->workers().pool);
                             }});
    return wanted;
  }

  [[nodiscard]] Wanted<T> wants_for_gradients(const std::array<ConstMatrixView<T>, 2>& at) override {
    Wanted<T> wanted;
    // At the start of a run: the value is wanted next. (A worker's own share may have no rows.)
    at_start_ = at[0].cols == 0 && at[1].cols == 0;
    sum_ = 0;
    for (const Side side : {Side::W, Side::H}) {
      const ConstMatrixView<T> X = at[index(side)].cols == 0 ? this->factor(side).X.view() : at[index(side)];
      wanted.passes.push_back(
          sums_pass(side, at_start_ && !by_promise() ? RowSums::slopes : RowSums::gradient, X));
    }
    return wanted;
  }

  void supplied(const Wanted<T>& wanted) override {
    if (wanted.passes.empty()) return;
    if (half_) {
      const RowProblem<T> made = *half_;
      half_.reset();
      finish_half(made);
      return;
    }
    if (wanted.passes.size() == 1 || at_start_) {
      this->workers().sum({&sum_, 1});
      value_ = sum_;
      value_is_current_ = true;
    }
  }
  [[nodiscard]] double product_seconds(Side /*side*/) const override { return 0; }

  [[nodiscard]] HalfStep<T> half(Side /*side*/) override {
    throw std::logic_error("This loss has no half problem: it improves its factors itself.");
  }
  [[nodiscard]] Model model() const override { return Model::own; }
  [[nodiscard]] HalfWork made_half() const override { return made_; }
  [[nodiscard]] double half_flops(Side /*side*/) const override { return 0; }
  [[nodiscard]] double look_flops() const override {
    return 12 * static_cast<double>(this->data().nonzeros()) * static_cast<double>(rank());
  }
  [[nodiscard]] double rho(Side side) const override {
    return method_->rho(this->factor(other(side)).all_rows(), rank());
  }

  [[nodiscard]] Optimality optimality(Side side, ConstMatrixView<T> X, double lower_bound) override {
    Optimality now = optimality_of<T>(X, std::as_const(first_[index(side)]).view(),
                                      std::as_const(second_[index(side)]).view(), this->penalties().of(side),
                                      lower_bound, this->workers(), this->weights_of_rows(side));
    if (by_promise()) now.squared_projected_gradient = now.promised_decrease;
    return now;
  }
  [[nodiscard]] GradientNorms norms_of_gradient(Side side, double lower_bound) override {
    const Optimality now = optimality(side, this->factor(side).X.view(), lower_bound);
    return {.squared = now.squared_projected_gradient, .squared_projected = now.squared_projected_gradient};
  }

  [[nodiscard]] Reported reported(const Value& value, double scale) const override {
    const double unit = std::pow(scale, loss_.beta);
    const double loss = std::max(0.0, value.loss);
    return {.error = std::sqrt(2 * loss * unit),
            .relative_error = loss_.reference > 0 ? std::sqrt(loss / loss_.reference) : 0,
            .penalty = value.penalty * unit};
  }
  [[nodiscard]] double reference() const override { return loss_.reference; }
  [[nodiscard]] double best_multiple(Side /*last_updated*/) override {
    throw std::logic_error("The start of this loss is scaled before the run.");
  }

  void exchange(StateExchange<T>& part) override {
    for (const Side side : {Side::W, Side::H}) {
      typename RowMethod<T>::Memory* const kept = method_->memory(side);
      if (kept == nullptr) continue;
      part(side == Side::W ? "W.gentle_steps" : "H.gentle_steps", kept->gentle);
      part(side == Side::W ? "W.mean_curvature" : "H.mean_curvature", kept->mean);
      if (kept->mean == 0) continue;
      // A number for every row of the other factor: each worker saves those of its rows, and needs all.
      const FactorState<T>& rows = this->factor(other(side));
      Matrix<T> mine(rows.X.rows(), 1);
      if (!part.restoring()) std::copy_n(kept->curvature.data() + rows.first_row, mine.size(), mine.data());
      part(side == Side::W ? "H.curvature" : "W.curvature", mine);
      if (!part.restoring()) continue;
      kept->curvature = Matrix<T>(rows.all_rows(), 1);
      this->data().gather(other(side), std::as_const(mine).view(), kept->curvature.view());
    }
  }

 private:
  [[nodiscard]] static std::size_t index(Side side) { return side == Side::W ? 0 : 1; }
  [[nodiscard]] Index rank() const { return this->factor(Side::W).X.cols(); }

  /// Beside zeros of M slopes of a loss with beta < 1 have no bound, and those of entries that are next to
  /// nothing would outshine all others. What a step along a coordinate promises has no such trouble.
  [[nodiscard]] bool by_promise() const { return loss_.beta < 1; }
  /// The side whose blocks have all columns, if there is one.
  [[nodiscard]] Side value_side() const { return this->data().whole_rows(Side::W) ? Side::W : Side::H; }

  [[nodiscard]] RowProblem<T> problem(Side side) {
    const double alpha = loss_.inner_stop.alpha;
    return {.side = side,
            .beta = loss_.beta,
            .F = whole(other(side)),
            .column_sums = column_sums_[index(other(side))],
            .penalty = this->penalties().of(side),
            .budget = loss_.inner_stop.mode == InnerStopMode::dynamic ? loss_.most_sweeps
                                                                      : inner_budget(alpha, rho(side)),
            .epsilon = loss_.inner_stop.mode == InnerStopMode::fixed ? 0 : loss_.inner_stop.epsilon,
            .lower_bound = loss_.lower_bound,
            .least_entry = loss_.scikit_learns ? least_entry_of(side, loss_.beta) : 0,
            .wants_loss = side == loss_.second};
  }

  [[nodiscard]] MatrixView<T> rows_of(Side side, const EntryBlock<T>& block) {
    const Index begin = block.rows.begin - this->factor(side).first_row;
    return this->state(side).X.view().middle_rows(begin, begin + block.rows.count);
  }
  [[nodiscard]] BlockFactors<T> factors_of(Side side, const EntryBlock<T>& block, ConstMatrixView<T> X,
                                           ConstMatrixView<T> F) const {
    const Index begin = block.rows.begin - this->factor(side).first_row;
    return factors_beside<T>(block, loss_.beta, X.middle_rows(begin, begin + block.rows.count), F,
                             column_sums_[index(other(side))]);
  }
  /// All rows of a factor, gathered once after it has moved. All workers call it at once.
  [[nodiscard]] ConstMatrixView<T> whole(Side side) {
    Matrix<T>& room = gathered_[index(side)];
    if (gathered_is_current_[index(side)]) return std::as_const(room).view();
    gathered_is_current_[index(side)] = this->workers().reducer != nullptr;
    return all_rows(this->data(), side, this->factor(side).X, room, this->workers());
  }

  /// Both sums of all rows, added up over the blocks.
  [[nodiscard]] EntryPass<T> sums_pass(Side side, RowSums kind, ConstMatrixView<T> X) {
    first_[index(side)] = Matrix<T>(X.rows, X.cols);
    second_[index(side)] = kind == RowSums::slopes ? Matrix<T>() : Matrix<T>(X.rows, X.cols);
    const ConstMatrixView<T> F = whole(other(side));
    return {side, [this, side, kind, X, F](const EntryBlock<T>& block) {
              BlockFactors<T> factors = factors_of(side, block, X, F);
              if (kind == RowSums::ratios && loss_.rule.clamps) factors.floor = kRatioFloor;
              const Index begin = block.rows.begin - this->factor(side).first_row;
              const Index end = begin + block.rows.count;
              const bool values = kind != RowSums::ratios && at_start_ && side == value_side();
              const MatrixView<T> first = first_[index(side)].view().middle_rows(begin, end);
              MatrixView<T> second = second_[index(side)].view();
              if (second.rows > 0) second = second.middle_rows(begin, end);
              add_row_sums(kind, block, factors, first, second, this->workers().pool,
                           values ? &sum_ : nullptr, this->data().whole_rows(side));
            }};
  }

  void finish_half(const RowProblem<T>& half) {
    const Side side = half.side;
    if (this->data().whole_rows(side)) {
      method_->end(half, this->workers());
    } else {
      Matrix<T>& X = this->X(side);
      multiplicative_steps<T>(half, std::as_const(first_[index(side)]).view(),
                              std::as_const(second_[index(side)]).view(), X.view(), this->workers().pool);
      const auto rows = static_cast<double>(X.rows());
      const double share = rows / static_cast<double>(this->factor(side).all_rows());
      report_ = {.sweeps = rows, .weight = rows, .flops = 0.5 * share * look_flops()};
    }
    std::array<double, 4> sums = {report_.sweeps, report_.weight, report_.flops, report_.loss};
    this->workers().sum(sums);
    const auto& [sweeps, weight, flops, loss] = sums;
    made_ = {.flops = flops,
             .sweeps = weight > 0 ? std::max<Index>(1, std::lround(sweeps / weight)) : Index{1}};
    if (half.wants_loss && this->data().whole_rows(side)) {
      sum_ = loss;
      fresh_ = side;
    }
    first_ = {};
    second_ = {};
  }

  /// Of all entries and of all squares in every column, as much as their rows count; the squares are the
  /// diagonal of the Gram matrix.
  void refresh(Side side) override {
    gathered_is_current_[index(side)] = false;
    FactorState<T>& s = this->state(side);
    const Index r = s.X.cols();
    std::vector<double> total =
        sums_and_squares<T>(std::as_const(s.X).view(), this->workers(), this->weights_of_rows(side));
    const std::size_t rank = total.size() / 2;
    s.gram = Matrix<double>(r, r);
    for (Index p = 0; p < r; ++p) s.gram(p, p) = total[rank + static_cast<std::size_t>(p)];
    total.resize(rank);
    column_sums_[index(side)] = std::move(total);
  }

  void make_stale(Side moved) override {
    value_is_current_ = fresh_ == moved;  // the half-step of this side has its value
    if (value_is_current_) value_ = sum_;
    fresh_.reset();
  }

  [[nodiscard]] typename FitTerm<T>::Loss loss(Side /*last_updated*/) override {
    // Terms are nonnegative, but the models of zeros are made from those of all entries and of the nonzeros.
    double models = 0;
    for (std::size_t p = 0; p < column_sums_[0].size(); ++p)
      models += column_sums_[0][p] * column_sums_[1][p];
    // Models of zero count as next to nothing, which is something where there is nothing else.
    const double value = models == 0 && this->data().norm() == 0 ? 0 : value_;
    const double magnitude = value + (loss_.beta == 1 ? models : 0);
    return {.value = std::max(0.0, value), .rounding = 4 * std::numeric_limits<T>::epsilon() * magnitude};
  }

  EntryLoss loss_;
  std::unique_ptr<RowMethod<T>> method_;
  std::array<std::vector<double>, 2> column_sums_;
  std::array<Matrix<T>, 2> gathered_;  // all rows of a factor, where workers share it
  std::array<bool, 2> gathered_is_current_ = {false, false};
  std::optional<RowProblem<T>> half_;  // the half-step that is being made
  RowReport report_;
  HalfWork made_;
  std::array<Matrix<T>, 2> first_;  // sums over rows, of loss/entry_pass.h
  std::array<Matrix<T>, 2> second_;
  double sum_ = 0;  // of the loss over blocks, and in the end over workers
  double value_ = 0;
  bool value_is_current_ = false;
  bool at_start_ = false;      // the gradients that were wanted last came with the value
  std::optional<Side> fresh_;  // a half-step of this side has left the value of its pair
};

}  // namespace

template <class T>
std::unique_ptr<FitTerm<T>> make_entry_fit(const Data<T>& data, Factors<T> start, const Penalties& penalties,
                                           const EntryLoss& loss, const Workers& workers) {
  return std::make_unique<EntryFit<T>>(data, std::move(start), penalties, loss, workers);
}

template std::unique_ptr<FitTerm<float>> make_entry_fit(const Data<float>&, Factors<float>, const Penalties&,
                                                        const EntryLoss&, const Workers&);
template std::unique_ptr<FitTerm<double>> make_entry_fit(const Data<double>&, Factors<double>,
                                                         const Penalties&, const EntryLoss&, const Workers&);

}  // namespace anmf
