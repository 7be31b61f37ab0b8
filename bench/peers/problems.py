# SPDX-License-Identifier: MIT
"""The matrices and the start factors.

    python problems.py NAME --starts N [--data DIR]    make what is missing of NAME: matrix and starts 1 to N

Generated matrices depend on nothing but the constants here:
  dense20000x5000      M = W H + noise, clipped at 0. W, H have 50 components; an entry is 0 with probability
                       0.7, else exponential. The noise is normal with a tenth of the mean of W H.
  sparse200000x50000   counts of words in documents, 2e7 nonzeros; see skewed_documents.
  planted-*            120 x 80 with 5 components, for the answer checks.
"""

import argparse
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse

import paths
from catalogue import BY_NAME, Problem

SEED = 20120401


def load(problem: Problem, data: Path):
    """The matrix in float64: a C-ordered array or a scipy CSR matrix."""
    if problem.sparse:
        return scipy.sparse.csr_matrix(scipy.sparse.load_npz(problem.file(data)), dtype=np.float64)
    return np.ascontiguousarray(np.load(problem.file(data)), dtype=np.float64)


def inner_product(matrix, W, H) -> float:
    """<M, W H> without forming W H."""
    return float(np.vdot(matrix @ H.T, W))


def squared_norm_of_product(W, H) -> float:
    """|| W H ||^2 from the two Gram matrices."""
    return float(np.vdot(W.T @ W, H @ H.T))


def squared_norm(matrix) -> float:
    values = matrix.data if scipy.sparse.issparse(matrix) else matrix.ravel()
    return float(np.dot(values, values))


def start_files(problem: Problem, start: int) -> tuple[Path, Path]:
    stem = f"{problem.name}-r{problem.rank}-start{start}"
    return paths.STARTS / f"{stem}-W.npy", paths.STARTS / f"{stem}-H.npy"


def load_start(problem: Problem, start: int):
    return tuple(np.load(file) for file in start_files(problem, start))


def make_start(problem: Problem, matrix, start: int) -> None:
    """Uniform in [0, 1], both scaled by the root of the best scalar <M, W H> / || W H ||^2."""
    rng = np.random.default_rng([SEED, start])
    W = rng.random((matrix.shape[0], problem.rank))
    H = rng.random((problem.rank, matrix.shape[1]))
    root = np.sqrt(inner_product(matrix, W, H) / squared_norm_of_product(W, H))
    for file, factor in zip(start_files(problem, start), (W * root, H * root)):
        save_whole(file, lambda partial, factor=factor: np.save(partial, factor))


def save_whole(file: Path, write) -> None:
    """Writes aside and renames, so that a file that exists is complete. The partial name keeps the ending."""
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name("partial-" + file.name)
    write(partial)
    partial.rename(file)


def mostly_zero_factor(rng, shape) -> np.ndarray:
    return rng.standard_exponential(shape) * (rng.random(shape) < 0.3)


def noisy_product(file: Path, rows: int, cols: int, components: int) -> None:
    """By blocks of rows, so that making the matrix takes little more memory than a block."""
    rng = np.random.default_rng(SEED)
    W, H = mostly_zero_factor(rng, (rows, components)), mostly_zero_factor(rng, (components, cols))
    noise = 0.1 * (W.mean(axis=0) @ H.mean(axis=1))

    def write(partial: Path) -> None:
        matrix = np.lib.format.open_memmap(partial, mode="w+", dtype=np.float64, shape=(rows, cols))
        for first in range(0, rows, 1000):
            block = W[first : first + 1000] @ H
            matrix[first : first + 1000] = np.maximum(block + noise * rng.standard_normal(block.shape), 0)
        matrix.flush()

    save_whole(file, write)


def save_sparse(problem: Problem, matrix) -> None:
    save_whole(problem.file(paths.DATA), lambda file: scipy.sparse.save_npz(file, matrix, compressed=False))
    # Written last: with it the problem is complete.
    save_whole(
        problem.file_for_anmf(paths.DATA), lambda file: scipy.io.mmwrite(file, matrix, symmetry="general")
    )


def skewed_documents(rows: int, cols: int, nonzeros: int, topics: int) -> scipy.sparse.csr_matrix:
    """Counts of words in documents, drawn word by word.

    Lengths of documents are lognormal (sigma 1). Each document mixes 3 topics with weights 0.6, 0.3, 0.1. A
    topic is Zipf's law (1 / (10 + position)) over all words, each word's share multiplied by its own
    lognormal factor (sigma 2), so that topics share the common words and differ in the rest. Words are drawn
    until `nonzeros` different pairs of document and word have occurred; those in excess are left out at
    random.
    """
    rng = np.random.default_rng(SEED)
    share = 1.0 / (10.0 + np.arange(cols)) * rng.lognormal(sigma=2, size=(topics, cols))
    cumulative = np.cumsum(share, axis=1) / share.sum(axis=1, keepdims=True)
    topics_of = rng.integers(topics, size=(rows, 3))
    length = rng.lognormal(sigma=1, size=rows)
    ends = np.cumsum(length) / length.sum()

    pairs, counts = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    while len(pairs) < nonzeros:
        document = np.sort(np.searchsorted(ends, rng.random(nonzeros // 4 + 1)).clip(max=rows - 1))
        topic = topics_of[document, np.searchsorted([0.6, 0.9], rng.random(len(document)))]
        word, place = np.empty(len(document), dtype=np.int64), rng.random(len(document))
        for k in range(topics):
            chosen = topic == k
            word[chosen] = np.searchsorted(cumulative[k], place[chosen]).clip(max=cols - 1)
        drawn, times = np.unique(document * cols + word, return_counts=True)
        merged, inverse = np.unique(np.concatenate([pairs, drawn]), return_inverse=True)
        pairs, counts = merged, np.bincount(inverse, np.concatenate([counts, times]))
    kept = np.sort(rng.choice(len(pairs), nonzeros, replace=False))
    entries = (counts[kept].astype(np.float64), (pairs[kept] // cols, pairs[kept] % cols))
    return scipy.sparse.csr_matrix(entries, shape=(rows, cols))


def planted_counts() -> scipy.sparse.csr_matrix:
    rng = np.random.default_rng(SEED)
    mean = 3 * mostly_zero_factor(rng, (120, 5)) @ mostly_zero_factor(rng, (5, 80))
    return scipy.sparse.csr_matrix(rng.poisson(mean).astype(np.float64))


def generate(problem: Problem) -> None:
    match problem.name:
        case "dense20000x5000":
            noisy_product(problem.file(paths.DATA), 20000, 5000, components=50)
        case "sparse200000x50000":
            save_sparse(problem, skewed_documents(200000, 50000, nonzeros=20_000_000, topics=50))
        case "planted-dense":
            noisy_product(problem.file(paths.DATA), 120, 80, components=5)
        case "planted-sparse":
            save_sparse(problem, planted_counts())


def prepare(problem: Problem, starts: int, data: Path) -> None:
    if problem.generated and not problem.file_for_anmf(data).exists():
        print(f"Generating {problem.name}.", flush=True)
        generate(problem)
    missing = [
        start
        for start in range(1, starts + 1)
        if not all(file.exists() for file in start_files(problem, start))
    ]
    if missing:
        matrix = load(problem, data)
        for start in missing:
            make_start(problem, matrix, start)


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Make a problem's matrix and start factors if they are missing."
    )
    parser.add_argument("name", choices=BY_NAME)
    parser.add_argument("--starts", type=int, default=1)
    parser.add_argument("--data", type=Path, default=paths.DATA)
    arguments = parser.parse_args()
    prepare(BY_NAME[arguments.name], arguments.starts, arguments.data)


if __name__ == "__main__":
    main()
