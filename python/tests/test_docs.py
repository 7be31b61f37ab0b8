# SPDX-License-Identifier: MIT
"""Every block of Python in docs/python.md, in order, and every script in examples/python."""

import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "python"


@pytest.fixture
def run_example(tmp_path, monkeypatch, capsys):
    """Runs a script as `python NAME ARGUMENTS` would, and returns what it prints. It has names of its own but shares
    the modules of this process, whose import takes longer than any script."""

    def run(name, *arguments):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        return capsys.readouterr().out

    return run


def test_the_blocks_of_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), re.DOTALL)
    assert len(blocks) >= 5
    names = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)
    assert names["model"].status_ in ("converged", "stopped_by_callback")
    assert names["estimator"].n_components_ == names["s"].suggestion == 3
    assert names["result"].converged
    assert (tmp_path / "report.html").is_file()


def test_the_block_of_the_readme(X):
    (block,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    names = {"X": X}
    exec(compile(block, "README.md", "exec"), names)
    assert names["H"].shape == (20, 20)


def test_every_example_is_named_on_the_page():
    page = (ROOT / "docs" / "python.md").read_text()
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(re.findall(r"\[(\w+\.py)\]", page))


def test_faces(run_example, tmp_path):
    assert "256 images" in run_example("faces.py")
    assert (tmp_path / "faces.html").is_file()


def test_faces_of_people(run_example, data_sets):
    out = run_example("faces.py", data_sets / "olivetti" / "olivetti.npy", 64, 64)
    assert "400 images" in out
    assert float(re.search(r"error (0\.\d+)", out)[1]) < 0.15


def test_topics_are_the_subjects(run_example, tmp_path):
    topics = run_example("topics.py").splitlines()
    for word in ("league", "inflation", "telescope"):
        assert sum(word in topic for topic in topics) == 1, topics
    (tmp_path / "documents.txt").write_text(
        "red apple\nred pear\ngreen tree\ngreen leaf tree\nblue sea\nblue sky sea\n"
    )
    topics = run_example("topics.py", "documents.txt")
    assert topics.count("topic") == 3


def test_spectra(run_example, tmp_path):
    out = run_example("spectra.py")
    assert float(re.search(r"error (0\.\d+)", out)[1]) < 0.02
    np.save(tmp_path / "cube.npy", np.random.default_rng(0).random((5, 4, 8)))
    assert "relative error" in run_example("spectra.py", "cube.npy", 2)


def errors_in(out):
    """{"mean": 1.2, ...} from lines "mean: error 1.2 of ..."."""
    return {name: float(error) for name, error in re.findall(r"^(.+): error ([\d.]+) of", out, re.MULTILINE)}


def test_ratings(run_example, tmp_path):
    out = run_example("ratings.py")
    errors = errors_in(out)
    best = errors.popitem()[1]
    assert best < 0.9 * errors["mean of the film"] < 0.9 * errors["mean"]
    users, films = np.nonzero(np.random.default_rng(0).random((30, 20)) < 0.5)
    np.savetxt(tmp_path / "u.data", np.column_stack([users + 7, films * 3, users % 5 + 1, films]), fmt="%d")
    assert "30 users, 20 films" in run_example("ratings.py", "u.data")


def test_missing_pixels(run_example, tmp_path):
    pytest.importorskip("PIL")
    errors = errors_in(run_example("missing_pixels.py"))
    assert errors["anmf"] < 0.5 * errors["mean of the pixel"]
    assert (tmp_path / "missing-pixels.png").stat().st_size < 100_000
    assert (ROOT / "docs" / "images" / "missing-pixels.png").is_file()
    np.save(tmp_path / "images.npy", np.random.default_rng(0).integers(0, 255, (40, 35), dtype=np.uint8))
    assert "See" in run_example("missing_pixels.py", "images.npy", 7, 5)


def test_uncertainties(run_example, tmp_path):
    out = run_example("uncertainties.py")
    errors = errors_in(out)
    assert errors["with uncertainties"] < 0.5 * errors["without uncertainties"]
    assert 0.8 < float(re.search(r"chi squared ([\d.]+)", out)[1]) < 1.2
    np.save(tmp_path / "flux.npy", np.random.default_rng(0).random((20, 12)))
    np.save(tmp_path / "sigma.npy", np.full((20, 12), 0.1))
    assert "chi squared" in run_example("uncertainties.py", "flux.npy", "sigma.npy", 2)


def test_counts(run_example, tmp_path):
    out = run_example("counts.py")
    assert "converged" in out
    for name in ("Kullback-Leibler", "50 batches"):
        found = re.search(rf"{name}:? \[(.*)\]", out)[1]
        assert min(map(float, found.split())) > 0.999
    sp.save_npz(tmp_path / "counts.npz", sp.csr_matrix(np.random.default_rng(0).poisson(1.0, (120, 10))))
    assert "divergence" in run_example("counts.py", "counts.npz", 2)


def test_spectrogram(run_example, tmp_path):
    out = run_example("spectrogram.py")
    loudest = sorted(float(each) for each in re.findall(r"at (\d+) Hz", out))
    np.testing.assert_allclose(loudest, [262, 330, 440], atol=8)  # a step of the frequencies is 7.8 Hz
    assert (tmp_path / "part3.wav").is_file()
    assert "part 2" in run_example("spectrogram.py", "part3.wav", 2)


def test_single_cells(run_example, tmp_path):
    ad = pytest.importorskip("anndata")
    run_example("single_cells.py")
    cells = ad.read_h5ad(tmp_path / "programs.h5ad")
    assert cells.obsm["X_nmf"].shape == (300, 3)
    assert cells.varm["nmf"].shape == (200, 3)
    assert cells.uns["nmf"]["status"] == "converged"


def test_gene_programs(run_example, tmp_path):
    ad = pytest.importorskip("anndata")
    out = run_example("gene_programs.py")
    assert "Rank 4 predicts entries that were hidden from it best" in out
    assert "program 4, found by 12 of 12 starts: gene" in out
    cells = ad.read_h5ad(tmp_path / "programs.h5ad")
    assert cells.obsm["X_nmf"].shape == (300, 4)
    assert cells.varm["nmf"].shape == (200, 4)
    assert (tmp_path / "programs.html").is_file()
    out = run_example("gene_programs.py", "programs.h5ad", "3-4", 10)  # goes on in the same folder
    assert "program 4, found by 12 of 12 starts: gene" in out


def test_single_cells_of_people(run_example, tmp_path, data_sets):
    ad = pytest.importorskip("anndata")
    counts = sp.load_npz(data_sets / "pbmc_facs" / "pbmc_facs.npz")
    cells = ad.AnnData(counts)
    cells.var_names = (data_sets / "pbmc_facs" / "vocab.txt").read_text().split("\n")[: counts.shape[1]]
    cells.var_names_make_unique()
    cells.write_h5ad(tmp_path / "pbmc.h5ad")
    out = run_example("single_cells.py", "pbmc.h5ad", 6)
    # Monocytes, natural killer and B cells are known by these genes.
    assert "LYZ" in out or "S100A9" in out
    assert "NKG7" in out or "GNLY" in out
    assert "CD74" in out or "CD79A" in out
