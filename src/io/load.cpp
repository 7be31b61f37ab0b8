// SPDX-License-Identifier: MIT
// Any supported matrix file as a whole.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "anmf/error.h"
#include "io/formats.h"
#include "io/own.h"

namespace anmf::io {

namespace {

/// Numbers below the range of float lose digits, then become zero, and a matrix of zeros is fitted without
/// error. Where nothing in M is within that range the file is read again, to see what it holds.
void check_underflow(const MatrixFile& file, const LoadOptions& options, double norm) {
  constexpr double kRounding = 1e-6;
  if (norm >= static_cast<double>(std::numeric_limits<float>::min())) return;
  const double true_norm = format_of<double>(file).load(file.location(), options).data->norm();
  if (std::abs(norm - true_norm) <= kRounding * true_norm) return;
  throw InvalidInput(fmt::format(
      "{}: the entries are too small for single precision, which begins at {:.2g}; their norm is {:.2g}. "
      "Use double precision (--precision float64), or multiply the matrix.",
      file.path().string(), std::numeric_limits<float>::min(), true_norm));
}

}  // namespace

template <class T>
LoadedMatrix<T> load(const MatrixFile& file, const Reading& reading, Header header) {
  const LoadOptions options{.reading = reading, .header = header};
  LoadedMatrix<T> result = format_of<T>(file).load(file.location(), options);
  if (reading.missing == Missing::zeros) result.weights.entries = OnlyStored{};
  if constexpr (std::is_same_v<T, float>) check_underflow(file, options, result.data->norm());
  return result;
}

template <class T>
Matrix<T> load_dense(const MatrixFile& file) {
  Matrix<T> matrix = format_of<T>(file).load_dense(file.location());
  naming_file(file.path(), [&] { static_cast<void>(DenseData<T>(std::as_const(matrix).view())); });
  return matrix;
}

template LoadedMatrix<float> load<float>(const MatrixFile&, const Reading&, Header);
template LoadedMatrix<double> load<double>(const MatrixFile&, const Reading&, Header);
template Matrix<float> load_dense<float>(const MatrixFile&);
template Matrix<double> load_dense<double>(const MatrixFile&);

}  // namespace anmf::io
