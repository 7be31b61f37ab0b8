// SPDX-License-Identifier: MIT
#include "shared_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "anmf/files.h"
#include "entries.h"
#include "failure.h"
#include "weighing.h"

namespace anmf::mpi {
namespace {

/// A file is read in pieces of about so many bytes.
constexpr double kReadBytes = 16e6;

bool is_empty(const io::Part& part) { return part.rows.count == 0 || part.cols.count == 0; }

/// About how many of the nonzeros of a file are in a part of it.
template <class T>
Index nonzeros_of(const BlockSource<T>& part, const BlockSource<T>& file) {
  if (!file.sparse()) return part.nonzeros();
  const bool by_rows = file.layout() == Layout::row_major;
  const auto width = static_cast<double>(by_rows ? file.cols() : file.rows());
  const double share = static_cast<double>(by_rows ? part.cols() : part.rows()) / width;
  return static_cast<Index>(static_cast<double>(file.nonzeros()) * share * cli::total_bytes(part) /
                            std::max(1.0, cli::total_bytes(file)));
}

std::vector<Index> places(RowRange range) {
  std::vector<Index> result(static_cast<std::size_t>(range.count));
  std::iota(result.begin(), result.end(), range.begin);
  return result;
}

/// A part of a matrix; no entries if it is empty.
template <class T>
io::LoadedMatrix<T> part_of(const io::LoadedMatrix<T>& matrix, const io::Part& part) {
  if (is_empty(part)) return {};
  return io::select(matrix, places(part.rows), places(part.cols));
}

/// Leaves nothing of a sparse part but its lines: those of a rank that has rows and columns are not asked for
/// the other side.
template <class T>
void keep_lines(io::LoadedMatrix<T>& part, Side side) {
  if (auto* const sparse = dynamic_cast<SparseData<T>*>(part.data.get())) sparse->keep_only(side);
}

/// The entries of `from` in the place of those of `matrix`.
template <class T>
void take_entries(io::LoadedMatrix<T>& matrix, io::LoadedMatrix<T>&& from) {
  matrix.data = std::move(from.data);
  matrix.entries = std::move(from.entries);
  matrix.dense = {};
}

/// Of a matrix in memory or in a file.
template <class Source>
ProblemSize size_of(const Source& M, Index rank) {
  return {.rows = M.rows(), .cols = M.cols(), .nonzeros = M.nonzeros(), .rank = rank};
}

/// Before anything is shared out by these sizes.
void agree_on_matrix(const Communicator& workers, const cli::InputArguments& arguments,
                     const ProblemSize& size, bool sparse) {
  const std::string kind = sparse ? fmt::format("sparse, {} nonzeros", size.nonzeros) : "dense";
  std::vector<Fact> facts = {{fmt::format("the matrix in '{}'", arguments.file),
                              fmt::format("{} x {} ({})", size.rows, size.cols, kind)}};
  std::vector<std::string> files = {arguments.file};
  for (const auto& names : {arguments.rows, arguments.columns}) {
    if (names && names->starts_with('@')) files.push_back(names->substr(1));
  }
  for (Fact& fact : contents_of(files)) facts.push_back(std::move(fact));
  cli::in_phase(cli::ExitCode::input, [&] { workers.agree(facts); });
}

/// What a rank has of M.
struct RankParts {
  io::Part first;                   ///< its block, or its rows
  std::optional<io::Part> columns;  ///< if the loss looks at entries
  std::optional<ProcessGrid> grid;  ///< of blocks

  RankParts(const Communicator& workers, const ProblemSize& size, bool by_lines) {
    const auto part = [&](const ProcessGrid& of) {
      return io::Part{.rows = block_rows(of, size.rows, workers.rank()),
                      .cols = block_cols(of, size.cols, workers.rank())};
    };
    if (!by_lines) grid = choose_grid(workers.size(), size);
    first = part(grid.value_or(ProcessGrid{workers.size(), 1}));
    if (by_lines) columns = part({1, workers.size()});
  }
};

/// One of the parts that a rank has; the sizes of its run follow from all of them.
template <class T>
cli::Input<T> read_part(const cli::InputRequest& request, const BlockSource<T>& file, const RankParts& parts,
                        const io::Part& part, bool leads) {
  cli::Input<T> input;
  io::Annotations annotations = io::read_annotations(request.file);
  cli::MemoryBudget mine = request.memory;
  mine.extras.add(annotations);
  if (leads) mine.extras.whole = {.rows = file.rows(), .cols = file.cols()};
  if (parts.columns) {
    mine.parts = 2;
    mine.extras.gathered_bytes = static_cast<double>(file.rows() + file.cols()) *
                                 static_cast<double>(request.options.rank) * sizeof(T);
  }
  input.matrix = cli::annotated<T>(std::move(annotations));
  if (is_empty(part)) return input;
  const cli::OpenBlocks<T> open = [&](double most_bytes) {
    return io::open_part<T>(request.file, part, most_bytes, request.arguments.negative);
  };
  const Index nonzeros = nonzeros_of(*open(0), file);
  if (mine.limit) {
    cli::return_memory_early();
    const auto whole = open(cli::kWholeMatrix);
    input.run = cli::PlannedRun{parts.first.rows.count, parts.columns.value_or(parts.first).cols.count,
                                nonzeros, request.options};
    input.plan = cli::plan_stream(request.arguments, input.run, mine, *whole, open);
  }
  if (!input.plan) {
    io::LoadedMatrix<T> block = io::collect(*open(kReadBytes), nonzeros);
    input.matrix.data = std::move(block.data);
    input.matrix.entries = std::move(block.entries);
    input.matrix.clipped = block.clipped;
    return input;
  }
  auto stream = std::make_unique<StreamedData<T>>(open(input.plan->block_bytes));
  input.stream = stream.get();
  input.matrix.clipped = stream->clipped();
  input.matrix.data = std::move(stream);
  return input;
}

template <class T>
cli::Input<T> read_whole(const cli::InputRequest& request) {
  cli::Input<T> input = cli::open_input<T>(request);
  if (input.stream != nullptr) {
    throw cli::Failure(
        cli::ExitCode::usage,
        "--negative clip and --memory go together in several processes for .npy files only; anmf "
        "factorize, in one process, takes others too.");
  }
  return input;
}

}  // namespace

std::vector<Fact> contents_of(const std::vector<std::string>& files) {
  std::vector<Fact> facts;
  facts.reserve(files.size());
  for (const std::string& file : files)
    facts.emplace_back(fmt::format("the content of '{}'", file), io::fingerprint(file));
  return facts;
}

template <class T>
SharedInput<T> read_shared(const Communicator& workers, const cli::InputRequest& request) {
  const cli::InputArguments& arguments = request.arguments;
  cli::InputArguments as_in_file = arguments;
  as_in_file.transpose = false;
  as_in_file.weighing = {};  // of the whole matrix, once all ranks have their parts of it
  const cli::InputRequest in_file = {request.file, as_in_file, request.report, request.options,
                                     request.memory};
  // Of a file whose parts are cut from its lines, a rank would count what is clipped beside its part, too.
  const bool counts = arguments.negative == io::Negative::error || request.file.comes_in_parts();
  const bool in_parts = !arguments.rows && !arguments.columns && counts;
  const auto advice = [&] {
    return cli::memory_advice<T>(fmt::format("the matrix in '{}'", arguments.file), request.file,
                                 request.memory.limit ? cli::OnDisk::no : cli::OnDisk::possible);
  };
  const auto step = [&](const auto& body) {
    workers.together([&] { cli::in_phase(cli::ExitCode::input, [&] { cli::with_advice(body); }, advice); });
  };
  std::unique_ptr<BlockSource<T>> file;
  SharedInput<T> shared;
  cli::Input<T>& input = shared.input;
  cli::Input<T> columns;  // of a rank that has rows and columns
  step([&] {
    if (in_parts) file = io::open_blocks<T>(request.file, 0, arguments.negative);
    if (!file) input = read_whole<T>(in_file);
  });
  const Index rank = request.options.rank;
  const ProblemSize& size = shared.size = file ? size_of(*file, rank) : size_of(*input.matrix.data, rank);
  agree_on_matrix(workers, arguments, size, file ? file->sparse() : is_sparse(input.matrix.data->storage()));
  const RankParts parts(workers, size, beta_of(request.options.loss) != 2);
  shared.grid = parts.grid;
  step([&] {
    const bool leads = workers.rank() == 0;
    if (file) {
      input = read_part(in_file, *file, parts, parts.first, leads);
      if (parts.columns) {
        keep_lines(input.matrix, Side::W);  // before the columns come
        columns = read_part(in_file, *file, parts, *parts.columns, leads);
      }
    } else {
      if (parts.columns) take_entries(columns.matrix, part_of(input.matrix, *parts.columns));
      take_entries(input.matrix, part_of(input.matrix, parts.first));
    }
    if (!parts.columns) return;
    keep_lines(input.matrix, Side::W);
    keep_lines(columns.matrix, Side::H);
  });
  // What this rank has read becomes a part of the whole.
  step([&] {
    if (parts.grid) {
      input.matrix.data = std::make_unique<DistributedData<T>>(workers, *parts.grid, size.rows, size.cols,
                                                               std::move(input.matrix.data));
      return;
    }
    input.matrix.data = std::make_unique<DistributedLines<T>>(
        workers, size.rows, size.cols, std::move(input.matrix.data), std::move(columns.matrix.data));
    input.matrix.entries =
        std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
            std::move(input.matrix.entries), std::move(columns.matrix.entries));
    if (!input.plan) {
      input.plan = columns.plan;
      input.stream = columns.stream;
    }
  });
  if (file) {
    auto clipped = static_cast<double>(input.matrix.clipped);
    workers.sum({&clipped, 1});
    input.matrix.clipped = static_cast<Index>(clipped);
    step([&] {
      cli::Input<T> labelled = cli::label_input(request.file, std::move(input.matrix), request.report);
      input.matrix = std::move(labelled.matrix);
      input.labels = std::move(labelled.labels);
      input.notes = std::move(labelled.notes);
    });
  }
  if (arguments.weighing.any()) {
    step([&] { cli::read_weights(input.matrix, arguments); });
    MpiReducer reducer(workers);
    cli::in_phase(cli::ExitCode::input, [&] { cli::weigh(input.matrix, &reducer); });
  }
  if (arguments.transpose) {
    cli::transpose(input.matrix);
    cli::transpose(input.labels);
  }
  return shared;
}

template SharedInput<float> read_shared(const Communicator&, const cli::InputRequest&);
template SharedInput<double> read_shared(const Communicator&, const cli::InputRequest&);

}  // namespace anmf::mpi
