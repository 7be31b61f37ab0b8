# SPDX-License-Identifier: MIT
"""What an installed wheel must do, with nothing but numpy, scipy, scikit-learn and pytest around it."""

import importlib.metadata
import importlib.resources
import importlib.util
import sysconfig

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.decomposition as sk
from sklearn.utils.estimator_checks import parametrize_with_checks

import anmf


def test_version_and_types():
    if importlib.util.find_spec("anmf").origin.startswith(sysconfig.get_path("platlib")):
        assert importlib.metadata.version("anmf") == anmf.__version__
    assert (importlib.resources.files(anmf) / "py.typed").is_file()


@pytest.mark.parametrize("container", [np.ascontiguousarray, np.asfortranarray, sp.csr_matrix, sp.csc_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fits_like_scikit_learn(X, container, dtype):
    options = {"init": "nndsvda", "solver": "cd", "max_iter": 2000, "tol": 1e-6, "random_state": 0}
    ours = anmf.NMF(4, **options).fit(container(X.astype(dtype)))
    theirs = sk.NMF(4, **options).fit(X)
    assert ours.components_.dtype == dtype
    assert ours.reconstruction_err_ == pytest.approx(theirs.reconstruction_err_, rel=1e-3)
    assert ours.transform(X[:3].astype(dtype)).shape == (3, 4)


@parametrize_with_checks([anmf.NMF(2)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_functions(X):
    result = anmf.factorize(X, 4, seed=1, max_iterations=3000)
    assert result.converged
    assert anmf.nnls(result.W, X).kkt < 1e-10


def test_report_page_is_in_the_wheel(X, tmp_path):
    page = anmf.factorize(X, 4, max_iterations=3).report(tmp_path / "report.html")
    assert page.stat().st_size > 100_000
