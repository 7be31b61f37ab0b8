# SPDX-License-Identifier: MIT
"""scikit-learn's NMF(solver="mu", beta_loss="kullback-leibler"): 200 iterations from a given start.

Its runs take minutes where ours take tenths of a second, so what they gave is kept in scikit-learn.json.
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


def key(one: sets.Set, start: int, threads: int) -> str:
    return f"{one.name} r={one.rank} start={start} threads={threads} scikit-learn={sklearn.__version__}"


def run(one: sets.Set, matrix, start: int, threads: int) -> dict:
    """Seconds by the clock and of the processor, and the divergence; from the file if it is there."""
    name = key(one, start, threads)
    if found := kept().get(name):
        return found
    W, H = sets.start_factors(one, matrix, start)
    model = sklearn.decomposition.NMF(
        one.rank, init="custom", solver="mu", beta_loss="kullback-leibler", tol=0, max_iter=ITERATIONS
    )
    with warnings.catch_warnings(), threadpoolctl.threadpool_limits(threads):
        warnings.simplefilter("ignore")  # that it has not converged
        begin, used = time.perf_counter(), time.process_time()
        W = model.fit_transform(matrix, W=W, H=H)
        outcome = {"seconds": time.perf_counter() - begin, "processor_seconds": time.process_time() - used}
    outcome["divergence"] = sets.divergence(matrix, W, model.components_)
    results = kept() | {name: outcome}
    sets.problems.save_whole(RESULTS, lambda file: Path(file).write_text(json.dumps(results, indent=1) + "\n"))
    print(f"{name}: {outcome['seconds']:.2f} s, {outcome['processor_seconds']:.2f} s of the processor", flush=True)
    return outcome
