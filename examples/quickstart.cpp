// Factorizes a small dense matrix and prints what came out.
#include <anmf/anmf.h>

#include <cstdio>
#include <vector>

int main() {
  // Four documents, five words: two topics.
  const std::vector<double> counts = {4, 3, 0, 0, 1,  //
                                      5, 4, 0, 1, 1,  //
                                      0, 0, 6, 5, 1,  //
                                      0, 1, 5, 4, 1};
  const anmf::DenseData<double> data({counts.data(), 4, 5});  // a view: nothing is copied

  anmf::Options options;
  options.rank = 2;
  options.seed = 1;
  const anmf::Result<double> result = anmf::factorize(data, options);

  std::printf("%s\nrelative error %.4f\n", result.message.c_str(), result.relative_error);
  for (anmf::Index p = 0; p < options.rank; ++p) {
    std::printf("topic %d:", static_cast<int>(p));
    for (anmf::Index j = 0; j < result.H.cols(); ++j) std::printf(" %5.2f", result.H(p, j));
    std::printf("\n");
  }
}
