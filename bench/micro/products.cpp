// SPDX-License-Identifier: MIT
// Products of M with a factor, M Ht (side W) and M' W (side H), for matrices of random numbers with the sizes
// of the paper's sets and a large one; Gram matrices of a tall factor.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "anmf/data.h"
#include "families.h"
#include "kernels/gram.h"
#include "measure.h"

namespace anmf::bench {
namespace {

struct Shape {
  const char* name;
  Index rows;
  Index cols;
  Index nonzeros = 0;  // of sparse ones
};

constexpr Shape kDenseShapes[] = {{"orl", 10304, 400}, {"cbcl", 361, 2429}, {"large", 20000, 5000}};
constexpr Shape kSparseShapes[] = {{"classic", 7094, 41681, 224000}, {"reviews", 4069, 18483, 759000}};
constexpr Index kGramRows = 10000;

template <class T>
struct Dense {
  explicit Dense(const Shape& shape) : M(random_matrix<T>(shape.rows, shape.cols, 1)), data(M.view()) {}

  Matrix<T> M;
  DenseData<T> data;
};

/// Rows of equal length; the columns of a row are distinct and frequent in inverse proportion to their
/// number, as words in texts are.
template <class T>
std::unique_ptr<SparseData<T>> random_sparse(const Shape& shape) {
  std::vector<Index> rows;
  std::vector<Index> cols;
  std::vector<T> values;
  std::vector<Index> last_row(static_cast<std::size_t>(shape.cols), -1);
  Index drawn = 0;
  for (Index k = 0; k < shape.nonzeros;) {
    const Index row = k * shape.rows / shape.nonzeros;
    const double rank = std::pow(static_cast<double>(shape.cols), uniform(1, 0, drawn));
    // Words are numbered in no order: rows of the factor that are used together do not lie together.
    const Index col = static_cast<Index>(rank) * 7919 % shape.cols;
    ++drawn;
    if (std::exchange(last_row[static_cast<std::size_t>(col)], row) == row) continue;
    rows.push_back(row);
    cols.push_back(col);
    values.push_back(static_cast<T>(1 + uniform(1, 1, k)));
    ++k;
  }
  return SparseData<T>::from_triplets(shape.rows, shape.cols, rows, cols, values);
}

template <class T>
const Data<T>& dense(const Shape& shape) {
  static std::map<std::string, Dense<T>> made;
  return made.try_emplace(shape.name, shape).first->second.data;
}

template <class T>
const SparseData<T>& sparse(const Shape& shape) {
  static std::map<std::string, std::unique_ptr<SparseData<T>>> made;
  std::unique_ptr<SparseData<T>>& data = made[shape.name];
  if (data == nullptr) data = random_sparse<T>(shape);
  return *data;
}

template <class T>
void cross(benchmark::State& state, const Data<T>& data, Side side) {
  const Index r = rank_of(state);
  ThreadPool pool(threads_of(state));
  const Index m = data.rows();
  const Index n = data.cols();
  const Matrix<T> factor = random_matrix<T>(side == Side::W ? n : m, r, 2);
  Matrix<T> result(side == Side::W ? m : n, r);
  for (auto _ : state) {
    data.cross(side, factor.view(), result.view(), pool);
    benchmark::ClobberMemory();
  }
  count_flops(state, 2.0 * static_cast<double>(data.nonzeros() * r));
}

template <class T>
void dense_cross(benchmark::State& state, const Shape& shape, Side side) {
  cross<T>(state, dense<T>(shape), side);
}

/// Every nonzero takes its value, its index and a row of the factor; every row of the result is written. Rows
/// of the factor that are still in a cache cost less than memory allows for.
template <class T>
void sparse_cross(benchmark::State& state, const Shape& shape, Side side) {
  const SparseData<T>& data = sparse<T>(shape);
  cross<T>(state, data, side);
  const auto row_bytes = static_cast<double>(rank_of(state)) * sizeof(T);
  const auto results = static_cast<double>(side == Side::W ? data.rows() : data.cols());
  count_bytes(state, static_cast<double>(data.nonzeros()) * (row_bytes + sizeof(T) + sizeof(std::uint32_t)) +
                         results * (row_bytes + sizeof(Index)));
}

/// X'X: one triangle, N r (r + 1) flops; X is read once.
template <class T>
void gram_matrix(benchmark::State& state) {
  const Index r = rank_of(state);
  ThreadPool pool(threads_of(state));
  const Matrix<T> X = random_matrix<T>(kGramRows, r, 3);
  for (auto _ : state) benchmark::DoNotOptimize(gram<T>(X.view(), {pool}));
  count_flops(state, static_cast<double>(kGramRows * r * (r + 1)));
  count_bytes(state, static_cast<double>(kGramRows * r) * sizeof(T));
}

template <class T>
void add(const char* family, const Shape& shape, void (*run)(benchmark::State&, const Shape&, Side),
         const std::vector<std::int64_t>& ranks) {
  for (const Side side : {Side::W, Side::H}) {
    const std::string name =
        fmt::format("{}/{}/{}/{}", family, shape.name, side == Side::W ? 'W' : 'H', kTypeName<T>);
    each_rank(benchmark::RegisterBenchmark(name.c_str(), run, shape, side)->UseRealTime(), ranks);
  }
}

template <class T>
void register_type(Index most_entries) {
  for (const Shape& shape : kDenseShapes) {
    if (shape.rows * shape.cols <= most_entries) add<T>("dense", shape, dense_cross<T>, {20, 60});
  }
  for (const Shape& shape : kSparseShapes) add<T>("sparse", shape, sparse_cross<T>, {20, 50});
  each_rank(benchmark::RegisterBenchmark(fmt::format("gram/{}", kTypeName<T>).c_str(), gram_matrix<T>)
                ->UseRealTime(),
            {8, 20, 32, 60, 128});
}

}  // namespace

void register_products(bool quick) {
  register_type<double>(quick ? 10'000'000 : 100'000'000);
  register_type<float>(10'000'000);
}

}  // namespace anmf::bench
