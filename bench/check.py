# SPDX-License-Identifier: MIT
"""Runs every benchmark for a moment, on small matrices made here: to see that it works, not how fast.

`make bench-check` builds what it needs and calls it. The peers that need nothing but Python are installed here; those
that need a compiler or R packages are named and left out, and `make bench-peers ARGS=--check` runs them too.
"""

import gzip
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
RELEASE = ROOT / "build" / "release"
OUT = ROOT / "build" / "bench-check"
DATA = OUT / "data"
PYTHON_PEERS = ("nimfa", "nn-fac", "tensorly")
CHECKED_PEERS = ("anmf:auto", "scikit-learn:mu", "nimfa:lsnmf", "nimfa:nmf", "tensorly:hals", "nn-fac:hals-acc")


def make_data() -> None:
    """A dense and a sparse set under names of the paper's, large enough for its ranks. The others are absent."""
    rng = np.random.default_rng(1)
    dense = rng.random((120, 5)) @ rng.random((5, 80))
    sparse = scipy.sparse.csr_matrix(rng.poisson(dense) * (rng.random(dense.shape) < 0.5), dtype=np.float64)
    for name in ("cbcl", "hitech"):
        (DATA / name).mkdir(parents=True, exist_ok=True)
    np.save(DATA / "cbcl" / "cbcl.npy", dense)
    scipy.sparse.save_npz(DATA / "hitech" / "hitech.npz", sparse)
    with gzip.open(DATA / "hitech" / "hitech.mtx.gz", "wb") as file:
        scipy.io.mmwrite(file, sparse)


def install_peers() -> Path:
    """In the versions that the comparison asks for."""
    folder = OUT / "peers"
    files = (BENCH / "peers" / name for name in ("requirements.txt", "requirements-alone.txt"))
    lines = [line for file in files for line in file.read_text().splitlines()]
    wanted = [line for line in lines if line.split("==")[0] in PYTHON_PEERS]
    stamp = folder / "installed.txt"
    if not stamp.exists() or stamp.read_text() != str(wanted):
        shutil.rmtree(folder, ignore_errors=True)
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--target", folder, *wanted], check=True)
        stamp.write_text(str(wanted))
    return folder


def commands() -> dict[str, list[tuple[list, str]]]:
    """For every folder of bench/ what is run, in order, and what it must say, a regular expression."""
    programs, small = RELEASE / "bench", ["--data", DATA]
    matrix, measured = DATA / "cbcl" / "cbcl.npy", OUT / "micro.json"
    methods = ["--methods", "a-hals,e-a-hals:on,a-mu:block", "--starts", 1, "--seconds", 0.05]
    two_peers = ["--peers", "anmf:auto", "scikit-learn:cd", "--starts", 1, "--seconds", 0.05, "--fresh"]
    quick = ["--quick", "--benchmark_min_time=0.001", f"--benchmark_out={measured}"]
    sparse = ["--problems", "classic", "hitech", "--ranks", 5, "--seconds", 0.01]
    streamed = ["--gigabytes", 0.12, "--memory", "100M", "--iterations", 2, "--folder", OUT]
    two_builds = [RELEASE / "anmf", RELEASE / "anmf", *small, "--turns", 2, "--seconds", 0.01, "--size", "200x100"]
    pytest = [Path(sys.executable), "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=prepend"]
    parse = 'for (file in Sys.glob("bench/peers/adapters/*.R")) cat(file, length(parse(file)), "expressions\\n")'
    r_scripts = [([Path(r), "-e", parse], r"watch.R \d+ expressions")] if (r := shutil.which("Rscript")) else []
    return {
        "peers": [
            *r_scripts,
            (["run.py", "--check"], ".*".join(rf"planted-dense, {peer}: error 0\.\d+" for peer in CHECKED_PEERS)),
            (["run.py", *small, "--problems", "orl", "hitech", *two_peers], r"orl is skipped.*Wrote .*peers.md"),
        ],
        "micro": [
            ([*pytest, "bench/micro/test_table.py"], r"\d+ passed"),
            ([programs / "anmf_bench", *quick], r"yardstick/peak/double.*iteration/a-hals/float.* random"),
            (
                ["table.py", measured, OUT / "micro.md"],
                r"float\), speed-up from 1 to 2 threads \| \d.*gram, r = 128 \| \d",
            ),
        ],
        "methods": [([programs / "anmf_methods", *small, *methods], r"orl.* skipped.*geometric mean, sparse \| \d")],
        "mpi": [
            ([programs / "anmf_predict"], r"\| 4096 \| \d+ x \d+ \|"),
            (["run.py", matrix, "--rank", 5, "--iterations", 10, "--turns", 2], r"two ranks of one thread: ms \d"),
            (["count.py", matrix, "--rank", 5, "--ranks", 2], r"\| cbcl \| 2 \| \d x \d \| \d+ \| \d+ \|"),
        ],
        "bound": [
            (["run.py", *small, "--turns", 1], r"orl is not in .*\| hitech \| 10 \| 0\.\d+ \| \S+ \| 0\.\d+ \| \d")
        ],
        "cnmf": [(["run.py"], r"left out|times faster")],
        "losses": [
            (["run.py", *small, "cbcl", "orl", "--quick"], r"orl is not in .*\| cbcl \| 30 \| \d.*Wrote .*losses.md")
        ],
        "missing": [
            ([programs / "anmf_missing", *small, "--quick"], r"\| e-a-hals \| \d.*CCD\+\+.*\| a-hals \| \d+\.\d+ \|")
        ],
        "one_pass": [([programs / "anmf_one_pass", "--quick"], r"\| sparse \| 20 \| 2 \| \d+ \| \d")],
        "python": [
            (["compare.py", *small, "--repetitions", 1, "--init", "random"], r"orl is not in .*\| hitech \| 20 \| \d")
        ],
        "scipy": [(["compare.py", *small, *sparse], r"classic is not in .*\| hitech, H, r = 5 \| \d")],
        "stopping": [
            (
                ["run.py", *small, "--sets", "two groups"],
                r"orl is not in .*two groups, 150 x 60 \| 2 \| \d.*by the gradient \| \d of \d",
            )
        ],
        "stream": [(["run.py", *streamed], r"passes +\d\.\d+ GB/s")],
        "survey": [
            ([programs / "anmf_throughput", "--quick"], r"\| dense \| 150 x 50 \| 10 \| 2 \| \d"),
            (["cnmf_parity.py"], r"left out|The parity holds"),
            (["planted.py", "--only", "120x80-k02", "--starts", 10], r"\| least held-out error \| 1 of 1, 100 %"),
            (["speed.py", *small, "--starts", 10], r"pbmc_facs is not in .*wtsi_breast is not in .*skipped"),
            (["memory.py", "--quick"], r"\| 300 x 200, dense \| 2-3 \| 10 \|  \| \d"),
            (["kills.py", "--kills", 3], r"the same to the bit"),
        ],
        "turns": [
            (["run.py", *two_builds], r"orl is not in .*\| cbcl \| e-a-hals \| \d+ \|.*\| 200x100 \| a-hals \| \d")
        ],
    }


def run(folder: str, steps: list[tuple[list, str]], environment: dict[str, str]) -> str:
    """What is there to tell: seconds, and who was left out. Raises if a command fails or does not say what it must."""
    began = time.perf_counter()
    lines = []
    for command, must_say in steps:
        words = [str(word) for word in command]
        if not isinstance(command[0], Path):
            words[:1] = [sys.executable, f"bench/{folder}/{words[0]}"]
        outcome = subprocess.run(
            words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if outcome.returncode != 0 or not re.search(must_say, outcome.stdout, re.DOTALL):
            wrong = f"exit code {outcome.returncode}, and it must say {must_say}"
            raise SystemExit(f"{outcome.stdout}bench/{folder} is broken: {' '.join(words)}\n{wrong}")
        lines += [f"  {line}" for line in outcome.stdout.splitlines() if "left out" in line]
    return "\n".join([f"bench/{folder}: {time.perf_counter() - began:.0f} s", *lines])


def main() -> None:
    plan = commands()
    folders = {folder.name for folder in BENCH.iterdir() if folder.is_dir() and folder.name != "__pycache__"}
    if folders != plan.keys():
        sys.exit(f"bench/check.py must run what is in {', '.join(sorted(folders ^ plan.keys()))}.")
    make_data()
    environment = os.environ | {
        "ANMF_BENCH": str(OUT),
        "ANMF_DATA": str(DATA),
        "PYTHONPATH": f"{RELEASE / 'python'}:{install_peers()}",
    }
    with ThreadPoolExecutor(os.cpu_count()) as team:
        for told in team.map(lambda item: run(*item, environment), plan.items()):
            print(told, flush=True)
    print("The benchmarks work.")


if __name__ == "__main__":
    main()
