# SPDX-License-Identifier: MIT
"""Start factors by scikit-learn's names, and checks of given ones with scikit-learn's words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_non_negative

from anmf import _core
from anmf._matrix import number_type, refuse_masked, to_matrix
from anmf._threads import thread_count

#: Inits of the engine; "custom" are the caller's.
INITS = tuple(_core.words("init"))
#: Those that differ from seed to seed.
RANDOM_INITS = ("random", "nndsvdar", "scaled-random")


def choose_init(init: str | None, n_components: int, shape: tuple[int, int]) -> str:
    """What init=None stands for, and whether the init can be used."""
    if init is None:
        return "nndsvda" if n_components <= min(shape) else "random"
    if init.startswith("nndsvd") and n_components > min(shape):
        raise ValueError(f"init = '{init}' can only be used when n_components <= min(n_samples, n_features)")
    return init


def draw_seed(random_state: Any) -> int:
    """A seed for the engine from scikit-learn's random_state."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def check_factor(factor: Any, rows: int | str, cols: int | str, whom: str) -> NDArray[Any]:
    """A given start factor; "auto" leaves a size open."""
    refuse_masked(factor, whom)
    checked: NDArray[Any] = check_array(factor)
    for which, wanted, found in zip(("first", "second"), (rows, cols), checked.shape, strict=True):
        if wanted not in ("auto", found):
            raise ValueError(
                f"Array with wrong {which} dimension passed to {whom}. Expected {wanted}, but got {found}."
            )
    check_non_negative(checked, whom)
    if not checked.any():
        raise ValueError(f"Array passed to {whom} is full of zeros.")
    return checked


def spa_start(X: Any, n_components: int, threads: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """The engine picks columns of its matrix; here samples, of which components are made, are rows."""
    H, W = _core.initial_factors(to_matrix(X.T, number_type(X.dtype)), n_components, "spa", 0, threads)
    return np.ascontiguousarray(W.T), np.ascontiguousarray(H.T)


def _initialize_nmf(
    X: Any, n_components: int, init: str | None = None, eps: float = 1e-6, random_state: Any = None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Start factors alone, with the signature of scikit-learn's function of this name.

    ``eps`` is accepted and not used: the engine drops entries of a size relative to the data.
    """
    del eps
    refuse_masked(X, "X")
    X = check_array(X, accept_sparse=("csr", "csc"))
    check_non_negative(X, "NMF initialization")
    chosen = choose_init(init, n_components, X.shape)
    if chosen == "spa":
        return spa_start(X, n_components, thread_count(None))
    matrix = to_matrix(X, number_type(X.dtype))
    return _core.initial_factors(matrix, n_components, chosen, draw_seed(random_state), thread_count(None))
