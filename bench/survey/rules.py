# SPDX-License-Identifier: MIT
"""Which rank other programs and papers would choose, by the numbers that survey.csv has.

These are their rules, on our starts: what their programs do beside them, such as to perturb the matrix before every
start or to compare by another silhouette, is not made here.
"""

import csv
import itertools
from collections.abc import Callable
from pathlib import Path

Row = dict[str, float | None]


def read_table(path: Path) -> list[Row]:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    numbers = [{name: number(text) for name, text in row.items() if name != "suggested"} for row in rows]
    return sorted(numbers, key=lambda row: row["rank"])


def number(text: str) -> float | None:
    return float(text) if text and text not in ("nan", "null") else None


def extreme(column: str, best: Callable) -> Callable[[list[Row]], int | None]:
    def rule(rows: list[Row]) -> int | None:
        known = [row for row in rows if row[column] is not None]
        return int(best(known, key=lambda row: row[column])["rank"]) if known else None

    return rule


def worst_silhouette(rows: list[Row]) -> int | None:
    """NMFk: the largest rank of which every cluster has a silhouette of 0.8."""
    stable = [row["rank"] for row in rows if (row["silhouette_min"] or 0) >= 0.8]
    return int(max(stable)) if stable else None


def thresholds(rows: list[Row]) -> int | None:
    """SigProfiler's: the largest rank with a mean silhouette of 0.8 and none below 0.2."""
    stable = [row["rank"] for row in rows if (row["silhouette"] or 0) >= 0.8 and (row["silhouette_min"] or 0) >= 0.2]
    return int(max(stable)) if stable else None


def first_drop(rows: list[Row]) -> int | None:
    """Brunet and others: where the cophenetic correlation begins to fall."""
    known = [row for row in rows if row["cophenetic"] is not None]
    for row, following in itertools.pairwise(known):
        if following["cophenetic"] < row["cophenetic"]:
            return int(row["rank"])
    return int(known[-1]["rank"]) if known else None


RULES: dict[str, Callable[[list[Row]], int | None]] = {
    "least held-out error": extreme("heldout", min),
    "worst silhouette at least 0.8 (NMFk)": worst_silhouette,
    "silhouettes at least 0.8 and 0.2 (SigProfiler)": thresholds,
    "highest silhouette (cNMF's plot)": extreme("silhouette", max),
    "first drop of the cophenetic correlation (Brunet)": first_drop,
    "highest dispersion (Kim and Park)": extreme("dispersion", max),
    "least instability (staNMF)": extreme("instability", min),
    "least error of bi-cross-validation": extreme("bcv", min),
}
