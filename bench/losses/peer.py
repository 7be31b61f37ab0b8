# SPDX-License-Identifier: MIT
"""scikit-learn's NMF(solver="mu", beta_loss="kullback-leibler"): 200 iterations from a given start.

Its runs take minutes where ours take tenths of a second, so what they gave is kept in scikit-learn.json. What an
iteration costs does not depend on the start: the fastest run on a matrix counts for all of them. On the larger matrices
some of the iterations are timed, and the divergence after 200 is that of our own `mu`, which has scikit-learn's
iterates; that it has is seen where all of them are.
"""

import json
import time
import warnings
from pathlib import Path

import sets
import sklearn
import sklearn.decomposition
import threadpoolctl

ITERATIONS = 200
RESULTS = sets.FOLDER / "scikit-learn.json"


def kept() -> dict[str, dict]:
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def prefix(one: sets.Set) -> str:
    return f"{one.name} r={one.rank} scikit-learn={sklearn.__version__} "


def fastest(one: sets.Set, threads: int) -> dict[str, float]:
    """Seconds by the clock and of the processor; with one thread the clock need not have shown more."""
    runs = [run for name, run in kept().items() if name.startswith(prefix(one)) and name.endswith(f"threads={threads}")]
    least = {kind: min(run[kind] for run in runs) for kind in ("seconds", "processor_seconds")}
    return {kind: min(least.values()) for kind in least} if threads == 1 else least


def own_divergence(one: sets.Set, data: Path, start: int) -> float:
    """That of our own `mu` after as many iterations; from the file if it is there."""
    name = f"{one.name} r={one.rank} start={start} mu"
    if found := kept().get(name):
        return found["divergence"]
    more = ("--iterations", ITERATIONS, "--seconds", 1e6)
    divergence = sets.traces(one, data, start, ("mu",), 2, more)["mu"][-1][2]
    keep(name, {"divergence": divergence})
    return divergence


def keep(name: str, outcome: dict) -> None:
    results = kept() | {name: outcome}
    sets.problems.save_whole(RESULTS, lambda file: Path(file).write_text(json.dumps(results, indent=1) + "\n"))


def run(one: sets.Set, matrix, data: Path, start: int, threads: int) -> dict:
    """Seconds by the clock and of the processor, and the divergence; from the file if it is there."""
    name = f"{prefix(one)}start={start} threads={threads}"
    if found := kept().get(name):
        return found
    W, H = sets.start_factors(one, matrix, start)
    model = sklearn.decomposition.NMF(
        one.rank, init="custom", solver="mu", beta_loss="kullback-leibler", tol=0, max_iter=one.timed
    )
    with warnings.catch_warnings(), threadpoolctl.threadpool_limits(threads):
        warnings.simplefilter("ignore")  # that it has not converged
        begin, used = time.perf_counter(), time.process_time()
        W = model.fit_transform(matrix, W=W, H=H)
        spent = {"seconds": time.perf_counter() - begin, "processor_seconds": time.process_time() - used}
    outcome = {kind: value * ITERATIONS / one.timed for kind, value in spent.items()}
    if one.timed == ITERATIONS:
        outcome["divergence"] = sets.divergence(matrix, W, model.components_)
    else:
        outcome["divergence"] = own_divergence(one, data, start)
    keep(name, outcome)
    print(f"{name}: {outcome['seconds']:.3g} s, {outcome['processor_seconds']:.3g} s of the processor", flush=True)
    return outcome
