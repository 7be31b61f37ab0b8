#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kullback-Leibler: anmf beside scikit-learn's NMF(solver="mu") and beside its own multiplicative updates.

From the same starts, in float64: the time until scikit-learn's divergence after 200 iterations is reached, and that to
within 1 % and 0.1 % of the best divergence that any of our runs found from the start. Times begin with the matrix in
memory; those of anmf include its checks, the transpose of a sparse matrix and the start of a run. One and two threads
take turns from every start. Medians over the starts. scikit-learn's runs take minutes, so their outcomes are kept in
scikit-learn.json beside the start factors.

On a machine that others use as well, --processor compares one thread with one thread by seconds of the processor.

fastTopics and NNLM, which minimise the same loss, are R packages outside Debian: they are not measured here.
"""

import argparse
import json
import math
import os
import statistics
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "peers"))
import machine
import peer
import sets
from sets import BY_NAME, FOLDER, SETS, paths

OURS = ("a-mu", "e-a-mu")
QUICK_SHARE = 0.25  # of the seconds of a run


def reached(trace, target: float) -> tuple[float, float]:
    """Seconds by the clock and of the processor until the divergence is at most the target."""
    return next(((t, used) for t, used, value in trace if value <= target), (math.inf, math.inf))


def measure(one, data: Path, starts: range, share: float) -> dict:
    sets.make(one, data)
    matrix = sets.load(one, data)
    threads_of_peer = (1,) if one.sparse else (1, 2)  # its products with sparse matrices know one thread
    rows = []
    for start in starts:
        outcomes = [peer.run(one, matrix, data, start, team) for team in threads_of_peer]
        target = outcomes[0]["divergence"]
        limit = share * one.seconds
        two = sets.traces(one, data, start, ("auto", *OURS), 2, ("--seconds", limit))
        best = min(trace[-1][2] for trace in two.values())
        single = sets.traces(
            one, data, start, ("auto",), 1, ("--seconds", 3 * limit, "--until", repr(min(1.001 * best, target)))
        )["auto"]
        last = min(len(single), len(two["auto"])) - 1
        rows.append(
            {
                "start": start,
                "best": best,
                "to scikit-learn": {1: reached(single, target), 2: reached(two["auto"], target)},
                "to 1 %": {name: reached(trace, 1.01 * best)[0] for name, trace in two.items()},
                "to 0.1 %": {name: reached(trace, 1.001 * best)[0] for name, trace in two.items()},
                "one thread to 1 %": reached(single, 1.01 * best)[0],
                "one thread to 0.1 %": reached(single, 1.001 * best)[0],
                "two threads over one": (single[last][0] - single[0][0]) / (two["auto"][last][0] - two["auto"][0][0]),
                "iterations": len(two["auto"]) - 1,
            }
        )
        print(
            f"{one.name}, start {start}: scikit-learn's divergence after {rows[-1]['to scikit-learn']} s.", flush=True
        )
    theirs = {team: peer.fastest(one, team) for team in threads_of_peer}
    return {
        "name": one.name,
        "rank": one.rank,
        "sparse": one.sparse,
        "seconds": share * one.seconds,
        "scikit-learn": {1: theirs[1], 2: theirs.get(2, theirs[1])},
        "starts": rows,
    }


def measure_processor(one, data: Path, starts: range, share: float) -> dict:
    """The same on one thread, by seconds of the processor."""
    sets.make(one, data)
    matrix = sets.load(one, data)
    limit = share * one.seconds
    rows = []
    for start in starts:
        target = peer.run(one, matrix, data, start, 1)["divergence"]
        traces = sets.traces(one, data, start, ("auto", *OURS), 1, ("--seconds", limit, "--processor"))
        best = min(trace[-1][2] for trace in traces.values())
        rows.append(
            {
                "start": start,
                "best": best,
                "to scikit-learn": reached(traces["auto"], target)[1],
                "to 1 %": {name: reached(trace, 1.01 * best)[1] for name, trace in traces.items()},
                "to 0.1 %": {name: reached(trace, 1.001 * best)[1] for name, trace in traces.items()},
                "above at the end": {name: trace[-1][2] / best - 1 for name, trace in traces.items()},
            }
        )
        print(f"{one.name}, start {start}: {rows[-1]}", flush=True)
    theirs = peer.fastest(one, 1)["processor_seconds"]
    return {
        "name": one.name,
        "rank": one.rank,
        "sparse": one.sparse,
        "seconds": limit,
        "timed": one.timed,
        "scikit-learn": theirs,
        "times sooner": [theirs / row["to scikit-learn"] for row in rows],
        "starts": rows,
    }


def processor_table(results: list[dict]) -> str:
    lines = ["| data | r | starts | scikit-learn, s | anmf, s | times sooner |", "|---|---|---|---|---|---|"]
    for result in results:
        ours = statistics.median(row["to scikit-learn"] for row in result["starts"])
        few = "" if result["timed"] == peer.ITERATIONS else f", from {result['timed']} iterations"
        lines.append(
            f"| {result['name']} | {result['rank']} | {len(result['starts'])} | {result['scikit-learn']:.3g}{few} |"
            f" {ours:.3g} | {span(result['times sooner'])} |"
        )
    for kind in (True, False):
        medians = [statistics.median(result["times sooner"]) for result in results if result["sparse"] == kind]
        if medians:
            mean = statistics.geometric_mean(medians)
            lines.append(f"| geometric mean, {'sparse' if kind else 'dense'} | | | | | {mean:.0f} |")
    lines += [
        "",
        "| data | to 1 %: auto, s | a-mu | e-a-mu | times sooner | to 0.1 %: auto, s | a-mu | e-a-mu | times sooner |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for result in results:
        rows, limit = result["starts"], result["seconds"]
        line = f"| {result['name']} |"
        for gap in ("to 1 %", "to 0.1 %"):
            for name in ("auto", *OURS):
                line += f" {seconds(statistics.median(row[gap][name] for row in rows), limit)} |"
            line += f" {times_sooner(rows, gap, limit)} |"
        lines.append(line)
    return "\n".join(lines) + "\n"


def to_peer(result: dict, threads: int) -> list[float]:
    """How many times sooner than scikit-learn from every start; for one thread by the processor's time."""
    kind = 1 if threads == 1 else 0
    theirs = result["scikit-learn"][threads]["processor_seconds" if kind else "seconds"]
    return [theirs / row["to scikit-learn"][threads][kind] for row in result["starts"]]


def against_mu(row: dict, gap: str) -> float:
    """How many times sooner than the faster of our own accelerated multiplicative updates."""
    return min(row[gap][name] for name in OURS) / row[gap]["auto"]


def seconds(value: float, limit: float) -> str:
    return f"> {limit:.3g}" if math.isinf(value) else f"{value:.3g}"


def span(values: list[float]) -> str:
    return f"{statistics.median(values):.0f} ({min(values):.0f} to {max(values):.0f})"


def table(results: list[dict]) -> str:
    lines = [
        "| data | r | scikit-learn, s | anmf, s | two threads, s | times sooner, processor | times sooner, two threads"
        " | two threads over one |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for result in results:
        rows = result["starts"]
        middle = {team: statistics.median(row["to scikit-learn"][team][0] for row in rows) for team in (1, 2)}
        lines.append(
            f"| {result['name']} | {result['rank']} |"
            f" {result['scikit-learn'][2]['seconds']:.3g} |"
            f" {seconds(middle[1], 3 * result['seconds'])} | {seconds(middle[2], result['seconds'])} |"
            f" {span(to_peer(result, 1))} | {span(to_peer(result, 2))} |"
            f" {statistics.median(row['two threads over one'] for row in rows):.2f} |"
        )
    for kind in (True, False):
        of_kind = [result for result in results if result["sparse"] == kind]
        if of_kind:
            means = [
                statistics.geometric_mean(statistics.median(to_peer(result, team)) for result in of_kind)
                for team in (1, 2)
            ]
            lines.append(
                f"| geometric mean, {'sparse' if kind else 'dense'} | | | | | {means[0]:.0f} | {means[1]:.0f} | |"
            )
    lines += [
        "",
        "| data | to 1 %: one thread, s | two threads, s | a-mu | e-a-mu | times sooner | to 0.1 %: one thread, s |"
        " two threads, s | a-mu | e-a-mu | times sooner |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for result in results:
        rows, limit = result["starts"], result["seconds"]
        line = f"| {result['name']} |"
        for gap in ("to 1 %", "to 0.1 %"):
            line += f" {seconds(statistics.median(row[f'one thread {gap}'] for row in rows), 3 * limit)} |"
            for name in ("auto", *OURS):
                line += f" {seconds(statistics.median(row[gap][name] for row in rows), limit)} |"
            line += f" {times_sooner(rows, gap, limit)} |"
        lines.append(line)
    return "\n".join(lines) + "\n"


def times_sooner(rows: list[dict], gap: str, limit: float) -> str:
    """The median; at least so many where multiplicative updates did not get there in time."""
    ratios = [against_mu(row, gap) for row in rows if not math.isinf(row[gap]["auto"])]
    if not ratios:
        return "-"
    if not math.isinf(statistics.median(ratios)):
        return f"{statistics.median(ratios):.1f}"
    return f"> {limit / statistics.median(row[gap]['auto'] for row in rows):.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BY_NAME)} (default: all)")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ANMF_DATA", paths.DATA)))
    parser.add_argument("--starts", type=int, metavar="N", help="(default: 5, or 1 with --quick)")
    parser.add_argument("--quick", action="store_true", help="small sets, one start, short runs: minutes")
    parser.add_argument("--processor", action="store_true", help="one thread, by seconds of the processor")
    parser.add_argument("--share", type=float, metavar="S", help="of the usual length of our runs (default: 1)")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - BY_NAME.keys():
        parser.error(f"{', '.join(sorted(unknown))}: choose of {', '.join(BY_NAME)}")
    chosen = [BY_NAME[name] for name in arguments.names] or [one for one in SETS if not (arguments.quick and one.slow)]
    starts = range(1, (arguments.starts or (1 if arguments.quick else 5)) + 1)
    results = []
    for one in chosen:
        if not one.generated and not one.file(arguments.data).exists():
            print(
                f"{one.name} is not in {arguments.data}: skipped. --data names the folder.", file=sys.stderr, flush=True
            )
            continue
        share = arguments.share or (QUICK_SHARE if arguments.quick else 1)
        compare = measure_processor if arguments.processor else measure
        results.append(compare(one, arguments.data, starts, share))
    about = machine.describe()
    text = (
        f"scikit-learn {peer.sklearn.__version__}, {about['cpu']}, {about['cores']} cores, load"
        f" {about['load_average'][0]:.1f} at the end; {len(starts)} starts. fastTopics and NNLM: not measured.\n\n"
        + (processor_table(results) if arguments.processor else table(results))
    )
    FOLDER.mkdir(parents=True, exist_ok=True)
    stem = "losses-processor" if arguments.processor else "losses"
    (paths.BENCH / f"{stem}.md").write_text(text)
    (paths.BENCH / f"{stem}.json").write_text(json.dumps({"machine": about, "results": results}, indent=1) + "\n")
    print(text + f"\nWrote {paths.BENCH / stem}.md and {stem}.json.")


if __name__ == "__main__":
    main()
