# SPDX-License-Identifier: MIT
"""What the starts of a rank agree on, and the best of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmf._survey_input import is_anndata


@dataclass(frozen=True)
class BestStart:
    """The start of a rank with the least error."""

    rank: int
    start: int  #: its number
    seed: int  #: with which ``anmf.factorize`` repeats it
    W: NDArray[Any] = field(repr=False)
    H: NDArray[Any] = field(repr=False)
    error: float
    relative_error: float
    status: str  #: "converged" or "iteration_limit"
    iterations: int


@dataclass(frozen=True)
class Consensus:
    """What the starts of a rank agree on. Components are sorted, the most used first.

    What a folder does not tell without the matrix (``Survey.load(folder)``) is None.
    """

    rank: int
    spectra: NDArray[Any] = field(repr=False)  #: rank x features
    usages: NDArray[Any] = field(repr=False)  #: samples x rank, fitted to the spectra
    components: Any = field(repr=False)  #: a row for each component, as in components.csv
    summary: dict[str, Any] = field(repr=False)  #: as a row of ``Survey.table``
    features: str  #: whether they are the "columns" or the "rows" of X
    feature_names: list[str] | None = field(default=None, repr=False)
    sample_names: list[str] | None = field(default=None, repr=False)
    #: of the spectra of all starts, those of a start together: the number of the component, from 0; -1 is none
    labels: NDArray[np.int64] | None = field(default=None, repr=False)
    density: NDArray[np.float64] | None = field(default=None, repr=False)  #: local, of these spectra
    density_threshold: float | None = None
    silhouettes: NDArray[np.float64] | None = field(default=None, repr=False)  #: of these spectra, Euclidean
    starts: NDArray[np.int64] | None = field(default=None, repr=False)  #: those that were done
    start_errors: NDArray[np.float64] | None = field(default=None, repr=False)  #: relative, of these starts
    heldout_errors: NDArray[np.float64] | None = field(default=None, repr=False)  #: relative, of the repeats
    sampled: NDArray[np.int64] | None = field(default=None, repr=False)  #: samples of ``consensus_matrix``
    #: how often two samples had the same strongest component
    consensus_matrix: NDArray[np.float32] | None = field(default=None, repr=False)
    notes: list[str] = field(default_factory=list)

    @property
    def components_(self) -> NDArray[Any]:
        return self.spectra

    @property
    def silhouette(self) -> float:
        """The mean over all spectra, NaN if there is one component or one start."""
        return float(self.summary["silhouette"])

    @property
    def W(self) -> NDArray[Any]:
        return self.usages if self.features == "columns" else self.spectra.T

    @property
    def H(self) -> NDArray[Any]:
        return self.spectra if self.features == "columns" else self.usages.T

    def to_anndata(self, adata: Any, *, key: str = "nmf") -> Any:
        """Write usages to ``adata.obsm["X_nmf"]``, spectra to ``adata.varm["nmf"]`` and what is known of them to
        ``adata.uns["nmf"]``; ``key`` takes the place of nmf. Genes that were not surveyed are NaN. Returns ``adata``.
        """
        if not is_anndata(adata):
            raise TypeError(f"adata is of type {type(adata).__name__}; it must be AnnData.")
        if self.features != "columns":
            raise ValueError('The survey has its features in rows; AnnData has them in columns: features="columns".')
        if adata.shape[0] != self.usages.shape[0]:
            raise ValueError(f"adata has {adata.shape[0]} observations, but {self.usages.shape[0]} were surveyed.")
        if self.sample_names is not None and list(map(str, adata.obs_names)) != self.sample_names:
            raise ValueError("adata has other observations than those surveyed, or has them in another order.")
        places = self._places(adata)
        loadings = np.full((adata.shape[1], self.rank), np.nan, dtype=self.spectra.dtype)
        loadings[places] = self.spectra.T
        adata.obsm[f"X_{key}"] = self.usages
        adata.varm[key] = loadings
        told = {name: self.summary[name] for name in ("starts", "silhouette", "silhouette_min", "consensus_error")}
        adata.uns[key] = {"kind": "consensus", "rank": self.rank, **told, "components": self.components}
        return adata

    def _places(self, adata: Any) -> Any:
        """Of the features among the genes of adata."""
        names = [str(name) for name in adata.var_names]
        if self.feature_names is None or names == self.feature_names:
            if len(names) != self.spectra.shape[1]:
                raise ValueError(f"adata has {len(names)} genes, but {self.spectra.shape[1]} were surveyed.")
            return slice(None)
        places = {name: place for place, name in enumerate(names)}
        unknown = [name for name in self.feature_names if name not in places]
        if unknown or len(places) < len(names):
            why = f"{unknown[0]!r} is none of them" if unknown else "some of them have the same name"
            raise ValueError(f"The genes that were surveyed cannot be found among those of adata: {why}.")
        return [places[name] for name in self.feature_names]


def make_consensus(found: dict[str, Any], **more: Any) -> Consensus:
    """Of what the engine tells."""
    found = dict(found)
    summary = {name: column[0].item() for name, column in found.pop("summary").items()}
    return Consensus(
        rank=found["spectra"].shape[0],
        summary=summary,
        consensus_matrix=found.pop("consensus"),
        **found,
        **more,
    )
