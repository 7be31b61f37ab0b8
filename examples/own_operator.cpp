// A matrix that is never stored: M = u v' + diagonal, brought as an operator of the caller's own.
#include <anmf/anmf.h>

#include <cmath>
#include <cstdio>

namespace {

constexpr anmf::Index kSize = 1000;

double u(anmf::Index i) { return 1.0 + static_cast<double>(i % 7); }

class RankOnePlusDiagonal final : public anmf::Data<double> {
 public:
  [[nodiscard]] anmf::Index rows() const override { return kSize; }
  [[nodiscard]] anmf::Index cols() const override { return kSize; }
  [[nodiscard]] anmf::Index nonzeros() const override { return 3 * kSize; }  // numbers touched per product
  [[nodiscard]] double norm() const override {
    double sum = 0;
    for (anmf::Index i = 0; i < kSize; ++i) {
      for (anmf::Index j = 0; j < kSize; ++j) sum += std::pow(u(i) * u(j) + (i == j ? 1 : 0), 2);
    }
    return std::sqrt(sum);
  }
  // M is symmetric, so both sides are the same: C = u (u' F) + F.
  void cross(anmf::Side, anmf::ConstMatrixView<double> F, anmf::MatrixView<double> C,
             anmf::ThreadPool&) const override {
    for (anmf::Index p = 0; p < F.cols; ++p) {
      double dot = 0;
      for (anmf::Index i = 0; i < kSize; ++i) dot += u(i) * F(i, p);
      for (anmf::Index i = 0; i < kSize; ++i) C(i, p) = u(i) * dot + F(i, p);
    }
  }
};

}  // namespace

int main() {
  const RankOnePlusDiagonal data;
  anmf::Options options;
  options.rank = 1;
  const anmf::Result<double> result = anmf::factorize(data, options);
  std::printf("relative error %.6f after %d iterations\n", result.relative_error,
              static_cast<int>(result.iterations));
  return result.relative_error < 0.01 ? 0 : 1;
}
