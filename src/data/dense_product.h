// SPDX-License-Identifier: MIT
#pragma once

#include "anmf/data.h"

namespace anmf {

/// In which order sums over the rows or columns of M are made.
enum class SumOrder {
  quick,    ///< as suits the sizes
  by_group  ///< products with whole groups of kLinesPerGroup rows, one after another, have the bits of that
            ///< with all
};

/// C = M F for Side::W (M is m x n, F n x r, C m x r), C = M' F for Side::H (F m x r, C n x r).
/// With `add` the product is added to C. The entries of M are stored as S and become T on the way; the bits
/// are those of M converted beforehand.
template <class S, class T>
void dense_product(Side side, ConstMatrixView<S> M, ConstMatrixView<T> F, MatrixView<T> C, ThreadPool& pool,
                   bool add = false, SumOrder order = SumOrder::quick);

}  // namespace anmf
