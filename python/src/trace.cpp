// SPDX-License-Identifier: MIT
#include "trace.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <string>
#include <tuple>

#include "anmf/trace_columns.h"

namespace anmf::python {
namespace {

constexpr std::size_t kBytes = 8;  // of a number
static_assert(sizeof(Index) == kBytes && sizeof(double) == kBytes);

/// Name, whether it is a count, meaning.
std::vector<std::tuple<std::string, bool, std::string>> columns() {
  std::vector<std::tuple<std::string, bool, std::string>> result;
  for (const TraceColumn& column : trace_columns())
    result.emplace_back(column.name, column.is_count(), column.meaning);
  return result;
}

}  // namespace

nb::list numbers_of(const IterationRecord& record) {
  nb::list numbers;
  for (const TraceColumn& column : trace_columns())
    with_number(column, record, [&](auto number) { numbers.append(number); });
  return numbers;
}

nb::bytes packed(const std::vector<IterationRecord>& trace) {
  std::string bytes(trace.size() * trace_columns().size() * kBytes, '\0');
  char* next = bytes.data();
  for (const IterationRecord& record : trace) {
    for (const TraceColumn& column : trace_columns()) {
      with_number(column, record, [next](auto number) { std::memcpy(next, &number, kBytes); });
      next += kBytes;
    }
  }
  return nb::bytes(bytes.data(), bytes.size());
}

std::vector<IterationRecord> unpacked(const nb::bytes& trace) {
  std::vector<IterationRecord> records(trace.size() / (trace_columns().size() * kBytes));
  const char* next = trace.c_str();
  for (IterationRecord& record : records) {
    for (const TraceColumn& column : trace_columns()) {
      with_member(column, record, [next](auto& member) { std::memcpy(&member, next, kBytes); });
      next += kBytes;
    }
  }
  return records;
}

void bind_trace(nb::module_& module) { module.def("trace_columns", &columns); }

}  // namespace anmf::python
