#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast `anmf factorize --memory` passes over a file, beside how fast the file can be read at all.

Writes a dense .npy of random float32, reads it as the program does (whole blocks, in order), lets the program run,
and reads it once more, so that the page cache is in the same state. Needs nothing but Python.

Usage: bench/stream/run.py [--gigabytes 0.5] [--memory 100M] [--rank 10] [--iterations 5] [--columns 4000]
                           [--program build/release/anmf] [--folder .]
"""

import argparse
import array
import json
import os
import pathlib
import random
import struct
import subprocess
import tempfile
import time


def write_npy(path: pathlib.Path, rows: int, columns: int) -> None:
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    text += " " * (63 - (10 + len(text)) % 64) + "\n"
    generator = random.Random(1)
    lines = [array.array("f", [generator.random() for _ in range(columns)]).tobytes() for _ in range(97)]
    with path.open("wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode())
        for row in range(0, rows, 97):
            file.write(b"".join(lines[: min(97, rows - row)]))
            lines.append(lines.pop(0))
        file.flush()
        os.fsync(file.fileno())


def read_rate(path: pathlib.Path, block_bytes: int) -> float:
    buffer = bytearray(block_bytes)
    begin = time.perf_counter()
    total = 0
    with path.open("rb", buffering=0) as file:
        while count := file.readinto(buffer):
            total += count
    return total / (time.perf_counter() - begin)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--gigabytes", type=float, default=0.5)
    parser.add_argument("--memory", default="100M")
    parser.add_argument("--rank", default="10")
    parser.add_argument("--iterations", default="5")
    parser.add_argument("--columns", type=int, default=4000)
    parser.add_argument("--program", default="build/release/anmf")
    parser.add_argument("--folder", default=".")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = pathlib.Path(folder, "M.npy")
        write_npy(path, int(options.gigabytes * 1e9 / 4 / options.columns), options.columns)
        command = [options.program, "factorize", str(path), "--rank", options.rank, "--precision", "float32"]
        command += ["--memory", options.memory, "--tolerance", "0", "--max-iterations", options.iterations]
        command += ["--inner-stop", "block", "--no-report", "--quiet", "--out", str(pathlib.Path(folder, "out"))]
        plan = json.loads(subprocess.run([*command, "--dry-run", "--json"], check=True, capture_output=True).stdout)
        if "stream" not in plan:
            raise SystemExit("The matrix fits into --memory; make it larger.")
        block_bytes = int(plan["stream"]["block_bytes"])
        before = read_rate(path, block_bytes)
        process = subprocess.Popen(command)
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            raise SystemExit("The program failed.")
        after = read_rate(path, block_bytes)
        run = json.loads(pathlib.Path(folder, "out", "run.json").read_text())
    stream = run["stream"]
    raw = (before + after) / 2
    rate = stream["bytes_per_second"]
    print(f"file            {plan['stream']['bytes_per_pass'] / 1e9:.2f} GB in {plan['stream']['blocks']} blocks")
    print(f"raw reading     {raw / 1e9:.2f} GB/s ({before / 1e9:.2f} before, {after / 1e9:.2f} after)")
    print(f"passes          {rate / 1e9:.2f} GB/s, {100 * rate / raw:.0f} % of it ({stream['passes']} passes)")
    print(f"reading alone   {stream['reading_bytes_per_second'] / 1e9:.2f} GB/s in the program")
    print(f"bound by        {stream['bound_by']}")
    print(f"peak memory     {usage.ru_maxrss * 1024 / 1e6:.0f} MB, limit {options.memory}")


if __name__ == "__main__":
    main()
