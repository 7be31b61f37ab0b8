# SPDX-License-Identifier: MIT
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i2", "u1"])
def test_dense(tmp_path, read, matrix, packed, dtype):
    expected = np.ceil(matrix * 9).astype(dtype)
    scipy.io.savemat(tmp_path / "m.mat", {"M": expected, "note": "some words"}, do_compression=packed)
    found = read(tmp_path / "m.mat")
    assert found.storage == "dense"
    np.testing.assert_array_equal(found.matrix, expected)


@pytest.mark.parametrize("packed", [False, True])
def test_sparse(tmp_path, read, matrix, packed):
    scipy.io.savemat(tmp_path / "m.mat", {"S": sp.csc_matrix(matrix), "M": matrix}, do_compression=packed)
    found = read(f"{tmp_path}/m.mat::S")
    assert found.storage == "sparse"
    np.testing.assert_array_equal(found.matrix, matrix)
