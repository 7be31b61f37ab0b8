# SPDX-License-Identifier: MIT
"""Charts for notebooks, drawn with matplotlib, which is not installed with anmf: trace, components, weights, selection.

Each takes what ``anmf.factorize`` returns or a fitted ``anmf.NMF``, the last one what ``anmf.survey`` returns, and
returns matplotlib's axes.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["components", "selection", "trace", "weights"]


def trace(result: Any, column: str = "relative_error", *, over: str = "iteration", ax: Any = None) -> Any:
    """A column of the history over another one, on logarithmic axes: "iteration", "seconds" or "flops".

    NaNs are left out, and so is the start.
    """
    history = result.history if hasattr(result, "history") else result.history_
    for name in (column, over):
        if name not in history.dtype.names:
            raise ValueError(f"{name!r} is no column of the history; there are {', '.join(history.dtype.names)}.")
    ax = _axes(ax)
    # As on the report page: the start, iteration 0, has no place on a logarithmic axis and would dwarf the rest.
    known = ~np.isnan(history[column].astype(float)) & (history[over] > 0)
    ax.plot(history[over][known], history[column][known])
    ax.set(xlabel=over, ylabel=column.replace("_", " "), xscale="log", yscale="log")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(_plain_numbers())
        axis.set_minor_formatter(_plain_numbers())
    return ax


def weights(result: Any, X: Any = None, *, ax: Any = None) -> Any:
    """The weight ||w|| ||h|| of every component as a share of their sum; X is needed for an ``NMF``."""
    W, H, scale = _factors(result, X)
    values = scale * np.linalg.norm(W, axis=0) * np.linalg.norm(H, axis=1)
    ax = _axes(ax)
    ax.bar(np.arange(1, len(values) + 1), values / max(values.sum(), np.finfo(float).tiny))
    ax.set(xlabel="component", ylabel="share of the sum")
    ax.xaxis.set_major_locator(_matplotlib("ticker").MaxNLocator(integer=True))
    return ax


def components(
    result: Any,
    *,
    image_shape: tuple[int, int] | None = None,
    feature_axis: ArrayLike | None = None,
    columns: int = 4,
) -> NDArray[Any]:
    """The rows of H, each in axes of its own: as images, or as curves over ``feature_axis`` (by default 0, 1, ...)."""
    H = result.H if hasattr(result, "H") else result.components_
    if image_shape is not None and image_shape[0] * image_shape[1] != H.shape[1]:
        raise ValueError(f"image_shape = {image_shape!r} has not the {H.shape[1]} pixels of a row of H.")
    across = max(1, min(columns, H.shape[0]))
    down = -(-H.shape[0] // across)
    _, grid = _matplotlib("pyplot").subplots(
        down, across, squeeze=False, figsize=(2.6 * across, 2.4 * down), layout="constrained"
    )
    for p, ax in enumerate(grid.flat):
        if p >= H.shape[0]:
            ax.set_axis_off()
        elif image_shape is not None:
            ax.imshow(H[p].reshape(image_shape), cmap="gray")
            ax.set(title=str(p + 1), xticks=[], yticks=[])
        else:
            ax.plot(np.arange(H.shape[1]) if feature_axis is None else np.asarray(feature_axis), H[p])
            ax.set(title=str(p + 1))
    axes: NDArray[Any] = grid.ravel()[: H.shape[0]]
    return axes


def selection(survey: Any, *, ax: Any = None) -> Any:
    """Over the ranks of a survey the error of the entries held out with its standard error, that of the fit, and on
    axes of its own the silhouette of the spectra; the rank that is suggested is marked."""
    table = {name: np.asarray(survey.table[name], dtype=float) for name in ("rank", *_OF_RANKS)}
    ax = _axes(ax)
    held = ax.errorbar(table["rank"], table["heldout"], yerr=table["heldout_se"], marker="o", label="held out")
    (fit,) = ax.plot(table["rank"], np.sqrt(1 - table["explained"]), marker=".", label="fit, best start")
    ax.set(xlabel="rank", ylabel="relative error")
    ax.xaxis.set_major_locator(_matplotlib("ticker").MaxNLocator(integer=True))
    stability = ax.twinx()
    (mean,) = stability.plot(table["rank"], table["silhouette"], "s--", color="C2", label="silhouette, mean")
    (worst,) = stability.plot(table["rank"], table["silhouette_min"], "v:", color="C2", label="silhouette, worst")
    stability.set(ylabel="silhouette", ylim=(min(0.0, _least(table["silhouette_min"])), 1.02))
    if survey.suggestion is not None:
        ax.axvline(survey.suggestion, color="0.6", linewidth=1)
        ax.set_title(f"rank {survey.suggestion} is suggested")
    ax.legend(handles=[held, fit, mean, worst], loc="best")
    return ax


_OF_RANKS = ("heldout", "heldout_se", "explained", "silhouette", "silhouette_min")


def _least(values: NDArray[np.float64]) -> float:
    known = values[~np.isnan(values)]
    return float(known.min()) if known.size else 0.0


def _factors(result: Any, X: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    if hasattr(result, "W"):
        return result.W, result.H, result.scale
    if X is None:
        raise ValueError("An NMF does not keep W; give the X that it was fitted to.")
    return result.transform(X), result.components_, np.ones(result.n_components_)


def _plain_numbers() -> Any:
    """Labels of a logarithmic axis: those that matplotlib would write, as 0.6 and not as 6 x 10^-1."""
    base: Any = _matplotlib("ticker").LogFormatter

    class PlainNumbers(base):  # type: ignore[misc]
        def __call__(self, x: float, pos: int | None = None) -> str:
            return f"{x:g}" if super().__call__(x, pos) else ""

    return PlainNumbers(minor_thresholds=(1, 0.4))


def _axes(ax: Any) -> Any:
    return _matplotlib("pyplot").subplots(layout="constrained")[1] if ax is None else ax


def _matplotlib(part: str) -> Any:
    try:
        return importlib.import_module(f"matplotlib.{part}")
    except ImportError as error:
        raise ImportError("anmf.plot draws with matplotlib, which is not installed: pip install matplotlib") from error
