# SPDX-License-Identifier: MIT
"""One run in a process of its own: load, factorize with one peer, check the answer, write the curve as JSON.

    python worker.py version PEER
    python worker.py run PEER --problem NAME --start K --seconds S --threads T --out FILE

run.py starts it with the number of threads in the environment, where the BLAS and OpenMP libraries look for
it.
"""

import argparse
import json
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path

import adapters
import paths
from catalogue import BY_NAME


def peak_mb() -> float:
    """Peak resident memory of this process alone; ru_maxrss would begin with that of its parent."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("/proc/self/status has no VmHWM")


def busy_seconds() -> float:
    """Time that all processors together have spent working, for whomever."""
    with open("/proc/stat") as file:
        user, nice, system, _idle, _iowait, irq, softirq, *_ = map(int, file.readline().split()[1:])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


class Disturbance:
    """How many processors other programs kept busy since it was made."""

    def __init__(self):
        self._wall, self._busy, self._own = time.perf_counter(), busy_seconds(), self._own_seconds()

    @staticmethod
    def _own_seconds() -> float:
        return sum(os.times()[:4])  # with the children that have ended

    def processors(self) -> float:
        others = busy_seconds() - self._busy - (self._own_seconds() - self._own)
        return max(others / (time.perf_counter() - self._wall), 0.0)


def check_answer(recorder, matrix, rank: int) -> None:
    """Raises WrongAnswer unless the factors are nonnegative, of the right shape, as good as the peer says."""
    expected = (matrix.shape[0], rank), (rank, matrix.shape[1])
    if (recorder.W.shape, recorder.H.shape) != expected:
        raise adapters.WrongAnswer(f"shapes {recorder.W.shape}, {recorder.H.shape} instead of {expected}")
    if not (recorder.W.min() >= 0 and recorder.H.min() >= 0):
        raise adapters.WrongAnswer("a factor has negative entries or is not a number")
    own, ours = recorder.own_error, recorder.curve[-1][2]
    if own is not None and abs(own - ours) > 1e-6:
        raise adapters.WrongAnswer(f"the peer says error {own}, its factors have {ours}")


def run(arguments) -> None:
    import problems
    from recorder import Recorder, RunIsOver

    problem = BY_NAME[arguments.problem]
    peer = adapters.find(arguments.peer)
    matrix = problems.load(problem, arguments.data)
    W, H = problems.load_start(problem, arguments.start)
    recorder = Recorder(matrix, W, H, arguments.seconds, arguments.max_iterations)
    paths.SCRATCH.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=paths.SCRATCH) as scratch:
        job = adapters.Job(
            matrix=matrix,
            W=W,
            H=H,
            rank=problem.rank,
            threads=arguments.threads,
            seconds=arguments.seconds,
            max_iterations=arguments.max_iterations,
            input_file=problem.file_for_anmf(arguments.data),
            start_files=problems.start_files(problem, arguments.start),
            scratch=Path(scratch),
            program=arguments.anmf,
        )
        disturbance = Disturbance()
        try:
            peer.run(job, recorder)
        except RunIsOver:
            pass
        busy_with_others = round(disturbance.processors(), 2)
    check_answer(recorder, matrix, problem.rank)

    result = {
        "problem": problem.name,
        "rank": problem.rank,
        "peer": arguments.peer,
        "version": peer.version(arguments.anmf),
        "start": arguments.start,
        "threads": arguments.threads,
        "limit_seconds": arguments.seconds,
        "peak_mb": round(recorder.peak_mb or peak_mb(), 1),
        "busy_with_others": busy_with_others,
        "own_error": recorder.own_error,
        "note": recorder.note,
        "finished": time.strftime("%Y-%m-%d %H:%M:%S"),
        "libraries": thread_pools(),
        "curve": recorder.curve,
    }
    partial = arguments.out.with_suffix(".partial")
    partial.write_text(json.dumps(result))
    partial.rename(arguments.out)


def thread_pools() -> list[str]:
    import threadpoolctl

    return sorted(
        f"{pool['internal_api']} {pool['version']}: {pool['num_threads']} threads"
        for pool in threadpoolctl.threadpool_info()
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("version", "run"):
        command = commands.add_parser(name)
        command.add_argument("peer")
        command.add_argument("--anmf", type=Path, default=paths.ANMF)
    command.add_argument("--problem", choices=BY_NAME, required=True)
    command.add_argument("--start", type=int, required=True)
    command.add_argument("--seconds", type=float, required=True)
    command.add_argument("--threads", type=int, required=True)
    command.add_argument("--max-iterations", type=int)
    command.add_argument("--data", type=Path, default=paths.DATA)
    command.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # peers warn that they were stopped early, which is the plan
    try:
        if arguments.command == "version":
            print(adapters.find(arguments.peer).version(arguments.anmf))
        else:
            run(arguments)
    except (adapters.NotInstalled, adapters.WrongAnswer) as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
