// SPDX-License-Identifier: MIT
#include "anmf/mpi/distributed_lines.h"

#include <utility>

namespace anmf::mpi {

template <class T>
DistributedLines<T>::DistributedLines(const Communicator& workers, Index rows, Index cols,
                                      std::unique_ptr<Data<T>> my_rows, std::unique_ptr<Data<T>> my_cols)
    : by_rows_(workers, ProcessGrid{workers.size(), 1}, rows, cols, std::move(my_rows)),
      by_cols_(workers, ProcessGrid{1, workers.size()}, rows, cols, std::move(my_cols)) {}

template class DistributedLines<float>;
template class DistributedLines<double>;

}  // namespace anmf::mpi
