# SPDX-License-Identifier: MIT
"""scikit-learn: NMF with solver cd (one sweep of coordinate descent per product) or mu."""

import sklearn
from sklearn.decomposition import NMF, _nmf


def version(_program, _variant: str) -> str:
    return f"scikit-learn {sklearn.__version__}"


def watch_cd(recorder) -> None:
    """An iteration is a call for W with X and a call for H' with X'."""
    update = _nmf._update_coordinate_descent
    is_second = False

    def timed_update(X, updated, fixed, *rest):
        nonlocal is_second
        recorder.start()
        violation = update(X, updated, fixed, *rest)
        if is_second:
            recorder.iteration(fixed, updated.T)
        is_second = not is_second
        return violation

    _nmf._update_coordinate_descent = timed_update


def watch_mu(recorder) -> None:
    update_w, update_h = _nmf._multiplicative_update_w, _nmf._multiplicative_update_h

    def timed_update_w(*arguments, **options):
        recorder.start()
        return update_w(*arguments, **options)

    def timed_update_h(X, W, H, **options):
        H = update_h(X, W, H, **options)
        recorder.iteration(W, H)
        return H

    _nmf._multiplicative_update_w, _nmf._multiplicative_update_h = timed_update_w, timed_update_h


def run(job, recorder, variant: str) -> None:
    {"cd": watch_cd, "mu": watch_mu}[variant](recorder)
    model = NMF(job.rank, init="custom", solver=variant, tol=0, max_iter=job.iterations)
    model.fit_transform(job.matrix, W=job.W, H=job.H)
    recorder.own_error = model.reconstruction_err_ / recorder.norm
