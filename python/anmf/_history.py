# SPDX-License-Identifier: MIT
"""What a run reports about its iterations."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from anmf import _core

_COLUMNS = _core.trace_columns()

if TYPE_CHECKING:

    class Iteration(tuple[Any, ...]):
        _fields: tuple[str, ...]

        def __getattr__(self, name: str) -> Any: ...

else:
    Iteration = namedtuple("Iteration", [name for name, _, _ in _COLUMNS])
    Iteration.__doc__ = "The state after one outer iteration.\n\n" + "\n".join(
        f"{name} : {'int' if is_count else 'float'}\n    {meaning}" for name, is_count, meaning in _COLUMNS
    )

#: Called after every iteration; a true value stops the run.
Callback = Callable[[Iteration], Any]

HISTORY_TYPE = np.dtype([(name, np.int64 if is_count else np.float64) for name, is_count, _ in _COLUMNS])


def history(trace: bytes) -> NDArray[Any]:
    """The engine's trace as a structured array with the fields of Iteration."""
    return np.frombuffer(trace, dtype=HISTORY_TYPE).copy()


def engine_callback(callback: Callback | None) -> Callable[..., bool] | None:
    """The callback as the engine calls it, with plain numbers."""
    if callback is None:
        return None
    return lambda *numbers: bool(callback(Iteration(*numbers)))
