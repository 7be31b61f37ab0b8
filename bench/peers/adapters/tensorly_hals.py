# SPDX-License-Identifier: MIT
"""tensorly: non-negative CP by HALS; for a tensor with two modes that is NMF."""

import numpy as np
import tensorly
from tensorly.cp_tensor import CPTensor
from tensorly.decomposition import _nn_cp, non_negative_parafac_hals


def version(_program, _variant: str) -> str:
    return f"tensorly {tensorly.__version__}"


def run(job, recorder, _variant: str) -> None:
    solve = _nn_cp.hals_nnls
    newest_wt = None

    def timed_solve(cross, gram, factor, **options):
        """Called for W' and then for H in each iteration."""
        nonlocal newest_wt
        recorder.start()
        solved = solve(cross, gram, factor, **options)
        if newest_wt is None:
            newest_wt = solved
        else:
            recorder.iteration(newest_wt.T, solved)
            newest_wt = None
        return solved

    _nn_cp.hals_nnls = timed_solve
    start = CPTensor((np.ones(job.rank), [job.W, job.H.T.copy()]))
    # A tolerance of 0 spares it the evaluation of its error; a negative one asks for it and is never reached.
    tolerance = 0 if job.max_iterations is None else -1
    result = non_negative_parafac_hals(
        job.matrix, job.rank, n_iter_max=job.iterations, init=start, tol=tolerance, return_errors=True
    )
    recorder.own_error = float(result[1][-1])
