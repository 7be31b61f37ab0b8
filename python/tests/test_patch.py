# SPDX-License-Identifier: MIT
"""anmf.patch_sklearn: what calls scikit-learn gets anmf, with the same meaning, and gets scikit-learn back."""

import pickle
import subprocess
import sys
import types

import numpy as np
import pytest
import sklearn.decomposition
import sklearn.decomposition._nmf as scikit_learn
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import anmf

TIGHT = {"init": "random", "random_state": 0, "tol": 1e-7, "max_iter": 20_000}


@pytest.fixture
def early():
    """A module that has imported the names before, one of them by another name."""
    module = types.ModuleType("early")
    module.NMF = scikit_learn.NMF
    module.MiniBatchNMF = scikit_learn.MiniBatchNMF
    module.factorize = scikit_learn.non_negative_factorization
    sys.modules["early"] = module
    yield module
    del sys.modules["early"]


@pytest.fixture
def patched():
    anmf.patch_sklearn()
    yield sklearn.decomposition
    anmf.unpatch_sklearn()


def objective(X, W, H, alpha, l1_ratio):
    def size(F):
        return l1_ratio * F.sum() + (1 - l1_ratio) / 2 * (F**2).sum()

    return ((X - W @ H) ** 2).sum() / 2 + alpha * (X.shape[1] * size(W) + X.shape[0] * size(H))


def test_names_change_where_they_were_imported_and_change_back(early):
    before = (scikit_learn.NMF, scikit_learn.non_negative_factorization)
    mini_batch = scikit_learn.MiniBatchNMF
    anmf.patch_sklearn()
    anmf.patch_sklearn()  # a second call changes nothing
    assert early.NMF is sklearn.decomposition.NMF is not before[0]
    assert early.MiniBatchNMF is sklearn.decomposition.MiniBatchNMF is not mini_batch
    assert early.factorize is sklearn.decomposition.non_negative_factorization is not before[1]
    assert (scikit_learn.NMF, scikit_learn.non_negative_factorization) == before
    anmf.unpatch_sklearn()
    assert (early.NMF, early.factorize) == before
    assert early.MiniBatchNMF is sklearn.decomposition.MiniBatchNMF is mini_batch
    assert (sklearn.decomposition.NMF, sklearn.decomposition.non_negative_factorization) == before


@pytest.mark.parametrize(("alpha", "l1_ratio"), [(0.0, 0.0), (0.002, 0.7)])
def test_the_same_objective_is_minimised(X, patched, alpha, l1_ratio):
    options = {**TIGHT, "alpha_W": alpha, "l1_ratio": l1_ratio}
    reached = []
    for module in (patched, scikit_learn):
        model = module.NMF(3, **options)
        W = model.fit_transform(X)
        reached.append(objective(X, W, model.components_, alpha, l1_ratio))
        assert model.reconstruction_err_ == pytest.approx(np.linalg.norm(X - W @ model.components_))
    assert reached[0] <= reached[1] * (1 + 1e-4)
    W, H, n_iter = patched.non_negative_factorization(X, n_components=3, **options)
    assert objective(X, W, H, alpha, l1_ratio) == pytest.approx(reached[0])
    assert n_iter >= 1


def test_cd_becomes_the_fastest_method(X, patched):
    """Bit for bit what anmf gives by itself, where it does not look for lower minima."""
    model = patched.NMF(4, solver="cd", init="random", random_state=3, max_iter=1000).fit(X)
    ours = anmf.NMF(4, solver="e-a-hals", init="random", random_state=3, max_iter=1000).fit(X)
    np.testing.assert_array_equal(model.components_, ours.components_)
    np.testing.assert_array_equal(model.transform(X[:5]), ours.transform(X[:5]))
    _, H, n_iter = patched.non_negative_factorization(X, n_components=4, init="random", random_state=3, max_iter=1000)
    np.testing.assert_array_equal(H, ours.components_)
    assert n_iter == ours.n_iter_
    W, _, _ = patched.non_negative_factorization(X[:5], H=H, n_components=4, update_H=False)
    np.testing.assert_array_equal(W, ours.transform(X[:5]))
    mu = patched.NMF(4, solver="mu", random_state=3).fit(X)
    np.testing.assert_array_equal(mu.components_, anmf.NMF(4, solver="mu", random_state=3).fit(X).components_)


@pytest.mark.parametrize("beta_loss", ["kullback-leibler", 0.5])
def test_other_losses_become_the_fastest_method(X, patched, beta_loss):
    data = X + 0.01
    options = {**TIGHT, "solver": "mu", "beta_loss": beta_loss, "max_iter": 2000}
    ours, theirs = patched.NMF(3, **options), scikit_learn.NMF(3, **options)
    own = anmf.NMF(3, **(options | {"solver": "auto"}))
    np.testing.assert_array_equal(ours.fit_transform(data), own.fit_transform(data))
    np.testing.assert_array_equal(ours.transform(data[:4]), own.transform(data[:4]))
    W, H, n_iter = patched.non_negative_factorization(data, n_components=3, **options)
    np.testing.assert_array_equal(H, own.components_)
    assert n_iter == own.n_iter_
    theirs.fit(data)
    assert ours.reconstruction_err_ <= theirs.reconstruction_err_ * (1 + 1e-3)
    fixed = [
        module.non_negative_factorization(data[:5], H=H, n_components=3, update_H=False, **options)[0]
        for module in (patched, scikit_learn)
    ]
    np.testing.assert_allclose(fixed[0], fixed[1], atol=2e-3)
    assert W.shape == (30, 3)


def test_zeros_of_a_start_stay(X, patched):
    rng = np.random.default_rng(0)
    W, H = rng.random((30, 3)) + 0.1, rng.random((3, 20)) + 0.1
    H[1, :10] = 0
    options = {"solver": "mu", "beta_loss": "kullback-leibler", "init": "custom", "max_iter": 30, "tol": 0}
    model = patched.NMF(3, **options).fit(X, W=W, H=H)
    assert (model.components_[1, :10] == 0).all()
    assert (patched.non_negative_factorization(X, W, H, 3, **options)[1][1, :10] == 0).all()


def test_mini_batches(X, patched):
    options = {"batch_size": 7, "init": "random", "random_state": 0, "beta_loss": "kullback-leibler", "max_iter": 500}
    model, own = patched.MiniBatchNMF(3, **options), anmf.MiniBatchNMF(3, **options)
    assert isinstance(model, scikit_learn.MiniBatchNMF)
    np.testing.assert_array_equal(model.fit_transform(X), own.fit_transform(X))
    for _ in range(3):
        model, own = pickle.loads(pickle.dumps(model)).partial_fit(X[:9]), own.partial_fit(X[:9])
        np.testing.assert_array_equal(model.components_, own.components_)
    np.testing.assert_array_equal(model.transform(X), own.transform(X))
    assert model.n_steps_ == own.n_steps_
    names = list(patched.MiniBatchNMF(2).partial_fit(X).get_feature_names_out())
    assert names == ["minibatchnmf0", "minibatchnmf1"]


def test_errors_are_scikit_learns(X, patched):
    with pytest.raises(ValueError, match="solver 'cd' does not handle beta_loss = 1"):
        patched.NMF(3, beta_loss=1).fit(X)
    with pytest.raises(ValueError, match="The 'solver' parameter of NMF"):
        patched.NMF(3, solver="newton").fit(X)
    with pytest.raises(ValueError, match="The 'solver' parameter of non_negative_factorization"):
        patched.non_negative_factorization(X, n_components=3, solver="newton")
    with pytest.raises(ValueError, match="The 'beta_loss' parameter of non_negative_factorization"):
        patched.non_negative_factorization(X, n_components=3, solver="mu", beta_loss="huber")
    with pytest.raises(ValueError, match="When beta_loss <= 0 and X contains zeros"):
        patched.MiniBatchNMF(3, beta_loss=0).fit(X)
    with pytest.raises(ValueError, match="X has 19 features, but NMF is expecting 20"):
        patched.NMF(3).fit(X).transform(X[:, :19])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_beta_out_of_range_stays_with_scikit_learn(X, patched):
    options = {"init": "random", "random_state": 0, "beta_loss": 5.5, "max_iter": 20}
    ours, theirs = patched.NMF(3, solver="mu", **options), scikit_learn.NMF(3, solver="mu", **options)
    np.testing.assert_array_equal(ours.fit_transform(X), theirs.fit_transform(X))
    np.testing.assert_array_equal(ours.transform(X[:4]), theirs.transform(X[:4]))
    both = [module.MiniBatchNMF(3, **options).partial_fit(X).components_ for module in (patched, scikit_learn)]
    np.testing.assert_array_equal(both[0], both[1])


def test_it_stays_an_estimator_of_scikit_learn(X, patched):
    pd = pytest.importorskip("pandas")
    model = patched.NMF(3, random_state=0)
    assert isinstance(model, scikit_learn.NMF)
    assert clone(model).get_params() == model.get_params()
    frame = pd.DataFrame(X, columns=[f"gene{i}" for i in range(X.shape[1])])
    W = model.set_output(transform="pandas").fit_transform(frame)
    assert list(W.columns) == ["nmf0", "nmf1", "nmf2"]
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.transform(frame), model.transform(frame))
    pipeline = make_pipeline(FunctionTransformer(), patched.NMF(3, random_state=0))
    np.testing.assert_array_equal(pipeline.fit_transform(X), W)


def test_a_program_runs_unchanged(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(
        "import sys\nfrom sklearn.decomposition import NMF\n"
        "if __name__ == '__main__':\n    print(NMF.__module__, sys.argv[1:], len(sys.argv))\n"
    )
    for command in ([str(script), "a"], ["-m", "program", "a"]):
        run = [sys.executable, "-m", "anmf.patched", *command]
        outcome = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
        assert outcome.stdout == "anmf._patch ['a'] 2\n", outcome.stderr
    outcome = subprocess.run([sys.executable, "-m", "anmf.patched", "no-such-command"], capture_output=True, text=True)
    assert outcome.stderr == "no-such-command is neither a file nor a command that can be found.\n"
