// SPDX-License-Identifier: MIT
#include "converted_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <system_error>
#include <type_traits>
#include <utility>

#include "anmf/error.h"
#include "bytes.h"
#include "failure.h"
#include "interrupt.h"
#include "io/dense_rows.h"

namespace anmf::cli {
namespace fs = std::filesystem;
using io::DenseRows;
using io::Target;
namespace {

template <class T>
constexpr std::string_view entry_type_name() {
  if (std::is_same_v<T, double>) return "float64";
  if (std::is_same_v<T, float>) return "float32";
  return std::is_same_v<T, std::uint16_t> ? "uint16" : "uint8";
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

}  // namespace

ConvertedFile::ConvertedFile(std::string input, std::string output, StatusLine& line)
    : input_(std::move(input)),
      output_(std::move(output)),
      path_(output_),
      target_(in_phase(ExitCode::usage, [&] { return io::target_of(path_); })),
      line_(line) {}

void ConvertedFile::expect_folder() const {
  const fs::path folder = folder_of(path_);
  std::error_code ignored;
  if (access(folder.c_str(), W_OK) == 0 && fs::is_directory(folder, ignored)) return;
  throw Failure(ExitCode::output,
                fmt::format("cannot write '{}': '{}' is not a folder that can be written to.", output_,
                            folder.string()));
}

void ConvertedFile::expect_room(Index rows, Index cols, std::size_t entry_bytes) const {
  const bool text = target_ == Target::kTable || target_ == Target::kMatrixMarket;
  const double bytes =
      static_cast<double>(rows) * static_cast<double>(cols) * (text ? 2.0 : static_cast<double>(entry_bytes));
  std::error_code unknown;
  const auto disk = fs::space(folder_of(path_), unknown);
  const auto memory =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  // Gzip makes little of zeros.
  const bool disk_full =
      path_.extension() != ".gz" && !unknown && bytes > static_cast<double>(disk.available);
  const bool memory_full = target_ == Target::kNpz && bytes > memory;
  if (!disk_full && !memory_full) return;
  throw Failure(ExitCode::output,
                fmt::format("'{}' would take {}{} as a dense matrix of {} x {}, but there are {} {}; choose "
                            ".npz, .mtx, .h5ad or .anmf, which hold sparse ones.",
                            output_, text ? "at least " : "", format_bytes(bytes), rows, cols,
                            format_bytes(disk_full ? static_cast<double>(disk.available) : memory),
                            disk_full ? "free on its disk" : "of memory"));
}

void ConvertedFile::expect_no_interrupt() const {
  if (!interrupt_requested()) return;
  throw Failure(interrupt_code(), fmt::format("interrupted; '{}' is as it was before.", output_));
}

template <class T>
DenseRows<T> ConvertedFile::watched(const DenseRows<T>& rows, const std::string& what) {
  const auto visit_blocks = [this, rows, what](const typename DenseRows<T>::Visit& visit) {
    Index done = 0;
    rows.for_each_block([&](ConstMatrixView<T> block) {
      const Index step = io::rows_per_block(block.cols * Index{sizeof(T)});
      for (Index begin = 0; begin < block.rows; begin += step) {
        const Index end = std::min(block.rows, begin + step);
        visit(block.middle_rows(begin, end));
        done += end - begin;
        if (line_.due()) line_.show(fmt::format("{}: row {} of {}", what, done, rows.rows));
        expect_no_interrupt();
      }
    });
  };
  return {rows.rows, rows.cols, visit_blocks};
}

/// What is wrong with the data is an error of the input, also where it is found while the output is written.
template <class Body>
void ConvertedFile::writing(const Body& body) const {
  keep_from_here();
  const auto checked = [&] {
    try {
      body();
    } catch (const InvalidInput& error) {
      throw Failure(ExitCode::input, error.what());
    }
  };
  in_phase(ExitCode::output, checked, [&] { return fmt::format(" to make '{}' of '{}'.", output_, input_); });
}

template <class T>
Written ConvertedFile::written(Index rows, Index cols, std::string_view storage,
                               const io::Names& names) const {
  return {.rows = rows,
          .cols = cols,
          .storage = storage,
          .type = entry_type_name<T>(),
          .names_lost = !io::holds_names(target_) && (!names.rows.empty() || !names.cols.empty())};
}

template <class T>
Written ConvertedFile::write(const DenseSource<T>& source, const io::Names& names) {
  const auto rows = [&] { return watched(source.rows, output_); };
  writing([&] {
    switch (target_) {
      case Target::kNpy:
        io::write_npy(path_, rows());
        break;
      case Target::kMatrixMarket:
        io::write_matrix_market_array(path_, watched(source.columns, output_));
        break;
      case Target::kTable:
        io::write_table(path_, rows(), names);
        break;
      case Target::kH5ad:
        io::write_h5ad<T>(
            path_,
            {.observations = source.rows.rows, .variables = source.rows.cols, .X = rows(), .names = names});
        break;
      case Target::kNpz: {  // libzip wants all of M at once; that may be where it lies already
        const Matrix<T> collected = source.whole ? Matrix<T>() : io::collected(rows());
        io::write_npz<T>(path_, source.whole.value_or(collected.view()));
        break;
      }
      case Target::kContainer:
        break;  // holds no dense ones
    }
  });
  return written<T>(source.rows.rows, source.rows.cols, "dense", names);
}

template <class T>
Written ConvertedFile::write(const io::CsrView<T>& matrix, const io::Names& names) {
  line_.show(fmt::format("writing {}", output_));
  writing([&] { io::save<T>(path_, matrix, names); });
  return written<T>(matrix.rows, matrix.cols, "sparse", names);
}

template <class T>
Written ConvertedFile::write_blocks(BlockSource<T>& source, const io::Names& names) {
  const auto after_block = [&](Index block) {
    if (line_.due()) line_.show(fmt::format("{}: block {} of {}", output_, block + 1, source.blocks()));
    expect_no_interrupt();
  };
  writing([&] { io::write_container<T>(path_, source, names, after_block); });
  return written<T>(source.rows(), source.cols(), "sparse", names);
}

template DenseRows<double> ConvertedFile::watched(const DenseRows<double>&, const std::string&);
template DenseRows<float> ConvertedFile::watched(const DenseRows<float>&, const std::string&);
template DenseRows<std::uint16_t> ConvertedFile::watched(const DenseRows<std::uint16_t>&, const std::string&);
template DenseRows<std::uint8_t> ConvertedFile::watched(const DenseRows<std::uint8_t>&, const std::string&);
template Written ConvertedFile::write(const DenseSource<double>&, const io::Names&);
template Written ConvertedFile::write(const DenseSource<float>&, const io::Names&);
template Written ConvertedFile::write(const DenseSource<std::uint16_t>&, const io::Names&);
template Written ConvertedFile::write(const DenseSource<std::uint8_t>&, const io::Names&);
template Written ConvertedFile::write(const io::CsrView<double>&, const io::Names&);
template Written ConvertedFile::write(const io::CsrView<float>&, const io::Names&);
template Written ConvertedFile::write(const io::CsrView<std::uint16_t>&, const io::Names&);
template Written ConvertedFile::write(const io::CsrView<std::uint8_t>&, const io::Names&);
template Written ConvertedFile::write_blocks(BlockSource<double>&, const io::Names&);
template Written ConvertedFile::write_blocks(BlockSource<float>&, const io::Names&);

}  // namespace anmf::cli
