#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The best matrix of a rank: how close best_rank_error comes to it, and how long that takes beside the run.

Every run is the default's, on one thread. The bound begins from its factors, with the matrix at hand, as at the end of
`anmf factorize`. Times are processor seconds, medians of runs and bounds in turns. The exact error comes from all
singular values by numpy for dense matrices, and from the largest ones by ARPACK for sparse ones. Prints the table of
docs/report.md. Needs numpy, scipy and the Python package.

Usage: PYTHONPATH=build/release/python bench/bound/run.py [--data ../shared/data] [--turns 3]
"""

import argparse
import math
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

import anmf
from anmf import _core
from anmf._matrix import to_matrix

CASES = (
    ("cbcl", 49),
    ("orl", 25),
    ("umist", 25),
    ("frey", 30),
    ("samson", 3),
    ("samson", 6),
    ("classic", 20),
    ("hitech", 10),
    ("hitech", 30),
    ("bbc", 8),
    ("reviews", 20),
    ("la1", 20),
    ("ohscal", 20),
)


def load(data: Path, name: str) -> Any:
    """Nothing if it is not there."""
    if (path := data / name / f"{name}.npy").exists():
        return np.load(path).astype(float)
    if (path := data / name / f"{name}.npz").exists():
        return scipy.sparse.load_npz(path).tocsr().astype(float)
    return None


def exact_error(M: Any, rank: int) -> float:
    if scipy.sparse.issparse(M):
        most = min(min(M.shape) - 1, 4 * rank)
        s = scipy.sparse.linalg.svds(M, k=rank, ncv=most, tol=1e-9, return_singular_vectors=False, rng=1)
        return math.sqrt(1 - float((s**2).sum()) / float((M.data**2).sum()))
    s = np.linalg.svd(M, compute_uv=False)
    return math.sqrt(float((s[rank:] ** 2).sum() / (s**2).sum()))


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    began = time.process_time()
    return call(), time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    print("| data | r | bound | above the exact one by | the run's CPU seconds | the bound's, of these |")
    print("|---|---|---|---|---|---|")
    for name, rank in CASES:
        if (M := load(options.data, name)) is None:
            print(f"{name} is not in {options.data}, skipped.")
            continue
        matrix = to_matrix(M, np.dtype(float))
        seconds: tuple[list[float], list[float]] = ([], [])
        for _ in range(options.turns):
            run, used = timed(lambda: anmf.factorize(M, rank, threads=1))  # noqa: B023
            seconds[0].append(used)
            bound, used = timed(lambda: _core.best_rank_error(matrix, rank, run.W, run.H, 1))  # noqa: B023
            seconds[1].append(used)
        for_run, for_bound = map(statistics.median, seconds)
        above = bound / exact_error(M, rank) - 1
        share = f"{100 * for_bound / for_run:.1f} %"
        print(f"| {name} | {rank} | {bound:.6f} | {above:.0e} | {for_run:.2f} | {share} |", flush=True)


if __name__ == "__main__":
    main()
