# SPDX-License-Identifier: MIT
import numpy as np
import pytest

datasets = pytest.importorskip("sklearn.datasets")


@pytest.mark.parametrize("zero_based", [False, True])
@pytest.mark.parametrize("comment", [None, "made\nby a test"])
def test_sklearn(tmp_path, read, matrix, zero_based, comment):
    matrix = np.ceil(matrix * 64) / 64  # the file has 16 digits, which are not enough for every number
    matrix[0, 0] = matrix[0, -1] = 1  # the first and the last column are only known by their entries
    path = tmp_path / "m.svmlight"
    datasets.dump_svmlight_file(matrix, np.arange(13) % 2, str(path), zero_based=zero_based, comment=comment)
    found = read(path)
    assert found.storage == "sparse"
    np.testing.assert_array_equal(found.matrix, matrix)
