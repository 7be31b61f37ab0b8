# SPDX-License-Identifier: MIT
"""The matrices of the comparison, the start factors that all programs share, and the divergence of any factors."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse

sys.path.append(str(Path(__file__).resolve().parents[1] / "peers"))
import paths
import problems

PROGRAM = paths.ROOT / "build" / "release" / "bench" / "anmf_losses"
FOLDER = paths.BENCH / "losses"
SEED = 20261118


@dataclass(frozen=True)
class Set:
    """`seconds` is how long one of our runs goes on; a `slow` one is not part of --quick. `timed` of scikit-learn's
    iterations are run (peer.py)."""

    name: str
    rank: int
    seconds: float
    sparse: bool = True
    slow: bool = False
    timed: int = 200
    generated: bool = False

    def file(self, data: Path) -> Path:
        folder = FOLDER if self.generated else data / self.name
        return folder / f"{self.name}.{'npz' if self.sparse else 'npy'}"


SETS = [
    Set("classic", 20, 2),
    Set("reviews", 20, 5, slow=True, timed=40),
    Set("pbmc_facs", 10, 8, slow=True, timed=20),
    Set("sparse100000x20000", 20, 40, slow=True, timed=5, generated=True),
    Set("cbcl", 30, 4, sparse=False),
    Set("orl", 30, 8, sparse=False, slow=True, timed=50),
    Set("wtsi_breast", 5, 0.3, sparse=False),
]
BY_NAME = {one.name: one for one in SETS}


def make(one: Set, data: Path) -> None:
    """The matrix, if it is one that is made here."""
    if not one.generated or one.file(data).exists():
        return
    print(f"Making {one.name}.", flush=True)
    matrix = problems.skewed_documents(100_000, 20_000, nonzeros=10_000_000, topics=50)
    problems.save_whole(one.file(data), lambda file: scipy.sparse.save_npz(file, matrix, compressed=False))


def load(one: Set, data: Path):
    """The matrix in float64: a C-ordered array or a scipy CSR matrix."""
    if one.sparse:
        return scipy.sparse.csr_matrix(scipy.sparse.load_npz(one.file(data)), dtype=np.float64)
    return np.ascontiguousarray(np.load(one.file(data)), dtype=np.float64)


def start_files(one: Set, start: int) -> tuple[Path, Path]:
    stem = f"{one.name}-r{one.rank}-start{start}"
    return FOLDER / "starts" / f"{stem}-W.npy", FOLDER / "starts" / f"{stem}-H.npy"


def start_factors(one: Set, matrix, start: int) -> tuple[np.ndarray, np.ndarray]:
    """Uniform in (0, 1], scaled to the sum of the matrix, which is the best multiple for Kullback-Leibler."""
    files = start_files(one, start)
    if not all(file.exists() for file in files):
        rng = np.random.default_rng([SEED, start])
        W = 1 - rng.random((matrix.shape[0], one.rank))
        H = 1 - rng.random((one.rank, matrix.shape[1]))
        root = np.sqrt(matrix.sum() / (W.sum(axis=0) @ H.sum(axis=1)))
        for file, factor in zip(files, (W * root, H * root), strict=True):
            problems.save_whole(file, lambda partial, factor=factor: np.save(partial, factor))
    return np.load(files[0]), np.load(files[1])


def traces(one: Set, data: Path, start: int, methods, threads: int, more=()) -> dict[str, list]:
    """What anmf_losses writes, by method: (seconds, processor seconds, divergence) after every iteration."""
    stem = str(start_files(one, 1)[0]).removesuffix("1-W.npy")
    words = [PROGRAM, one.file(data), stem, "--rank", one.rank, "--threads", threads, "--starts", start]
    words += ["--methods", ",".join(methods), *more]
    said = subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True)
    return {run["method"]: run["trace"] for run in json.loads(said.stdout)}


def divergence(matrix, W: np.ndarray, H: np.ndarray) -> float:
    """Kullback and Leibler's, of all entries; zeros of the matrix have their models as divergence."""
    total, transposed = float(W.sum(axis=0) @ H.sum(axis=1)), np.ascontiguousarray(H.T)
    rows = 1000
    for first in range(0, matrix.shape[0], rows):
        block = matrix[first : first + rows]
        if scipy.sparse.issparse(block):
            block = block.tocoo()
            x = block.data
            y = np.einsum("kp,kp->k", W[first + block.row], transposed[block.col])
        else:
            x, y = block.ravel(), (W[first : first + rows] @ H).ravel()
        some = x > 0
        x, y = x[some], np.maximum(y[some], 1e-300)
        total += float(np.sum(x * np.log(x / y) - x))
    return total
