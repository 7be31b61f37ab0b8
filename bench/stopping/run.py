#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does "converged" mean it? For many matrices and starts: the error where a run says so, and where ten times the
iterations lead.

Every run is the default's without its search for lower minima, which would lead to other ones. The rule that is
compared is the gradient's, relative to the start, at 1e-4; it is right where its run, too, is within 0.1 % of where ten
times its iterations lead. Prints the tables of docs/algorithms.md: every matrix with the default tolerance, as runs
with it end, and all runs with other tolerances, as the measures in one long run each tell, also of starts that have not
been looked at when the default was chosen. Needs numpy, scipy and the Python package.

Usage: PYTHONPATH=build/release/python bench/stopping/run.py [--data ../shared/data] [--sets NAME ...]
       [--tolerance 1e-6] [--iterations 500] [--seeds 1 7] [--keep FOLDER]
"""

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sets import sets
from traces import options_of, trace

import anmf

RANDOM = ("random", "scaled-random")
STARTS = (*RANDOM, "nndsvda", "spa")
CLOSE = 1e-3
BY_GRADIENT = 1e-4
DEFAULT = 1e-6
TOLERANCES = (5e-7, 1e-6, 2e-6, 3e-6, 5e-6, 1e-5, 1e-4, 1e-3)
SURE, LIKELY, LITTLE = 2e-6, 5e-6, 1e-5  # of by_remainder()
EXACT = 1e-4  # relative errors below this count as a fit that is exact


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


def first_at_most(measures: np.ndarray, bound: float, most: int) -> int | None:
    found = np.flatnonzero(measures[: most + 1] <= bound)
    return int(found[0]) if len(found) else None


def by_remainder(history: Any, most: int) -> int | None:
    """Where the promise is below SURE, or below LIKELY while the decreases of the last three iterations and of the
    three before foretell, as a geometric series, that little is left. The best of many such rules that were tried."""
    loss, promised = history["error"] ** 2, history["promised_decrease"]
    for k in np.flatnonzero(promised[: most + 1] <= LIKELY):
        if promised[k] <= SURE:
            return int(k)
        before, last = (loss[i - 3] - loss[i] if i >= 3 else math.inf for i in (k - 3, k))
        if last <= 0 or (last < before and last * last / (before - last) <= LITTLE * loss[k]):
            return int(k)
    return None


def summary(pairs: list[tuple[Verdict, Verdict]]) -> str:
    """Of a rule beside the gradient's, as a row of the second table."""
    converged = [rule for rule, _ in pairs if rule.iterations is not None]
    right = [pair for pair in pairs if pair[1].right]
    ended = [(rule.iterations, other.iterations) for rule, other in right if rule.iterations and other.iterations]
    slower = sum(ours > theirs for ours, theirs in ended)
    mean = math.exp(np.mean([math.log(ours / theirs) for ours, theirs in ended])) if ended else math.nan
    return (
        f"{len(converged)} of {len(pairs)} | {sum(v.right for v in converged)}, {share(converged)}"
        f" | {slower} of {len(right)} | {len(right) - len(ended)} | {mean:.2f}"
    )


def share(converged: list[Verdict]) -> str:
    return f"{100 * sum(v.right for v in converged) / len(converged):.1f} %" if converged else "-"


def shown(verdicts: list[Verdict]) -> str:
    return ", ".join("-" if v.iterations is None else str(v.iterations) for v in verdicts)


def worst_of(verdicts: list[Verdict]) -> str:
    excesses = [v.excess for v in verdicts if v.iterations is not None]
    if not excesses:
        return "-"
    return f"{100 * max(excesses):.3f} %" if max(excesses) < math.inf else f"error above {EXACT:g}"


def real_run(M: Any, rank: int, start: dict[str, Any], tolerance: float, most: int) -> int | None:
    run = anmf.factorize(M, rank, max_iterations=most, tolerance=tolerance, **start)
    return run.iterations if run.converged else None


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sets", nargs="*", help="names, all by default")
    parser.add_argument("--tolerance", type=float, default=DEFAULT, help="of the promised decrease")
    parser.add_argument("--iterations", type=int, default=500, help="the limit of a run")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 7], help="that of the first table, and others")
    parser.add_argument("--keep", type=Path, help="a folder for the long runs; those in it are not made again")
    options = parser.parse_args()
    most = options.iterations
    print(
        f"Iterations until the run has converged, from {', '.join(STARTS)}, and the largest excess of the error then.\n"
    )
    print("| matrix | r | iterations | excess | by the gradient | excess |\n|---|---|---|---|---|---|")
    rules: dict[str, Callable[[Any], int | None]] = {
        f"{tolerance:g}": lambda history, tolerance=tolerance: first_at_most(
            history["promised_decrease"], tolerance, most
        )
        for tolerance in TOLERANCES
    }
    rules[f"{SURE:g}, or {LIKELY:g} with little left"] = lambda history: by_remainder(history, most)
    rules["by the gradient"] = lambda history: first_at_most(history["kkt"], BY_GRADIENT, most)
    pairs: dict[str, list[tuple[Verdict, Verdict]]] = {rule: [] for rule in rules}
    for name, rank, M in sets(options.data):
        if options.sets and name not in options.sets:
            continue
        rows = []
        for seed in options.seeds:
            first = seed == options.seeds[0]
            for init in STARTS if first else RANDOM:
                start = options_of(init, seed)
                kept = options.keep and options.keep / f"{name.replace(' ', '-')}-{init}-{seed}-{most}.npy"
                history = trace(M, rank, start, most, kept)
                by_gradient = judge(history, rules["by the gradient"](history))
                for name_of_rule, rule in rules.items():
                    pairs[name_of_rule].append((judge(history, rule(history)), by_gradient))
                if first:
                    end = real_run(M, rank, start, options.tolerance, most)
                    rows.append((judge(history, end), by_gradient))
        ours, gradient = ([row[which] for row in rows] for which in (0, 1))
        told = f"{shown(ours)} | {worst_of(ours)} | {shown(gradient)} | {worst_of(gradient)}"
        print(f"| {name}, {M.shape[0]} x {M.shape[1]} | {rank} | {told} |", flush=True)
    seeds = " and ".join(map(str, options.seeds))
    print(f"\nAll runs with the seeds {seeds}. Slower: than the gradient where that is right.\n")
    print("| tolerance | converged | within 0.1 % | slower | without end | iterations, relative |")
    print("|---|---|---|---|---|---|")
    for name_of_rule, verdicts in pairs.items():
        print(f"| {name_of_rule} | {summary(verdicts)} |")


if __name__ == "__main__":
    main()
