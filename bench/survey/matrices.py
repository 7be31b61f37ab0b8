# SPDX-License-Identifier: MIT
"""Matrices whose rank is known: usages of k spectra, and noise around them.

A matrix is named by its family, its size, its rank and whether it is easy or hard. What makes it so is said here,
before anything is run:

    clearness = sigma_k(M0) / ||M - M0||_2

of the matrix M0 without noise: below 1 the weakest component is hidden under the noise for any method that looks at
M alone. Kullback-Leibler weighs entries by what it expects, so there both are taken of D_r^-1/2 . D_c^-1/2, with the
sums of the rows and of the columns of M0, to each of which their mean is added. Easy matrices have a clearness from 3
to 6, hard ones from 1.2 to 2, and the spectra of easy ones have up to a fifth in common, those of hard ones a fifth to
a half.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

KL = "kullback-leibler"
RANKS = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20)
#: Clearness, and the share of a spectrum that is common to all.
DIFFICULTY = {"easy": ((3.0, 6.0), (0.0, 0.2)), "hard": ((1.2, 2.0), (0.2, 0.5))}


@dataclass(frozen=True)
class Family:
    noise: str  #: relative: times a gamma variable of mean 1; poisson; overdispersed: poisson times gamma
    loss: str
    sparse: bool
    #: Rows and columns of small, medium and large ones; none are large where rank or loss make that slow.
    sizes: tuple[tuple[int, int], ...]


FAMILIES = {
    "intensities": Family("relative", "frobenius", False, ((120, 80), (300, 120))),
    "counts": Family("poisson", "frobenius", False, ((160, 60), (400, 150))),
    "signatures": Family("poisson", KL, False, ((80, 96), (200, 96))),
    "cells": Family("poisson", "frobenius", True, ((500, 250), (1000, 400), (3000, 600))),
    "words": Family("poisson", KL, True, ((400, 300), (800, 400), (2000, 600))),
    "overdispersed": Family("overdispersed", "frobenius", False, ((150, 100), (300, 200))),
}
LARGEST_RANK_OF_LARGE = 6


@dataclass(frozen=True)
class Planted:
    name: str
    family: str
    difficulty: str
    loss: str
    rank: int
    ranks: tuple[int, int]  #: those that are asked for
    clearness: float
    M: Any

    @property
    def density(self) -> float:
        stored = self.M.nnz if scipy.sparse.issparse(self.M) else np.count_nonzero(self.M)
        return stored / (self.M.shape[0] * self.M.shape[1])


def factors(rng: np.random.Generator, size: tuple[int, int], rank: int, common: float, sparse: bool) -> tuple[Any, Any]:
    """Spectra of sum 1 on a few features each, beside what they share; samples of different depth use some of them.
    Where M is sparse they have fewer strong features, and samples use fewer of them."""
    rows, columns = size
    own = rng.gamma(0.25 if sparse else 0.5, size=(rank, columns))
    own *= rng.random((rank, columns)) < max(0.1 if sparse else 0.15, 1.5 / rank)
    own[:, :rank] += np.eye(rank) * own.mean(axis=1, keepdims=True)  # none is empty
    shared = rng.gamma(0.5 if sparse else 2.0, size=columns)
    own, shared = own / own.sum(axis=1, keepdims=True), shared / shared.sum()
    spectra = (1 - common) * own + common * shared
    usages = rng.dirichlet(np.full(rank, 0.15 if sparse else 0.3), size=rows)
    usages *= rng.uniform(0.6, 1.4, size=rank) * rng.lognormal(0, 0.3, size=(rows, 1))
    return usages, spectra[:, rng.permutation(columns)]


def noisy(rng: np.random.Generator, noise: str, expected: np.ndarray, level: float) -> np.ndarray:
    """`level` is the number of counts, or what corresponds to it, of an entry of mean size."""
    if noise == "relative":
        return expected * rng.gamma(level, 1 / level, size=expected.shape)
    if noise == "overdispersed":
        expected = expected * rng.gamma(level / 4, 4 / level, size=expected.shape)
    return rng.poisson(level * expected) / level


def scaled(expected: np.ndarray, loss: str) -> tuple[Any, Any]:
    """By what rows and columns are multiplied before their noise is measured."""
    if loss != KL:
        return 1.0, 1.0
    rows, columns = expected.sum(axis=1, keepdims=True), expected.sum(axis=0, keepdims=True)
    return (rows + rows.mean()) ** -0.5, (columns + columns.mean()) ** -0.5


def clearness_of(M: np.ndarray, expected: np.ndarray, rank: int, loss: str) -> float:
    a, b = scaled(expected, loss)
    weakest = np.linalg.svd(a * expected * b, compute_uv=False)[rank - 1]
    return float(weakest / np.linalg.norm(a * (M - expected) * b, 2))


def noisy_as_wanted(
    rng: np.random.Generator, family: Family, expected: np.ndarray, rank: int, wanted: float
) -> tuple[np.ndarray, float, float]:
    """The matrix, its level and its clearness, within 5 % of what is wanted. Noise falls with the root of the level, at
    least that of counting."""
    level = 1.0
    for turn in range(100):
        M = noisy(rng, family.noise, expected, level)
        clear = clearness_of(M, expected, rank, family.loss)
        if abs(clear / wanted - 1) < 0.05:
            return M, level, clear
        level *= float(np.clip((wanted / clear) ** (2 if turn < 10 else 0.5), 0.05, 20))
    raise ValueError(f"no level of noise leads to a clearness of {wanted}")


def asked(rng: np.random.Generator, rank: int) -> tuple[int, int]:
    """Ranks around the true one, which is anywhere among them."""
    return max(1, rank - int(rng.integers(1, 5))), rank + int(rng.integers(2, 6))


def make(seed: int, family_name: str, size: int, rank: int, difficulty: str) -> Planted:
    family = FAMILIES[family_name]
    rng = np.random.default_rng([seed, list(FAMILIES).index(family_name), size, rank])
    (least, most), commons = DIFFICULTY[difficulty]
    wanted = float(np.exp(rng.uniform(np.log(least), np.log(most))))
    usages, spectra = factors(rng, family.sizes[size], rank, rng.uniform(*commons), family.sparse)
    expected = usages @ spectra
    expected /= expected.mean()
    M, level, clear = noisy_as_wanted(rng, family, expected, rank, wanted)
    if family.noise != "relative":
        M = np.rint(M * level)
    M = M[M.sum(axis=1) > 0][:, M.sum(axis=0) > 0]
    name = f"{family_name}-{difficulty}-{M.shape[0]}x{M.shape[1]}-k{rank:02}"
    kept = scipy.sparse.csr_matrix(M) if family.sparse else M
    return Planted(name, family_name, difficulty, family.loss, rank, asked(rng, rank), clear, kept)


def planted(seed: int) -> Iterator[Planted]:
    """Every family with every rank, half of each easy."""
    for f, (name, family) in enumerate(FAMILIES.items()):
        for r, rank in enumerate(RANKS):
            most = len(family.sizes) if rank <= LARGEST_RANK_OF_LARGE else min(2, len(family.sizes))
            yield make(seed, name, (f + r // 2) % most, rank, ("easy", "hard")[(f + r) % 2])
