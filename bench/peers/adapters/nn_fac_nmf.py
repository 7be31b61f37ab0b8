# SPDX-License-Identifier: MIT
"""nn-fac: HALS accelerated by the paper's rule, its inner loop in Python, its error in every iteration."""

from importlib.metadata import version as installed_version

import numpy as np
from nn_fac import nmf


def version(_program, _variant: str) -> str:
    return f"nn-fac {installed_version('nn-fac')}"


def run(job, recorder, variant: str) -> None:
    step = nmf.one_nmf_step

    def timed_step(*arguments):
        recorder.start()
        W, H, cost = step(*arguments)
        recorder.iteration(W, H)
        return W, H, cost

    nmf.one_nmf_step = timed_step
    _, _, costs, _ = nmf.nmf(
        job.matrix,
        job.rank,
        init="custom",
        U_0=job.W,
        V_0=job.H,
        n_iter_max=job.iterations,
        tol=-1,
        update_rule=variant,
        return_costs=True,
    )
    recorder.own_error = float(np.sqrt(costs[-1])) / recorder.norm
