// SPDX-License-Identifier: MIT
#include <ostream>
#include <string>

#include "anmf/io.h"
#include "io/npy_type.h"

namespace anmf::io {

template <class T>
void write_npy(const std::filesystem::path& path, const DenseRows<T>& matrix) {
  const std::string header = npy_header(npy_type<T>(), matrix.rows, matrix.cols);
  write_atomically(path, [&](std::ostream& out) {
    out.write(header.data(), static_cast<std::streamsize>(header.size()));
    matrix.for_each_block([&](ConstMatrixView<T> block) {
      const auto row_bytes = static_cast<std::streamsize>(block.cols * Index{sizeof(T)});
      for (Index i = 0; i < block.rows; ++i)
        out.write(reinterpret_cast<const char*>(block.row(i)), row_bytes);
    });
  });
}

template void write_npy<float>(const std::filesystem::path&, const DenseRows<float>&);
template void write_npy<double>(const std::filesystem::path&, const DenseRows<double>&);
template void write_npy<std::uint16_t>(const std::filesystem::path&, const DenseRows<std::uint16_t>&);
template void write_npy<std::uint8_t>(const std::filesystem::path&, const DenseRows<std::uint8_t>&);

}  // namespace anmf::io
