# SPDX-License-Identifier: MIT
"""Tables for people: frames of pandas where it is installed, which anmf does not ask for, else structured arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Columns in which -1 stands for nothing.
_MAY_LACK = ("start", "repeat")


def frame(columns: dict[str, Any]) -> Any:
    """A table of these columns, which are equally long."""
    if "suggested" in columns:
        columns = columns | {"suggested": np.asarray(columns["suggested"]).astype(bool)}
    try:
        import pandas as pd
    except ImportError:
        return _structured(columns)
    table = pd.DataFrame(columns)
    for name in _MAY_LACK:
        if name in columns:
            table[name] = table[name].astype("Int64").mask(np.asarray(columns[name]) < 0)
    return table


def _structured(columns: dict[str, Any]) -> Any:
    arrays = {name: np.asarray(column) for name, column in columns.items()}
    length = len(next(iter(arrays.values())))
    table = np.empty(length, dtype=[(name, array.dtype if length else "U1") for name, array in arrays.items()])
    for name, array in arrays.items():
        table[name] = array
    return table
