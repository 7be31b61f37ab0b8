# SPDX-License-Identifier: MIT
"""The matrices of the experiment: parts of real sets, as far as they are there, and generated ones."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

#: Rank, and of how many rows and columns one is taken.
DENSE = {
    "cbcl": (49, 1, 12),
    "frey": (20, 1, 8),
    "olivetti": (30, 16, 1),
    "orl": (25, 40, 1),
    "umist": (60, 40, 1),
    "samson": (3, 1, 4),
    "swimmer": (16, 1, 1),
    "wtsi_breast": (5, 1, 1),
}
SPARSE = {
    "20news_cai": (20, 40),
    "bbc": (5, 4),
    "classic": (20, 12),
    "classic3": (3, 3),
    "hitech": (10, 6),
    "la1": (40, 10),
    "ohscal": (30, 20),
    "pbmc_facs": (10, 20),
    "reviews": (15, 10),
}


def thinned(M: Any, rows: int, columns: int) -> Any:
    """Every so many-th row and column, without those that are zero."""
    M = M[::rows, ::columns]
    sums = [np.asarray(M.sum(axis=axis)).ravel() for axis in (1, 0)]
    return M[sums[0] > 0][:, sums[1] > 0]


def planted(rng: np.random.Generator, size: tuple[int, int], rank: int, zeros: float) -> np.ndarray:
    """W H of random factors, of whose entries this share is zero."""
    factors = [rng.random((n, rank)) * (rng.random((n, rank)) >= zeros) for n in size]
    return factors[0] @ factors[1].T


def noisy(rng: np.random.Generator, M: np.ndarray, level: float) -> np.ndarray:
    return np.maximum(0, M + level * M.mean() * rng.standard_normal(M.shape))


def generated() -> dict[str, tuple[int, Callable[[np.random.Generator], Any]]]:
    """Name, rank and maker."""
    k = np.arange(300)
    return {
        "planted, 1 % noise": (8, lambda rng: noisy(rng, planted(rng, (400, 250), 8, 0.3), 0.01)),
        "planted, 50 % noise": (12, lambda rng: noisy(rng, planted(rng, (300, 300), 12, 0.6), 0.5)),
        "planted, rank too low": (4, lambda rng: noisy(rng, planted(rng, (500, 120), 9, 0.5), 0.05)),
        "exact rank": (6, lambda rng: planted(rng, (200, 150), 6, 0.5)),
        "slow spectrum": (10, lambda rng: np.exp(-np.abs(k[:, None] - k[None, :200] * 1.5) / 25)),
        "uniform": (20, lambda rng: rng.random((300, 200))),
        "counts": (15, lambda rng: rng.poisson(planted(rng, (250, 400), 15, 0.7)).astype(float)),
        "sparse counts": (
            10,
            lambda rng: scipy.sparse.csr_matrix(rng.poisson(0.2 * planted(rng, (600, 800), 10, 0.8)).astype(float)),
        ),
        "two groups": (2, lambda rng: noisy(rng, planted(rng, (150, 60), 2, 0.2), 0.2)),
    }


def sets(data: Path) -> Iterator[tuple[str, int, Any]]:
    """Name, rank and matrix."""
    for name, (rank, rows, columns) in DENSE.items():
        if (path := data / name / f"{name}.npy").exists():
            M = thinned(np.load(path).astype(float), rows, columns)
            yield name, rank, M
            if name == "samson":
                yield "samson, pixels x bands", rank, np.ascontiguousarray(M.T)
        else:
            print(f"{name} is not in {data}, skipped.")
    for name, (rank, rows) in SPARSE.items():
        if (path := data / name / f"{name}.npz").exists():
            yield name, rank, thinned(scipy.sparse.load_npz(path).tocsr().astype(float), rows, 1)
        else:
            print(f"{name} is not in {data}, skipped.")
    for name, (rank, make) in generated().items():
        yield name, rank, make(np.random.default_rng(1))
