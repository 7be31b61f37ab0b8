# SPDX-License-Identifier: MIT
"""From what people have, numpy arrays and scipy matrices, to the engine's matrix, without copies where possible."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

from anmf import _core

# Dense entries of these types are used as they are; others become float64 first.
STORED_TYPES = (np.float64, np.float32, np.uint8, np.uint16)


def refuse_masked(X: Any, name: str) -> None:
    """Entries that a mask declares missing would be taken as they lie below it."""
    rows = X if isinstance(X, list | tuple) else [X]
    masked = int(sum(np.sum(np.ma.getmask(row)) for row in rows if np.ma.is_masked(row)))
    if masked:
        raise ValueError(
            f"{name} has masked entries, {masked} in all; missing entries are not supported. Fill them first, as"
            " numpy.ma.filled(X, 0) does, or leave out their rows or columns."
        )


def real_matrix(X: Any, name: str, *, dimensions: tuple[int, ...] = (2,), sparse: bool = False) -> Any:
    """X as an array of real numbers, as it is where it is one, or as it is if it is sparse and may be so."""
    refuse_masked(X, name)
    if not sp.issparse(X):
        X = np.asarray(_without_na(X))
    elif not sparse:
        raise TypeError(f"{name} is sparse; it must be a dense array, as {name}.toarray() makes one.")
    if X.ndim not in dimensions:
        allowed = " or ".join(map(str, dimensions))
        raise ValueError(f"{name} has {X.ndim} dimensions; it must have {allowed}.")
    if X.dtype.kind == "O":  # numbers of pandas' own types come so
        with contextlib.suppress(TypeError, ValueError):
            X = X.astype(np.float64)
    if X.dtype.kind not in "biuf":
        raise TypeError(f"{name} has entries of type {X.dtype}; they must be real numbers.")
    if 0 in X.shape:
        raise ValueError(f"{name} has the shape {X.shape}; it must have at least one row and one column.")
    return X


def _without_na(X: Any) -> Any:
    """A frame of pandas' own types, whose NA numpy does not know, with NaN for it."""
    if any(getattr(dtype, "na_value", np.nan) is not np.nan for dtype in getattr(X, "dtypes", ())):
        with contextlib.suppress(TypeError, ValueError):
            return X.to_numpy(dtype=np.float64, na_value=np.nan)
    return X


def number_type(dtype: DTypeLike) -> type[np.floating[Any]]:
    """The type to compute in: float32 for float32, else float64."""
    return np.float32 if np.dtype(dtype) == np.float32 else np.float64


def to_matrix(X: Any, dtype: type[np.floating[Any]]) -> _core.Matrix:
    """The engine's matrix over X, which is a numpy array or a scipy matrix of real numbers, computed with in dtype."""
    return _sparse(X, dtype) if sp.issparse(X) else _dense(X, dtype)


def _dense(X: NDArray[Any], dtype: type[np.floating[Any]]) -> _core.Matrix:
    kept = X.dtype.isnative and X.dtype.type in STORED_TYPES and not (dtype is np.float32 and X.dtype == np.float64)
    if not kept:
        X = X.astype(dtype)
    if not _rows_or_columns_lie_together(X):
        X = np.ascontiguousarray(X)
    return _core.dense(X, dtype is np.float32)


def _rows_or_columns_lie_together(X: NDArray[Any]) -> bool:
    size = X.itemsize
    if not X.flags.aligned or any(step % size for step in X.strides):
        return False
    (rows, cols), (down, right) = X.shape, X.strides
    by_rows = (right == size or cols == 1) and (down >= cols * size or rows == 1)
    by_columns = (down == size or rows == 1) and (right >= rows * size or cols == 1)
    return bool(by_rows or by_columns)


def compressed_parts(X: Any) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Offsets and columns of a canonical CSR matrix, as the engine keeps them."""
    return np.ascontiguousarray(X.indptr, dtype=np.int64), np.ascontiguousarray(X.indices, dtype=np.uint32)


def _sparse(X: Any, dtype: type[np.floating[Any]]) -> _core.Matrix:
    if X.format not in ("csr", "csc"):
        X = X.tocsr()
    indices = X.indices if X.indices.dtype in (np.int32, np.int64) else X.indices.astype(np.int64)
    return _core.sparse(
        X.shape,
        X.format == "csc",
        np.ascontiguousarray(X.indptr, dtype=np.int64),
        np.ascontiguousarray(indices),
        np.ascontiguousarray(X.data, dtype=dtype),
    )
