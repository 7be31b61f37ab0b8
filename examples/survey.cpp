// Many starts of several ranks over one matrix: which rank predicts hidden entries best, and what its starts
// agree on.
#include <anmf/anmf.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

/// Tells how far the survey is. Returning true from stop() would end it early, with what is there.
class Progress final : public anmf::SurveyObserver<double> {
 public:
  void on_job(const anmf::JobRecord& /*record*/, const anmf::SurveyProgress& progress) override {
    if (progress.done == progress.total) std::printf("%d factorizations\n", static_cast<int>(progress.total));
  }
};

}  // namespace

int main() {
  // Counts of 60 samples of 40 features that are mixtures of three spectra, with some noise.
  constexpr anmf::Index kSamples = 60;
  constexpr anmf::Index kFeatures = 40;
  constexpr anmf::Index kSpectra = 3;
  std::uint32_t state = 1;
  const auto number = [&state] {
    state = state * 1664525U + 1013904223U;
    return static_cast<double>(state >> 8U) / static_cast<double>(1U << 24U);
  };
  anmf::Matrix<double> M(kSamples, kFeatures);
  for (anmf::Index i = 0; i < kSamples; ++i) {
    for (anmf::Index p = 0; p < kSpectra; ++p) {
      const double share = 10 * number() * number();
      for (anmf::Index j = p * 10; j < p * 10 + 20; ++j) M(i, j) += share * (j % 3 == 0 ? 3 : 1);
    }
    for (anmf::Index j = 0; j < kFeatures; ++j) M(i, j) *= 0.8 + 0.4 * number();
  }
  const anmf::DenseData<double> data({M.data(), kSamples, kFeatures});

  anmf::SurveyOptions options;
  options.ranks = {2, 3, 4, 5, 6};
  options.starts = 10;
  anmf::SurveyMemory<double> store;  // report::SurveyFolder, or your own store, keeps what is done
  Progress progress;
  const anmf::SurveyTable table = anmf::survey<double>(data, options, store, &progress);

  std::printf("rank  error  held out  stability\n");
  for (const anmf::RankSummary& rank : table.ranks) {
    std::printf("%4d  %5.1f  %8.3f  %9.2f%s\n", static_cast<int>(rank.rank), rank.error_best, rank.heldout,
                rank.silhouette_min, rank.suggested ? "  <- suggested" : "");
  }
  for (const std::string& reason : table.suggestion.reasons) std::printf("%s\n", reason.c_str());
  if (table.suggestion.rank == 0) return 1;

  const anmf::RankConsensus<double>& found = *store.found(table.suggestion.rank);
  for (const anmf::ComponentSummary& component : found.components) {
    std::printf("component %d: %.0f %% of a sample, silhouette %.2f\n", static_cast<int>(component.component),
                100 * component.usage, component.silhouette);
  }
}
