// SPDX-License-Identifier: MIT
// Products with blocks M_b (N_b x K) of lines of M (rows, or columns: then of M'), as they are read:
//   the side of the lines:  rows b of C (N x r) = M_b F (F is K x r);
//   the other one:          C (K x r) = sum over b of M_b' X_b (X is N x r), added in the order of the
//   blocks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "anmf/error.h"
#include "anmf/stream.h"
#include "core/stopwatch.h"
#include "data/dense_product.h"
#include "data/first_look.h"
#include "data/pass_group.h"
#include "data/read_ahead.h"
#include "data/sparse_product.h"
#include "kernels/panels.h"
#include "validate/entries.h"

namespace anmf {
namespace {

static_assert(kLinesPerGroup == kBlockRows);

template <class T>
void check_source(const BlockSource<T>& source) {
  validate::shape("M", source.rows(), source.cols());
  const bool by_rows = source.layout() == Layout::row_major;
  const Index lines = by_rows ? source.rows() : source.cols();
  const Index width = by_rows ? source.cols() : source.rows();
  const Index widest = source.sparse() ? Index{std::numeric_limits<std::uint32_t>::max()}
                                       : Index{std::numeric_limits<int>::max()};
  if (width > widest) {
    throw InvalidInput(fmt::format(
        "M is {} x {} and comes in blocks of {}s of {} entries; they may have at most {}. "
        "Store it by {}s.",
        source.rows(), source.cols(), by_rows ? "row" : "column", width, widest, by_rows ? "column" : "row"));
  }
  Index line = 0;
  for (Index block = 0; block < source.blocks(); ++block) {
    if (source.first_line(block) != line || source.first_line(block + 1) <= line) {
      throw InvalidInput(
          fmt::format("Block {} of the source has the lines {} to {}; it must begin at {} and not be empty.",
                      block, source.first_line(block), source.first_line(block + 1), line));
    }
    line = source.first_line(block + 1);
  }
  if (line != lines) {
    throw InvalidInput(fmt::format("The blocks of the source have {} lines; M has {}.", line, lines));
  }
}

template <class T>
void set_zero(MatrixView<T> C) {
  for (Index i = 0; i < C.rows; ++i) std::fill_n(C.row(i), C.cols, T{0});
}

template <class T>
EntryLines<T> view_of(const BlockEntries<T>& block) {
  return std::visit(
      []<class Entries>(const Entries& lines) -> EntryLines<T> {
        if constexpr (std::is_same_v<Entries, Csr<T>>) {
          return SparseLines<T>(lines);
        } else {
          return lines.view();
        }
      },
      block);
}

/// Zeros in the place of NaN; take(line, position) for each of them.
template <class T, class Take>
void fill_gaps(BlockEntries<T>& block, const Take& take) {
  std::visit(
      [&]<class Lines>(Lines& lines) {
        if constexpr (std::is_same_v<Lines, Matrix<float>> || std::is_same_v<Lines, Matrix<double>>) {
          for (Index i = 0; i < lines.rows(); ++i) {
            for (Index j = 0; j < lines.cols(); ++j) {
              if (!std::isnan(lines(i, j))) continue;
              lines(i, j) = 0;
              take(i, j);
            }
          }
        }
      },
      block);
}

}  // namespace

template <class T>
class StreamedData<T>::Impl {
 public:
  explicit Impl(std::unique_ptr<BlockSource<T>> source) : source_(std::move(source)) {
    check_source(*source_);
    FirstLook look(by_rows() ? source_->cols() : source_->rows(), source_->layout(), source_->sparse());
    std::array<std::vector<Index>, 2> missing;
    if (source_->has_gaps()) {
      missing = {std::vector<Index>(static_cast<std::size_t>(source_->rows()), 0),
                 std::vector<Index>(static_cast<std::size_t>(source_->cols()), 0)};
    }
    read_blocks([&](Index begin, Index /*end*/, BlockEntries<T>& block) {
      if (source_->has_gaps()) {
        fill_gaps<T>(block, [&](Index line, Index position) {
          ++missing[by_rows() ? 0 : 1][static_cast<std::size_t>(begin + line)];
          ++missing[by_rows() ? 1 : 0][static_cast<std::size_t>(position)];
        });
      }
      std::visit([&](const auto& lines) { look.add(lines); }, block);
    });
    note_missing(missing);
    clipped_ = source_->clipped();
    nonzeros_ = look.nonzeros();
    if (nonzeros_ > source_->nonzeros()) {  // explicit zeros and repeated positions of a file make them fewer
      throw InvalidInput(fmt::format("The blocks of the source have {} nonzeros; it speaks of {}.", nonzeros_,
                                     source_->nonzeros()));
    }
    norm_ = look.norm();
    column_norms_ = look.column_norms();
    empty_rows_ = look.empty_lines();
    empty_cols_ = look.empty_positions();
    if (!by_rows()) std::swap(empty_rows_, empty_cols_);
    if (source_->sparse()) position_runs_ = balanced_rows(look.offsets());
    for (Index block = 1; block < source_->blocks(); ++block) {
      whole_groups_ = whole_groups_ && source_->first_line(block) % kLinesPerGroup == 0;
    }
  }

  /// How many entries of every row and of every column are missing.
  void note_missing(const std::array<std::vector<Index>, 2>& missing) {
    observed_ = static_cast<double>(source_->rows()) * static_cast<double>(source_->cols());
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const Index all = side == 0 ? source_->cols() : source_->rows();
      for (std::size_t i = 0; i < missing[side].size(); ++i) {
        if (missing[side][i] == all) unobserved_[side].push_back(static_cast<Index>(i));
        if (side == 0) observed_ -= static_cast<double>(missing[side][i]);
        gaps_ = gaps_ || missing[side][i] > 0;
      }
    }
  }

  [[nodiscard]] bool by_rows() const { return source_->layout() == Layout::row_major; }

  /// What becomes of entries that are NaN.
  enum class Gaps { shown, filled };

  /// body(first line, behind the last line, entries) for every block, in order; one pass at a time. Threads
  /// of a group share a pass.
  template <class Body>
  void for_each_block(Gaps gaps, const Body& body) {
    if (PassGroup* const group = PassGroup::entered()) {
      group->pass([this](const std::function<void()>& show) { show_blocks(show); },
                  [&] {
                    if (!gaps_ || shown_.gaps == gaps) body(shown_.begin, shown_.end, *shown_.entries);
                  });
      return;
    }
    read_blocks([&](Index begin, Index end, BlockEntries<T>& block) {
      if (gaps_ && gaps == Gaps::filled) fill_gaps<T>(block, [](Index, Index) {});
      body(begin, end, block);
    });
  }

  /// C (N_b x r) = M_b F.
  static void multiply(const BlockEntries<T>& block, ConstMatrixView<T> F, MatrixView<T> C,
                       ThreadPool& pool) {
    std::visit(
        [&]<class Entries>(const Entries& lines) {
          if constexpr (std::is_same_v<Entries, Csr<T>>) {
            sparse_product(lines, balanced_rows(lines.offsets), F, C, pool);
          } else {
            dense_product(Side::W, lines.view(), F, C, pool);
          }
        },
        block);
  }

  /// C (K x r) += M_b' X_b.
  void add_transposed(const BlockEntries<T>& block, ConstMatrixView<T> X, MatrixView<T> C,
                      ThreadPool& pool) const {
    std::visit(
        [&]<class Entries>(const Entries& lines) {
          if constexpr (std::is_same_v<Entries, Csr<T>>) {
            add_transposed_product(lines, position_runs_, X, C, pool);
          } else {
            dense_product(Side::H, lines.view(), X, C, pool, true);
          }
        },
        block);
  }

  std::unique_ptr<BlockSource<T>> source_;
  Index clipped_ = 0;
  Index nonzeros_ = 0;
  bool gaps_ = false;  // some entry is NaN
  double observed_ = 0;
  std::array<std::vector<Index>, 2> unobserved_;
  double norm_ = 0;
  std::vector<double> column_norms_;
  std::once_flag fingerprint_made_;
  std::optional<Fingerprint> fingerprint_;
  Index empty_rows_ = 0;
  Index empty_cols_ = 0;
  std::vector<Index> position_runs_;  // of about equal numbers of nonzeros, if M is sparse
  bool whole_groups_ = true;          // no block cuts a group of lines
  StreamCounters counters_;

 private:
  template <class Body>
  void read_blocks(const Body& body) {
    const std::lock_guard lock(pass_);
    Stopwatch clock;
    {
      const Stopwatch::Running running(clock);
      ReadAhead<T> reader(*source_, buffers_, counters_);
      for (Index block = 0; block < source_->blocks(); ++block) {
        body(source_->first_line(block), source_->first_line(block + 1), reader.next());
      }
    }
    counters_.add({.pass_seconds = clock.seconds()});
  }

  /// Every block in turn for a group; where there are gaps, before they are filled and after.
  void show_blocks(const std::function<void()>& show) {
    read_blocks([&](Index begin, Index end, BlockEntries<T>& block) {
      shown_ = {.begin = begin, .end = end, .entries = &block, .gaps = Gaps::shown};
      show();
      if (!gaps_) return;
      fill_gaps<T>(block, [](Index, Index) {});
      shown_.gaps = Gaps::filled;
      show();
    });
  }

  struct ShownBlock {
    Index begin = 0;
    Index end = 0;
    const BlockEntries<T>* entries = nullptr;
    Gaps gaps = Gaps::shown;
  };

  std::mutex pass_;
  std::array<BlockEntries<T>, kBlocksInMemory> buffers_;
  ShownBlock shown_;  // to a group; it changes while nobody looks
};

template <class T>
StreamedData<T>::StreamedData(std::unique_ptr<BlockSource<T>> source)
    : impl_(std::make_unique<Impl>(std::move(source))) {}

template <class T>
StreamedData<T>::~StreamedData() = default;

template <class T>
Index StreamedData<T>::rows() const {
  return impl_->source_->rows();
}

template <class T>
Index StreamedData<T>::cols() const {
  return impl_->source_->cols();
}

template <class T>
Index StreamedData<T>::nonzeros() const {
  return impl_->nonzeros_;
}

template <class T>
Storage StreamedData<T>::storage() const {
  return impl_->source_->sparse() ? Storage::sparse_on_disk : Storage::dense_on_disk;
}

template <class T>
double StreamedData<T>::norm() const {
  return impl_->norm_;
}

template <class T>
Counted StreamedData<T>::counted() const {
  return impl_->gaps_ ? Counted::numbers : Counted::all;
}

template <class T>
double StreamedData<T>::observed() const {
  return impl_->observed_;
}

template <class T>
std::span<const Index> StreamedData<T>::unobserved(Side side) const {
  return impl_->unobserved_[side == Side::W ? 0 : 1];
}

template <class T>
std::optional<double> StreamedData<T>::squared_residual(ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                                                        ThreadPool& pool) const {
  if (impl_->gaps_) return std::nullopt;
  return Data<T>::squared_residual(W, Ht, pool);
}

template <class T>
Index StreamedData<T>::empty_rows() const {
  return impl_->empty_rows_;
}

template <class T>
Index StreamedData<T>::empty_cols() const {
  return impl_->empty_cols_;
}

template <class T>
bool StreamedData<T>::whole_rows(Side side) const {
  return (side == Side::W) == impl_->by_rows();
}

template <class T>
void StreamedData<T>::for_each_block(Side side, const EntryVisitor<T>& visit) const {
  const bool by_lines = whole_rows(side);
  const RowRange positions = {0, impl_->by_rows() ? cols() : rows()};
  impl_->for_each_block(Impl::Gaps::shown, [&](Index begin, Index end, const BlockEntries<T>& block) {
    const RowRange lines = {begin, end - begin};
    EntryBlock<T> shown{.rows = by_lines ? lines : positions,
                        .columns = by_lines ? positions : lines,
                        .layout = by_lines ? Layout::row_major : Layout::column_major,
                        .lines = view_of<T>(block)};
    shown.weights.counted = counted();
    visit(shown);
  });
}

template <class T>
std::optional<std::vector<double>> StreamedData<T>::line_norms(Side side) const {
  return side == Side::H ? impl_->column_norms_ : Data<T>::line_norms(side);
}

template <class T>
std::optional<Fingerprint> StreamedData<T>::fingerprint(ThreadPool& pool) const {
  std::call_once(impl_->fingerprint_made_, [&] { impl_->fingerprint_ = Data<T>::fingerprint(pool); });
  return impl_->fingerprint_;
}

template <class T>
Index StreamedData<T>::clipped() const {
  return impl_->clipped_;
}

template <class T>
StreamStatistics StreamedData<T>::statistics() const {
  return impl_->counters_.now();
}

template <class T>
std::optional<Side> StreamedData<T>::pass_side(Index /*r*/, const ThreadPool& /*pool*/) const {
  if (!impl_->whole_groups_) return std::nullopt;
  return impl_->by_rows() ? Side::W : Side::H;
}

template <class T>
void StreamedData<T>::cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result,
                            ThreadPool& pool) const {
  const bool lines = (side == Side::W) == impl_->by_rows();
  if (!lines) set_zero(result);
  impl_->for_each_block(Impl::Gaps::filled, [&](Index begin, Index end, const BlockEntries<T>& block) {
    if (lines) {
      Impl::multiply(block, factor, result.middle_rows(begin, end), pool);
    } else {
      impl_->add_transposed(block, factor.middle_rows(begin, end), result, pool);
    }
  });
}

template <class T>
void StreamedData<T>::one_pass(ConstMatrixView<T> F, MatrixView<T> cross, const BlockUpdate<T>& update,
                               MatrixView<T> result, ThreadPool& pool) const {
  set_zero(result);
  impl_->for_each_block(Impl::Gaps::filled, [&](Index begin, Index end, const BlockEntries<T>& block) {
    Impl::multiply(block, F, cross.middle_rows(begin, end), pool);
    impl_->add_transposed(block, update(begin, end), result, pool);
  });
}

double streamed_bytes(Index rows, Index cols) {
  // Norms of columns, and what they are made from; counts and offsets of either side.
  return 4.0 * sizeof(double) * (static_cast<double>(rows) + static_cast<double>(cols));
}

template class StreamedData<float>;
template class StreamedData<double>;

}  // namespace anmf
