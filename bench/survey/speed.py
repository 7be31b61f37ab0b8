#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How many factorizations an hour: a survey of single cells beside scikit-learn called as cNMF calls it, and one of
mutation counts.

The cells are those of pbmc_facs with the 2000 genes that vary most by cNMF's measure, divided by their standard
deviation. Of scikit-learn's runs a sample is made, some before the survey and some after it; seconds of the processor
say more than those of the clock where a machine is in use. Needs numpy, scipy and scikit-learn.

Usage: bench/survey/speed.py [--starts 100] [--sample 2] [--sets cells mutations]
"""

import argparse
import csv
import json
import os
import shutil
import statistics
import time
from pathlib import Path

import numpy as np
import program
import scipy.sparse
from sklearn.decomposition import non_negative_factorization
from threadpoolctl import threadpool_limits

CELLS = (range(5, 15), 8)  # ranks, and how many times as many jobs an hour we want
MUTATIONS = (range(1, 13), 90)  # ranks, and seconds


def variable_genes(counts: scipy.sparse.csr_matrix, most: int) -> np.ndarray:
    """Those whose variance over mean exceeds most what their mean lets expect, a^2 mean + b^2, of counts per million:
    a is the least variation of the 20 strongest, b^2 the median of variance over mean where neither is extreme."""
    depth = np.asarray(counts.sum(axis=1)).ravel()
    rates = scipy.sparse.diags(1e6 / depth) @ counts
    mean = np.asarray(rates.mean(axis=0)).ravel()
    variance = np.asarray(rates.power(2).mean(axis=0)).ravel() - mean**2
    fano = variance / mean
    strongest = np.argsort(-mean)[:20]
    a = (np.sqrt(variance) / mean)[strongest].min()
    ordinary = np.logical_and.reduce([(x > np.quantile(x, 0.1)) & (x < np.quantile(x, 0.9)) for x in (fano, mean)])
    return np.sort(np.argsort(-fano / (a**2 * mean + np.median(fano[ordinary])))[:most])


def cells(folder: Path) -> scipy.sparse.csr_matrix:
    counts = scipy.sparse.csr_matrix(scipy.sparse.load_npz(folder / "pbmc_facs.npz"), dtype=np.float64)
    counts = counts[:, counts.getnnz(axis=0) > 0]
    chosen = counts[:, variable_genes(counts, 2000)]
    mean = np.asarray(chosen.mean(axis=0)).ravel()
    spread = np.sqrt(
        (np.asarray(chosen.power(2).mean(axis=0)).ravel() - mean**2) * chosen.shape[0] / (chosen.shape[0] - 1)
    )
    scaled = scipy.sparse.csr_matrix(chosen @ scipy.sparse.diags(1 / spread))
    return scaled[scaled.getnnz(axis=1) > 0]


def scikit_learn(X: scipy.sparse.csr_matrix, rank: int, seed: int) -> tuple[float, float]:
    """Seconds of the processor on one thread, and the relative error, of a job of cNMF."""
    began = time.process_time()
    with threadpool_limits(1):
        W, H, _ = non_negative_factorization(
            X,
            n_components=rank,
            init="random",
            solver="cd",
            beta_loss="frobenius",
            tol=1e-4,
            max_iter=1000,
            alpha_W=0.0,
            alpha_H=0.0,
            l1_ratio=0.0,
            random_state=seed,
        )
    seconds = time.process_time() - began
    square = X.power(2).sum()
    loss = square - 2 * np.vdot(W, X @ H.T) + np.vdot(W.T @ W, H @ H.T)
    return seconds, float(np.sqrt(max(loss, 0) / square))


def survey(path: Path, out: Path, ranks: range, starts: int, *more: object) -> program.Took:
    shutil.rmtree(out, ignore_errors=True)
    words = [path, "--ranks", f"{ranks[0]}-{ranks[-1]}", "--starts", starts, "--out", out, "--quiet", *more]
    return program.anmf("survey", *words, may=(0, program.SOME_FAILED))


def relative_errors(out: Path, rank: int) -> list[float]:
    with (out / "jobs.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] == "start" and int(row["rank"]) == rank]
    return [float(row["relative_error"]) for row in rows]


def seconds_of_jobs(out: Path) -> dict[str, float]:
    seconds: dict[str, float] = {}
    with (out / "jobs.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            seconds[row["kind"]] = seconds.get(row["kind"], 0.0) + float(row["seconds"])
    return seconds


def told(out: Path, took: program.Took, jobs: int) -> None:
    parts = ", ".join(f"{kind} {seconds:.1f} s" for kind, seconds in seconds_of_jobs(out).items())
    suggestion = json.loads((out / "survey.json").read_text())["suggestion"]
    print(f"anmf: {took.wall:.1f} s, processor {took.processor:.1f} s, {3600 * jobs / took.wall:.0f} starts an hour")
    print(f"      jobs by kind: {parts}; peak {took.peak / 1e6:.0f} MB")
    page = (out / "report.html").stat().st_size
    print(f"      suggested: {suggestion['rank'] or 'undecided'}; page of {page / 1e6:.1f} MB")


def compare_cells(folder: Path, starts: int, sample: int) -> None:
    X = cells(folder)
    program.OUT.mkdir(parents=True, exist_ok=True)
    path = program.OUT / "cells.npz"
    scipy.sparse.save_npz(path, X)
    ranks, bar = CELLS
    print(f"\npbmc_facs, {X.shape[0]} x {X.shape[1]}, {X.nnz} nonzeros, ranks {ranks[0]}-{ranks[-1]}, {starts} starts")
    theirs: dict[int, list[tuple[float, float]]] = {rank: [] for rank in ranks}

    def turn(seeds: range) -> None:
        for seed in seeds:
            for rank in ranks:
                theirs[rank].append(scikit_learn(X, rank, seed))

    turn(range((sample + 1) // 2))
    out = program.OUT / "cells"
    took = survey(path, out, ranks, starts)
    turn(range((sample + 1) // 2, sample))
    told(out, took, len(ranks) * starts)
    print("| rank | scikit-learn: s per job | median error | anmf: median error |\n|---|---|---|---|")
    higher = 0
    for rank in ranks:
        median = statistics.median(error for _, error in theirs[rank])
        ours = statistics.median(relative_errors(out, rank))
        higher += ours > median
        seconds = statistics.mean(seconds for seconds, _ in theirs[rank])
        print(f"| {rank} | {seconds:.2f} | {median:.6f} | {ours:.6f} |")
    each = statistics.mean(seconds for runs in theirs.values() for seconds, _ in runs)
    own = took.processor / (len(ranks) * starts)
    cores = len(os.sched_getaffinity(0))
    by_clock = each / cores * len(ranks) * starts / took.wall
    print(
        f"scikit-learn: {each:.2f} s of the processor per job; anmf: {own:.3f} s, page and all: {each / own:.1f} times"
    )
    print(f"by the clock, {cores} jobs of scikit-learn at a time: {by_clock:.1f} times (bar {bar})")
    print(f"median error higher than theirs at {higher} of {len(ranks)} ranks")


def compare_mutations(folder: Path, starts: int) -> None:
    ranks, bar = MUTATIONS
    print(f"\nwtsi_breast, Kullback-Leibler, ranks {ranks[0]}-{ranks[-1]}, {starts} starts")
    out = program.OUT / "mutations"
    path = folder / "wtsi_breast.npy"
    told(out, survey(path, out, ranks, starts, "--features", "rows", "--loss", "kl"), len(ranks) * starts)
    print(f"(bar {bar} s)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=program.DATA)
    parser.add_argument("--starts", type=int, default=100)
    parser.add_argument("--sample", type=int, default=2, help="runs of scikit-learn for every rank")
    parser.add_argument("--sets", nargs="+", choices=("cells", "mutations"), default=["cells", "mutations"])
    options = parser.parse_args()
    print(f"{len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}")
    for name, folder in (("cells", "pbmc_facs"), ("mutations", "wtsi_breast")):
        if name not in options.sets:
            continue
        if not (options.data / folder).exists():
            print(f"{folder} is not in {options.data}, skipped.")
        elif name == "cells":
            compare_cells(options.data / folder, options.starts, options.sample)
        else:
            compare_mutations(options.data / folder, options.starts)


if __name__ == "__main__":
    main()
