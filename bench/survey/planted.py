#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often is the rank right? 60 matrices of known rank (matrices.py), surveyed by the program: what it suggests, and
what other rules would choose from the same table.

Prints the tables of docs/survey.md. A suggestion that is undecided is not right. Surveys that are there are not made
again. Needs numpy and scipy.

Usage: bench/survey/planted.py [--seed 2027] [--starts 20] [--only words-hard] [--bcv] [--resample]
"""

import argparse
import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import program
import scipy.sparse
from matrices import KL, Planted, planted

from rules import RULES, read_table

OURS = "suggested (heldout-1)"
BARS = {"easy": 85, "hard": 60}


def write(matrix: Planted, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / ("M.npz" if scipy.sparse.issparse(matrix.M) else "M.npy")
    scipy.sparse.save_npz(path, matrix.M) if path.suffix == ".npz" else np.save(path, matrix.M)
    return path


def survey(matrix: Planted, out: Path, *more: object) -> tuple[list, dict]:
    """The table and survey.json of a survey, made unless it is there."""
    if not (out / "survey.json").exists():
        shutil.rmtree(out, ignore_errors=True)
        path = write(matrix, out.parent)
        words = [path, "--ranks", f"{matrix.ranks[0]}-{matrix.ranks[1]}", "--loss", matrix.loss, "--out", out]
        took = program.anmf("survey", *words, "--threads", 1, "--quiet", *more, may=(0, program.SOME_FAILED))
        (out / "processor.txt").write_text(f"{took.processor:.2f}\n")
        path.unlink()
    return read_table(out / "survey.csv"), json.loads((out / "survey.json").read_text())


def chosen(matrix: Planted, options: argparse.Namespace, folder: Path) -> tuple[dict[str, int | None], dict]:
    """What every rule chooses, and what survey.json says."""
    own = folder / matrix.name
    rows, told = survey(matrix, own / "survey", "--starts", options.starts)
    if options.bcv:
        crossed, _ = survey(matrix, own / "bcv", "--starts", 1, "--heldout", "bcv")
        for row, other in zip(rows, crossed, strict=True):
            row["bcv"] = other["bcv"]
    choices = {OURS: told["suggestion"]["rank"] or None}
    choices |= {name: rule(rows) for name, rule in RULES.items()}
    if options.resample:
        how = "multinomial" if matrix.family in ("signatures", "words") or matrix.loss == KL else "poisson"
        how = "uniform:0.03" if matrix.family == "intensities" else how
        again, _ = survey(matrix, own / "resampled", "--starts", options.starts, "--heldout", "none", "--resample", how)
        for name in RULES:
            if "NMFk" in name or "SigProfiler" in name:
                choices[f"{name}, resampled"] = RULES[name](again)
    return choices, told


def share(hits: list[bool]) -> str:
    return f"{100 * sum(hits) / len(hits):.0f} %" if hits else "-"


def row_of(name: str, results: list[tuple[Planted, dict]]) -> str:
    cells = []
    for difficulty in BARS:
        pairs = [(m.rank, found[name]) for m, found in results if m.difficulty == difficulty]
        exact = [rank == choice for rank, choice in pairs]
        near = [choice is not None and abs(rank - choice) <= 1 for rank, choice in pairs]
        none = sum(choice is None for _, choice in pairs)
        cells.append(f"{sum(exact)} of {len(exact)}, {share(exact)} | {share(near)} | {none}")
    return f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=2027)
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--only", nargs="*", default=[""], help="parts of names")
    parser.add_argument("--most", type=int, help="the first so many only")
    parser.add_argument("--bcv", action="store_true", help="bi-cross-validation, too, in surveys of its own")
    parser.add_argument("--resample", action="store_true", help="surveys of resampled matrices, too")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    options = parser.parse_args()
    folder = program.OUT / "planted" / str(options.seed)
    matrices = [m for m in planted(options.seed) if any(part in m.name for part in options.only)][: options.most]
    print("| matrix | clearness | nonzero | ranks | true | suggested | processor s |\n|---|---|---|---|---|---|---|")
    results = []
    with ThreadPoolExecutor(options.workers) as team:
        for matrix, (choices, told) in zip(
            matrices, team.map(lambda m: chosen(m, options, folder), matrices), strict=True
        ):
            results.append((matrix, choices))
            rank, others = choices[OURS], told["suggestion"]["alternatives"]
            said = str(rank) if rank else f"undecided: {', '.join(map(str, others)) or 'none'}"
            processor = (folder / matrix.name / "survey" / "processor.txt").read_text().strip()
            print(
                f"| {matrix.name} | {matrix.clearness:.1f} | {100 * matrix.density:.0f} % "
                f"| {matrix.ranks[0]}-{matrix.ranks[1]} | {matrix.rank} | {said} | {processor} |",
                flush=True,
            )
    print("\n| rule | easy: exact | within one | none | hard: exact | within one | none |")
    print("|---|---|---|---|---|---|---|")
    for name in results[0][1]:
        print(row_of(name, results))
    near = [c[OURS] is not None and abs(c[OURS] - m.rank) <= 1 for m, c in results]
    bars = ", ".join(f"{percent} % of the {name} ones" for name, percent in BARS.items())
    print(f"\nWithin one of all: {share(near)}. The bars are {bars}, and 90 % within one.")


if __name__ == "__main__":
    main()
