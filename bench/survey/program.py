# SPDX-License-Identifier: MIT
"""Runs the program, and says what it took."""

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("ANMF_PROGRAM", ROOT / "build" / "release" / "anmf"))
OUT = Path(os.environ.get("ANMF_BENCH", ROOT / "build" / "bench")) / "survey"
DATA = Path(os.environ.get("ANMF_DATA", ROOT / ".." / "shared" / "data"))
SOME_FAILED = 6  # of the jobs; the survey is there


@dataclass(frozen=True)
class Took:
    wall: float
    processor: float
    peak: int  #: bytes
    said: str


def anmf(*words: object, may: tuple[int, ...] = (0,)) -> Took:
    """Raises with what the program said if it ends with another code than these."""
    command = [str(PROGRAM), *map(str, words)]
    with tempfile.NamedTemporaryFile(mode="r") as file:
        began = perf_counter()
        watched = [sys.executable, "-S", "-E", str(Path(__file__).with_name("watched.py")), file.name, *command]
        said = subprocess.run(watched, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
        wall = perf_counter() - began
        code, processor, peak = file.read().split()
    if int(code) not in may:
        raise SystemExit(f"{' '.join(command)}\nended with {code}:\n{said}")
    return Took(wall, float(processor), 1024 * int(peak), said)
