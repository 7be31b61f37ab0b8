// SPDX-License-Identifier: MIT
// What data makes of its entries, if it shows them.
#include "anmf/data.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "anmf/error.h"
#include "data/fingerprint.h"
#include "data/line_norms.h"
#include "data/residual.h"
#include "data/scale.h"

namespace anmf {

std::string_view to_string(Storage storage) {
  switch (storage) {
    case Storage::dense:
      return "dense";
    case Storage::sparse:
      return "sparse";
    case Storage::dense_on_disk:
      return "dense, on disk";
    case Storage::sparse_on_disk:
      return "sparse, on disk";
    case Storage::compressed:
      return "compressed";
    case Storage::matrix_free:
      break;
  }
  return "operator";
}

template <class T>
void Data<T>::one_pass(ConstMatrixView<T> /*F*/, MatrixView<T> /*cross*/, const BlockUpdate<T>& /*update*/,
                       MatrixView<T> /*result*/, ThreadPool& /*pool*/) const {
  throw std::logic_error("This matrix has no pass side.");
}

template <class T>
void Data<T>::for_each_block(Side /*side*/, const EntryVisitor<T>& /*visit*/) const {
  throw InvalidInput(fmt::format(
      "The entries of M are needed, which this kind of data ({}) cannot show: it gives products with M "
      "only. Store M dense or sparse, or let it override Data::for_each_block().",
      to_string(storage())));
}

template <class T>
void Data<T>::gather(Side side, ConstMatrixView<T> mine, MatrixView<T> all) const {
  if (owned(side).count != (side == Side::W ? rows() : cols()))
    throw std::logic_error("Workers share this matrix, but it cannot gather their factors.");
  for (Index i = 0; i < mine.rows; ++i) std::copy_n(mine.row(i), mine.cols, all.row(i));
}

template <class T>
std::optional<double> Data<T>::squared_residual(ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                                                ThreadPool& pool) const {
  if (!shows_entries()) return std::nullopt;
  double sum = 0;
  for_each_block(Side::W,
                 [&](const EntryBlock<T>& block) { sum += block_squared_residual(block, W, Ht, pool); });
  return sum;
}

template <class T>
std::optional<std::vector<double>> Data<T>::line_norms(Side side) const {
  if (!shows_entries()) return std::nullopt;
  const double scale = safe_scale<double>(norm());
  return norms_of(line_squares(*this, side, scale), scale);
}

template <class T>
std::optional<Fingerprint> Data<T>::fingerprint(ThreadPool& pool) const {
  if (!shows_entries()) return std::nullopt;
  Fingerprint sum;
  for_each_block(Side::W, [&](const EntryBlock<T>& block) { sum += block_fingerprint(block, pool); });
  return sum;
}

template class Data<float>;
template class Data<double>;

}  // namespace anmf
