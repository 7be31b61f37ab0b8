// SPDX-License-Identifier: MIT
// Whatever a run holds, it stays within the limit that the program itself recommends.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program.h"

namespace anmf::test {
namespace {

struct Configuration {
  std::string name;
  std::string matrix;
  Arguments options;
  std::string rank = "20";
};

void PrintTo(const Configuration& configuration, std::ostream* out) { *out << configuration.name; }

/// Long sides of 20000 at rank 20: one more copy of a factor is 3.2 MB, a tenth of the smallest limit.
class MemoryPeak : public ProgramTest, public testing::WithParamInterface<Configuration> {
 protected:
  static constexpr Index kLong = 20'000;
  static constexpr Index kShort = 120;

  /// The same lines again and again. The tests themselves stay small: a process that is started inherits the
  /// peak of the one that starts it.
  void write_dense(const std::string& name, Index lines, Index width, bool by_columns = false) const {
    const Index different = 1 + 20'000 / width;
    const Matrix<double> random = random_matrix(different, width, 5);
    std::string header =
        fmt::format("{{'descr': '<f8', 'fortran_order': {}, 'shape': ({}, {}), }}",
                    by_columns ? "True" : "False", by_columns ? width : lines, by_columns ? lines : width);
    header.resize(117, ' ');
    std::ofstream out(file(name), std::ios::binary);
    out << std::string_view("\x93NUMPY\1\0\x76\0", 10) << header << '\n';
    for (Index i = 0; i < lines; ++i)
      out.write(reinterpret_cast<const char*>(random.view().row(i % different)),
                static_cast<std::streamsize>(8 * width));
  }

  /// Ten entries in every row.
  void write_sparse(const std::string& name, Index rows, Index cols) const {
    const Matrix<double> random = random_matrix(rows, 10, 6);
    Csr<double> M{rows, cols, {0}, {}, {}};
    for (Index i = 0; i < rows; ++i) {
      for (Index k = 0; k < 10; ++k) {
        const double place = static_cast<double>(k) + random(i, k);
        M.indices.push_back(static_cast<std::uint32_t>(place * static_cast<double>(cols) / 10));
        M.values.push_back(0.5 + random(i, k));
      }
      M.offsets.push_back(static_cast<Index>(M.values.size()));
    }
    io::save(file(name), io::view_of(M));
  }

  void write_matrix(const std::string& name) const {
    if (name == "tall.npy") write_dense(name, kLong, kShort);
    if (name == "wide.npy") write_dense(name, kShort, kLong);
    if (name == "thin.npy") write_dense(name, 8 * kLong, 20);
    if (name.starts_with("sparse.")) write_sparse(name, kLong, 1000);
    if (name.starts_with("square.")) write_sparse(name, 4000, 3000);
    if (name == "columns.npy") write_dense(name, kShort, kLong, true);
  }

  /// The limit that the program names when there is too little, in bytes.
  [[nodiscard]] double recommended(const Arguments& run) const {
    const std::string complaint = ProgramTest::complaint(2, run + Arguments{"--memory", "1M"});
    constexpr std::string_view kBefore = "limit of ";
    const std::size_t at = complaint.find(kBefore);
    EXPECT_NE(at, std::string::npos) << complaint;
    std::size_t digits = 0;
    const double number = std::stod(complaint.substr(at + kBefore.size()), &digits);
    EXPECT_EQ(complaint.substr(at + kBefore.size() + digits, 4), " MB ") << complaint;
    return 1e6 * number;
  }
};

TEST_P(MemoryPeak, IsWithinTheRecommendedLimit) {
#ifdef ANMF_SAMPLE_SLOW_TESTS
  GTEST_SKIP() << "A sanitizer takes several times the memory of the program.";
#endif
  const Configuration& given = GetParam();
  write_matrix(given.matrix);
  const bool explores = given.name.starts_with("explore");
  Arguments run = {"factorize", given.matrix, "--rank", given.rank, "--tolerance",
                   "0",         "--quiet",    "--out",  "out"};
  // What is held does not grow from one sweep to the next.
  run = run + (explores ? Arguments{"--max-iterations", "70"}
                        : Arguments{"--max-iterations", "3", "--max-inner-iterations", "3"});
  run = run + given.options;
  if (given.name.starts_with("given")) {
    ASSERT_EQ(anmf(run + Arguments{"--method", "hals"}).exit_code, 0);
    run = run + Arguments{"--init-w", "out/W.npy", "--init-h", "out/H.npy"};
  }
  const double limit = recommended(run);
  if (given.name.starts_with("resumed")) {
    ASSERT_EQ(anmf(run).exit_code, 0);
    run = {"factorize", "--resume", "out", "--max-iterations", "6", "--quiet"};
  }

  const Outcome outcome = anmf(run + Arguments{"--memory", std::to_string(static_cast<Index>(limit))});

  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_LE(outcome.peak_bytes, 1.02 * limit);
  const auto json = read_json(file("out/run.json"));
  if (given.matrix.ends_with(".npy")) {
    EXPECT_TRUE(json.contains("stream"));
  }
  if (explores) {
    EXPECT_GE(json["explorations"], 1);
  }
}

std::vector<Configuration> configurations() {
  std::vector<Configuration> all;
  const auto add = [&](const std::string& name, const std::string& matrix, const Arguments& options) {
    const std::string kind = matrix.substr(0, matrix.find('.'));
    const std::string format = matrix.starts_with("sparse.") ? "_" + matrix.substr(7) : "";
    all.push_back({name + "_" + kind + format, matrix, options});
  };
  const std::vector<std::pair<std::string, std::string>> methods = {
      {"mu", "mu"},     {"a_mu", "a-mu"}, {"hals", "hals"},     {"a_hals", "a-hals"},     {"pg", "pg"},
      {"a_pg", "a-pg"}, {"anls", "anls"}, {"e_a_mu", "e-a-mu"}, {"e_a_hals", "e-a-hals"}, {"auto", "auto"}};
  for (const auto& [name, method] : methods) {
    add(name + "_W", "tall.npy", {"--method", method, "--threads", "4"});
    add(name + "_H", "wide.npy", {"--method", method, "--first", "H", "--threads", "1"});
    add(name + "_H", "tall.npy", {"--method", method, "--first", "H", "--threads", "1"});
    add(name, "sparse.anmf", {"--method", method, "--threads", "4"});
  }
  for (const std::string init : {"random", "nndsvd", "nndsvda", "nndsvdar", "spa"}) {
    add(init, "tall.npy", {"--init", init, "--method", "hals"});
    add(init + "_auto", "wide.npy", {"--init", init});
    add(init, "sparse.h5ad", {"--init", init});
  }
  for (const std::string matrix : {"tall.npy", "wide.npy"}) {
    add("shuffle_hals", matrix, {"--shuffle", "--method", "hals"});
    add("shuffle_a_hals", matrix, {"--shuffle", "--method", "a-hals"});
    add("checkpoints", matrix, {"--checkpoint-every", "0"});
    add("checkpoints_hals", matrix, {"--checkpoint-every", "0", "--method", "hals"});
    add("resumed", matrix, {"--checkpoint-every", "0"});
    add("normalised", matrix, {"--normalize", "l2", "--sort-components", "--method", "hals"});
    add("transposed", matrix, {"--transpose"});
    add("given", matrix, {});
    add("float32", matrix, {"--precision", "float32"});
    add("float32_nndsvd", matrix, {"--precision", "float32", "--init", "nndsvd", "--compress", "on"});
    add("blocks", matrix, {"--method", "a-hals", "--inner-stop", "block", "--no-report"});
    add("compressed", matrix, {"--compress", "on", "--threads", "4"});
  }
  // Other losses look at entries: rows that are improved while they are read, and sums over all blocks.
  for (const auto& [name, method] : std::vector<std::pair<std::string, std::string>>{
           {"e_ccd", "e-ccd"}, {"e_spn", "e-spn"}, {"a_mu", "a-mu"}}) {
    const Arguments kl = {"--loss", "kl", "--method", method};
    add("kl_" + name, "tall.npy", kl + Arguments{"--threads", "4"});
    add("kl_" + name, "wide.npy", kl + Arguments{"--threads", "1"});
    add("kl_" + name, "columns.npy", kl);
    add("kl_" + name, "sparse.anmf", kl + Arguments{"--threads", "4"});
    add("kl_" + name, "sparse.npz", kl);
  }
  add("beta", "tall.npy", {"--loss", "1.5"});
  add("beta", "sparse.anmf", {"--loss", "1.5"});
  add("kl_float32", "tall.npy", {"--loss", "kl", "--precision", "float32"});
  add("kl_checkpoints", "wide.npy", {"--loss", "kl", "--checkpoint-every", "0"});
  add("auto", "columns.npy", {});
  add("hals", "columns.npy", {"--method", "hals"});
  add("auto", "sparse.h5ad", {});
  add("checkpoints", "sparse.h5ad", {"--checkpoint-every", "0", "--shuffle"});
  add("in_memory", "sparse.npz", {"--method", "hals"});
  add("in_memory_nndsvd", "sparse.npz", {"--init", "nndsvd", "--checkpoint-every", "0"});
  // A small matrix whose bound takes more than its run.
  add("in_memory_bound", "square.npz", {"--method", "hals", "--threads", "8"});
  all.back().rank = "60";
  add("explore", "thin.npy", {"--explore", "on"});
  all.back().rank = "2";
  add("explore_checkpoints", "thin.npy",
      {"--explore", "on", "--checkpoint-every", "0", "--method", "e-a-hals"});
  all.back().rank = "2";
  return all;
}

INSTANTIATE_TEST_SUITE_P(Runs, MemoryPeak, testing::ValuesIn(configurations()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace anmf::test
