# SPDX-License-Identifier: MIT
"""What ``anmf.survey`` found, in memory or in a folder."""

from __future__ import annotations

import operator
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anmf import _core
from anmf._consensus import BestStart, Consensus, make_consensus
from anmf._frames import frame
from anmf._report import expect_report_page, write_page
from anmf._survey_input import Named
from anmf._survey_options import survey_labels


@dataclass(frozen=True)
class Engine:
    """What a survey can be asked by, as long as its matrix is there."""

    core: _core.Survey
    options: _core.SurveyOptions
    shape: tuple[int, int]


class Survey:
    """What ``anmf.survey`` found. Tables are frames of pandas where it is installed, else structured arrays."""

    table: Any  #: a row for each rank, with the columns of survey.csv
    components: Any  #: a row for each component of each rank
    jobs: Any  #: a row for each job; ``anmf.factorize`` repeats one with its seed
    suggestion: int | None  #: the rank, or None: undecided
    reasons: list[str]  #: sentences
    alternatives: list[int]  #: other ranks that may be right, the likeliest first
    edge: bool  #: whether the suggestion is at an end of the ranks, so that others should be tried
    rule: str  #: by which a rank is suggested
    notes: list[str]
    stopped: bool  #: by ``progress``, before all jobs were made
    features: str  #: whether they are the "columns" or the "rows" of X
    feature_names: list[str] | None
    sample_names: list[str] | None
    folder: Path | None  #: ``out``

    def __init__(
        self,
        described: dict[str, Any],
        *,
        engine: Engine | None,
        features: str,
        names: Named,
        folder: Path | None = None,
    ) -> None:
        suggestion = described["suggestion"]
        self._rows = described["ranks"]
        self._job_columns = described["jobs"]
        self._component_columns = described["components"]
        self.table = frame(self._rows)
        self.components = frame(self._component_columns)
        self.jobs = frame(self._job_columns)
        self.suggestion = suggestion["rank"] or None
        self.reasons = suggestion["reasons"]
        self.alternatives = suggestion["alternatives"]
        self.edge = suggestion["edge"]
        self.rule = suggestion["rule"]
        self.notes = described["notes"]
        self.stopped = described["stopped"]
        self.features = features
        by_columns = features == "columns"
        self.feature_names = names.columns if by_columns else names.rows
        self.sample_names = names.rows if by_columns else names.columns
        self.folder = folder
        self._engine = engine
        self._kept: dict[int, tuple[Consensus | None, BestStart | None]] = {}

    def __repr__(self) -> str:
        found = "undecided" if self.suggestion is None else f"suggests {self.suggestion}"
        return f"<anmf.Survey of ranks {', '.join(map(str, self.ranks))}: {found}>"

    @property
    def ranks(self) -> list[int]:
        return [int(rank) for rank in self._rows["rank"]]

    def consensus(
        self,
        rank: int,
        *,
        clusters: str | None = None,
        density_threshold: float | None = None,
        neighbourhood: float | None = None,
    ) -> Consensus:
        """What the starts of a rank agree on, as the survey was told to cluster them, or with other clusters.

        ``clusters`` is "matched", where every start gives a spectrum to every cluster, or "free", by k-means as in
        cNMF; spectra whose local density, over the share ``neighbourhood`` of the starts, is at least
        ``density_threshold`` are left out. 2, the default of "matched", leaves out none; that of "free" is 0.5.
        """
        rank = self._expect_rank(rank)
        if clusters is None and density_threshold is None and neighbourhood is None:
            kept = self._kept.get(rank, (None, None))[0]
            if kept is not None:
                return kept
            if self._engine is None:
                return self._read_consensus(rank)
            return self._make(rank, self._engine.core.consensus(rank, None), as_it_was=True)
        engine = self._expect_engine("cluster its starts anew")
        chosen = engine.options
        others = _core.SurveyOptions(chosen)
        if clusters is not None and clusters != chosen.clusters:
            others.clusters, others.density_threshold = clusters, None
        if density_threshold is not None:
            others.density_threshold = float(density_threshold)
        if neighbourhood is not None:
            others.neighbourhood = float(neighbourhood)
        return self._make(rank, engine.core.consensus(rank, others), as_it_was=False)

    def best(self, rank: int) -> BestStart:
        """The start of a rank with the least error."""
        rank = self._expect_rank(rank)
        kept = self._kept.get(rank, (None, None))[1]
        if kept is not None:
            return kept
        if self._engine is None:
            return self._read_best(rank)
        found = self._engine.core.best(rank)
        spectra, usages = found["spectra"], found["usages"]
        by_columns = self.features == "columns"
        W, H = (usages, spectra) if by_columns else (np.ascontiguousarray(spectra.T), np.ascontiguousarray(usages.T))
        return _best_start(found["record"], 0, W, H)

    def spectra(self, rank: int) -> NDArray[np.float64]:
        """The spectra of all starts of a rank that did not fail: starts x rank x features."""
        rank = self._expect_rank(rank)
        starts, spectra = self._numbered_spectra(rank)
        return spectra.reshape(len(starts), rank, -1)

    def _numbered_spectra(self, rank: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The numbers of the starts, and their spectra below one another."""
        starts, spectra, _ = self._expect_engine("tell the spectra of its starts").core.spectra(rank)
        return starts, spectra

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        feature_names: Sequence[str] | None = None,
        image_shape: tuple[int, int] | None = None,
        feature_axis: ArrayLike | None = None,
        axis_name: str = "",
        sample_names: Sequence[str] | None = None,
        labels: Any = None,
    ) -> Path:
        """Write a page with the choice of the rank, the stability and the components of every rank to ``path``: one
        HTML file for any browser. What is known of features and samples is that of ``Factorization.report``; names of
        AnnData and of frames are known to the survey."""
        expect_report_page()
        as_it_is = all(each is None for each in (feature_names, image_shape, feature_axis, sample_names, labels))
        if as_it_is and self.folder is not None and (self.folder / "report.html").is_file():
            return Path(shutil.copyfile(self.folder / "report.html", path))
        engine = self._expect_engine("write a report" if as_it_is else "write a report with other labels")
        known = survey_labels(
            engine.shape,
            self.features,
            self.feature_names if feature_names is None else feature_names,
            self.sample_names if sample_names is None else sample_names,
            image_shape=image_shape,
            feature_axis=feature_axis,
            axis_name=axis_name,
            labels=labels,
        )
        if not hasattr(engine.core, "page"):
            raise RuntimeError("This build of anmf was made without the readers and writers of files.")
        return write_page(path, engine.core.page(known))

    def plot(self, *, ax: Any = None) -> Any:
        """The errors and the stability over the ranks, with matplotlib: ``anmf.plot.selection``."""
        from anmf import plot

        return plot.selection(self, ax=ax)

    @classmethod
    def load(cls, folder: str | os.PathLike[str], X: Any = None, **how: Any) -> Survey:
        """A survey that ``out=``, or the program, left in a folder.

        With the X that was surveyed, everything can be asked of it; ``layer``, ``genes``, ``missing``, ``weights``,
        ``row_weights``, ``column_weights``, ``clusters``, ``density_threshold`` and ``neighbourhood`` are to be what
        they were, and ``threads`` are free. Without X it knows what the folder tells: tables, the consensus and the
        best start of every rank, and its page.
        """
        from anmf._load_survey import load

        return load(Path(folder), X, how)

    def __getstate__(self) -> dict[str, Any]:
        """Without the starts, which stay with the matrix: tables, the consensus and the best start of every rank."""
        state = self.__dict__.copy()
        state["_kept"] = {rank: self._everything(rank) for rank in self.ranks}
        state["_engine"] = None
        return state

    def _everything(self, rank: int) -> tuple[Consensus | None, BestStart | None]:
        try:
            return self.consensus(rank), self.best(rank)
        except (ValueError, OSError):  # all starts of the rank have failed
            return None, None

    def _expect_rank(self, rank: int) -> int:
        rank = operator.index(rank)
        if rank not in self.ranks:
            raise ValueError(f"rank {rank} was not surveyed; there are {', '.join(map(str, self.ranks))}.")
        return rank

    def _expect_engine(self, what: str) -> Engine:
        if self._engine is not None:
            return self._engine
        if self.folder is None:
            raise ValueError(f"A survey that was pickled cannot {what}; keep it in a folder, with out=.")
        raise ValueError(f"The survey cannot {what} without its matrix: anmf.Survey.load({str(self.folder)!r}, X).")

    def _make(self, rank: int, found: dict[str, Any], *, as_it_was: bool) -> Consensus:
        columns = found.pop("components")
        components = self._components_of(rank) if as_it_was else frame(columns | self._parents(rank, found["spectra"]))
        return make_consensus(
            found,
            components=components,
            features=self.features,
            feature_names=self.feature_names,
            sample_names=self.sample_names,
        )

    def _components_of(self, rank: int) -> Any:
        of_rank = np.asarray(self._component_columns["rank"]) == rank
        return frame({name: np.asarray(column)[of_rank] for name, column in self._component_columns.items()})

    def _parents(self, rank: int, spectra: NDArray[Any]) -> dict[str, Any]:
        """Columns of ``components``: which of the next smaller rank are the most similar."""
        done = zip(self.ranks, self._rows["starts"], strict=True)
        smaller = [each for each, starts in done if each < rank and starts > 0]
        if not smaller:
            return {}
        at = max(smaller)
        others = self.consensus(at) if self.folder is None else self._read_consensus(at)
        cosines = _unit(spectra) @ _unit(others.spectra).T
        return {"parent": cosines.argmax(axis=1) + 1, "parent_cosine": cosines.max(axis=1)}

    def _read_factors(self, rank: int, *more: str) -> tuple[NDArray[Any], NDArray[Any]]:
        if self.folder is None:
            raise ValueError(f"rank {rank} has no consensus: all of its starts have failed.")
        place = self.folder.joinpath(f"k{rank:02d}", *more)
        return np.load(place / "W.npy"), np.load(place / "H.npy")

    def _read_consensus(self, rank: int) -> Consensus:
        W, H = self._read_factors(rank)
        by_columns = self.features == "columns"
        row = self.ranks.index(rank)
        return Consensus(
            rank=rank,
            spectra=H if by_columns else W.T,
            usages=W if by_columns else H.T,
            components=self._components_of(rank),
            summary={name: column[row].item() for name, column in self._rows.items()},
            features=self.features,
        )

    def _read_best(self, rank: int) -> BestStart:
        W, H = self._read_factors(rank, "best")
        jobs = self._job_columns
        errors = np.where(
            (jobs["rank"] == rank) & (jobs["start"] >= 0) & ~np.isnan(jobs["error"]), jobs["error"], np.inf
        )
        return _best_start(jobs, int(errors.argmin()), W, H)


def _best_start(jobs: dict[str, Any], row: int, W: NDArray[Any], H: NDArray[Any]) -> BestStart:
    told = {name: jobs[name][row] for name in ("rank", "start", "seed", "error", "relative_error", "iterations")}
    numbers = {name: value.item() for name, value in told.items()}
    return BestStart(W=W, H=H, status=jobs["status"][row], **numbers)


def _unit(spectra: NDArray[Any]) -> NDArray[np.float64]:
    unit: NDArray[np.float64] = spectra.astype(np.float64)
    norms = np.linalg.norm(unit, axis=1, keepdims=True)
    unit /= np.where(norms > 0, norms, 1)
    return unit
