# SPDX-License-Identifier: MIT
"""anmf.ConsensusNMF: what many starts agree on, as an estimator of scikit-learn."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from anmf import _core
from anmf._base import BaseNMF
from anmf._loss import engine_loss, refuse_zeros
from anmf._matrix import number_type
from anmf._observed import MISSING, NAN_ADVICE, Observed, lift_mask, observe
from anmf._run_survey import run_survey
from anmf._start import draw_seed
from anmf._survey_input import Named
from anmf._survey_options import given, job_options, resampling, survey_options
from anmf._threads import thread_count

#: What ``tol`` is multiplied with for the engine's own measure of convergence, as in ``NMF``.
_PROMISE_PER_TOL = 0.01
_RANKS = range(2, 11)


class ConsensusNMF(BaseNMF):
    """Nonnegative matrix factorization of many starts: its components are what they agree on.

    ``fit`` is ``anmf.survey``, which says more of every parameter; W is fitted to the components.

    Parameters
    ----------
    n_components : int or "suggest"
        Number of components. "suggest" takes that of ``ranks`` which predicts entries best that were held out; where
        two are equally good, the likelier one.
    ranks : iterable of int or None
        What "suggest" chooses from; None is 2 to 10, or to min(n_samples, n_features) if that is less. With a number
        for ``n_components`` these are surveyed, too.
    n_starts : int
        Factorizations of every rank.
    beta_loss : {"frobenius", "kullback-leibler", "itakura-saito"} or float from -5 to 5
    tol, max_iter, alpha_W, alpha_H, l1_ratio, n_threads
        As in ``NMF``, of every start. W is fitted to the components without penalties.
    random_state : int, RandomState or None
    clusters : {"matched", "free"}
        Whether every start gives a spectrum to every component, or k-means clusters the spectra of all starts.
    density_threshold, neighbourhood : float
        Which spectra are left out, see ``Survey.consensus``.
    heldout : {"speckled", "bcv", "none"} or None
        By what ranks are judged. None is "speckled" where there are several of them, else "none".
    resample : {"none", "poisson", "multinomial"} or "uniform:E"
        What is done to the entries of X before every start.
    out : path or None
        A folder that keeps every factorization, so that an interrupted fit goes on.
    missing : {"error", "nan", "zeros"}
        Which entries nobody has observed, as in ``NMF``.

    Attributes
    ----------
    components_ : array, n_components_ x n_features
    n_components_ : int
    survey_ : Survey
        The table of ranks, the reasons for the one that is suggested, and the rest.
    reconstruction_err_ : float
        sqrt(2 D(X | W H)), of the entries that count.
    n_iter_ : int
        Most iterations of a start of this rank.
    n_features_in_, feature_names_in_
        As in every estimator.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            name: BaseNMF._parameter_constraints[name]
            for name in ("beta_loss", "tol", "max_iter", "random_state", "alpha_W", "alpha_H", "l1_ratio", "n_threads")
        },
        "n_components": [Interval(Integral, 1, None, closed="left"), StrOptions({"suggest"})],
        "ranks": ["array-like", Iterable, None],
        "n_starts": [Interval(Integral, 1, None, closed="left")],
        "clusters": [StrOptions({"matched", "free"})],
        "density_threshold": [Interval(Real, 0, None, closed="neither"), None],
        "neighbourhood": [Interval(Real, 0, 1, closed="right")],
        "heldout": [StrOptions({"speckled", "bcv", "none"}), None],
        "resample": [str],
        "out": [str, os.PathLike, None],
        "missing": [StrOptions(set(MISSING))],
    }

    _nan_advice: ClassVar[str] = NAN_ADVICE

    def __init__(
        self,
        n_components: int | str = "suggest",
        *,
        ranks: Iterable[int] | None = None,
        n_starts: int = 100,
        beta_loss: float | str = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 5000,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        n_threads: int | None = None,
        clusters: str = "matched",
        density_threshold: float | None = None,
        neighbourhood: float = 0.3,
        heldout: str | None = None,
        resample: str = "none",
        out: str | os.PathLike[str] | None = None,
        missing: str = "error",
    ) -> None:
        self.n_components = n_components
        self.ranks = ranks
        self.n_starts = n_starts
        self.beta_loss = beta_loss
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.n_threads = n_threads
        self.clusters = clusters
        self.density_threshold = density_threshold
        self.neighbourhood = neighbourhood
        self.heldout = heldout
        self.resample = resample
        self.out = out
        self.missing = missing

    def fit(self, X: Any, y: Any = None) -> ConsensusNMF:  # type: ignore[override]
        """Survey X and learn the components that the starts agree on."""
        self.fit_transform(X, y)
        return self

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit_transform(self, X: Any, y: Any = None) -> NDArray[Any]:
        """Survey X, learn the components that the starts agree on, and return the W of X."""
        observed = self._observe(X, reset=True)
        if observed.complete:
            refuse_zeros(observed.X, self.beta_loss)
        ranks = self._ranks(observed.X.shape)
        heldout = self.heldout or ("speckled" if len(ranks) > 1 else "none")
        if heldout == "none" and self.n_components == "suggest" and len(ranks) > 1:
            raise ValueError("heldout = 'none' leaves nothing to suggest a rank by; set n_components, or hold out.")
        job = {
            "tolerance": _PROMISE_PER_TOL * float(self.tol),
            "stop_rule": "promised-decrease",
            "max_iterations": self.max_iter,
            "alpha_W": float(self.alpha_W),
            "alpha_H": None if self.alpha_H == "same" else float(self.alpha_H),
            "l1_ratio": float(self.l1_ratio),
        }
        options = survey_options(
            ranks,
            job=job_options("auto", self.beta_loss, self.n_threads, job),
            starts=self.n_starts,
            seed=draw_seed(self.random_state),
            heldout=heldout,
            clusters=self.clusters,
            density_threshold=self.density_threshold,
            neighbourhood=self.neighbourhood,
            **resampling(self.resample),
        )
        names = Named(None, None, given(getattr(self, "feature_names_in_", None)))
        matrix = observed.matrix(number_type(observed.X.dtype))
        self.survey_ = run_survey(matrix, options, self.out, names, {})
        self.n_components_ = self._chosen_rank()
        found = self.survey_.consensus(self.n_components_)
        self._look_at_starts()
        self.components_ = found.spectra
        self.reconstruction_err_ = found.summary["consensus_error"]
        return found.usages

    def transform(self, X: Any) -> NDArray[Any]:
        """The W that fits X best with the components as they are, row by row to the entries that were observed."""
        check_is_fitted(self, "components_")
        observed = self._observe(X, reset=False)
        if observed.complete:
            refuse_zeros(observed.X, self.beta_loss)
        numbers = number_type(observed.X.dtype)
        H = np.ascontiguousarray(self.components_, dtype=numbers)
        loss = engine_loss(self.beta_loss)
        W, _ = _core.fit_rows(observed.matrix(numbers), H, loss, 0.0, 0.0, thread_count(self.n_threads))
        return W

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "nan"
        return tags

    def _observe(self, X: Any, *, reset: bool) -> Observed:
        lifted = lift_mask(X, self.missing)
        masked = lifted is not X
        X = self._checked(lifted, reset=reset, allow_nan=masked or self.missing == "nan")
        return observe(X, self.missing, number_type(X.dtype), masked=masked)

    def _ranks(self, shape: tuple[int, int]) -> list[int]:
        most = min(shape)
        if self.ranks is None:
            own = [rank for rank in _RANKS if rank <= most] or [most]
            ranks = own if self.n_components == "suggest" else []
        else:
            ranks = list(self.ranks)
        if isinstance(self.n_components, Integral):
            ranks.append(int(self.n_components))
        return sorted(set(ranks))

    def _chosen_rank(self) -> int:
        if isinstance(self.n_components, Integral):
            return int(self.n_components)
        found = self.survey_
        if found.suggestion is not None:
            return found.suggestion
        if len(found.ranks) == 1:
            return found.ranks[0]
        if found.alternatives:
            warnings.warn(
                f"No rank is clearly the best; {found.alternatives[0]} is taken. {' '.join(found.reasons)}",
                UserWarning,
                stacklevel=4,
            )
            return found.alternatives[0]
        raise ValueError(f"No rank can be suggested; set n_components. {' '.join(found.reasons)}")

    def _look_at_starts(self) -> None:
        jobs = self.survey_._job_columns
        of_rank = (jobs["rank"] == self.n_components_) & (jobs["start"] >= 0)
        self.n_iter_ = max(1, int(jobs["iterations"][of_rank].max()))
        row = self.survey_.ranks.index(self.n_components_)
        done, converged = (int(self.survey_._rows[name][row]) for name in ("starts", "converged"))
        if self.tol > 0 and converged < done:
            warnings.warn(
                f"{done - converged} of {done} starts have not converged in {self.max_iter} iterations."
                " Increase max_iter to improve convergence.",
                ConvergenceWarning,
                stacklevel=4,
            )
