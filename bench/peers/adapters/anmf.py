# SPDX-License-Identifier: MIT
"""anmf: the command line program, whose trace.csv has seconds and error of every iteration.

Its seconds are solver time, with the clock stopped while it evaluates the error, like the recorder's. The
trace's first and last errors are compared with those of the factors.
"""

import csv
import hashlib
import json
import re
import subprocess
import sys

import numpy as np

from adapters import NotInstalled, WrongAnswer

# Starts the program from a small process: the peak that the system reports for a child begins with that of
# its parent.
LAUNCHER = """
import json, resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(json.dumps([code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024]))
"""


def version(program, variant: str) -> str:
    """With a part of the hash of the program, so that runs of another build are not taken for this one's."""
    if not program.exists():
        raise NotInstalled(f"there is no {program.name} in {program.parent}")
    method_options(program, variant)
    words = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return f"{words} ({hashlib.sha256(program.read_bytes()).hexdigest()[:12]})"


def method_options(program, method: str) -> tuple[list[str], str]:
    """Options that choose the method, and a note. A program without `auto` runs its default instead."""
    text = subprocess.run([program, "factorize", "--help"], capture_output=True, text=True, check=True).stdout
    if re.search(rf"^ +{re.escape(method)} {{2,}}", text, re.MULTILINE):
        return ["--method", method], ""
    if method == "auto":
        return [], "this anmf has no method auto, its default was run"
    raise NotInstalled(f"this anmf has no method {method}")


def run(job, recorder, variant: str) -> None:
    method, recorder.note = method_options(job.program, variant)
    out = job.scratch / "anmf"
    limits = ["--tolerance", "0", "--time-limit", str(job.seconds), "--max-iterations", str(job.iterations)]
    start = ["--init-w", job.start_files[0], "--init-h", job.start_files[1]]
    command = [
        job.program,
        "factorize",
        job.input_file,
        "--rank",
        str(job.rank),
        "--threads",
        str(job.threads),
    ]
    launch = [sys.executable, "-I", "-S", "-c", LAUNCHER]
    launched = subprocess.run(
        [*launch, *command, *method, *limits, *start, "--out", out],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    code, recorder.peak_mb = json.loads(launched.stdout)
    if code != 0:
        raise RuntimeError(f"anmf ended with exit code {code}")

    with open(out / "trace.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    curve = [(int(row["iteration"]), float(row["seconds"]), float(row["relative_error"])) for row in rows]
    at_start = recorder.curve[0][2]
    if abs(curve[0][2] - at_start) > 1e-6:
        raise WrongAnswer(f"anmf says the start has error {curve[0][2]}, it has {at_start}")
    recorder.add(*curve[-1][:2], np.load(out / "W.npy"), np.load(out / "H.npy"))
    recorder.own_error = json.loads((out / "run.json").read_text())["relative_error"]
    recorder.curve = [*curve[:-1], recorder.curve[-1]]
