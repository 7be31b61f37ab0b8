# SPDX-License-Identifier: MIT
"""anmf.MiniBatchNMF, in the place of scikit-learn's: components that are learnt from batches of rows."""

from __future__ import annotations

import math
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from anmf import _core
from anmf._base import BaseNMF
from anmf._batches import Batch, Course, Learner, batches_of, writable
from anmf._loss import refuse_zeros
from anmf._matrix import number_type, to_matrix
from anmf._start import choose_init, draw_seed, spa_start
from anmf._threads import thread_count


class MiniBatchNMF(BaseNMF):
    """Nonnegative matrix factorization by multiplicative updates from batches of rows, as scikit-learn has it.

    The objective is that of ``NMF``. Every batch updates its rows of W, and then adds to two sums, of whose quotient
    the components are made, with what was there before multiplied by ``forget_factor`` to the power of the share of X
    that the batch is.

    Parameters
    ----------
    n_components : int, "auto" or None
        Number of components. "auto" takes it from given start factors, and else, like None, the number of features.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar", "spa", "scaled-random", "custom"} or None
        Start factors, as in ``NMF``.
    batch_size : int
        Rows of a batch.
    beta_loss : {"frobenius", "kullback-leibler", "itakura-saito"} or float from -5 to 5
        The loss, as in ``NMF``.
    tol : float
        The fit ends when a batch changes the components by at most tol times their norm; 0 never does. Updates of W
        with given components end by the same rule.
    max_no_improvement : int or None
        The fit ends when so many batches in a row do not lower the smoothed cost; None never does.
    max_iter : int
        Most passes over X.
    alpha_W, alpha_H, l1_ratio : float
        Weights of the penalties; alpha_H = "same" is alpha_W. Within a batch, that of H is multiplied by its rows.
    forget_factor : float
        What a pass over X leaves of the weight of what came before it.
    fresh_restarts : bool
        Solve for the rows of W anew in every batch, which takes longer.
    fresh_restarts_max_iter : int
        Most updates of W in a batch then, and in ``partial_fit``.
    transform_max_iter : int or None
        Most of scikit-learn's updates of W in ``transform``, and at the end of a fit with fresh restarts; None solves
        for the best W, in which a row hangs on its row of X alone.
    random_state : int, RandomState or None
        Seed of the random starts.
    verbose : int
        1 prints every batch.
    n_threads : int or None
        0 takes every core; the result does not depend on it. None is OMP_NUM_THREADS if that is set, else 0.

    Attributes
    ----------
    components_ : array, n_components x n_features
    n_components_ : int
    reconstruction_err_ : float
        sqrt(2 D(X | W H)), which is ||X - W H|| for "frobenius"; not after ``partial_fit``.
    n_iter_ : int
        Passes over X that were begun; not after ``partial_fit``.
    n_steps_ : int
        Batches that were learnt from.
    n_features_in_, feature_names_in_
        As in every estimator.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseNMF._parameter_constraints,
        "max_no_improvement": [Interval(Integral, 1, None, closed="left"), None],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "forget_factor": [Interval(Real, 0, 1, closed="both")],
        "fresh_restarts": ["boolean"],
        "fresh_restarts_max_iter": [Interval(Integral, 1, None, closed="left")],
        "transform_max_iter": [Interval(Integral, 1, None, closed="left"), None],
    }

    _nan_advice: ClassVar[str] = (
        'MiniBatchNMF learns from complete rows only; NMF(missing="nan") fits the entries that were observed.'
    )

    def __init__(
        self,
        n_components: int | str | None = "auto",
        *,
        init: str | None = None,
        batch_size: int = 1024,
        beta_loss: float | str = "frobenius",
        tol: float = 1e-4,
        max_no_improvement: int | None = 10,
        max_iter: int = 200,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        forget_factor: float = 0.7,
        fresh_restarts: bool = False,
        fresh_restarts_max_iter: int = 30,
        transform_max_iter: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        n_threads: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.batch_size = batch_size
        self.beta_loss = beta_loss
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.max_iter = max_iter
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.forget_factor = forget_factor
        self.fresh_restarts = fresh_restarts
        self.fresh_restarts_max_iter = fresh_restarts_max_iter
        self.transform_max_iter = transform_max_iter
        self.random_state = random_state
        self.verbose = verbose
        self.n_threads = n_threads

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit_transform(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> NDArray[Any]:
        """Learn the components of X and return its W.

        The start factors W and H need ``init="custom"``. As in scikit-learn H becomes ``components_`` and is updated in
        place.
        """
        X = self._checked(X, reset=True)
        refuse_zeros(X, self.beta_loss)
        start, learner = self._begin(X, W, H)
        size = min(self.batch_size, X.shape[0])
        batches = batches_of(X.tocsr() if sp.issparse(X) else X, size, number_type(X.dtype))
        most_steps = self.max_iter * len(batches)
        course = Course(X.shape[0], most_steps, float(self.tol), self.max_no_improvement, self.verbose)
        for _ in range(self.max_iter):
            if any(self._step(learner, batch, start[rows], course) for rows, batch in batches):
                break
        self._keep(learner)
        fitted = self._weights(X) if self.fresh_restarts else start
        options = self._update_options()
        loss = math.fsum(_core.divergence(batch.matrix, fitted[rows], learner.Ht, options) for rows, batch in batches)
        self.reconstruction_err_ = math.sqrt(2 * max(0.0, loss))
        self.n_steps_ = course.step
        self.n_iter_ = math.ceil(course.step / len(batches))
        if self.n_iter_ == self.max_iter and self.tol > 0:
            self._warn_about_iterations(stacklevel=3)
        return fitted

    def transform(self, X: Any) -> NDArray[Any]:
        """The W that fits X best with the components as they are, or W after ``transform_max_iter`` updates."""
        check_is_fitted(self, "components_")
        X = self._checked(X, reset=False)
        refuse_zeros(X, self.beta_loss)
        return self._weights(X)

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> MiniBatchNMF:
        """Learn from X as one batch, beside what is known from those before it: rows that come in a stream.

        The start factors W and H need ``init="custom"`` and count for the first call.
        """
        first = not hasattr(self, "components_")
        X = self._checked(X, reset=first)
        refuse_zeros(X, self.beta_loss)
        if first:
            _, learner = self._begin(X, W, H)
        else:
            H = writable(self.components_)
            learner = replace(self._learner, Ht=np.ascontiguousarray(H.T), H=H)
        self._learn(learner, Batch(X, number_type(learner.Ht.dtype)), None)
        self._keep(learner)
        self.n_steps_ = 1 if first else self.n_steps_ + 1
        return self

    def _begin(self, X: Any, W: Any, H: Any) -> tuple[NDArray[Any], Learner]:
        """Start factors: W, and the components with their sums as they are before the first batch."""
        numbers = number_type(X.dtype)
        start = self._given_start(X, W, H, numbers)
        if start is None:
            init = choose_init(self.init, self._n_components, X.shape)
            threads = thread_count(self.n_threads)
            if init == "spa":
                start = spa_start(X, self._n_components, threads)
            else:  # with the seed that NMF takes
                seed = draw_seed(np.random.RandomState(draw_seed(self.random_state)))
                start = _core.initial_factors(to_matrix(X, numbers), self._n_components, init, seed, threads)
            W, H = start[0], np.asfortranarray(start[1])
        else:
            W = np.array(start[0], order="C")
            H = writable(start[1])
        memory = float(self.forget_factor) ** (min(self.batch_size, X.shape[0]) / X.shape[0])
        return W, Learner.from_start(H, memory)

    def _keep(self, learner: Learner) -> None:
        self.components_ = learner.publish()
        self.n_components_ = self.components_.shape[0]
        # The components are in components_.
        nothing = learner.Ht[:0].copy()
        self._learner = replace(learner, Ht=nothing, H=nothing)

    def _learn(self, learner: Learner, batch: Batch, W: NDArray[Any] | None) -> float:
        """One batch; returns the cost of a row, with the components as they were. W, which stays from pass to pass, is
        updated in place; without it, or with fresh restarts, the batch has its own."""
        limits = _core.UpdateLimits(most=1)
        if W is None or self.fresh_restarts:
            W = batch.level_weights(learner.Ht.shape[1])
            limits = _core.UpdateLimits(most=self.fresh_restarts_max_iter, least_step=float(self.tol))
        alpha_H = self.alpha_W if isinstance(self.alpha_H, str) else self.alpha_H
        penalty = self._penalty(alpha_H, learner.Ht, batch.n_samples)
        loss = learner.learn(batch, W, self._update_options(), limits)
        return (loss + penalty + self._penalty(self.alpha_W, W, batch.n_features)) / batch.n_samples

    def _step(self, learner: Learner, batch: Batch, W: NDArray[Any], course: Course) -> bool:
        """One batch of a fit; true if it is the last one."""
        before = learner.Ht.copy()
        cost = self._learn(learner, batch, W)
        return course.has_ended(cost, batch.n_samples, before, learner.Ht)

    def _penalty(self, alpha: float, X: NDArray[Any], lines: int) -> float:
        """As scikit-learn has it in the cost that it watches, with the squares whole."""
        if alpha == 0:
            return 0.0
        share = float(self.l1_ratio)
        return float(alpha) * lines * (share * float(X.sum()) + (1 - share) * float((X * X).sum()))

    def _weights(self, X: Any) -> NDArray[Any]:
        numbers = number_type(X.dtype)
        if self.transform_max_iter is None:
            return self._best_weights(to_matrix(X, numbers), self.components_.astype(numbers, copy=False))
        batch = Batch(X, numbers)
        W = batch.level_weights(self.components_.shape[0])
        limits = _core.UpdateLimits(most=self.transform_max_iter, least_step=float(self.tol))
        Ht = np.ascontiguousarray(self.components_.T, dtype=numbers)
        _core.update_rows(batch.matrix, W, Ht, self._update_options(), limits)
        return W
