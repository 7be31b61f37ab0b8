#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An unchanged run of cNMF (consensus NMF of single cells) with scikit-learn, and under anmf.patch_sklearn.

The commands of cNMF are run in turns, as its users run them (`cnmf factorize ...`), and after `python -m anmf.patched`.
The table has wall and processor seconds of every command; below it is the mean relative error of the spectra that the
replicates have found, each with the best usages for it.

With --share N only the factorization is measured, of every Nth replicate and within one process, so that neither the
start of Python nor the other commands count: in every turn cNMF's own `factorize`, patched and not.
"""

import argparse
import contextlib
import importlib.metadata
import importlib.util
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import sklearn

import anmf

ROOT = Path(__file__).resolve().parents[2]
VARIANTS = {"scikit-learn": [], "patched": ["-m", "anmf.patched"]}


def timed(command, log):
    """Wall and processor seconds of a command with its children."""
    began, before = time.perf_counter(), os.times()
    with open(log, "w") as file:
        outcome = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT)
    after = os.times()
    if outcome.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed; {log} says why.")
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - began, used


def mean_error(folder, name, components, replicates):
    """Over all replicates, of the spectra with the usages that fit them best."""
    import anndata

    X = anndata.read_h5ad(folder / name / "cnmf_tmp" / f"{name}.norm_counts.h5ad").X
    X = X.astype(np.float64)
    norm = np.sqrt((X.data**2).sum() if sp.issparse(X) else (X**2).sum())
    errors = []
    for k in components:
        for i in range(replicates):
            file = folder / name / "cnmf_tmp" / f"{name}.spectra.k_{k}.iter_{i}.df.npz"
            H = np.load(file, allow_pickle=True)["data"].astype(np.float64)
            W, _, _ = anmf.non_negative_factorization(X, H=H, n_components=k, update_H=False)
            cross, gram = np.vdot(W, X @ H.T), np.vdot(W.T @ W, H @ H.T)
            errors.append(np.sqrt(max(norm**2 - 2 * cross + gram, 0)) / norm)
    return statistics.mean(errors)


def compare_factorize(folder, name, turns, share):
    """The replicates of one of cNMF's workers after the other, with scikit-learn and patched."""
    from cnmf import cNMF

    study = cNMF(output_dir=str(folder), name=name)
    print("| turn | scikit-learn, s (processor) | patched, s (processor) | times faster (processor) |")
    print("|---|---|---|---|")
    for turn in range(turns):
        seconds = []
        for prepare in (anmf.unpatch_sklearn, anmf.patch_sklearn):
            prepare()
            began, used = time.perf_counter(), time.process_time()
            with contextlib.redirect_stdout(None):
                study.factorize(worker_i=turn, total_workers=share)
            seconds.append((time.perf_counter() - began, time.process_time() - used))
        print_row(turn, *seconds)
    anmf.unpatch_sklearn()


def print_row(name, theirs, ours):
    (wall, used), (our_wall, our_used) = theirs, ours
    print(
        f"| {name} | {wall:.1f} ({used:.1f}) | {our_wall:.1f} ({our_used:.1f}) |"
        f" {wall / our_wall:.1f} ({used / our_used:.1f}) |",
        flush=True,
    )


def write_counts(file, source):
    """As AnnData, which is what cNMF reads; without names of cells and genes, which it does not need."""
    import anndata

    counts = sp.csr_matrix(sp.load_npz(source), dtype=np.float32)
    anndata.AnnData(counts[counts.getnnz(axis=1) > 0][:, counts.getnnz(axis=0) > 0]).write_h5ad(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default_data = Path(os.environ.get("ANMF_DATA", ROOT / ".." / "shared" / "data")) / "pbmc_facs" / "pbmc_facs.npz"
    parser.add_argument("--counts", type=Path, default=default_data, help="cells x genes, a sparse .npz")
    parser.add_argument("--components", type=int, nargs="+", default=[7, 8, 9])
    parser.add_argument("--replicates", type=int, default=10)
    parser.add_argument("--genes", type=int, default=2000)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument(
        "--share", type=int, metavar="N", help="measure the factorization alone, of every Nth replicate"
    )
    parser.add_argument(
        "--folder", type=Path, default=Path(os.environ.get("ANMF_BENCH", ROOT / "build" / "bench")) / "cnmf"
    )
    arguments = parser.parse_args()
    if importlib.util.find_spec("cnmf") is None:
        print("cNMF is left out: it is not installed here (pip install cnmf==1.7.1).")
        return
    arguments.folder.mkdir(parents=True, exist_ok=True)
    counts = arguments.folder / "counts.h5ad"
    write_counts(counts, arguments.counts)
    program = Path(sys.executable).parent / "cnmf"
    prepare = ["-c", counts, "-k", *arguments.components, "-n", arguments.replicates, "--seed", 1]
    steps = {"prepare": [*prepare, "--numgenes", arguments.genes], "factorize": [], "combine": [], "consensus": []}
    seconds = {(variant, step): [] for variant in VARIANTS for step in steps}
    versions = f"cNMF {importlib.metadata.version('cnmf')}, scikit-learn {sklearn.__version__}, anmf {anmf.__version__}"
    print(
        f"{versions}, {os.cpu_count()} cores, k = {arguments.components}, {arguments.replicates} replicates\n",
        flush=True,
    )
    if arguments.share:
        name = "share"
        command = [
            sys.executable,
            program,
            "prepare",
            "--output-dir",
            arguments.folder,
            "--name",
            name,
            *steps["prepare"],
        ]
        timed([str(word) for word in command], arguments.folder / "share.log")
        compare_factorize(arguments.folder, name, arguments.turns, arguments.share)
        return
    for _ in range(arguments.turns):
        for variant, before in VARIANTS.items():
            for step, options in steps.items():
                where = ["--output-dir", arguments.folder, "--name", variant]
                command = [sys.executable, *before, program, step, *where, *options]
                log = arguments.folder / f"{variant}-{step}.log"
                seconds[variant, step].append(timed([str(word) for word in command], log))

    print("| command | scikit-learn, s (processor) | patched, s (processor) | times faster (processor) |")
    print("|---|---|---|---|")
    totals = {variant: [0.0, 0.0] for variant in VARIANTS}
    for step in [*steps, "all"]:
        cells = []
        for variant in VARIANTS:
            if step != "all":
                both = [statistics.median(kind) for kind in zip(*seconds[variant, step], strict=True)]
                totals[variant] = [sum(pair) for pair in zip(totals[variant], both, strict=True)]
            cells.append(both if step != "all" else totals[variant])
        print_row(step, *cells)
    for variant in VARIANTS:
        error = mean_error(arguments.folder, variant, arguments.components, arguments.replicates)
        print(f"mean relative error of the replicates, {variant}: {error:.6f}")


if __name__ == "__main__":
    main()
