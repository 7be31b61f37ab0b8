# SPDX-License-Identifier: MIT
"""ristretto: randomised HALS, which compresses M to Q' M once and iterates on that. Compression counts.

ristretto 0.1.2 takes NumPy's functions from SciPy, which no longer has them, and cannot be given start
factors. Both is mended by the name `sci` in its module: it leads to the functions of NumPy, and where
ristretto would draw W and H at random it finds Q' W and H' of the start, Q being the result of its last QR
decomposition.
"""

from importlib import import_module
from importlib.metadata import version as installed_version
from types import SimpleNamespace

import numpy as np
import scipy.linalg

MODULE = import_module("ristretto.nmf.rnmf_fhals")


def version(_program, _variant: str) -> str:
    return f"ristretto {installed_version('ristretto')}"


class StartFactors:
    """What ristretto calls `sci`."""

    float32, float64, array = np.float32, np.float64, np.array

    def __init__(self, job, recorder):
        self._job, self._recorder = job, recorder
        self._basis = None
        self._waiting = [lambda: self._basis.T @ job.W, lambda: job.H.T.copy()]
        self._given: list[np.ndarray] = []
        self.linalg = SimpleNamespace(qr=self._qr, norm=scipy.linalg.norm)
        self.random = SimpleNamespace(rand=self._rand, standard_normal=self._start_factor)

    def _rand(self, *shape):
        self._recorder.start()  # the compression begins
        return np.random.default_rng(0).random(shape)

    def _qr(self, *arguments, **options):
        self._basis, triangle = scipy.linalg.qr(*arguments, **options)
        return self._basis, triangle

    def _start_factor(self, shape):
        factor = self._waiting.pop(0)()
        if factor.shape != shape:
            raise RuntimeError(f"ristretto wants a start factor {shape}, it is {factor.shape}")
        self._given.append(factor)
        return factor

    def maximum(self, bound, values):
        """The compressed start may be negative and must not be clipped."""
        if any(values is factor for factor in self._given):
            return values
        return np.maximum(bound, values)


def run(job, recorder, _variant: str) -> None:
    update = MODULE._rfhals_update
    newest_ht = None

    def timed_update(factor, gram, cross):
        """Called for H' and then for W, at full size, in each iteration."""
        nonlocal newest_ht
        violation = update(factor, gram, cross)
        if newest_ht is None:
            newest_ht = factor
        else:
            recorder.iteration(factor, newest_ht.T)
            newest_ht = None
        return violation

    MODULE._rfhals_update = timed_update
    MODULE.sci = StartFactors(job, recorder)
    MODULE.rnmf_fhals(job.matrix, job.rank, maxiter=job.iterations)
