# SPDX-License-Identifier: MIT
"""Missing entries, masks and weights, beside their definitions in numpy."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.optimize
import scipy.sparse as sp
from sklearn import config_context, metrics
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

import anmf
from anmf import NMF


@pytest.fixture
def planted():
    """A 40 x 30 matrix of rank 3 without noise, and the 30 % of its entries that are missing."""
    rng = np.random.default_rng(3)
    return rng.random((40, 3)) @ rng.random((3, 30)), rng.random((40, 30)) < 0.3


@pytest.fixture
def holes(planted):
    X, gone = planted
    return np.where(gone, np.nan, X)


def weighted_error(X, P, W, H, scale=1):
    return np.sqrt((P * (X - W * scale @ H) ** 2).sum())


def distance_from_optimal(X, P, W, H):
    """The norm of the projected gradients, relative to that of both parts that they are a difference of."""
    sums = []
    for A, Q, F in ((W, H, X * P), (H.T, W.T, (X * P).T)):
        up, down = (P if A is W else P.T) * (A @ Q) @ Q.T, F @ Q.T
        gradient = np.where(A > 0, up - down, np.minimum(0, up - down))
        sums += [np.linalg.norm(gradient) / np.linalg.norm(down)]
    return max(sums)


@parametrize_with_checks([NMF(2, missing="nan"), NMF(missing="nan"), NMF(2, missing="zeros")])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_the_tag_says_whether_nan_is_taken():
    for missing in ("error", "nan", "zeros"):
        model = clone(NMF(3, missing=missing))
        assert model.get_params()["missing"] == missing
        assert model.__sklearn_tags__().input_tags.allow_nan == (missing == "nan")
    check_estimator(NMF(2).set_params(missing="nan"))


def test_every_way_to_say_missing_finds_what_is_missing(planted, holes):
    X, gone = planted
    ways = {
        "nan": (holes, {"missing": "nan"}),
        "mask": (np.ma.array(np.where(gone, -7.0, X), mask=gone), {}),
        "mask beside zeros": (np.ma.array(X, mask=gone), {"missing": "zeros"}),
        "list of masked rows": (list(np.ma.array(X, mask=gone)), {}),
        "frame": (pd.DataFrame(holes), {"missing": "nan"}),
        "frame with NA": (pd.DataFrame(holes).convert_dtypes(), {"missing": "nan"}),
        "weights": (X, {"weights": (~gone).astype(float)}),
        "sparse weights": (X, {"weights": sp.csc_array((~gone).astype(np.float32))}),
        "stored": (sp.csr_array(np.where(gone, 0, X)), {"missing": "zeros"}),
        "stored by columns": (sp.csc_matrix(np.where(gone, 0, X)), {"missing": "zeros"}),
        "stored NaN": (sp.coo_array(holes), {"missing": "nan"}),
        "zeros": (np.where(gone, 0, X), {"missing": "zeros"}),
    }
    rows, cols = np.nonzero(gone)
    first = None
    for name, (given, options) in ways.items():
        result = anmf.factorize(given, 3, seed=1, tolerance=1e-12, max_iterations=5000, **options)
        predicted = result.predict_entries(rows, cols)
        np.testing.assert_allclose(predicted, X[gone], atol=1e-4, err_msg=name)
        assert result.observed == (~gone).sum()
        assert result.error == pytest.approx(weighted_error(X, ~gone, result.W, result.H), abs=1e-7), name
        if name in ("nan", "mask", "list of masked rows", "frame", "frame with NA"):
            first = result.W if first is None else first
            np.testing.assert_array_equal(result.W, first, err_msg=name)


@pytest.mark.parametrize("solver", ["auto", "hals", "a-hals", "mu", "cd"])
def test_nmf_of_what_was_observed(planted, holes, solver):
    X, gone = planted
    noisy = holes + 0.05 * np.random.default_rng(0).random(holes.shape)
    kept = noisy.copy()
    model = NMF(3, solver=solver, missing="nan", random_state=0, max_iter=3000, tol=1e-5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        W = model.fit_transform(noisy)
    np.testing.assert_array_equal(noisy, kept)
    assert model.n_observed_ == (~gone).sum()
    clean = np.where(gone, 0, noisy)
    error = weighted_error(clean, ~gone, W, model.components_)
    assert model.reconstruction_err_ == pytest.approx(error, rel=1e-6)
    assert distance_from_optimal(clean, ~gone, W, model.components_) < (0.05 if solver == "mu" else 0.01)
    assert np.abs(W @ model.components_ - X)[gone].max() < 0.2
    # The W of a fit is the best one, so transform() finds it, or what is a little better.
    assert weighted_error(clean, ~gone, model.transform(noisy), model.components_) <= error * (1 + 1e-9)


def test_what_the_caller_has_stays_as_it_is(holes):
    frame = pd.DataFrame(holes).convert_dtypes()  # with pandas' own NA
    masked = np.ma.masked_invalid(holes)
    forms = [holes, np.asfortranarray(holes), masked, frame, sp.csr_array(holes), sp.csc_array(holes)]
    fitted = []
    for given in forms:
        kept = given.copy()
        fitted.append(NMF(3, missing="nan", random_state=0, tol=1e-2).fit(given))
        fitted[-1].transform(given)
        if isinstance(given, pd.DataFrame):
            pd.testing.assert_frame_equal(given, kept)
        elif sp.issparse(given):
            np.testing.assert_array_equal(given.data, kept.data)
        else:
            np.testing.assert_array_equal(np.ma.getdata(given), np.ma.getdata(kept))
            np.testing.assert_array_equal(np.ma.getmaskarray(given), np.ma.getmaskarray(kept))
    for model in fitted[1:4]:
        np.testing.assert_array_equal(model.components_, fitted[0].components_)


@pytest.mark.parametrize("form", ["dense", "csr", "csc"])
def test_explicit_zeros_were_observed(form):
    rng = np.random.default_rng(5)
    X = rng.random((30, 4)) @ rng.random((4, 20)) * (rng.random((30, 20)) < 0.8)
    seen = rng.random((30, 20)) < 0.6
    seen |= (seen & (X == 0)).any()  # False stays: there are zeros that were seen
    places = np.nonzero(seen)
    sparse = sp.coo_array((X[places], places), shape=X.shape)
    given = sparse.asformat(form) if form != "dense" else np.where(seen, X, np.nan)
    result = anmf.factorize(given, 3, seed=2, missing="nan" if form == "dense" else "zeros", max_iterations=50)
    assert result.observed == seen.sum()
    assert result.error == pytest.approx(weighted_error(X, seen, result.W, result.H))
    kept = NMF(3, missing="zeros", init="random", random_state=0, max_iter=500).fit(sparse.tocsr())
    assert kept.n_observed_ == seen.sum()
    assert sparse.nnz == seen.sum()  # as it was
    doubled = sp.csr_array((np.tile(sparse.data / 2, 2), (np.tile(places[0], 2), np.tile(places[1], 2))), X.shape)
    np.testing.assert_allclose(kept.transform(doubled), kept.transform(sparse), atol=1e-12)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("by_entry", [False, True])
def test_transform_solves_for_every_row_by_itself(planted, sparse, by_entry):
    X, gone = planted
    rng = np.random.default_rng(1)
    H = rng.random((5, 30)) * (rng.random((5, 30)) < 0.7)
    P = np.where(gone, 0, rng.random(X.shape) + 0.1 if by_entry else 1.0)
    P[4] = 0
    P[7, 3:] = 0  # fewer entries than components
    model = NMF(5, init="custom", solver="hals", max_iter=1).fit(X, W=np.ones((40, 5)), H=H)
    model.components_ = H
    model.alpha_W, model.l1_ratio = 1e-3, 0.5
    given = sp.csr_matrix(X) if sparse else X
    W = model.transform(given, weights=sp.csr_array(P) if sparse else P)
    l1 = l2 = 0.5 * 30e-3
    for x, p, w in zip(X, P, W, strict=True):
        A = np.vstack([np.sqrt(p)[:, None] * H.T, np.sqrt(l2) * np.eye(5)])
        b = np.concatenate([np.sqrt(p) * x, -l1 / np.sqrt(l2) * np.ones(5)])
        np.testing.assert_allclose(w, scipy.optimize.nnls(A, b)[0], atol=1e-9)
    assert not W[4].any()


def test_integer_sample_weights_are_repeated_rows(X):
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 5, 30)
    W, H = rng.random((30, 3)) + 0.1, rng.random((3, 20)) + 0.1
    holes = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    # The accelerated solvers make the more sweeps the more rows there are.
    for given, options in [
        (X, {"solver": "cd"}),
        (X, {"solver": "mu", "beta_loss": "kullback-leibler"}),
        (sp.csr_array(X), {"solver": "mu", "beta_loss": "kullback-leibler"}),
        (sp.csr_array(X), {"solver": "hals"}),
        (holes, {"solver": "hals", "missing": "nan"}),
    ]:
        model = NMF(3, init="custom", tol=0, max_iter=20, alpha_W=0.002, alpha_H=0.01, l1_ratio=0.3, **options)
        weighted = model.fit_transform(given, W=W, H=H, sample_weight=counts)
        error, components = model.reconstruction_err_, model.components_
        again = np.repeat(np.arange(30), counts)
        repeated = model.fit_transform(given[again], W=W[again], H=H)
        np.testing.assert_allclose(weighted[again], repeated, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(components, model.components_, rtol=1e-9, atol=1e-9)
        assert error == pytest.approx(model.reconstruction_err_, rel=1e-9)
        if model.solver != "mu":  # whose transform() starts from the mean of all rows and ends by the error of all
            score = model.score(given, sample_weight=counts)
            assert score == pytest.approx(model.score(given[again]), rel=1e-9)


def test_row_and_column_weights_are_repeated_lines(X):
    rng = np.random.default_rng(1)
    rows, cols = rng.integers(1, 4, 30), rng.integers(1, 4, 20)
    W, H = rng.random((30, 3)), rng.random((3, 20))
    options = {"method": "hals", "max_iterations": 15, "tolerance": 0, "alpha_W": 1e-3, "l1_ratio": 0.5}
    a = anmf.factorize(X, 3, W=W, H=H, row_weights=rows, column_weights=cols, **options)
    again, across = np.repeat(np.arange(30), rows), np.repeat(np.arange(20), cols)
    b = anmf.factorize(X[again][:, across], 3, W=W[again], H=H[:, across], **options)
    np.testing.assert_allclose(a.W[again], b.W, atol=1e-9)
    np.testing.assert_allclose(a.H[:, across], b.H, atol=1e-9)
    assert a.error == pytest.approx(b.error, rel=1e-9)
    assert a.penalty == pytest.approx(b.penalty, rel=1e-9)


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler", "itakura-saito"])
def test_score_is_minus_the_mean_deviance(planted, holes, loss):
    X, gone = planted
    model = NMF(2, beta_loss=loss, missing="nan", random_state=0, max_iter=100, tol=1e-3).fit(holes)
    deviance = {
        "frobenius": metrics.mean_squared_error,
        "kullback-leibler": metrics.mean_poisson_deviance,
        "itakura-saito": metrics.mean_gamma_deviance,
    }[loss]
    predicted = model.inverse_transform(model.transform(holes))
    assert model.score(holes) == pytest.approx(-deviance(X[~gone], predicted[~gone]), rel=1e-6)
    counts = np.arange(40) % 3
    weights = np.where(gone, 0.0, np.random.default_rng(0).random(X.shape))
    predicted = model.inverse_transform(model.transform(X, weights=weights))
    everything = weights * counts[:, None]
    expected = -deviance(X.ravel(), np.maximum(predicted.ravel(), 1e-30), sample_weight=everything.ravel())
    for form in (np.asarray, sp.csr_array):
        given = model.score(X, weights=form(weights), sample_weight=counts)
        assert given == pytest.approx(expected, rel=1e-6)


def test_score_of_what_is_stored():
    X = sp.random(40, 20, 0.3, random_state=0, format="csr")
    model = NMF(2, missing="zeros", init="random", random_state=0).fit(X)
    residuals = X.data - anmf.predict_entries(model.transform(X), model.components_, *X.nonzero())
    assert model.score(X) == pytest.approx(-np.mean(residuals**2))
    residuals = X.data - anmf.predict_entries(model.transform(X, weights=X), model.components_, *X.nonzero())
    assert model.score(X, weights=X) == pytest.approx(-np.average(residuals**2, weights=X.data))


def test_predict_entries(X):
    result = anmf.factorize(X, 3, seed=1, max_iterations=20, normalize="l2")
    product = result.W * result.scale @ result.H
    rows, cols = np.array([0, 29, 5]), np.array([19, 0, 5])
    np.testing.assert_allclose(result.predict_entries(rows, cols), product[rows, cols])
    np.testing.assert_allclose(result.predict_entries(rows[:, None], [3, 4]), product[rows][:, 3:5])
    assert result.predict_entries([], []).shape == (0,)
    assert result.predict_entries(7, 8) == pytest.approx(product[7, 8])
    model = NMF(3, random_state=0, max_iter=500)
    W = model.fit_transform(X)
    many = np.random.default_rng(0).integers(0, 20, 200_000)  # more than are made at once
    np.testing.assert_allclose(model.predict_entries(W, many, many), (W @ model.components_)[many, many])


def test_held_out_entries(X):
    rng = np.random.default_rng(0)
    X = rng.random((60, 4)) @ rng.random((4, 50)) + 0.01 * rng.random((60, 50))
    errors = {}
    for rank in (1, 4):
        result = anmf.factorize(X, rank, heldout=0.1, heldout_seed=5, seed=0, max_iterations=500)
        errors[rank] = result.heldout_error
        assert result.heldout_entries == 300
        assert result.history["heldout"][-1] == pytest.approx(result.heldout_error, rel=1e-6)
        assert result.observed == X.size
    assert errors[4] < 0.2 * errors[1]
    assert result.heldout_relative_error < 0.2
    plain = anmf.factorize(X, 2, max_iterations=3)
    assert np.isnan(plain.heldout_error)
    assert np.isnan(plain.history["heldout"]).all()
    with pytest.raises(ValueError, match="init = nndsvda is made from all entries of M"):
        anmf.factorize(X, 2, heldout=0.1, init="nndsvda")


def test_in_pipelines(planted, holes):
    X, _ = planted
    y = X[:, 0] > np.median(X[:, 0])
    steps = make_pipeline(NMF(3, missing="nan", random_state=0, max_iter=500), LogisticRegression(C=1e6, max_iter=5000))
    assert steps.fit(holes, y).score(holes, y) > 0.8
    steps.fit(holes, y, nmf__sample_weight=np.arange(40) % 2)
    with config_context(enable_metadata_routing=True):
        steps = make_pipeline(NMF(3).set_fit_request(sample_weight=True).set_transform_request(weights=False))
        steps.fit(X, sample_weight=np.ones(40))


def test_what_changes_nothing(X):
    plain = anmf.factorize(X, 3, seed=1, max_iterations=30)
    for options in [{"missing": "nan"}, {"row_weights": np.ones(30)}, {"column_weights": np.ones(20)}]:
        np.testing.assert_array_equal(anmf.factorize(X, 3, seed=1, max_iterations=30, **options).W, plain.W)
    model = NMF(3, random_state=0, max_iter=500)
    W = model.fit_transform(X)
    np.testing.assert_array_equal(model.set_params(missing="nan").fit_transform(X), W)
    np.testing.assert_array_equal(model.fit_transform(X, sample_weight=np.ones(30)), W)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_number_types_and_orders(planted, dtype):
    X, gone = planted
    holes = np.where(gone, np.nan, X).astype(dtype)
    a = NMF(3, missing="nan", random_state=0, tol=1e-3).fit(holes)
    b = NMF(3, missing="nan", random_state=0, tol=1e-3).fit(np.asfortranarray(holes))
    assert a.components_.dtype == dtype
    np.testing.assert_array_equal(a.components_, b.components_)
    bytes_ = np.ma.array((255 * X / X.max()).astype(np.uint8), mask=gone)
    assert NMF(3, random_state=0, tol=1e-3).fit(bytes_).n_observed_ == (~gone).sum()


def test_a_report_of_what_was_observed(holes, tmp_path):
    if not anmf._core.has_report_page:
        pytest.skip("built without npm, so without the report page")
    model = NMF(3, missing="nan", random_state=0, tol=1e-3).fit(holes)
    assert model.report(tmp_path / "page.html", holes).stat().st_size > 100_000


def test_bad_input_gets_a_sentence(X, holes):
    ones = np.ones(X.shape)
    one_nan = np.where(np.arange(20) == 4, np.nan, ones)
    sparse = sp.csr_array(X)
    stored_nan = sp.csr_array(one_nan)
    fit = anmf.factorize
    for call, words in [
        (lambda: fit(one_nan, 3), r'M\[0, 4\] = nan is not a number .* say missing="nan"\.'),
        (lambda: fit(stored_nan, 3), r'is not a number .* say missing="nan"\.'),
        (lambda: NMF(3).fit(one_nan), r'Input X contains NaN\. If NaN stands for .* say missing="nan"\.'),
        (lambda: NMF(3, missing="zeros").fit(one_nan), r"Input X contains NaN"),
        (lambda: anmf.MiniBatchNMF(3).fit(one_nan), "MiniBatchNMF learns from complete rows only"),
        (lambda: fit(X, 3, missing="none"), "missing = 'none' is not allowed; choose one of 'error', 'nan', 'zeros'"),
        (lambda: NMF(3, missing="none").fit(X), "The 'missing' parameter of NMF must be a str among"),
        (lambda: fit(one_nan, 3, missing="zeros"), r'X\[0, 4\] is NaN .* With missing="zeros" zeros are what is'),
        (lambda: fit(stored_nan, 3, missing="zeros"), r'X\[0, 4\] is NaN .* With missing="zeros"'),
        (lambda: fit(np.ma.array(one_nan, mask=ones == 0), 3), r"M\[0, 4\] = nan is not a number"),
        (lambda: fit(np.ma.masked_where(X > 0.9, one_nan), 3), r"X\[0, 4\] is NaN .* The mask does not hide it"),
        (lambda: fit(X, 3, weights=ones[1:]), "weights is 29 x 20, but X is 30 x 20; they must have the same size"),
        (lambda: fit(X, 3, weights=-ones), r"The weight of M\[0, 0\] is -1 .* must be finite and >= 0"),
        (lambda: fit(X, 3, weights=sp.csr_array(-ones)), r"The weight of M\[0, 0\] is -1"),
        (lambda: fit(X, 3, weights=one_nan), r"The weight of M\[0, 4\] is nan"),
        (lambda: fit(X, 3, weights=0 * ones), "No entry of M counts"),
        (lambda: fit(X, 3, weights=np.ma.masked_where(ones > 0, ones)), "weights has masked entries"),
        (lambda: fit(X, 3, row_weights=np.ones(20)), "There are 20 weights of rows, but M has 30 rows"),
        (lambda: fit(X, 3, column_weights=np.ones(30)), "There are 30 weights of columns, but M has 20 columns"),
        (lambda: fit(X, 3, row_weights=ones), "row_weights has 2 dimensions; it must have 1"),
        (lambda: fit(X, 3, row_weights=np.zeros(30)), "All weights of rows are zero"),
        (lambda: NMF(3).fit(X, sample_weight=-np.ones(30)), "Negative values in data passed to `sample_weight`"),
        (lambda: NMF(3).fit(X, sample_weight=np.ones(7)), r"sample_weight.shape == \(7,\), expected \(30,\)"),
        (lambda: NMF(3, missing="nan").fit(np.full((4, 4), np.nan)), "No entry of M counts"),
        (lambda: fit(np.ma.masked_all((4, 4)), 2), "No entry of M counts"),
        (lambda: fit(sp.csr_array((4, 4)), 2, missing="zeros"), "No entry of M counts"),
        (lambda: fit(-sparse, 3, missing="zeros"), r"X\[0, \d+\] = -.* entries must be finite and >= 0"),
        (lambda: fit(holes, 3, "pg", missing="nan"), 'method = "pg" cannot minimise .* those that can are auto'),
        (lambda: NMF(3, solver="anls", missing="nan").fit(holes), "with weights or missing entries; those that can"),
        (lambda: NMF(3, init="nndsvda", missing="nan").fit(holes), "init = 'nndsvda' is made from all entries of X"),
        (lambda: NMF(3, init="spa").fit(X, weights=ones / 2), "init = 'spa' is made from all entries of X"),
        (lambda: fit(X, 3, init="spa", weights=ones / 2), "init = spa is made from all entries of M"),
        (
            lambda: fit(holes, 3, missing="nan", compress="on"),
            "compress = on does not go with entries that are missing",
        ),
        (lambda: anmf.best_rank_error(np.ma.masked_greater(X, 0.5), 3), "missing entries are not supported"),
        (lambda: anmf.predict_entries(ones, X, [0], [0]), "W is 30 x 20 and H is 30 x 20; W must have as many columns"),
        (lambda: anmf.predict_entries(X, X.T, [30], [0]), "rows has 30; rows are counted from 0 and must be below 30"),
        (lambda: anmf.predict_entries(X, X.T, [0], [-1]), "cols has -1; cols are counted from 0"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(TypeError, match="rows has entries of type float64; they must be whole numbers"):
        anmf.predict_entries(X, X.T, [0.5], [0])
