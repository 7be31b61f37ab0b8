# SPDX-License-Identifier: MIT
"""anmf.NMF among scikit-learn's tools, and what it has beyond scikit-learn's NMF."""

import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import anmf
from anmf import NMF, MiniBatchNMF

SOLVERS = ["auto", "cd", "mu", "e-a-hals", "e-a-mu", "a-hals", "a-mu", "a-pg", "hals", "pg", "anls"]


# Not with "mu": its transform() has scikit-learn's iterations, which end by the error of all rows, and checks want
# every row to have what it has by itself, and what fit_transform() gave.
@parametrize_with_checks(
    [
        NMF(),
        NMF(2),
        NMF(2, solver="cd"),
        NMF(2, solver="anls"),
        NMF(2, beta_loss="kullback-leibler"),
        MiniBatchNMF(batch_size=10, max_iter=20, fresh_restarts=True),  # as scikit-learn checks its own
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("init", ["random", "nndsvd", "nndsvda", "nndsvdar", "spa", "scaled-random", None])
@pytest.mark.filterwarnings("ignore:The multiplicative update")
def test_every_solver_from_every_start(X, solver, init):
    model = NMF(4, solver=solver, init=init, random_state=0, max_iter=2000, tol=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        W = model.fit_transform(X)
    assert W.min() >= 0
    assert model.components_.min() >= 0
    error = np.linalg.norm(X - W @ model.components_)
    assert model.reconstruction_err_ == pytest.approx(error, rel=1e-6)
    assert error < 0.25 * np.linalg.norm(X)


def test_spa_starts_from_rows_of_the_data():
    rng = np.random.default_rng(0)
    spectra = rng.random((3, 40)) + 0.1
    X = np.vstack([spectra, rng.dirichlet(np.ones(3), 50) @ spectra])
    from anmf._start import _initialize_nmf

    for data in (X, sp.csr_array(X)):
        W, H = _initialize_nmf(data, 3, "spa")
        assert sorted(np.argmin(np.linalg.norm(spectra[:, None] - H[None], axis=2), axis=0)) == [0, 1, 2]
        np.testing.assert_allclose(W @ H, X, atol=1e-10)
    # An exact start stays exact, but for what the comparison of errors allows as rounding.
    assert NMF(3, init="spa", random_state=0).fit(X).reconstruction_err_ < 1e-6 * np.linalg.norm(X)


def test_transform_agrees_with_the_converged_fit(X):
    for alpha in (0.0, 0.001):
        model = NMF(4, tol=1e-7, max_iter=20000, random_state=0, alpha_W=alpha, l1_ratio=0.5)
        W = model.fit_transform(X)
        assert model.status_ == "converged"
        np.testing.assert_allclose(model.transform(X), W, atol=1e-4 * W.max())
        np.testing.assert_allclose(model.transform(sp.csr_matrix(X)), W, atol=1e-4 * W.max())


def test_frames_in_and_out(X):
    names = [f"gene{j}" for j in range(X.shape[1])]
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        model = NMF(3).fit(frame)
        assert list(model.feature_names_in_) == names
        assert model.n_features_in_ == 20
        np.testing.assert_array_equal(model.components_, NMF(3).fit(X).components_)
    out = NMF(3).set_output(transform="pandas").fit_transform(pd.DataFrame(X, columns=names))
    assert list(out.columns) == ["nmf0", "nmf1", "nmf2"]
    assert NMF(3).set_output(transform="polars").fit_transform(X).columns == ["nmf0", "nmf1", "nmf2"]
    with pytest.raises(ValueError, match="feature names should match"):
        NMF(3).fit(pd.DataFrame(X, columns=names)).transform(pd.DataFrame(X, columns=names[::-1]))


def test_pipeline_grid_search_clone_and_pickle(X):
    texts = ["cats purr and sleep", "dogs bark and run", "cats sleep", "dogs run far", "birds sing", "birds fly far"]
    topics = make_pipeline(TfidfVectorizer(), NMF(3, random_state=0)).fit(texts)
    assert topics.transform(["cats run"]).shape == (1, 3)

    search = GridSearchCV(
        NMF(random_state=0, init="random", max_iter=1000),
        {"n_components": [1, 4]},
        cv=3,
        scoring=lambda model, X, y=None: -np.linalg.norm(X - model.inverse_transform(model.transform(X))),
    ).fit(X)
    assert search.best_params_ == {"n_components": 4}

    model = NMF(3, random_state=1, alpha_W=0.01, normalize="l2").fit(X)
    again = clone(model).fit(X)
    np.testing.assert_array_equal(again.components_, model.components_)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.transform(X), model.transform(X))
    make_pipeline(MaxAbsScaler(), NMF(2)).fit(sp.csr_matrix(X))


def components_of(seed, X):
    return NMF(3, init="random", random_state=seed).fit(X).components_


def test_joblib_processes(X):
    parallel = joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(components_of)(seed, X) for seed in range(4))
    for seed, components in enumerate(parallel):
        np.testing.assert_array_equal(components, components_of(seed, X))


@pytest.mark.parametrize(
    "dtype", [bool, "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", ">f8", ">i4", ">f4"]
)
@pytest.mark.parametrize("container", [np.asarray, np.asfortranarray, sp.csr_array, sp.csc_matrix])
def test_every_number_type(dtype, container):
    counts = np.random.default_rng(0).poisson(1.5, (25, 15)).clip(0, 100).astype(dtype)
    foreign = not np.dtype(dtype).isnative or np.dtype(dtype) == np.float16
    if container in (sp.csr_array, sp.csc_matrix) and foreign:
        pytest.skip("scipy has no sparse matrices of this type")
    model = NMF(3, random_state=0, solver="cd", max_iter=500)
    W = model.fit_transform(container(counts))
    single = np.dtype(dtype) == np.float32
    assert W.dtype == model.components_.dtype == (np.float32 if single else np.float64)
    expected = NMF(3, random_state=0, solver="cd", max_iter=500).fit_transform(counts.astype("f8"))
    np.testing.assert_allclose(W, expected, rtol=1e-2 if single else 1e-6, atol=2e-3 if single else 1e-6)


def test_views_and_read_only_memory_maps(X, tmp_path):
    expected = NMF(3, random_state=0).fit_transform(X)
    wide = np.zeros((60, 60))
    wide[::2, ::3] = X
    np.testing.assert_array_equal(NMF(3, random_state=0).fit_transform(wide[::2, ::3]), expected)
    np.testing.assert_array_equal(NMF(3, random_state=0).fit_transform(X[::-1][::-1]), expected)
    np.testing.assert_array_equal(NMF(3, random_state=0).fit_transform(wide[::2, :][:, ::3]), expected)
    padded = np.zeros((30, 32))
    padded[:, :20] = X
    np.testing.assert_array_equal(NMF(3, random_state=0).fit_transform(padded[:, :20]), expected)
    unaligned = np.frombuffer(b"x" + X.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(X.shape)
    assert not unaligned.flags.aligned
    np.testing.assert_array_equal(NMF(3, random_state=0).fit_transform(unaligned), expected)

    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert not mapped.flags.writeable
    np.testing.assert_array_equal(NMF(3, random_state=0).fit_transform(mapped), expected)
    X.flags.writeable = False
    np.testing.assert_array_equal(NMF(3, random_state=0).fit_transform(X), expected)


@pytest.mark.parametrize(
    "make", [sp.csr_matrix, sp.csc_matrix, sp.csr_array, sp.csc_array, sp.coo_array, sp.lil_matrix]
)
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_forms(X, make, index):
    sparse = make(X)
    if sparse.format in ("csr", "csc"):
        sparse.indices, sparse.indptr = sparse.indices.astype(index), sparse.indptr.astype(index)
    np.testing.assert_allclose(
        NMF(3, random_state=0, solver="a-hals", init="random").fit_transform(sparse),
        NMF(3, random_state=0, solver="a-hals", init="random").fit_transform(X),
        atol=1e-6,
    )


def test_the_data_is_not_changed(X):
    for data in (X.copy(), np.asfortranarray(X), sp.csr_array(X)):
        before = data.copy()
        NMF(3, random_state=0).fit(data).transform(data)
        assert (before != data).sum() == 0


def test_n_init_keeps_the_best(X):
    def error(**options):
        return NMF(4, init="random", random_state=5, max_iter=1000, solver="cd", **options).fit(X).reconstruction_err_

    assert error(n_init=8, alpha_W=1e-12) <= error(alpha_W=1e-12)
    errors = []
    model = NMF(
        4,
        init="random",
        random_state=5,
        max_iter=30,
        tol=0,
        solver="cd",
        n_init=3,
        callback=lambda state: errors.append((state.iteration, state.error)) and None,
    ).fit(X)
    last = [error for iteration, error in errors if iteration == 30]
    assert len(last) == 3
    assert model.reconstruction_err_ == min(last)
    with pytest.raises(ValueError, match="n_init = 2 starts would all be the same with init = 'nndsvd'"):
        NMF(3, init="nndsvd", n_init=2).fit(X)


@pytest.mark.parametrize("options", [{"solver": "cd"}, {"solver": "a-hals"}, {"beta_loss": "kullback-leibler"}])
def test_starts_side_by_side(X, options):
    """They are those of a survey, and the best one is kept."""
    options |= {"init": "random", "random_state": 5, "max_iter": 1000}
    model = NMF(4, n_init=6, **options).fit(X)
    more = NMF(4, n_init=12, n_threads=1, **options).fit(X)
    assert more.reconstruction_err_ <= model.reconstruction_err_  # the first six are the same
    rng = np.random.RandomState(np.random.RandomState(5).randint(np.iinfo(np.int32).max))
    stop = {"stop_rule": "gradient", "tolerance": 1e-4, "revive": False} if options.get("solver") == "cd" else {}
    starts = anmf.survey(
        X,
        4,
        starts=6,
        seed=int(rng.randint(np.iinfo(np.int32).max)),
        heldout="none",
        method={"cd": "hals"}.get(options.get("solver", "auto"), options.get("solver", "auto")),
        beta_loss=options.get("beta_loss", "frobenius"),
        init="random",
        max_iterations=1000,
        **stop,
    )
    assert model.reconstruction_err_ == starts.jobs["error"].min()
    np.testing.assert_array_equal(model.components_, starts.best(4).H)
    np.testing.assert_array_equal(NMF(4, n_init=6, **options).fit(X).components_, model.components_)


def test_callback_history_and_limits(X):
    seen = []
    model = NMF(4, init="random", random_state=0, callback=lambda state: seen.append(state) or state.iteration == 7)
    model.fit(X)
    assert model.status_ == "stopped_by_callback"
    assert model.n_iter_ == 7
    assert [state.iteration for state in seen] == list(range(8))
    assert model.history_.dtype.names == anmf.Iteration._fields
    shown = np.array([tuple(state) for state in seen], dtype=model.history_.dtype)
    np.testing.assert_array_equal(shown[:-1].tolist(), model.history_[:-1].tolist())
    assert shown["error"][-1] == model.history_["error"][-1]
    assert model.history_["promised_decrease"][-1] == model.promised_decrease_  # looked at when the run had ended
    assert model.history_["error"][-1] == model.reconstruction_err_
    assert (np.diff(model.history_["error"]) <= 1e-12).all()
    assert (np.diff(model.history_["flops"]) > 0).all()

    with pytest.warns(ConvergenceWarning, match="time limit of 1e-09 s"):
        assert NMF(4, time_limit=1e-9).fit(X).status_ == "time_limit"
    with pytest.warns(ConvergenceWarning, match="Maximum number of iterations 3 reached"):
        assert NMF(4, max_iter=3, tol=1e-12).fit(X).status_ == "iteration_limit"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        converged = NMF(4, max_iter=5000).fit(X)
        NMF(4, max_iter=3, tol=0).fit(X)
    assert converged.status_ == "converged"
    assert converged.promised_decrease_ <= converged.tol / 100
    assert NMF(4, solver="cd", max_iter=5000).fit(X).kkt_ <= converged.tol

    with pytest.raises(ZeroDivisionError):
        NMF(3, callback=lambda state: 1 / 0).fit(X)


@pytest.mark.parametrize(("normalize", "order"), [("l1", 1), ("l2", 2), ("max", np.inf)])
def test_normalize(X, normalize, order):
    plain, model = NMF(4, random_state=0), NMF(4, random_state=0, normalize=normalize)
    W_plain, W = plain.fit_transform(X), model.fit_transform(X)
    np.testing.assert_allclose(np.linalg.norm(model.components_, order, axis=1), 1)
    np.testing.assert_allclose(W @ model.components_, W_plain @ plain.components_, atol=1e-9)
    np.testing.assert_allclose(model.transform(X), W, atol=0.02)


def test_inner_iterations_can_be_chosen(X):
    one = NMF(4, solver="hals", max_iter=20, tol=0, random_state=0).fit(X)
    more = NMF(4, solver="hals", max_iter=20, tol=0, random_state=0, inner_stop="fixed", alpha=2.0).fit(X)
    assert set(one.history_["inner_w"][1:]) == {1}
    assert more.history_["inner_w"][1:].min() > 1
    stopped = NMF(4, solver="hals", max_iter=20, tol=0, random_state=0, inner_stop="dynamic", epsilon=0.5).fit(X)
    assert not np.array_equal(stopped.history_["inner_w"], more.history_["inner_w"])


def test_shuffle_and_seeds(X):
    def fit(**options):
        return NMF(4, solver="cd", init="nndsvda", max_iter=30, tol=0, **options).fit(X).components_

    assert not np.allclose(fit(shuffle=True, random_state=0), fit(random_state=0))
    np.testing.assert_array_equal(fit(shuffle=True, random_state=0), fit(shuffle=True, random_state=0))
    assert not np.array_equal(fit(shuffle=True, random_state=0), fit(shuffle=True, random_state=1))
    np.testing.assert_array_equal(fit(n_threads=1), fit(n_threads=4))


@pytest.mark.parametrize("solver", ["cd", "mu"])
def test_the_default_start_gives_one_answer_for_every_random_state(solver):
    X = np.random.default_rng(3).random((450, 420))  # too large for an exact singular value decomposition
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fits = [NMF(4, solver=solver, max_iter=5, random_state=seed).fit(X).components_ for seed in (0, 1)]
    np.testing.assert_array_equal(fits[0], fits[1])


def test_wrong_input_is_refused_with_a_sentence(X):
    with pytest.raises(NotFittedError):
        NMF(3).transform(X)
    with pytest.raises(ValueError, match=r"solver 'cd' does not handle beta_loss = 'kullback-leibler'"):
        NMF(3, beta_loss="kullback-leibler", solver="cd").fit(X)
    with pytest.raises(
        ValueError, match=r"cannot minimise the loss kullback-leibler; those that can are auto, .*e-ccd"
    ):
        NMF(3, beta_loss="kullback-leibler", solver="e-a-hals").fit(X)
    with pytest.raises(ValueError, match="When beta_loss <= 0 and X contains zeros"):
        NMF(3, beta_loss="itakura-saito").fit(X)
    with pytest.raises(ValueError, match="When beta_loss <= 0 and X contains zeros"):
        NMF(3, beta_loss="itakura-saito").fit(X + 0.1).transform(X)
    with pytest.raises(ValueError, match="a number beta between -5 and 5"):
        NMF(3, beta_loss=6).fit(X)
    with pytest.raises(ValueError, match="'beta_loss' parameter of NMF must be a str among"):
        NMF(3, beta_loss="huber").fit(X)
    with pytest.raises(ValueError, match="Negative values in data passed to"):
        NMF(3).fit(X - 0.5)
    with pytest.raises(ValueError, match="NaN"):
        NMF(3).fit(np.where(X > 0.3, np.nan, X))
    with pytest.raises(ValueError, match="'solver' parameter of NMF must be a str among"):
        NMF(3, solver="fast").fit(X)
    with pytest.raises(ValueError, match="'epsilon' parameter of NMF"):
        NMF(3, epsilon=2).fit(X)
    with pytest.raises(ValueError, match="X has 19 features, but NMF is expecting 20"):
        NMF(3).fit(X).transform(X[:, :19])
    with pytest.raises(ValueError, match="0 sample"):
        NMF(3).fit(np.empty((0, 4)))


def test_verbose_prints_progress(X, capsys):
    NMF(3, verbose=1, max_iter=25, tol=0).fit(X)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in lines] == ["iteration    0", "iteration   10", "iteration   20"]
    NMF(3, max_iter=25, tol=0).fit(X)
    assert capsys.readouterr().out == ""
