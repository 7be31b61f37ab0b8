// SPDX-License-Identifier: MIT
// Rows that fit best beside a given H, and errors, for the losses that look at entries. M has been checked
// (loss/check_loss.h), and so have the options.
#pragma once

#include "anmf/nnls.h"
#include "core/workers.h"
#include "loss/check_loss.h"

namespace anmf {

template <class T>
[[nodiscard]] NnlsResult<T> fit_entry_rows(const Data<T>& data, ConstMatrixView<T> H,
                                           const FitOptions& options, ThreadPool& pool);

/// sqrt(2 D(M | W H)).
template <class T>
[[nodiscard]] double entry_error(const Data<T>& data, Matrix<T> W, ConstMatrixView<T> H, double beta,
                                 const Workers& workers);

/// The same of the best model of rank one.
template <class T>
[[nodiscard]] double entry_reference(const Data<T>& data, double beta, const Workers& workers);

}  // namespace anmf
