# SPDX-License-Identifier: MIT
"""For programs that call cNMF (``cnmf`` on PyPI, consensus NMF of single cells): its factorizations by anmf.

``patch()`` changes what ``cnmf`` calls, and every script stays as it is; ``factorize(run)`` takes the place of
``run.factorize()``, with all starts of all ranks in one process, as many at a time as there are cores. On a command
line,

python -m anmf.cnmf ARGUMENTS    is the command ``cnmf ARGUMENTS`` with ``patch()`` in force
"""

from __future__ import annotations

import functools
import glob
import importlib
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmf import _patch
from anmf._progress import Progress
from anmf._run_survey import survey
from anmf._survey import Survey

__all__ = ["factorize", "patch", "unpatch"]

_NAME = "non_negative_factorization"
#: What cNMF called before, and how it puts the files of its starts together.
_theirs: Any = None
_their_combine: Any = None
#: What cNMF's ``tol`` is multiplied with for the engine's own measure of convergence, as in ``NMF``.
_PROMISE_PER_TOL = 0.01


def non_negative_factorization(
    X: Any, W: Any = None, H: Any = None, n_components: Any = "auto", *, update_H: bool = True, **parameters: Any
) -> tuple[NDArray[Any], NDArray[Any], int]:
    """scikit-learn's function as cNMF calls it. A factorization takes one thread, since cNMF runs several workers."""
    solver, beta_loss = parameters.get("solver", "cd"), parameters.get("beta_loss", "frobenius")
    if update_H and _patch.is_ours(solver, beta_loss):
        parameters["n_threads"] = 1
    return _patch.non_negative_factorization(X, W, H, n_components, update_H=update_H, **parameters)


def patch() -> None:
    """Let anmf compute what cNMF factorizes and fits, in this process and in those that are forked from it.

    Solver "cd", cNMF's for Frobenius, becomes "e-a-hals", and "mu" the fastest for the loss. A factorization takes one
    thread, so that ``total_workers`` says how many cores are busy; a refit takes ``OMP_NUM_THREADS`` of them, or all.
    Seeds, files and every other step are cNMF's. A second call changes nothing.
    """
    global _theirs, _their_combine
    module = _cnmf()
    if getattr(module, _NAME) is not non_negative_factorization:
        _theirs, _their_combine = getattr(module, _NAME), module.cNMF.combine_nmf
        setattr(module, _NAME, non_negative_factorization)
        module.cNMF.combine_nmf = functools.wraps(_their_combine)(_combine)


def unpatch() -> None:
    """Undo ``patch``."""
    module = _cnmf()
    if getattr(module, _NAME) is non_negative_factorization:
        setattr(module, _NAME, _theirs)
        module.cNMF.combine_nmf = _their_combine


def factorize(
    run: Any,
    *,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    jobs: int = 0,
    progress: bool | Progress = False,
    **options: Any,
) -> Survey:
    """Make all starts of a cNMF object that is prepared, in the place of ``run.factorize()`` and ``run.combine()``.

    Counts, ranks, the number of starts, the loss and penalties are those of ``run.prepare``; the seed of the survey is
    cNMF's first one, and its starts have seeds of their own. The spectra of each rank are written where ``combine``
    would write them, so ``consensus`` and ``k_selection_plot`` follow; ``patch()`` is in force from here on, with which
    ``combine`` lets them be. ``out`` keeps the starts in a folder, so that an interrupted call goes on. Other
    ``options`` are those of ``anmf.survey``, whose result is returned; nothing is held out unless ``heldout`` says so.
    """
    module = _cnmf()
    patch()
    replicates = module.load_df_from_npz(run.paths["nmf_replicate_parameters"])
    parameters = _run_parameters(run)
    if parameters["init"] != "random":
        raise ValueError(f"init = {parameters['init']!r} makes all starts equal; prepare the run with init='random'.")
    counts = importlib.import_module("anndata").read_h5ad(run.paths["normalized_counts"])
    of_starts = {
        "starts": int(replicates["iter"].max()) + 1,
        "seed": int(replicates["nmf_seed"].iloc[0]),
        "beta_loss": parameters["beta_loss"],
        "init": "random",
        "tolerance": _PROMISE_PER_TOL * float(parameters["tol"]),
        "max_iterations": int(parameters["max_iter"]),
        "alpha_W": float(parameters["alpha_W"]),
        "alpha_H": float(parameters["alpha_H"]),
        "l1_ratio": float(parameters["l1_ratio"]),
        "heldout": "none",
        "clusters": "free",
        "density_threshold": 2.0,
    }
    found = survey(
        counts,
        [int(rank) for rank in set(replicates["n_components"])],
        out=out,
        threads=threads,
        jobs=jobs,
        progress=progress,
        **(of_starts | options),
    )
    for rank in found.ranks:
        starts, spectra = found._numbered_spectra(rank)
        if len(starts) > 0:
            _write_spectra(run, rank, starts, spectra, counts.var_names)
    return found


def _run_parameters(run: Any) -> dict[str, Any]:
    text = Path(run.paths["nmf_run_parameters"]).read_text()
    parameters: dict[str, Any] = importlib.import_module("yaml").safe_load(text)
    return parameters


def _write_spectra(run: Any, rank: int, starts: NDArray[Any], spectra: NDArray[Any], genes: Any) -> None:
    """As cNMF's ``combine`` does, but with names that need no pickle."""
    names = [f"iter{start}_topic{topic + 1}" for start in starts for topic in range(rank)]
    target = Path(run.paths["merged_spectra"] % rank)
    aside = target.with_name(f"{target.name}.{os.getpid()}.part.npz")
    try:
        np.savez_compressed(aside, data=spectra, index=np.array(names), columns=np.array(genes, dtype=str))
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)
    # Of spectra that are no longer there; cNMF would believe it.
    Path(run.paths["local_density_cache"] % rank).unlink(missing_ok=True)


def _combine(run: Any, k: int, *arguments: Any, **keywords: Any) -> Any:
    """In the place of ``cNMF.combine_nmf``: where ``factorize`` has written the spectra last, they stay."""
    merged = run.paths["merged_spectra"] % k
    before, _, after = (run.paths["iter_spectra"] % (k, 0)).rpartition("iter_0")
    starts = glob.glob(f"{glob.escape(before)}iter_*{after}")
    if os.path.exists(merged) and all(os.path.getmtime(start) <= os.path.getmtime(merged) for start in starts):
        return _cnmf().load_df_from_npz(merged)
    return _their_combine(run, k, *arguments, **keywords)


def _cnmf() -> Any:
    try:
        module = importlib.import_module("cnmf.cnmf")
    except ImportError as error:
        raise ImportError("anmf.cnmf works on cNMF, which is not installed: pip install cnmf") from error
    if not hasattr(module, _NAME):
        raise RuntimeError(f"This version of cNMF does not call {_NAME}, so it cannot be patched; 1.7.1 can.")
    return module


def main(arguments: list[str]) -> None:
    if arguments[:1] in ([], ["-h"], ["--help"]):
        raise SystemExit(__doc__)
    module = _cnmf()
    patch()
    sys.argv = ["cnmf", *arguments]
    module.main()


if __name__ == "__main__":
    # As `python -m anmf.cnmf` this file is another module than the one that is patched in.
    importlib.import_module("anmf.cnmf").main(sys.argv[1:])
