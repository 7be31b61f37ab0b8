# SPDX-License-Identifier: MIT
"""anmf.cnmf: cNMF's scripts with anmf's factorizations. A module in the place of cNMF's says what it is called with;
runs of cNMF itself need it to be installed."""

import subprocess
import sys
import types

import numpy as np
import pytest
import sklearn.decomposition

import anmf
import anmf.cnmf

#: As cNMF 1.7.1 calls scikit-learn.
KEYWORDS = {
    "alpha_H": 0.0,
    "alpha_W": 0.0,
    "beta_loss": "frobenius",
    "init": "random",
    "l1_ratio": 0.0,
    "max_iter": 1000,
    "solver": "cd",
    "tol": 1e-4,
}


@pytest.fixture
def module(monkeypatch):
    """In the place of cnmf.cnmf, with the name that it imports."""
    module = types.ModuleType("cnmf.cnmf")
    module.non_negative_factorization = sklearn.decomposition.non_negative_factorization
    module.cNMF = type("cNMF", (), {"combine_nmf": lambda self, k: f"combined {k}"})
    package = types.ModuleType("cnmf")
    package.cnmf = module
    monkeypatch.setitem(sys.modules, "cnmf", package)
    monkeypatch.setitem(sys.modules, "cnmf.cnmf", module)
    yield module
    anmf.cnmf.unpatch()


def test_the_name_changes_and_changes_back(module):
    before = module.non_negative_factorization
    anmf.cnmf.patch()
    anmf.cnmf.patch()
    assert module.non_negative_factorization is anmf.cnmf.non_negative_factorization
    assert sklearn.decomposition.non_negative_factorization is before
    anmf.cnmf.unpatch()
    anmf.cnmf.unpatch()
    assert module.non_negative_factorization is before


def test_cd_becomes_e_a_hals_on_one_thread(X, module, monkeypatch):
    threads = []
    count = anmf._nmf.thread_count
    monkeypatch.setattr(anmf._nmf, "thread_count", lambda n: threads.append(n) or count(n))
    anmf.cnmf.patch()
    W, H, _ = module.non_negative_factorization(X, n_components=4, random_state=5, **KEYWORDS)
    assert set(threads) == {1}
    own = anmf.NMF(4, solver="e-a-hals", init="random", random_state=5, max_iter=1000)
    np.testing.assert_array_equal(W, own.fit_transform(X))
    np.testing.assert_array_equal(H, own.components_)
    usages, same, _ = module.non_negative_factorization(X[:5], n_components=4, H=H, update_H=False, **KEYWORDS)
    np.testing.assert_array_equal(usages, own.transform(X[:5]))
    np.testing.assert_array_equal(same, H)


def test_other_losses(X, module):
    anmf.cnmf.patch()
    keywords = KEYWORDS | {"beta_loss": "kullback-leibler", "solver": "mu"}
    _, H, _ = module.non_negative_factorization(X, n_components=3, random_state=5, **keywords)
    own = anmf.NMF(3, beta_loss="kullback-leibler", init="random", random_state=5, max_iter=1000).fit(X)
    np.testing.assert_array_equal(H, own.components_)
    # A loss that the engine has not stays with scikit-learn.
    keywords |= {"beta_loss": 6.0, "max_iter": 5, "tol": 0}
    theirs = sklearn.decomposition.non_negative_factorization(X, n_components=3, random_state=5, **keywords)[1]
    np.testing.assert_array_equal(
        module.non_negative_factorization(X, n_components=3, random_state=5, **keywords)[1], theirs
    )


def test_without_cnmf(monkeypatch):
    monkeypatch.setitem(sys.modules, "cnmf", None)
    with pytest.raises(ImportError, match="pip install cnmf"):
        anmf.cnmf.patch()
    monkeypatch.setitem(sys.modules, "cnmf", types.ModuleType("cnmf"))
    monkeypatch.setitem(sys.modules, "cnmf.cnmf", types.ModuleType("cnmf.cnmf"))
    with pytest.raises(RuntimeError, match=r"cannot be patched; 1\.7\.1 can"):
        anmf.cnmf.patch()


def test_the_command_says_what_it_is():
    found = "import anmf; print(anmf.cnmf.patch.__name__, anmf.plot.trace.__name__, hasattr(anmf, 'nothing'))"
    outcome = subprocess.run([sys.executable, "-c", found], capture_output=True, text=True)
    assert outcome.stdout == "patch trace False\n"
    outcome = subprocess.run([sys.executable, "-m", "anmf.cnmf"], capture_output=True, text=True)
    assert "python -m anmf.cnmf ARGUMENTS" in outcome.stderr


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A run of cNMF of 120 cells with 3 programs, prepared."""
    cnmf = pytest.importorskip("cnmf", reason="cNMF is not installed: pip install cnmf==1.7.1")
    pd = pytest.importorskip("pandas")
    folder = tmp_path_factory.mktemp("cnmf")
    rng = np.random.default_rng(0)
    programs = rng.gamma(0.3, 4, (3, 60))
    usages = rng.dirichlet(np.full(3, 0.3), 120)
    cells, genes = [f"cell{i}" for i in range(120)], [f"gene{i}" for i in range(60)]
    counts = pd.DataFrame(rng.poisson(usages @ programs * 5) + 1, cells, genes)
    counts.to_csv(folder / "counts.tsv", sep="\t")
    run = cnmf.cNMF(output_dir=str(folder), name="run")
    run.prepare(str(folder / "counts.tsv"), components=[2, 3], n_iter=5, seed=7, num_highvar_genes=40)
    return run


def results(run, k):
    """Spectra and usages of cNMF's consensus."""
    run.consensus(k, density_threshold=2.0, show_clustering=False)
    return [
        np.load(run.paths[name] % (k, "2_0"), allow_pickle=True)["data"]
        for name in ("consensus_spectra", "consensus_usages")
    ]


def test_a_run_of_cnmf(prepared):
    prepared.factorize()
    prepared.combine()
    theirs = results(prepared, 3)
    anmf.cnmf.patch()
    try:
        prepared.factorize()
        prepared.combine()
        ours = results(prepared, 3)
    finally:
        anmf.cnmf.unpatch()
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, other, atol=0.02 * other.max())


def test_factorize_in_the_place_of_cnmfs(prepared, tmp_path):
    ad = pytest.importorskip("anndata")
    prepared.factorize()
    prepared.combine()
    theirs = results(prepared, 3)
    try:
        found = anmf.cnmf.factorize(prepared, out=tmp_path / "s")
        prepared.combine()  # a script that still has this line
        files = {k: prepared.paths["merged_spectra"] % k for k in (2, 3)}
        counts = ad.read_h5ad(prepared.paths["normalized_counts"])
        for k, file in files.items():
            with np.load(file, allow_pickle=False) as merged:
                assert list(merged["index"][: k + 1]) == [*(f"iter0_topic{t + 1}" for t in range(k)), "iter1_topic1"]
                assert list(merged["columns"]) == list(counts.var_names)
                np.testing.assert_array_equal(merged["data"], found.spectra(k).reshape(5 * k, -1))
        for mine, other in zip(results(prepared, 3), theirs, strict=True):
            np.testing.assert_allclose(mine, other, atol=0.02 * other.max())
        prepared.factorize()  # cNMF's own starts are newer now
        prepared.combine()
        with np.load(files[3], allow_pickle=True) as merged:
            assert not np.array_equal(merged["data"], found.spectra(3).reshape(15, -1))
    finally:
        anmf.cnmf.unpatch()
    job = found.jobs[found.jobs["rank"] == 3].iloc[1]
    options = {"init": "random", "tolerance": 1e-6, "max_iterations": 1000, "explore": "off"}
    own = anmf.factorize(counts.X, 3, seed=int(job.seed), **options)
    np.testing.assert_array_equal(found.spectra(3)[1], own.H)
    assert found.jobs["seed"].is_unique


@pytest.mark.parametrize("threshold", [2.0, 0.05])
def test_the_consensus_is_cnmfs(prepared, threshold):
    """Of the same starts: densities, spectra and silhouettes to rounding, usages as exactly as cNMF solves for them."""
    ad = pytest.importorskip("anndata")
    try:
        found = anmf.cnmf.factorize(prepared)
    finally:
        anmf.cnmf.unpatch()
    prepared.consensus(3, density_threshold=threshold, show_clustering=False, refit_usage=False)
    agreed = found.consensus(3, clusters="free", density_threshold=threshold)

    def read(name, *which):
        return np.load(prepared.paths[name] % which, allow_pickle=True)["data"].astype(float)

    suffix = str(threshold).replace(".", "_")
    np.testing.assert_allclose(agreed.density, read("local_density_cache", 3).ravel(), atol=1e-8)
    assert (agreed.labels < 0).sum() == (agreed.density >= threshold).sum()
    np.testing.assert_allclose(agreed.spectra, read("consensus_spectra", 3, suffix), atol=1e-8)
    usages = read("consensus_usages", 3, suffix)
    np.testing.assert_allclose(agreed.usages, usages, atol=1e-3 * usages.max())
    stats = prepared.consensus(3, skip_density_and_return_after_stats=True, show_clustering=False).stats
    unfiltered = found.consensus(3)
    assert unfiltered.silhouette == pytest.approx(stats.silhouette, abs=1e-8)
    assert unfiltered.summary["consensus_error"] ** 2 == pytest.approx(stats.prediction_error, rel=1e-4)
    assert len(unfiltered.spectra[0]) == ad.read_h5ad(prepared.paths["normalized_counts"]).shape[1]


def test_starts_that_are_all_equal_are_refused(prepared, tmp_path):
    cnmf = pytest.importorskip("cnmf")
    run = cnmf.cNMF(output_dir=str(tmp_path), name="equal")
    counts = str(tmp_path / "counts.npz")
    cells = np.random.default_rng(0).poisson(3.0, (30, 20))
    np.savez(counts, data=cells, index=np.arange(30).astype(str), columns=np.arange(20).astype(str))
    run.prepare(counts, components=[2], n_iter=2, seed=1, num_highvar_genes=10, init="nndsvd")
    try:
        with pytest.raises(ValueError, match="makes all starts equal"):
            anmf.cnmf.factorize(run)
    finally:
        anmf.cnmf.unpatch()
