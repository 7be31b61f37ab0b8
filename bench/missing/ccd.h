// SPDX-License-Identifier: MIT
// CCD++ (Yu, Hsieh, Si, Dhillon 2012) with factors >= 0, to compare with: one component after the other, u
// and v of W and H are fitted to the residual plus u v' over the observed entries, a few times in turn,
//
//     v_j <- max(0, sum_i (e_ij + u_i v_j) u_i / (l2 + sum_i u_i^2)),
//
// and the residual is kept up to date by rows and by columns. Of the authors' four updates of both residuals
// per component there are two fewer here: e_ij + u_i v_j is never stored, and what the fit of one side
// changes is taken over by the copy of the other side in the pass that reads it anyway.
#pragma once

#include <cstdint>
#include <vector>

#include "anmf/entries.h"

namespace anmf::bench {

/// The residual by rows, or by columns, and what it has still to take over.
struct Residual {
  std::vector<Index> offsets;
  std::vector<std::uint32_t> indices;
  std::vector<double> e;
  std::vector<double> left;   // minus left_i right_j; of its lines, empty if there is nothing
  std::vector<double> right;  // of its positions
};

class CcdPlusPlus {
 public:
  /// W is m x r and Ht n x r.
  CcdPlusPlus(const Csr<double>& M, const Matrix<double>& W, const Matrix<double>& Ht, double l2);

  /// Fits every component, both sides of it so many times in turn.
  void iterate(int inner);
  /// Half the sum of the squared residual, and the penalty.
  [[nodiscard]] double objective() const;

 private:
  static void fit(Residual& lines, const std::vector<double>& u, std::vector<double>& v, double l2,
                  Residual& other);

  double l2_;
  Residual rows_;
  Residual columns_;
  std::vector<std::vector<double>> W_;  // its columns
  std::vector<std::vector<double>> H_;  // its rows
};

}  // namespace anmf::bench
