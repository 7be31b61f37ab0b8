# SPDX-License-Identifier: MIT
"""What ``anmf.NMF`` and ``anmf.MiniBatchNMF`` share: parameters, checks of start factors, and what an estimator of
scikit-learn has besides."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from anmf import _core
from anmf._estimator import NonnegativeTransformer
from anmf._loss import engine_loss
from anmf._matrix import refuse_masked
from anmf._start import INITS, check_factor
from anmf._threads import thread_count


class BaseNMF(ClassNamePrefixFeaturesOutMixin, NonnegativeTransformer):  # type: ignore[misc]
    n_components: int | str | None
    init: str | None
    beta_loss: float | str
    tol: float
    max_iter: int
    alpha_W: float
    alpha_H: float | str
    l1_ratio: float
    n_threads: int | None
    components_: NDArray[Any]

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None, StrOptions({"auto"})],
        "init": [StrOptions({*INITS, "custom"}), None],
        "beta_loss": [StrOptions({"frobenius", "kullback-leibler", "itakura-saito"}), Real],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "alpha_W": [Interval(Real, 0, None, closed="left")],
        "alpha_H": [Interval(Real, 0, None, closed="left"), StrOptions({"same"})],
        "l1_ratio": [Interval(Real, 0, 1, closed="both")],
        "verbose": ["verbose"],
        "n_threads": [Interval(Integral, 0, 4096, closed="both"), None],
    }

    def fit(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Learn the components of X. ``params`` are W and H for ``init="custom"``."""
        self.fit_transform(X, y, **params)
        return self

    def inverse_transform(self, X: Any = None, *, Xt: Any = None) -> NDArray[Any]:
        """W H for W = X, which scikit-learn before 1.7 also calls Xt."""
        if Xt is not None:
            if X is not None:
                raise TypeError("Cannot use both X and Xt. Use X only.")
            warnings.warn("Xt was renamed X in version 1.5 and will be removed in 1.7.", FutureWarning, stacklevel=2)
            X = Xt
        if X is None:
            raise TypeError("Missing required positional argument: X.")
        check_is_fitted(self, "components_")
        refuse_masked(X, "X")
        product: NDArray[Any] = X @ self.components_
        return product

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def _given_start(
        self, X: Any, W: Any, H: Any, numbers: type[np.floating[Any]]
    ) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """The caller's start factors, and the number of components."""
        n_samples, n_features = X.shape
        rank = n_features if self.n_components is None else self.n_components
        if self.init != "custom":
            if W is not None or H is not None:
                warnings.warn(
                    "When init!='custom', provided W or H are ignored. Set  init='custom' to use them as"
                    " initialization.",
                    RuntimeWarning,
                    stacklevel=4,
                )
            self._n_components = n_features if isinstance(rank, str) else rank
            return None
        H = check_factor(H, rank, n_features, "NMF (input H)")
        W = check_factor(W, n_samples, H.shape[0], "NMF (input W)")
        self._n_components = H.shape[0]
        if H.dtype != numbers or W.dtype != numbers:
            raise TypeError(
                f"H and W should have the same dtype as X. Got H.dtype = {H.dtype} and W.dtype = {W.dtype}."
            )
        return W, H

    def _update_options(self) -> _core.UpdateOptions:
        """The objective, as multiplicative updates take it."""
        alpha_H = self.alpha_W if isinstance(self.alpha_H, str) else self.alpha_H
        return _core.UpdateOptions(
            loss=engine_loss(self.beta_loss),
            alpha_W=float(self.alpha_W),
            alpha_H=float(alpha_H),
            l1_ratio=float(self.l1_ratio),
            threads=thread_count(self.n_threads),
        )

    def _best_weights(self, matrix: _core.Matrix, H: NDArray[Any]) -> NDArray[Any]:
        """The W that minimises the objective for these components."""
        W, _ = _core.fit_rows(
            matrix,
            np.ascontiguousarray(H),
            engine_loss(self.beta_loss),
            float(self.alpha_W),
            float(self.l1_ratio),
            thread_count(self.n_threads),
        )
        return W

    def _warn_about_iterations(self, stacklevel: int) -> None:
        warnings.warn(
            f"Maximum number of iterations {self.max_iter} reached. Increase it to improve convergence.",
            ConvergenceWarning,
            stacklevel=stacklevel + 1,
        )
