// SPDX-License-Identifier: MIT
// Checkpoints as .npz archives: matrices/NAME.npy, numbers/NAME.npy (1 x 1), trace.npy (a row per iteration)
// with the names of its columns in trace.txt, run.txt (NAME=VALUE), settings.toml, and format.txt, which says
// what this is. Every member has a checksum.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "anmf/error.h"
#include "anmf/io.h"
#include "anmf/trace_columns.h"
#include "io/atomic_file.h"
#include "io/byte_source.h"
#include "io/npy_reader.h"
#include "io/npz_writer.h"
#include "io/zip_archive.h"

namespace anmf::io {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFormat = "anmf checkpoint 3\n";
// As anmf 0.1 wrote it: without trace.txt, and with these columns.
constexpr std::string_view kFormerFormat = "anmf checkpoint 2\n";
constexpr std::string_view kFormerColumns =
    "iteration,seconds,flops,error,relative_error,penalty,inner_w,inner_h";
constexpr std::string_view kMatrices = "matrices/";
constexpr std::string_view kNumbers = "numbers/";
constexpr std::string_view kNpy = ".npy";

[[noreturn]] void fail(const fs::path& path, std::string_view what) {
  throw InvalidInput(fmt::format("{}: {}.", path.string(), what));
}

ZipArchive open_checkpoint(const fs::path& path) {
  ZipArchive archive(path);
  if (!archive.has("format.txt")) fail(path, "this archive is no checkpoint of anmf");
  const std::string format = archive.text("format.txt");
  if (format != kFormat && format != kFormerFormat) {
    fail(path, fmt::format("this is '{}', but this version of anmf reads '{}'",
                           std::string_view(format).substr(0, format.find('\n')),
                           kFormat.substr(0, kFormat.size() - 1)));
  }
  return archive;
}

std::string trace_names() {
  std::string names;
  for (const TraceColumn& column : trace_columns()) names += fmt::format(",{}", column.name);
  return names.substr(1);
}

Matrix<double> trace_matrix(const std::vector<IterationRecord>& trace) {
  const auto columns = trace_columns();
  Matrix<double> result(static_cast<Index>(trace.size()), static_cast<Index>(columns.size()));
  double* next = result.data();
  for (const IterationRecord& record : trace) {
    for (const TraceColumn& column : columns) {
      *next++ = with_number(column, record, [](auto number) { return static_cast<double>(number); });
    }
  }
  return result;
}

/// Columns that are not in the table are passed over, and members without a column keep their default: the
/// file may be of another version.
std::vector<IterationRecord> trace_records(std::string_view names, const Matrix<double>& rows,
                                           const fs::path& path) {
  std::map<std::string_view, Index> places;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    places.emplace(names.substr(begin, end - begin), static_cast<Index>(places.size()));
    begin = end + 1;
  }
  if (rows.cols() != static_cast<Index>(places.size()) || rows.rows() == 0)
    fail(path, "its trace is damaged");
  std::vector<IterationRecord> trace(static_cast<std::size_t>(rows.rows()));
  for (const TraceColumn& column : trace_columns()) {
    const auto place = places.find(column.name);
    if (place == places.end()) continue;
    for (Index k = 0; k < rows.rows(); ++k) {
      const double number = rows(k, place->second);
      if (column.is_count() && !(std::abs(number) <= 0x1p53)) fail(path, "its trace is damaged");
      with_member(column, trace[static_cast<std::size_t>(k)],
                  [number]<class Member>(Member& member) { member = static_cast<Member>(number); });
    }
  }
  return trace;
}

std::map<std::string, std::string> parse_run(std::string_view text) {
  std::map<std::string, std::string> run;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos) run.emplace(line.substr(0, equals), line.substr(equals + 1));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return run;
}

}  // namespace

template <class T>
void write_checkpoint(const fs::path& path, const Checkpoint<T>& checkpoint, const std::string& settings) {
  std::string run;
  for (const auto& [name, value] : checkpoint.run) run += fmt::format("{}={}\n", name, value);
  const Matrix<double> trace = trace_matrix(checkpoint.trace);
  write_atomically_by_name(path, [&](const fs::path& temporary) {
    NpzWriter archive(temporary, path);
    archive.add_text("format.txt", kFormat);
    archive.add_text("run.txt", run);
    archive.add_text("settings.toml", settings);
    archive.add_text("trace.txt", trace_names());
    archive.add("trace", trace.view());
    for (const auto& [name, matrix] : checkpoint.matrices) {
      archive.add(fmt::format("{}{}", kMatrices, name), matrix.view());
    }
    for (const auto& [name, number] : checkpoint.numbers) {
      archive.add(fmt::format("{}{}", kNumbers, name), ConstMatrixView<double>{&number, 1, 1, 1});
    }
    archive.close();
  });
}

template <class T>
Checkpoint<T> read_checkpoint(const fs::path& path) {
  const ZipArchive archive = open_checkpoint(path);
  Checkpoint<T> checkpoint;
  checkpoint.run = parse_run(archive.text("run.txt"));
  const std::string names =
      archive.has("trace.txt") ? archive.text("trace.txt") : std::string(kFormerColumns);
  checkpoint.trace = trace_records(names, read_npy<double>(*archive.open("trace.npy"), path), path);
  for (const auto& entry : archive.members()) {
    const std::string& member = entry.first;
    const auto name_after = [&member](std::string_view folder) {
      return member.substr(folder.size(), member.size() - folder.size() - kNpy.size());
    };
    if (!member.ends_with(kNpy)) continue;
    if (member.starts_with(kMatrices)) {
      checkpoint.matrices.emplace(name_after(kMatrices), read_npy<T>(*archive.open(member), path));
    } else if (member.starts_with(kNumbers)) {
      const Matrix<double> number = read_npy<double>(*archive.open(member), path);
      if (number.size() != 1) fail(path, fmt::format("'{}' should be a single number", member));
      checkpoint.numbers.emplace(name_after(kNumbers), number(0, 0));
    }
  }
  return checkpoint;
}

std::string read_checkpoint_settings(const fs::path& path) {
  return open_checkpoint(path).text("settings.toml");
}

template void write_checkpoint(const fs::path&, const Checkpoint<float>&, const std::string&);
template void write_checkpoint(const fs::path&, const Checkpoint<double>&, const std::string&);
template Checkpoint<float> read_checkpoint(const fs::path&);
template Checkpoint<double> read_checkpoint(const fs::path&);

}  // namespace anmf::io
