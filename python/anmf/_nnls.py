# SPDX-License-Identifier: MIT
"""anmf.nnls: nonnegative least squares for many right-hand sides."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from anmf import _core
from anmf._matrix import real_matrix
from anmf._threads import thread_count


class NnlsSolution(NamedTuple):
    """x with the shape of A's columns by B's columns, and its certificate."""

    x: NDArray[np.float64]
    #: How far x is from optimal, without a unit: the largest |min(s x, g / s)| over all unknowns, where g is the
    #: gradient and s the norm of the unknown's column of A, relative to the largest |<a, b>| / s of the same b.
    kkt: float


def nnls(A: ArrayLike, B: ArrayLike, *, threads: int | None = None) -> NnlsSolution:
    """Minimise ||A x - b|| over x >= 0 for b, or for every column b of B, exactly.

    Entries may have any sign. The normal equations are solved by block principal pivoting, so digits are lost with the
    square of the condition of A; ``kkt``, which is computed from the residual itself, tells.
    """
    if sp.issparse(A) or sp.issparse(B):
        raise TypeError("A and B must be dense arrays; for a sparse B use anmf.NMF(...).transform.")
    a = np.ascontiguousarray(real_matrix(A, "A"), dtype=np.float64)
    b = real_matrix(B, "B", dimensions=(1, 2))
    columns = np.ascontiguousarray(b.reshape(b.shape[0], -1), dtype=np.float64)
    x, kkt = _core.nnls(a, columns, thread_count(threads))
    return NnlsSolution(x[:, 0] if b.ndim == 1 else x, kkt)
