// SPDX-License-Identifier: MIT
#include "anmf/trace_columns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "anmf/io.h"
#include "io/npz_writer.h"
#include "support/files_and_messages.h"
#include "support/members.h"

namespace anmf::test::trace_columns_test {
namespace {

namespace fs = std::filesystem;

const IterationRecord kRecord{.iteration = 3,
                              .seconds = 0.5,
                              .flops = 1e9,
                              .error = 4,
                              .relative_error = 0.25,
                              .penalty = 2,
                              .inner_w = 5,
                              .inner_h = 6,
                              .compressed_iterations = 7,
                              .promised_decrease = 0.125,
                              .kkt = 0.5,
                              .heldout = 9};

constexpr double kNotLooked = std::numeric_limits<double>::quiet_NaN();

/// NaN is the same as NaN here.
void expect_same(const std::vector<double>& actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < actual.size(); ++k) {
    EXPECT_TRUE(actual[k] == expected[k] || (std::isnan(actual[k]) && std::isnan(expected[k]))) << k;
  }
}

std::vector<double> numbers_of(const IterationRecord& record) {
  std::vector<double> numbers;
  for (const TraceColumn& column : trace_columns())
    numbers.push_back(with_number(column, record, [](auto number) { return static_cast<double>(number); }));
  return numbers;
}

TEST(TraceColumns, ShowEveryMemberOfARecordTheObjectiveAndTheDivergence) {
  EXPECT_EQ(trace_columns().size(), count_members<IterationRecord>() + 2);
  std::string names;
  for (const TraceColumn& column : trace_columns()) {
    names += fmt::format("{}{} ", column.name, column.is_count() ? "*" : "");
    EXPECT_FALSE(column.meaning.empty());
  }
  EXPECT_EQ(names,
            "iteration* seconds flops error relative_error inner_w* inner_h* penalty objective "
            "compressed_iterations* promised_decrease kkt divergence heldout ");
  EXPECT_EQ(numbers_of(kRecord),
            (std::vector<double>{3, 0.5, 1e9, 4, 0.25, 5, 6, 2, 10, 7, 0.125, 0.5, 8, 9}));
}

class SavedTrace : public testing::Test {
 protected:
  SavedTrace() { fs::create_directories(folder_); }
  ~SavedTrace() override { fs::remove_all(folder_); }

  /// A checkpoint with nothing but this trace.
  void write(std::string_view format, std::string_view names, const Matrix<double>& trace) const {
    io::NpzWriter archive(path_, path_);
    archive.add_text("format.txt", format);
    archive.add_text("run.txt", "");
    if (!names.empty()) archive.add_text("trace.txt", names);
    archive.add("trace", trace.view());
    archive.close();
  }
  [[nodiscard]] std::vector<double> read() const {
    return numbers_of(io::read_checkpoint<double>(path_).trace.at(0));
  }

  fs::path folder_ = fs::path(testing::TempDir()) / fmt::format("anmf_saved_trace_{}", ::getpid());
  fs::path path_ = folder_ / "checkpoint.npz";
};

TEST_F(SavedTrace, ComesBack) {
  Checkpoint<double> checkpoint;
  checkpoint.trace = {kRecord, kRecord};
  io::write_checkpoint<double>(path_, checkpoint, "");
  EXPECT_EQ(read(), numbers_of(kRecord));
}

TEST_F(SavedTrace, OfTheFormerFormatIsRead) {
  Matrix<double> row(1, 8);
  const double numbers[] = {3, 0.5, 1e9, 4, 0.25, 2, 5, 6};  // the penalty before the inner iterations
  std::copy(std::begin(numbers), std::end(numbers), row.data());
  write("anmf checkpoint 2\n", "", row);
  IterationRecord known = kRecord;
  known.compressed_iterations = 0;
  known.promised_decrease = known.kkt = known.heldout = kNotLooked;
  expect_same(read(), numbers_of(known));
}

TEST_F(SavedTrace, IsReadByTheNamesOfItsColumns) {
  Matrix<double> row(1, 3);
  row(0, 0) = 7;
  row(0, 1) = 8;
  row(0, 2) = 9;
  write("anmf checkpoint 3\n", "temperature,error,iteration", row);
  expect_same(read(), {9, 0, 0, 8, 0, 0, 0, 0, 32, 0, kNotLooked, kNotLooked, 32, kNotLooked});

  row(0, 2) = 1e300;
  for (const std::string_view names : {"temperature,error,iteration", "error,iteration", "a,a,iteration"}) {
    write("anmf checkpoint 3\n", names, row);
    EXPECT_EQ(io_test::message_of<InvalidInput>([&] { (void)read(); }),
              path_.string() + ": its trace is damaged.");
  }
}

}  // namespace
}  // namespace anmf::test::trace_columns_test
