# SPDX-License-Identifier: MIT
"""From the curves of all runs to the figures and the Markdown tables. Needs the standard library only.

Targets, per problem: the error of scikit-learn cd after 200 iterations from the same start, and 1.01 and
1.001 times the best error that any peer reached from any start. Starts lead to different local minima,
which on some text sets differ by more than 0.1 %; the last column therefore looks at each start for itself.
A run that does not get to a target counts at its time limit.
"""

from collections import defaultdict
from dataclasses import dataclass
from math import exp, log
from statistics import median

from catalogue import BY_NAME

REFERENCE = "scikit-learn:cd"
REFERENCE_ITERATION = 200
BUSY = 0.2
TARGETS = {
    "cd200": "cd's error after 200 iterations",
    "1%": "best + 1 %",
    "0.1%": "best + 0.1 %",
    "0.1% of start": "best of the start + 0.1 %",
}


@dataclass(frozen=True)
class Time:
    """Seconds to a target, or the time limit if it was not reached."""

    seconds: float
    reached: bool


@dataclass(frozen=True)
class Times:
    """The same over all starts of a problem."""

    each: list[Time]

    @property
    def median(self) -> float:
        return median(time.seconds for time in self.each)

    @property
    def reached(self) -> int:
        return sum(time.reached for time in self.each)

    @property
    def is_limit(self) -> bool:
        """The median is, in whole or in part, a time limit."""
        return 2 * self.reached <= len(self.each)

    def text(self) -> str:
        if self.reached == 0:
            return f"> {self.median:.3g}"
        low, high = min(time.seconds for time in self.each), max(time.seconds for time in self.each)
        spread = f" ({low:.3g}..{high:.3g})" if len(self.each) > 1 else ""
        missed = "" if self.reached == len(self.each) else f" [{self.reached} of {len(self.each)}]"
        return f"{'> ' if self.is_limit else ''}{self.median:.3g}{spread}{missed}"

    def record(self) -> dict:
        return {"median": self.median, "reached": self.reached, "each": [vars(time) for time in self.each]}


@dataclass(frozen=True)
class Ratio:
    """How many times longer the other takes; a bound if a median is a time limit."""

    value: float
    mark: str

    def text(self) -> str:
        return f"{self.mark}{self.value:.3g}"


def is_ours(peer: str) -> bool:
    return peer.startswith("anmf:")


def time_to(run: dict, target: float) -> Time:
    for _, seconds, error in run["curve"]:
        if error <= target:
            return Time(seconds, True)
    return Time(run["limit_seconds"], False)


def reference_error(run: dict) -> float:
    """After iteration 200, or at the end of a run that did not get so far."""
    errors = [error for iteration, _, error in run["curve"] if iteration <= REFERENCE_ITERATION]
    return errors[-1]


def geometric_mean(values) -> float:
    return exp(sum(map(log, values)) / len(values))


class ProblemReport:
    """All figures of one problem. Takes the runs of that problem."""

    def __init__(self, runs: list[dict]):
        self.best = min(error for run in runs for *_, error in run["curve"])
        self.starts = sorted({run["start"] for run in runs})
        self._best_of_start = {
            start: min(error for run in runs if run["start"] == start for *_, error in run["curve"])
            for start in self.starts
        }
        self._reference = {run["start"]: reference_error(run) for run in runs if run["peer"] == REFERENCE}
        self.reference_is_short = any(
            run["curve"][-1][0] < REFERENCE_ITERATION for run in runs if run["peer"] == REFERENCE
        )
        self._runs: dict[str, list[dict]] = defaultdict(list)
        for run in runs:
            self._runs[run["peer"]].append(run)
        self.rank, self.limit = runs[0]["rank"], runs[0]["limit_seconds"]
        self.peers = list(self._runs)
        self.times = {peer: self._times(peer) for peer in self.peers}

    def _times(self, peer: str) -> dict[str, Times]:
        runs = self._runs[peer]
        times = {
            "1%": Times([time_to(run, 1.01 * self.best) for run in runs]),
            "0.1%": Times([time_to(run, 1.001 * self.best) for run in runs]),
            "0.1% of start": Times([time_to(run, 1.001 * self._best_of_start[run["start"]]) for run in runs]),
        }
        compared = [run for run in runs if run["start"] in self._reference]
        if compared:
            times["cd200"] = Times([time_to(run, self._reference[run["start"]]) for run in compared])
        return times

    def seconds_per_iteration(self, peer: str) -> float:
        return median(run["curve"][-1][1] / max(run["curve"][-1][0], 1) for run in self._runs[peer])

    def final_error(self, peer: str) -> float:
        return median(run["curve"][-1][2] for run in self._runs[peer])

    def peak_mb(self, peer: str) -> float:
        return max(run["peak_mb"] for run in self._runs[peer])

    def best_peer(self, target: str) -> str | None:
        """The fastest of the others by the median; if all are at the limit, the one with the least error."""
        others = [peer for peer in self.peers if not is_ours(peer) and target in self.times[peer]]

        def order(peer: str) -> tuple[float, float]:
            times = self.times[peer][target]
            return (self.limit if times.is_limit else times.median, self.final_error(peer))

        return min(others, key=order, default=None)

    def ratio(self, ours: str, other: str | None, target: str) -> Ratio | None:
        """None if either did not run, or if neither got there."""
        mine, theirs = self.times.get(ours, {}).get(target), self.times.get(other, {}).get(target)
        if mine is None or theirs is None or (mine.is_limit and theirs.is_limit) or mine.median == 0:
            return None
        mark = "< " if mine.is_limit else "> " if theirs.is_limit else ""
        return Ratio(theirs.median / mine.median, mark)

    def record(self) -> dict:
        return {
            "rank": self.rank,
            "limit_seconds": self.limit,
            "best_error": self.best,
            "starts": self.starts,
            "peers": {
                peer: {
                    "seconds_per_iteration": self.seconds_per_iteration(peer),
                    "final_error": self.final_error(peer),
                    "peak_mb": self.peak_mb(peer),
                    "times": {target: times.record() for target, times in self.times[peer].items()},
                }
                for peer in self.peers
            },
        }


def by_problem(runs: list[dict]) -> dict[str, ProblemReport]:
    grouped: dict[str, list[dict]] = defaultdict(list)
    for run in runs:
        grouped[run["problem"]].append(run)
    return {problem: ProblemReport(runs) for problem, runs in grouped.items()}


def summary_table(reports: dict[str, ProblemReport], ours: str) -> list[str]:
    """One line per problem: the ratios against scikit-learn cd and against the best of all peers."""
    head = ["problem", f"{REFERENCE}: to its error after 200"]
    for target in ("1%", "0.1%"):
        head += [f"{REFERENCE}: {TARGETS[target]}", f"best peer: {TARGETS[target]}", "which"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    columns: dict[int, list[float]] = defaultdict(list)

    for problem, report in reports.items():
        cells: list[Ratio | str | None] = [report.ratio(ours, REFERENCE, "cd200")]
        for target in ("1%", "0.1%"):
            best = report.best_peer(target)
            cells += [report.ratio(ours, REFERENCE, target), report.ratio(ours, best, target), best or "-"]
        for column, cell in enumerate(cells):
            if isinstance(cell, Ratio) and not BY_NAME[problem].generated:
                columns[column].append(cell.value)
        texts = [cell.text() if isinstance(cell, Ratio) else cell or "-" for cell in cells]
        lines.append(f"| {problem}, r = {report.rank} | " + " | ".join(texts) + " |")
    means = [f"{geometric_mean(columns[i]):.3g}" if columns[i] else "" for i in range(len(head) - 1)]
    lines.append("| **geometric mean, the paper's sets** | " + " | ".join(means) + " |")
    return lines


def problem_table(problem: str, report: ProblemReport) -> list[str]:
    number = len(report.starts)
    lines = [
        f"### {problem}, r = {report.rank}",
        "",
        f"Starts: {number}, {report.limit:g} s each. Best relative error: {report.best:.6f}.",
    ]
    if report.reference_is_short:
        lines.append(
            f"{REFERENCE} did not get to 200 iterations in that time: its last error takes their place."
        )
    lines += [
        "",
        "| peer | s / iteration | " + " | ".join(TARGETS.values()) + " | error at the end | peak MB |",
        "|---|---|" + "---|" * len(TARGETS) + "---|---|",
    ]
    for peer in sorted(report.peers, key=lambda peer: report.times[peer]["0.1%"].median):
        times = [
            report.times[peer][target].text() if target in report.times[peer] else "-" for target in TARGETS
        ]
        lines.append(
            f"| {peer} | {report.seconds_per_iteration(peer):.3g} | {' | '.join(times)} "
            f"| {report.final_error(peer):.6f} | {report.peak_mb(peer):.0f} |"
        )
    return lines


def disturbed(runs: list[dict]) -> list[str]:
    """A sentence if other programs kept the processors busy: threaded peers then suffer out of proportion."""
    busy = [run["busy_with_others"] for run in runs if run["busy_with_others"] > BUSY]
    if not busy:
        return []
    much = f"more than {BUSY:g} processors, up to {max(busy):.1f}"
    return [f"The machine was not quiet: during {len(busy)} of {len(runs)} runs other programs used {much}."]


def markdown(runs: list[dict], machine: dict, versions: dict[str, str], sentences: list[str]) -> str:
    reports = by_problem(runs)
    ours = next((run["peer"] for run in runs if is_ours(run["peer"])), "anmf:auto")
    threads = sorted({run["threads"] for run in runs})
    lines = [
        f"{machine['cpu']}, {machine['cores']} cores, {machine['memory']}.",
        f"Threads: {', '.join(map(str, threads))}. {machine['date']}, commit {machine['commit']}.",
        "",
        "Versions: " + ", ".join(f"{peer}: {version}" for peer, version in versions.items()) + ".",
        "",
        *(f"- {sentence}" for sentence in sentences),
        "",
        f"How many times longer than {ours}, as a ratio of medians over the starts.",
        "`>`: the other's median is the time limit; `<`: ours is; `-`: both are.",
        "",
        *summary_table(reports, ours),
        "",
        "Seconds: median over the starts (least..most). `[k of n]`: k runs got there; `>`: at most half did.",
        "Runs that did not get there count at their time limit.",
    ]
    for problem, report in reports.items():
        lines += ["", *problem_table(problem, report)]
    return "\n".join(lines) + "\n"
