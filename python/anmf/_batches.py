# SPDX-License-Identifier: MIT
"""What ``anmf.MiniBatchNMF`` is made of: a batch of rows, the components that learn from it, and when a fit ends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from anmf import _core
from anmf._loss import level_weights
from anmf._matrix import to_matrix


class Batch:
    """The engine's matrix over some rows of X, and what else is asked of them."""

    def __init__(self, X: Any, numbers: type[np.floating[Any]]) -> None:
        self.matrix = to_matrix(X, numbers)
        self.numbers = numbers
        self.n_samples = int(X.shape[0])
        self.n_features = int(X.shape[1])
        self.mean = float(X.mean())

    def level_weights(self, n_components: int) -> NDArray[Any]:
        return level_weights(self.mean, self.n_samples, n_components, self.numbers)


def batches_of(X: Any, size: int, numbers: type[np.floating[Any]]) -> list[tuple[slice, Batch]]:
    """All of X, with the rows of each batch; the matrices are made once and serve every pass."""
    return [(rows, Batch(X[rows], numbers)) for rows in gen_batches(X.shape[0], size)]


@dataclass
class Learner:
    """Components H, as H' in the order in which the engine updates them in place, and the sums of which they are
    quotients. ``H`` is the array that users see: a view of ``Ht``, or one of the caller's that is kept in step."""

    Ht: NDArray[Any]
    above: NDArray[Any]
    below: NDArray[Any]
    memory: float  #: what a batch leaves of the weight of those before it
    H: NDArray[Any]

    @staticmethod
    def from_start(H: NDArray[Any], memory: float) -> Learner:
        Ht = np.ascontiguousarray(H.T)
        return Learner(Ht, Ht.copy(), np.ones_like(Ht), memory, H)

    def learn(self, batch: Batch, W: NDArray[Any], options: _core.UpdateOptions, limits: _core.UpdateLimits) -> float:
        """Updates W, and then the components; returns the loss between both."""
        return _core.learn_batch(batch.matrix, W, self.Ht, self.above, self.below, self.memory, options, limits)

    def publish(self) -> NDArray[Any]:
        if not np.shares_memory(self.H, self.Ht):
            self.H[...] = self.Ht.T
        return self.H


def writable(H: NDArray[Any]) -> NDArray[Any]:
    """Arrays that joblib shares between processes are not."""
    return H if H.flags.writeable else H.copy(order="K")


class Course:
    """Says when a fit has ended, by scikit-learn's two rules and in its words: the components change little, or the
    smoothed cost of a row has not fallen for some batches."""

    def __init__(self, n_samples: int, most_steps: int, tol: float, patience: int | None, verbose: int) -> None:
        self.n_samples = n_samples
        self.most_steps = most_steps
        self.tol = tol
        self.patience = math.inf if patience is None else patience
        self.verbose = verbose
        self.step = 0
        self._smoothed: float | None = None
        self._least = math.inf
        self._without_improvement = 0

    def has_ended(self, cost: float, rows: int, before: NDArray[Any], now: NDArray[Any]) -> bool:
        self.step += 1
        if self.step == 1:  # the cost is that of the start
            self._say("Minibatch step", f": mean batch cost: {cost}")
            return False
        share = min(1.0, rows / (self.n_samples + 1))
        self._smoothed = cost if self._smoothed is None else self._smoothed * (1 - share) + cost * share
        self._say("Minibatch step", f": mean batch cost: {cost}, ewa cost: {self._smoothed}")
        if self.tol > 0 and np.linalg.norm(now - before) <= self.tol * np.linalg.norm(now):
            self._say("Converged (small H change) at step")
            return True
        self._without_improvement = 0 if self._smoothed < self._least else self._without_improvement + 1
        self._least = min(self._least, self._smoothed)
        if self._without_improvement >= self.patience:
            self._say("Converged (lack of improvement in objective function) at step")
            return True
        return False

    def _say(self, what: str, numbers: str = "") -> None:
        if self.verbose:
            print(f"{what} {self.step}/{self.most_steps}{numbers}")
