# SPDX-License-Identifier: MIT
"""What a survey says while it goes on."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple


class SurveyState(NamedTuple):
    """The state after a job."""

    rank: int
    kind: str  #: "start", "heldout" or "bcv"
    number: int  #: of the start, or of the repeat
    status: str  #: "converged", "iteration_limit" or "failed"
    relative_error: float
    done: int  #: jobs, those that were found in ``out`` included
    total: int
    made: int  #: by this call
    at_a_time: int
    seconds: float
    seconds_left: float  #: NaN until a job has been made


#: Called after every job; a true value ends the survey, which sums up what there is.
Progress = Callable[[SurveyState], Any]


def engine_progress(progress: bool | Progress) -> Callable[..., bool] | None:
    """As the engine calls it, with plain numbers."""
    if progress is False or progress is None:
        return None
    if progress is not True and not callable(progress):
        raise TypeError(f"progress = {progress!r}; it must be True, False or a function.")
    told = Line() if progress is True else progress
    return lambda *numbers: bool(told(SurveyState(*numbers)))


class Line:
    """A line on stderr that is written anew, ten times a second at most."""

    def __init__(self) -> None:
        self._told = 0.0

    def __call__(self, state: SurveyState) -> bool:
        now = time.monotonic()
        last = state.done == state.total
        if last or now - self._told > 0.1:
            self._told = now
            print("\r" + describe(state), end="\n" if last else "", file=sys.stderr, flush=True)
        return False


def describe(state: SurveyState) -> str:
    name = "start" if state.kind == "start" else f"{state.kind} repeat"
    rate = state.made / state.seconds if state.seconds > 0 else math.nan
    words = [f"job {state.done}/{state.total}", f"k {state.rank}, {name} {state.number}"]
    words += [f"{state.at_a_time} at a time", f"{rate:.1f} jobs/s"]
    if state.seconds_left == state.seconds_left:
        minutes, seconds = divmod(math.ceil(state.seconds_left), 60)
        words.append(f"ETA {minutes}m {seconds:02d}s")
    return f"{' | '.join(words):<78}"
