# SPDX-License-Identifier: MIT
"""What an installed wheel must do, with nothing but numpy, scipy, scikit-learn and pytest around it."""

import importlib.metadata
import importlib.resources
import importlib.util
import struct
import subprocess
import sys
import sysconfig
from pathlib import Path

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


@parametrize_with_checks([anmf.NMF(2), anmf.NMF(2, missing="nan"), anmf.ConsensusNMF(2, n_starts=2)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_functions(X):
    result = anmf.factorize(X, 4, seed=1, max_iterations=3000)
    assert result.converged
    assert anmf.nnls(result.W, X).kkt < 1e-10


def test_a_survey(X, tmp_path):
    """Of a folder, whose files libzip reads and writes; its tables are arrays where there is no pandas."""
    found = anmf.survey(X, [2, 4], starts=3, heldout_repeats=2, out=tmp_path / "s")
    assert list(found.table["rank"]) == [2, 4]
    assert found.jobs["seed"].dtype == np.uint64
    loaded = anmf.Survey.load(tmp_path / "s", X)
    np.testing.assert_array_equal(loaded.consensus(4).usages, found.consensus(4).usages)
    assert (tmp_path / "s" / "report.html").stat().st_size > 100_000


def test_report_page_is_in_the_wheel(X, tmp_path):
    page = anmf.factorize(X, 4, max_iterations=3).report(tmp_path / "report.html")
    assert page.stat().st_size > 100_000


def test_the_program_is_in_the_wheel(X, tmp_path):
    program = Path(sys.executable).parent / "anmf"
    if not program.exists():
        pytest.skip("the package is not installed here")

    def run(*arguments):
        return subprocess.run([program, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    assert anmf.__version__ in run("--version")
    np.savez(tmp_path / "X.npz", X=X)
    run("convert", "X.npz", "X.h5ad")  # libzip and HDF5
    run("factorize", "X.h5ad", "--rank", "4", "--seed", "1", "--max-iterations", "5", "--out", "result")
    ours = anmf.factorize(X, 4, seed=1, max_iterations=5)
    np.testing.assert_array_equal(np.load(tmp_path / "result" / "W.npy"), ours.W)
    tags = [(256, 2), (257, 1), (258, 8), (259, 1), (262, 1), (273, 8), (277, 1), (278, 1), (279, 2)]
    directory = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
    (tmp_path / "x.tif").write_bytes(b"II*\0" + struct.pack("<I", 10) + b"\5\7" + directory + bytes(4))
    run("convert", "x.tif", "x.npy")  # libtiff
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), [[5], [7]])


def test_threads_are_limited():
    from threadpoolctl import threadpool_info, threadpool_limits

    with threadpool_limits(1):
        assert [info["num_threads"] for info in threadpool_info() if info["user_api"] == "anmf"] == [1]
