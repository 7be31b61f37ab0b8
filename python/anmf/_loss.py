# SPDX-License-Identifier: MIT
"""``beta_loss`` by scikit-learn's names and with its errors, as the engine takes it."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BETA = {"frobenius": 2.0, "kullback-leibler": 1.0, "itakura-saito": 0.0}


def beta_of(beta_loss: float | str) -> float:
    return _BETA[beta_loss] if isinstance(beta_loss, str) else float(beta_loss)


def engine_loss(beta_loss: float | str) -> str:
    """The engine's ``loss``, which is a word or a number written out."""
    return beta_loss if isinstance(beta_loss, str) else repr(float(beta_loss))


def check_solver(solver: str, beta_loss: float | str, init: str | None) -> None:
    """What scikit-learn says of its own solvers; the engine says it of the others."""
    if solver == "cd" and beta_of(beta_loss) != 2:
        raise ValueError(
            f"Invalid beta_loss parameter: solver {solver!r} does not handle beta_loss = {beta_loss!r}; solver 'auto'"
            " and 'mu' do"
        )
    if solver == "mu" and init == "nndsvd":
        warnings.warn(
            "The multiplicative update ('mu') solver cannot update zeros present in the initialization, and so leads to"
            " poorer results when used jointly with init='nndsvd'. You may try init='nndsvda' or init='nndsvdar'"
            " instead.",
            UserWarning,
            stacklevel=5,
        )


def refuse_zeros(X: Any, beta_loss: float | str) -> None:
    if beta_of(beta_loss) <= 0 and X.min() == 0:
        raise ValueError(
            "When beta_loss <= 0 and X contains zeros, the solver may diverge. Please add small values to X, or use a"
            " positive beta_loss."
        )


def level_weights(mean: float, n_samples: int, n_components: int, numbers: type[np.floating[Any]]) -> NDArray[Any]:
    """scikit-learn's start of W where H is given and updates are multiplicative; ``mean`` is that of X."""
    return np.full((n_samples, n_components), math.sqrt(mean / n_components), dtype=numbers)
