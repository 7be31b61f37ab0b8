#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A survey that is killed again and again has the tables of one that is not, to the bit.

One survey runs to its end; another one of the same matrix gets SIGKILL at random moments, twenty times, each time after
--resume has begun it anew. Then their tables are compared: all but the seconds. Needs numpy.

Usage: bench/survey/kills.py [--kills 20] [--seed 1]
"""

import argparse
import csv
import json
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import program

TABLES = ("survey.csv", "jobs.csv", "components.csv")
RANKS, STARTS = "2-8", 20


def matrix(path: Path) -> Path:
    rng = np.random.default_rng(7)
    np.save(path, rng.poisson(3 * rng.gamma(0.5, size=(700, 5)) @ rng.gamma(0.5, size=(5, 300))).astype(np.float64))
    return path


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return [{name: text for name, text in row.items() if name != "seconds"} for row in csv.DictReader(file)]


def same(one: Path, other: Path) -> list[str]:
    """What differs: tables, what is suggested, and the arrays."""
    wrong = [name for name in TABLES if table(one / name) != table(other / name)]
    told = [json.loads((folder / "survey.json").read_text())["suggestion"] for folder in (one, other)]
    wrong += ["suggestion"] if told[0] != told[1] else []
    arrays = sorted(path.relative_to(one) for path in one.rglob("*.npy"))
    if arrays != sorted(path.relative_to(other) for path in other.rglob("*.npy")):
        return [*wrong, "which arrays there are"]
    return wrong + [str(path) for path in arrays if (one / path).read_bytes() != (other / path).read_bytes()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = program.OUT / "kills"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    path = matrix(folder / "M.npy")
    words = [path, "--ranks", RANKS, "--starts", STARTS, "--quiet"]
    whole = program.anmf("survey", *words, "--out", folder / "whole", may=(0, program.SOME_FAILED))
    print(f"a whole survey takes {whole.wall:.1f} s")
    moments = random.Random(options.seed)
    killed = folder / "killed"
    alive = 0
    jobs = []
    for turn in range(options.kills):
        command = [program.PROGRAM, "survey", *words, "--out", killed, "--threads", 1 + turn % 2]
        if (killed / "survey.toml").exists():
            command = [program.PROGRAM, "survey", "--resume", killed, "--quiet", "--threads", 1 + turn % 2]
        process = subprocess.Popen([str(word) for word in command], stderr=subprocess.PIPE, text=True)
        time.sleep(moments.uniform(0, 1.5 * whole.wall / options.kills))
        process.kill()
        said = process.stderr.read()
        if process.wait() >= 0:  # it had ended before
            alive += 1
            if process.returncode not in (0, program.SOME_FAILED):
                sys.exit(f"turn {turn + 1} ended with {process.returncode}: {said}")
        jobs.append(sum(1 for _ in killed.rglob("*.npz")))
    last = ["--resume", killed] if (killed / "survey.toml").exists() else [*words[:-1], "--out", killed]
    program.anmf("survey", *last, "--quiet", may=(0, program.SOME_FAILED))
    wrong = same(folder / "whole", killed)
    print(f"{options.kills - alive} kills, {alive} had ended before; files of jobs after each: {jobs}")
    print(f"different: {', '.join(wrong)}" if wrong else "The tables and arrays are the same to the bit.")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
