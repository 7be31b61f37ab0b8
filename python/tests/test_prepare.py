# SPDX-License-Identifier: MIT
"""anmf.prepare against scikit-learn's transformers and plain numpy, dense and sparse, in both number types."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, Normalizer, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import anmf


class Function:
    """A step that learns nothing."""

    def __init__(self, function):
        self.function = function

    def fit_transform(self, X):
        return self.function(X)

    transform = fit_transform


class Columns:
    """total=S:columns."""

    def __init__(self, total):
        self.total = total

    def fit_transform(self, X):
        sums = np.asarray(X.sum(axis=0)).ravel()
        self.factor = self.total / np.where(sums > 0, sums, 1)
        return self.transform(X)

    def transform(self, X):
        return X @ sp.diags_array(self.factor)


class Tfidf(TfidfTransformer):
    """Which answers a dense X with a sparse one."""

    def transform(self, X):
        found = super().transform(X)
        return found if sp.issparse(X) else found.toarray()


class TopVariance:
    """The variances of numpy; of equal ones the earlier column."""

    def __init__(self, count):
        self.count = count

    def fit_transform(self, X):
        variance = (X.toarray() if sp.issparse(X) else X).var(axis=0)
        self.kept = np.sort(np.argsort(-variance, kind="stable")[: self.count])
        return self.transform(X)

    def transform(self, X):
        return X[:, self.kept]


def times(scaler, number):
    return [scaler, Function(lambda X: X * number)]


# What each step is in other words.
REFERENCE = {
    "log1p": lambda: [Function(np.log1p)],
    "sqrt": lambda: [Function(np.sqrt)],
    "tfidf": lambda: [Tfidf()],
    "total=1e4": lambda: times(Normalizer("l1"), 1e4),
    "total=1": lambda: times(Normalizer("l1"), 1),
    "total=2.5:columns": lambda: [Columns(2.5)],
    "unit-variance": lambda: [StandardScaler(with_mean=False)],
    "max=1": lambda: [MaxAbsScaler()],
    "max=255": lambda: times(MaxAbsScaler(), 255),
    "max=1:rows": lambda: times(Normalizer("max"), 1),
    "top-variance=7": lambda: [TopVariance(7)],
    "top-variance=3": lambda: [TopVariance(3)],
}
LISTS = [
    *REFERENCE,
    "total=1e4,log1p",
    "total=1e4,log1p,top-variance=7",
    "total=1e4,log1p,top-variance=7,unit-variance",
    "top-variance=7,top-variance=3,max=1",
    "log1p,tfidf",
    "tfidf,top-variance=7",
    "sqrt,total=1",
    "unit-variance,max=1:rows,log1p",
    "total=2.5:columns,sqrt,tfidf",
    "max=255,log1p,unit-variance,total=1",
]


def counts(rows, seed):
    """Counts with an empty row and an empty column, and a column that does not vary."""
    X = np.random.default_rng(seed).poisson(0.6, (rows, 12)).astype(float)
    X[2], X[:, 4], X[:, 6] = 0, 0, 3
    return X


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csc_array])
@pytest.mark.parametrize("steps", LISTS)
def test_the_numbers_are_those_of_scikit_learn(steps, form):
    reference = [step for word in steps.split(",") for step in REFERENCE[word]()]
    expected, expected_new = form(counts(40, 0)), form(counts(15, 1))
    for step in reference:
        expected = step.fit_transform(expected)
        expected_new = step.transform(expected_new)

    for dtype, tolerance in [(np.float64, 1e-12), (np.float32, 2e-6)]:
        model = anmf.prepare(steps)
        X = form(counts(40, 0).astype(dtype))
        for found, wanted in [
            (model.fit_transform(X), expected),
            (model.transform(X), expected),
            (model.transform(form(counts(15, 1).astype(dtype))), expected_new),
        ]:
            assert found.dtype == dtype
            assert sp.issparse(found) == sp.issparse(X)
            if sp.issparse(X):
                assert (type(found), found.format) == (type(X), X.format)
                assert found.nnz == np.count_nonzero(wanted.toarray())
                found, wanted = found.toarray(), wanted.toarray()
            np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=0)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int64])
def test_whole_numbers_become_float64(dtype):
    X = counts(40, 0)
    found = anmf.prepare("total=1e4,log1p").fit_transform(X.astype(dtype))
    np.testing.assert_array_equal(found, anmf.prepare("total=1e4,log1p").fit_transform(X))
    assert found.dtype == np.float64


def test_columns_in_memory_and_strides_do_not_matter():
    X = counts(40, 0)
    expected = anmf.prepare("tfidf").fit_transform(X)
    for same in (np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2]):
        np.testing.assert_array_equal(anmf.prepare("tfidf").fit_transform(same), expected)


@parametrize_with_checks([anmf.Preparation("total=1e4,log1p,tfidf,unit-variance")])
def test_it_is_an_estimator(estimator, check):
    check(estimator)


def test_the_names_that_are_left():
    frame = pd.DataFrame(counts(40, 0), columns=[f"gene{j}" for j in range(12)])
    model = anmf.prepare("log1p,top-variance=3").fit(frame)
    kept = np.sort(np.argsort(-np.log1p(frame.to_numpy()).var(axis=0), kind="stable")[:3])
    np.testing.assert_array_equal(model.features_, kept)
    assert model.get_feature_names_out().tolist() == [f"gene{j}" for j in kept]
    assert anmf.prepare("log1p").fit(frame.to_numpy()).get_feature_names_out().tolist()[:2] == ["x0", "x1"]


def test_pipelines_copies_and_pickles():
    X = sp.csr_matrix(counts(40, 0))
    model = make_pipeline(anmf.prepare("total=1e4,log1p,top-variance=7"), anmf.NMF(3, random_state=0)).fit(X)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.transform(X), model.transform(X))
    assert model[-1].components_.shape == (3, 7)
    assert clone(model[0]).steps == model[0].steps


@pytest.mark.parametrize(
    ("steps", "sentence"),
    [
        ("log2p", r"'log2p' is no step.*did you mean log1p\?"),
        ("total=0", "total must be followed by a number above 0, as in total=1e4, not by '0'"),
        ("total", "total must be followed by a number, as in total=1e4"),
        ("sqrt=2", "sqrt takes no number"),
        ("max=1:row", "'row' must be rows or columns"),
        ("tfidf:columns", "tfidf is not followed by ':columns'"),
        ("top-variance=2.5", "whole number above 0"),
        ("top-variance=13", "top-variance=13 asks for more features than the matrix has there: 12"),
        ("log1p,,sqrt", "empty"),
        ("log1p,max=1e39", "leaves the range of float32 in the step max=1e\\+39"),
    ],
)
def test_what_cannot_be_done_is_said(steps, sentence):
    with pytest.raises(ValueError, match=sentence):
        anmf.prepare(steps).fit(counts(40, 0).astype(np.float32))


def test_negative_entries_are_refused():
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        anmf.prepare("log1p").fit(-counts(40, 0))
