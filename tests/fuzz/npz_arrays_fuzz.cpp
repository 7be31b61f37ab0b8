// SPDX-License-Identifier: MIT
// The bytes are the members of a zip archive with right checksums, ===== between them: of each the first line
// is the name.
#include "../support/zip_writer.h"
#include "fuzz_checks.h"

using namespace anmf;
using namespace anmf::io_fuzz;

ANMF_FUZZ_TARGET(npz_arrays) {
  std::vector<io_test::ZipEntry> entries;
  for (const std::string_view part : parts(as_text(data, size))) {
    const std::size_t end = part.find('\n');
    if (end == std::string_view::npos || entries.size() == 8) return -1;
    entries.push_back(
        {.name = std::string(part.substr(0, end)) + ".npy", .bytes = std::string(part.substr(end + 1))});
  }
  const std::filesystem::path path = written("x.npz", io_test::zip_archive(entries));
  may_refuse([&] { check(io::read_npz_sparse<float>(path)); });
  check_load(path);
  may_refuse([&] { check(io::load<double>(path.string() + "::data")); });
  return 0;
}
