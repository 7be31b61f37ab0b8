# SPDX-License-Identifier: MIT
"""The problems by name, without their matrices. Needs the standard library only."""

from dataclasses import dataclass
from pathlib import Path

import paths


@dataclass(frozen=True)
class Problem:
    """One matrix and one rank. `seconds` is the time limit per run unless the user says otherwise."""

    name: str
    rank: int
    seconds: float
    sparse: bool = False
    generated: bool = False

    def file(self, data: Path) -> Path:
        """The file that every program can start from: .npy for dense, .npz (scipy CSR) for sparse data."""
        folder = paths.GENERATED if self.generated else data / self.name
        return folder / f"{self.name}.{'npz' if self.sparse else 'npy'}"

    def file_for_anmf(self, data: Path) -> Path:
        if not self.sparse:
            return self.file(data)
        return self.file(data).with_suffix(".mtx" if self.generated else ".mtx.gz")


# The sets of the paper at the larger of its two ranks.
FACES = [Problem(name, rank=60, seconds=40) for name in ("orl", "umist", "cbcl", "frey")]
TEXTS = [
    Problem(name, rank=20, seconds=20, sparse=True)
    for name in ("classic", "reviews", "hitech", "ohscal", "la1")
]
LARGE = [
    Problem("dense20000x5000", rank=50, seconds=120, generated=True),
    Problem("sparse200000x50000", rank=50, seconds=240, sparse=True, generated=True),
]
# Small enough that every adapter shows in a moment whether its answers can be trusted.
PLANTED = [
    Problem("planted-dense", rank=5, seconds=20, generated=True),
    Problem("planted-sparse", rank=5, seconds=20, sparse=True, generated=True),
]

COMPARISON = FACES + TEXTS + LARGE
QUICK = ("cbcl", "hitech")
BY_NAME = {problem.name: problem for problem in COMPARISON + PLANTED}
