# SPDX-License-Identifier: MIT
"""For programs that call cNMF (``cnmf`` on PyPI, consensus NMF of single cells): its factorizations by anmf.

``patch()`` changes what ``cnmf`` calls, and every script stays as it is. On a command line,

python -m anmf.cnmf ARGUMENTS    is the command ``cnmf ARGUMENTS`` with ``patch()`` in force
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from numpy.typing import NDArray

from anmf import _patch

__all__ = ["patch", "unpatch"]

_NAME = "non_negative_factorization"
#: What cNMF called before.
_theirs: Any = None


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
    global _theirs
    module = _cnmf()
    if getattr(module, _NAME) is not non_negative_factorization:
        _theirs = getattr(module, _NAME)
        setattr(module, _NAME, non_negative_factorization)


def unpatch() -> None:
    """Undo ``patch``."""
    module = _cnmf()
    if getattr(module, _NAME) is non_negative_factorization:
        setattr(module, _NAME, _theirs)


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
