// SPDX-License-Identifier: MIT
// The columns of a trace as rows of one table. Whatever shows or saves a trace has these columns.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

#include "anmf/result.h"

namespace anmf {

/// What a run minimises, ||M - W H||^2 / 2 and the penalties.
[[nodiscard]] constexpr double objective(double error, double penalty) { return error * error / 2 + penalty; }

struct TraceColumn {
  std::string_view name;
  /// A member of the record, which is a count or a real number, or a number that follows from the members.
  std::variant<Index IterationRecord::*, double IterationRecord::*, double (*)(const IterationRecord&)> value;
  std::string_view meaning;

  [[nodiscard]] bool is_count() const { return std::holds_alternative<Index IterationRecord::*>(value); }
};

/// Every column, in the order of trace.csv.
[[nodiscard]] std::span<const TraceColumn> trace_columns();

/// Calls act(number) with the Index or the double that the column has for this record.
template <class Act>
auto with_number(const TraceColumn& column, const IterationRecord& record, const Act& act) {
  return std::visit([&](const auto& value) { return act(std::invoke(value, record)); }, column.value);
}

/// Calls act(member) with a reference to what the column shows, unless that follows from other members.
template <class Act>
void with_member(const TraceColumn& column, IterationRecord& record, const Act& act) {
  const auto member_and_act = [&]<class Value>(const Value& value) {
    if constexpr (std::is_member_object_pointer_v<Value>) act(record.*value);
  };
  std::visit(member_and_act, column.value);
}

}  // namespace anmf
