# SPDX-License-Identifier: MIT
import numpy as np
import pytest
import scipy.sparse as sp

h5py = pytest.importorskip("h5py")


@pytest.mark.parametrize("options", [{}, {"chunks": (4, 3), "compression": "gzip"}])
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4", ">u2", "u1"])
def test_h5py_dataset(tmp_path, read, matrix, options, dtype):
    expected = np.ceil(matrix * 9).astype(dtype)
    with h5py.File(tmp_path / "m.h5", "w") as file:
        file.create_dataset("group/M", data=expected, **options)
    found = read(f"{tmp_path}/m.h5::/group/M")
    np.testing.assert_array_equal(found.matrix, expected)


@pytest.mark.parametrize("compression", [None, "gzip"])
def test_anndata(tmp_path, read, matrix, compression):
    anndata = pytest.importorskip("anndata")
    pandas = pytest.importorskip("pandas")
    rows, cols = [f"cell {i}" for i in range(13)], [f"gène {j}" for j in range(7)]
    data = anndata.AnnData(
        sp.csr_matrix(matrix), obs=pandas.DataFrame(index=rows), var=pandas.DataFrame(index=cols)
    )
    data.layers["csc"] = sp.csc_matrix(2 * matrix)
    data.layers["dense"] = 3 * matrix
    data.write_h5ad(tmp_path / "m.h5ad", compression=compression)
    for place, factor, storage in [("", 1, "sparse"), ("::layers/csc", 2, "sparse"), ("::/layers/dense", 3, "dense")]:
        found = read(f"{tmp_path}/m.h5ad{place}")
        np.testing.assert_array_equal(found.matrix, factor * matrix)
        assert (found.storage, found.row_names, found.col_names) == (storage, rows, cols)


def test_ten_x(tmp_path, read, matrix):
    counts = sp.csc_matrix(np.ceil(matrix * 9).astype(np.int32))
    with h5py.File(tmp_path / "m.h5", "w") as file:
        group = file.create_group("matrix")
        for name in ["data", "indices", "indptr"]:
            group.create_dataset(name, data=getattr(counts, name), compression="gzip")
        group["shape"] = np.array(counts.shape, dtype=np.int32)
        group["barcodes"] = np.array([f"AC-{j}" for j in range(7)], dtype="S")
        group["features/name"] = np.array([f"g{i}" for i in range(13)], dtype="S")
    found = read(tmp_path / "m.h5")
    np.testing.assert_array_equal(found.matrix, counts.toarray())
    assert (found.row_names[12], found.col_names[6]) == ("g12", "AC-6")
