# SPDX-License-Identifier: MIT
"""What users say of the rows and columns of X, as the report takes it."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from anmf import _core


def label_arguments(
    shape: tuple[int, int],
    *,
    feature_names: Sequence[str] | None,
    image_shape: tuple[int, int] | None,
    feature_axis: ArrayLike | None,
    axis_name: str,
    sample_names: Sequence[str] | None,
    labels: Any,
) -> dict[str, Any]:
    """The labels that pages of ``_core`` take; whether samples are rows or columns of X is for the engine to say."""
    names = _texts(feature_names)
    pixels = None if image_shape is None else _whole_shape(image_shape)
    places = [] if feature_axis is None else _places(feature_axis)
    return {
        "names": names,
        "name_side": _side(shape, "feature_names", len(names)) if names else "columns",
        "image_shape": pixels,
        "image_side": "columns" if pixels is None else _side(shape, "image_shape", pixels[0] * pixels[1]),
        "places": places,
        "place_name": axis_name,
        "place_side": _side(shape, "feature_axis", len(places)) if places else "columns",
        "sample_names": _texts(sample_names),
        "groupings": _groupings(labels),
    }


def expect_report_page() -> None:
    if not _core.has_report_page:
        raise RuntimeError("This build of anmf has no report page; it is made where npm is at hand.")


def write_page(path: str | os.PathLike[str], page: str) -> Path:
    """Whole or not at all."""
    target = Path(path)
    aside = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        aside.write_text(page, encoding="utf-8")
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)
    return target


def _texts(values: Iterable[Any] | None) -> list[str]:
    return [] if values is None else [str(value) for value in values]


def _side(shape: tuple[int, int], name: str, count: int) -> str:
    """Whether so many things are the columns of X or its rows."""
    rows, columns = shape
    if count not in (columns, rows):
        raise ValueError(f"{name} is for {count} features; X has {columns} columns and {rows} rows.")
    return "columns" if count == columns else "rows"


def _whole_shape(image_shape: tuple[int, int]) -> tuple[int, int]:
    try:
        height, width = map(operator.index, image_shape)
    except (TypeError, ValueError):
        height = width = 0
    if height < 1 or width < 1:
        raise ValueError(f"image_shape = {image_shape!r}; it must be the height and width in pixels, each at least 1.")
    return height, width


def _places(feature_axis: ArrayLike) -> list[float]:
    places = np.asarray(feature_axis, dtype=float)
    steps = np.diff(places) if places.ndim == 1 else np.array([0.0])
    if not np.isfinite(places).all() or not ((steps > 0).all() or (steps < 0).all()):
        raise ValueError("feature_axis must be a list of numbers that ascend or descend throughout.")
    return [float(place) for place in places]


def _groupings(labels: Any) -> list[tuple[str, list[str], bytes]]:
    """Every list of labels as its name, its words, and for each sample the number of its word."""
    if labels is None:
        return []
    if isinstance(labels, Mapping) or hasattr(labels, "columns"):  # of a data frame
        found = [_grouping(str(name), values) for name, values in labels.items()]
        return [grouping for grouping in found if grouping]
    grouping = _grouping("labels", labels)
    if grouping is None:
        raise ValueError(f"labels must have 2 to {_core.most_words} different words, and be no floats.")
    return [grouping]


def _missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)  # NaN is not itself
    except TypeError:  # and of pandas' NA, nobody knows
        return True


def _grouping(name: str, values: Any) -> tuple[str, list[str], bytes] | None:
    if np.asarray(values).dtype.kind in "fc":
        return None
    of_samples = ["" if _missing(value) else str(value) for value in values]
    words = sorted(set(of_samples))
    if not 2 <= len(words) <= _core.most_words:
        return None
    code = {word: k for k, word in enumerate(words)}
    return name, words, bytes(code[word] for word in of_samples)
