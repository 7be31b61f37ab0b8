# SPDX-License-Identifier: MIT
"""How good a fit is: the bound of a rank, the report with X, and charts."""

import json
import re
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import anmf
from anmf import _core, plot


def page_data(path):
    text = path.read_text()
    return json.loads(re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL)[1])


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csr_array, lambda X: X.astype(np.float32)])
def test_best_rank_error_is_that_of_numpys_decomposition(form):
    X = np.random.default_rng(0).random((90, 70)) ** 3
    s = np.linalg.svd(X, compute_uv=False)
    for rank in (1, 7, 30):
        expected = np.sqrt((s[rank:] ** 2).sum() / (s**2).sum())
        assert anmf.best_rank_error(form(X), rank) == pytest.approx(expected, rel=1e-4)
        run = anmf.factorize(form(X), rank, max_iterations=20)
        assert anmf.best_rank_error(form(X), rank, W=run.W, H=run.H) == pytest.approx(expected, rel=1e-4)
    with pytest.raises(ValueError, match="rank"):
        anmf.best_rank_error(X, 0)
    with pytest.raises(ValueError, match="together"):
        anmf.best_rank_error(X, 30, W=run.W)
    with pytest.raises(ValueError, match="30 columns"):
        anmf.best_rank_error(X, 29, W=run.W, H=run.H)
    with pytest.raises(ValueError, match="but W is 90 x 30"):
        anmf.best_rank_error(X.T, 30, W=run.W, H=run.H)


@pytest.mark.skipif(not _core.has_report_page, reason="built without npm, so without the report page")
def test_report_with_X_judges_the_fit(X, tmp_path):
    result = anmf.factorize(X, 3, seed=1)
    data = page_data(result.report(tmp_path / "a.html", X))
    assert data["run"]["best_rank_error"] == anmf.best_rank_error(X, 3, W=result.W, H=result.H)
    rest = np.linalg.norm(X - result.W @ result.H, axis=1) / np.linalg.norm(X, axis=1)
    assert data["fit"]["rows"]["most"] == pytest.approx(rest.max(), rel=1e-9)
    assert data["fit"]["rows"]["least"] == pytest.approx(rest.min(), rel=1e-9)
    without = page_data(result.report(tmp_path / "b.html"))
    assert without["fit"] is None
    assert "needs X" in without["run"]["best_rank_note"]
    with pytest.raises(ValueError, match="X is 29 x 20, but the factors are of a matrix of 30 x 20"):
        result.report(tmp_path / "c.html", X[1:])


@pytest.mark.skipif(not _core.has_report_page, reason="built without npm, so without the report page")
def test_report_of_an_estimator(X, tmp_path):
    model = anmf.NMF(3, random_state=0, max_iter=500, normalize="l1").fit(X)
    data = page_data(model.report(tmp_path / "model.html", X, feature_names=[f"f{j}" for j in range(20)]))
    rest = np.linalg.norm(X - model.transform(X) @ model.components_, axis=0) / np.linalg.norm(X, axis=0)
    assert data["fit"]["columns"]["most"] == pytest.approx(rest.max(), rel=1e-9)
    assert data["components"][0]["top"][0]["name"] == f"f{model.components_[0].argmax()}"
    assert data["trace"]["iteration"][-1] == model.n_iter_


@pytest.mark.skipif(not _core.has_report_page, reason="built without npm, so without the report page")
def test_report_takes_an_axis_and_what_is_known_of_the_samples(X, tmp_path):
    model = anmf.NMF(3, random_state=0, max_iter=500).fit(X)
    W = model.transform(X)
    kind = ["low" if i < 15 else "high" for i in range(30)]
    known = {"kind": kind, "size": np.arange(30) / 7, "name": [str(i) for i in range(30)], "half": np.arange(30) < 15}
    names = [f"s{i}" for i in range(30)]
    axis = 400 + 2.5 * np.arange(20)
    page = model.report(tmp_path / "a.html", X, feature_axis=axis, axis_name="nm", sample_names=names, labels=known)
    data = page_data(page)
    assert data["curves"]["places"] == axis.tolist()
    assert data["curves"]["name"] == "nm"
    first = data["components"][0]
    assert first["typical"][0]["name"] == f"s{W[:, 0].argmax()}"
    groups = {group["name"]: {word["name"]: word["share"] for word in group["top"]} for group in first["groups"]}
    assert set(groups) == {"kind", "half", "name"}
    assert groups["kind"]["low"] == pytest.approx(W[:15, 0].sum() / W[:, 0].sum(), rel=1e-6)
    assert groups["half"]["True"] == pytest.approx(groups["kind"]["low"])
    result = anmf.factorize(X, 3, max_iterations=5)
    with pytest.raises(ValueError, match="labels must have 2 to 60 different words"):
        result.report(page, labels=np.arange(30) / 7)
    with pytest.raises(ValueError, match="labels is for 20 samples; X has 30 of them, its rows"):
        result.report(page, labels=kind[:20])
    with pytest.raises(ValueError, match="ascend or descend"):
        result.report(page, feature_axis=[1, 2, 2])


def test_charts_say_what_is_missing(X, monkeypatch):
    result = anmf.factorize(X, 3, max_iterations=5)
    with pytest.raises(ValueError, match="'speed' is no column of the history; there are iteration, "):
        plot.trace(result, "speed")
    with pytest.raises(ValueError, match="has not the 20 pixels"):
        plot.components(result, image_shape=(3, 3))
    with pytest.raises(ValueError, match="does not keep W"):
        plot.weights(anmf.NMF(2, max_iter=500).fit(X))
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)  # as if it were not installed
    with pytest.raises(ImportError, match="pip install matplotlib"):
        plot.trace(result)


def test_charts_show_the_numbers(X):
    pytest.importorskip("matplotlib").use("agg")
    result = anmf.factorize(X, 3, seed=1, max_iterations=20)
    chart = plot.trace(result, over="seconds")
    chart.figure.canvas.draw()
    assert chart.yaxis.label.get_window_extent().x0 >= 0  # the name of the axis is whole
    (line,) = chart.lines
    assert line.get_ydata().tolist() == result.history["relative_error"][1:].tolist()
    weights = plot.weights(result)
    weights.figure.canvas.draw()
    assert all(tick == round(tick) for tick in weights.get_xticks())
    bars = weights.patches
    assert sum(bar.get_height() for bar in bars) == pytest.approx(1)
    axes = plot.components(result, feature_axis=np.arange(20) * 2.5)
    assert axes[2].lines[0].get_ydata().tolist() == result.H[2].tolist()
    assert plot.components(result, image_shape=(4, 5))[0].images[0].get_array().shape == (4, 5)
