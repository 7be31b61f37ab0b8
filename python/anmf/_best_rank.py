# SPDX-License-Identifier: MIT
"""anmf.best_rank_error: what no factorization of a rank can beat."""

from __future__ import annotations

import operator
from typing import Any

from anmf import _core
from anmf._matrix import number_type, real_matrix, to_matrix
from anmf._threads import thread_count


def best_rank_error(X: Any, rank: int, *, threads: int | None = None) -> float:
    """||X - Y|| / ||X|| for the matrix Y of that rank that is closest to X, by a randomised decomposition.

    Factors of any sign are allowed, so a nonnegative factorization cannot have a smaller relative error. X is a numpy
    array or a scipy matrix without negative entries.
    """
    X = real_matrix(X, "X", sparse=True)
    matrix = to_matrix(X, number_type(X.dtype))
    return _core.best_rank_error(matrix, operator.index(rank), thread_count(threads))
