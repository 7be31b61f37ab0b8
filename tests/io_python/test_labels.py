# SPDX-License-Identifier: MIT
"""Columns of obs as anndata writes them, summarised in the report: pandas and numpy give the same numbers."""

import json
import re

import numpy as np
import pytest

anndata = pytest.importorskip("anndata")
pandas = pytest.importorskip("pandas")


def page_data(path):
    return json.loads(re.search(r'type="application/json"[^>]*>(.*?)</script>', path.read_text(), re.DOTALL)[1])


def information(shares, weights):
    joint = shares * weights  # words x components
    expected = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
    return (joint[joint > 0] * np.log(joint[joint > 0] / expected[joint > 0])).sum()


@pytest.mark.parametrize("compression", [None, "gzip"])
def test_columns_of_obs(tmp_path, anmf, compression):
    random = np.random.default_rng(3)
    kind = random.integers(0, 3, 90)
    X = random.random((90, 8)) * 0.3 + np.eye(3)[kind] @ random.random((3, 8))
    obs = pandas.DataFrame(index=[f"cell {i}" for i in range(90)])
    obs["age"] = random.random(90)
    obs["count"] = random.integers(0, 5, 90)
    obs["batch"] = pandas.Categorical(random.choice(["x", "y"], 90))
    obs["name"] = [f"name {i}" for i in range(90)]
    obs["kind"] = pandas.Categorical(np.array(["B", "T", None], dtype=object)[kind], categories=["T", "never", "B"])
    obs["cluster"] = pandas.Categorical(kind + 10)
    obs["doublet"] = kind == 1
    data = anndata.AnnData(X, obs=obs, var=pandas.DataFrame(index=[f"g{j}" for j in range(8)]))
    data.write_h5ad(tmp_path / "m.h5ad", compression=compression)
    anmf("factorize", tmp_path / "m.h5ad", "--rank", 3, "--out", tmp_path / "out")
    page = tmp_path / "out" / "report.html"
    if not page.exists():
        pytest.skip("built with ANMF_REPORT=OFF")

    W, H = np.load(tmp_path / "out" / "W.npy"), np.load(tmp_path / "out" / "H.npy")
    weights = np.linalg.norm(W, axis=0) * np.linalg.norm(H, axis=1)
    told = {}
    for name in ["batch", "kind", "cluster", "doublet"]:
        words = obs[name].astype(object).where(obs[name].notna(), "").astype(str)
        sums = pandas.DataFrame(W).groupby(words.to_numpy()).sum()
        told[name] = sums / sums.sum()
    order = sorted(told, key=lambda name: -information(told[name].to_numpy(), weights / weights.sum()))
    report = page_data(page)
    assert report["groupings"] == 4
    for p, component in enumerate(report["components"]):
        # Of two that tell the same, rounding decides.
        assert {group["name"] for group in component["groups"]} == {"kind", "cluster", "doublet"} == set(order[:3])
        for group in component["groups"]:
            expected = told[group["name"]][p]
            for word in group["top"]:
                assert word["share"] == pytest.approx(expected[word["name"]], rel=1e-12)
            assert [word["share"] for word in group["top"]] == pytest.approx(
                sorted(expected[expected > 0], reverse=True)[:3], rel=1e-12
            )
