// SPDX-License-Identifier: MIT
#include "outer/run_identity.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include "anmf/error.h"
#include "anmf/option_table.h"
#include "core/random.h"

namespace anmf {
namespace {

/// x'Mz for fixed x and z of signs: about ||M||, and another number if entries change or change places.
template <class T>
double signed_sum(const Data<T>& data, const Workers& workers) {
  const auto signs = [&data](Side side) {
    const RowRange rows = data.owned(side);
    const std::uint64_t stream = side == Side::W ? streams::kSignsW : streams::kSignsH;
    Matrix<T> result(rows.count, 1);
    for (Index i = 0; i < rows.count; ++i)
      result(i, 0) = random_bits(0, stream, rows.begin + i)[0] % 2 == 0 ? T{1} : T{-1};
    return result;
  };
  const Matrix<T> x = signs(Side::W);
  const Matrix<T> z = signs(Side::H);
  Matrix<T> Mz(x.rows(), 1);
  data.cross(Side::W, z.view(), Mz.view(), workers.pool);
  double sum = 0;
  for (Index i = 0; i < x.rows(); ++i) sum += static_cast<double>(x(i, 0)) * static_cast<double>(Mz(i, 0));
  workers.sum({&sum, 1});
  return sum;
}

constexpr const char* kFingerprint = "fingerprint of the entries";
constexpr const char* kSignedSum = "sum of the entries with signs";

double number(const RunIdentity& run, const char* name) { return std::strtod(run.at(name).c_str(), nullptr); }

/// The last bits of a norm, or of a sum, are those of its order, which workers that share a matrix change.
template <class T>
bool same(const std::string& name, const RunIdentity& saved, const RunIdentity& here) {
  constexpr double kRounding = 1e-10;
  constexpr double kProductRounding = std::is_same_v<T, float> ? 1e-4 : kRounding;
  const auto differ = [&](const char* which) { return std::abs(number(saved, which) - number(here, which)); };
  if (name == "norm") return differ("norm") <= kRounding * number(here, "norm");
  if (name == kSignedSum) return differ(kSignedSum) <= kProductRounding * number(here, "norm");
  return saved.at(name) == here.at(name);
}

}  // namespace

template <class T>
RunIdentity run_identity(const Data<T>& data, const Options& options, const Plan& plan,
                         const Workers& workers) {
  RunIdentity run;
  if (const auto entries = data.fingerprint(workers.pool)) {
    run[kFingerprint] = fmt::format("{:016x}", entries->of_matrix);
  } else {
    run[kSignedSum] = fmt::format("{}", signed_sum(data, workers));
  }
  const auto add = [&run](const char* name, const auto& value) { run[name] = fmt::format("{}", value); };
  add("rows", data.rows());
  add("columns", data.cols());
  add("nonzeros", data.nonzeros());
  add("norm", data.norm());
  add("precision", std::is_same_v<T, float> ? "float32" : "float64");
  const Options used = in_force(options, {.method = plan.method.name,
                                          .inner_stop = plan.inner_stop,
                                          .delta = plan.delta,
                                          .alpha_H = plan.alpha_H});
  for (const OptionInfo& option : option_table()) {
    if (!option.identity.empty()) run[std::string(option.identity)] = to_text(option, used);
  }
  if (options.heldout == 0) {  // of checkpoints from the time when nothing was held out
    run.erase("heldout");
    run.erase("seed of heldout");
  }
  if (plan.beta == 2) run.erase("loss");             // of checkpoints from the time when there was no other
  run["explore"] = plan.explore ? "true" : "false";  // what "auto" comes to
  return run;
}

template <class T>
void check_identity(const RunIdentity& saved, const RunIdentity& here) {
  // What people know of their matrix and options first; the entries are compared when all of that is right.
  std::vector<std::string> names;
  for (const auto& [name, value] : here) {
    if (name != kFingerprint && name != kSignedSum) names.push_back(name);
  }
  names.emplace_back(here.contains(kFingerprint) ? kFingerprint : kSignedSum);
  for (const std::string& name : names) {
    if (!saved.contains(name)) {
      throw InvalidInput("The checkpoint does not say its " + name +
                         "; it is of another version, or of another kind of matrix.");
    }
    if (same<T>(name, saved, here)) continue;
    throw InvalidInput(fmt::format(
        "The checkpoint is of another {}: its {} is {}, here it is {}. Resume with the matrix and "
        "the options that the run began with; only threads, limits and tolerances may change.",
        name == names.back() ? "matrix" : "run", name, saved.at(name), here.at(name)));
  }
}

template RunIdentity run_identity(const Data<float>&, const Options&, const Plan&, const Workers&);
template RunIdentity run_identity(const Data<double>&, const Options&, const Plan&, const Workers&);
template void check_identity<float>(const RunIdentity&, const RunIdentity&);
template void check_identity<double>(const RunIdentity&, const RunIdentity&);

}  // namespace anmf
