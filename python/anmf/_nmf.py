# SPDX-License-Identifier: MIT
"""anmf.NMF, in the place of scikit-learn's."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from anmf import _core
from anmf._base import BaseNMF
from anmf._factorize import Factorization, run, set_options
from anmf._history import Callback
from anmf._loss import check_solver, engine_loss, level_weights, refuse_zeros
from anmf._matrix import STORED_TYPES, number_type
from anmf._observed import MISSING, NAN_ADVICE, Observed, lift_mask, observe
from anmf._predict import predict_entries
from anmf._start import RANDOM_INITS, check_factor, choose_init, draw_seed, spa_start
from anmf._survey_options import best_seed, survey_options
from anmf._threads import thread_count
from anmf._watcher import Watcher

#: Solvers with scikit-learn's meaning, one sweep per iteration; the others are the engine's methods.
_ENGINE_METHOD = {"cd": "hals"}
_SOLVERS = {"auto", *_ENGINE_METHOD, *_core.methods()}
#: What ``tol`` is multiplied with for the engine's own measure of convergence: so scikit-learn's default, 1e-4, becomes
#: the engine's.
_PROMISE_PER_TOL = 0.01


class NMF(BaseNMF):
    """Nonnegative matrix factorization with scikit-learn's interface.

    It finds W (n_samples x n_components) >= 0 and H (n_components x n_features) >= 0, ``components_``, that minimise

        D(X | W H) + alpha_W n_features (l1_ratio sum(W) + (1 - l1_ratio) / 2 ||W||^2)
                   + alpha_H n_samples (l1_ratio sum(H) + (1 - l1_ratio) / 2 ||H||^2)

    with D = ||X - W H||^2 / 2 or another beta-divergence, over the entries of X that somebody has observed, each with
    the weight that ``fit`` gives it. Entries that a mask of numpy.ma hides are missing, whatever ``missing`` says.

    Parameters
    ----------
    n_components : int, "auto" or None
        Number of components. "auto" takes it from given start factors, and else, like None, the number of features.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar", "spa", "scaled-random", "custom"} or None
        Start factors. None is "nndsvda" if n_components <= min(n_samples, n_features), else "random"; "spa" picks rows
        that are far apart, "scaled-random" is the paper's start, "custom" takes W and H from ``fit_transform``. With
        missing or weighted entries None is "scaled-random"; those that are made from all entries, "nndsvd" and its kin
        and "spa", are refused.
    solver : str
        "auto", the fastest for the loss (for "frobenius" extrapolated accelerated HALS, looking for lower minima);
        "cd" and "mu" with scikit-learn's meaning, one sweep per iteration; or "e-a-hals", "e-a-mu", "a-hals", "a-mu",
        "a-pg", "hals", "pg", "anls", and for other losses than "frobenius" also "e-spn", "spn", "e-ccd", "ccd". Not all
        know weights and missing entries; the error for one that does not names those that do.
    beta_loss : {"frobenius", "kullback-leibler", "itakura-saito"} or float from -5 to 5
        The loss D: 2, 1, 0, or another beta. "cd" has "frobenius" alone, "auto" and "mu" have all. With beta <= 0 no
        entry of X may be zero.
    tol : float
        A run has converged when another pass over all entries of W and H promises to lower the objective by at most
        tol / 100 of itself. With "cd" it has when the norm of the projected gradient has fallen to tol times its norm
        at the start; with "mu", as in scikit-learn, when ten iterations lower the error by less than tol times the
        error at the start. 0 never stops.
    max_iter : int
        Most iterations.
    random_state : int, RandomState or None
        Seed of the random starts, of ``shuffle`` and of the solver "auto".
    alpha_W, alpha_H, l1_ratio : float
        Weights of the penalties; alpha_H = "same" is alpha_W.
    verbose : int
        1 prints every tenth iteration, 2 every one.
    shuffle : bool
        Visit the components in a random order in every sweep, for solvers that are HALS.
    n_threads : int or None
        0 takes every core; the result does not depend on it. None is OMP_NUM_THREADS if that is set, else 0.
    time_limit : float or None
        Most seconds of solver time of one start.
    n_init : int
        Number of random starts, of which the best result is kept. It needs a random init; with init=None and more
        than one start, "random" is taken. Starts are made side by side, as ``anmf.survey`` makes them, and the best one
        once more; with ``callback``, ``verbose``, ``time_limit``, penalties or "mu" they are made one after another.
    callback : callable or None
        Called with an ``anmf.Iteration`` after every iteration; a true value stops the run.
    normalize : {"none", "l1", "l2", "max"}
        Scale every row of ``components_`` to norm 1; W takes the scale.
    inner_stop, alpha, epsilon : str, float, float or None
        When the inner iterations of a half-step end, see docs/algorithms.md; None is the default of the solver.
    missing : {"error", "nan", "zeros"}
        Which entries nobody has observed: none, so that NaN is an error; those that are NaN, of a sparse X those that
        it stores as NaN; or those that a sparse X does not store (its explicit zeros were observed), and the zeros of a
        dense one.

    Attributes
    ----------
    components_ : array, n_components x n_features
    n_components_ : int
    reconstruction_err_ : float
        sqrt(2 D(X | W H)), which is ||X - W H|| for "frobenius", of the entries that count.
    n_observed_ : int
        The entries that count.
    n_iter_ : int
    n_iter_compressed_ : int
        Iterations on a compression of X, with which the solver "auto" begins if X is large and dense. They are the
        first one of ``n_iter_``.
    history_ : structured array
        One row per iteration with the fields of ``anmf.Iteration``; row 0 is the start.
    status_ : str
        "converged", "iteration_limit", "time_limit" or "stopped_by_callback".
    promised_decrease_ : float
        Share of the objective that another pass over all entries of W and H promises to take off.
    kkt_ : float
        Norm of the projected gradient at the end over its norm at the start.
    n_features_in_, feature_names_in_
        As in every estimator.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseNMF._parameter_constraints,
        "solver": [StrOptions(_SOLVERS)],
        "shuffle": ["boolean"],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "callback": [callable, None],
        "normalize": [StrOptions(set(_core.words("normalize")))],
        "inner_stop": [StrOptions(set(_core.words("inner_stop"))), None],
        "alpha": [Interval(Real, 0, None, closed="left"), None],
        "epsilon": [Interval(Real, 0, 1, closed="left"), None],
        "missing": [StrOptions(set(MISSING))],
    }

    _nan_advice: ClassVar[str] = NAN_ADVICE
    # What ``fit`` takes beside X, for scikit-learn's routing of metadata, which reads signatures.
    __metadata_request__fit: ClassVar[dict[str, None]] = {"weights": None, "sample_weight": None}

    #: Whether "auto" looks for lower minima than the one that the start leads to.
    _explore: ClassVar[str] = "auto"

    def __init__(
        self,
        n_components: int | str | None = "auto",
        *,
        init: str | None = None,
        solver: str = "auto",
        beta_loss: float | str = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 200,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
        n_threads: int | None = None,
        time_limit: float | None = None,
        n_init: int = 1,
        callback: Callback | None = None,
        normalize: str = "none",
        inner_stop: str | None = None,
        alpha: float | None = None,
        epsilon: float | None = None,
        missing: str = "error",
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.solver = solver
        self.beta_loss = beta_loss
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.verbose = verbose
        self.shuffle = shuffle
        self.n_threads = n_threads
        self.time_limit = time_limit
        self.n_init = n_init
        self.callback = callback
        self.normalize = normalize
        self.inner_stop = inner_stop
        self.alpha = alpha
        self.epsilon = epsilon
        self.missing = missing

    def fit(self, X: Any, y: Any = None, **params: Any) -> NMF:
        """Learn the components of X. ``params`` are those of ``fit_transform``: ``weights`` and ``sample_weight``, and
        W and H for ``init="custom"``."""
        self.fit_transform(X, y, **params)
        return self

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit_transform(
        self,
        X: Any,
        y: Any = None,
        W: Any = None,
        H: Any = None,
        *,
        weights: Any = None,
        sample_weight: Any = None,
    ) -> NDArray[Any]:
        """Learn the components of X and return its W.

        The start factors W and H need ``init="custom"``. ``weights`` (array or sparse matrix, like X) say what every
        entry counts, 0 being missing, and ``sample_weight`` what every row does: 2 is as much as two equal rows.
        """
        return self._fit(self._observe(X, reset=True, weights=weights, sample_weight=sample_weight), W, H)

    def transform(self, X: Any, *, weights: Any = None) -> NDArray[Any]:
        """The W that fits X best with the components as they are, row by row to the entries that were observed: solved
        exactly, or to the last digits where the loss is another than "frobenius"; with "mu" by scikit-learn's own
        iterations if X is complete."""
        check_is_fitted(self, "components_")
        W, _ = self._weights(self._observe(X, reset=False, weights=weights), self.components_, stacklevel=2)
        return W

    def score(self, X: Any, y: Any = None, *, weights: Any = None, sample_weight: Any = None) -> float:
        """Minus the mean of 2 d(x | y) over the entries x of X that count, y being those of W H with W = transform(X):
        for "frobenius" minus the mean squared error.

        W is fitted to the same entries, so more components score higher; a rank is better chosen by entries that were
        held out, as ``anmf.factorize(..., heldout=0.1)`` does.
        """
        check_is_fitted(self, "components_")
        observed = self._observe(X, reset=False, weights=weights, sample_weight=sample_weight)
        numbers = number_type(observed.X.dtype)
        W, _ = self._weights(observed, self.components_, stacklevel=2)
        H = np.ascontiguousarray(self.components_, dtype=numbers)
        threads = thread_count(self.n_threads)
        error = _core.fit_error(observed.matrix(numbers), W, H, engine_loss(self.beta_loss), threads)
        return -(error**2) / observed.total_weight()

    def predict_entries(self, W: Any, rows: Any, cols: Any) -> NDArray[Any]:
        """Entries of W H at these places, as ``anmf.predict_entries`` has them."""
        check_is_fitted(self, "components_")
        return predict_entries(W, self.components_, rows, cols)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "nan"
        return tags

    def report(
        self,
        path: str | os.PathLike[str],
        X: Any,
        *,
        title: str | None = None,
        feature_names: Sequence[str] | None = None,
        **labelling: Any,
    ) -> Path:
        """Write a page that shows the fit of X, the matrix of ``fit``, to ``path``: one HTML file for any browser.

        W is that of ``transform(X)``. ``feature_names`` (by default ``feature_names_in_``) and what else can be said of
        rows and columns are those of ``Factorization.report``: image_shape, feature_axis, axis_name, sample_names,
        labels. Of an X with missing entries the page shows the components, and W, but not how good the fit is.
        """
        check_is_fitted(self, "components_")
        observed = self._observe(X, reset=False)
        if feature_names is None:
            feature_names = getattr(self, "feature_names_in_", None)
        W, _ = self._weights(observed, self.components_, stacklevel=2)
        result = replace(self._result, W=W, H=self.components_)
        result = replace(result, scale=np.ones(self.n_components_), history=self.history_)
        shown = observed.X if observed.plain else None
        return result.report(path, shown, title=title, feature_names=feature_names, **labelling)

    def _observe(self, X: Any, *, reset: bool, weights: Any = None, sample_weight: Any = None) -> Observed:
        """X as scikit-learn checks it, beside what counts of it."""
        lifted = lift_mask(X, self.missing)
        masked = lifted is not X
        X = self._checked(lifted, reset=reset, allow_nan=masked or self.missing == "nan")
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        numbers = number_type(X.dtype)
        return observe(X, self.missing, numbers, weights=weights, rows=sample_weight, masked=masked)

    def _fit(self, observed: Observed, W: Any, H: Any) -> NDArray[Any]:
        check_solver(self.solver, self.beta_loss, self.init)
        X = observed.X
        if observed.complete:
            refuse_zeros(X, self.beta_loss)
        numbers = number_type(X.dtype)
        start = self._given_start(X, W, H, numbers)
        if start is not None:
            start = (np.ascontiguousarray(start[0]), np.ascontiguousarray(start[1]))
        init = "scaled-random" if start else self._chosen_init(X.shape, observed)
        if init == "spa":
            start, init = spa_start(X, self._n_components, thread_count(self.n_threads)), "scaled-random"
        matrix = observed.matrix(numbers)
        rng = np.random.RandomState(draw_seed(self.random_state))
        if self._may_survey(init):
            seeds = [self._best_seed(matrix, init, draw_seed(rng))]
        else:
            seeds = [draw_seed(rng) for _ in range(self.n_init)]
        best: Factorization | None = None
        for seed in seeds:
            result = self._run_once(matrix, init, seed, start)
            if best is None or _objective(result) < _objective(best):
                best = result
            if result.status == "stopped_by_callback":
                break
        assert best is not None
        self._keep(best)
        return best.W * best.scale.astype(numbers) if self.normalize != "none" else best.W

    def _run_once(
        self, matrix: _core.Matrix, init: str, seed: int, start: tuple[NDArray[Any], NDArray[Any]] | None
    ) -> Factorization:
        watcher = Watcher(self.verbose, self.callback, float(self.tol) if self.solver == "mu" else 0.0)
        options = self._options(init)
        options.seed = seed
        options.explore = self._explore
        result = run(matrix, options, start, watcher if watcher.needed else None)
        self._warn_about(result, watcher.converged)
        status = "converged" if watcher.converged else result.status.replace("observer", "callback")
        return replace(result, status=status)

    def _options(self, init: str) -> _core.Options:
        return set_options(
            {
                "rank": self._n_components,
                "method": _ENGINE_METHOD.get(self.solver, self.solver),
                "loss": engine_loss(self.beta_loss),
                "init": init,
                "shuffle": self.shuffle,
                # scikit-learn neither revives components nor keeps entries from zero.
                "revive": self.solver != "cd",
                "delta": 0.0 if self.solver == "mu" else None,
                "threads": thread_count(self.n_threads),
                "max_iterations": self.max_iter,
                "time_limit": math.inf if self.time_limit is None else float(self.time_limit),
                **self._stop(),
                "alpha_W": float(self.alpha_W),
                "alpha_H": None if self.alpha_H == "same" else float(self.alpha_H),
                "l1_ratio": float(self.l1_ratio),
                "normalize": self.normalize,
                "inner_stop": self.inner_stop,
                "alpha": self.alpha,
                "epsilon": self.epsilon,
            }
        )

    def _may_survey(self, init: str) -> bool:
        """Whether starts are only compared by their errors, so that the survey can make them side by side."""
        watched = self.verbose or self.callback is not None or self.solver == "mu" or self.time_limit is not None
        penalised = self.alpha_W != 0 or self.alpha_H not in ("same", 0)
        return self.n_init > 1 and init in ("random", "scaled-random") and not watched and not penalised

    def _best_seed(self, matrix: _core.Matrix, init: str, seed: int) -> int:
        """Of ``n_init`` starts that the survey makes: that of the start with the least error."""
        values = {"starts": self.n_init, "seed": seed, "heldout": "none"}
        return best_seed(matrix, survey_options(self._n_components, job=self._options(init), **values))

    def _stop(self) -> dict[str, Any]:
        """The engine's options for ``tol``."""
        if self.solver == "mu":  # the watcher follows scikit-learn's rule
            return {"tolerance": 0.0}
        if self.solver == "cd":
            return {"tolerance": float(self.tol), "stop_rule": "gradient"}
        return {"tolerance": _PROMISE_PER_TOL * float(self.tol), "stop_rule": "promised-decrease"}

    def _keep(self, result: Factorization) -> None:
        self.components_ = result.H
        self.n_components_ = result.H.shape[0]
        self.reconstruction_err_ = result.error
        self.n_observed_ = int(result.observed)
        self.n_iter_ = max(1, result.iterations)
        self.n_iter_compressed_ = result.compressed_iterations
        self.history_ = result.history
        self.status_ = result.status
        self.promised_decrease_ = result.promised_decrease
        self.kkt_ = result.kkt
        # What the report needs beside the attributes; W is made anew there.
        self._result = replace(result, W=result.W[:0], H=result.H[:0], history=result.history[:0])

    def _weights(self, observed: Observed, H: NDArray[Any], stacklevel: int) -> tuple[NDArray[Any], int]:
        """W for the components H, and the iterations that it took."""
        X = observed.X
        if observed.complete:
            refuse_zeros(X, self.beta_loss)
        numbers = number_type(X.dtype)
        # What a row counts beside others changes nothing in its own problem.
        matrix = replace(observed, rows=None).matrix(numbers)
        if self.solver == "mu" and observed.complete:  # scikit-learn's own iterations, as in the fit
            W = level_weights(float(X.mean()), X.shape[0], H.shape[0], numbers)
            limits = _core.UpdateLimits(most=self.max_iter, least_gain=float(self.tol))
            Ht = np.ascontiguousarray(H.T, dtype=numbers)
            n_iter = _core.update_rows(matrix, W, Ht, self._update_options(), limits)
            if n_iter == self.max_iter and self.tol > 0:
                self._warn_about_iterations(stacklevel + 1)
            return W, n_iter
        return self._best_weights(matrix, H.astype(numbers, copy=False)), 1

    def _factors(self, X: Any, W: Any, H: Any, update_H: bool) -> tuple[NDArray[Any], NDArray[Any], int]:
        """What ``non_negative_factorization`` returns."""
        lifted = lift_mask(X, self.missing)
        masked = lifted is not X
        X = check_array(
            lifted,
            accept_sparse=("csr", "csc"),
            dtype=list(STORED_TYPES),
            ensure_non_negative=True,
            ensure_all_finite="allow-nan" if masked else True,
        )
        observed = observe(X, self.missing, number_type(X.dtype), masked=masked)
        if update_H:
            W = self._fit(observed, W, H)
            return W, self.components_, self.n_iter_
        check_solver(self.solver, self.beta_loss, self.init)
        if W is not None:
            warnings.warn("When update_H=False, the provided initial W is not used.", RuntimeWarning, stacklevel=3)
        rank = X.shape[1] if self.n_components is None else self.n_components
        H = check_factor(H, rank, X.shape[1], "NMF (input H)")
        if H.dtype != number_type(X.dtype):
            raise TypeError(f"H should have the same dtype as X. Got H.dtype = {H.dtype}.")
        W, n_iter = self._weights(observed, H, stacklevel=3)
        return W, H, n_iter

    def _chosen_init(self, shape: tuple[int, int], observed: Observed) -> str:
        init = "random" if self.init is None and self.n_init > 1 else self.init
        if not observed.complete:
            init = init or "scaled-random"
            if init not in ("random", "scaled-random"):
                raise ValueError(
                    f"init = {init!r} is made from all entries of X, of which some are missing or weighted; choose"
                    " 'scaled-random', which None stands for here, or 'random'."
                )
        chosen = choose_init(init, self._n_components, shape)
        if self.n_init > 1 and chosen not in RANDOM_INITS:
            raise ValueError(
                f"n_init = {self.n_init} starts would all be the same with init = {chosen!r};"
                f" choose one of {', '.join(map(repr, RANDOM_INITS))}."
            )
        return chosen

    def _warn_about(self, result: Factorization, rule_converged: bool) -> None:
        # With scikit-learn's solvers its rule: an iteration that was the last allowed one is worth a warning.
        scikit_learn = self.solver in ("cd", "mu") and result.iterations == self.max_iter and not rule_converged
        if self.tol > 0 and (scikit_learn or result.status == "iteration_limit"):
            self._warn_about_iterations(stacklevel=5)
        elif self.tol > 0 and result.status == "time_limit":
            warnings.warn(result.message, ConvergenceWarning, stacklevel=5)


def _objective(result: Factorization) -> float:
    return result.error**2 / 2 + result.penalty
