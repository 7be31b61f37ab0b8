#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""anmf.NMF beside scikit-learn's NMF on the paper's data sets, called as a user would call them.

For every data set: scikit-learn's NMF with its defaults, then anmf.NMF with its defaults but for a callback that ends
the run at scikit-learn's error; with --swap, without it: each ends where it says that it has converged, as for somebody
who changes the import and nothing else. Times are those of the whole call of fit, start factors and checks included.
The two take turns; the median of the ratios is printed with the smallest and the largest, and that of processor time.
"""

import argparse
import os
import statistics
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import sklearn.decomposition

import anmf

IMAGES = {"orl": 60, "umist": 60, "cbcl": 60, "frey": 60}
TEXTS = {"classic": 20, "reviews": 20, "hitech": 20, "ohscal": 20, "la1": 20}
PATIENCE = 60.0  # seconds after which a run that has not reached the error is given up


def load(file):
    if file.suffix == ".npy":
        return np.load(file).astype(np.float64).T  # samples are rows
    return sp.load_npz(file)


def timed_fit(model, X):
    """Wall and processor seconds, and the error."""
    begin, used = time.perf_counter(), time.process_time()
    model.fit(X)
    return (time.perf_counter() - begin, time.process_time() - used), model.reconstruction_err_


def until(target):
    """Parameters that end a run at an error."""
    return {
        "tol": 0,
        "max_iter": 10**9,
        "time_limit": PATIENCE,
        "callback": lambda state: state.error <= target,
    }


def compare(X, rank, init, repetitions, swap):
    """Seconds of both in every repetition, both errors, and scikit-learn's iterations."""
    theirs, ours = [], []
    for _ in range(repetitions):
        model = sklearn.decomposition.NMF(rank, init=init, random_state=0)
        seconds, target = timed_fit(model, X)
        theirs.append(seconds)
        stop = {} if swap else until(target)
        seconds, error = timed_fit(anmf.NMF(rank, init=init, random_state=0, **stop), X)
        ours.append(seconds)
    return theirs, ours, target, error, model.n_iter_


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [*IMAGES, *TEXTS]
    default_data = Path(__file__).parents[2] / ".." / "shared" / "data"
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)} (default: all)")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ANMF_DATA", default_data)))
    parser.add_argument("--repetitions", type=int, default=3, metavar="N")
    parser.add_argument("--init", help="of both (default: theirs, nndsvda)")
    parser.add_argument("--swap", action="store_true", help="let anmf go on to where it has converged")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(names)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: choose of {', '.join(names)}")

    warnings.simplefilter("ignore")  # scikit-learn's, that 200 iterations are not enough
    print(f"scikit-learn {sklearn.__version__}, anmf {anmf.__version__}, {os.cpu_count()} cores\n")
    print("| data | rank | error | of anmf | iterations of scikit-learn | scikit-learn, s | anmf, s | times faster |")
    print("|---|---|---|---|---|---|---|---|")
    for name in arguments.names or names:
        file = arguments.data / name / (f"{name}.npy" if name in IMAGES else f"{name}.npz")
        if not file.exists():
            print(f"{name} is not in {arguments.data}: skipped. --data names the folder.", file=sys.stderr, flush=True)
            continue
        rank = (IMAGES | TEXTS)[name]
        X = load(file)
        theirs, ours, target, error, iterations = compare(
            X, rank, arguments.init, arguments.repetitions, arguments.swap
        )
        (wall, used), (our_wall, our_used) = (zip(*seconds, strict=True) for seconds in (theirs, ours))
        ratios = sorted(a / b for a, b in zip(wall, our_wall, strict=True))
        of_processor = statistics.median(used) / statistics.median(our_used)
        ratio = f"{statistics.median(ratios):.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f}; processor {of_processor:.1f})"
        print(
            f"| {name} | {rank} | {target:.6g} | {error:.6g} | {iterations} | {statistics.median(wall):.3f} |"
            f" {statistics.median(our_wall):.3f} | {ratio if arguments.swap or error <= target else 'not reached'} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
