# SPDX-License-Identifier: MIT
"""RcppML and NMF in R, each driven by a script beside this file.

R reads the matrix and the start from plain binary files and keeps its own clock. At a snapshot it writes the
factors, says "snapshot ITERATION SECONDS" and waits for a line while the error is computed here.
"""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import scipy.sparse

from adapters import NotInstalled

HERE = Path(__file__).resolve().parent
PACKAGES = {"rcppml": "RcppML", "nmf": "NMF"}


def rscript() -> str:
    program = shutil.which("Rscript")
    if program is None:
        raise NotInstalled("there is no Rscript")
    return program


def version(_program, variant: str) -> str:
    package = PACKAGES[variant]
    ask = f'cat("{package} ", format(packageVersion("{package}")), ", R ", format(getRversion()), sep = "")'
    asked = subprocess.run([rscript(), "--vanilla", "-e", ask], check=False, capture_output=True, text=True)
    if asked.returncode != 0:
        raise NotInstalled(f"R has no package {package}")
    return asked.stdout


def write_matrix(folder: Path, matrix) -> None:
    """Column by column, as R keeps its matrices."""
    if scipy.sparse.issparse(matrix):
        columns = matrix.tocsc()
        columns.indptr.astype(np.int32).tofile(folder / "p.bin")
        columns.indices.astype(np.int32).tofile(folder / "i.bin")
        columns.data.tofile(folder / "x.bin")
    else:
        matrix.ravel(order="F").tofile(folder / "M.bin")


def read_factor(file: Path, rows: int, cols: int) -> np.ndarray:
    return np.fromfile(file).reshape((cols, rows)).T


def run(job, recorder, variant: str) -> None:
    rows, cols = job.matrix.shape
    write_matrix(job.scratch, job.matrix)
    job.W.ravel(order="F").tofile(job.scratch / "W.bin")
    job.H.ravel(order="F").tofile(job.scratch / "H.bin")
    nonzeros = job.matrix.nnz if scipy.sparse.issparse(job.matrix) else 0
    numbers = [rows, cols, job.rank, nonzeros, job.threads, job.seconds, job.iterations]
    command = [
        rscript(),
        "--vanilla",
        HERE / f"{variant}.R",
        HERE / "watch.R",
        job.scratch,
        *map(str, numbers),
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as r:
        for line in r.stdout:
            word, *values = line.split()
            if word == "snapshot":
                W = read_factor(job.scratch / "W.bin", rows, job.rank)
                H = read_factor(job.scratch / "H.bin", job.rank, cols)
                recorder.add(int(values[0]), float(values[1]), W, H)
                print("seen", file=r.stdin, flush=True)
            elif word == "own_error":
                recorder.own_error = float(values[0]) / recorder.norm
            elif word == "peak_mb":
                recorder.peak_mb = float(values[0])
    if r.returncode != 0:
        raise RuntimeError(f"{command[2].name} ended with exit code {r.returncode}")
