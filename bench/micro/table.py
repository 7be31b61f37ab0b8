# SPDX-License-Identifier: MIT
"""From the results of the micro benchmarks to a Markdown page. Needs the standard library only.

    python3 bench/micro/table.py micro.json micro.md

The best of all repetitions is compared with the best of the yardstick, the median with the median. Rates on
several threads are compared with as many times the rate of gemm on one, and with the bandwidth measured on as
many. The shares, the processor and the load after the run are also added to the JSON file.
"""

import json
import os
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

RANKS = (32, 60, 128)
THREADS = (1, 2)
TYPES = ("double", "float")
SUFFIXES = ("real_time", "manual_time", "iterations:", "repeats:")


@dataclass
class Rates:
    """What the repetitions of one benchmark reached, per second."""

    gflops: list[float] = field(default_factory=list)
    gbytes: list[float] = field(default_factory=list)
    label: str = ""


class Results:
    """All benchmarks by their name, without the settings that the library appends to it."""

    def __init__(self, document: dict) -> None:
        self.rates: dict[str, Rates] = defaultdict(Rates)
        self.runs = [run for run in document["benchmarks"] if run["run_type"] == "iteration"]
        for run in self.runs:
            rates = self.rates[self.name(run)]
            if "gflops" in run:
                rates.gflops.append(run["gflops"])
            if "gbytes" in run:
                rates.gbytes.append(run["gbytes"])
            rates.label = run.get("label", "")

    @staticmethod
    def name(run: dict) -> str:
        parts = run["name"].split("/")
        return "/".join(part for part in parts if not part.startswith(SUFFIXES))

    def gflops(self, name: str, pick=max) -> float | None:
        values = self.rates[name].gflops if name in self.rates else []
        return pick(values) if values else None

    def gbytes(self, name: str, pick=max) -> float | None:
        values = self.rates[name].gbytes if name in self.rates else []
        return pick(values) if values else None

    def gemm_share(self, name: str, pick=max) -> float | None:
        """The rate as a part of what gemm would reach on as many threads."""
        gemm = self.gflops(f"yardstick/gemm/{precision_of(name)}", pick)
        return ratio(self.gflops(name, pick), times(threads_of(name), gemm))

    def read_share(self, name: str, pick=max) -> float | None:
        read = self.gbytes(f"yardstick/read/threads:{threads_of(name)}", pick)
        return ratio(self.gbytes(name, pick), read)


def precision_of(name: str) -> str:
    return "float" if "/float" in name else "double"


def threads_of(name: str) -> int:
    return int(name.rsplit("threads:", 1)[1]) if "threads:" in name else 1


def ratio(a: float | None, b: float | None) -> float | None:
    return a / b if a is not None and b is not None else None


def times(factor: float, a: float | None) -> float | None:
    return factor * a if a is not None else None


def percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f} %"


def number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def on(threads: int) -> str:
    return "1 thread" if threads == 1 else f"{threads} threads"


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """A Markdown table; rows without a single figure are left out."""
    kept = [row for row in rows if any(cell not in ("-", "- / -") for cell in row[1:])]
    if not kept:
        return ["not measured", ""]
    rule = ["---", *["---:"] * (len(head) - 1)]
    return [*("| " + " | ".join(row) + " |" for row in [head, rule, *kept]), ""]


def yardsticks(results: Results) -> list[str]:
    rows = []
    for name, precision in (("dgemm", "double"), ("sgemm", "float")):
        values = [results.gflops(f"yardstick/gemm/{precision}", pick) for pick in (max, median)]
        rows.append([f"{name} 2000 x 2000, {on(1)}, GFLOP/s", *(number(value, 1) for value in values)])
    for what in ("read", "triad"):
        for threads in THREADS:
            values = [results.gbytes(f"yardstick/{what}/threads:{threads}", pick) for pick in (max, median)]
            rows.append([f"memory, {what}, {on(threads)}, GB/s", *(number(value, 1) for value in values)])
    values = [results.gbytes("yardstick/read-cached/threads:1", pick) for pick in (max, median)]
    rows.append([f"second-level cache, read, {on(1)}, GB/s", *(number(value, 1) for value in values)])
    return table(["yardstick", "best", "median"], rows)


def iteration_cost(results: Results, precision: str, threads: int, pick) -> float | None:
    """Time of one outer iteration over the time of its flops at the rate of gemm."""
    return ratio(1.0, results.gemm_share(f"iteration/a-hals/{precision}/r:60/threads:{threads}", pick))


def iteration_speedup(results: Results, precision: str, pick) -> float | None:
    one, two = (f"iteration/a-hals/{precision}/r:60/threads:{threads}" for threads in THREADS)
    return ratio(results.gflops(two, pick), results.gflops(one, pick))


def goals(results: Results) -> list[str]:
    rows = []
    sweeps = (("hals", "double", ">= 60 %"), ("hals", "float", ">= 55 %"), ("mu", "double", ">= 50 %"),
              ("mu", "float", ">= 50 %"))  # fmt: skip
    for rule, precision, goal in sweeps:
        for rank in RANKS:
            name = f"{rule}/sweep/{precision}/r:{rank}/threads:1"
            shares = [percent(results.gemm_share(name, pick)) for pick in (max, median)]
            rows.append([f"{rule.upper()} sweep, {precision}, r = {rank}, share of gemm", *shares, goal])
    matrix = results.rates["iteration/a-hals/double/r:60/threads:1"].label
    for precision in TYPES:
        what = f"a-hals iteration ({matrix}, r = 60, {precision})"
        for threads in THREADS:
            costs = [number(iteration_cost(results, precision, threads, pick)) for pick in (max, median)]
            rows.append([f"{what}, {on(threads)}, time over flops at gemm's rate", *costs, "<= 1.35"])
        gains = [number(iteration_speedup(results, precision, pick)) for pick in (max, median)]
        rows.append([f"{what}, speed-up from 1 to 2 threads", *gains, ">= 1.75"])
    return table(["figure", "best", "median", "goal"], rows)


def ranks_of(results: Results, prefix: str) -> list[int]:
    found = {name.split("/r:")[1].split("/")[0] for name in results.rates if name.startswith(prefix)}
    return sorted(int(rank) for rank in found)


def sweep_tables(results: Results) -> list[str]:
    lines = []
    for precision in TYPES:
        columns = [(rule, "sweep", t) for rule in ("hals", "mu", "pg") for t in THREADS]
        columns += [(rule, "half", t) for rule in ("hals", "mu") for t in THREADS]
        columns += [(rule, "panel", 1) for rule in ("hals", "mu", "pg")]
        head = [f"{precision}, r"] + [f"{rule} {what}, {threads}" for rule, what, threads in columns]
        rows = []
        for rank in ranks_of(results, "hals/sweep"):
            names = (f"{rule}/{what}/{precision}/r:{rank}/threads:{t}" for rule, what, t in columns)
            rows.append([str(rank), *(percent(results.gemm_share(name)) for name in names)])
        lines += table(head, rows)
    return lines


def product_table(results: Results, family: str, cell) -> list[str]:
    """One row per matrix, side and rank; one column per type and number of threads."""
    stems: dict[tuple[str, int], None] = {}
    for name in results.rates:
        if name.startswith(family):
            stem, rest = name.split("/r:")
            stems[stem.rsplit("/", 1)[0], int(rest.split("/")[0])] = None
    rows = []
    for stem, rank in sorted(stems):
        names = (f"{stem}/{p}/r:{rank}/threads:{threads}" for p in TYPES for threads in THREADS)
        rows.append([f"{stem.replace('/', ' ')}, r = {rank}", *(cell(name) for name in names)])
    return table(["product", *(f"{p}, {threads}" for p in TYPES for threads in THREADS)], rows)


def page(document: dict, results: Results) -> str:
    def sparse_cell(name: str) -> str:
        return f"{number(results.gflops(name), 1)} / {number(results.read_share(name), 1)}"

    def gram_cell(name: str) -> str:
        return f"{percent(results.gemm_share(name))} / {percent(results.read_share(name))}"

    context = document["context"]
    loads = " to ".join(f"{load:.2f}" for load in (context["load_avg"][0], context["load_avg_after"][0]))
    return "\n".join([
        f"{context['cpu']}, {context['num_cpus']} cores, {context['date'][:10]}, load average {loads}.",
        "",
        *yardsticks(results),
        *goals(results),
        "Sweeps, best, share of gemm on 1 or 2 threads:",
        "",
        *sweep_tables(results),
        "Dense products (W: M H', H: M' W), best, share of gemm:",
        "",
        *product_table(results, "dense/", lambda name: percent(results.gemm_share(name))),
        "Sparse products, best, GFLOP/s / multiple of the memory's read bandwidth:",
        "",
        *product_table(results, "sparse/", sparse_cell),
        "Gram matrices (10000 x r, one triangle), best, share of gemm / of the memory's read bandwidth:",
        "",
        *product_table(results, "gram/", gram_cell),
    ])  # fmt: skip


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


def complete(document: dict, results: Results) -> None:
    document["context"].setdefault("cpu", processor())
    document["context"].setdefault("load_avg_after", os.getloadavg())
    for run in results.runs:
        name = Results.name(run)
        gemm = times(threads_of(name), results.gflops(f"yardstick/gemm/{precision_of(name)}"))
        read = results.gbytes(f"yardstick/read/threads:{threads_of(name)}")
        shares = (("gflops", "share_of_gemm", gemm), ("gbytes", "share_of_read", read))
        for counter, share, yardstick in shares:
            if counter in run and yardstick is not None:
                run[share] = run[counter] / yardstick


def main(source: Path, target: Path) -> None:
    document = json.loads(source.read_text())
    results = Results(document)
    complete(document, results)
    source.write_text(json.dumps(document, indent=1) + "\n")
    target.write_text(page(document, results))
    print(target.read_text(), end="")


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:3]))
