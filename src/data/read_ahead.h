// SPDX-License-Identifier: MIT
// One pass over the blocks of a source, read ahead by a thread that lives as long as this object.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <span>
#include <thread>

#include "anmf/stream.h"

namespace anmf {

/// StreamStatistics that one thread adds to while others look.
class StreamCounters {
 public:
  [[nodiscard]] StreamStatistics now() const {
    const std::lock_guard lock(mutex_);
    return statistics_;
  }
  void add(const StreamStatistics& more) {
    const std::lock_guard lock(mutex_);
    statistics_.passes += more.passes;
    statistics_.bytes += more.bytes;
    statistics_.pass_seconds += more.pass_seconds;
    statistics_.reading_seconds += more.reading_seconds;
    statistics_.waiting_seconds += more.waiting_seconds;
  }

 private:
  mutable std::mutex mutex_;
  StreamStatistics statistics_;
};

template <class T>
class ReadAhead {
 public:
  /// Block b is read into buffer b modulo their number, as soon as that is free.
  ReadAhead(BlockSource<T>& source, std::span<BlockEntries<T>> buffers, StreamCounters& counters);
  /// A pass that was abandoned ends after the block that is being read.
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// The next block, valid until the next call. Throws what the source threw when it was read.
  [[nodiscard]] BlockEntries<T>& next();

 private:
  void read_all();
  void read_block(Index block);
  [[nodiscard]] BlockEntries<T>& buffer(Index block) {
    return buffers_[static_cast<std::size_t>(block) % buffers_.size()];
  }

  BlockSource<T>& source_;
  std::span<BlockEntries<T>> buffers_;
  StreamCounters& counters_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Index read_ = 0;   // blocks that have been read
  Index taken_ = 0;  // blocks that next() has returned; all but the last of them are done with
  bool abandoned_ = false;
  std::exception_ptr error_;  // of block read_
  std::thread reader_;        // the last member: it begins when the others are there
};

extern template class ReadAhead<float>;
extern template class ReadAhead<double>;

}  // namespace anmf
