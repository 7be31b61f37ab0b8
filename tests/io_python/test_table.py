# SPDX-License-Identifier: MIT
import numpy as np
import pandas as pd
import pytest

ROWS = [f'row "{i}", é' for i in range(13)]
COLS = [f"c{i}" for i in range(7)]


@pytest.mark.parametrize("separator", [",", "\t", ";", " "])
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_pandas_with_names(tmp_path, read, matrix, separator, ending):
    path = tmp_path / f"m.csv{ending}"
    pd.DataFrame(matrix, index=ROWS, columns=COLS).to_csv(path, sep=separator)
    found = read(path)
    np.testing.assert_array_equal(found.matrix, matrix)
    assert (found.row_names, found.col_names) == (ROWS, COLS)


def test_pandas_with_numbers_for_names(tmp_path, read, matrix):
    pd.DataFrame(matrix).to_csv(tmp_path / "m.csv")
    found = read(tmp_path / "m.csv")
    np.testing.assert_array_equal(found.matrix, matrix)
    assert found.row_names == [str(i) for i in range(13)]


def test_pandas_without_index(tmp_path, read, matrix):
    pd.DataFrame(matrix, columns=COLS).to_csv(tmp_path / "m.csv", index=False)
    found = read(tmp_path / "m.csv")
    np.testing.assert_array_equal(found.matrix, matrix)
    assert (found.row_names, found.col_names) == ([], COLS)


@pytest.mark.parametrize("header", ["", "x y z"])
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_numpy_text(tmp_path, read, matrix, header, ending):
    path = tmp_path / f"m.txt{ending}"
    np.savetxt(path, matrix, header=header)
    found = read(path)
    np.testing.assert_array_equal(found.matrix, matrix)
    assert (found.row_names, found.col_names) == ([], [])
