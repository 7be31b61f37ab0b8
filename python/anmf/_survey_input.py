# SPDX-License-Identifier: MIT
"""The matrix of a survey: arrays and frames as they are, and AnnData with a layer and a choice of genes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Named:
    """A matrix, and what its rows and columns are called, if that is known."""

    X: Any
    rows: list[str] | None = None
    columns: list[str] | None = None


def is_anndata(X: Any) -> bool:
    return all(hasattr(X, name) for name in ("obs_names", "var_names", "layers", "obsm"))


def named_matrix(X: Any, layer: str | None, genes: Any) -> Named:
    if not is_anndata(X):
        if layer is not None or genes is not None:
            raise TypeError(f"layer and genes are for AnnData, but X is of type {type(X).__name__}.")
        return Named(X, _names(getattr(X, "index", None)), _names(getattr(X, "columns", None)))
    matrix = _layer(X, layer)
    names = [str(name) for name in X.var_names]
    if genes is not None:
        chosen = _chosen(X, genes)
        matrix, names = matrix[:, chosen], [names[j] for j in chosen]
    return Named(matrix, [str(name) for name in X.obs_names], names)


def _layer(adata: Any, layer: str | None) -> Any:
    if getattr(adata, "isbacked", False):
        adata = adata.to_memory()
    if layer is None:
        if adata.X is None:
            raise ValueError("X has no matrix X; name the layer that is to be surveyed.")
        return adata.X
    if layer not in adata.layers:
        raise ValueError(f"X has no layer {layer!r}; there are {', '.join(map(repr, adata.layers)) or 'none'}.")
    return adata.layers[layer]


def _chosen(adata: Any, genes: Any) -> NDArray[np.intp]:
    """The places of genes that are named, marked, or marked in a column of ``var``, in the order of X."""
    if isinstance(genes, str):
        if genes not in adata.var:
            raise ValueError(
                f"X has no column {genes!r} in var; there are {', '.join(map(repr, adata.var)) or 'none'}."
            )
        genes = np.asarray(adata.var[genes])
        if genes.dtype.kind != "b":
            raise TypeError("genes is the name of a column of var that says yes or no; this one has other entries.")
    marks = np.asarray(genes)
    if marks.dtype.kind == "b":
        if marks.shape != (adata.shape[1],):
            raise ValueError(f"genes marks {marks.size} genes, but X has {adata.shape[1]}.")
    else:
        wanted = [str(name) for name in genes]
        known = {str(name) for name in adata.var_names}
        missing = [name for name in wanted if name not in known]
        if missing:
            raise ValueError(f"X has not {len(missing)} of {len(wanted)} genes: {', '.join(missing[:5])}.")
        marks = np.isin([str(name) for name in adata.var_names], wanted)
    chosen = np.flatnonzero(marks)
    if chosen.size == 0:
        raise ValueError("genes chooses none of the genes of X.")
    return chosen


def _names(index: Any) -> list[str] | None:
    """Numbers that count lines are no names."""
    if not hasattr(index, "__len__"):
        return None
    names = list(index)
    return names if names and all(isinstance(name, str) for name in names) else None
