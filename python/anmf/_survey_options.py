# SPDX-License-Identifier: MIT
"""What ``anmf.survey`` is told, as the engine takes it."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

from anmf import _core
from anmf._factorize import set_options
from anmf._loss import engine_loss
from anmf._report import label_arguments
from anmf._threads import thread_count

#: Those of ``factorize`` that a survey sets for every job, and what to say of them.
_SET_BY_SURVEY = {
    "rank": "the survey takes ranks",
    "heldout_seed": "the survey's seed chooses what is held out",
    "explore": "a job ends in the minimum that its start leads to",
    "time_limit": "its jobs must not depend on the clock",
}


def expect_word(name: str, word: Any, advice: str) -> str:
    if not isinstance(word, str):
        raise TypeError(f"{name} = {word!r} is of the wrong type, {type(word).__name__}; it is a word, and {advice}.")
    return word


def given(names: Sequence[str] | None) -> list[str] | None:
    return None if names is None else [str(name) for name in names]


def job_options(
    method: str, beta_loss: float | str | None, threads: int | None, options: dict[str, Any]
) -> _core.Options:
    """The options of every job."""
    for name, why in _SET_BY_SURVEY.items():
        if name in options:
            raise TypeError(f"{name} is not an option of a survey: {why}.")
    if beta_loss is not None:
        if "loss" in options:
            raise TypeError("loss and beta_loss are the same; give one of them.")
        options = options | {"loss": engine_loss(beta_loss)}
    if isinstance(options.get("loss"), Real):
        options = options | {"loss": engine_loss(options["loss"])}
    return set_options({"method": method, "threads": thread_count(threads), **options}, _core.survey_job())


def survey_options(ranks: int | Iterable[int], **values: Any) -> _core.SurveyOptions:
    options = _core.SurveyOptions()
    for name, value in {"ranks": _ranks(ranks), **values}.items():
        try:
            setattr(options, name, value)
        except TypeError:
            raise TypeError(f"{name} = {value!r} is of the wrong type, {type(value).__name__}.") from None
    return options


def _ranks(ranks: int | Iterable[int]) -> list[int]:
    try:
        if isinstance(ranks, str):
            raise TypeError
        each = list(ranks) if isinstance(ranks, Iterable) else [ranks]
        return sorted({operator.index(rank) for rank in each})
    except TypeError:
        raise TypeError(f"ranks = {ranks!r}; it must be whole numbers, such as range(2, 16) or [4, 8, 16].") from None


def resampling(resample: str) -> dict[str, Any]:
    kind, _, width = expect_word("resample", resample, "'uniform:0.1' has a number").partition(":")
    try:
        return {"resample": kind, "resampling_width": float(width) if width else 0.0}
    except ValueError:
        raise ValueError(f"resample = {resample!r}; after 'uniform:' comes a number, as in 'uniform:0.1'.") from None


_UNITS = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def _bytes(memory: float | str) -> float:
    if isinstance(memory, Real):
        return float(memory)
    found = re.fullmatch(r"\s*([\d.]+(?:e\d+)?)\s*([kmgt]i?|)b?\s*", str(memory), re.IGNORECASE)
    try:
        if found is not None:
            return float(found[1]) * _UNITS[found[2].lower()]
    except ValueError:
        pass
    raise ValueError(f"memory = {memory!r}; it must be a number of bytes, such as '4G', '500M' or 2e9.")


def fit_into(memory: float | str, matrix: _core.Matrix, options: _core.SurveyOptions, *, in_memory: bool) -> None:
    """As many jobs at a time as there is memory for."""
    most = _bytes(memory)
    at_a_time, needed = _core.survey_needs(matrix, options, in_memory)
    while needed > most and at_a_time > 1:
        options.jobs = at_a_time - 1
        at_a_time, needed = _core.survey_needs(matrix, options, in_memory)
    if needed > most:
        advice = "Fewer starts or smaller ranks take less" + (
            ", and so does a folder, with out=." if in_memory else "."
        )
        raise ValueError(
            f"The survey takes {needed / 1e9:.3g} GB beside X, one job at a time; memory is"
            f" {most / 1e9:.3g} GB. {advice}"
        )


def survey_labels(
    shape: tuple[int, int],
    features: str,
    feature_names: Sequence[str] | None,
    sample_names: Sequence[str] | None,
    **more: Any,
) -> dict[str, Any]:
    more = {"image_shape": None, "feature_axis": None, "axis_name": "", "labels": None} | more
    known = label_arguments(shape, feature_names=feature_names, sample_names=sample_names, **more)
    sides = {name: features for name in ("name_side", "image_side", "place_side") if shape[0] == shape[1]}
    if not known["names"] and not known["places"] and known["image_shape"] is None:
        sides["name_side"] = features
    return known | sides


def best_seed(matrix: _core.Matrix, options: _core.SurveyOptions) -> int:
    """Of the start with the least error, of a survey in memory of one rank, of which nothing else is asked."""
    rank = options.ranks[0]
    engine = _core.survey(
        matrix,
        options,
        folder="",
        name="X",
        title="",
        command="",
        keep_usages=False,
        mix_versions=False,
        labels=survey_labels(matrix.shape, "columns", None, None),
    )
    engine.make(False, None, None)
    return int(engine.best(rank)["record"]["seed"][0])
