# SPDX-License-Identifier: MIT
"""anmf.survey: many starts of many ranks, which rank, how stable, and what the starts agree on."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike, DTypeLike

from anmf import _core
from anmf._factorize import engine_matrix
from anmf._progress import Progress, engine_progress
from anmf._survey import Engine, Survey
from anmf._survey_input import Named, named_matrix
from anmf._survey_options import expect_word, fit_into, given, job_options, resampling, survey_labels, survey_options


def survey(
    X: Any,
    ranks: int | Iterable[int],
    *,
    starts: int = 50,
    seed: int = 0,
    out: str | os.PathLike[str] | None = None,
    features: str = "columns",
    heldout: str = "speckled",
    heldout_fraction: float = 0.1,
    heldout_repeats: int = 5,
    clusters: str = "matched",
    density_threshold: float | None = None,
    neighbourhood: float = 0.3,
    resample: str = "none",
    consensus_rows: int = 2000,
    method: str = "auto",
    beta_loss: float | str | None = None,
    dtype: DTypeLike | None = None,
    threads: int | None = None,
    jobs: int = 0,
    memory: float | str | None = None,
    progress: bool | Progress = False,
    missing: str = "error",
    weights: Any = None,
    row_weights: ArrayLike | None = None,
    column_weights: ArrayLike | None = None,
    layer: str | None = None,
    genes: Any = None,
    feature_names: Sequence[str] | None = None,
    sample_names: Sequence[str] | None = None,
    labels: Any = None,
    image_shape: tuple[int, int] | None = None,
    keep: str = "spectra",
    retry_failed: bool = False,
    mix_versions: bool = False,
    **options: Any,
) -> Survey:
    """Factorize X with several ranks, many times each, and say which rank, how stable its components are, and what all
    starts agree on.

    Jobs have the bits of ``anmf.factorize`` with the seed in ``Survey.jobs``, whatever the threads, and one that fails
    is named in the table while the others go on.

    Parameters
    ----------
    X : array, sparse matrix, frame or AnnData
        As for ``anmf.factorize``.
    ranks : int or several
        Numbers of components, such as ``range(2, 16)``.
    starts : int
        Factorizations of every rank. A rank is suggested from ten on.
    seed : int
        From which every job has its own; ranks and starts that are added later change none.
    out : path
        A folder that keeps every job, so that the same call goes on where an interrupted one was, with more ranks and
        starts if they are asked for. None keeps all in memory.
    features : {"columns", "rows"}
        Where the features of X are; the other lines are samples.
    heldout : {"speckled", "bcv", "none"}
        By what ranks are judged: entries here and there that a fit does not see, the share ``heldout_fraction`` of all
        that were observed, in ``heldout_repeats`` choices; or whole blocks of X, for which nothing is suggested.
    clusters, density_threshold, neighbourhood
        As in ``Survey.consensus``.
    resample : {"none", "poisson", "multinomial"} or "uniform:E"
        What is done to the entries of X before every start; "uniform:0.1" changes them by up to 10 percent.
    consensus_rows : int
        Most samples of the consensus matrix.
    method, dtype, threads, missing, weights, row_weights, column_weights
        As for ``anmf.factorize``; ``threads`` are those of all jobs together.
    beta_loss : str or float
        The loss as ``anmf.NMF`` calls it; ``loss`` is the same.
    jobs : int
        At a time; 0 is one for every thread.
    memory : number or str
        Bytes that may be taken beside X, such as "4G"; fewer jobs are made at a time then.
    progress : bool or callable
        True says on stderr how far it is. A function is called with an ``anmf.SurveyState`` after every job; a true
        value ends the survey, which sums up what there is.
    layer, genes : str; names, marks, or the name of a column of var
        Of AnnData: what is surveyed in the place of ``X.X`` and of all genes.
    feature_names, sample_names, labels, image_shape
        For the page, see ``Factorization.report``. Names of AnnData and of frames are known.
    keep : {"spectra", "all"}
        In a folder: both factors of the best start alone, or of all.
    retry_failed : bool
        Make jobs of ``out`` that have failed once more.
    mix_versions : bool
        Go on with jobs that another version of anmf has made.
    **options
        Those of ``anmf.factorize``, such as ``tolerance`` and ``alpha_W``. ``max_iterations`` is 5000 here: ranks are
        compared by starts that have converged.
    """
    if keep not in ("spectra", "all"):
        raise ValueError(f"keep = {keep!r} is not allowed; choose 'spectra' or 'all'.")
    known = named_matrix(X, layer, genes)
    chosen = survey_options(
        ranks,
        job=job_options(method, beta_loss, threads, options),
        starts=starts,
        seed=seed,
        features=features,
        heldout=expect_word("heldout", heldout, "the share of the entries is heldout_fraction"),
        heldout_fraction=heldout_fraction,
        heldout_repeats=heldout_repeats,
        clusters=clusters,
        density_threshold=density_threshold,
        neighbourhood=neighbourhood,
        consensus_rows=consensus_rows,
        jobs=jobs,
        retry_failed=retry_failed,
        **resampling(resample),
    )
    matrix, _ = engine_matrix(
        known.X,
        dtype=dtype,
        missing=missing,
        weights=weights,
        row_weights=row_weights,
        column_weights=column_weights,
    )
    if memory is not None:
        fit_into(memory, matrix, chosen, in_memory=out is None)
    by_columns = features == "columns"
    names = Named(
        None,
        given(sample_names if by_columns else feature_names) or known.rows,
        given(feature_names if by_columns else sample_names) or known.columns,
    )
    page = {"image_shape": image_shape, "labels": labels}
    return run_survey(matrix, chosen, out, names, page, keep=keep, mix_versions=mix_versions, progress=progress)


def run_survey(
    matrix: _core.Matrix,
    options: _core.SurveyOptions,
    out: str | os.PathLike[str] | None,
    names: Named,
    page: dict[str, Any],
    *,
    keep: str = "spectra",
    mix_versions: bool = False,
    progress: bool | Progress = False,
) -> Survey:
    told = engine_progress(progress)
    engine = open_engine(matrix, options, out, names=names, page=page, keep=keep, mix_versions=mix_versions)
    try:
        described = engine.core.make(True, told, None)
    except KeyboardInterrupt as interrupt:
        if out is not None:
            interrupt.add_note(f"The jobs that were made are in {os.fspath(out)!r}; the same call goes on with them.")
        raise
    folder = None if out is None else Path(out)
    found = Survey(described, engine=engine, features=options.features, names=names, folder=folder)
    _warn_of_failures(found)
    return found


def open_engine(
    matrix: _core.Matrix,
    options: _core.SurveyOptions,
    out: str | os.PathLike[str] | None,
    *,
    names: Named,
    page: dict[str, Any],
    keep: str,
    mix_versions: bool,
) -> Engine:
    by_columns = options.features == "columns"
    feature_names, sample_names = (names.columns, names.rows) if by_columns else (names.rows, names.columns)
    labels = survey_labels(matrix.shape, options.features, feature_names, sample_names, **page)
    call = f"anmf.survey(X, {options.ranks}, starts={options.starts}, seed={options.seed})"
    core = _core.survey(
        matrix,
        options,
        folder="" if out is None else os.fspath(out),
        name="X",
        title=f"Survey of {len(options.ranks)} ranks",
        command=call,
        keep_usages=keep == "all",
        mix_versions=mix_versions,
        labels=labels,
    )
    return Engine(core, options, matrix.shape)


def _warn_of_failures(found: Survey) -> None:
    failed = [
        message
        for status, message in zip(found._job_columns["status"], found._job_columns["message"], strict=True)
        if status == "failed"
    ]
    if failed:
        warnings.warn(
            f"{len(failed)} of {len(found._job_columns['status'])} jobs have failed, and are left out; the first says:"
            f" {failed[0]}",
            RuntimeWarning,
            stacklevel=4,
        )
