# SPDX-License-Identifier: MIT
"""W H at places, without the rest of the product."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anmf._matrix import real_matrix

# Rows of both factors that are multiplied together.
_AT_ONCE = 1 << 16


def predict_entries(W: ArrayLike, H: ArrayLike, rows: ArrayLike, cols: ArrayLike) -> NDArray[Any]:
    """Entries (rows[k], cols[k]) of W H for every k, in time and memory for these alone.

    ``rows`` and ``cols`` are whole numbers, counted from 0, of shapes that broadcast: ``rows[:, None]`` and ``cols``
    are the block of these rows and columns.
    """
    left, right = real_matrix(W, "W"), real_matrix(H, "H").T
    (m, r), (n, s) = left.shape, right.shape
    if r != s:
        raise ValueError(f"W is {m} x {r} and H is {s} x {n}; W must have as many columns as H has rows.")
    at_rows, at_cols = np.broadcast_arrays(_places(rows, "rows", m), _places(cols, "cols", n))
    shape, at_rows, at_cols = at_rows.shape, at_rows.ravel(), at_cols.ravel()
    found = np.empty(at_rows.size, dtype=np.result_type(left, right, np.float32))
    for begin in range(0, at_rows.size, _AT_ONCE):
        part = slice(begin, begin + _AT_ONCE)
        found[part] = np.einsum("kr,kr->k", left[at_rows[part]], right[at_cols[part]])
    return found.reshape(shape)


def _places(places: ArrayLike, name: str, size: int) -> NDArray[np.integer[Any]]:
    array = np.asarray(places)
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} has entries of type {array.dtype}; they must be whole numbers, counted from 0.")
    bad = (array < 0) | (array >= size)
    if bad.any():
        raise ValueError(f"{name} has {array[bad].flat[0]}; {name} are counted from 0 and must be below {size}.")
    return array
