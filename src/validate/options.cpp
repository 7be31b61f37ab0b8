// SPDX-License-Identifier: MIT
#include "validate/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "validate/entries.h"

namespace anmf::validate {
namespace {

void require(bool holds, std::string_view name, auto value, std::string_view range) {
  if (!holds) throw InvalidInput(fmt::format("{} = {} is not allowed; it must be {}.", name, value, range));
}

void nonnegative(std::string_view name, double value) {
  require(value >= 0 && std::isfinite(value), name, value, "a finite number >= 0");
}

void nonnegative(std::string_view name, const std::optional<double>& value) {
  if (value) nonnegative(name, *value);
}

void unit_range(std::string_view name, double value) {
  require(value >= 0 && value <= 1, name, value, "between 0 and 1");
}

void inner_stop(const Options& options) {
  const Method& method = find_method(options.method);
  nonnegative("alpha", options.alpha);
  nonnegative("delta", options.delta);
  if (options.epsilon) {
    require(*options.epsilon >= 0 && *options.epsilon < 1, "epsilon", *options.epsilon,
            "at least 0 and below 1");
  }
  const InnerStopMode mode = options.inner_stop.value_or(method.inner_stop.mode);
  if (mode == InnerStopMode::dynamic) {
    const double epsilon = options.epsilon.value_or(method.inner_stop.epsilon);
    require(epsilon > 0, "epsilon", epsilon, "above 0 when inner_stop is dynamic, which has no other end");
  }
  if (mode == InnerStopMode::projected_gradient && !method.rule.knows_gradient) {
    throw InvalidInput(fmt::format("inner_stop = projected_gradient belongs to {}, not to {}.",
                                   methods_that(&Rule::knows_gradient), method.name));
  }
  if (mode == InnerStopMode::block && !method.rule.row_local) {
    throw InvalidInput(
        fmt::format("inner_stop = block belongs to the methods of {}, whose rows are independent, not to {}.",
                    rules_that(&Rule::row_local), method.name));
  }
  if (options.compress == Compress::on && !method.rule.signed_products) {
    throw InvalidInput(
        fmt::format("compress = on does not go with {}: its updates need products without negative entries, "
                    "which a compression does not give.",
                    method.name));
  }
  require(options.max_inner_iterations >= 1, "max_inner_iterations", options.max_inner_iterations,
          "at least 1");
}

template <class T>
void start_factor(std::string_view name, const Matrix<T>& factor, Index rows, Index cols) {
  if (factor.rows() != rows || factor.cols() != cols) {
    throw InvalidInput(fmt::format("The start factor {} is {} x {}; it must be {} x {}.", name, factor.rows(),
                                   factor.cols(), rows, cols));
  }
  entries(name, factor.view());
}

}  // namespace

void options(const Options& options) {
  constexpr Index kLargestRank = 1'000'000;  // its Gram matrix alone would take 8 TB
  require(options.rank >= 1 && options.rank <= kLargestRank, "rank", options.rank,
          "at least 1 and at most 1000000");
  inner_stop(options);
  require(options.max_iterations >= 0, "max_iterations", options.max_iterations, "at least 0");
  require(options.time_limit >= 0, "time_limit", options.time_limit, "a number of seconds >= 0");
  nonnegative("tolerance", options.tolerance);
  nonnegative("change_tolerance", options.change_tolerance);
  nonnegative("alpha_W", options.alpha_W);
  nonnegative("alpha_H", options.alpha_H);
  unit_range("l1_ratio", options.l1_ratio);
  threads(options.threads);
}

void threads(int count) {
  require(count >= 0 && count <= 4096, "threads", count, "between 0 (all cores) and 4096");
}

void sizes(Index rows, Index cols, Index rank) {
  shape("W", rows, rank);
  shape("H", rank, cols);
  const double bytes =
      sizeof(double) * (static_cast<double>(rows) + static_cast<double>(cols)) * static_cast<double>(rank);
  if (bytes < std::ldexp(1.0, 63)) return;
  throw InvalidInput(
      fmt::format("W is {} x {} and H {} x {}; their bytes must be below 2^63. Choose a smaller rank.", rows,
                  rank, rank, cols));
}

template <class T>
void data(const Data<T>& data) {
  shape("M", data.rows(), data.cols());
  if (!std::isfinite(data.norm())) {
    throw InvalidInput(fmt::format("||M|| = {} is not finite; divide M by a constant first.", data.norm()));
  }
}

template <class T>
void init(Init init, const Start<T>& given, Index rows, Index cols, Index rank, const Reducer* reducer) {
  if (init == Init::scaled_random || init == Init::random || (given.W && given.H)) return;
  const std::string_view name = to_string(init);
  if (reducer != nullptr) {
    throw InvalidInput(fmt::format(
        "init = {} needs all of M in one process; where workers share it, choose scaled-random or random.",
        name));
  }
  if (given.W || given.H) {
    throw InvalidInput(fmt::format(
        "init = {} makes W and H together, but {} is given; give both, or choose scaled-random or "
        "random for the other one.",
        name, given.W ? "W" : "H"));
  }
  if (init != Init::spa && rank > std::min(rows, cols)) {
    throw InvalidInput(
        fmt::format("init = {} takes one singular triplet of M for each component: rank = {} must be at most "
                    "min({}, {}); choose a smaller rank, or random or scaled-random.",
                    name, rank, rows, cols));
  }
}

template <class T>
void start(const Start<T>& start, Index rows, Index cols, Index rank) {
  if (start.W) start_factor("W", *start.W, rows, rank);
  if (start.H) start_factor("H", *start.H, rank, cols);
}

template void data(const Data<float>&);
template void data(const Data<double>&);
template void init(Init, const Start<float>&, Index, Index, Index, const Reducer*);
template void init(Init, const Start<double>&, Index, Index, Index, const Reducer*);
template void start(const Start<float>&, Index, Index, Index);
template void start(const Start<double>&, Index, Index, Index);

}  // namespace anmf::validate

void anmf::check(const Options& options) { validate::options(options); }
