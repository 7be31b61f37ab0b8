#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The consensus of cNMF beside ours, of the same starts: `python bench/survey/cnmf_parity.py --data DATA`.

cNMF prepares the counts of pbmc_facs as its users do, anmf.cnmf.factorize makes the starts, and cNMF's own `consensus`
and `k_selection_plot`, unpatched, are compared with Survey.consensus: without a filter, with a threshold that leaves
out a tenth of the spectra, and with cNMF's default. cNMF solves for usages with a tolerance of 1e-4; they are compared
once more with its solution at 1e-9. k-means is the inertia of our clusters over that of cNMF's, less one. Without the
data, counts are made up. It needs an interpreter that has cnmf 1.7.1 and anmf.
"""

import argparse
import contextlib
import importlib.util
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import anmf
import anmf.cnmf

ROOT = Path(__file__).resolve().parents[2]


def counts_of(data, cells):
    """Of pbmc_facs, or made up; all genes that some cell has, and cells with counts."""
    file = data / "pbmc_facs" / "pbmc_facs.npz"
    if file.is_file():
        X = sp.load_npz(file).tocsr()[:cells]
    else:
        rng = np.random.default_rng(0)
        X = sp.csr_matrix(rng.poisson(rng.dirichlet(np.full(5, 0.2), 200) @ rng.gamma(0.3, 8.0, (5, 150))) * 1.0)
    X = X[:, np.asarray((X > 0).sum(axis=0)).ravel() >= 3]
    return X[np.asarray(X.sum(axis=1)).ravel() > 0]


def prepare(X, folder, ranks, starts, genes):
    import anndata
    import cnmf

    adata = anndata.AnnData(X.astype(np.float64))
    adata.var_names = [f"gene{j}" for j in range(X.shape[1])]
    adata.obs_names = [f"cell{i}" for i in range(X.shape[0])]
    adata.write_h5ad(folder / "counts.h5ad")
    run = cnmf.cNMF(output_dir=str(folder), name="run")
    run.prepare(str(folder / "counts.h5ad"), components=ranks, n_iter=starts, seed=14, num_highvar_genes=genes)
    return run


def stored(run, name, *which):
    with np.load(run.paths[name] % which, allow_pickle=True) as file:
        return file["data"].astype(np.float64)


def clusters_of(run, rank, kept):
    """The silhouette that cNMF has for the choice of the rank, but of the spectra that are kept, and the inertia."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    spectra = unit_spectra(run, rank)[kept]
    model = KMeans(n_clusters=rank, n_init=10, random_state=1).fit(spectra)
    return silhouette_score(spectra, model.labels_), model.inertia_


def unit_spectra(run, rank):
    spectra = stored(run, "merged_spectra", rank)
    return spectra / np.linalg.norm(spectra, axis=1, keepdims=True)


def inertia(spectra, labels):
    return sum(((spectra[labels == p] - spectra[labels == p].mean(axis=0)) ** 2).sum() for p in set(labels) - {-1})


def solved_tightly(run, counts, spectra):
    """Usages by cNMF's own refit, whose tolerance is 1e-4, with one of 1e-9."""
    import yaml

    file = Path(run.paths["nmf_run_parameters"])
    before = file.read_text()
    file.write_text(yaml.safe_dump(yaml.safe_load(before) | {"tol": 1e-9, "max_iter": 10_000}))
    usages = run.refit_usage(counts, spectra)
    file.write_text(before)
    return usages


def relative(one, other):
    return np.linalg.norm(one - other) / np.linalg.norm(other)


def compare(run, found, rank, threshold, counts):
    """Largest differences of densities, spectra and silhouettes, and relative ones of usages and of k-means."""
    began = time.perf_counter()
    run.consensus(rank, density_threshold=threshold, show_clustering=False, refit_usage=False, build_ref=False)
    theirs = time.perf_counter() - began
    began = time.perf_counter()
    ours = found.consensus(rank, clusters="free", density_threshold=threshold)
    seconds = time.perf_counter() - began
    suffix = str(threshold).replace(".", "_")
    spectra = stored(run, "consensus_spectra", rank, suffix)
    silhouette, least = clusters_of(run, rank, ours.labels >= 0)
    return {
        "left out": int((ours.labels < 0).sum()),
        "k-means": inertia(unit_spectra(run, rank), ours.labels) / least - 1,
        "density": np.abs(ours.density - stored(run, "local_density_cache", rank).ravel()).max(),
        "spectra": np.abs(ours.spectra - spectra).max(),
        "silhouette": abs(ours.silhouette - silhouette),
        "usages": relative(ours.usages, stored(run, "consensus_usages", rank, suffix)),
        "usages, tol 1e-9": relative(ours.usages, solved_tightly(run, counts, spectra)),
        "s, cNMF": theirs,
        "s, anmf": seconds,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ANMF_DATA", ROOT.parent / "shared" / "data")))
    parser.add_argument("--cells", type=int, default=100_000, help="at most")
    parser.add_argument("--genes", type=int, default=2000)
    parser.add_argument("--ranks", type=int, nargs="+", default=None)
    parser.add_argument("--starts", type=int, default=20)
    arguments = parser.parse_args()
    if importlib.util.find_spec("cnmf") is None:
        print("cNMF is left out: this interpreter has none; pip install cnmf==1.7.1.")
        return
    os.environ.setdefault("MPLBACKEND", "Agg")
    warnings.simplefilter("ignore")
    X = counts_of(arguments.data, arguments.cells)
    ranks = arguments.ranks or ([5, 9] if X.shape[0] > 200 else [3, 5])
    with tempfile.TemporaryDirectory() as folder:
        with contextlib.redirect_stdout(sys.stderr):
            run = prepare(X, Path(folder), ranks, arguments.starts, min(arguments.genes, X.shape[1] // 2))
        began = time.perf_counter()
        found = anmf.cnmf.factorize(run)
        anmf.cnmf.unpatch()  # what follows is cNMF's own, with scikit-learn
        print(f"{X.shape[0]} x {X.shape[1]}, {len(found.jobs)} starts in {time.perf_counter() - began:.1f} s.\n")
        import anndata

        counts = anndata.read_h5ad(run.paths["normalized_counts"]).X
        run.k_selection_plot(close_fig=True)
        rows, stats = [], np.load(run.paths["k_selection_stats"], allow_pickle=True)["data"]
        for rank, (_, _, silhouette, error) in zip(found.ranks, stats, strict=True):
            unfiltered = found.consensus(rank, clusters="free", density_threshold=2.0)
            tenth = round(float(np.quantile(unfiltered.density, 0.9)), 6)
            rows += [
                {"rank": rank, "threshold": threshold} | compare(run, found, rank, threshold, counts)
                for threshold in (2.0, tenth, 0.5)
            ]
            rows[-3]["silhouette"] = max(rows[-3]["silhouette"], abs(unfiltered.silhouette - silhouette))
            ours = unfiltered.summary["consensus_error"] ** 2
            print(f"rank {rank}: prediction error of cNMF {error:.10g}, ours {ours:.10g}")
    print(f"\n| {' | '.join(rows[0])} |\n|{'---|' * len(rows[0])}")
    for row in rows:
        print(f"| {' | '.join(f'{value:.3g}' for value in row.values())} |")
    holds = all(max(row[name] for name in ("density", "spectra", "silhouette")) < 1e-8 for row in rows)
    holds &= all(row["usages, tol 1e-9"] < 1e-4 for row in rows)
    print("The parity holds." if holds else "The parity does not hold: 1e-8, and 1e-4 for usages.")


if __name__ == "__main__":
    main()
