# SPDX-License-Identifier: MIT
"""Which entries of X somebody has observed, and how much they count: NaN, masks, explicit zeros, weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from anmf import _core
from anmf._matrix import compressed_parts, real_matrix, to_matrix

#: What is missing: nothing, so that NaN is an error; NaN; or what a sparse X does not store, and zeros of a dense one.
MISSING = ("error", "nan", "zeros")
NAN_ADVICE = 'If NaN stands for entries that nobody has observed, say missing="nan".'


def check_missing(missing: Any) -> None:
    if not isinstance(missing, str) or missing not in MISSING:
        raise ValueError(f"missing = {missing!r} is not allowed; choose one of {', '.join(map(repr, MISSING))}.")


@dataclass(frozen=True)
class Observed:
    """X beside what counts of it."""

    X: Any  #: where nothing counts it is zero, or does not matter
    entries: Any = None  #: what ``_core.weighted`` takes
    rows: NDArray[np.float64] | None = None
    columns: NDArray[np.float64] | None = None
    stored: bool = False  #: X is sparse and canonical, and the zeros that it stores were observed

    @property
    def complete(self) -> bool:
        """Whether all entries of a row count the same, but for weights of columns."""
        return self.entries is None

    @property
    def plain(self) -> bool:
        return self.entries is None and self.rows is None and self.columns is None

    def total_weight(self) -> float:
        """What all entries count together."""
        m, n = self.X.shape
        per_row: Any = np.full(m, float(n))
        if isinstance(self.entries, str):
            per_row = np.diff(self.X.indptr) if self.stored else (self.X != 0).sum(axis=1)
        elif isinstance(self.entries, tuple):
            counts = self.entries[2] if len(self.entries) == 3 else None
            sums = np.bincount(_rows_of(self.entries[0]), weights=counts, minlength=m)
            per_row = sums if counts is not None else n - sums
        elif self.entries is not None:
            per_row = self.entries.sum(axis=1, dtype=np.float64)
        return float(np.sum(per_row if self.rows is None else self.rows * np.asarray(per_row)))

    def matrix(self, numbers: type[np.floating[Any]]) -> _core.Matrix:
        if self.plain:
            return to_matrix(self.X, numbers)
        if not self.stored:
            matrix = to_matrix(self.X, numbers)
        else:
            _refuse_bad_values(self.X)
            parts = compressed_parts(self.X)
            matrix = _core.observed(self.X.shape, parts[0], parts[1], self.X.data.astype(numbers))
        return _core.weighted(matrix, self.entries, self.rows, self.columns)


def lift_mask(X: Any, missing: str, name: str = "X") -> Any:
    """X with NaN in the place of entries that a mask hides; X itself if there are none. Copies what it changes."""
    if isinstance(X, list | tuple) and any(np.ma.is_masked(row) for row in X):
        X = np.ma.stack([np.ma.asarray(row) for row in X])
    if not np.ma.is_masked(X):
        return X
    mask = np.ma.getmaskarray(X)
    data = np.ma.getdata(X)
    lifted = np.array(data, dtype=data.dtype if data.dtype in (np.float32, np.float64) else np.float64, order="C")
    lifted[mask] = 0
    if missing != "nan" and np.isnan(lifted).any():
        _refuse_nan(name, missing, *np.argwhere(np.isnan(lifted))[0])
    lifted[mask] = np.nan
    return lifted


def observe(
    X: Any,
    missing: str,
    numbers: type[np.floating[Any]],
    *,
    weights: Any = None,
    rows: NDArray[np.float64] | None = None,
    columns: NDArray[np.float64] | None = None,
    masked: bool = False,
) -> Observed:
    """X is an array or a scipy matrix of real numbers, in which NaN is missing if ``missing`` says so or if a mask was
    lifted. It stays as it is: what changes is copied."""
    if weights is not None:
        weights = _checked_weights(weights, X.shape)
    if sp.issparse(X):
        X, entries, stored = _sparse_entries(X, missing, weights, numbers)
    else:
        X, entries = _dense_entries(X, missing, weights, numbers, masked)
        stored = False
    return Observed(X, entries, rows, columns, stored)


def line_weights(weights: Any, name: str) -> NDArray[np.float64] | None:
    """One number for every row or column; how many there must be, the engine says."""
    if weights is None:
        return None
    return np.ascontiguousarray(real_matrix(weights, name, dimensions=(1,)), dtype=np.float64)


def _dense_entries(
    X: NDArray[Any], missing: str, weights: Any, numbers: type[np.floating[Any]], masked: bool
) -> tuple[NDArray[Any], Any]:
    gone = None
    if X.dtype.kind == "f" and (masked or missing != "error") and np.isnan(X.min()):
        if missing == "zeros" and not masked:
            _refuse_nan("X", missing, *np.argwhere(np.isnan(X))[0])
        X = np.array(X, dtype=numbers, order="C")
        gone = _core.take_missing(X)
    zeros = missing == "zeros"
    if weights is None:
        return X, "stored" if zeros else gone
    if sp.issparse(weights):
        if gone is not None:
            weights = weights - weights.multiply(_at_places(gone, X.shape))
        if zeros:
            weights = weights.multiply(X != 0)
        return X, _sparse_weights(weights, numbers)
    weights = np.array(weights, dtype=numbers, order="C")
    if gone is not None:
        weights[_rows_of(gone[0]), gone[1]] = 0
    if zeros:
        weights[X == 0] = 0
    return X, weights


def _sparse_entries(X: Any, missing: str, weights: Any, numbers: type[np.floating[Any]]) -> tuple[Any, Any, bool]:
    if X.format not in ("csr", "csc"):
        X = X.tocsr()
    has_nan = missing != "error" and X.data.dtype.kind == "f" and bool(np.isnan(X.data).any())
    if missing == "zeros":
        X = _canonical(X)
        if has_nan:
            at = int(np.isnan(X.data).argmax())
            _refuse_nan("X", missing, _rows_of(X.indptr)[at], X.indices[at])
        if weights is None:
            return X, "stored", True
        return X, _sparse_weights(_where_stored(X, weights), numbers), False
    gone = None
    if has_nan:
        X = _canonical(X)
        is_gone = np.isnan(X.data)
        before = np.concatenate([[0], np.cumsum(is_gone)])
        gone = (before[X.indptr].astype(np.int64), X.indices[is_gone].astype(np.uint32))
        X.data[is_gone] = 0
    if weights is None:
        return X, gone, False
    if sp.issparse(weights):
        if gone is not None:
            weights = weights - weights.multiply(_at_places(gone, X.shape))
        return X, _sparse_weights(weights, numbers), False
    weights = np.array(weights, dtype=numbers, order="C")
    if gone is not None:
        weights[_rows_of(gone[0]), gone[1]] = 0
    return X, weights, False


def _where_stored(X: Any, weights: Any) -> Any:
    """Weights of what X stores, zeros among it."""
    if not sp.issparse(weights):
        return sp.csr_matrix((np.asarray(weights)[_rows_of(X.indptr), X.indices], X.indices, X.indptr), shape=X.shape)
    pattern = sp.csr_matrix((np.ones(X.nnz), X.indices, X.indptr), shape=X.shape)
    return pattern.multiply(weights)


def _checked_weights(weights: Any, shape: tuple[int, int]) -> Any:
    weights = real_matrix(weights, "weights", sparse=True)
    if weights.shape != shape:
        raise ValueError(
            f"weights is {weights.shape[0]} x {weights.shape[1]}, but X is {shape[0]} x {shape[1]}; they must have the"
            " same size."
        )
    return weights


def _canonical(X: Any) -> Any:
    """A copy by rows, columns ascending, repeated positions added, zeros kept."""
    X = sp.csr_matrix(X, copy=True)
    X.sum_duplicates()
    return X


def _sparse_weights(weights: Any, numbers: type[np.floating[Any]]) -> tuple[Any, ...]:
    weights = _canonical(weights)
    return (*compressed_parts(weights), weights.data.astype(numbers))


def _at_places(places: tuple[NDArray[Any], NDArray[Any]], shape: tuple[int, int]) -> Any:
    offsets, indices = places
    return sp.csr_matrix((np.ones(len(indices)), indices.astype(np.int64), offsets), shape=shape)


def _rows_of(offsets: NDArray[Any]) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def _refuse_bad_values(X: Any) -> None:
    bad = ~((X.data >= 0) & np.isfinite(X.data))
    if bad.any():
        at = int(bad.argmax())
        raise ValueError(
            f"X[{_rows_of(X.indptr)[at]}, {X.indices[at]}] = {X.data[at]} (row and column counted from 0); entries must"
            " be finite and >= 0."
        )


def _refuse_nan(name: str, missing: str, row: int, column: int) -> None:
    advice = 'With missing="zeros" zeros are what is missing' if missing == "zeros" else "The mask does not hide it"
    raise ValueError(
        f"{name}[{row}, {column}] is NaN (row and column counted from 0). {advice}; say missing="
        '"nan" if NaN stands for entries that nobody has observed, or replace such entries first.'
    )
