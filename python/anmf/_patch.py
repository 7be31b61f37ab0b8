# SPDX-License-Identifier: MIT
"""anmf.patch_sklearn: programs that call scikit-learn's NMF get ours, unchanged."""

from __future__ import annotations

import sys
from typing import Any

import sklearn.decomposition._nmf as scikit_learn  # where the names are defined they keep their meaning
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

import anmf._nmf as ours

#: The fastest method with the meaning of each of scikit-learn's solvers. Multiplicative updates keep the zeros of the
#: start, which some count on, so they stay what they are.
_SOLVERS = {"cd": "auto", "mu": "mu"}


class _Ours(ours.NMF):
    """A run goes to the minimum that its start leads to, as scikit-learn's does."""

    _explore = "off"


def _handles(beta_loss: Any) -> bool:
    return beta_loss in (2, "frobenius")


def _copy_fitted(source: Any, target: Any) -> None:
    for name, value in vars(source).items():
        if name.endswith("_"):
            setattr(target, name, value)


class NMF(scikit_learn.NMF):  # type: ignore[misc]
    """scikit-learn's NMF, computed by anmf wherever anmf has the loss; see ``anmf.patch_sklearn``."""

    def fit_transform(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> NDArray[Any]:
        """Learn the components of X and return its W. The start factors W and H need ``init="custom"``."""
        self._validate_params()
        if not _handles(self.beta_loss):
            return super().fit_transform(X, y, W=W, H=H)  # type: ignore[no-any-return]
        model = self._ours()
        fitted: NDArray[Any] = model.fit_transform(X, W=W, H=H)
        _copy_fitted(model, self)
        return fitted

    def transform(self, X: Any) -> NDArray[Any]:
        """The W that fits X best with the components as they are."""
        check_is_fitted(self)
        if not _handles(self.beta_loss):
            return super().transform(X)  # type: ignore[no-any-return]
        model = self._ours()
        _copy_fitted(self, model)
        return model.transform(X)

    def _ours(self) -> _Ours:
        return _Ours(**self.get_params() | {"solver": _SOLVERS[self.solver]})


def non_negative_factorization(
    X: Any,
    W: Any = None,
    H: Any = None,
    n_components: Any = "auto",
    *,
    update_H: bool = True,
    solver: str = "cd",
    beta_loss: Any = "frobenius",
    **parameters: Any,
) -> tuple[NDArray[Any], NDArray[Any], int]:
    """scikit-learn's function, computed by anmf wherever anmf has the loss; see ``anmf.patch_sklearn``."""
    if solver not in _SOLVERS or not _handles(beta_loss):
        factors: tuple[NDArray[Any], NDArray[Any], int] = scikit_learn.non_negative_factorization(
            X, W, H, n_components, update_H=update_H, solver=solver, beta_loss=beta_loss, **parameters
        )
        return factors
    model = _Ours(n_components, solver=_SOLVERS[solver], **parameters)
    model._validate_params()
    return model._factors(X, W, H, update_H)


_PAIRS = (
    (scikit_learn.NMF, NMF),
    (scikit_learn.non_negative_factorization, non_negative_factorization),
)


def patch_sklearn() -> None:
    """Let ``NMF`` and ``non_negative_factorization`` of ``sklearn.decomposition`` be computed by anmf.

    Programs that call them need no change: parameters, attributes and the objective are scikit-learn's. ``solver="cd"``
    becomes anmf's fastest method, so that iterations are fewer and ``max_iter`` and ``n_iter_`` count those; ``tol``
    is that of ``anmf.NMF``. As with scikit-learn a run ends in the minimum that its start leads to. What anmf does not
    have, losses other than Frobenius and ``MiniBatchNMF``, stays scikit-learn's.

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
