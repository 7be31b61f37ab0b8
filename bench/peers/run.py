#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares anmf with other programs for nonnegative matrix factorization.

Every run is a process of its own: same data, same start factors, same number of threads, double precision.
Results go to build/bench: peers.json (every curve), peers.md (tables), runs/ (one file per run). A comparison
that was interrupted goes on where it was.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import adapters
import machine
import paths
import report
from catalogue import BY_NAME, COMPARISON, PLANTED, QUICK, Problem

QUICK_SECONDS = 5.0
# Beyond its time limit a run loads, evaluates errors with the clock stopped, and ends its last iteration.
PATIENCE_FACTOR, PATIENCE_SECONDS = 4, 600


@dataclass(frozen=True)
class Plan:
    problems: list[Problem]
    peers: dict[str, str]  # name -> version
    starts: int
    seconds: float | None
    threads: int
    data: Path
    program: Path


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = ", ".join(problem.name for problem in COMPARISON)
    parser.add_argument("--problems", nargs="+", metavar="NAME", help=f"of {names} (default: all)")
    parser.add_argument(
        "--peers",
        nargs="+",
        metavar="PEER",
        default=list(adapters.PEERS),
        help=f"of {', '.join(adapters.PEERS)}, or anmf:METHOD (default: all that are installed)",
    )
    parser.add_argument("--starts", type=int, metavar="N", help="start factors per problem (default 5)")
    parser.add_argument("--seconds", type=float, metavar="S", help="time limit per run (default by problem)")
    parser.add_argument(
        "--threads",
        type=int,
        metavar="T",
        default=len(os.sched_getaffinity(0)),
        help="for all (default: every core)",
    )
    parser.add_argument(
        "--quick", action="store_true", help=f"{', '.join(QUICK)}, 1 start, {QUICK_SECONDS:g} s each"
    )
    parser.add_argument(
        "--fresh", action="store_true", help="forget what earlier runs of this comparison left"
    )
    parser.add_argument(
        "--report", action="store_true", help="run nothing; write the report from the runs there are"
    )
    parser.add_argument(
        "--check", action="store_true", help="check every adapter's answers on small problems, and end"
    )
    parser.add_argument(
        "--data", type=Path, metavar="DIR", default=paths.DATA, help="folder of the paper's sets"
    )
    parser.add_argument("--anmf", type=Path, metavar="FILE", default=paths.ANMF, help="the program")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.problems or [] if name not in BY_NAME]
    if unknown:
        parser.error(f"no such problem: {', '.join(unknown)}; there are {names}")
    return arguments


def worker(*arguments, threads: int = 1, timeout: float | None = None) -> subprocess.CompletedProcess:
    """A fresh process with its number of threads set where BLAS and OpenMP libraries look for it."""
    variables = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
    environment = os.environ | {name: str(threads) for name in variables}
    command = [sys.executable, *map(str, arguments)]
    # A session of its own, so that on a timeout its own children end with it.
    with subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException as reason:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            if not isinstance(reason, subprocess.TimeoutExpired):
                raise
            return subprocess.CompletedProcess(command, 1, "", "no end in sight, so it was stopped")
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no message"])[-1]


def installed(names: list[str], program: Path) -> tuple[dict[str, str], list[str]]:
    """Versions of the peers that can be run, and a sentence for each that cannot."""
    versions, sentences = {}, []
    for name in names:
        asked = worker(paths.HERE / "worker.py", "version", name, "--anmf", program)
        if asked.returncode == 0:
            versions[name] = asked.stdout.strip()
        else:
            sentences.append(last_line(asked.stderr))
    return versions, sentences


def present(problems: list[Problem], data: Path) -> tuple[list[Problem], list[str]]:
    there = [problem for problem in problems if problem.generated or problem.file(data).exists()]
    sentences = [
        f"{problem.name} is skipped: it is not in the data folder."
        for problem in problems
        if problem not in there
    ]
    return there, sentences


def prepare(problem: Problem, plan: Plan) -> None:
    script = paths.HERE / "problems.py"
    prepared = worker(
        script, problem.name, "--starts", plan.starts, "--data", plan.data, threads=plan.threads
    )
    print(prepared.stdout, end="", flush=True)
    if prepared.returncode != 0:
        sys.exit(f"{problem.name} could not be prepared: {last_line(prepared.stderr)}")


def run_file(problem: Problem, peer: str, start: int, plan: Plan, seconds: float) -> Path:
    stem = (
        f"{problem.name}-r{problem.rank}-{peer.replace(':', '-')}-start{start}-t{plan.threads}-{seconds:g}s"
    )
    return paths.RUNS / f"{stem}.json"


def forget_runs(plan: Plan) -> None:
    for problem in plan.problems:
        for peer in plan.peers:
            for start in range(1, plan.starts + 1):
                run_file(problem, peer, start, plan, plan.seconds or problem.seconds).unlink(missing_ok=True)


def finished_run(file: Path, version: str) -> dict | None:
    """An earlier result, unless another version of the peer made it."""
    if not file.exists():
        return None
    run = json.loads(file.read_text())
    return run if run["version"] == version else None


def execute(problem: Problem, peer: str, start: int, plan: Plan, seconds: float, file: Path) -> str:
    """Runs the worker. Returns an error message, empty if all is well."""
    ran = worker(
        paths.HERE / "worker.py",
        *("run", peer, "--problem", problem.name, "--start", start, "--seconds", seconds),
        *("--threads", plan.threads, "--data", plan.data, "--anmf", plan.program, "--out", file),
        threads=plan.threads,
        timeout=PATIENCE_FACTOR * seconds + PATIENCE_SECONDS,
    )
    return "" if ran.returncode == 0 else last_line(ran.stderr)


def compare_on(problem: Problem, plan: Plan, only_report: bool) -> tuple[list[dict], list[str]]:
    """All runs of one problem, interleaved: start 1 with peers a, b, c; start 2 with b, c, a; and so on."""
    names = [name for name in plan.peers if not problem.sparse or adapters.find(name).takes_sparse]
    seconds = plan.seconds or problem.seconds
    if not only_report:
        prepare(problem, plan)
    runs, failures = [], []
    for start in range(1, plan.starts + 1):
        turn = (start - 1) % len(names)
        for name in names[turn:] + names[:turn]:
            file = run_file(problem, name, start, plan, seconds)
            run = finished_run(file, plan.peers[name])
            if run is None and not only_report:
                print(f"{problem.name}, start {start}, {name}: ", end="", flush=True)
                message = execute(problem, name, start, plan, seconds, file)
                print(
                    f"failed: {message}" if message else describe(finished_run(file, plan.peers[name])),
                    flush=True,
                )
                if message:
                    failures.append(f"{name} failed on {problem.name}, start {start}: {message}")
                run = finished_run(file, plan.peers[name])
            if run is not None:
                runs.append(run)
    # The report lists peers in the same order for every problem.
    return sorted(runs, key=lambda run: (names.index(run["peer"]), run["start"])), failures


def describe(run: dict) -> str:
    iterations, seconds, error = run["curve"][-1]
    parts = [
        f"error {error:.6f} after {iterations} iterations in {seconds:.1f} s",
        f"{run['peak_mb']:.0f} MB",
    ]
    if run["busy_with_others"] > report.BUSY:
        parts.append(f"others used {run['busy_with_others']:g} processors")
    if run["note"]:
        parts.append(run["note"])
    return ", ".join(parts)


def write_report(runs: list[dict], plan: Plan, sentences: list[str]) -> None:
    about = machine.describe()
    notes = report.disturbed(runs) + sorted({f"{run['peer']}: {run['note']}." for run in runs if run["note"]})
    figures = {name: made.record() for name, made in report.by_problem(runs).items()}
    everything = {
        "machine": about,
        "versions": plan.peers,
        "notes": sentences + notes,
        "problems": figures,
        "runs": runs,
    }
    (paths.BENCH / "peers.json").write_text(json.dumps(everything))
    (paths.BENCH / "peers.md").write_text(report.markdown(runs, about, plan.peers, sentences + notes))


def compare(plan: Plan, sentences: list[str], only_report: bool) -> None:
    total = sum(plan.seconds or problem.seconds for problem in plan.problems) * plan.starts * len(plan.peers)
    if not only_report:
        print(f"At most {total / 3600:.1f} hours of solver time, less what is there already.", flush=True)
    runs = []
    for problem in plan.problems:
        new_runs, failures = compare_on(problem, plan, only_report)
        runs += new_runs
        sentences += failures
        if runs:
            write_report(runs, plan, sentences)
    if not runs:
        sys.exit("There is no run to report.")
    print(f"Wrote {paths.BENCH / 'peers.md'} and peers.json.")


def check_curve(run: dict) -> str:
    """What is wrong with a run on a planted problem, if anything."""
    errors = [error for *_, error in run["curve"]]
    rise = max(later / earlier for earlier, later in pairwise(errors))
    if rise > 1.01:
        return f"its error rises by {100 * (rise - 1):.1f} % at once"
    if errors[-1] > errors[0] / 2:
        return f"its error falls only from {errors[0]:.3f} to {errors[-1]:.3f}"
    return ""


def check(plan: Plan) -> bool:
    """The worker checks shapes, signs and the peer's own error; the curve is looked at here."""
    sound = True
    for problem in PLANTED:
        prepare(problem, plan)
        for name in plan.peers:
            if problem.sparse and not adapters.find(name).takes_sparse:
                continue
            file = paths.RUNS / f"check-{problem.name}-{name.replace(':', '-')}.json"
            ran = worker(
                paths.HERE / "worker.py",
                *("run", name, "--problem", problem.name, "--start", 1, "--seconds", problem.seconds),
                *("--threads", plan.threads, "--max-iterations", 100, "--anmf", plan.program, "--out", file),
                threads=plan.threads,
                timeout=120,
            )
            run = json.loads(file.read_text()) if ran.returncode == 0 else {}
            wrong = check_curve(run) if run else last_line(ran.stderr)
            own = "says no error itself" if run.get("own_error") is None else "its own error agrees"
            print(
                f"{problem.name}, {name}: " + (f"WRONG: {wrong}" if wrong else f"{describe(run)}; {own}"),
                flush=True,
            )
            sound = sound and not wrong
    return sound


def end_like_ctrl_c(_signal, _frame) -> None:
    raise KeyboardInterrupt


def main() -> None:
    arguments = parse_arguments()
    # A worker has a session of its own and would outlive a run.py that is ended from outside.
    signal.signal(signal.SIGTERM, end_like_ctrl_c)
    paths.RUNS.mkdir(parents=True, exist_ok=True)
    quick = arguments.quick
    wanted = arguments.problems or (QUICK if quick else [problem.name for problem in COMPARISON])
    problems, absent = present([BY_NAME[name] for name in wanted], arguments.data)
    peers, missing = installed(arguments.peers, arguments.anmf)
    for sentence in missing + absent:
        print(sentence, flush=True)
    plan = Plan(
        problems=problems,
        peers=peers,
        starts=arguments.starts or (1 if quick else 5),
        seconds=arguments.seconds or (QUICK_SECONDS if quick else None),
        threads=arguments.threads,
        data=arguments.data,
        program=arguments.anmf,
    )
    if not peers:
        sys.exit("No peer is installed.")
    if arguments.check:
        sys.exit(0 if check(plan) else 1)
    if arguments.fresh:
        forget_runs(plan)
    shutil.rmtree(paths.SCRATCH, ignore_errors=True)  # what an interrupted run left
    compare(plan, missing + absent, arguments.report)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("\nInterrupted; the same command goes on from here.")
