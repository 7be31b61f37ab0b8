# SPDX-License-Identifier: MIT
"""anmf.Survey.load: a survey that was left in a folder."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from anmf import _core
from anmf._factorize import OPTIONS, engine_matrix
from anmf._run_survey import open_engine
from anmf._survey import Survey
from anmf._survey_input import Named, named_matrix
from anmf._survey_options import job_options, resampling, survey_options


def load(folder: Path, X: Any, how: dict[str, Any]) -> Survey:
    if not hasattr(_core, "read_survey"):
        raise RuntimeError("This build of anmf was made without the readers and writers of files.")
    text, described = _core.read_survey(os.fspath(folder))
    key = json.loads(text)["key"]
    if X is None:
        if how:
            raise TypeError(f"{next(iter(how))} goes with X, which was not given.")
        return Survey(described, engine=None, features=key["features"], names=Named(None), folder=folder)
    return _load_with(folder, described, key, X, **how)


def _load_with(
    folder: Path,
    described: dict[str, Any],
    key: dict[str, Any],
    X: Any,
    *,
    threads: int | None = None,
    layer: str | None = None,
    genes: Any = None,
    missing: str = "error",
    weights: Any = None,
    row_weights: ArrayLike | None = None,
    column_weights: ArrayLike | None = None,
    clusters: str = "matched",
    density_threshold: float | None = None,
    neighbourhood: float = 0.3,
) -> Survey:
    known = named_matrix(X, layer, genes)
    jobs = described["jobs"]
    kinds = set(jobs["kind"])
    job = {name: key[name] for name in OPTIONS if name in key and name != "method"}
    options = survey_options(
        described["ranks"]["rank"].tolist(),
        job=job_options(key["method"], None, threads, job),
        starts=int(max(jobs["start"].max() + 1, 1)),
        seed=key["seed"],
        features=key["features"],
        heldout="bcv" if "bcv" in kinds else "speckled" if "heldout" in kinds else "none",
        heldout_fraction=key["heldout_fraction"],
        heldout_repeats=int(max(jobs["repeat"].max() + 1, 1)),
        clusters=clusters,
        density_threshold=density_threshold,
        neighbourhood=neighbourhood,
        **resampling(key["resample"]),
    )
    matrix, _ = engine_matrix(
        known.X,
        dtype=np.dtype(key["precision"]),
        missing=missing,
        weights=weights,
        row_weights=row_weights,
        column_weights=column_weights,
    )
    names = Named(None, known.rows, known.columns)
    engine = open_engine(matrix, options, folder, names=names, page={}, keep="spectra", mix_versions=True)
    return Survey(described, engine=engine, features=key["features"], names=names, folder=folder)
