# SPDX-License-Identifier: MIT
"""What `anmf convert` writes is read by the programs that these formats belong to."""

import csv

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp

ROWS = ["plain", "a,b", "tab\there", 'say "so"', "é 名前", "12", "# 5", "in between", "x;y", "NA", "j", "k", "l"]
COLS = ["c 0", "1999", "c,2", "ü", "e", "f", "g"]


@pytest.fixture
def named(tmp_path, matrix):
    """A table that pandas has written, with names that are hard to write."""
    path = tmp_path / "named.csv"
    pd.DataFrame(matrix, index=ROWS, columns=COLS).to_csv(path)
    return path


@pytest.mark.parametrize("dtype", ["f8", "f4", "u2", "u1"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_numpy(tmp_path, convert, matrix, dtype, order):
    expected = np.asarray(np.ceil(matrix * 9).astype(dtype), order=order)
    np.save(tmp_path / "m.npy", expected)
    for name, load in [("o.npy", np.load), ("o.npz", lambda path: np.load(path)["arr_0"])]:
        found = load(convert(tmp_path / "m.npy", name))
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(load(convert(tmp_path / "m.npy", name, "--transpose")), expected.T)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
def test_scipy_sparse(tmp_path, convert, matrix, dtype, layout):
    expected = sp.csr_matrix(matrix.astype(dtype))
    sp.save_npz(tmp_path / "m.npz", expected.asformat(layout))
    found = sp.load_npz(convert(tmp_path / "m.npz", "o.npz"))
    assert (found.format, found.dtype, found.indices.dtype) == ("csr", expected.dtype, np.int32)
    assert found.has_canonical_format
    assert (found != expected).nnz == 0
    assert (sp.load_npz(convert(tmp_path / "m.npz", "t.npz", "--transpose")) != expected.T).nnz == 0


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_matrix_market(tmp_path, convert, matrix, ending):
    np.save(tmp_path / "m.npy", matrix)
    dense = scipy.io.mmread(convert(tmp_path / "m.npy", "d.mtx" + ending))
    sparse = scipy.io.mmread(convert(tmp_path / "m.npy", "s.mtx" + ending, "--sparse"))
    np.testing.assert_array_equal(dense, matrix)
    assert sp.issparse(sparse)
    np.testing.assert_array_equal(sparse.toarray(), matrix)


def test_matrix_market_of_counts_is_whole(tmp_path, convert, matrix):
    counts = np.ceil(matrix * 1e6)
    np.save(tmp_path / "m.npy", counts)
    found = scipy.io.mmread(convert(tmp_path / "m.npy", "s.mtx", "--sparse"))
    assert found.dtype.kind == "i"
    np.testing.assert_array_equal(found.toarray(), counts)


@pytest.mark.parametrize("ending,separator", [(".csv", ","), (".tsv", "\t"), (".csv.gz", ","), (".tsv.gz", "\t")])
def test_pandas(convert, named, matrix, ending, separator):
    path = convert(named, "o" + ending)
    found = pd.read_csv(path, sep=separator, index_col=0, float_precision="round_trip", keep_default_na=False)
    np.testing.assert_array_equal(found.to_numpy(), matrix)
    assert list(found.index) == ROWS
    assert list(found.columns) == COLS


def test_csv_module(convert, named):
    with open(convert(named, "o.tsv"), newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file, delimiter="\t"))
    assert lines[0] == ["", *COLS]
    assert [line[0] for line in lines[1:]] == ROWS


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_anndata(convert, read, named, matrix, sparse, precision):
    anndata = pytest.importorskip("anndata")
    path = convert(named, "o.h5ad", "--precision", precision, *(["--sparse"] if sparse else []))
    data = anndata.read_h5ad(path)
    assert sp.issparse(data.X) == sparse
    assert data.X.dtype == precision
    np.testing.assert_array_equal(data.X.toarray() if sparse else data.X, matrix.astype(precision))
    assert (list(data.obs_names), list(data.var_names)) == (ROWS, COLS)
    # And what anndata makes of it comes back to us.
    again = path.with_name("again.h5ad")
    data.write_h5ad(again)
    found = read(again)
    np.testing.assert_array_equal(found.matrix, matrix.astype(precision))
    assert (found.row_names, found.col_names) == (ROWS, COLS)


def test_anndata_without_names(tmp_path, convert, matrix):
    anndata = pytest.importorskip("anndata")
    np.save(tmp_path / "m.npy", matrix)
    data = anndata.read_h5ad(convert(tmp_path / "m.npy", "o.h5ad"))
    assert list(data.obs_names) == [str(i) for i in range(13)]


@pytest.mark.parametrize("transpose", [False, True])
def test_factors_of_anndata(tmp_path, anmf, convert, named, transpose):
    anndata = pytest.importorskip("anndata")
    path = convert(named, "m.h5ad")
    anmf("factorize", path, "--rank", 3, "--out", tmp_path / "out", *(["--transpose"] if transpose else []))
    data = anndata.read_h5ad(tmp_path / "out" / "factors.h5ad")
    W, H = np.load(tmp_path / "out" / "W.npy"), np.load(tmp_path / "out" / "H.npy")
    assert data.X is None
    assert (list(data.obs_names), list(data.var_names)) == (ROWS, COLS)
    np.testing.assert_array_equal(data.obsm["X_nmf"], H.T if transpose else W)
    np.testing.assert_array_equal(data.varm["nmf"], W if transpose else H.T)
    about = data.uns["nmf"]
    assert (about["rank"], about["method"]) == (3, "e-a-hals")
    assert {"error", "relative_error", "iterations", "scale", "version"} <= set(about)


def test_names_in_results(tmp_path, anmf, named):
    anmf("factorize", named, "--rank", 2, "--out", tmp_path / "out")
    W = pd.read_csv(tmp_path / "out" / "W.tsv", sep="\t", index_col=0, keep_default_na=False)
    top = pd.read_csv(tmp_path / "out" / "top.tsv", sep="\t", dtype={"feature": str}, keep_default_na=False)
    assert list(W.columns) == ["component_1", "component_2"]
    assert [name.replace("\t", " ") for name in ROWS] == list(W.index)
    assert set(top["feature"]) <= set(COLS)
    assert top["share"].between(0, 1).all()
    assert (top.groupby("component")["weight"].diff().dropna() <= 0).all()
