// SPDX-License-Identifier: MIT
#include "data/compressed_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "anmf/error.h"
#include "core/random.h"
#include "data/range_finder.h"
#include "kernels/gram.h"
#include "kernels/tall_products.h"

namespace anmf {
namespace {

// Power iterations end when half of one brings M^ closer to M by less than this share: a sketch of low rank
// plus noise has converged by then, one of a slowly decaying spectrum (faces) has not.
constexpr double kSmallGain = 0.02;

}  // namespace

template <class T>
CompressedData<T>::CompressedData(const Data<T>& M, Matrix<T> L, Matrix<T> R, double norm, double flops,
                                  Reducer* reducer)
    : rows_(M.rows()),
      cols_(M.cols()),
      owned_W_(M.owned(Side::W)),
      owned_H_(M.owned(Side::H)),
      reducer_(reducer),
      L_(std::move(L)),
      R_(std::move(R)),
      norm_(norm),
      flops_(flops) {}

template <class T>
void CompressedData<T>::cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result,
                              ThreadPool& pool) const {
  const Matrix<T>& near = side == Side::W ? L_ : R_;
  const Matrix<T>& far = side == Side::W ? R_ : L_;
  Matrix<T> small = transposed_product<T>(far.view(), factor, pool);
  if (reducer_ != nullptr) {
    std::vector<double> all(small.values().begin(), small.values().end());
    reducer_->sum(all);
    std::transform(all.begin(), all.end(), small.values().begin(),
                   [](double x) { return static_cast<T>(x); });
  }
  multiply_small<T>(near.view(), std::as_const(small).view(), result, pool);
}

template <class T>
std::unique_ptr<CompressedData<T>> compress(const Data<T>& M, const Compression& how,
                                            const Workers& workers) {
  if (how.width < 1) throw InvalidInput(fmt::format("width = {} must be at least 1.", how.width));
  if (how.max_power_iterations < 0) {
    throw InvalidInput(
        fmt::format("max_power_iterations = {} must be at least 0.", how.max_power_iterations));
  }
  Range<T> range = find_range<T>(M,
                                 {.width = how.width,
                                  .max_power_iterations = how.max_power_iterations,
                                  .small_gain = kSmallGain,
                                  .seed = how.seed,
                                  .stream = streams::kCompression,
                                  .give_up = how.give_up},
                                 workers);
  if (range.given_up) return nullptr;
  const ConstMatrixView<T> B = std::as_const(range.B).view();
  const double norm = std::sqrt(inner_product<T>(B, B, workers));
  const Index width = std::min({how.width, M.rows(), M.cols()});
  const double flops = compression_flops(M.nonzeros(), width, range.power_iterations);
  if (range.side == Side::H) std::swap(range.Q, range.B);
  return std::make_unique<CompressedData<T>>(M, std::move(range.Q), std::move(range.B), norm, flops,
                                             workers.reducer);
}

double compression_flops(Index K, Index width, int power_iterations) {
  return (2 + 2 * power_iterations) * 2.0 * static_cast<double>(K) * static_cast<double>(width);
}

template class CompressedData<float>;
template class CompressedData<double>;
template std::unique_ptr<CompressedData<float>> compress(const Data<float>&, const Compression&,
                                                         const Workers&);
template std::unique_ptr<CompressedData<double>> compress(const Data<double>&, const Compression&,
                                                          const Workers&);

}  // namespace anmf
