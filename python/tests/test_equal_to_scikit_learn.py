# SPDX-License-Identifier: MIT
"""solver="cd" and solver="mu" are scikit-learn's algorithms: the same W and H from the same start."""

import inspect
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.decomposition as sk

import anmf
from anmf._start import _initialize_nmf

CONTAINERS = [np.ascontiguousarray, np.asfortranarray, sp.csr_matrix, sp.csc_matrix, sp.csr_array, sp.csc_array]


def fit_both(X, solver, rank=4, seed=3, **options):
    rng = np.random.default_rng(seed)
    size = np.sqrt(X.mean() / rank)
    W, H = (size * np.abs(rng.standard_normal(shape)) for shape in ((X.shape[0], rank), (rank, X.shape[1])))
    options = {"init": "custom", "solver": solver, "max_iter": 50, "tol": 0.0} | options
    ours, theirs = anmf.NMF(rank, **options), sk.NMF(rank, **options)
    return ours, ours.fit_transform(X, W=W.copy(), H=H.copy()), theirs, theirs.fit_transform(X, W=W.copy(), H=H.copy())


def largest_difference(a, b):
    return np.abs(a - b).max() / np.abs(b).max()


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("solver", ["cd", "mu"])
@pytest.mark.parametrize(
    "penalty", [{}, {"alpha_W": 0.01, "l1_ratio": 0.5}, {"alpha_W": 0.003, "alpha_H": 0.02, "l1_ratio": 0.0}]
)
def test_same_factors_after_50_iterations(X, container, solver, penalty):
    ours, W, theirs, W_expected = fit_both(container(X), solver, **penalty)

    assert ours.n_iter_ == theirs.n_iter_ == 50
    assert largest_difference(W, W_expected) < 1e-6
    assert largest_difference(ours.components_, theirs.components_) < 1e-6
    assert ours.reconstruction_err_ == pytest.approx(theirs.reconstruction_err_, rel=1e-9)


@pytest.mark.parametrize("solver", ["cd", "mu"])
@pytest.mark.parametrize(("name", "rank"), [("cbcl", 10), ("bbc", 8)])
def test_same_factors_on_real_data(data_sets, solver, name, rank):
    path = data_sets / name
    X = np.load(path / f"{name}.npy").astype(float) if name == "cbcl" else sp.load_npz(path / f"{name}.npz")
    _, W, theirs, W_expected = fit_both(X, solver, rank)
    assert largest_difference(W, W_expected) < 1e-6
    assert theirs.n_iter_ == 50


def test_mu_stops_by_scikit_learns_rule(X):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours, _, theirs, _ = fit_both(X, "mu", max_iter=1000, tol=1e-3)
    assert ours.n_iter_ == theirs.n_iter_ < 1000
    assert ours.status_ == "converged"


@pytest.mark.parametrize("function", ["NMF", "non_negative_factorization"])
def test_parameters_and_their_defaults_are_the_same(function):
    theirs = inspect.signature(getattr(sk, function)).parameters
    ours = inspect.signature(getattr(anmf, function)).parameters
    assert list(ours)[: len(theirs)] == list(theirs)
    for name, parameter in theirs.items():
        if name != "solver":  # ours is the fastest
            assert ours[name].default == parameter.default, name
            assert ours[name].kind == parameter.kind, name


def test_fitted_attributes_are_all_there(X):
    theirs, ours = sk.NMF(3).fit(X), anmf.NMF(3).fit(X)
    assert {name for name in vars(theirs) if name.endswith("_")} <= set(vars(ours))
    assert ours.reconstruction_err_ == pytest.approx(np.linalg.norm(X - ours.transform(X) @ ours.components_), rel=1e-3)


def test_nndsvd_is_scikit_learns_with_an_exact_decomposition(X, monkeypatch):
    def exact_svd(X, rank, random_state):
        U, s, Vt = np.linalg.svd(X, full_matrices=False)
        return U[:, :rank], s[:rank], Vt[:rank]

    monkeypatch.setattr(sk._nmf, "_randomized_svd", exact_svd)
    for ours, theirs in zip(_initialize_nmf(X, 5, "nndsvd"), sk._nmf._initialize_nmf(X, 5, "nndsvd"), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=2e-6)  # both drop entries of that size


def test_the_filling_of_zeros_is_of_the_size_of_a_factor(X):
    """scikit-learn fills with mean(X), of the size of X; its default then stops at once on 8-bit images."""
    for c in (1.0, 255.0):
        plain, filled = _initialize_nmf(c * X, 5, "nndsvd"), _initialize_nmf(c * X, 5, "nndsvda")
        for zeros, factor in zip(plain, filled, strict=True):
            np.testing.assert_allclose(factor[zeros == 0], np.sqrt(c * X.mean() / 5))
