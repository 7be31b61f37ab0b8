# SPDX-License-Identifier: MIT
"""anmf.non_negative_factorization, in the place of scikit-learn's."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from sklearn.utils._param_validation import validate_params

from anmf._nmf import NMF


@validate_params(  # type: ignore[untyped-decorator]
    {
        "X": ["array-like", "sparse matrix"],
        "W": ["array-like", None],
        "H": ["array-like", None],
        "update_H": ["boolean"],
    },
    prefer_skip_nested_validation=False,
)
def non_negative_factorization(
    X: Any,
    W: Any = None,
    H: Any = None,
    n_components: int | str | None = "auto",
    *,
    init: str | None = None,
    update_H: bool = True,
    solver: str = "auto",
    beta_loss: float | str = "frobenius",
    tol: float = 1e-4,
    max_iter: int = 200,
    alpha_W: float = 0.0,
    alpha_H: float | str = "same",
    l1_ratio: float = 0.0,
    random_state: Any = None,
    verbose: int = 0,
    shuffle: bool = False,
    n_threads: int | None = None,
) -> tuple[NDArray[Any], NDArray[Any], int]:
    """W, H and the number of iterations, with scikit-learn's signature; the parameters are those of ``NMF``.

    With ``update_H=False`` the given H stays, and W is that of ``NMF.transform``.
    """
    model = NMF(
        n_components,
        init=init,
        solver=solver,
        beta_loss=beta_loss,
        tol=tol,
        max_iter=max_iter,
        random_state=random_state,
        alpha_W=alpha_W,
        alpha_H=alpha_H,
        l1_ratio=l1_ratio,
        verbose=verbose,
        shuffle=shuffle,
        n_threads=n_threads,
    )
    model._validate_params()
    return model._factors(X, W, H, update_H)
