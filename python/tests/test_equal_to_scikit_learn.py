# SPDX-License-Identifier: MIT
"""solver="cd" and solver="mu" and MiniBatchNMF are scikit-learn's algorithms: the same W and H from the same start."""

import inspect
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.decomposition as sk

import anmf
from anmf._start import _initialize_nmf

BETAS = [-0.5, 0, 0.5, 1, 1.5, 2, 2.5]
PENALTIES = [{}, {"alpha_W": 0.01, "l1_ratio": 0.5}, {"alpha_W": 0.003, "alpha_H": 0.02, "l1_ratio": 0.0}]
CONTAINERS = [np.ascontiguousarray, np.asfortranarray, sp.csr_matrix, sp.csc_matrix, sp.csr_array, sp.csc_array]


def fit_both(X, solver, rank=4, seed=3, **options):
    rng = np.random.default_rng(seed)
    size = np.sqrt(X.mean() / rank)
    W, H = (size * np.abs(rng.standard_normal(shape)) for shape in ((X.shape[0], rank), (rank, X.shape[1])))
    options = {"init": "custom", "solver": solver, "max_iter": 50, "tol": 0.0} | options
    ours, theirs = anmf.NMF(rank, **options), sk.NMF(rank, **options)
    W_ours = ours.fit_transform(X, W=W.copy(), H=H.copy())
    return ours, W_ours, theirs, theirs.fit_transform(rows_of(X), W=W.copy(), H=H.copy())


def rows_of(X):
    """With compressed columns and a loss other than Frobenius, scikit-learn takes entries for each other."""
    return X.tocsr() if sp.issparse(X) else X


def largest_difference(a, b):
    return np.abs(a - b).max() / np.abs(b).max()


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("solver", ["cd", "mu"])
@pytest.mark.parametrize("penalty", PENALTIES)
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


@pytest.mark.parametrize("container", [np.ascontiguousarray, sp.csr_matrix, sp.csc_array])
@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("penalty", PENALTIES)
def test_same_factors_for_every_loss(X, container, beta, penalty):
    data = container(X + 0.01 if beta <= 0 else X)
    ours, W, theirs, W_expected = fit_both(data, "mu", beta_loss=beta, max_iter=20, **penalty)
    assert largest_difference(W, W_expected) < 1e-9
    assert largest_difference(ours.components_, theirs.components_) < 1e-9
    assert ours.reconstruction_err_ == pytest.approx(theirs.reconstruction_err_, rel=1e-6)
    if beta == 1 and penalty.get("l1_ratio"):
        return  # scikit-learn's transform() adds the penalty once more in every iteration
    ours.components_ = theirs.components_
    assert largest_difference(ours.transform(data), theirs.transform(rows_of(data))) < 1e-9


@pytest.mark.parametrize("beta", BETAS)
def test_mu_stops_by_scikit_learns_rule(X, beta):
    data = X + 0.01
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours, _, theirs, _ = fit_both(data, "mu", max_iter=1000, tol=1e-3, beta_loss=beta)
        assert ours.n_iter_ == theirs.n_iter_ < 1000
        assert ours.status_ == "converged"
        options = {"n_components": 4, "solver": "mu", "beta_loss": beta, "tol": 1e-3, "max_iter": 1000}
        made = [
            module.non_negative_factorization(data, H=theirs.components_, update_H=False, **options)
            for module in (anmf, sk)
        ]
    assert made[0][2] == made[1][2] < 1000
    np.testing.assert_allclose(made[0][0], made[1][0], atol=1e-9)


@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("container", [np.ascontiguousarray, np.asfortranarray, sp.csr_matrix, sp.csc_array])
@pytest.mark.parametrize(
    "options",
    [
        {"batch_size": 7},
        {"batch_size": 11, "alpha_W": 0.003, "alpha_H": 0.02, "l1_ratio": 0.3, "forget_factor": 0.5},
        {"batch_size": 16, "fresh_restarts": True, "fresh_restarts_max_iter": 5, "transform_max_iter": 9},
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_mini_batches_are_scikit_learns(X, beta, container, options):
    data = container(X + 0.01 if beta <= 0 else X)
    rng = np.random.default_rng(3)
    W, H = 0.1 + rng.random((30, 4)), 0.1 + rng.random((4, 20))
    options = {"init": "custom", "max_iter": 6, "beta_loss": beta} | options
    ours, theirs = anmf.MiniBatchNMF(4, **options), sk.MiniBatchNMF(4, **options)
    W_ours = ours.fit_transform(data, W=W.copy(), H=H.copy())
    np.testing.assert_allclose(W_ours, theirs.fit_transform(rows_of(data), W=W.copy(), H=H.copy()), atol=1e-9)
    np.testing.assert_allclose(ours.components_, theirs.components_, atol=1e-9)
    assert (ours.n_iter_, ours.n_steps_) == (theirs.n_iter_, theirs.n_steps_)
    assert ours.reconstruction_err_ == pytest.approx(theirs.reconstruction_err_, rel=1e-6)
    for rows in (slice(0, 9), slice(9, 30)):
        ours.partial_fit(data[rows])
        theirs.partial_fit(rows_of(data)[rows])
        np.testing.assert_allclose(ours.components_, theirs.components_, atol=1e-9)
    assert ours.n_steps_ == theirs.n_steps_


@pytest.mark.parametrize("tol", [1e-2, 1e-3])
@pytest.mark.parametrize("max_no_improvement", [None, 3])
def test_mini_batches_stop_where_scikit_learns_do(X, tol, max_no_improvement, capsys):
    options = {"batch_size": 6, "init": "custom", "verbose": 1, "max_iter": 500}
    options |= {"tol": tol, "max_no_improvement": max_no_improvement}
    rng = np.random.default_rng(3)
    W, H = rng.random((30, 4)), rng.random((4, 20))
    said = []
    for module in (anmf, sk):
        module.MiniBatchNMF(4, **options).fit(X, W=W.copy(), H=H.copy())
        said.append([line.split(":")[0] for line in capsys.readouterr().out.splitlines()])
    assert said[0] == said[1]
    assert said[0][-1].startswith("Converged")


@pytest.mark.parametrize("function", ["NMF", "MiniBatchNMF", "non_negative_factorization"])
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
