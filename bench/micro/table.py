# SPDX-License-Identifier: MIT
"""From the results of the micro benchmarks to a Markdown page. Needs the standard library only.

    python3 bench/micro/table.py micro.json micro.md

100 % is the peak: multiply-adds in registers or gemm, whichever made more on as many threads, by its best
repetition. The best and the median of everything else are both compared with that best. A yardstick is what the
machine can do, and whatever disturbs it makes it look slower, never faster; a median of its own would fall with
the disturbance, and shares would come out above what is possible. Bandwidths are taken in the same way. The
shares, the processor and the load after the run are also added to the JSON file.
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
SUFFIXES = ("real_time", "manual_time", "iterations:", "min_time:", "repeats:")
GEMM = {"double": "dgemm", "float": "sgemm"}
BELIEVABLE = 1.05  # a share above it says that the yardstick is wrong


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

    def peak(self, precision: str, threads: int) -> float | None:
        names = (f"yardstick/{what}/{precision}/threads:{threads}" for what in ("peak", "gemm"))
        return max((rate for name in names if (rate := self.gflops(name)) is not None), default=None)

    def peak_share(self, name: str, pick=max) -> float | None:
        return ratio(self.gflops(name, pick), self.peak(precision_of(name), threads_of(name)))

    def read_share(self, name: str, pick=max) -> float | None:
        read = self.gbytes(f"yardstick/read/threads:{threads_of(name)}")
        return ratio(self.gbytes(name, pick), read)


def precision_of(name: str) -> str:
    return "float" if "/float" in name else "double"


def threads_of(name: str) -> int:
    return int(name.rsplit("threads:", 1)[1]) if "threads:" in name else 1


def ratio(a: float | None, b: float | None) -> float | None:
    return a / b if a is not None and b is not None else None


def percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f} %"


def number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def on(threads: int) -> str:
    return "1 thread" if threads == 1 else f"{threads} threads"


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """A Markdown table; rows without a single figure are left out."""
    kept = [row for row in rows if any(set(cell) - set("- /") for cell in row[1:])]
    if not kept:
        return ["not measured", ""]
    rule = ["---", *["---:"] * (len(head) - 1)]
    return [*("| " + " | ".join(row) + " |" for row in [head, rule, *kept]), ""]


def yardsticks(results: Results) -> list[str]:
    arithmetic = [
        (f"{what}, {on(threads)}, GFLOP/s", results.gflops, f"yardstick/{family}/{precision}/threads:{threads}")
        for precision in TYPES
        for family, what in (
            ("peak", f"multiply-adds in registers, {precision}"),
            ("gemm", f"{GEMM[precision]} 2000 x 2000"),
        )
        for threads in THREADS
    ]
    memory = [
        (f"memory, {what}, {on(threads)}, GB/s", results.gbytes, f"yardstick/{what}/threads:{threads}")
        for what in ("read", "triad")
        for threads in THREADS
    ]
    cache = (f"second-level cache, read, {on(1)}, GB/s", results.gbytes, "yardstick/read-cached/threads:1")
    rows = [
        [what, *(number(rate(name, pick), 1) for pick in (max, median))]
        for what, rate, name in [*arithmetic, *memory, cache]
    ]
    return table(["yardstick", "best", "median"], rows)


def hundred_percent(results: Results) -> str:
    peaks = [
        f"{number(results.peak(precision, threads), 1)} GFLOP/s in {precision} on {on(threads)}"
        for precision in TYPES
        for threads in THREADS
    ]
    return f"100 % is the larger of multiply-adds in registers and gemm, at its best: {', '.join(peaks)}."


def iteration_cost(results: Results, precision: str, threads: int, pick) -> float | None:
    """Time of one outer iteration over the time of its flops at the peak."""
    return ratio(1.0, results.peak_share(f"iteration/a-hals/{precision}/r:60/threads:{threads}", pick))


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
            shares = [percent(results.peak_share(name, pick)) for pick in (max, median)]
            rows.append([f"{rule.upper()} sweep, {precision}, r = {rank}, share", *shares, goal])
    matrix = results.rates["iteration/a-hals/double/r:60/threads:1"].label
    for precision in TYPES:
        what = f"a-hals iteration ({matrix}, r = 60, {precision})"
        for threads in THREADS:
            costs = [number(iteration_cost(results, precision, threads, pick)) for pick in (max, median)]
            rows.append([f"{what}, {on(threads)}, time over flops at 100 %", *costs, "<= 1.35"])
        gains = [number(iteration_speedup(results, precision, pick)) for pick in (max, median)]
        rows.append([f"{what}, speed-up from 1 to 2 threads", *gains, ">= 1.75"])
    return table(["figure", "best", "median", "goal"], [row for row in rows if row[1] != "-"])


def ranks_of(results: Results, prefix: str) -> list[int]:
    found = {name.split("/r:")[1].split("/")[0] for name in results.rates if name.startswith(prefix)}
    return sorted(int(rank) for rank in found)


def rate_and_share(results: Results, name: str) -> str:
    return f"{number(results.gflops(name), 1)} / {percent(results.peak_share(name))}"


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
            rows.append([str(rank), *(rate_and_share(results, name) for name in names)])
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


def unbelievable(results: Results) -> list[str]:
    """A sentence on shares that no machine can have, if there are any."""
    shares = {name: results.peak_share(name) for name in results.rates if not name.startswith("yardstick/")}
    above = [f"{name} {percent(share)}" for name, share in shares.items() if share and share > BELIEVABLE]
    if not above:
        return []
    return [f"The yardsticks were disturbed, measure again, since this cannot be: {', '.join(above)}.", ""]


def page(document: dict, results: Results) -> str:
    def cell(name: str) -> str:
        return rate_and_share(results, name)

    def memory_cell(name: str) -> str:
        return f"{cell(name)} / {number(results.read_share(name), 1)}"

    context = document["context"]
    loads = " to ".join(f"{load:.2f}" for load in (context["load_avg"][0], context["load_avg_after"][0]))
    return "\n".join([
        f"{context['cpu']}, {context['num_cpus']} cores, {context['date'][:10]}, load average {loads}.",
        "",
        *yardsticks(results),
        hundred_percent(results),
        "",
        *unbelievable(results),
        *goals(results),
        "Sweeps on 1 or 2 threads, best, GFLOP/s / share:",
        "",
        *sweep_tables(results),
        "Dense products (W: M H', H: M' W), best, GFLOP/s / share:",
        "",
        *product_table(results, "dense/", cell),
        "Sparse products, best, GFLOP/s / share / multiple of the memory's read bandwidth:",
        "",
        *product_table(results, "sparse/", memory_cell),
        "Gram matrices (10000 x r, one triangle), best, the same three:",
        "",
        *product_table(results, "gram/", memory_cell),
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
        peak = results.peak(precision_of(name), threads_of(name))
        read = results.gbytes(f"yardstick/read/threads:{threads_of(name)}")
        shares = (("gflops", "share_of_peak", peak), ("gbytes", "share_of_read", read))
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
