#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does "converged" mean it? For many matrices and starts: the error where a run says so, and where ten times the
iterations lead.

Every run is the default's without its search for lower minima, which would lead to other ones. The rule that is
compared is the gradient's, relative to the start, at 1e-4; it is right where its run, too, is within 0.1 % of where ten
times its iterations lead. Prints the table of docs/algorithms.md. Needs numpy, scipy and the Python package.

Usage: PYTHONPATH=build/release/python bench/stopping/run.py [--data ../shared/data] [--sets NAME ...]
       [--tolerance 1e-6] [--iterations 500]
"""

import argparse
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sets import sets

import anmf

STARTS = ("random", "scaled-random", "nndsvda", "spa")
CLOSE = 1e-3
BY_GRADIENT = 1e-4
EXACT = 1e-4  # relative errors below this count as a fit that is exact
LOOKED_AT = 1e-300  # a tolerance that is never met, so that the measures are in the history


@dataclass
class Verdict:
    """Of one rule in one run."""

    iterations: int | None  #: None: it has not converged
    excess: float = math.nan  #: of the error over where ten times the iterations lead

    @property
    def right(self) -> bool:
        return self.iterations is not None and self.excess <= CLOSE


def judge(history: Any, iterations: int | None) -> Verdict:
    if iterations is None:
        return Verdict(None)
    later = history[min(10 * iterations, len(history) - 1)]
    if later["relative_error"] < EXACT:
        return Verdict(iterations, 0.0 if history["relative_error"][iterations] < EXACT else math.inf)
    return Verdict(iterations, float(history["error"][iterations] / later["error"] - 1))


def try_start(M: Any, rank: int, init: str, tolerance: float, most: int) -> tuple[Verdict, Verdict]:
    """By the default rule and by the gradient."""
    options: dict[str, Any] = {"init": init, "seed": 1, "explore": "off", "threads": 1}
    run = anmf.factorize(M, rank, max_iterations=most, tolerance=tolerance, **options)
    length = 10 * run.iterations if run.converged else most
    history = anmf.factorize(M, rank, max_iterations=length, tolerance=LOOKED_AT, **options).history
    found = np.flatnonzero(history["kkt"][: most + 1] <= BY_GRADIENT)
    by_gradient = judge(history, int(found[0]) if len(found) else None)
    return judge(history, run.iterations if run.converged else None), by_gradient


def shown(verdicts: list[Verdict]) -> str:
    return ", ".join("-" if v.iterations is None else str(v.iterations) for v in verdicts)


def worst(verdicts: list[Verdict]) -> str:
    excesses = [v.excess for v in verdicts if v.iterations is not None]
    if not excesses:
        return "-"
    return f"{100 * max(excesses):.3f} %" if max(excesses) < math.inf else f"error above {EXACT:g}"


def summary(pairs: list[tuple[Verdict, Verdict]]) -> str:
    lines = []
    for which, name in enumerate(("promised decrease", "gradient")):
        converged = [pair[which] for pair in pairs if pair[which].iterations is not None]
        right = sum(v.right for v in converged)
        lines.append(f"{name}: {len(converged)} of {len(pairs)} runs converged, {right} of them within {CLOSE:.1%}")
    ratios = [a.iterations / b.iterations for a, b in pairs if b.right and a.iterations and b.iterations]
    if ratios:
        lines.append(
            f"where the gradient is right, iterations by the promised decrease relative to it: {len(ratios)} runs,"
            f" geometric mean {math.exp(np.mean(np.log(ratios))):.2f}, more in {sum(r > 1 for r in ratios)}"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sets", nargs="*", help="names, all by default")
    parser.add_argument("--tolerance", type=float, default=1e-6, help="of the promised decrease")
    parser.add_argument("--iterations", type=int, default=500, help="the limit of a run")
    options = parser.parse_args()
    print(
        f"Iterations until the run has converged, from {', '.join(STARTS)}, and the largest excess of the error then.\n"
    )
    print("| matrix | r | iterations | excess | by the gradient | excess |\n|---|---|---|---|---|---|")
    pairs: list[tuple[Verdict, Verdict]] = []
    for name, rank, M in sets(options.data):
        if options.sets and name not in options.sets:
            continue
        rows = [try_start(M, rank, init, options.tolerance, options.iterations) for init in STARTS]
        pairs += rows
        ours, gradient = ([row[which] for row in rows] for which in (0, 1))
        told = f"{shown(ours)} | {worst(ours)} | {shown(gradient)} | {worst(gradient)}"
        print(f"| {name}, {M.shape[0]} x {M.shape[1]} | {rank} | {told} |", flush=True)
    print(f"\n{summary(pairs)}")


if __name__ == "__main__":
    main()
