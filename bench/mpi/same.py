#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do several processes find what one does? A matrix of low rank plus noise by anmf, and by anmf-mpi on several ranks.

Makes the matrix, block by block, and runs the defaults but for the limit of iterations. Prints how each run went, and
the largest difference of its trace (relative error of every iteration) and of its factors from anmf's, as shares.

Usage: bench/mpi/same.py [--size 20000x2000] [--rank 20] [--iterations 30] [--ranks 1 2 4] [--programs build/release]
"""

import argparse
import csv
import json
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}
NOISE = 0.01  # of the mean entry
BLOCK = 1000  # rows made at a time


def write_matrix(file: Path, rows: int, cols: int, rank: int) -> None:
    rng = np.random.default_rng(1)
    H = rng.random((rank, cols)) * (rng.random((rank, cols)) < 0.5)
    M = np.lib.format.open_memmap(file, mode="w+", dtype=np.float64, shape=(rows, cols))
    for begin in range(0, rows, BLOCK):
        part = M[begin : begin + BLOCK]
        W = rng.random((len(part), rank)) * (rng.random((len(part), rank)) < 0.5)
        part[:] = W @ H
        part[:] = np.maximum(0, part + NOISE * part.mean() * rng.standard_normal(part.shape))


def errors(folder: Path) -> np.ndarray:
    with (folder / "trace.csv").open() as file:
        return np.array([float(row["relative_error"]) for row in csv.DictReader(file)])


def largest_difference(a: np.ndarray, b: np.ndarray) -> float:
    """Relative to the largest entry."""
    return float(np.abs(a - b).max() / np.abs(a).max())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", default="20000x2000")
    parser.add_argument("--rank", type=int, default=20)
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--programs", type=Path, default=Path("build/release"))
    options = parser.parse_args()
    rows, cols = map(int, options.size.split("x"))
    print("| | grid | iterations on the compression | relative error | trace differs by | factors by |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_matrix(folder / "M.npy", rows, cols, options.rank)
        task = ["factorize", folder / "M.npy", "--rank", options.rank, "--quiet", "--no-report"]
        task += ["--max-iterations", options.iterations, "--tolerance", 0]
        ways = {"anmf": [options.programs / "anmf"]}
        for ranks in options.ranks:
            ways[f"{ranks} rank{'s' if ranks > 1 else ''}"] = ["mpirun", "-n", ranks, options.programs / "anmf-mpi"]
        for way, program in ways.items():
            out = folder / way
            command = [str(word) for word in [*program, *task, "--out", out]]
            subprocess.run(command, check=True, env={**os.environ, **ENVIRONMENT})
            run = json.loads((out / "run.json").read_text())
            trace = largest_difference(errors(folder / "anmf"), errors(out))
            factors = max(
                largest_difference(np.load(folder / "anmf" / f), np.load(out / f)) for f in ("W.npy", "H.npy")
            )
            grid = "x".join(map(str, run["mpi"]["grid"])) if "mpi" in run else ""
            print(
                f"| {way} | {grid} | {run['compressed_iterations']} | {run['relative_error']:.8f} | {trace:.0e} |"
                f" {factors:.0e} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
