// SPDX-License-Identifier: MIT
// How good a fit is: beside the best that any matrix of the same rank could do, and row by row and column by
// column.
#pragma once

#include <optional>
#include <vector>

#include "anmf/data.h"
#include "anmf/result.h"

namespace anmf {

/// ||M - M_r|| / ||M|| for the matrix M_r of rank r that is closest to M, whatever the signs of its factors:
/// a bound that no factorization of that rank can beat. It comes from a randomised singular value
/// decomposition (block Lanczos), whose singular values are never larger than those of M: so the number is
/// not below the least error, but for rounding, and on the data sets of docs/report.md above it by less than
/// 1e-4. 0 if rank reaches min(m, n) or M is zero. The same bits for any number of threads; 0 stands for
/// every core. Throws InvalidInput if rank is less than 1.
template <class T>
[[nodiscard]] double best_rank_error(const Data<T>& data, Index rank, int threads = 0,
                                     Interrupt interrupt = {});

/// The same for the rank of a factorization of M, from which the search begins: that takes about half the
/// products with M. Throws InvalidInput if the factors are not of the sizes of M.
template <class T>
[[nodiscard]] double best_rank_error(const Data<T>& data, const Result<T>& result, int threads = 0,
                                     Interrupt interrupt = {});

/// The flops that best_rank_error() usually takes in products with an M of K stored entries, if it begins
/// from a factorization.
[[nodiscard]] double best_rank_flops(Index rows, Index cols, Index nonzeros, Index rank);

/// Of all rows, or of all columns, of M.
struct LineFit {
  std::vector<double> norms;      ///< ||row of M||
  std::vector<double> residuals;  ///< ||row of M - W diag(scale) H||
};

struct FitByLine {
  LineFit rows;
  LineFit columns;
};

/// From two products with M, not from its entries: a residual of less than about sqrt(eps) of its row, eps
/// being the rounding unit of T, is rounding. Nothing if the data does not know the norms of its rows and
/// columns.
template <class T>
[[nodiscard]] std::optional<FitByLine> fit_by_line(const Data<T>& data, const Result<T>& result,
                                                   int threads = 0, Interrupt interrupt = {});

/// The most that either has in memory beside M and the result, with so many threads, at least 1.
template <class T>
[[nodiscard]] double fit_quality_bytes(Index rows, Index cols, Index rank, int threads);

extern template double best_rank_error(const Data<float>&, Index, int, Interrupt);
extern template double best_rank_error(const Data<double>&, Index, int, Interrupt);
extern template double best_rank_error(const Data<float>&, const Result<float>&, int, Interrupt);
extern template double best_rank_error(const Data<double>&, const Result<double>&, int, Interrupt);
extern template std::optional<FitByLine> fit_by_line(const Data<float>&, const Result<float>&, int,
                                                     Interrupt);
extern template std::optional<FitByLine> fit_by_line(const Data<double>&, const Result<double>&, int,
                                                     Interrupt);
extern template double fit_quality_bytes<float>(Index, Index, Index, int);
extern template double fit_quality_bytes<double>(Index, Index, Index, int);

}  // namespace anmf
