# SPDX-License-Identifier: MIT
import numpy as np
import pytest
import scipy.sparse as sp


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16, np.uint8])
def test_scipy_sparse(tmp_path, read, matrix, compressed, layout, kind, dtype):
    expected = np.ceil(matrix * 9).astype(dtype)
    path = tmp_path / "m.npz"
    sp.save_npz(path, kind(expected).asformat(layout), compressed=compressed)
    found = read(path)
    assert found.storage == "sparse"
    np.testing.assert_array_equal(found.matrix, expected)


def test_scipy_sparse_with_64_bit_indices(tmp_path, read, matrix):
    m = sp.csr_matrix(matrix)
    m.indices, m.indptr = m.indices.astype(np.int64), m.indptr.astype(np.int64)
    sp.save_npz(tmp_path / "m.npz", m)
    np.testing.assert_array_equal(read(tmp_path / "m.npz").matrix, matrix)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("order", ["C", "F"])
def test_numpy(tmp_path, read, matrix, save, order):
    save(tmp_path / "one.npz", np.asarray(matrix, order=order))
    save(tmp_path / "two.npz", a=matrix, b=np.asarray(2 * matrix, order=order), c=np.arange(3))
    assert read(tmp_path / "one.npz").storage == "dense"
    np.testing.assert_array_equal(read(tmp_path / "one.npz").matrix, matrix)
    np.testing.assert_array_equal(read(f"{tmp_path}/two.npz::b").matrix, 2 * matrix)
