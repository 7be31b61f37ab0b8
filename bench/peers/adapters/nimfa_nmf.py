# SPDX-License-Identifier: MIT
"""nimfa: lsnmf (Lin's projected gradient) and nmf (multiplicative updates).

nimfa 1.4.0 calls np.mat, which NumPy 2 has renamed; it gets the old name back. Sparse data goes through lsnmf
only: nmf forms all of W H in each iteration to know its error.
"""

import numpy as np

np.mat = np.asmatrix

import nimfa


def version(_program, _variant: str) -> str:
    return f"nimfa {nimfa.__version__}"


def run(job, recorder, variant: str) -> None:
    method = {"lsnmf": nimfa.Lsnmf, "nmf": nimfa.Nmf}[variant]
    # The smallest tolerances that are not taken for "use the default".
    model = method(
        job.matrix,
        W=job.W,
        H=job.H,
        rank=job.rank,
        max_iter=job.iterations,
        min_residuals=np.finfo(float).tiny,
    )
    objective = (
        model.objective
    )  # called once after each update, so that its cost counts as part of the iteration

    def timed_objective():
        value = objective()
        recorder.iteration(model.W, model.H)
        return value

    model.objective = timed_objective
    model.callback_init = lambda _fit: recorder.start()
    fitted = model.factorize()
    residual = fitted.distance(metric="euclidean")
    recorder.own_error = float(np.sqrt(residual)) / recorder.norm
