// Factorizes one matrix by all ranks of an MPI job: mpirun -n 4 several_processes
#include <anmf/anmf.h>
#include <anmf/mpi/distributed_data.h>

#include <cstdio>
#include <memory>

namespace {

using anmf::Index;

constexpr Index kRows = 600;
constexpr Index kCols = 400;

/// Entry (i, j) of a matrix of rank 3, which every rank can make for itself.
double entry(Index i, Index j) {
  double sum = 0;
  for (Index p = 1; p <= 3; ++p) sum += static_cast<double>((i * p) % 7) * static_cast<double>((j + p) % 5);
  return sum;
}

void run() {
  const anmf::mpi::Communicator workers(MPI_COMM_WORLD);
  anmf::Options options;
  options.rank = 3;
  options.method = "e-a-hals";
  options.tolerance = 1e-6;

  // This rank's block of the matrix: nobody has all of it.
  const auto grid = anmf::mpi::choose_grid(
      workers.size(), {.rows = kRows, .cols = kCols, .nonzeros = kRows * kCols, .rank = options.rank});
  const anmf::RowRange rows = anmf::mpi::block_rows(grid, kRows, workers.rank());
  const anmf::RowRange cols = anmf::mpi::block_cols(grid, kCols, workers.rank());
  anmf::Matrix<double> block(rows.count, cols.count);
  for (Index i = 0; i < rows.count; ++i) {
    for (Index j = 0; j < cols.count; ++j) block(i, j) = entry(rows.begin + i, cols.begin + j);
  }
  std::unique_ptr<anmf::Data<double>> part;
  if (block.size() > 0) part = std::make_unique<anmf::DenseData<double>>(block.view());
  const anmf::mpi::DistributedData<double> data(workers, grid, kRows, kCols, std::move(part));

  // The same call on all ranks; each gets its rows of W and columns of H.
  anmf::mpi::MpiReducer reducer(workers);
  const auto result = anmf::factorize<double>(data, options, {}, nullptr, &reducer);
  if (workers.rank() == 0) {
    std::printf("%d ranks, %d x %d: %s\nrelative error %.1e\n", static_cast<int>(workers.size()),
                static_cast<int>(grid.rows), static_cast<int>(grid.cols), result.message.c_str(),
                result.relative_error);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run();
  MPI_Finalize();
}
