// SPDX-License-Identifier: MIT
// Parts of the program that can be looked at alone: the swimmer, the montage, the text of the live line and
// what is told about a stream.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "montage.h"
#include "option_helpers.h"
#include "progress.h"
#include "streaming.h"
#include "swimmer.h"

namespace anmf::cli {
namespace {

TEST(Swimmer, PartsShareNoPixelAndNoneIsEmpty) {
  const auto parts = swimmer_parts();

  ASSERT_EQ(parts.size(), 17U);
  Matrix<double> cover(32, 32);
  for (const Matrix<double>& part : parts) {
    double ink = 0;
    for (Index pixel = 0; pixel < part.size(); ++pixel) {
      cover.data()[pixel] += part.data()[pixel];
      ink += part.data()[pixel];
    }
    EXPECT_GE(ink, 15);
  }
  for (const double times : cover.values()) EXPECT_LE(times, 1);
}

TEST(Swimmer, KeepsAMarginOfOnePixel) {
  const Matrix<double> M = swimmer_matrix();

  for (Index image = 0; image < M.cols(); ++image) {
    for (Index k = 0; k < 32; ++k) {
      EXPECT_EQ(M(k, image) + M(Index{31} * 32 + k, image) + M(k * 32, image) + M(k * 32 + 31, image), 0);
    }
  }
}

TEST(Swimmer, ImagesAreAllDifferentSumsOfTheTorsoAndOnePositionOfEachLimb) {
  const Matrix<double> M = swimmer_matrix();
  const auto parts = swimmer_parts();

  ASSERT_EQ(M.rows(), 1024);
  ASSERT_EQ(M.cols(), 256);
  for (Index image = 0; image < 256; ++image) {
    // Limb l stands in position (image / 4^l) % 4.
    const auto j = static_cast<std::size_t>(image);
    const std::size_t shown[] = {0, 1 + j % 4, 5 + j / 4 % 4, 9 + j / 16 % 4, 13 + j / 64};
    for (Index pixel = 0; pixel < 1024; ++pixel) {
      double expected = 0;
      for (const std::size_t part : shown) expected += parts[part].data()[pixel];
      ASSERT_EQ(M(pixel, image), expected);
    }
  }
}

TEST(Montage, PutsTilesInAGridWithSeparators) {
  Matrix<double> dark(2, 3, 5.0);
  const Matrix<double> blank(2, 3);

  const Image image = montage({dark, blank, dark}, {.columns = 2, .zoom = 2, .separator = 1});

  EXPECT_EQ(image.width, 2 * (3 * 2 + 1) + 1);
  EXPECT_EQ(image.height, 2 * (2 * 2 + 1) + 1);
  const auto width = static_cast<std::size_t>(image.width);
  const auto at = [&](std::size_t x, std::size_t y) { return image.pixels[y * width + x]; };
  EXPECT_EQ(at(1, 1), at(6, 4));  // the first tile is all ink
  EXPECT_LT(at(1, 1), 64);        // which is dark
  EXPECT_EQ(at(8, 1), 255);       // the second is paper
  EXPECT_EQ(at(1, 6), at(1, 1));  // the third begins the second row
  EXPECT_EQ(at(8, 6), 255);       // the last cell has no tile
  EXPECT_EQ(at(0, 0), at(7, 3));  // separators all look the same
  EXPECT_NE(at(0, 0), 255);
}

TEST(Montage, ScalesEveryTileToItsOwnLargestEntry) {
  Matrix<double> faint(1, 2);
  faint(0, 0) = 1e-6;
  Matrix<double> strong(1, 2);
  strong(0, 0) = 1e6;

  const Image image = montage({faint, strong}, {.columns = 1, .zoom = 1, .separator = 0});

  EXPECT_EQ(image.pixels[0], image.pixels[2]);
  EXPECT_EQ(image.pixels[1], 255);
}

TEST(Montage, OfNothingIsEmpty) { EXPECT_EQ(montage({}, {}).width, 0); }

TEST(ProgressLine, FormatsDurationsForPeople) {
  EXPECT_EQ(format_duration(0.04), "0.0 s");
  EXPECT_EQ(format_duration(59.4), "59.4 s");
  EXPECT_EQ(format_duration(61.9), "1m 01s");
  EXPECT_EQ(format_duration(3600 * 2 + 60 * 5), "2h 05m");
  EXPECT_EQ(format_duration(86400.0 * 12), "12 days");
  EXPECT_EQ(format_duration(1e20), "1.16e+15 days");
}

TEST(ProgressLine, EtaIsTheNearestLimit) {
  Options options;
  options.max_iterations = 100;
  IterationRecord record;
  record.iteration = 25;
  record.seconds = 5;

  EXPECT_DOUBLE_EQ(seconds_to_limit(record, 10, options), 30);  // 75 more at 0.4 s
  options.time_limit = 8;
  EXPECT_DOUBLE_EQ(seconds_to_limit(record, 10, options), 6);  // 3 s of solver time, of which 1 s takes 2 s
  options.time_limit = 4;
  EXPECT_DOUBLE_EQ(seconds_to_limit(record, 10, options), 0);
}

TEST(ProgressLine, OfAResumedRunCountsWhatThisProcessDid) {
  const Options options{.max_iterations = 100, .time_limit = 9};
  const IterationRecord from{.iteration = 50, .seconds = 4};
  const IterationRecord record{.iteration = 60, .seconds = 5};
  // 40 more at 0.2 s; 4 s of solver time, of which 1 s takes 2 s
  EXPECT_DOUBLE_EQ(seconds_to_limit(record, 2, options, from), 8);
  EXPECT_EQ(progress_line(record, 2, options, from),
            "iteration 60/100 | relative error 0 | 5 it/s | 2.0 s | ETA 8.0 s");
  EXPECT_EQ(seconds_to_limit(from, 0, options, from), std::numeric_limits<double>::infinity());
}

TEST(ProgressLine, HasNoEtaBeforeTheFirstIteration) {
  EXPECT_EQ(seconds_to_limit({}, 0, {}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(progress_line({}, 0, {}), "iteration 0/500 | relative error 0 | 0.0 s");
}

TEST(ProgressLine, ShowsEverythingOnceThereIsAPace) {
  IterationRecord record;
  record.iteration = 250;
  record.relative_error = 0.125;

  EXPECT_EQ(progress_line(record, 5, {}),
            "iteration 250/500 | relative error 0.125 | 50 it/s | 5.0 s | ETA 5.0 s");
}

TEST(Stream, IsBoundByWhatTakesLongerDuringThePasses) {
  // 10 s in passes, of which 4.5 s without a block: 5.5 s of computing.
  StreamStatistics statistics{
      .passes = 12, .bytes = 36e9, .pass_seconds = 10, .reading_seconds = 5.6, .waiting_seconds = 4.5};
  const auto by_disk = describe_stream(statistics, {});
  EXPECT_EQ(by_disk["bound_by"], "disk");
  EXPECT_EQ(by_disk["seconds"], 10);
  EXPECT_EQ(by_disk["bytes_per_second"], 3.6e9);
  EXPECT_EQ(by_disk["reading_bytes_per_second"], 36e9 / 5.6);
  EXPECT_EQ(summarize_stream(by_disk),
            "12 passes over the file, 36 GB read at 3.6 GB/s, bound by the disk, which gives 6.43 GB/s");

  statistics.reading_seconds = 5.4;
  const auto by_computing = describe_stream(statistics, {});
  EXPECT_EQ(by_computing["bound_by"], "compute");
  EXPECT_EQ(summarize_stream(by_computing),
            "12 passes over the file, 36 GB read at 3.6 GB/s, bound by the computation; the disk gives "
            "6.67 GB/s");
}

TEST(HelpText, IsWrappedBetweenWords) {
  const std::string text = wrapped(std::string(60, 'a') + " bbbbbbb ccc");

  EXPECT_EQ(text, std::string(60, 'a') + " bbbbbbb\nccc");
  EXPECT_EQ(wrapped(""), "");
}

}  // namespace
}  // namespace anmf::cli
