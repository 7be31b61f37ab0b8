# SPDX-License-Identifier: MIT
"""anmf.survey beside scipy and scikit-learn, beside anmf.factorize, and in its folder."""

import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import squareform
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_samples, silhouette_score
from sklearn.metrics.pairwise import euclidean_distances

import anmf

STARTS = 11
RANKS = [2, 3, 5]


@pytest.fixture(scope="module")
def M():
    """Counts of a rank of 3, weak enough for starts to differ."""
    rng = np.random.default_rng(3)
    return rng.poisson(rng.gamma(0.5, 1.0, (40, 3)) @ rng.gamma(0.5, 2.0, (3, 25))).astype(float)


@pytest.fixture(scope="module")
def found(M):
    return anmf.survey(M, RANKS, starts=STARTS, seed=4)


def without_seconds(table):
    return table.drop(columns="seconds")


def row_of(survey, rank):
    return survey.table.set_index("rank").loc[rank]


def unit(survey, rank):
    spectra = survey.spectra(rank).reshape(-1, survey.spectra(rank).shape[2])
    return spectra / np.linalg.norm(spectra, axis=1, keepdims=True)


def starts_of(survey, rank):
    jobs = survey.jobs
    return jobs[(jobs["rank"] == rank) & (jobs["kind"] == "start")]


def repeated(M, rank, job, **options):
    return anmf.factorize(M, rank, seed=int(job.seed), explore="off", max_iterations=5000, **options)


@pytest.mark.parametrize("rank", RANKS)
def test_jobs_have_the_bits_of_factorize(M, found, rank):
    spectra, best = found.spectra(rank), found.best(rank)
    assert spectra.shape == (STARTS, rank, M.shape[1])
    errors = []
    for job in starts_of(found, rank).itertuples():
        own = repeated(M, rank, job)
        np.testing.assert_array_equal(spectra[job.start], own.H)
        assert (job.error, job.iterations, job.status) == (own.error, own.iterations, own.status)
        if job.start == best.start:
            np.testing.assert_array_equal(best.W, own.W)
            np.testing.assert_array_equal(best.H, own.H)
        errors.append(own.error)
    row = row_of(found, rank)
    assert best.start == int(np.argmin(errors))
    assert (row.error_best, row.error_worst, best.error) == (min(errors), max(errors), min(errors))
    assert row.error_median == np.median(errors)
    assert row.explained == pytest.approx(1 - (min(errors) / np.linalg.norm(M)) ** 2)


@pytest.mark.parametrize("rank", RANKS)
def test_silhouettes_and_density(found, rank):
    spectra, row = unit(found, rank), row_of(found, rank)
    agreed = found.consensus(rank)
    own = silhouette_samples(spectra, agreed.labels)
    np.testing.assert_allclose(agreed.silhouettes, own, atol=1e-7)
    assert row.silhouette == pytest.approx(own.mean(), abs=1e-7)
    assert row.silhouette_min == pytest.approx(min(own[agreed.labels == p].mean() for p in range(rank)), abs=1e-7)
    assert row.silhouette_cosine == pytest.approx(silhouette_score(spectra, agreed.labels, metric="cosine"), abs=1e-7)
    neighbours = int(0.3 * len(spectra) / rank)
    distances = np.sort(euclidean_distances(spectra), axis=1)
    np.testing.assert_allclose(agreed.density, distances[:, : neighbours + 1].sum(axis=1) / neighbours, atol=1e-7)


@pytest.mark.parametrize("rank", RANKS)
def test_matched_clusters(found, rank):
    spectra = unit(found, rank).reshape(STARTS, rank, -1)
    centres, labels = spectra[found.best(rank).start], None
    while True:
        new = np.array([linear_sum_assignment(1 - each @ centres.T)[1] for each in spectra])
        if labels is not None and (new == labels).all():
            break
        labels = new
        centres = np.array([spectra[labels == p].mean(axis=0) for p in range(rank)])
        centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    agreed = found.consensus(rank)
    cosines = centres @ (agreed.spectra / np.linalg.norm(agreed.spectra, axis=1, keepdims=True)).T
    order = cosines.argmax(axis=0)  # the number of an agreed component among the centres
    assert sorted(order) == list(range(rank))
    np.testing.assert_allclose(cosines[order, range(rank)], 1, atol=1e-9)
    np.testing.assert_array_equal(order[agreed.labels], labels.ravel())
    members = found.components[found.components["rank"] == rank]["members"]
    assert (members == STARTS).all()


@pytest.mark.parametrize("rank", RANKS)
def test_free_clusters_are_those_of_k_means(found, rank):
    spectra = unit(found, rank)
    agreed = found.consensus(rank, clusters="free", density_threshold=2)
    theirs = KMeans(rank, n_init=10, random_state=1).fit(spectra)
    pairs = set(zip(theirs.labels_, agreed.labels, strict=True))
    assert len(pairs) == rank  # the same sets by other numbers
    for of_theirs, of_ours in pairs:
        median = np.median(spectra[theirs.labels_ == of_theirs], axis=0)
        np.testing.assert_allclose(agreed.spectra[of_ours], median / median.sum(), atol=1e-9)
    filtered = found.consensus(rank, clusters="free", density_threshold=float(np.median(agreed.density)))
    np.testing.assert_array_equal(filtered.labels < 0, agreed.density >= np.median(agreed.density))
    assert filtered.summary["outliers"] == (agreed.density >= np.median(agreed.density)).sum()
    assert found.consensus(rank).density_threshold == 2  # that of the survey is as it was


@pytest.mark.parametrize("rank", RANKS)
def test_the_consensus_matrix_and_its_numbers(M, found, rank):
    labels = []
    for job in starts_of(found, rank).itertuples():
        own = repeated(M, rank, job)
        weights = own.W * own.H.sum(axis=1)
        labels.append(np.where(weights.any(axis=1), weights.argmax(axis=1), -1 - np.arange(len(M))))
    C = np.mean([each[:, None] == each for each in labels], axis=0)
    agreed, row = found.consensus(rank), row_of(found, rank)
    assert sorted(agreed.sampled) == list(range(len(M)))
    np.testing.assert_allclose(agreed.consensus_matrix, C[np.ix_(agreed.sampled, agreed.sampled)], atol=1e-6)
    assert row.dispersion == pytest.approx((4 * (C - 0.5) ** 2).mean(), abs=1e-9)
    distances = squareform(1 - C, checks=False)
    assert row.cophenetic == pytest.approx(cophenet(linkage(distances, "average"), distances)[0], abs=1e-5)


def test_usages_are_fitted_to_the_spectra(M, found):
    agreed = found.consensus(3)
    exact = np.array([anmf.nnls(agreed.spectra.T, row[:, None]).x.ravel() for row in M])
    np.testing.assert_allclose(agreed.usages, exact, atol=1e-6 * exact.max())
    assert agreed.summary["consensus_error"] == pytest.approx(np.linalg.norm(M - agreed.usages @ agreed.spectra))
    shares = agreed.usages / agreed.usages.sum(axis=1, keepdims=True)
    used = np.nanmean(shares, axis=0)
    assert (np.diff(used) <= 1e-12).all()
    assert agreed.W is agreed.usages
    assert agreed.components_ is agreed.spectra


def test_parents(found):
    smaller, agreed = found.consensus(3), found.consensus(5)
    scaled = [each.spectra / np.linalg.norm(each.spectra, axis=1, keepdims=True) for each in (agreed, smaller)]
    cosines = scaled[0] @ scaled[1].T
    for survey_of in (found.consensus(5), found.consensus(5, clusters="matched", density_threshold=2)):
        np.testing.assert_array_equal(survey_of.components["parent"], cosines.argmax(axis=1) + 1)
        np.testing.assert_allclose(survey_of.components["parent_cosine"], cosines.max(axis=1))
    assert (found.consensus(2).components["parent"] == 0).all()


def test_the_rank_and_the_reasons(found):
    assert found.suggestion == 3
    assert found.table.set_index("rank")["suggested"].to_dict() == {2: False, 3: True, 5: False}
    assert any("Rank 3" in reason for reason in found.reasons)
    assert "suggests 3" in repr(found)
    for rank in RANKS:
        jobs = found.jobs[(found.jobs["rank"] == rank) & (found.jobs["kind"] == "heldout")]
        assert jobs["start"].isna().all()
        assert list(jobs["repeat"]) == list(range(5))
        errors = jobs["relative_error"].to_numpy()
        row = row_of(found, rank)
        assert row.heldout == pytest.approx(errors.mean())
        assert row.heldout_se == pytest.approx(errors.std(ddof=1) / np.sqrt(5))
        np.testing.assert_array_equal(found.consensus(rank).heldout_errors, errors)


@pytest.mark.parametrize("options", [{"threads": 1}, {"threads": 2}, {"jobs": 1, "threads": 2}, {"memory": "1G"}])
def test_threads_and_jobs_change_nothing(M, found, options):
    again = anmf.survey(M, RANKS, starts=STARTS, seed=4, **options)
    pd.testing.assert_frame_equal(without_seconds(again.table), without_seconds(found.table), check_exact=True)
    pd.testing.assert_frame_equal(without_seconds(again.jobs), without_seconds(found.jobs), check_exact=True)
    np.testing.assert_array_equal(again.consensus(5).spectra, found.consensus(5).spectra)


def test_a_folder_has_the_same_and_goes_on(M, found, tmp_path):
    stopped = anmf.survey(
        M, RANKS, starts=STARTS, seed=4, out=tmp_path / "s", threads=1, progress=lambda state: state.made == 7
    )
    assert stopped.stopped
    assert len(stopped.jobs) == 7
    states = []
    s = anmf.survey(M, RANKS, starts=STARTS, seed=4, out=tmp_path / "s", progress=states.append)
    assert max(state.made for state in states) == len(RANKS) * (STARTS + 5) - 7
    assert states[-1].done == states[-1].total == len(s.jobs)
    assert isinstance(states[0], anmf.SurveyState)
    pd.testing.assert_frame_equal(without_seconds(s.table), without_seconds(found.table), check_exact=True)
    np.testing.assert_array_equal(s.consensus(5).usages, found.consensus(5).usages)
    # Without the matrix, and with it.
    told = anmf.Survey.load(tmp_path / "s")
    asked = anmf.Survey.load(tmp_path / "s", M)
    for loaded in (told, asked):
        pd.testing.assert_frame_equal(loaded.table, s.table, check_exact=True)
        pd.testing.assert_frame_equal(loaded.jobs, s.jobs, check_exact=True)
        assert (loaded.suggestion, loaded.reasons) == (3, s.reasons)
        np.testing.assert_array_equal(loaded.consensus(3).spectra, found.consensus(3).spectra)
        np.testing.assert_array_equal(loaded.consensus(3).usages, found.consensus(3).usages)
        np.testing.assert_array_equal(loaded.best(5).W, found.best(5).W)
        assert loaded.best(5).seed == found.best(5).seed
        pd.testing.assert_frame_equal(loaded.consensus(3).components, found.consensus(3).components)
    free = {"clusters": "free", "density_threshold": 1.0}
    np.testing.assert_array_equal(asked.consensus(5, **free).spectra, found.consensus(5, **free).spectra)
    pd.testing.assert_frame_equal(asked.consensus(5, **free).components, found.consensus(5, **free).components)
    with pytest.raises(ValueError, match=r"cannot cluster its starts anew without its matrix: anmf.Survey.load\("):
        told.consensus(5, **free)
    with pytest.raises(ValueError, match="of another matrix"):
        anmf.Survey.load(tmp_path / "s", M + 1)
    with pytest.raises(ValueError, match="has seed = 4, and here it is 5"):
        anmf.survey(M, RANKS, starts=STARTS, seed=5, out=tmp_path / "s")
    more = anmf.survey(M, [3, 4], starts=STARTS + 1, seed=4, out=tmp_path / "s")
    assert len(starts_of(more, 3)) == STARTS + 1
    pd.testing.assert_frame_equal(
        without_seconds(starts_of(more, 3)[:STARTS]).reset_index(drop=True),
        without_seconds(starts_of(s, 3)).reset_index(drop=True),
    )


def test_a_folder_of_the_program(M, found, tmp_path):
    program = Path(anmf.__file__).parents[2] / "anmf"  # beside the package in the folder of the build
    if not program.is_file():
        pytest.skip("the program is not beside the package")
    np.save(tmp_path / "M.npy", M)
    command = [program, "survey", "M.npy", "--ranks", "2,3,5", "--starts", str(STARTS), "--seed", "4", "--out", "s"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    told, asked = anmf.Survey.load(tmp_path / "s"), anmf.Survey.load(tmp_path / "s", M)
    for loaded in (told, asked):
        pd.testing.assert_frame_equal(without_seconds(loaded.table), without_seconds(found.table), check_exact=True)
        np.testing.assert_array_equal(loaded.consensus(3).spectra, found.consensus(3).spectra)
    more = anmf.survey(M, [2, 3, 4, 5], starts=STARTS, seed=4, out=tmp_path / "s")  # goes on with it
    assert len(starts_of(more, 4)) == STARTS


def test_pages(M, found, tmp_path):
    if not anmf._core.has_report_page:
        pytest.skip("this build of anmf has no report page")
    page = found.report(tmp_path / "page.html", feature_names=[f"gene{j}" for j in range(25)], labels=["a", "b"] * 20)
    assert "gene24" in page.read_text()
    s = anmf.survey(pd.DataFrame(M, columns=[f"word{j}" for j in range(25)]), [2], starts=2, out=tmp_path / "s")
    assert "word24" in s.report(tmp_path / "own.html").read_text()
    loaded = anmf.Survey.load(tmp_path / "s")
    assert loaded.report(tmp_path / "copy.html").read_text() == (tmp_path / "s" / "report.html").read_text()
    with pytest.raises(ValueError, match="write a report with other labels without its matrix"):
        loaded.report(tmp_path / "copy.html", feature_names=["x"] * 25)
    asked = anmf.Survey.load(tmp_path / "s", M)
    other = asked.report(tmp_path / "other.html", feature_names=[f"topic{j}" for j in range(25)])
    assert "topic24" in other.read_text()


def test_a_pickled_survey_knows_what_was_found(found):
    again = pickle.loads(pickle.dumps(found))
    pd.testing.assert_frame_equal(again.table, found.table)
    np.testing.assert_array_equal(again.consensus(5).spectra, found.consensus(5).spectra)
    np.testing.assert_array_equal(again.best(5).H, found.best(5).H)
    with pytest.raises(ValueError, match="A survey that was pickled cannot cluster its starts anew"):
        again.consensus(5, clusters="free")


def small(X, ranks=(2, 3), **options):
    return anmf.survey(X, ranks, **{"starts": 3, "heldout_repeats": 2} | options)


def test_kinds_of_matrices(M):
    dense = small(M)
    for X in (np.asfortranarray(M), M.astype(np.uint8), pd.DataFrame(M)):
        pd.testing.assert_frame_equal(without_seconds(small(X).table), without_seconds(dense.table), rtol=1e-6)
    thin = small(sp.csr_array(M))
    for X in (sp.csc_matrix(M), sp.coo_array(M)):
        pd.testing.assert_frame_equal(without_seconds(small(X).table), without_seconds(thin.table), rtol=1e-6)
    np.testing.assert_allclose(thin.table["error_best"], dense.table["error_best"], rtol=1e-3)
    single = small(M.astype(np.float32))
    assert single.best(2).W.dtype == single.consensus(2).spectra.dtype == np.float32
    np.testing.assert_allclose(single.table["error_best"], dense.table["error_best"], rtol=1e-2)
    job = starts_of(single, 3).iloc[1]
    np.testing.assert_array_equal(single.spectra(3)[1], repeated(M.astype(np.float32), 3, job).H)


@pytest.mark.parametrize(
    ("X", "options"),
    [
        (lambda M: M, {"loss": "kullback-leibler"}),
        (lambda M: M + 0.1, {"loss": "itakura-saito"}),
        (lambda M: M, {"alpha_W": 0.01, "l1_ratio": 0.5, "method": "a-hals", "tolerance": 1e-5}),
        (lambda M: np.where(M == 1, np.nan, M), {"missing": "nan"}),
        (lambda M: M, {"weights": np.arange(1000).reshape(40, 25) % 5 + 1.0, "row_weights": np.arange(40) + 1.0}),
    ],
)
def test_options_of_factorize(M, X, options):
    s = small(X(M), **options)
    for rank in (2, 3):
        job = starts_of(s, rank).iloc[2]
        np.testing.assert_array_equal(s.spectra(rank)[2], repeated(X(M), rank, job, **options).H)
    if "loss" in options:
        again = small(X(M), beta_loss=options["loss"])
        pd.testing.assert_frame_equal(without_seconds(again.table), without_seconds(s.table))


def test_features_in_rows(M):
    s = small(M.T, features="rows", ranks=3)
    assert s.spectra(3).shape == (3, 3, 25)
    agreed = s.consensus(3)
    assert agreed.spectra.shape == (3, 25)
    assert agreed.usages.shape == (40, 3)
    assert np.linalg.norm(M.T - agreed.W @ agreed.H) == pytest.approx(agreed.summary["consensus_error"])
    best = s.best(3)
    assert np.linalg.norm(M.T - best.W @ best.H) == pytest.approx(best.error)


@pytest.mark.parametrize("resample", ["poisson", "multinomial", "uniform:0.2"])
def test_resampled_starts_differ_and_are_of_the_seed(M, resample):
    first, again = (small(M, resample=resample) for _ in range(2))
    pd.testing.assert_frame_equal(without_seconds(first.table), without_seconds(again.table), check_exact=True)
    plain = small(M)
    assert (first.table["error_median"] != plain.table["error_median"]).all()
    assert (first.table["silhouette"] < plain.table["silhouette"]).all()


def test_blocks_held_out(M):
    s = small(M, heldout="bcv", ranks=[2, 3])
    assert s.suggestion is None
    assert s.table["heldout"].isna().all()
    for rank in (2, 3):
        errors = s.jobs[(s.jobs["rank"] == rank) & (s.jobs["kind"] == "bcv")]["relative_error"]
        assert row_of(s, rank).bcv == pytest.approx(errors.mean())
        assert 0 < errors.min() <= errors.max() < 2


def test_anndata_in_and_out(M):
    ad = pytest.importorskip("anndata")
    names = [f"gene{j}" for j in range(25)]
    adata = ad.AnnData(sp.csr_matrix(M * 2), layers={"counts": sp.csr_matrix(M)})
    adata.var_names = names
    adata.var["chosen"] = np.arange(25) % 2 == 0
    s = small(adata, layer="counts", genes="chosen")
    plain = small(sp.csr_matrix(M[:, ::2]))
    pd.testing.assert_frame_equal(without_seconds(s.table), without_seconds(plain.table), check_exact=True)
    for genes in (names[::2], adata.var["chosen"], np.arange(25) % 2 == 0):
        assert small(adata, layer="counts", genes=genes).feature_names == names[::2]
    agreed = s.consensus(3)
    assert agreed.to_anndata(adata) is adata
    np.testing.assert_array_equal(adata.obsm["X_nmf"], agreed.usages)
    np.testing.assert_array_equal(adata.varm["nmf"][::2], agreed.spectra.T)
    assert np.isnan(adata.varm["nmf"][1::2]).all()
    assert adata.uns["nmf"]["rank"] == 3
    with pytest.raises(ValueError, match="adata has 39 observations, but 40 were surveyed"):
        agreed.to_anndata(adata[:39].copy())
    with pytest.raises(ValueError, match="in another order"):
        agreed.to_anndata(adata[::-1].copy())
    with pytest.raises(ValueError, match="'gene0' is none of them"):
        agreed.to_anndata(adata[:, 1:].copy())
    with pytest.raises(ValueError, match="X has no layer 'raw'; there are 'counts'"):
        small(adata, layer="raw")
    with pytest.raises(ValueError, match="X has not 1 of 2 genes: geneX"):
        small(adata, genes=["gene1", "geneX"])
    with pytest.raises(ValueError, match="X has no column 'variable' in var; there are 'chosen'"):
        small(adata, genes="variable")
    with pytest.raises(ValueError, match="genes marks 3 genes, but X has 25"):
        small(adata, genes=[True, False, True])
    with pytest.raises(TypeError, match="layer and genes are for AnnData"):
        small(M, layer="counts")
    with pytest.raises(TypeError, match="must be AnnData"):
        agreed.to_anndata(M)


def test_an_anndata_file_keeps_the_consensus(M, tmp_path):
    ad = pytest.importorskip("anndata")
    adata = ad.AnnData(M)
    small(adata).consensus(2).to_anndata(adata, key="programs").write_h5ad(tmp_path / "a.h5ad")
    again = ad.read_h5ad(tmp_path / "a.h5ad")
    np.testing.assert_array_equal(again.obsm["X_programs"], adata.obsm["X_programs"])
    assert list(again.uns["programs"]["components"]["component"]) == [1, 2]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"ranks": "2-5"}, TypeError, r"ranks = '2-5'; it must be whole numbers"),
        ({"ranks": [2.5]}, TypeError, r"ranks = \[2.5\]"),
        ({"ranks": []}, ValueError, "rank"),
        ({"ranks": [0, 2]}, ValueError, "rank"),
        ({"ranks": [26]}, ValueError, "26"),
        ({"starts": 0}, ValueError, "starts = 0"),
        ({"starts": 2.5}, TypeError, r"starts = 2.5 is of the wrong type, float"),
        ({"seed": -1}, TypeError, "seed = -1 is of the wrong type"),
        ({"heldout": "all"}, ValueError, "heldout = 'all' is not allowed; choose one of 'speckled', 'bcv', 'none'"),
        ({"heldout": 0.1}, TypeError, "the share of the entries is heldout_fraction"),
        ({"heldout_fraction": 1.0}, ValueError, "heldout"),
        ({"clusters": "kmeans"}, ValueError, "clusters = 'kmeans' is not allowed; choose one of 'matched', 'free'"),
        ({"features": "both"}, ValueError, "features = 'both'"),
        ({"resample": "uniform:x"}, ValueError, "after 'uniform:' comes a number"),
        ({"resample": "gamma"}, ValueError, "resample = 'gamma' is not allowed"),
        ({"keep": "none"}, ValueError, "keep = 'none'"),
        ({"memory": "lots"}, ValueError, "memory = 'lots'; it must be a number of bytes"),
        ({"memory": 1000}, ValueError, "beside X, one job at a time; memory is 1e-06 GB"),
        ({"progress": 3}, TypeError, "progress = 3; it must be True, False or a function"),
        ({"explore": "on"}, TypeError, "explore is not an option of a survey: a job ends in the minimum"),
        ({"time_limit": 3.0}, TypeError, "time_limit is not an option of a survey"),
        ({"init": "nndsvd"}, ValueError, "init"),
        ({"loss": 1, "beta_loss": 1}, TypeError, "loss and beta_loss are the same"),
        ({"iterations": 3}, TypeError, "'iterations' is not an option; there are"),
        ({"missing": "none"}, ValueError, "missing = 'none'"),
        ({"dtype": np.int32}, TypeError, "choose float32 or float64"),
    ],
)
def test_what_is_wrong_is_said_before_any_work(M, options, error, message):
    with pytest.raises(error, match=message):
        small(M, progress=options.pop("progress", lambda state: pytest.fail("a job was made")), **options)


def test_wrong_ranks_and_matrices(M, found, tmp_path):
    with pytest.raises(ValueError, match="rank 4 was not surveyed; there are 2, 3, 5"):
        found.consensus(4)
    with pytest.raises(ValueError, match="clusters = 'k-means' is not allowed"):
        found.consensus(3, clusters="k-means")
    with pytest.raises(ValueError, match="too few for 3 clusters"):
        found.consensus(3, clusters="free", density_threshold=1e-12)
    with pytest.raises(ValueError, match='say missing="nan"'):
        small(np.where(M == 1, np.nan, M))
    with pytest.raises(ValueError, match=r"negative|>= 0"):
        small(M - 1)
    (tmp_path / "file").write_text("x")
    with pytest.raises(ValueError, match="holds something else than a survey"):
        small(M, out=tmp_path)
    with pytest.raises(ValueError, match="is not the folder of a survey"):
        anmf.Survey.load(tmp_path)
    small(M, out=tmp_path / "s")
    with pytest.raises(TypeError, match="layer goes with X, which was not given"):
        anmf.Survey.load(tmp_path / "s", layer="x")


def test_a_callback_that_fails_ends_the_survey(M):
    def fail(state):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        small(M, progress=fail)


def test_ctrl_c_ends_a_survey_and_its_jobs_stay(tmp_path):
    """In a process of its own: the signal comes while jobs of seconds are being made."""
    program = f"""
import os, signal, threading, numpy as np, anmf
X = np.random.default_rng(0).random((500, 300))
seen = []
def progress(state):
    seen.append(state.done)
    if len(seen) == 1:
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    anmf.survey(X, [30], starts=99, tolerance=0.0, max_iterations=300, progress=progress, out={str(tmp_path / "t")!r})
except KeyboardInterrupt as interrupt:
    print("interrupted", [note.replace(chr(39), '') for note in interrupt.__notes__], len(seen) < 99)
"""
    outcome = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert outcome.stdout.startswith("interrupted ['The jobs that were made are in"), outcome.stderr
    assert outcome.stdout.endswith("True\n")
    assert list((tmp_path / "t" / "jobs").rglob("*.npz"))


def test_failed_jobs_are_left_out(M):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        small(M)
    spoiled = M.copy()
    spoiled[:, 1:] = 0  # a matrix of rank one, for which all ranks but one have nothing to find
    s = small(spoiled, ranks=[1, 2])
    assert len(s.table) == 2


def test_plot(found):
    pytest.importorskip("matplotlib").use("Agg")
    ax = found.plot()
    assert ax.get_title() == "rank 3 is suggested"
    np.testing.assert_allclose(ax.lines[1].get_ydata() ** 2, 1 - found.table["explained"])


def test_without_pandas(M, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    s = small(M)
    assert s.table.dtype.names[:3] == ("rank", "starts", "failed")
    assert list(s.table["rank"]) == [2, 3]
    assert s.jobs["kind"][0] == "start"
    assert len(s.components) == 5
    assert s.consensus(3).components["component"].tolist() == [1, 2, 3]


def test_progress_is_a_line(M, capsys):
    small(M, progress=True)
    line = capsys.readouterr().err.split("\r")[-1]
    assert line.startswith("job 10/10 | k ")
    assert line.endswith("\n")
