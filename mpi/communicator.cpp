// SPDX-License-Identifier: MIT
#include "anmf/mpi/communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <numeric>
#include <string_view>
#include <type_traits>

#include "anmf/error.h"

namespace anmf::mpi {
namespace {

template <class T>
MPI_Datatype type_of() {
  return std::is_same_v<T, float> ? MPI_FLOAT : MPI_DOUBLE;
}

/// A row of a factor as one unit, so that counts and displacements are those of rows.
class RowType {
 public:
  RowType(MPI_Datatype entry, Index cols) {
    MPI_Type_contiguous(static_cast<int>(cols), entry, &type_);
    MPI_Type_commit(&type_);
  }
  ~RowType() { MPI_Type_free(&type_); }
  RowType(const RowType&) = delete;
  RowType& operator=(const RowType&) = delete;

  [[nodiscard]] MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

std::vector<int> as_int(std::span<const Index> counts, Index unit = 1) {
  std::vector<int> result;
  for (const Index count : counts) result.push_back(static_cast<int>(count * unit));
  return result;
}

std::vector<int> begins(const std::vector<int>& counts) {
  std::vector<int> result(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), result.begin(), 0);
  return result;
}

/// Facts as one text, and back. Neither names nor values hold zeros.
std::string joined(std::span<const Fact> facts) {
  std::string text;
  for (const auto& [name, value] : facts) text.append(name).append(1, '\0').append(value).append(1, '\0');
  return text;
}

std::vector<Fact> split_facts(std::string_view text) {
  const auto next = [&text] {
    const std::string word(text.substr(0, text.find('\0')));
    text.remove_prefix(word.size() + 1);
    return word;
  };
  std::vector<Fact> facts;
  while (!text.empty()) {
    std::string name = next();
    facts.emplace_back(std::move(name), next());
  }
  return facts;
}

/// Waits for a rank that cannot come if it is deep in a computation.
constexpr std::chrono::seconds kPatience{20};

}  // namespace

Communicator::Communicator(MPI_Comm group, std::shared_ptr<Traffic> traffic) : traffic_(std::move(traffic)) {
  MPI_Comm_dup(group, &group_);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(group_, &rank);
  MPI_Comm_size(group_, &size);
  rank_ = rank;
  size_ = size;
}

Communicator::~Communicator() { MPI_Comm_free(&group_); }

std::unique_ptr<Communicator> Communicator::split(Index colour) const {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(group_, static_cast<int>(colour), static_cast<int>(rank_), &part);
  auto result = std::make_unique<Communicator>(part, traffic_);
  result->message_limit_ = message_limit_;
  MPI_Comm_free(&part);
  return result;
}

Index Communicator::ranks_on_this_machine() const {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(group_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int size = 1;
  MPI_Comm_size(machine, &size);
  MPI_Comm_free(&machine);
  return size;
}

void Communicator::count(const IterationCost& cost) const {
  traffic_->words += cost.words;
  traffic_->messages += cost.messages;
}

void Communicator::all_reduce(std::span<double> values, MPI_Op operation) const {
  if (size_ == 1) return;
  count(all_reduce_cost(size_, static_cast<double>(values.size())));
  for (std::size_t begin = 0; begin < values.size();) {
    const std::size_t length = std::min(values.size() - begin, static_cast<std::size_t>(message_limit_));
    MPI_Allreduce(MPI_IN_PLACE, values.data() + begin, static_cast<int>(length), MPI_DOUBLE, operation,
                  group_);
    begin += length;
  }
}

template <class T>
void Communicator::all_gather_rows(ConstMatrixView<T> mine, std::span<const Index> counts,
                                   MatrixView<T> all) const {
  count(all_gather_cost(size_, static_cast<double>(all.rows) * static_cast<double>(all.cols)));
  const RowType row(type_of<T>(), all.cols);
  const std::vector<int> rows = as_int(counts);
  MPI_Allgatherv(mine.data, static_cast<int>(mine.rows), row.get(), all.data, rows.data(),
                 begins(rows).data(), row.get(), group_);
}

template <class T>
void Communicator::reduce_scatter_rows(ConstMatrixView<T> all, std::span<const Index> counts,
                                       MatrixView<T> mine) const {
  count(reduce_scatter_cost(size_, static_cast<double>(all.rows) * static_cast<double>(all.cols)));
  if (all.rows * all.cols <= message_limit_) {
    const std::vector<int> entries = as_int(counts, all.cols);
    MPI_Reduce_scatter(all.data, mine.data, entries.data(), type_of<T>(), MPI_SUM, group_);
    return;
  }
  // A sum needs entries of a plain type, so rows cannot be its units: one rank after the other, in pieces.
  Index first_row = 0;
  for (Index root = 0; root < size_; ++root) {
    const Index entries = counts[static_cast<std::size_t>(root)] * all.cols;
    for (Index begin = 0; begin < entries; begin += message_limit_) {
      const Index length = std::min(message_limit_, entries - begin);
      T* const target = rank_ == root ? mine.data + begin : nullptr;
      MPI_Reduce(all.row(first_row) + begin, target, static_cast<int>(length), type_of<T>(), MPI_SUM,
                 static_cast<int>(root), group_);
    }
    first_row += counts[static_cast<std::size_t>(root)];
  }
}

template <class T>
void Communicator::gather_rows(ConstMatrixView<T> mine, std::span<const RowRange> ranges,
                               MatrixView<T> all) const {
  const RowType row(type_of<T>(), mine.cols);
  std::vector<int> counts;
  std::vector<int> displacements;
  for (const RowRange& range : ranges) {
    counts.push_back(static_cast<int>(range.count));
    displacements.push_back(static_cast<int>(range.begin));
  }
  MPI_Gatherv(mine.data, static_cast<int>(mine.rows), row.get(), all.data, counts.data(),
              displacements.data(), row.get(), 0, group_);
}

int Communicator::lowest(int mine) const {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_MIN, group_);
  return mine;
}

int Communicator::from(Index rank, int mine) const {
  MPI_Bcast(&mine, 1, MPI_INT, static_cast<int>(rank), group_);
  return mine;
}

void Communicator::broadcast(std::string& text, Index rank) const {
  const int length = from(rank, static_cast<int>(text.size()));
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, static_cast<int>(rank), group_);
}

void Communicator::together(const std::function<void()>& step) const {
  failure_.reset();
  std::exception_ptr failed;
  std::string message;
  try {
    step();
  } catch (const std::exception& error) {
    if (failure_) throw;  // all ranks are on their way up
    failed = std::current_exception();
    message = error.what();
  }
  const int mine = failed ? static_cast<int>(rank_) : static_cast<int>(size_);
  int first = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&mine, &first, 1, MPI_INT, MPI_MIN, group_, &request);
  int done = 0;
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (failed && done == 0) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0 && std::chrono::steady_clock::now() > deadline) {
      fmt::print(stderr, "anmf-mpi: on rank {} of {}: {}\n", rank_, size_, message);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  if (done == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (first == static_cast<int>(size_)) return;
  std::string heard = message;
  broadcast(heard, first);
  failure_ = {.rank = first, .everywhere = lowest(failed && message == heard ? 1 : 0) == 1};
  if (failed) std::rethrow_exception(failed);
  throw FailedElsewhere(heard);
}

void Communicator::agree(std::span<const Fact> facts) const {
  std::string text = joined(facts);
  broadcast(text, 0);
  const std::vector<Fact> expected = split_facts(text);
  const auto [mine, theirs] = std::mismatch(facts.begin(), facts.end(), expected.begin(), expected.end());
  const bool same = mine == facts.end() && theirs == expected.end();
  const int first = lowest(static_cast<int>(same ? size_ : rank_));
  if (first == static_cast<int>(size_)) return;
  std::string difference;
  if (rank_ == first) {
    const auto value = [](auto at, auto end) { return at == end ? "not known" : at->second; };
    difference = fmt::format("{} is {} on rank {} of {}, and {} on rank 0; it must be the same on all ranks.",
                             mine == facts.end() ? theirs->first : mine->first, value(mine, facts.end()),
                             rank_, size_, value(theirs, expected.end()));
  }
  broadcast(difference, first);
  throw InvalidInput(difference);
}

template void Communicator::all_gather_rows(ConstMatrixView<float>, std::span<const Index>,
                                            MatrixView<float>) const;
template void Communicator::all_gather_rows(ConstMatrixView<double>, std::span<const Index>,
                                            MatrixView<double>) const;
template void Communicator::reduce_scatter_rows(ConstMatrixView<float>, std::span<const Index>,
                                                MatrixView<float>) const;
template void Communicator::reduce_scatter_rows(ConstMatrixView<double>, std::span<const Index>,
                                                MatrixView<double>) const;
template void Communicator::gather_rows(ConstMatrixView<float>, std::span<const RowRange>,
                                        MatrixView<float>) const;
template void Communicator::gather_rows(ConstMatrixView<double>, std::span<const RowRange>,
                                        MatrixView<double>) const;

}  // namespace anmf::mpi
