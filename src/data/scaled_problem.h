// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "data/scale.h"
#include "data/scaled_data.h"

namespace anmf {

/// M as it can be computed with: M / s with the safe_scale() s of M, which is 1 unless squares would leave
/// the range of T. Losses that take powers of entries have entries about 1 if those of M are far from it. If
/// W H is close to M, then M / s is close to the product of both factors divided by sqrt(s), and of one
/// factor divided by s with the other one as it is. All of it is exact.
template <class T>
class ScaledProblem {
 public:
  /// `data` must outlive this object.
  explicit ScaledProblem(const Data<T>& data, double beta = 2)
      : original_(data),
        scale_(beta == 2 ? safe_scale<T>(data.norm()) : entry_scale(data)),
        scaled_(data, scale_) {}

  /// M / s; M itself if s is 1.
  [[nodiscard]] const Data<T>& data() const { return scale_ == 1 ? original_ : scaled_; }
  /// s.
  [[nodiscard]] double scale() const { return scale_; }

  /// What a factor of M is divided by to become one of M / s.
  enum class Share { root, all };

  /// Makes a factor of M / s from a factor of M.
  void scale_down(Matrix<T>& X, Share share) const {
    if (scale_ == 1) return;
    for (T& x : X.values()) x = static_cast<T>(static_cast<double>(x) / part(share));
  }
  /// Makes a factor of M from a factor of M / s.
  void scale_back(Matrix<T>& X, Share share) const { multiply(X, part(share)); }

 private:
  [[nodiscard]] static double entry_scale(const Data<T>& data) {
    constexpr double kFar = 1e4;
    const double entries = static_cast<double>(data.rows()) * static_cast<double>(data.cols());
    const double usual = data.norm() / std::sqrt(entries);
    return usual == 0 || (usual <= kFar && usual >= 1 / kFar) ? 1.0 : power_of_four_below(usual);
  }
  [[nodiscard]] double part(Share share) const { return share == Share::all ? scale_ : std::sqrt(scale_); }

  const Data<T>& original_;
  double scale_;
  ScaledData<T> scaled_;
};

}  // namespace anmf
