#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the ranks of anmf-mpi send in an iteration, by Open MPI's own count, beside the model: a Markdown table.

Twelve iterations minus four, over eight, for the rank that sent most. Needs nothing but Python and mpirun.

Usage: bench/mpi/count.py MATRIX ... [--rank 30] [--loss kl] [--ranks 1 2 4 8 9] [--program build/release/anmf-mpi]
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

WORD = 8
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_pml_monitoring_enable": "2",
    "OMPI_MCA_pml_monitoring_enable_output": "3",
    "OMPI_MCA_pml_monitoring_filename": "sent",
}


def sent(folder: pathlib.Path, rank: int) -> tuple[int, int]:
    """Bytes and messages that the library sent from a rank for its collective operations."""
    rows = [line.split("\t") for line in (folder / f"sent.{rank}.prof").read_text().splitlines()]
    rows = [row for row in rows if row[0] == "I"]
    return sum(int(row[3].split()[0]) for row in rows), sum(int(row[4].split()[0]) for row in rows)


def most_sent(command: list[str], ranks: int, iterations: int) -> tuple[int, int, dict]:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        arguments = ["--max-iterations", str(iterations), "--tolerance", "0", "--no-report", "--quiet"]
        subprocess.run(
            ["mpirun", "-n", str(ranks), *command, *arguments, "--out", "out"],
            check=True,
            cwd=folder,
            env={**os.environ, **ENVIRONMENT},
        )
        counts = [sent(folder, rank) for rank in range(ranks)]
        about = json.loads((folder / "out" / "run.json").read_text())["mpi"]
    return max(count[0] for count in counts), max(count[1] for count in counts), about


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("matrices", nargs="+")
    parser.add_argument("--rank", default="30")
    parser.add_argument("--loss", default="frobenius")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4, 8, 9])
    parser.add_argument("--program", default="build/release/anmf-mpi")
    options = parser.parse_args()
    print("| matrix | ranks | grid | words: model | sent | messages: model | sent |\n|---|---|---|---|---|---|---|")
    for matrix in options.matrices:
        command = [os.path.abspath(options.program), "factorize", os.path.abspath(matrix)]
        command += ["--rank", options.rank, "--loss", options.loss]
        if options.loss == "frobenius":
            command += ["--method", "e-a-hals"]
        for ranks in options.ranks:
            few_bytes, few_messages, _ = most_sent(command, ranks, 4)
            bytes_, messages, about = most_sent(command, ranks, 12)
            grid = f"{about['grid'][0]} x {about['grid'][1]}" if about["grid"] else "lines"
            print(
                f"| {pathlib.Path(matrix).stem} | {ranks} | {grid} "
                f"| {about['modelled_words']:.0f} | {(bytes_ - few_bytes) / 8 / WORD:.0f} "
                f"| {about['modelled_messages']:.0f} | {(messages - few_messages) / 8:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
