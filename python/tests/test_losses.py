# SPDX-License-Identifier: MIT
"""Losses other than Frobenius, and MiniBatchNMF, as a user meets them."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

import anmf
from anmf import NMF, MiniBatchNMF

LOSSES = ["kullback-leibler", "itakura-saito", 0.5, 1.5, 3]


def divergence(X, Y, beta):
    if beta in (1, "kullback-leibler"):
        return np.sum(np.where(X > 0, X * np.log(np.where(X > 0, X, 1) / Y), 0) - X + Y)
    if beta in (0, "itakura-saito"):
        return np.sum(X / Y - np.log(X / Y) - 1)
    return np.sum(X**beta + (beta - 1) * Y**beta - beta * X * Y ** (beta - 1)) / (beta * (beta - 1))


@pytest.fixture
def positive(X):
    return X + 0.02


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("container", [np.asarray, sp.csr_matrix, sp.csc_array])
def test_auto_goes_at_least_as_low_as_mu(positive, loss, container):
    data = container(positive)
    found = {}
    for solver in ("auto", "mu"):
        model = NMF(4, solver=solver, beta_loss=loss, init="random", random_state=0, max_iter=3000, tol=1e-6)
        W = model.fit_transform(data)
        found[solver] = divergence(positive, W @ model.components_, loss)
        assert model.reconstruction_err_ == pytest.approx(np.sqrt(2 * found[solver]), rel=1e-6)
        assert model.status_ == "converged"
    assert found["auto"] <= found["mu"] * (1 + 1e-3)


@pytest.mark.parametrize("loss", LOSSES)
def test_transform_is_optimal_and_row_by_row(positive, loss):
    model = NMF(4, beta_loss=loss, random_state=0, max_iter=5000, tol=1e-7)
    fitted = model.fit_transform(positive)
    W = model.transform(positive)
    best = divergence(positive, W @ model.components_, loss)
    assert best <= divergence(positive, fitted @ model.components_, loss) * (1 + 1e-9)
    if loss in ("kullback-leibler", 1.5):  # the others may have several minima in a row
        np.testing.assert_allclose(W, fitted, atol=1e-2 * fitted.max())
    np.testing.assert_array_equal(model.transform(positive[3:5]), W[3:5])
    np.testing.assert_allclose(model.transform(sp.csr_array(positive)), W, atol=1e-6)
    np.testing.assert_array_equal(model.inverse_transform(W), W @ model.components_)


def test_number_types_and_threads(positive):
    for loss in ("kullback-leibler", 1.5):
        options = {"beta_loss": loss, "random_state": 0, "init": "random", "tol": 0, "max_iter": 40}
        exact = NMF(3, **options).fit(positive)
        single = NMF(3, **options).fit(positive.astype(np.float32))
        assert single.components_.dtype == single.transform(positive.astype(np.float32)).dtype == np.float32
        assert single.reconstruction_err_ == pytest.approx(exact.reconstruction_err_, rel=1e-2)
        for n_threads in (1, 3):
            np.testing.assert_array_equal(
                NMF(3, n_threads=n_threads, **options).fit(positive).components_, exact.components_
            )
    counts = np.random.default_rng(0).poisson(3, (40, 12)).astype(np.uint8)
    options = {"beta_loss": "kullback-leibler", "random_state": 0, "max_iter": 500}
    np.testing.assert_allclose(
        NMF(3, **options).fit(counts).components_, NMF(3, **options).fit(counts.astype(float)).components_
    )


def test_what_a_loss_goes_through(positive):
    model = NMF(3, beta_loss="kullback-leibler", random_state=1, alpha_W=0.001, l1_ratio=1.0, n_init=2, max_iter=1000)
    W = model.fit_transform(positive)
    np.testing.assert_array_equal(clone(model).fit(positive).components_, model.components_)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).transform(positive), model.transform(positive))
    assert model.history_["divergence"][-1] == pytest.approx(model.reconstruction_err_**2 / 2)
    assert W.min() >= 0
    frame = pd.DataFrame(positive, columns=[f"word{j}" for j in range(20)])
    out = NMF(2, beta_loss=1).set_output(transform="pandas").fit_transform(frame)
    assert list(out.columns) == ["nmf0", "nmf1"]
    make_pipeline(MaxAbsScaler(), NMF(2, beta_loss="kullback-leibler", max_iter=500)).fit(sp.csr_matrix(positive))


def test_factorize_takes_losses_by_name_and_number(positive):
    by_name = anmf.factorize(positive, 3, loss="kl", seed=1)
    for loss in ("kullback-leibler", 1, 1.0, np.float64(1), "1"):
        np.testing.assert_array_equal(anmf.factorize(positive, 3, loss=loss, seed=1).H, by_name.H)
    assert by_name.error == pytest.approx(np.sqrt(2 * divergence(positive, by_name.W @ by_name.H, 1)))
    assert anmf.factorize(positive, 3, loss=0.5).method == "e-spn"
    for wrong in ("huber", 9, float("nan")):
        with pytest.raises(ValueError, match="choose frobenius, kullback-leibler"):
            anmf.factorize(positive, 3, loss=wrong)


def test_a_report_of_another_loss(positive, tmp_path):
    model = NMF(3, beta_loss="kullback-leibler", random_state=0, max_iter=1000).fit(positive)
    page = model.report(tmp_path / "report.html", positive)
    assert "kullback-leibler" in page.read_text(encoding="utf-8")
    assert anmf.factorize(positive, 3, loss="kl", seed=0).report(tmp_path / "result.html", positive).is_file()


# MiniBatchNMF


def test_a_stream_of_batches_finds_what_a_fit_finds():
    rng = np.random.default_rng(5)
    H = rng.dirichlet(np.full(30, 0.2), 4)
    data = rng.poisson(200 * rng.dirichlet(np.full(4, 0.3), 600) @ H)
    stream = MiniBatchNMF(4, beta_loss="kullback-leibler", init="random", random_state=0, forget_factor=0.7)
    for _ in range(6):
        for rows in range(0, 600, 100):
            stream.partial_fit(sp.csr_matrix(data[rows : rows + 100]))
    assert stream.n_steps_ == 36
    found = divergence(data, stream.transform(data) @ stream.components_, 1)
    best = NMF(4, beta_loss="kullback-leibler", n_init=3, random_state=0, max_iter=1000).fit(data)
    assert found < 1.05 * best.reconstruction_err_**2 / 2


def test_mini_batches_among_scikit_learns_tools(X):
    options = {"batch_size": 8, "random_state": 0, "max_iter": 30, "tol": 0}
    model = MiniBatchNMF(3, **options)
    W = model.fit_transform(X)
    assert model.reconstruction_err_ == pytest.approx(np.linalg.norm(X - W @ model.components_))
    np.testing.assert_array_equal(clone(model).fit(X).components_, model.components_)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.transform(X), model.transform(X))
    np.testing.assert_array_equal(copy.partial_fit(X).components_, model.partial_fit(X).components_)
    np.testing.assert_array_equal(model.transform(X[2:4]), model.transform(X)[2:4])
    for n_threads in (1, 3):
        threaded = MiniBatchNMF(3, n_threads=n_threads, **options).fit(X)
        np.testing.assert_array_equal(threaded.components_, MiniBatchNMF(3, **options).fit(X).components_)
    names = [f"gene{j}" for j in range(20)]
    out = MiniBatchNMF(3, **options).set_output(transform="pandas").fit_transform(pd.DataFrame(X, columns=names))
    assert list(out.columns) == ["minibatchnmf0", "minibatchnmf1", "minibatchnmf2"]


def test_mini_batches_update_the_given_components_in_place(X):
    """As scikit-learn does, in either order of memory; W stays."""
    rng = np.random.default_rng(0)
    W, H = rng.random((30, 3)), rng.random((3, 20))
    for order in ("C", "F"):
        given, weights = np.array(H, order=order), W.copy()
        model = MiniBatchNMF(3, init="custom", max_iter=3, tol=0).fit(X, W=weights, H=given)
        assert model.components_ is given
        assert not np.allclose(given, H)
        np.testing.assert_array_equal(weights, W)
        before = given.copy()
        model.partial_fit(X)
        assert model.components_ is given
        assert not np.array_equal(given, before)
        given.flags.writeable = False  # as joblib hands it to another process
        expected = given.copy()
        assert not np.array_equal(model.partial_fit(X).components_, expected)
        np.testing.assert_array_equal(given, expected)


def test_a_failed_fit_leaves_no_model(X):
    model = MiniBatchNMF(3, init="custom")
    with pytest.raises(ValueError, match="wrong second dimension"):
        model.fit(X, W=np.ones((30, 2)), H=np.ones((3, 20)))
    with pytest.raises(NotFittedError):
        model.transform(X)


def test_wrong_batches_are_refused_with_a_sentence(X):
    with pytest.raises(ValueError, match="'batch_size' parameter of MiniBatchNMF"):
        MiniBatchNMF(3, batch_size=0).fit(X)
    with pytest.raises(ValueError, match="Negative values in data passed to"):
        MiniBatchNMF(3).partial_fit(X - 0.5)
    with pytest.raises(ValueError, match="NaN"):
        MiniBatchNMF(3).partial_fit(np.where(X > 0.3, np.nan, X))
    with pytest.raises(ValueError, match="masked entries"):
        MiniBatchNMF(3).partial_fit(np.ma.masked_greater(X, 0.5))
    with pytest.raises(ValueError, match="X has 19 features, but MiniBatchNMF is expecting 20"):
        MiniBatchNMF(3).partial_fit(X).partial_fit(X[:, :19])
    with pytest.raises(ValueError, match="When beta_loss <= 0 and X contains zeros"):
        MiniBatchNMF(3, beta_loss="itakura-saito").partial_fit(X)
    with pytest.raises(ValueError, match="a number beta between -5 and 5"):
        MiniBatchNMF(3, beta_loss=7).fit(X)
    with pytest.raises(ValueError, match="can only be used when n_components <= min"):
        MiniBatchNMF(25, init="nndsvd").fit(X)


def test_a_fit_that_has_not_ended_warns(X):
    with pytest.warns(ConvergenceWarning, match="Maximum number of iterations 2"):
        MiniBatchNMF(3, max_iter=2, batch_size=10).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MiniBatchNMF(3, max_iter=2, batch_size=10, tol=0).fit(X)
