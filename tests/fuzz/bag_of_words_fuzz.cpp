// SPDX-License-Identifier: MIT
// The bytes are a bag of words, and behind ===== its vocabulary.
#include "fuzz_checks.h"

using namespace anmf;
using namespace anmf::io_fuzz;

ANMF_FUZZ_TARGET(bag_of_words) {
  const std::vector<std::string_view> files = parts(as_text(data, size));
  const std::filesystem::path path = written("docword.x.txt", files[0]);
  static_cast<void>(written("vocab.x.txt", files.size() > 1 ? files[1] : ""));
  may_refuse([&] { check(io::read_bag_of_words<double>(path)); });
  may_refuse([&] { check(io::read_bag_of_words<float>(path)); });
  check_load(path);
  return 0;
}
