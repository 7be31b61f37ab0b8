// SPDX-License-Identifier: MIT
#include "survey_values.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "survey_columns.h"

namespace anmf::python {
namespace {

/// One array for every column.
template <class Row>
nb::dict columns_of(const std::vector<Row>& rows) {
  nb::dict columns;
  const Row names{};
  report::for_each_column(names, [&]<class Value>(const char* wanted, const Value& /*value*/) {
    // numpy has no vector of bool.
    using Stored = std::conditional_t<std::is_same_v<Value, bool>, std::uint8_t, Value>;
    std::vector<Stored> column;
    column.reserve(rows.size());
    for (const Row& row : rows) {
      report::for_each_column(row, [&]<class Found>(const char* name, const Found& value) {
        if constexpr (std::is_same_v<Found, Value>) {
          if (name == std::string_view(wanted)) column.push_back(static_cast<Stored>(value));
        }
      });
    }
    columns[wanted] = vector_to_numpy(std::move(column));
  });
  return columns;
}

template <class Take>
nb::object column_of(const std::vector<JobRecord>& jobs, const Take& take) {
  std::vector<std::decay_t<decltype(take(jobs.front()))>> column;
  column.reserve(jobs.size());
  for (const JobRecord& job : jobs) column.push_back(take(job));
  return vector_to_numpy(std::move(column));
}

template <class Take>
nb::list words_of_jobs(const std::vector<JobRecord>& jobs, const Take& take) {
  nb::list words;
  for (const JobRecord& job : jobs) words.append(std::string(take(job)));
  return words;
}

template <class T>
nb::object copied(const Matrix<T>& matrix) {
  return to_numpy(Matrix<T>(matrix));
}

template <class V>
nb::object copied(const std::vector<V>& vector) {
  return vector_to_numpy(std::vector<V>(vector));
}

}  // namespace

nb::dict describe_jobs(const std::vector<JobRecord>& jobs) {
  const auto number_if = [](bool start) {
    return [start](const JobRecord& job) {
      return (job.key.kind == JobKind::start) == start ? job.key.number : Index{-1};
    };
  };
  nb::dict columns;
  columns["rank"] = column_of(jobs, [](const JobRecord& job) { return job.key.rank; });
  columns["start"] = column_of(jobs, number_if(true));
  columns["kind"] = words_of_jobs(jobs, [](const JobRecord& job) { return to_string(job.key.kind); });
  columns["repeat"] = column_of(jobs, number_if(false));
  columns["seed"] = column_of(jobs, [](const JobRecord& job) { return job.seed; });
  columns["status"] = words_of_jobs(jobs, [](const JobRecord& job) { return to_string(job.status); });
  columns["iterations"] = column_of(jobs, [](const JobRecord& job) { return job.iterations; });
  columns["seconds"] = column_of(jobs, [](const JobRecord& job) { return job.seconds; });
  columns["error"] = column_of(jobs, [](const JobRecord& job) { return job.error; });
  columns["relative_error"] = column_of(jobs, [](const JobRecord& job) { return job.relative_error; });
  columns["kkt"] = column_of(jobs, [](const JobRecord& job) { return job.kkt; });
  columns["message"] =
      words_of_jobs(jobs, [](const JobRecord& job) -> const std::string& { return job.message; });
  return columns;
}

nb::dict describe_table(const SurveyTable& table) {
  nb::dict suggestion;
  suggestion["rank"] = table.suggestion.rank;
  suggestion["rule"] = table.suggestion.rule;
  suggestion["reasons"] = table.suggestion.reasons;
  suggestion["alternatives"] = table.suggestion.alternatives;
  suggestion["edge"] = table.suggestion.edge;
  nb::dict result;
  result["ranks"] = columns_of(table.ranks);
  result["components"] = columns_of(table.components);
  result["jobs"] = describe_jobs(table.jobs);
  result["suggestion"] = suggestion;
  result["notes"] = table.notes;
  result["stopped"] = table.stopped;
  return result;
}

template <class T>
nb::dict describe_consensus(const RankConsensus<T>& consensus) {
  nb::dict result;
  result["summary"] = columns_of(std::vector<RankSummary>{consensus.summary});
  result["components"] = columns_of(consensus.components);
  result["spectra"] = copied(consensus.spectra);
  result["usages"] = copied(consensus.usages);
  result["starts"] = copied(consensus.starts);
  result["labels"] = copied(consensus.clusters.labels);
  result["density"] = copied(consensus.density);
  result["density_threshold"] = consensus.density_threshold;
  result["silhouettes"] = copied(consensus.euclidean.of_spectra);
  result["sampled"] = copied(consensus.sampled);
  result["consensus"] = copied(consensus.consensus);
  result["start_errors"] = copied(consensus.start_errors);
  result["heldout_errors"] = copied(consensus.heldout_errors);
  result["notes"] = consensus.notes;
  return result;
}

template <class T>
nb::dict describe_start(JobResult<T>&& start) {
  nb::dict result;
  result["record"] = describe_jobs({start.record});
  result["spectra"] = to_numpy(std::move(start.spectra));
  result["usages"] = to_numpy(std::move(start.usages));
  return result;
}

template nb::dict describe_consensus(const RankConsensus<float>&);
template nb::dict describe_consensus(const RankConsensus<double>&);
template nb::dict describe_start(JobResult<float>&&);
template nb::dict describe_start(JobResult<double>&&);

}  // namespace anmf::python
