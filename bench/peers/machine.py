# SPDX-License-Identifier: MIT
"""The machine and the tools of a comparison, for the record."""

import os
import platform
import subprocess
import time
from pathlib import Path

import paths


def first_match(file: str, key: str) -> str:
    try:
        lines = Path(file).read_text().splitlines()
    except OSError:
        return "unknown"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(key)), "unknown")


def commit() -> str:
    command = ["git", "-C", str(paths.ROOT), "describe", "--always", "--dirty"]
    said = subprocess.run(command, check=False, capture_output=True, text=True)
    return said.stdout.strip() or "unknown"


def describe() -> dict:
    return {
        "cpu": first_match("/proc/cpuinfo", "model name"),
        "cores": len(os.sched_getaffinity(0)),
        "memory": first_match("/proc/meminfo", "MemTotal"),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "commit": commit(),
        "load_average": os.getloadavg(),
        "date": time.strftime("%Y-%m-%d"),
    }
