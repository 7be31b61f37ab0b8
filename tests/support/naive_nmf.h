// SPDX-License-Identifier: MIT
// Naive reference implementation of the seven NMF algorithms of Gillis & Glineur (2011): MU, A-MU, HALS,
// A-HALS, PG (Lin), A-PG and ANLS, of block-wise stopping and of extrapolation. It is a test oracle: written
// from the paper and from the algorithm notes only, independently of the library, with plain loops and the
// standard library. Clarity before speed.
//
// Both halves use one routine on "tall" factors: X (N x r) is updated, Y (P x r) is fixed, D is N x P.
//   W half: D = M,   X = W,   Y = H^T.        H half: D = M^T, X = H^T, Y = W.
//   A = D Y (N x r, cross product), B = Y^T Y (r x r, Gram matrix), both computed once per half.
// The half problem is min over X >= 0 of 1/2 ||D - X Y^T||^2 + l1 sum(X) + l2/2 ||X||^2.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace anmf::naive {

// ---------------------------------------------------------------------------------------------- matrices

struct Mat {  // row-major
  std::int64_t rows = 0, cols = 0;
  std::vector<double> v;
  double& operator()(std::int64_t i, std::int64_t j) { return v[static_cast<std::size_t>(i * cols + j)]; }
  double operator()(std::int64_t i, std::int64_t j) const {
    return v[static_cast<std::size_t>(i * cols + j)];
  }
};

inline Mat zeros(std::int64_t rows, std::int64_t cols) {
  return Mat{rows, cols, std::vector<double>(static_cast<std::size_t>(rows * cols), 0.0)};
}

inline Mat multiply(const Mat& a, const Mat& b) {
  if (a.cols != b.rows) throw std::invalid_argument("naive::multiply: shapes do not match");
  Mat c = zeros(a.rows, b.cols);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < b.cols; ++j)
      for (std::int64_t k = 0; k < a.cols; ++k) c(i, j) += a(i, k) * b(k, j);
  return c;
}

inline Mat transpose(const Mat& a) {
  Mat t = zeros(a.cols, a.rows);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.cols; ++j) t(j, i) = a(i, j);
  return t;
}

inline double dot(const Mat& a, const Mat& b) {  // sum of the entrywise products
  double sum = 0;
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.cols; ++j) sum += a(i, j) * b(i, j);
  return sum;
}

inline Mat subtract(const Mat& a, const Mat& b) {
  Mat c = zeros(a.rows, a.cols);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.cols; ++j) c(i, j) = a(i, j) - b(i, j);
  return c;
}

inline double norm(const Mat& a) { return std::sqrt(dot(a, a)); }  // Frobenius

// ||M - W H||_F from the residual, entry by entry.
inline double error(const Mat& M, const Mat& W, const Mat& H) { return norm(subtract(M, multiply(W, H))); }

// ---------------------------------------------------------------------------------------------- settings

enum class Rule { mu, hals, pg, bpp };
enum class Stop { fixed, dynamic, hybrid, block, lin };

struct Settings {
  Rule rule = Rule::mu;
  Stop stop = Stop::fixed;        // lin only with pg; bpp ignores this field
  double alpha = 0;               // fixed, hybrid: floor(1 + alpha rho) inner iterations
  double epsilon = 0;             // dynamic, hybrid: the step test; 0 never stops early
  double delta = 1e-16;           // lower bound of the entries, mu only
  double tolerance = 0;           // Lin's tol
  std::int64_t K = 0;             // nonzeros of M, used as given in rho and in the flop counts
  std::int64_t max_inner = 1000;  // cap of dynamic and of lin (not of fixed and hybrid)
  double l1_W = 0, l2_W = 0, l1_H = 0, l2_H = 0;
  bool h_first = false;       // update H before W in every outer iteration
  bool extrapolated = false;  // Ang & Gillis, with the projected role on the factor that is updated first
};

struct Step {
  double error = 0;                       // ||M - W H||_F after this outer iteration (never penalised)
  std::int64_t inner_w = 0, inner_h = 0;  // inner iterations in this outer iteration
  double flops = 0;                       // flops of this outer iteration alone (not cumulative)
};

struct Run {
  Mat W, H;
  std::vector<Step> steps;  // steps[0] is the start
};

inline double rho_w(std::int64_t m, std::int64_t n, std::int64_t r, std::int64_t K) {
  return 1.0 + static_cast<double>(K + n * r) / static_cast<double>(m * r + m);
}

inline double rho_h(std::int64_t m, std::int64_t n, std::int64_t r, std::int64_t K) {
  return 1.0 + static_cast<double>(K + m * r) / static_cast<double>(n * r + n);
}

inline std::int64_t budget(double alpha, double rho) {  // floor(1 + alpha rho), at least 1
  const double count = std::floor(1.0 + alpha * rho);
  return static_cast<std::int64_t>(std::clamp(count, 1.0, 1e18));  // 1e18 only keeps the cast defined
}

// ------------------------------------------------------------------------------- one inner iteration of X

// Multiplicative update. Every row uses its old values; the penalties go to the denominator.
inline void mu_update(Mat& X, const Mat& A, const Mat& B, const std::vector<double>& l1, double l2,
                      double delta) {
  const Mat C = multiply(X, B);
  for (std::int64_t i = 0; i < X.rows; ++i)
    for (std::int64_t p = 0; p < X.cols; ++p) {
      const double denominator = C(i, p) + l1[static_cast<std::size_t>(p)] + l2 * X(i, p);
      if (denominator != 0) X(i, p) = X(i, p) * A(i, p) / denominator;
      X(i, p) = std::max(X(i, p), delta);
    }
}

inline void mu_update(Mat& X, const Mat& A, const Mat& B, double l1, double l2, double delta) {
  mu_update(X, A, B, std::vector<double>(static_cast<std::size_t>(X.cols), l1), l2, delta);
}

// One sweep of HALS; A and B already contain the penalties. A coordinate with a (nearly) zero diagonal is
// skipped. The oracle does NOT re-initialise zero columns: compare only on problems where none appears.
inline void hals_update(Mat& X, const Mat& A, const Mat& B) {
  double largest = 0;
  for (std::int64_t p = 0; p < B.rows; ++p) largest = std::max(largest, B(p, p));
  for (std::int64_t p = 0; p < X.cols; ++p) {
    if (B(p, p) <= 1e-30 * largest) continue;
    for (std::int64_t i = 0; i < X.rows; ++i) {
      double c = 0;
      for (std::int64_t l = 0; l < X.cols; ++l) c += X(i, l) * B(l, p);
      X(i, p) = std::max(0.0, X(i, p) + (A(i, p) - c) / B(p, p));
    }
  }
}

inline Mat gradient(const Mat& X, const Mat& A, const Mat& B) { return subtract(multiply(X, B), A); }

// Norm of the entries of the gradient with g < 0 or x > 0.
inline double projected_norm(const Mat& X, const Mat& g) {
  double sum = 0;
  for (std::int64_t i = 0; i < X.rows; ++i)
    for (std::int64_t j = 0; j < X.cols; ++j)
      if (g(i, j) < 0 || X(i, j) > 0) sum += g(i, j) * g(i, j);
  return std::sqrt(sum);
}

// Lin's step-size search along the projection arc, starting from `step`, which is changed for the next call
// (after growing it stays at the value that failed). Returns the number of trials (at most 20).
inline std::int64_t line_search(Mat& X, const Mat& g, const Mat& B, double& step) {
  const double beta = 0.1, sigma = 0.01;
  bool shrinking = false;
  Mat previous = X;  // the last successful trial while growing
  for (std::int64_t trial = 1; trial <= 20; ++trial) {
    Mat next = X;
    for (std::int64_t i = 0; i < X.rows; ++i)
      for (std::int64_t j = 0; j < X.cols; ++j) next(i, j) = std::max(X(i, j) - step * g(i, j), 0.0);
    const Mat d = subtract(next, X);
    const bool ok = (1 - sigma) * dot(g, d) + 0.5 * dot(multiply(d, B), d) < 0;
    if (trial == 1) shrinking = !ok;
    if (shrinking) {
      if (ok) {
        X = next;
        return trial;
      }
      step *= beta;
    } else {
      if (!ok || next.v == previous.v) {
        X = previous;
        return trial;
      }
      previous = next;
      step /= beta;
    }
  }
  return 20;  // no decision in 20 trials: X is left unchanged (also while growing)
}

// Exact solution of min over x >= 0 of 1/2 x'Bx - a'x, by trying every support (r <= 8). A support whose
// Cholesky factorisation meets a relative pivot <= 1e-13 is singular and skipped: some minimiser always has
// a support with linearly independent columns. The empty support (x = 0) is always feasible.
inline std::vector<double> nnls_by_enumeration(const std::vector<double>& a, const Mat& B) {
  const std::size_t r = a.size();
  if (r > 8) throw std::invalid_argument("naive::nnls_by_enumeration: r must be at most 8");
  const auto b = [&B](std::size_t i, std::size_t j) {
    return static_cast<long double>(B(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)));
  };
  std::vector<double> best(r, 0.0);
  long double best_objective = 0;
  for (std::size_t mask = 1; mask < (std::size_t{1} << r); ++mask) {
    std::vector<std::size_t> support;
    for (std::size_t p = 0; p < r; ++p)
      if ((mask >> p) & 1U) support.push_back(p);
    const std::size_t s = support.size();
    std::vector<std::vector<long double>> L(s, std::vector<long double>(s, 0));  // B_SS = L L'
    bool singular = false;
    for (std::size_t i = 0; i < s && !singular; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        long double value = b(support[i], support[j]);
        for (std::size_t k = 0; k < j; ++k) value -= L[i][k] * L[j][k];
        if (j < i) {
          L[i][j] = value / L[j][j];
        } else if (value <= 1e-13L * b(support[i], support[i])) {
          singular = true;
        } else {
          L[i][i] = std::sqrt(value);
        }
      }
    if (singular) continue;
    std::vector<long double> x(s);
    for (std::size_t i = 0; i < s; ++i) {  // L y = a_S
      x[i] = a[support[i]];
      for (std::size_t k = 0; k < i; ++k) x[i] -= L[i][k] * x[k];
      x[i] /= L[i][i];
    }
    for (std::size_t i = s; i-- > 0;) {  // L' x = y
      for (std::size_t k = i + 1; k < s; ++k) x[i] -= L[k][i] * x[k];
      x[i] /= L[i][i];
    }
    if (std::any_of(x.begin(), x.end(), [](long double xi) { return !(xi >= 0); })) continue;
    long double objective = 0;
    for (std::size_t i = 0; i < s; ++i) {
      objective -= a[support[i]] * x[i];
      for (std::size_t j = 0; j < s; ++j) objective += 0.5L * x[i] * b(support[i], support[j]) * x[j];
    }
    if (objective < best_objective) {
      best_objective = objective;
      std::fill(best.begin(), best.end(), 0.0);
      for (std::size_t i = 0; i < s; ++i) best[support[i]] = static_cast<double>(x[i]);
    }
  }
  return best;
}

// ---------------------------------------------------------------------------------------------- one half

struct Products {
  Mat A, B;  // cross product and Gram matrix, with the penalties except for MU
};

inline Products products(const Mat& D, const Mat& Y, const Settings& s, double l1, double l2) {
  Products out{multiply(D, Y), multiply(transpose(Y), Y)};
  if (s.rule != Rule::mu) {
    for (double& a : out.A.v) a -= l1;
    for (std::int64_t p = 0; p < out.B.rows; ++p) out.B(p, p) += l2;
  }
  return out;
}

struct HalfCount {
  std::int64_t inner = 0;
  double flops = 0;
};

// Block stop: blocks of 48 rows sweep on their own, at most floor(1 + alpha rho) times, until the squared
// step is at most epsilon^2 times the larger of their own first one and the usual one of as many rows.
// `usual` is the mean of the first squared steps per row in the last half of this factor (changed).
inline HalfCount half_by_blocks(Mat& X, const Products& q, const Settings& s, double l1, double l2,
                                double rho, double& usual) {
  const double r = static_cast<double>(X.cols);
  const double row_flops = s.rule == Rule::mu ? 2 * r * r + 2 * r : 2 * r * r + r;
  double first_steps = 0, row_sweeps = 0;
  for (std::int64_t begin = 0; begin < X.rows; begin += 48) {
    const std::int64_t rows = std::min<std::int64_t>(48, X.rows - begin);
    const auto part = [&](const Mat& whole) {
      Mat b = zeros(rows, whole.cols);
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t p = 0; p < whole.cols; ++p) b(i, p) = whole(begin + i, p);
      return b;
    };
    Mat x = part(X);
    const Mat a = part(q.A);
    double reference = static_cast<double>(rows) * usual;
    for (std::int64_t l = 1; l <= budget(s.alpha, rho); ++l) {
      const Mat old = x;
      if (s.rule == Rule::mu)
        mu_update(x, a, q.B, l1, l2, s.delta);
      else
        hals_update(x, a, q.B);
      const Mat d = subtract(x, old);
      const double step = dot(d, d);
      row_sweeps += static_cast<double>(rows);
      if (l == 1) {
        first_steps += step;
        reference = std::max(reference, step);
      }
      if (s.epsilon > 0 && step <= s.epsilon * s.epsilon * reference) break;
    }
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t p = 0; p < X.cols; ++p) X(begin + i, p) = x(i, p);
  }
  usual = first_steps / static_cast<double>(X.rows);
  return {std::llround(row_sweeps / static_cast<double>(X.rows)), row_sweeps * row_flops};
}

// What a factor carries from one half of its own to the next.
struct Memory {
  double tolerance = 0;  // Lin's
  double usual = 0;      // block stop
};

// Updates X for fixed Y. rho is that of X.
inline HalfCount half(const Mat& D, Mat& X, const Mat& Y, const Settings& s, double l1, double l2, double rho,
                      Memory& memory) {
  double& tol = memory.tolerance;
  const double N = static_cast<double>(X.rows), P = static_cast<double>(Y.rows);
  const double r = static_cast<double>(X.cols), K = static_cast<double>(s.K);
  const Products q = products(D, Y, s, l1, l2);
  HalfCount count;
  count.flops = 2 * K * r + 2 * P * r * r;
  if (s.stop == Stop::block) {
    const HalfCount sweeps = half_by_blocks(X, q, s, l1, l2, rho, memory.usual);
    return {sweeps.inner, count.flops + sweeps.flops};
  }

  if (s.rule == Rule::bpp) {
    for (std::int64_t i = 0; i < X.rows; ++i) {
      std::vector<double> a;
      for (std::int64_t p = 0; p < X.cols; ++p) a.push_back(q.A(i, p));
      const std::vector<double> x = nnls_by_enumeration(a, q.B);
      for (std::int64_t p = 0; p < X.cols; ++p) X(i, p) = x[static_cast<std::size_t>(p)];
    }
    count.inner = 1;
    return count;
  }

  double step_size = 1;  // pg: reset in every half, carried between its inner iterations
  const auto pg_search = [&](const Mat& g) {
    const double trials = static_cast<double>(line_search(X, g, q.B, step_size));
    count.flops += trials * (2 * N * r * r + 2 * N * r);
  };

  if (s.stop == Stop::lin) {
    for (std::int64_t iteration = 1; iteration <= s.max_inner; ++iteration) {
      const Mat g = gradient(X, q.A, q.B);
      count.flops += 2 * N * r * r;
      if (projected_norm(X, g) < tol) {
        if (iteration == 1) tol *= 0.1;
        break;
      }
      pg_search(g);
      count.inner = iteration;
    }
    return count;
  }

  const std::int64_t cap = s.stop == Stop::dynamic ? s.max_inner : budget(s.alpha, rho);
  const double epsilon = s.stop == Stop::fixed ? 0.0 : s.epsilon;
  double first_step = 0;
  for (std::int64_t l = 1; l <= cap; ++l) {
    const Mat old = X;
    if (s.rule == Rule::mu) {
      mu_update(X, q.A, q.B, l1, l2, s.delta);
      count.flops += 2 * N * r * r + 2 * N * r;
    } else if (s.rule == Rule::hals) {
      hals_update(X, q.A, q.B);
      count.flops += 2 * N * r * r + N * r;
    } else {
      const Mat g = gradient(X, q.A, q.B);
      count.flops += 2 * N * r * r;
      pg_search(g);
    }
    count.inner = l;
    const double step = norm(subtract(X, old));
    if (l == 1) first_step = step;
    if (epsilon > 0 && step <= epsilon * first_step) break;
  }
  return count;
}

// Columns p of a and b whose norms are further apart than 2^16 get about equal ones, by a power of two.
inline bool rebalance(Mat& a, Mat& b) {
  bool any = false;
  for (std::int64_t p = 0; p < a.cols; ++p) {
    double na = 0, nb = 0;
    for (std::int64_t i = 0; i < a.rows; ++i) na += a(i, p) * a(i, p);
    for (std::int64_t j = 0; j < b.rows; ++j) nb += b(j, p) * b(j, p);
    if (na == 0 || nb == 0 || (na / nb <= 0x1p32 && nb / na <= 0x1p32)) continue;
    const double scale = std::pow(2.0, std::nearbyint(std::log2(nb / na) / 4));
    for (std::int64_t i = 0; i < a.rows; ++i) a(i, p) *= scale;
    for (std::int64_t j = 0; j < b.rows; ++j) b(j, p) /= scale;
    any = true;
  }
  return any;
}

// ---------------------------------------------------------------------------------------------- the run

// Makes exactly `outer_iterations` outer iterations (Lin's outer stationarity test is not applied).
inline Run run(const Mat& M, Mat W, Mat H, const Settings& s, int outer_iterations) {
  if (W.rows != M.rows || H.cols != M.cols || W.cols != H.rows)
    throw std::invalid_argument("naive::run: shapes do not match");
  if (s.stop == Stop::lin && s.rule != Rule::pg && s.rule != Rule::bpp)
    throw std::invalid_argument("naive::run: Stop::lin needs Rule::pg");
  if (s.rule == Rule::mu && s.delta > 0) {
    for (double& x : W.v) x = std::max(x, s.delta);
    for (double& x : H.v) x = std::max(x, s.delta);
  }
  const Mat Mt = transpose(M);
  Mat Ht = transpose(H);  // H in tall form, n x r

  Memory memory_w, memory_h;
  if (s.rule == Rule::pg && s.stop == Stop::lin) {
    const Products for_w = products(M, Ht, s, s.l1_W, s.l2_W), for_h = products(Mt, W, s, s.l1_H, s.l2_H);
    const Mat gw = gradient(W, for_w.A, for_w.B), gh = gradient(Ht, for_h.A, for_h.B);
    memory_w.tolerance = memory_h.tolerance =
        std::max(0.001, s.tolerance) * std::sqrt(dot(gw, gw) + dot(gh, gh));
  }

  const double rw = rho_w(M.rows, M.cols, W.cols, s.K), rh = rho_h(M.rows, M.cols, W.cols, s.K);
  const auto update_w = [&](Mat& X, const Mat& Y) { return half(M, X, Y, s, s.l1_W, s.l2_W, rw, memory_w); };
  const auto update_h = [&](Mat& X, const Mat& Y) { return half(Mt, X, Y, s, s.l1_H, s.l2_H, rh, memory_h); };
  const auto penalty = [&](const Mat& w, const Mat& ht) {
    double sum = 0.5 * s.l2_W * dot(w, w) + 0.5 * s.l2_H * dot(ht, ht);
    for (const double x : w.v) sum += s.l1_W * x;
    for (const double x : ht.v) sum += s.l1_H * x;
    return sum;
  };
  Run out;
  out.steps.push_back(Step{error(M, W, transpose(Ht)), 0, 0, 0.0});

  if (s.extrapolated) {
    // a is the factor updated first, b the other one.
    Mat &a = s.h_first ? Ht : W, &b = s.h_first ? W : Ht;
    const auto objective = [&](const Mat& x, const Mat& y) {
      const Mat &w = s.h_first ? y : x, &ht = s.h_first ? x : y;
      const double e = error(M, w, transpose(ht));
      return 0.5 * e * e + penalty(w, ht);
    };
    const auto extrapolate = [&](const Mat& now, const Mat& before, double beta, bool project) {
      Mat y = now;
      for (std::size_t k = 0; k < y.v.size(); ++k) {
        const double step = beta * (now.v[k] - before.v[k]);
        if (s.rule == Rule::mu)
          y.v[k] = now.v[k] + std::max(step, 0.0);
        else
          y.v[k] = project ? std::max(0.0, now.v[k] + step) : now.v[k] + step;
      }
      return y;
    };
    double beta = 0.5, last_accepted = 0.5, limit = 1, lowest = objective(a, b);
    bool quiet = true;  // the next iteration is plain alternation, and accepted: so the first one
    int undone = 0;     // iterations in a row
    const bool free_scale = s.rule == Rule::hals && s.l1_W + s.l2_W + s.l1_H + s.l2_H == 0;
    Mat a_y = a, b_y = b, best_a = a;
    for (int k = 0; k < outer_iterations; ++k) {
      HalfCount ca, cb;
      Mat a_new = a_y;
      ca = s.h_first ? update_h(a_new, b_y) : update_w(a_new, b_y);
      a_y = extrapolate(a_new, a, quiet ? 0 : beta, true);
      cb = s.h_first ? update_w(b_y, a_y) : update_h(b_y, a_y);
      const double candidate = objective(a_y, b_y);
      if (!quiet && candidate > lowest + 1e-13 * dot(M, M)) {
        if (++undone >= 3) {
          a = best_a;
          quiet = true;
        }
        a_y = a;
        b_y = b;
        limit = last_accepted;
        beta /= 1.5;
      } else {
        lowest = std::min(lowest, candidate);
        undone = 0;
        if (free_scale && rebalance(a_y, b_y)) {  // and forget the steps
          a_new = a_y;
          b = b_y;
        }
        best_a = a_y;
        const Mat b_new = b_y;
        b_y = extrapolate(b_new, b, quiet ? 0 : beta, false);
        a = a_new;
        b = b_new;
        if (!quiet) {
          last_accepted = beta;
          beta = std::min(limit, 1.01 * beta);
          limit = std::min(1.0, 1.005 * limit);
        }
        quiet = false;
      }
      const Mat &w = s.h_first ? b : best_a, &ht = s.h_first ? best_a : b;
      out.steps.push_back(Step{error(M, w, transpose(ht)), s.h_first ? cb.inner : ca.inner,
                               s.h_first ? ca.inner : cb.inner, ca.flops + cb.flops});
    }
    a = best_a;
  } else {
    for (int k = 0; k < outer_iterations; ++k) {
      HalfCount cw, ch;
      if (s.h_first) ch = update_h(Ht, W);
      cw = update_w(W, Ht);
      if (!s.h_first) ch = update_h(Ht, W);
      out.steps.push_back(Step{error(M, W, transpose(Ht)), cw.inner, ch.inner, cw.flops + ch.flops});
    }
  }
  out.W = std::move(W);
  out.H = transpose(Ht);
  return out;
}

}  // namespace anmf::naive
