// SPDX-License-Identifier: MIT
#include "entries.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>

namespace anmf::cli {
namespace {

template <class View>
inline constexpr bool kIsDense = !std::is_same_v<View, std::monostate>;

template <class Iterator>
EntrySummary summary_of(Iterator begin, Iterator end) {
  const auto [least, greatest] = std::minmax_element(begin, end);
  return {.min = static_cast<double>(*least),
          .max = static_cast<double>(*greatest),
          .nonzeros = std::count_if(begin, end, [](auto x) { return x != 0; })};
}

template <class S>
EntrySummary summary_of(ConstMatrixView<S> M) {
  EntrySummary all = summary_of(M.row(0), M.row(0) + M.cols);
  for (Index i = 1; i < M.rows; ++i) {
    const EntrySummary row = summary_of(M.row(i), M.row(i) + M.cols);
    all.min = std::min(all.min, row.min);
    all.max = std::max(all.max, row.max);
    all.nonzeros += row.nonzeros;
  }
  return all;
}

template <class S>
bool first_two_are_positions(ConstMatrixView<S> M) {
  constexpr Index kEnough = 20;
  constexpr Index kMost = 1000;
  if (M.rows < kEnough || M.cols < 3 || M.cols > 4) return false;
  std::set<std::pair<double, double>> pairs;
  std::set<double> firsts;
  for (Index i = 0; i < std::min(M.rows, kMost); ++i) {
    const std::pair<double, double> pair(M(i, 0), M(i, 1));
    if (std::trunc(pair.first) != pair.first || std::trunc(pair.second) != pair.second) return false;
    if (!pairs.insert(pair).second) return false;
    firsts.insert(pair.first);
  }
  return firsts.size() < pairs.size();  // some row has two entries: not a table with a number in each line
}

}  // namespace

template <class T>
bool looks_like_positions(const io::LoadedMatrix<T>& matrix) {
  return std::visit(
      [](const auto& view) {
        if constexpr (kIsDense<std::remove_cvref_t<decltype(view)>>) {
          return first_two_are_positions(view);
        } else {
          return false;
        }
      },
      matrix.dense);
}

template <class T>
std::optional<EntrySummary> summarize_entries(const io::LoadedMatrix<T>& matrix) {
  return std::visit(
      [&](const auto& view) -> std::optional<EntrySummary> {
        if constexpr (kIsDense<std::remove_cvref_t<decltype(view)>>) {
          return summary_of(view);
        } else {
          const auto* const sparse = dynamic_cast<const SparseData<T>*>(matrix.data.get());
          if (sparse == nullptr || sparse->nonzeros() == 0) return std::nullopt;
          return summary_of(sparse->by_row().values.begin(), sparse->by_row().values.end());
        }
      },
      matrix.dense);
}

template <class T>
std::string_view entry_type(const io::LoadedMatrix<T>& matrix) {
  if (std::holds_alternative<ConstMatrixView<std::uint8_t>>(matrix.dense)) return "uint8";
  if (std::holds_alternative<ConstMatrixView<std::uint16_t>>(matrix.dense)) return "uint16";
  if (std::holds_alternative<ConstMatrixView<float>>(matrix.dense)) return "float32";
  if (std::holds_alternative<ConstMatrixView<double>>(matrix.dense)) return "float64";
  return std::is_same_v<T, float> ? "float32" : "float64";
}

template <class T>
double matrix_bytes(const io::LoadedMatrix<T>& matrix) {
  const Data<T>& data = *matrix.data;
  const auto stored = static_cast<double>(data.nonzeros());
  const double all = static_cast<double>(data.rows()) * static_cast<double>(data.cols());
  double weights = 0;
  if (data.counted() == Counted::each) weights = all * sizeof(T);
  // In the rows of M, and in those of M'.
  if (data.counted() == Counted::all_but) weights = (all - data.observed()) * 2 * sizeof(std::uint32_t);
  return weights + std::visit(
                       [&](const auto& view) {
                         if constexpr (kIsDense<std::remove_cvref_t<decltype(view)>>) {
                           return stored * sizeof(*view.data);
                         } else {
                           return sparse_matrix_bytes<T>(data.rows(), data.cols(), stored);
                         }
                       },
                       matrix.dense);
}

template <class T>
void transpose(io::LoadedMatrix<T>& matrix) {
  matrix.data = anmf::transposed(std::move(matrix.data));
  std::swap(matrix.row_names, matrix.col_names);
}

template std::optional<EntrySummary> summarize_entries(const io::LoadedMatrix<float>&);
template std::optional<EntrySummary> summarize_entries(const io::LoadedMatrix<double>&);
template bool looks_like_positions(const io::LoadedMatrix<float>&);
template bool looks_like_positions(const io::LoadedMatrix<double>&);
template std::string_view entry_type(const io::LoadedMatrix<float>&);
template std::string_view entry_type(const io::LoadedMatrix<double>&);
template double matrix_bytes(const io::LoadedMatrix<float>&);
template double matrix_bytes(const io::LoadedMatrix<double>&);
template void transpose(io::LoadedMatrix<float>&);
template void transpose(io::LoadedMatrix<double>&);

}  // namespace anmf::cli
