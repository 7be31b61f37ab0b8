# SPDX-License-Identifier: MIT
"""anmf.best_rank_error: what no factorization of a rank can beat."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from anmf import _core
from anmf._matrix import number_type, real_matrix, to_matrix
from anmf._threads import thread_count


def best_rank_error(X: Any, rank: int, *, W: Any = None, H: Any = None, threads: int | None = None) -> float:
    """||X - Y|| / ||X|| for the matrix Y of that rank that is closest to X, by a randomised decomposition.

    Factors of any sign are allowed, so a nonnegative factorization cannot have a smaller relative error. X is a numpy
    array or a scipy matrix without negative entries. With the factors W and H of a factorization of X of that rank, the
    search begins from them and takes about half the time.
    """
    X = real_matrix(X, "X", sparse=True)
    numbers = number_type(X.dtype)
    if (W is None) != (H is None):
        raise ValueError("W and H are given together or not at all.")
    W0, H0 = (
        None if F is None else np.ascontiguousarray(real_matrix(F, name), dtype=numbers)
        for F, name in ((W, "W"), (H, "H"))
    )
    if W0 is not None and W0.shape[1] != rank:
        raise ValueError(f"W has {W0.shape[1]} columns, but the rank is {rank}.")
    return _core.best_rank_error(to_matrix(X, numbers), operator.index(rank), W0, H0, thread_count(threads))
