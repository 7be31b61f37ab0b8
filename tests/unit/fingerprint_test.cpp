// SPDX-License-Identifier: MIT
// The fingerprint of a matrix is that of its entries, however they are stored.
#include "data/fingerprint.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <set>

#include "data/scaled_data.h"
#include "data/transposed_data.h"
#include "support/bare_operator.h"
#include "support/memory_source.h"

namespace anmf::test::fingerprint_test {
namespace {

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61U) - 1;

std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return (a % kPrime + b % kPrime) % kPrime; }

/// By doubling alone.
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  for (a %= kPrime; b > 0; b /= 2, a = sum(a, a)) result = b % 2 == 1 ? sum(result, a) : result;
  return result;
}

template <class T>
Fingerprint fingerprint_of(const Data<T>& data, int threads = 1) {
  ThreadPool pool(threads);
  return data.fingerprint(pool).value();
}

template <class T>
Fingerprint fingerprint_of(const Matrix<T>& M) {
  return fingerprint_of<T>(DenseData<T>(M.view()));
}

/// From the definition, with the x and y that the fingerprints of single ones show.
template <class T>
std::uint64_t naive_fingerprint(const Matrix<T>& M) {
  Matrix<T> one(2, 2);
  one(0, 0) = 1;
  const std::uint64_t unit = std::bit_cast<std::uint64_t>(1.0) % kPrime;
  EXPECT_EQ(fingerprint_of(one).of_matrix, unit);
  // b(2) = 2^62 is 2 modulo the prime, which is easy to divide by.
  const auto at = [](Index i, Index j) {
    Matrix<T> two(2, 2);
    two(i, j) = 2;
    const std::uint64_t value = fingerprint_of(two).of_matrix;
    return value % 2 == 0 ? value / 2 : (value + kPrime) / 2;
  };
  const std::uint64_t x = at(1, 0);
  const std::uint64_t y = at(0, 1);
  std::uint64_t result = 0;
  std::uint64_t row = 1;
  for (Index i = 0; i < M.rows(); ++i, row = product(row, x)) {
    std::uint64_t place = row;
    for (Index j = 0; j < M.cols(); ++j, place = product(place, y)) {
      if (M(i, j) == T{0}) continue;
      result = sum(result, product(std::bit_cast<std::uint64_t>(static_cast<double>(M(i, j))), place));
    }
  }
  return result;
}

template <class T>
void expect_same_however_stored(Index rows, Index cols) {
  Matrix<T> M = random_matrix<T>(rows, cols, 91, 0.4);
  M(rows / 2, cols / 2) = -T{0};
  const Fingerprint expected = {naive_fingerprint(M), naive_fingerprint(transposed(M))};
  const Matrix<T> Mt = transposed(M);
  EXPECT_EQ(fingerprint_of(M), expected);
  EXPECT_EQ(fingerprint_of<T>(DenseData<T>(Mt.view(), Layout::column_major), 3), expected);
  EXPECT_EQ(fingerprint_of<T>(*to_sparse(M), 3), expected);
  EXPECT_EQ(fingerprint_of<T>(TransposedData<T>(to_sparse(Mt))), expected);
  EXPECT_EQ(fingerprint_of<T>(ScaledData<T>(DenseData<T>(M.view()), 4)), expected);
  for (const Index lines : {Index{1}, Index{7}, Index{48}}) {
    for (const Blocks& how : all_kinds(lines)) EXPECT_EQ(fingerprint_of<T>(*to_stream<T>(M, how)), expected);
  }
}

TEST(Fingerprint, IsThatOfTheEntriesHoweverTheyAreStored) {
  expect_same_however_stored<double>(1, 1);
  expect_same_however_stored<double>(37, 29);
  expect_same_however_stored<float>(6, 8300);
  expect_same_however_stored<double>(8300, 3);
}

TEST(Fingerprint, DoesNotDependOnTheTypeOfTheEntries) {
  Matrix<std::uint8_t> narrow(20, 30);
  Matrix<double> wide(20, 30);
  Matrix<float> middle(20, 30);
  for (Index k = 0; k < narrow.size(); ++k) {
    narrow.data()[k] = static_cast<std::uint8_t>(k % 251);
    wide.data()[k] = static_cast<double>(k % 251);
    middle.data()[k] = static_cast<float>(k % 251);
  }
  const Fingerprint expected = fingerprint_of(wide);
  EXPECT_EQ(fingerprint_of<double>(DenseData<double>(narrow.view())), expected);
  EXPECT_EQ(fingerprint_of<double>(DenseData<double>(middle.view())), expected);
  EXPECT_EQ(fingerprint_of<float>(DenseData<float>(narrow.view())), expected);
  EXPECT_EQ((fingerprint_of<double>(*to_stream<double, std::uint8_t>(narrow, {}))), expected);
}

TEST(Fingerprint, OfPartsIsThatOfTheWhole) {
  const Matrix<double> M = random_matrix(23, 31, 92, 0.3);
  Fingerprint whole;
  std::array<double, 4> sums{};
  for (const auto& [row, rows] : {std::pair<Index, Index>{0, 5}, {5, 18}}) {
    for (const auto& [col, cols] : {std::pair<Index, Index>{0, 30}, {30, 1}}) {
      Matrix<double> part(rows, cols);
      for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < cols; ++j) part(i, j) = M(row + i, col + j);
      }
      const Fingerprint moved = fingerprint_of(part).moved(row, col);
      whole += moved;
      for (std::size_t k = 0; k < 4; ++k) sums[k] += moved.parts()[k];
    }
  }
  EXPECT_EQ(whole, fingerprint_of(M));
  EXPECT_EQ(Fingerprint::from_sums(sums), whole);
}

TEST(Fingerprint, TellsMatricesApart) {
  const Matrix<double> M = random_matrix(12, 12, 93);
  std::set<std::uint64_t> seen = {fingerprint_of(M).of_matrix};
  const auto expect_new = [&](const Matrix<double>& other) {
    EXPECT_TRUE(seen.insert(fingerprint_of(other).of_matrix).second);
  };
  expect_new(transposed(M));
  for (Index k = 0; k < M.size(); ++k) {
    Matrix<double> other = M;
    other.data()[k] = std::nextafter(other.data()[k], 2);
    expect_new(other);
    other = M;
    std::swap(other.data()[k], other.data()[(k + 1) % M.size()]);
    expect_new(other);
  }
}

TEST(Fingerprint, OfAnOperatorIsUnknown) {
  const Matrix<double> M = random_matrix(5, 4, 94);
  ThreadPool pool(1);
  EXPECT_EQ(BareOperator<double>(M).fingerprint(pool), std::nullopt);
  EXPECT_EQ(TransposedData<double>(std::make_unique<BareOperator<double>>(M)).fingerprint(pool),
            std::nullopt);
}

}  // namespace
}  // namespace anmf::test::fingerprint_test
