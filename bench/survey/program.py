# SPDX-License-Identifier: MIT
"""Runs the program, and says what it took."""

import os
import subprocess
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
    began = perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in may:
        raise SystemExit(f"{' '.join(command)}\nended with {process.returncode}:\n{said}")
    return Took(perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, said)
