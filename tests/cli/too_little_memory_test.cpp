// SPDX-License-Identifier: MIT
// A lack of memory is told with what it was for and what would help.
#include <sys/resource.h>

#include "input.h"
#include "program.h"

namespace anmf::test {
namespace {

namespace fs = std::filesystem;

class TooLittleMemory : public ProgramTest {};

/// Lets programs take so much memory and no more. Sanitizers reserve terabytes of addresses.
class AddressLimit {
 public:
  explicit AddressLimit(rlim_t bytes) {
    getrlimit(RLIMIT_AS, &old_);
    rlimit limit = old_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_AS, &limit);
  }
  AddressLimit(const AddressLimit&) = delete;
  AddressLimit& operator=(const AddressLimit&) = delete;
  ~AddressLimit() { setrlimit(RLIMIT_AS, &old_); }

 private:
  rlimit old_{};
};

TEST_F(TooLittleMemory, NamesTheFileAndWhatHelps) {
#ifdef ANMF_SAMPLE_SLOW_TESTS
  GTEST_SKIP() << "sanitizers need more addresses than any limit leaves";
#endif
  // 8 GB of zeros that take no room on the disk.
  io::write_npy<double>(file("large.npy"), Matrix<double>(1, 1).view());
  std::string header = read_text(file("large.npy")).substr(0, 128);
  const std::string larger = "(50000, 20000), }";
  const std::size_t at = header.find("(1, 1), }");
  ASSERT_NE(at, std::string::npos);
  header.replace(at, larger.size(), larger);
  write_text(file("large.npy"), header);
  fs::resize_file(file("large.npy"), 128 + 8'000'000'000);
  const AddressLimit limit(4'000'000'000);
  const auto factorize = [](const char* input, const char* rank) {
    return Arguments{"factorize", input, "--rank", rank, "--threads", "1", "--out", "out"};
  };
  EXPECT_EQ(complaint(3, factorize("large.npy", "2")),
            "anmf: not enough memory for the matrix in 'large.npy'; --precision float32 takes less; --memory "
            "leaves the matrix in its file.\n");
  EXPECT_EQ(complaint(3, {"transform", "large.npy", "--components", "M.npy", "--precision", "float32",
                          "--out", "out"}),
            "anmf: not enough memory for the matrix in 'large.npy'.\n");
  EXPECT_EQ(complaint(3, {"convert", "large.npy", "large.npz"}),
            "anmf: not enough memory for the matrix in 'large.npy'; --precision float32 takes less.\n");
  EXPECT_EQ(complaint(2, factorize("M.npy", "30000")),
            "anmf: not enough memory for the factors (30 x 30000 and 30000 x 20) and what goes with them; "
            "a smaller --rank and --precision float32 take less; --memory leaves the matrix in its file.\n");
}

TEST_F(TooLittleMemory, AdvisesToLeaveOnDiskWhatCanBeReadInBlocks) {
  write_text(file("S.mtx"), "%%MatrixMarket matrix coordinate real general\n3 4 1\n1 1 2\n");
  EXPECT_EQ(cli::memory_advice<float>("M", io::open(file("S.mtx")), cli::OnDisk::possible),
            " for M; anmf convert makes an .npy or .anmf file of it, where there is more memory if need be, "
            "and --memory leaves the matrix in that.");
  EXPECT_EQ(cli::memory_advice<float>("M", io::open(file("M.npy")), cli::OnDisk::possible),
            " for M; --memory leaves the matrix in its file.");
  EXPECT_EQ(cli::memory_advice<float>("M", io::open(file("M.npy")), cli::OnDisk::no), " for M.");
}

}  // namespace
}  // namespace anmf::test
