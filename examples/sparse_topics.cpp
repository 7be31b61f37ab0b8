// A sparse matrix from CSR arrays, a watcher that stops the run, and unit-sum topics.
#include <anmf/anmf.h>

#include <cstdio>
#include <vector>

namespace {

class Watch final : public anmf::Observer<float> {
 public:
  Action on_iteration(const anmf::IterationRecord& record, anmf::ConstMatrixView<float>,
                      anmf::ConstMatrixView<float>) override {
    std::printf("iteration %d: relative error %.5f\n", static_cast<int>(record.iteration),
                record.relative_error);
    return record.relative_error < 0.2 ? Action::stop : Action::proceed;
  }
};

}  // namespace

int main() {
  const std::vector<anmf::Index> offsets = {0, 2, 4, 6, 9};
  const std::vector<std::int32_t> words = {1, 0, 0, 1, 2, 3, 3, 2, 3};  // unsorted, with a repeated position
  const std::vector<float> counts = {3, 4, 5, 4, 6, 5, 2, 5, 2};
  const auto data = anmf::SparseData<float>::from_csr<std::int32_t>(4, 4, offsets, words, counts);

  anmf::Options options;
  options.rank = 2;
  options.method = "hals";
  options.normalize = anmf::Normalize::l1;
  options.sort_components = true;
  Watch watch;
  const anmf::Result<float> result = anmf::factorize<float>(*data, options, {}, &watch);

  std::printf("%s Weights of the topics: %.1f, %.1f\n", result.message.c_str(), result.scale[0],
              result.scale[1]);
}
