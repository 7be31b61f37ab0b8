# SPDX-License-Identifier: MIT
"""What the table takes for 100 %, on figures made up here. bench/check.py runs it."""

from statistics import median

import pytest
from table import Results, complete, page

PANEL = "hals/panel/double/r:60/threads:1"
SWEEP = "hals/sweep/double/r:60/threads:2"


def document(rates: dict[str, list[float]]) -> dict:
    """As Google Benchmark writes it, with the settings that it appends to names and with its own medians."""
    runs = [
        {"name": f"{name}/repeats:{len(values)}/real_time", "run_type": "iteration", "gflops": value}
        for name, values in rates.items()
        for value in values
    ]
    runs.append({"name": f"{PANEL}/real_time_median", "run_type": "aggregate", "gflops": 1e9})
    context = {"date": "2000-01-01", "num_cpus": 2, "load_avg": [0.0], "cpu": "none", "load_avg_after": [0.0]}
    return {"context": context, "benchmarks": runs}


def yardsticks(peak: list[float], gemm: list[float], threads: int = 1) -> dict[str, list[float]]:
    return {f"yardstick/peak/double/threads:{threads}": peak, f"yardstick/gemm/double/threads:{threads}": gemm}


def test_a_slow_gemm_is_no_yardstick():
    results = Results(document(yardsticks([90, 100], [15.8]) | {PANEL: [79, 60, 20]}))
    assert results.peak_share(PANEL) == 0.79


def test_a_gemm_that_makes_more_is_the_yardstick():
    results = Results(document(yardsticks([80], [100, 90]) | {PANEL: [79]}))
    assert results.peak_share(PANEL) == 0.79


def test_a_median_is_compared_with_the_best_of_the_yardstick():
    results = Results(document(yardsticks([100, 10, 10], [9]) | {PANEL: [20, 60, 79]}))
    assert results.peak_share(PANEL, median) == 0.60


def test_two_threads_have_a_yardstick_of_their_own():
    results = Results(document(yardsticks([100], [1]) | yardsticks([160], [1], threads=2) | {SWEEP: [120]}))
    assert results.peak_share(SWEEP) == 0.75


@pytest.mark.parametrize(("rate", "possible"), [(104, True), (106, False)])
def test_a_share_that_cannot_be_is_called_so(rate, possible):
    made = document(yardsticks([100], [1]) | {PANEL: [rate]})
    results = Results(made)
    complete(made, results)
    assert made["benchmarks"][2]["share_of_peak"] == rate / 100
    assert ("The yardsticks were disturbed" not in page(made, results)) == possible


def test_without_yardsticks_there_is_no_share():
    assert Results(document({PANEL: [79]})).peak_share(PANEL) is None
