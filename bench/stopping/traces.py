# SPDX-License-Identifier: MIT
"""Long runs by whose errors and measures any rule can be judged at once, and by those that were kept once more."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.recfunctions import repack_fields

import anmf

LOOKED_AT = 1e-300  # a tolerance that is never met, so that the measures are in the history
#: Rules that stop later than these are not judged.
LEAST = {"promised_decrease": 5e-7, "kkt": 1e-4}
KEPT = ("error", "relative_error", "promised_decrease", "kkt", "seconds")


def options_of(init: str, seed: int) -> dict[str, Any]:
    """The default's without its search for lower minima, which would lead to other ones."""
    return {"init": init, "seed": seed, "explore": "off", "threads": 1}


def trace(M: Any, rank: int, start: dict[str, Any], most: int, kept: Path | None) -> Any:
    """A history of ten times the iterations after which any rule has stopped that does so within `most`."""
    if kept and kept.exists():
        return np.load(kept)
    last = dict.fromkeys(LEAST, most)

    def enough(now: anmf.Iteration) -> bool:
        for name, least in LEAST.items():
            if getattr(now, name) <= least:
                last[name] = min(last[name], now.iteration)
        return bool(now.iteration >= 10 * max(last.values()))

    run = anmf.factorize(M, rank, max_iterations=10 * most, tolerance=LOOKED_AT, callback=enough, **start)
    history = repack_fields(run.history[list(KEPT)])
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.save(kept, history)
    return history
