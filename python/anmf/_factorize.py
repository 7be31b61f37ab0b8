# SPDX-License-Identifier: MIT
"""anmf.factorize: every option of the engine, and a result that says how it ended."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from anmf import _core
from anmf._history import Callback, engine_callback, history
from anmf._loss import engine_loss
from anmf._matrix import number_type, real_matrix, to_matrix
from anmf._observed import NAN_ADVICE, check_missing, lift_mask, line_weights, observe
from anmf._predict import predict_entries
from anmf._report import expect_report_page, label_arguments, write_page
from anmf._threads import thread_count

#: The names of the options, in the engine's order.
OPTIONS = tuple(name for name in vars(_core.Options) if not name.startswith("_"))


@dataclass(frozen=True)
class Factorization:
    """X ~ W diag(scale) H. ``scale`` is all ones unless ``normalize`` was asked for."""

    W: NDArray[Any] = field(repr=False)
    H: NDArray[Any] = field(repr=False)
    scale: NDArray[np.float64] = field(repr=False)
    #: ||X - W diag(scale) H||, and sqrt(2 D) of other losses than frobenius, of the entries that count
    error: float
    relative_error: float  #: error / ||X||, or beside the error of the best model of rank one
    observed: float  #: number of the entries of X that count, those that are held out among them
    heldout_error: float  #: as ``error``, of the entries that were held out; NaN if there are none
    heldout_relative_error: float  #: that beside the error of their mean in the place of a model
    heldout_entries: int
    penalty: float
    #: share of the objective that one more pass over all entries of W and H promises to take off
    promised_decrease: float
    kkt: float  #: norm of the projected gradient at the end over its norm at the start
    iterations: int
    compressed_iterations: int  #: on a compression of X, before; iteration 1 of the history stands for them
    seconds: float  #: of solver time
    status: str  #: "converged", "iteration_limit", "time_limit" or "stopped_by_observer"
    message: str  #: the status as a sentence
    notes: list[str]  #: things worth knowing: empty rows, ignored options, ...
    method: str  #: the method in force, also where "auto" was asked for
    history: NDArray[Any] = field(repr=False)  #: one row per iteration, see anmf.Iteration
    run: str = field(repr=False)  #: options in force and outcome, as JSON
    call: str = field(repr=False, default="")  #: the call of anmf.factorize, for the report

    @property
    def converged(self) -> bool:
        return self.status == "converged"

    def predict_entries(self, rows: ArrayLike, cols: ArrayLike) -> NDArray[Any]:
        """Entries of W diag(scale) H at these places, as ``anmf.predict_entries`` has them."""
        scale = self.scale.astype(self.W.dtype)
        return predict_entries(self.W, scale[:, None] * self.H, rows, cols)

    def report(
        self,
        path: str | os.PathLike[str],
        X: Any = None,
        *,
        title: str | None = None,
        feature_names: Sequence[str] | None = None,
        image_shape: tuple[int, int] | None = None,
        feature_axis: ArrayLike | None = None,
        axis_name: str = "",
        sample_names: Sequence[str] | None = None,
        labels: Any = None,
    ) -> Path:
        """Write a page with the error, the components and both factors to ``path``: one HTML file for any browser.

        With X, the matrix that was factorized, the page also says how good the fit is: beside the best matrix of this
        rank, by row and by column, and in three examples. X must be complete for that.

        ``feature_names`` are those of the columns of X, or else of its rows; ``image_shape`` is the height and width of
        the images that the rows of X, or else its columns, are; ``feature_axis`` has the places of features that have
        an order, as wavelengths do, on an axis that ``axis_name`` names. What is not such a feature is a sample:
        ``sample_names`` and ``labels`` are theirs, one list of words or several in a dict or a data frame, whose
        columns of floats or of more than 60 words are left out.
        """
        expect_report_page()
        labelling = label_arguments(
            (self.W.shape[0], self.H.shape[1]),
            feature_names=feature_names,
            image_shape=image_shape,
            feature_axis=feature_axis,
            axis_name=axis_name,
            sample_names=sample_names,
            labels=labels,
        )
        matrix = None if X is None else self._matrix_of(X)
        page = _core.report_page(
            self.W,
            self.H,
            self.scale.tolist(),
            self.history.tobytes(),
            title or f"{self.W.shape[1]} components",
            self.call,
            self.run,
            matrix=matrix,
            threads=thread_count(None),
            labels=labelling,
        )
        return write_page(path, page)

    def _matrix_of(self, X: Any) -> _core.Matrix:
        X = real_matrix(X, "X", sparse=True)
        if X.shape != (self.W.shape[0], self.H.shape[1]):
            raise ValueError(
                f"X is {X.shape[0]} x {X.shape[1]}, but the factors are of a matrix of {self.W.shape[0]} x"
                f" {self.H.shape[1]}."
            )
        return to_matrix(X, number_type(self.W.dtype))


def engine_matrix(
    X: Any,
    *,
    dtype: DTypeLike | None,
    missing: str,
    weights: Any,
    row_weights: ArrayLike | None,
    column_weights: ArrayLike | None,
) -> tuple[_core.Matrix, type[np.floating[Any]]]:
    """What the engine computes with of the X that a user gives, and the type in which it does."""
    check_missing(missing)
    lifted = lift_mask(X, missing)
    masked = lifted is not X
    X = real_matrix(lifted, "X", sparse=True)
    numbers = number_type(X.dtype if dtype is None else dtype)
    if dtype is not None and np.dtype(dtype) != numbers:
        raise TypeError(f"dtype = {np.dtype(dtype)}; choose float32 or float64.")
    observed = observe(
        X,
        missing,
        numbers,
        weights=weights,
        rows=line_weights(row_weights, "row_weights"),
        columns=line_weights(column_weights, "column_weights"),
        masked=masked,
    )
    try:
        return observed.matrix(numbers), numbers
    except ValueError as error:
        if missing == "error" and "is not a number" in str(error):
            raise ValueError(f"{error} {NAN_ADVICE}") from None
        raise


def set_options(values: dict[str, Any], options: _core.Options | None = None) -> _core.Options:
    """The engine's options with these values, or others changed; the names are checked, the values by the engine."""
    options = options or _core.Options()
    for name, value in values.items():
        if name not in OPTIONS:
            raise TypeError(f"{name!r} is not an option; there are {', '.join(sorted(OPTIONS))}.")
        try:
            setattr(options, name, value)
        except TypeError:
            raise TypeError(f"{name} = {value!r} is of the wrong type, {type(value).__name__}.") from None
    return options


def run(
    matrix: _core.Matrix,
    options: _core.Options,
    start: tuple[NDArray[Any] | None, NDArray[Any] | None] | None,
    callback: Callback | None,
) -> Factorization:
    fields = _core.factorize(matrix, options, *(start or (None, None)), engine_callback(callback))
    fields["history"] = history(fields.pop("trace"))
    fields["scale"] = np.asarray(fields["scale"])
    return Factorization(**fields)


def factorize(
    X: Any,
    rank: int,
    method: str = "auto",
    *,
    W: ArrayLike | None = None,
    H: ArrayLike | None = None,
    dtype: DTypeLike | None = None,
    threads: int | None = None,
    callback: Callback | None = None,
    missing: str = "error",
    weights: Any = None,
    row_weights: ArrayLike | None = None,
    column_weights: ArrayLike | None = None,
    **options: Any,
) -> Factorization:
    """Find W (m x rank) >= 0 and H (rank x n) >= 0 with W H close to X (m x n), a numpy array or a scipy matrix.

    Parameters
    ----------
    X : array or sparse matrix
        No entry may be negative or infinite, or NaN unless ``missing`` says so. C- and F-ordered arrays of float64,
        float32, uint8 and uint16 are used where they lie. Entries that a mask of numpy.ma hides are missing.
    rank : int
        Number of components.
    method : str
        "auto", the fastest for the loss, or one of "e-a-hals", "e-a-mu", "a-hals", "a-mu", "a-pg", "hals", "mu", "pg",
        "anls", and for other losses than "frobenius" also "e-spn", "spn", "e-ccd", "ccd".
    W, H : arrays
        Start factors; what is not given comes from ``init``.
    dtype : float32 or float64
        The type to compute in and of the factors; by default float32 if X is float32, else float64.
    threads : int
        0 takes every core; the result does not depend on it. By default OMP_NUM_THREADS if that is set, else 0.
    callback : callable
        Called with an ``anmf.Iteration`` after every iteration; a true value stops the run.
    missing : {"error", "nan", "zeros"}
        Which entries nobody has observed: none; those that are NaN, of a sparse X those that it stores as NaN; or those
        that a sparse X does not store (its explicit zeros were observed), and the zeros of a dense one. They have no
        part in the error, and W H predicts them: ``result.predict_entries(rows, cols)``.
    weights : array or sparse matrix, like X
        What every entry counts in the error, at least 0, which is missing; of a sparse one what it does not store is 0.
    row_weights, column_weights : arrays, m and n numbers
        What every row and column counts: 2 is as much as two equal rows, penalties included.
    **options
        The options of the command line with underscores:

    """
    matrix, numbers = engine_matrix(
        X,
        dtype=dtype,
        missing=missing,
        weights=weights,
        row_weights=row_weights,
        column_weights=column_weights,
    )
    if isinstance(options.get("loss"), Real):
        options["loss"] = engine_loss(options["loss"])
    chosen = set_options({"rank": rank, "method": method, "threads": thread_count(threads), **options})
    W0, H0 = (
        None if F is None else np.ascontiguousarray(real_matrix(F, name), dtype=numbers)
        for F, name in ((W, "W"), (H, "H"))
    )
    words = [f"missing={missing!r}"] * (missing != "error")
    given = {"weights": weights, "row_weights": row_weights, "column_weights": column_weights}
    words += [f"{name}={name}" for name, value in given.items() if value is not None]
    words += [f"{name}={value!r}" for name, value in options.items()]
    call = f"anmf.factorize({', '.join(['X', repr(rank), repr(method), *words])})"
    return replace(run(matrix, chosen, (W0, H0), callback), call=call)


def _options_help() -> str:
    """A paragraph for each option that ``factorize`` takes beside its own parameters."""
    names = [name for name in OPTIONS if name not in ("rank", "method", "threads")]
    paragraphs = [textwrap.wrap(f"{name}: {_core.help(name)}", 108, subsequent_indent="    ") for name in names]
    return "".join(f"        {line}\n" for lines in paragraphs for line in lines)


if factorize.__doc__:  # python -OO has none
    factorize.__doc__ = factorize.__doc__.rstrip() + "\n\n" + _options_help()
