// SPDX-License-Identifier: MIT
// Damaged files: whatever bytes they hold, a reader either reads them or throws one of the two documented
// exceptions, and never asks for much more memory than the file can fill.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "anmf/io.h"
#include "support/files_and_messages.h"
#include "support/memory_limit.h"
#include "support/zip_writer.h"

namespace anmf::io::mutation_test {
namespace {

using io_test::gzip;
using io_test::npy;
using io_test::stored;
using io_test::zip_archive;
namespace fs = std::filesystem;

// A file in memory with a path, since thousands of files on a disk take minutes.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("mutant", MFD_CLOEXEC)) {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }

  /// Replaces the content and returns the path.
  [[nodiscard]] fs::path holding(std::string_view bytes) const {
    const bool written = ftruncate(descriptor_, 0) == 0 && pwrite(descriptor_, bytes.data(), bytes.size(),
                                                                  0) == static_cast<ssize_t>(bytes.size());
    if (!written) throw std::runtime_error("no file in memory");
    return "/proc/self/fd/" + std::to_string(descriptor_);
  }

 private:
  int descriptor_;
};

enum class Outcome { kRead, kRefused };

Outcome read_npy_file(const fs::path& path) {
  try {
    static_cast<void>(read_npy<double>(path));
    static_cast<void>(read_npy<float>(path));
  } catch (const InvalidInput&) {
    return Outcome::kRefused;
  } catch (const IoError&) {
    return Outcome::kRefused;
  }
  return Outcome::kRead;
}

Outcome read_market_file(const fs::path& path) {
  try {
    if (matrix_market_is_dense(path)) {
      static_cast<void>(read_matrix_market_array<double>(path));
    } else {
      static_cast<void>(read_matrix_market<float>(path));
    }
  } catch (const InvalidInput&) {
    return Outcome::kRefused;
  } catch (const IoError&) {
    return Outcome::kRefused;
  }
  return Outcome::kRead;
}

std::vector<std::string> npy_files() {
  const std::string data(96, '\x3f');
  return {
      npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }\n", data),
      npy("{'descr': '>i2', 'fortran_order': True, 'shape': (8, 6), }\n", data, 2),
      npy("{'descr': '|u1', 'fortran_order': True, 'shape': (96, 1), }\n", data, 3),
  };
}

Outcome load_file(const fs::path& path) {
  try {
    static_cast<void>(load<double>(path));
  } catch (const InvalidInput&) {
    return Outcome::kRefused;
  } catch (const IoError&) {
    return Outcome::kRefused;
  }
  return Outcome::kRead;
}

std::vector<std::string> npz_files() {
  const auto array = [](const std::string& descr, const std::string& shape, std::string_view data) {
    return npy("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n", data);
  };
  std::vector<std::string> archives;
  for (const bool deflated : {false, true}) {
    archives.push_back(zip_archive({{"a.npy", npy_files()[0], deflated}}));
    archives.push_back(
        zip_archive({{"format.npy", array("|S3", "()", "csr"), deflated},
                     {"shape.npy", array("<i4", "(2,)", stored<std::int32_t>({2, 3})), deflated},
                     {"data.npy", array("|u1", "(3,)", "\1\2\3"), deflated},
                     {"indices.npy", array("|u1", "(3,)", std::string_view("\0\2\1", 3)), deflated},
                     {"indptr.npy", array("|u1", "(3,)", std::string_view("\0\2\3", 3)), deflated}}));
  }
  return archives;
}

std::vector<std::string> market_files() {
  const std::string banner = "%%MatrixMarket matrix ";
  std::vector<std::string> texts = {
      banner + "coordinate real general\n% c\n\n3 4 3\n1 1 1.5\n3 4 2e-1\n2 2 +4\n",
      banner + "coordinate pattern symmetric\r\n3 3 3\r\n1 1\r\n2 1\r\n3 3\r\n",
      banner + "array integer general\n2 3\n1\n2\n3\n4\n5\n6\n",
      banner + "array real symmetric\n3 3\n1\n2\n3\n4\n5\n6e2\n",
  };
  const std::size_t plain = texts.size();
  for (std::size_t i = 0; i < plain; ++i) texts.push_back(gzip(texts[i]));
  return texts;
}

// A few changes of the kinds that damage, carelessness and malice make: other bytes, lost bytes, repeated
// bytes, and long runs of digits where a size may stand.
std::string mutate(std::string bytes, std::mt19937& random) {
  const auto changes = 1 + random() % 3;
  for (auto i = changes; i > 0 && !bytes.empty(); --i) {
    const std::size_t at = random() % bytes.size();
    switch (random() % 5) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        break;
      case 1:
        bytes[at] = static_cast<char>(random() % 256);
        break;
      case 2:
        bytes.erase(at, 1 + random() % 4);
        break;
      case 3:
        bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 16));
        break;
      default:
        bytes.insert(at, std::string(1 + random() % 20, '9'));
    }
  }
  return bytes;
}

// With sanitizers the fuzz targets do this at length (tests/fuzz).
#ifdef ANMF_SAMPLE_SLOW_TESTS
constexpr int kShareOfMutants = 10;
#else
constexpr int kShareOfMutants = 1;
#endif

template <class Read>
void check_mutants(const std::vector<std::string>& originals, int mutants_each, const Read& read) {
  const MemoryFile file;
  const test::MemoryLimit limit(rlim_t{256} << 20);
  std::mt19937 random(20240229);  // NOLINT(cert-msc51-cpp): the same mutants in every run
  for (const std::string& original : originals) {
    ASSERT_EQ(read(file.holding(original)), Outcome::kRead);
    for (std::size_t size = 0; size < original.size(); ++size) {
      ASSERT_NO_THROW(read(file.holding(original.substr(0, size)))) << "cut to " << size;
    }
    for (int i = 0; i < mutants_each / kShareOfMutants; ++i) {
      const std::string mutant = mutate(original, random);
      ASSERT_NO_THROW(read(file.holding(mutant))) << testing::PrintToString(mutant);
    }
  }
}

TEST(DamagedFiles, NeverHarmTheNpyReader) { check_mutants(npy_files(), 1500, read_npy_file); }

TEST(DamagedFiles, NeverHarmTheMatrixMarketReader) { check_mutants(market_files(), 700, read_market_file); }

TEST(DamagedFiles, NeverHarmTheNpzReader) { check_mutants(npz_files(), 700, load_file); }

TEST(DamagedFiles, NeverHarmTheReaderOfTables) {
  check_mutants({"a,\"b \"\"c\"\"\",d\nr,1,2.5\ns,3,4e2\n", "1\t2\n\n3\t4\n", gzip("# x\n1 2 3\n4 5 6\n")},
                1500, load_file);
}

TEST(DamagedFiles, NeverHarmTheReadersOfSparseText) {
  const auto reading = [](const auto& read) {
    return [&read](const fs::path& path) {
      try {
        static_cast<void>(read(path));
      } catch (const InvalidInput&) {
        return Outcome::kRefused;
      }
      return Outcome::kRead;
    };
  };
  const std::string svmlight = "1 qid:2 1:2 3:1.5e1 # x\n-1 2:4\n";
  const std::string cluto = "2 3 3\n1 2 3 1.5\n2 4\n";
  const std::string bag = "2\n3\n2\n1 1 2\n2 3 1\n";
  const std::string triplets = "9\t7\t3\t881250949\n8\t7\t2\t881250949\n";
  check_mutants({triplets, gzip(triplets)}, 1500, reading([](const std::filesystem::path& path) {
                  return read_triplets<double>(path).triplets;
                }));
  check_mutants({svmlight, gzip(svmlight)}, 1500, reading(read_svmlight<double>));
  check_mutants({cluto, gzip(cluto)}, 1500, reading(read_cluto<float>));
  check_mutants({bag, gzip(bag)}, 1500, reading(read_bag_of_words<double>));
}

TEST(DamagedFiles, AreNeverReadIfAnyByteOfANpyFileIsMissing) {
  const MemoryFile file;
  for (const std::string& original : npy_files()) {
    for (std::size_t size = 0; size < original.size(); ++size) {
      EXPECT_EQ(read_npy_file(file.holding(original.substr(0, size))), Outcome::kRefused) << size;
    }
  }
}

}  // namespace
}  // namespace anmf::io::mutation_test
