#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two ranks of one thread beside one rank of two threads: seconds of an iteration, and their ratio.

The two take turns, so that what disturbs the machine disturbs both. Needs nothing but Python and mpirun.

Usage: bench/mpi/run.py MATRIX [--rank 30] [--iterations 100] [--turns 9] [--method e-a-hals]
                        [--programs build/release]
"""

import argparse
import csv
import os
import pathlib
import statistics
import subprocess
import tempfile


def seconds_of_iteration(command: list[str], out: pathlib.Path) -> float:
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    subprocess.run([*command, "--out", str(out)], check=True, env=environment)
    with (out / "trace.csv").open() as file:
        rows = list(csv.DictReader(file))
    # The first iterations warm up; the start is not one of them.
    first, last = rows[min(5, len(rows) // 4)], rows[-1]
    elapsed = float(last["seconds"]) - float(first["seconds"])
    return elapsed / (int(last["iteration"]) - int(first["iteration"]))


def spread(values: list[float]) -> str:
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.4g} ({low:.4g} to {high:.4g})"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("matrix")
    parser.add_argument("--rank", default="30")
    parser.add_argument("--iterations", default="100")
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--method", default="e-a-hals")
    parser.add_argument("--programs", default="build/release")
    options = parser.parse_args()
    task = ["factorize", options.matrix, "--rank", options.rank, "--method", options.method, "--quiet"]
    task += ["--no-report", "--max-iterations", options.iterations, "--tolerance", "0", "--inner-stop", "block"]
    program = f"{options.programs}/anmf-mpi"
    ways = {
        # A single rank would be bound to a single core.
        "one rank of two threads": ["mpirun", "-n", "1", "--bind-to", "none", program, *task, "--threads", "2"],
        "two ranks of one thread": ["mpirun", "-n", "2", program, *task, "--threads", "1"],
        "anmf with two threads": [f"{options.programs}/anmf", *task, "--threads", "2"],
    }
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.turns):
            for way, command in ways.items():
                seconds[way].append(seconds_of_iteration(command, pathlib.Path(folder, "out")))
    first = seconds["one rank of two threads"]
    for way, values in seconds.items():
        ratios = [value / base for value, base in zip(values, first, strict=True)]
        print(f"{way}: ms {spread([1000 * value for value in values])}, ratio {spread(ratios)}")


if __name__ == "__main__":
    main()
