# SPDX-License-Identifier: MIT
"""What a run reports about its iterations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Iteration(NamedTuple):
    """The state after one outer iteration; iteration 0 is the start."""

    iteration: int
    seconds: float  #: solver time so far, without evaluating the error and without callbacks
    flops: float  #: work so far by the paper's cost model
    error: float  #: ||X - W H||
    relative_error: float  #: error / ||X||
    penalty: float  #: the penalty terms, apart from the fit
    inner_w: int  #: inner iterations of the W half
    inner_h: int  #: inner iterations of the H half


#: Called after every iteration; a true value stops the run.
Callback = Callable[[Iteration], Any]

_COUNTS = ("iteration", "inner_w", "inner_h")
HISTORY_TYPE = np.dtype([(name, np.int64 if name in _COUNTS else np.float64) for name in Iteration._fields])


def history(trace: bytes) -> NDArray[Any]:
    """The engine's trace as a structured array with the fields of Iteration."""
    return np.frombuffer(trace, dtype=HISTORY_TYPE).copy()


def engine_callback(callback: Callback | None) -> Callable[..., bool] | None:
    """The callback as the engine calls it, with plain numbers."""
    if callback is None:
        return None
    return lambda *numbers: bool(callback(Iteration(*numbers)))
