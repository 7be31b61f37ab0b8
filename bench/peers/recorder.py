# SPDX-License-Identifier: MIT
"""The clock of a run and its curve (iteration, seconds, relative error).

The clock stands still while the harness works: an adapter calls iteration(W, H) after each outer iteration,
and the error of the factors is computed here, the same way for every peer. Snapshots are 1 % of the elapsed
time apart, which keeps long runs affordable; iteration 200, the default end of scikit-learn, is always among
them.
"""

import time

import numpy as np
import scipy.sparse

from problems import inner_product, squared_norm, squared_norm_of_product

SPACING = 1.01
REFERENCE_ITERATION = 200


class RunIsOver(Exception):
    """Raised into the peer's loop when the time is up."""


def dense(factor) -> np.ndarray:
    return factor.toarray() if scipy.sparse.issparse(factor) else np.asarray(factor)


class Recorder:
    def __init__(self, matrix, W, H, seconds: float, max_iterations: int | None = None):
        self._matrix = matrix
        self._squared_norm = squared_norm(matrix)
        self._limit = seconds
        self._max_iterations = max_iterations
        self._elapsed = 0.0
        self._resumed: float | None = None
        self._iteration = 0
        self.norm = float(np.sqrt(self._squared_norm))
        self.curve: list[tuple[int, float, float]] = []
        self.own_error: float | None = None
        self.note = ""
        self.peak_mb: float | None = None  # of a program of its own; else the worker's peak counts
        self.add(0, 0.0, W, H)

    def start(self) -> None:
        """Starts the clock. Further calls do nothing, so that an adapter may call it at each iteration."""
        if self._resumed is None:
            self._resumed = time.perf_counter()

    def iteration(self, W, H) -> None:
        """One outer iteration is done. Raises RunIsOver when the time is up."""
        self._elapsed += time.perf_counter() - self._resumed
        self._iteration += 1
        over = self._elapsed >= self._limit or self._iteration == self._max_iterations
        if over or self.wants(self._iteration, self._elapsed):
            self.add(self._iteration, self._elapsed, W, H)
        if self._elapsed >= self._limit:
            raise RunIsOver
        self._resumed = time.perf_counter()

    def wants(self, iteration: int, seconds: float) -> bool:
        return iteration == REFERENCE_ITERATION or seconds >= SPACING * self.curve[-1][1]

    def add(self, iteration: int, seconds: float, W, H) -> None:
        """Adds a snapshot that was timed elsewhere."""
        self.W, self.H = dense(W), dense(H)
        self.curve.append((iteration, seconds, self.relative_error(self.W, self.H)))

    def relative_error(self, W, H) -> float:
        """|| M - W H || / || M || from || M ||^2 - 2 <M, W H> + || W H ||^2."""
        squared = self._squared_norm - 2 * inner_product(self._matrix, W, H) + squared_norm_of_product(W, H)
        return float(np.sqrt(max(squared, 0.0)) / self.norm)
