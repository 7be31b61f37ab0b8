#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Is one build of the program slower than another? Seconds of a-hals and e-a-hals on one thread, and their ratio.

The two take turns, so that what disturbs the machine disturbs both, and change their order from turn to turn. Both do
the same iterations, as many as BEFORE does in --seconds of solver time. The matrices are four of the paper's data sets
and a large dense one that is made here. Needs numpy.

Usage: bench/turns/run.py BEFORE AFTER [--data ../shared/data] [--turns 15] [--seconds 1] [--size 20000x2000]
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

import numpy as np

SETS = {"orl": ("orl.npy", 25), "cbcl": ("cbcl.npy", 49), "classic": ("classic.mtx.gz", 20)}
SETS["reviews"] = ("reviews.mtx.gz", 20)
LARGE_RANK = 50


def make_large(path: pathlib.Path, size: str) -> None:
    rows, columns = map(int, size.split("x"))
    np.save(path, np.random.default_rng(1).random((rows, columns)))


def solver_seconds(program: str, task: list[str], iterations: int, out: pathlib.Path) -> float:
    limits = ["--max-iterations", str(iterations), "--tolerance", "0", "--threads", "1"]
    written = ["--quiet", "--no-report", "--out", str(out)]
    subprocess.run([program, "factorize", *task, *limits, *written], check=True)
    return json.loads((out / "run.json").read_text())["seconds"]


def compare(programs: list[str], task: list[str], options: argparse.Namespace, out: pathlib.Path) -> str:
    """The iterations of a run, milliseconds of one iteration of both, and the median ratio with its quartiles."""
    few = 5
    each = solver_seconds(programs[0], task, few, out) / few
    iterations = max(few, round(options.seconds / each))
    ratios: list[float] = []
    best = [float("inf"), float("inf")]
    for turn in range(options.turns):
        seconds = [0.0, 0.0]
        for which in (0, 1) if turn % 2 == 0 else (1, 0):
            seconds[which] = solver_seconds(programs[which], task, iterations, out)
        ratios.append(seconds[1] / seconds[0])
        best = [min(pair) for pair in zip(best, seconds, strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4)
    times = " | ".join(f"{1000 * value / iterations:.4g}" for value in best)
    return f"{iterations} | {times} | {middle:.3f} ({low:.3f} to {high:.3f})"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("../shared/data"))
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--size", default="20000x2000", help="of the large dense matrix")
    options = parser.parse_args()
    if options.turns < 2:
        parser.error("quartiles need at least two turns.")
    print("| matrix | method | iterations | ms before | ms after | after : before |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        large = pathlib.Path(folder, "large.npy")
        make_large(large, options.size)
        problems = {name: (options.data / name / file, rank) for name, (file, rank) in SETS.items()}
        problems[options.size] = (large, LARGE_RANK)
        for name, (path, rank) in problems.items():
            if not path.exists():
                print(f"{name} is not in {options.data}, skipped.")
                continue
            for method in ("a-hals", "e-a-hals"):
                task = [str(path), "--rank", str(rank), "--method", method]
                told = compare([options.before, options.after], task, options, pathlib.Path(folder, "out"))
                print(f"| {name} | {method} | {told} |", flush=True)


if __name__ == "__main__":
    main()
