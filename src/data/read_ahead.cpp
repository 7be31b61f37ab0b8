// SPDX-License-Identifier: MIT
#include "data/read_ahead.h"

#include <fmt/format.h>

#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "anmf/error.h"
#include "core/stopwatch.h"

namespace anmf {
namespace {

/// Blocks that do not have their size would be read beyond their end.
template <class T>
void check_size(const BlockSource<T>& source, Index block, const BlockEntries<T>& entries) {
  const Index lines = source.first_line(block + 1) - source.first_line(block);
  const Index width = source.layout() == Layout::row_major ? source.cols() : source.rows();
  const auto [found_lines, found_width, sparse] = std::visit(
      []<class Entries>(const Entries& found) {
        if constexpr (std::is_same_v<Entries, Csr<T>>) {
          const bool sound = static_cast<Index>(found.offsets.size()) == found.rows + 1 &&
                             found.offsets.front() == 0 &&
                             found.offsets.back() == static_cast<Index>(found.values.size()) &&
                             found.indices.size() == found.values.size();
          return std::tuple(sound ? found.rows : Index{-1}, found.cols, true);
        } else {
          return std::tuple(found.rows(), found.cols(), false);
        }
      },
      entries);
  if (found_lines == lines && found_width == width && sparse == source.sparse()) return;
  throw InvalidInput(fmt::format("Block {} of the source is {} and {} x {}; it must be {} and {} x {}.",
                                 block, sparse ? "sparse" : "dense", found_lines, found_width,
                                 source.sparse() ? "sparse" : "dense", lines, width));
}

}  // namespace

template <class T>
ReadAhead<T>::ReadAhead(BlockSource<T>& source, std::span<BlockEntries<T>> buffers, StreamCounters& counters)
    : source_(source), buffers_(buffers), counters_(counters), reader_([this] { read_all(); }) {}

template <class T>
ReadAhead<T>::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
  }
  changed_.notify_all();
  reader_.join();
}

template <class T>
BlockEntries<T>& ReadAhead<T>::next() {
  Stopwatch waiting;
  Index block = 0;
  {
    const Stopwatch::Running running(waiting);
    std::unique_lock lock(mutex_);
    block = taken_++;
    changed_.notify_all();
    changed_.wait(lock, [&] { return read_ > block || error_; });
    if (read_ <= block) std::rethrow_exception(error_);
  }
  counters_.add({.waiting_seconds = waiting.seconds()});
  return buffer(block);
}

template <class T>
void ReadAhead<T>::read_all() {
  const auto room = static_cast<Index>(buffers_.size()) - 1;  // beside the block in use
  for (Index block = 0; block < source_.blocks(); ++block) {
    {
      std::unique_lock lock(mutex_);
      // Until the first block is taken none is in use.
      changed_.wait(lock, [&] { return abandoned_ || block <= taken_ - 1 + room; });
      if (abandoned_) return;
    }
    std::exception_ptr error;
    try {
      read_block(block);
    } catch (...) {
      error = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      error_ = error;
      if (!error) ++read_;
    }
    changed_.notify_all();
    if (error) return;
  }
  counters_.add({.passes = 1});
}

template <class T>
void ReadAhead<T>::read_block(Index block) {
  Stopwatch reading;
  {
    const Stopwatch::Running running(reading);
    source_.read(block, buffer(block));
  }
  check_size(source_, block, buffer(block));
  counters_.add({.bytes = source_.bytes(block), .reading_seconds = reading.seconds()});
}

template class ReadAhead<float>;
template class ReadAhead<double>;

}  // namespace anmf
