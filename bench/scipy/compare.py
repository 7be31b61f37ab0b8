#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sparse products on one thread: anmf's beside scipy's `csr @ dense`, in turns, the fastest of each.

Side W is M @ F, side H is M.T.tocsr() @ F; scipy gets both matrices as CSR and C-ordered factors. Writes a
Markdown table to standard output.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "peers"))

import numpy as np
import paths
import problems
from catalogue import BY_NAME

PROGRAM = paths.ROOT / "build" / "release" / "bench" / "anmf_products"
TURNS = 5


def fastest(matrix, factor, seconds: float) -> float:
    best, spent = float("inf"), 0.0
    while spent < seconds:
        begin = time.perf_counter()
        matrix @ factor
        took = time.perf_counter() - begin
        best, spent = min(best, took), spent + took
    return best


def compare(name: str, ranks: list[int], data: Path, seconds: float) -> None:
    problem = BY_NAME[name]
    if not problem.generated and not problem.file(data).exists():
        print(f"{name} is not in {data}: skipped.", file=sys.stderr, flush=True)
        return
    problems.prepare(problem, 0, data)
    matrix = problems.load(problem, data)
    matrices = {"W": matrix, "H": matrix.T.tocsr()}
    with subprocess.Popen(
        [PROGRAM, problem.file_for_anmf(data)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        for side, M in matrices.items():
            for rank in ranks:
                factor = np.random.default_rng(1).random((M.shape[1], rank))
                theirs, ours = [], []
                for _ in range(TURNS):
                    theirs.append(fastest(M, factor, seconds))
                    program.stdin.write(f"{side} {rank} {seconds}\n")
                    program.stdin.flush()
                    ours.append(float(program.stdout.readline()))
                ratios = sorted(a / b for a, b in zip(theirs, ours, strict=True))
                gflops = 2e-9 * M.nnz * rank
                print(
                    f"| {name}, {side}, r = {rank} | {gflops / min(theirs):.1f} | {gflops / min(ours):.1f} "
                    f"| {min(theirs) / min(ours):.1f} | {ratios[0]:.1f} to {ratios[-1]:.1f} |",
                    flush=True,
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", nargs="+", default=["classic", "reviews", "sparse200000x50000"])
    parser.add_argument("--ranks", nargs="+", type=int, default=[20, 50])
    parser.add_argument("--seconds", type=float, default=0.2, help="of each turn")
    parser.add_argument("--data", type=Path, default=paths.DATA, metavar="DIR")
    arguments = parser.parse_args()
    print("| product | scipy, GFLOP/s | anmf, GFLOP/s | times faster | over the turns |")
    print("|---|---:|---:|---:|---:|")
    for name in arguments.problems:
        compare(name, arguments.ranks, arguments.data, arguments.seconds)


if __name__ == "__main__":
    main()
