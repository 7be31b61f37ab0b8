// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "anmf/parallel.h"
#include "core/chunks.h"
#include "support/memory_limit.h"

namespace anmf::test::thread_pool_test {
namespace {

constexpr double kManyFlops = 1e9;  // a loop that is worth waking the team for
constexpr int kTeams[] = {1, 2, 5};

/// How often every chunk of one loop was called.
std::vector<int> calls_per_chunk(ThreadPool& pool, Index count) {
  std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
  pool.for_each_chunk(count, kManyFlops, [&](Index chunk) { ++calls.at(static_cast<std::size_t>(chunk)); });
  return {calls.begin(), calls.end()};
}

std::vector<int> once_each(Index count) { return std::vector<int>(static_cast<std::size_t>(count), 1); }

TEST(ThreadPool, CallsEveryChunkExactlyOnce) {
  for (const int threads : kTeams) {
    ThreadPool pool(threads);
    for (const Index count : {0, 1, 3, threads, threads + 1, 1000}) {
      SCOPED_TRACE(std::to_string(threads) + " threads, " + std::to_string(count) + " chunks");

      const std::vector<int> calls = calls_per_chunk(pool, count);

      EXPECT_EQ(calls, once_each(count));
    }
  }
}

TEST(ThreadPool, HasTheSizeThatWasAskedFor) {
  for (const int threads : kTeams) EXPECT_EQ(ThreadPool(threads).threads(), threads);
  EXPECT_EQ(ThreadPool().threads(), 1);
}

TEST(ThreadPool, ZeroThreadsTakeEveryCore) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());

  EXPECT_EQ(ThreadPool(0).threads(), std::max(1, cores));
}

TEST(ThreadPool, PutsTheWholeTeamToWorkOnALargeLoop) {
  for (const int threads : kTeams) {
    ThreadPool pool(threads);
    std::barrier everybody(threads);  // opens only when every thread holds a chunk at the same time
    std::atomic<int> passed = 0;

    pool.for_each_chunk(threads, kManyFlops, [&](Index) {
      everybody.arrive_and_wait();
      ++passed;
    });

    EXPECT_EQ(passed, threads);
  }
}

TEST(ThreadPool, RunsSmallLoopsAndSingleChunksInTheCallingThread) {
  ThreadPool pool(5);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> elsewhere = 0;
  const auto body = [&](Index) { elsewhere += static_cast<int>(std::this_thread::get_id() != caller); };

  for (int repeat = 0; repeat < 20; ++repeat) {
    pool.for_each_chunk(1000, 1.0, body);
    pool.for_each_chunk(1, kManyFlops, body);
  }

  EXPECT_EQ(elsewhere, 0);
}

TEST(ThreadPool, PassesAnExceptionToTheCallerAndStaysUsable) {
  for (const int threads : kTeams) {
    ThreadPool pool(threads);
    for (const Index bad : {0, 1, 49, 99}) {
      SCOPED_TRACE(std::to_string(threads) + " threads, chunk " + std::to_string(bad));
      const auto body = [&](Index chunk) {
        if (chunk == bad) throw std::runtime_error("chunk " + std::to_string(chunk));
      };

      try {
        pool.for_each_chunk(100, kManyFlops, body);
        ADD_FAILURE() << "no exception";
      } catch (const std::runtime_error& error) {
        EXPECT_EQ(std::string(error.what()), "chunk " + std::to_string(bad));
      }

      EXPECT_EQ(calls_per_chunk(pool, 100), once_each(100));
    }
  }
}

TEST(ThreadPool, CallsNoChunkTwiceWhenOneThrows) {
  for (const int threads : kTeams) {
    ThreadPool pool(threads);
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::vector<std::atomic<int>> calls(100);
      const auto body = [&](Index chunk) {
        ++calls.at(static_cast<std::size_t>(chunk));
        if (chunk == 10) throw std::domain_error("tenth");
      };

      EXPECT_THROW(pool.for_each_chunk(100, kManyFlops, body), std::domain_error);

      EXPECT_LE(*std::max_element(calls.begin(), calls.end()), 1);
      EXPECT_EQ(calls[10], 1);
    }
  }
}

TEST(ThreadPool, PassesOneExceptionWhenEveryChunkThrows) {
  for (const int threads : kTeams) {
    ThreadPool pool(threads);
    for (int repeat = 0; repeat < 50; ++repeat) {
      EXPECT_THROW(pool.for_each_chunk(20, kManyFlops, [](Index) { throw std::domain_error("each"); }),
                   std::domain_error);
    }

    EXPECT_EQ(calls_per_chunk(pool, 20), once_each(20));
  }
}

TEST(ThreadPool, PassesAnExceptionOfASmallLoop) {
  ThreadPool pool(5);

  EXPECT_THROW(pool.for_each_chunk(3, 1.0, [](Index) { throw std::domain_error("small"); }),
               std::domain_error);

  EXPECT_EQ(calls_per_chunk(pool, 3), once_each(3));
}

struct Stopped : std::runtime_error {
  Stopped() : std::runtime_error("stopped") {}
};

TEST(ThreadPool, AsksTheInterruptInTheCallingThreadAlone) {
  const std::thread::id caller = std::this_thread::get_id();
  for (const int threads : kTeams) {
    int asked = 0;
    ThreadPool pool(threads, [&] {
      ++asked;
      EXPECT_EQ(std::this_thread::get_id(), caller);
    });

    EXPECT_EQ(calls_per_chunk(pool, 1000), once_each(1000));
    asked = 0;
    pool.for_each_chunk(7, 1.0, [](Index) {});
    EXPECT_EQ(asked, 7);
    pool.look();
    EXPECT_EQ(asked, 8);
  }
}

TEST(ThreadPool, EndsALoopWhenTheInterruptThrowsAndStaysUsable) {
  for (const int threads : kTeams) {
    for (const double flops : {1.0, kManyFlops}) {
      bool stop = true;
      ThreadPool pool(threads, [&] {
        if (stop) throw Stopped();
      });
      std::atomic<Index> called = 0;
      const auto body = [&](Index) { ++called; };
      constexpr Index kEndless = Index{1} << 50U;

      EXPECT_THROW(pool.for_each_chunk(kEndless, flops, body), Stopped);
      EXPECT_THROW(pool.look(), Stopped);

      EXPECT_LT(called, kEndless);
      stop = false;
      EXPECT_EQ(calls_per_chunk(pool, 100), once_each(100));
    }
  }
}

/// A chunk that would never end, in one thread of the team, looks out for the end of its loop; the interrupt
/// throws when the other chunks are done, while the caller waits.
TEST(ThreadPool, EndsALongChunkOfAnotherThread) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> endless_begun = false;
  ThreadPool pool(2, [&] {
    if (endless_begun) throw Stopped();
  });
  const auto body = [&](Index) {
    if (std::this_thread::get_id() == caller) {
      while (!endless_begun) std::this_thread::yield();
      return;
    }
    endless_begun = true;
    while (true) pool.look();
  };

  EXPECT_THROW(pool.for_each_chunk(2, kManyFlops, body), Stopped);

  endless_begun = false;
  EXPECT_EQ(calls_per_chunk(pool, 100), once_each(100));
}

TEST(ThreadPool, IsSmallerWhereTheSystemRefusesThreads) {
  std::optional<ThreadPool> pool;
  {
    const MemoryLimit limit(rlim_t{100} << 20U);  // room for a dozen stacks
    if (!limit.in_force()) GTEST_SKIP() << "no limit is possible under sanitizers";
    pool.emplace(4096);
  }

  EXPECT_LT(pool->threads(), 4096);
  EXPECT_EQ(calls_per_chunk(*pool, 100), once_each(100));
}

TEST(ThreadPool, RunsManyLoopsInARow) {
  for (const int threads : kTeams) {
    ThreadPool pool(threads);
    std::atomic<Index> sum = 0;

    for (int loop = 0; loop < 1000; ++loop) {
      pool.for_each_chunk(7, kManyFlops, [&](Index chunk) { sum += chunk; });
      ASSERT_EQ(sum, 21 * (loop + 1));  // every loop has ended when the call returns
    }
  }
}

TEST(ThreadPool, WorksBesideAnotherPool) {
  std::vector<int> calls[2];
  const auto work = [&](std::size_t which) {
    ThreadPool pool(which == 0 ? 2 : 3);
    std::vector<std::atomic<int>> mine(13);
    for (int loop = 0; loop < 200; ++loop) {
      pool.for_each_chunk(13, kManyFlops, [&](Index chunk) { ++mine.at(static_cast<std::size_t>(chunk)); });
    }
    calls[which].assign(mine.begin(), mine.end());
  };

  std::thread first(work, 0);
  std::thread second(work, 1);
  first.join();
  second.join();

  EXPECT_EQ(calls[0], std::vector<int>(13, 200));
  EXPECT_EQ(calls[1], std::vector<int>(13, 200));
}

TEST(Chunks, CoverTheRangeWithoutGapOrOverlap) {
  constexpr Index kHuge = (Index{1} << 40U) + 1;
  for (const Index size : {Index{0}, Index{1}, Index{2}, Index{63}, Index{64}, Index{65}, Index{1023},
                           Index{16384}, Index{16385}, Index{1000003}, kHuge}) {
    for (const Index grain : {-1, 0, 1, 7, 64, 5000}) {
      for (const Index max_count : {1, 16, 255, 1024}) {
        SCOPED_TRACE(testing::Message() << size << " items, grain " << grain << ", at most " << max_count);

        const Chunks chunks(size, grain, max_count);

        ASSERT_LE(chunks.count(), max_count);
        Index reached = 0;
        Index largest = 0;
        for (Index chunk = 0; chunk < chunks.count(); ++chunk) {
          ASSERT_EQ(chunks.begin(chunk), reached);
          ASSERT_LT(chunks.begin(chunk), chunks.end(chunk));
          reached = chunks.end(chunk);
          largest = std::max(largest, reached - chunks.begin(chunk));
          ASSERT_TRUE(reached == size || reached - chunks.begin(chunk) >= grain);
        }
        EXPECT_EQ(reached, size);
        EXPECT_EQ(chunks.largest(), largest);
      }
    }
  }
}

TEST(Chunks, OfFactorRowsHoldAtLeast64RowsAndNumberAtMost1024) {
  EXPECT_EQ(row_chunks(0).count(), 0);
  EXPECT_EQ(row_chunks(1).count(), 1);
  EXPECT_EQ(row_chunks(64).count(), 1);
  EXPECT_EQ(row_chunks(65).count(), 2);
  EXPECT_EQ(row_chunks(64 * 1024).count(), 1024);
  EXPECT_EQ(row_chunks(64 * 1024 + 1).count(), 1009);  // of 65 rows
}

TEST(Chunks, AreTheSameForAnyNumberOfThreads) {
  std::vector<std::vector<Index>> bounds;
  for (const int threads : kTeams) {
    ThreadPool pool(threads);
    const Chunks chunks(100003, 64, 256);
    std::vector<Index> ends(static_cast<std::size_t>(chunks.count()));
    pool.for_each_chunk(chunks.count(), kManyFlops,
                        [&](Index chunk) { ends[static_cast<std::size_t>(chunk)] = chunks.end(chunk); });
    bounds.push_back(ends);
  }

  EXPECT_EQ(bounds[1], bounds[0]);
  EXPECT_EQ(bounds[2], bounds[0]);
}

TEST(PartialSums, AddUpInChunkOrder) {
  PartialSums<2> sums(3);
  sums.at(0)[0] = 1e16;
  sums.at(1)[0] = 1;  // lost beside 1e16, as it must be in this order
  sums.at(2)[0] = -1e16;
  for (Index chunk = 0; chunk < 3; ++chunk) sums.at(chunk)[1] = 0.5;

  const std::vector<double> total = sums.total();

  EXPECT_EQ(total, (std::vector<double>{0, 1.5}));
}

TEST(PartialSums, AreZeroWithoutChunks) {
  EXPECT_EQ(PartialSums<3>(0).total(), (std::vector<double>{0, 0, 0}));
}

}  // namespace
}  // namespace anmf::test::thread_pool_test
