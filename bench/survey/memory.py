#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The memory of a survey beside what --dry-run says it will be, for matrices of several shapes, dense and sparse.

Both are of the whole process, the program itself included. Needs numpy and scipy.

Usage: bench/survey/memory.py [--quick]
"""

import argparse
import json
import shutil
from pathlib import Path

import numpy as np
import program
import scipy.sparse

#: Rows, columns, share of nonzeros (1: dense), ranks, starts, and more.
SHAPES = [
    (20000, 2000, 0.03, "5-10:5", 12, ()),
    (4000, 2000, 1, "5-10:5", 12, ()),
    (200000, 200, 0.02, "4-8:4", 10, ()),
    (1000, 20000, 1, "6", 20, ()),
    (3000, 3000, 1, "4-6", 10, ("--loss", "kl")),
    (20000, 1000, 0.05, "5", 10, ("--loss", "kl")),
    (20000, 2000, 0.03, "5-10:5", 12, ("--precision", "float32")),
    (2000, 500, 1, "10", 100, ("--clusters", "free")),
]
QUICK = [(300, 200, 1, "2-3", 10, ()), (2000, 300, 0.05, "2-3", 10, ())]


def write(path: Path, rows: int, columns: int, share: float) -> Path:
    rng = np.random.default_rng(rows + columns)
    if share == 1:
        path = path.with_suffix(".npy")
        np.save(path, rng.random((rows, 6)) @ rng.random((6, columns)) + 0.1 * rng.random((rows, columns)))
    else:
        path = path.with_suffix(".npz")
        M = scipy.sparse.random(rows, columns, share, "csr", random_state=rng, data_rvs=lambda n: rng.integers(1, 6, n))
        scipy.sparse.save_npz(path, M.astype(np.float64), compressed=False)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small matrices, where the program itself is most of it")
    options = parser.parse_args()
    folder = program.OUT / "memory"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    print("| matrix | ranks | starts | options | foretold, MB | peak, MB | peak / foretold |")
    print("|---|---|---|---|---|---|---|")
    for rows, columns, share, ranks, starts, more in QUICK if options.quick else SHAPES:
        path = write(folder / "M", rows, columns, share)
        out = folder / "survey"
        shutil.rmtree(out, ignore_errors=True)
        words = [path, "--ranks", ranks, "--starts", starts, "--max-iterations", 20, "--out", out, *more]
        foretold = memory_of(json.loads(program.anmf("survey", *words, "--dry-run", "--json").said))
        peak = program.anmf("survey", *words, "--quiet", may=(0, program.SOME_FAILED)).peak
        shape = f"{rows} x {columns}, {'dense' if share == 1 else f'{100 * share:g} %'}"
        print(
            f"| {shape} | {ranks} | {starts} | {' '.join(more)} | {foretold / 1e6:.0f} | {peak / 1e6:.0f} "
            f"| {peak / foretold:.2f} |",
            flush=True,
        )


def memory_of(plan: dict) -> float:
    """All that the program says it will need, the matrix included."""
    return float(plan["peak_bytes"])


if __name__ == "__main__":
    main()
