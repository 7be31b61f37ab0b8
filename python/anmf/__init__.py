# SPDX-License-Identifier: MIT
"""Nonnegative matrix factorization: X ~ W H with W >= 0 and H >= 0, fast and certified.

``NMF``, ``MiniBatchNMF`` and ``non_negative_factorization`` take the place of scikit-learn's; ``factorize``
gives every option of the engine, ``survey`` finds out which rank, and what many starts agree on, and ``ConsensusNMF``
is an estimator of that. ``NMF`` and ``factorize`` know missing entries and weights, and ``predict_entries``
says what W H has at some places; ``nnls`` solves nonnegative least squares problems exactly; ``prepare`` makes a
transformer of what is done to X before, such as ``"total=1e4,log1p"``; ``patch_sklearn`` speeds up programs that call
scikit-learn's.
"""

import importlib
from typing import Any

from anmf._best_rank import best_rank_error
from anmf._consensus import BestStart, Consensus
from anmf._consensus_nmf import ConsensusNMF
from anmf._core import version as __version__
from anmf._factorize import Factorization, factorize
from anmf._function import non_negative_factorization
from anmf._history import Iteration
from anmf._mini_batch import MiniBatchNMF
from anmf._nmf import NMF
from anmf._nnls import NnlsSolution, nnls
from anmf._patch import patch_sklearn, unpatch_sklearn
from anmf._predict import predict_entries
from anmf._prepare import Preparation, prepare
from anmf._progress import SurveyState
from anmf._run_survey import survey
from anmf._survey import Survey

__all__ = [
    "NMF",
    "BestStart",
    "Consensus",
    "ConsensusNMF",
    "Factorization",
    "Iteration",
    "MiniBatchNMF",
    "NnlsSolution",
    "Preparation",
    "Survey",
    "SurveyState",
    "__version__",
    "best_rank_error",
    "factorize",
    "nnls",
    "non_negative_factorization",
    "patch_sklearn",
    "predict_entries",
    "prepare",
    "survey",
    "unpatch_sklearn",
]


def __getattr__(name: str) -> Any:
    """Modules that not everybody needs, when somebody asks for them."""
    if name in ("cnmf", "plot"):
        return importlib.import_module(f"anmf.{name}")
    raise AttributeError(f"module 'anmf' has no attribute {name!r}")
