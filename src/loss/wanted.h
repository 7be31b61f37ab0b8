// SPDX-License-Identifier: MIT
// What a run lacks before its next step: products of M (m x n) with its factors. A run never asks M itself,
// so whoever drives it may make the products of many runs together (loss/supply.h makes those of one).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "anmf/data.h"
#include "data/compressed_data.h"

namespace anmf {

/// C = M F for Side::W, C = M' F for Side::H, as Data::cross() makes it.
template <class T>
struct Product {
  Side side = Side::W;
  ConstMatrixView<T> factor;  ///< F
  MatrixView<T> result;       ///< C
  double seconds = 0;         ///< that the product took; set by whoever supplies it
};

/// A half-step that may be made while M is read: `update` improves rows of the factor whose product is there,
/// and the other factor's product is made of the improved rows at once (Data::one_pass).
template <class T>
struct HalfInOneRead {
  BlockUpdate<T> update;
  MatrixView<T> result;  ///< the product that the other factor's half-step needs
};

/// A look at the entries of M for Side::W, of M' for Side::H, block by block (Data::for_each_block).
template <class T>
struct EntryPass {
  Side side = Side::W;
  EntryVisitor<T> visit;
};

template <class T>
struct Wanted {
  std::vector<Product<T>> products;  ///< none, one, or one of each side
  std::vector<EntryPass<T>> passes;  ///< of losses that have no use for products
  /// With one product: the half-step that needs it, which need not be made.
  std::optional<HalfInOneRead<T>> half;
  std::optional<Compression> compression;

  // Set by whoever supplies it:
  std::unique_ptr<CompressedData<T>> stand_in;  ///< the compression of M; null if it was given up
  bool read_once = false;  ///< M was read once for both products, or for the half-step, which is made then
  double seconds = 0;      ///< that all of it took, updates of rows included

  [[nodiscard]] bool half_is_made() const { return half && read_once; }
};

}  // namespace anmf
