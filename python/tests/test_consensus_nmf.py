# SPDX-License-Identifier: MIT
"""anmf.ConsensusNMF among scikit-learn's tools, and beside the survey that it is made of."""

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
from sklearn.utils.estimator_checks import parametrize_with_checks

import anmf
from anmf import ConsensusNMF


@parametrize_with_checks([ConsensusNMF(2, n_starts=3), ConsensusNMF(1, n_starts=1, clusters="free")])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def M():
    rng = np.random.default_rng(3)
    return rng.poisson(rng.gamma(0.5, 1.0, (40, 3)) @ rng.gamma(0.5, 8.0, (3, 25))).astype(float)


@pytest.fixture(scope="module")
def model(M):
    return ConsensusNMF(ranks=[2, 3, 4], n_starts=10, random_state=0).fit(M)


def test_it_is_the_consensus_of_the_suggested_rank(M, model):
    assert model.n_components_ == model.survey_.suggestion == 3
    agreed = model.survey_.consensus(3)
    np.testing.assert_array_equal(model.components_, agreed.spectra)
    W = model.transform(M)
    np.testing.assert_allclose(W, agreed.usages, atol=1e-8 * W.max())
    again = clone(model)
    np.testing.assert_array_equal(again.fit_transform(M), agreed.usages)
    np.testing.assert_array_equal(again.components_, model.components_)
    assert model.reconstruction_err_ == pytest.approx(np.linalg.norm(M - model.inverse_transform(W)))
    np.testing.assert_array_equal(model.transform(M[4:5]), W[4:5])
    exact = anmf.nnls(model.components_.T, M[:1].T).x
    np.testing.assert_allclose(W[:1].T, exact, atol=1e-9 * exact.max())


def test_a_number_of_components_is_taken(M):
    model = ConsensusNMF(4, n_starts=5, random_state=np.random.RandomState(1)).fit(M)
    assert model.components_.shape == (4, 25)
    assert model.survey_.ranks == [4]
    assert (model.survey_.jobs["kind"] == "start").all()
    both = ConsensusNMF(4, ranks=[2], n_starts=3, random_state=0).fit(M)
    assert both.survey_.ranks == [2, 4]
    assert both.n_components_ == 4
    assert (both.survey_.jobs["kind"] == "heldout").any()


def test_names_frames_and_pipelines(M):
    frame = pd.DataFrame(M, columns=[f"gene{j}" for j in range(25)])
    model = ConsensusNMF(2, n_starts=3, random_state=0).set_output(transform="pandas")
    W = model.fit_transform(frame)
    assert list(W.columns) == list(model.get_feature_names_out()) == ["consensusnmf0", "consensusnmf1"]
    assert model.survey_.feature_names == list(frame.columns)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.transform(frame), model.transform(frame))
    assert again.survey_.ranks == [2]
    pipeline = make_pipeline(MaxAbsScaler(), ConsensusNMF(2, n_starts=3, random_state=0))
    assert pipeline.fit_transform(frame).shape == (40, 2)


def test_other_losses_missing_entries_and_sparse(M):
    options = {"n_components": 3, "n_starts": 3, "random_state": 0}
    model = ConsensusNMF(beta_loss="kullback-leibler", **options)
    W = model.fit_transform(M)
    np.testing.assert_allclose(model.transform(M), W, atol=1e-5 * W.max())
    model = ConsensusNMF(alpha_W=0.05, l1_ratio=0.5, **options)
    W = model.fit_transform(M)
    np.testing.assert_allclose(model.transform(M), W, atol=1e-8 * W.max())
    holes = np.where(np.random.default_rng(0).random(M.shape) < 0.2, np.nan, M)
    model = ConsensusNMF(missing="nan", **options)
    W = model.fit_transform(holes)
    np.testing.assert_allclose(model.transform(holes), W, atol=1e-8 * W.max())
    masked = ConsensusNMF(**options).fit(np.ma.masked_invalid(holes))
    np.testing.assert_allclose(masked.components_, model.components_, rtol=1e-8)
    with pytest.raises(ValueError, match='say missing="nan"'):
        ConsensusNMF(**options).fit(holes)
    dense, thin = ConsensusNMF(**options).fit(M), ConsensusNMF(**options).fit(sp.csr_array(M))
    np.testing.assert_allclose(thin.components_, dense.components_, atol=0.02 * dense.components_.max())


def test_a_folder(M, model, tmp_path):
    options = {"ranks": [2, 3, 4], "n_starts": 10, "random_state": 0}
    kept = ConsensusNMF(out=tmp_path / "s", **options).fit(M)
    np.testing.assert_array_equal(kept.components_, model.components_)
    again = ConsensusNMF(out=str(tmp_path / "s"), n_components=2, **(options | {"n_starts": 12})).fit(M)
    assert again.n_components_ == 2


def test_what_is_wrong_is_said(M):
    with pytest.raises(ValueError, match="The 'n_components' parameter of ConsensusNMF"):
        ConsensusNMF("auto").fit(M)
    with pytest.raises(ValueError, match="The 'clusters' parameter"):
        ConsensusNMF(clusters="k-means").fit(M)
    with pytest.raises(ValueError, match="heldout = 'none' leaves nothing to suggest a rank by"):
        ConsensusNMF(ranks=[2, 3], heldout="none").fit(M)
    with pytest.raises(ValueError, match="No rank can be suggested; set n_components"):
        ConsensusNMF(ranks=[2, 3], n_starts=3, random_state=0).fit(M)
    with pytest.raises(NotFittedError):
        ConsensusNMF(2).transform(M)
    with pytest.warns(ConvergenceWarning, match="3 of 3 starts have not converged in 2 iterations"):
        ConsensusNMF(3, n_starts=3, max_iter=2).fit(M)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ConsensusNMF(3, n_starts=3).fit(M)


def test_where_ranks_are_equally_good_the_likelier_one_is_taken():
    noise = np.random.default_rng(5).random((30, 20))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        model = ConsensusNMF(ranks=[1, 2, 3], n_starts=10, random_state=0).fit(noise)
    found = model.survey_
    assert model.n_components_ == (found.suggestion or found.alternatives[0])
    assert (found.suggestion is None) == any("No rank is clearly the best" in str(each.message) for each in seen)
