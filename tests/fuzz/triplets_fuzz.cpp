// SPDX-License-Identifier: MIT
// The bytes are lines ROW COLUMN VALUE, perhaps with times.
#include "fuzz_checks.h"

using namespace anmf;
using namespace anmf::io_fuzz;

namespace {

template <class T>
void check_named(const io::NamedTriplets<T>& read) {
  check(read.triplets);
  require(static_cast<Index>(read.names.rows.size()) == read.triplets.rows, "a wrong number of rows");
  require(static_cast<Index>(read.names.cols.size()) == read.triplets.cols, "a wrong number of columns");
  check_names(read.names.rows, read.triplets.rows);
  check_names(read.names.cols, read.triplets.cols);
}

}  // namespace

ANMF_FUZZ_TARGET(triplets) {
  const std::filesystem::path path = written("u.data", as_text(data, size));
  may_refuse([&] { check_named(io::read_triplets<double>(path)); });
  may_refuse([&] { check_named(io::read_triplets<float>(path)); });
  check_load(path);
  return 0;
}
