# SPDX-License-Identifier: MIT
"""anmf.patch_sklearn: programs that call scikit-learn's NMF get ours, unchanged."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import sklearn.decomposition._nmf as scikit_learn  # where the names are defined they keep their meaning
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

import anmf._mini_batch
import anmf._nmf
from anmf._loss import beta_of

#: The betas that the engine has.
_BETAS = (-5.0, 5.0)


class _Ours(anmf._nmf.NMF):
    """A run goes to the minimum that its start leads to, as scikit-learn's does."""

    _explore = "off"


_Ours.__name__ = "NMF"  # for messages


def _handles(beta_loss: Any) -> bool:
    """What is no loss at all, scikit-learn refuses."""
    try:
        return _BETAS[0] <= beta_of(beta_loss) <= _BETAS[1]
    except (KeyError, TypeError, ValueError):
        return False


def is_ours(solver: str, beta_loss: Any) -> bool:
    """Whether scikit-learn's function of this solver and loss is computed by anmf."""
    return solver in ("cd", "mu") and _handles(beta_loss)


def _fastest(solver: str, beta_loss: Any, init: str | None, *given: Any) -> str:
    """The fastest method with the meaning of one of scikit-learn's solvers. Multiplicative updates keep the zeros of a
    start, which some count on: they stay what they are from starts with zeros, and for the loss for which there is
    another solver to choose."""
    if solver != "mu":
        return "auto" if beta_of(beta_loss) == 2 else solver  # which is refused
    zeros = init == "nndsvd" or (init == "custom" and any(not np.all(F) for F in given))
    return "mu" if zeros or beta_of(beta_loss) == 2 else "auto"


def _copy_fitted(source: Any, target: Any) -> None:
    for name, value in vars(source).items():
        if name.endswith("_") or name == "_learner":
            setattr(target, name, value)


class NMF(scikit_learn.NMF):  # type: ignore[misc]
    """scikit-learn's NMF, computed by anmf; see ``anmf.patch_sklearn``."""

    def fit_transform(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> NDArray[Any]:
        """Learn the components of X and return its W. The start factors W and H need ``init="custom"``."""
        self._validate_params()
        if not _handles(self.beta_loss):
            return super().fit_transform(X, y, W=W, H=H)  # type: ignore[no-any-return]
        model = _Ours(**self.get_params() | {"solver": _fastest(self.solver, self.beta_loss, self.init, W, H)})
        fitted: NDArray[Any] = model.fit_transform(X, W=W, H=H)
        _copy_fitted(model, self)
        return fitted

    def transform(self, X: Any) -> NDArray[Any]:
        """The W that fits X best with the components as they are."""
        check_is_fitted(self, "components_")
        if not _handles(self.beta_loss):
            return super().transform(X)  # type: ignore[no-any-return]
        model = _Ours(**self.get_params() | {"solver": "auto"})
        _copy_fitted(self, model)
        return model.transform(X)


class MiniBatchNMF(scikit_learn.MiniBatchNMF):  # type: ignore[misc]
    """scikit-learn's MiniBatchNMF, computed by anmf; see ``anmf.patch_sklearn``."""

    def fit_transform(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> NDArray[Any]:
        """Learn the components of X and return its W. The start factors W and H need ``init="custom"``."""
        self._validate_params()
        if not _handles(self.beta_loss):
            return super().fit_transform(X, y, W=W, H=H)  # type: ignore[no-any-return]
        model = anmf._mini_batch.MiniBatchNMF(**self.get_params())
        fitted: NDArray[Any] = model.fit_transform(X, W=W, H=H)
        _copy_fitted(model, self)
        return fitted

    def partial_fit(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> MiniBatchNMF:
        """Learn from X as one batch, beside what is known from those before it."""
        self._validate_params()
        if not _handles(self.beta_loss):
            return super().partial_fit(X, y, W=W, H=H)  # type: ignore[no-any-return]
        model = self._fitted()
        model.partial_fit(X, W=W, H=H)
        _copy_fitted(model, self)
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """The W that fits X best with the components as they are, or W after ``transform_max_iter`` updates."""
        check_is_fitted(self, "components_")
        if not _handles(self.beta_loss):
            return super().transform(X)  # type: ignore[no-any-return]
        return self._fitted().transform(X)

    def _fitted(self) -> anmf._mini_batch.MiniBatchNMF:
        model = anmf._mini_batch.MiniBatchNMF(**self.get_params())
        _copy_fitted(self, model)
        return model


def non_negative_factorization(
    X: Any,
    W: Any = None,
    H: Any = None,
    n_components: Any = "auto",
    *,
    update_H: bool = True,
    solver: str = "cd",
    beta_loss: Any = "frobenius",
    init: str | None = None,
    **parameters: Any,
) -> tuple[NDArray[Any], NDArray[Any], int]:
    """scikit-learn's function, computed by anmf; see ``anmf.patch_sklearn``."""
    options = {**parameters, "init": init, "beta_loss": beta_loss}
    if not is_ours(solver, beta_loss):
        factors: tuple[NDArray[Any], NDArray[Any], int] = scikit_learn.non_negative_factorization(
            X, W, H, n_components, update_H=update_H, solver=solver, **options
        )
        return factors
    fastest = _fastest(solver, beta_loss, init, W, H) if update_H else _fastest(solver, beta_loss, None)
    model = _Ours(n_components, solver=fastest, **options)
    model._validate_params()
    return model._factors(X, W, H, update_H)


_PAIRS = (
    (scikit_learn.NMF, NMF),
    (scikit_learn.MiniBatchNMF, MiniBatchNMF),
    (scikit_learn.non_negative_factorization, non_negative_factorization),
)


def patch_sklearn() -> None:
    """Let anmf compute ``NMF``, ``MiniBatchNMF`` and ``non_negative_factorization`` of ``sklearn.decomposition``.

    Programs that call them need no change: parameters, attributes and the objective are scikit-learn's. ``solver="cd"``
    becomes anmf's fastest method, and so does ``"mu"`` with a loss other than Frobenius, unless the start has zeros,
    which "mu" keeps. Iterations are fewer then, and ``max_iter`` and ``n_iter_`` count those; ``tol`` is that of
    ``anmf.NMF``. As with scikit-learn a run ends in the minimum that its start leads to.

    Modules that have imported the names already get the new ones too. Names that were bound elsewhere than in a module,
    in a class or as a default argument, and estimators that were made before keep scikit-learn's meaning, and so does
    another process, unless it was forked from this one or calls this function itself.
    """
    _exchange({id(theirs): new for theirs, new in _PAIRS})


def unpatch_sklearn() -> None:
    """Undo ``patch_sklearn``. Estimators that were made meanwhile stay anmf's."""
    _exchange({id(new): theirs for theirs, new in _PAIRS})


def _exchange(replacement: dict[int, Any]) -> None:
    """In the names of all modules but those that define both."""
    for key, module in list(sys.modules.items()):
        names = getattr(module, "__dict__", None)
        if not isinstance(names, dict) or key.split(".")[0] == "anmf" or module is scikit_learn:
            continue
        for name, value in list(names.items()):
            if id(value) in replacement:
                names[name] = replacement[id(value)]
