// SPDX-License-Identifier: MIT
#include "validate/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include "anmf/option_table.h"
#include "validate/entries.h"

namespace anmf::validate {
namespace {

[[noreturn]] void refuse(std::string_view name, auto value, std::string_view range) {
  throw InvalidInput(fmt::format("{} = {} is not allowed; it must be {}.", name, value, range));
}

/// Numbers must be in the range of the option's row; words have none.
template <class Value>
void in_range(const OptionInfo& option, const Value& value) {
  if constexpr (std::is_arithmetic_v<Value>) {
    if (!option.range.contains(static_cast<double>(value))) refuse(option.name, value, option.range.words);
  }
}

template <class Value>
void in_range(const OptionInfo& option, const std::optional<Value>& value) {
  if (value) in_range(option, *value);
}

void inner_stop(const Options& options) {
  const double beta = beta_of(options.loss);
  const Method& method = find_method(options.method == "auto" && beta != 2 ? "e-spn" : options.method);
  if (beta != 2 && options.compress == Compress::on) {
    throw InvalidInput(fmt::format(
        "compress = on does not go with the loss {}: a compression stands for M in products, and this loss "
        "looks at entries.",
        options.loss));
  }
  const InnerStopMode mode = options.inner_stop.value_or(method.inner_stop.mode);
  if (mode == InnerStopMode::dynamic) {
    const double epsilon = options.epsilon.value_or(method.inner_stop.epsilon);
    if (!(epsilon > 0))
      refuse("epsilon", epsilon, "above 0 when inner_stop is dynamic, which has no other end");
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
  for (const OptionInfo& option : option_table()) {
    with_value(option, options, [&](const auto& value) { in_range(option, value); });
  }
  inner_stop(options);
}

void threads(int count) { in_range(find_option("threads"), count); }

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
void weights(const Data<T>& data, const Options& options) {
  if (!kind_of(data).weighted || options.compress != Compress::on) return;
  throw InvalidInput(
      "compress = on does not go with entries that are missing, held out or weighted: a compression is made "
      "from all entries of M.");
}

template <class T>
void signs(const Data<T>& data, const Options& options, const Method& method, double beta) {
  if (data.nonnegative()) return;
  constexpr std::string_view kAdvice =
      "M has negative entries, which least squares by the methods of hals, pg and "
      "anls can fit";
  if (beta != 2) {
    throw InvalidInput(fmt::format("loss = {} needs entries >= 0: {}.", loss_name(beta), kAdvice));
  }
  if (!method.rule.signed_products) {
    throw InvalidInput(fmt::format("method = {} needs entries >= 0: {}.", method.name, kAdvice));
  }
  if (options.init == Init::scaled_random || options.init == Init::random) return;
  throw InvalidInput(
      fmt::format("init = {} needs entries >= 0; choose scaled-random or random.", to_string(options.init)));
}

template <class T>
void init(Init init, const Start<T>& given, const Data<T>& data, Index rank, const Reducer* reducer) {
  const Index rows = data.rows();
  const Index cols = data.cols();
  if (init == Init::scaled_random || init == Init::random || (given.W && given.H)) return;
  const std::string_view name = to_string(init);
  if (reducer != nullptr) {
    throw InvalidInput(fmt::format(
        "init = {} needs all of M in one process; where workers share it, choose scaled-random or random.",
        name));
  }
  if (data.counted() != Counted::all) {
    throw InvalidInput(fmt::format(
        "init = {} is made from all entries of M, of which some are missing, held out or weighted; choose "
        "scaled-random or random.",
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
template void signs(const Data<float>&, const Options&, const Method&, double);
template void signs(const Data<double>&, const Options&, const Method&, double);
template void weights(const Data<float>&, const Options&);
template void weights(const Data<double>&, const Options&);
template void init(Init, const Start<float>&, const Data<float>&, Index, const Reducer*);
template void init(Init, const Start<double>&, const Data<double>&, Index, const Reducer*);
template void start(const Start<float>&, Index, Index, Index);
template void start(const Start<double>&, Index, Index, Index);

}  // namespace anmf::validate

void anmf::check(const Options& options) {
  validate::options(options);
  (void)find_method(options.method, beta_of(options.loss), MatrixKind());
}
