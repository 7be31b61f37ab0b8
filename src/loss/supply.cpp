// SPDX-License-Identifier: MIT
#include "loss/supply.h"

#include <optional>
#include <tuple>
#include <vector>

#include "core/stopwatch.h"

namespace anmf {
namespace {

/// Both products in one read of M: `product`, of the side whose rows M comes in, and the other one with the
/// rows that `update` returns.
template <class T>
void read_once(const Data<T>& data, Product<T>& product, const BlockUpdate<T>& update, Product<T>& other_one,
               ThreadPool& pool) {
  Stopwatch clock;
  Stopwatch update_clock;
  {
    const Stopwatch::Running running(clock);
    data.one_pass(
        product.factor, product.result,
        [&](Index begin, Index end) {
          const Stopwatch::Running updating(update_clock);
          return update(begin, end);
        },
        other_one.result, pool);
  }
  product.seconds = other_one.seconds = 0.5 * (clock.seconds() - update_clock.seconds());
}

template <class T>
void supply_products(Wanted<T>& wanted, const Data<T>& data, ThreadPool& pool) {
  std::vector<Product<T>>& products = wanted.products;
  const std::optional<Side> pass_side = data.pass_side(products.front().factor.cols, pool);
  if (pass_side && products.size() == 2) {
    const auto [of_side, other_one] = products.front().side == *pass_side
                                          ? std::tie(products[0], products[1])
                                          : std::tie(products[1], products[0]);
    const ConstMatrixView<T> X = other_one.factor;
    read_once<T>(
        data, of_side, [X](Index begin, Index end) { return X.middle_rows(begin, end); }, other_one, pool);
    wanted.read_once = true;
    return;
  }
  if (wanted.half && pass_side == products.front().side) {
    Product<T> following{.result = wanted.half->result};
    read_once(data, products.front(), wanted.half->update, following, pool);
    wanted.read_once = true;
    return;
  }
  for (Product<T>& product : products) {
    Stopwatch clock;
    {
      const Stopwatch::Running running(clock);
      data.cross(product.side, product.factor, product.result, pool);
    }
    product.seconds = clock.seconds();
  }
}

}  // namespace

template <class T>
void supply(Wanted<T>& wanted, const Data<T>& data, const Workers& workers) {
  Stopwatch clock;
  {
    const Stopwatch::Running running(clock);
    if (wanted.compression) wanted.stand_in = compress<T>(data, *wanted.compression, workers);
    if (!wanted.products.empty()) supply_products(wanted, data, workers.pool);
    for (const EntryPass<T>& pass : wanted.passes) data.for_each_block(pass.side, pass.visit);
  }
  wanted.seconds = clock.seconds();
}

template void supply(Wanted<float>&, const Data<float>&, const Workers&);
template void supply(Wanted<double>&, const Data<double>&, const Workers&);

}  // namespace anmf
