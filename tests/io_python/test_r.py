# SPDX-License-Identifier: MIT
import shutil
import subprocess

import numpy as np
import pytest


@pytest.fixture(scope="module")
def matrix_package():
    """Runs R code with the package Matrix, where both are installed, in one R for all tests: it takes long to start."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        pytest.skip("Rscript is not installed (Debian: r-base-core).")
    command = [rscript, "--vanilla", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as r:

        def run(code):
            r.stdin.write(f"{code}\ncat('\\n<done>\\n')\n")
            r.stdin.flush()
            printed = []
            for line in r.stdout:
                if line == "<done>\n":
                    return "".join(printed)
                printed.append(line)
            raise AssertionError(r.stderr.read())  # R ends at an error, and says which

        if run("cat(require(Matrix, quietly = TRUE))").strip() != "TRUE":
            pytest.skip("The R package Matrix is not installed (Debian: r-cran-matrix).")
        yield run


@pytest.mark.parametrize("kind", ["as(M, 'CsparseMatrix')", "as(M, 'TsparseMatrix')", "M != 0"])
def test_write_mm(tmp_path, read, matrix_package, kind):
    matrix_package(
        "M <- Matrix(c(0, 2.5, 0, 0, 1e-7, 3, 0, 0, 0, 0, 0, 1/3), 4, 3, sparse = TRUE);"
        f"invisible(writeMM({kind}, '{tmp_path}/m.mtx'))"
    )
    expected = np.array([[0, 2.5, 0, 0], [1e-7, 3, 0, 0], [0, 0, 0, 1 / 3]]).T
    found = read(tmp_path / "m.mtx")
    assert found.storage == "sparse"
    if "!=" in kind:
        np.testing.assert_array_equal(found.matrix, expected != 0)
    else:
        np.testing.assert_allclose(found.matrix, expected, rtol=1e-14)  # writeMM writes 15 digits


def test_symmetric(tmp_path, read, matrix_package):
    matrix_package(
        "S <- forceSymmetric(Matrix(c(2, 1, 0, 1, 0, 4, 0, 4, 5), 3, 3, sparse = TRUE));"
        f"invisible(writeMM(S, '{tmp_path}/s.mtx'))"
    )
    np.testing.assert_array_equal(read(tmp_path / "s.mtx").matrix, [[2, 1, 0], [1, 0, 4], [0, 4, 5]])


@pytest.mark.parametrize("name", ["o.mtx", "o.mtx.gz"])
def test_read_mm(tmp_path, convert, matrix, matrix_package, name):
    np.save(tmp_path / "m.npy", matrix)
    path = convert(tmp_path / "m.npy", name, "--sparse")
    printed = matrix_package(f"M <- readMM(gzfile('{path}')); cat(dim(M), sprintf('%.17g', as.matrix(M)))")
    numbers = np.array(printed.split(), dtype=float)
    np.testing.assert_array_equal(numbers[:2], matrix.shape)
    np.testing.assert_allclose(numbers[2:].reshape(matrix.T.shape).T, matrix, rtol=1e-15)


def test_read_delim(tmp_path, convert, matrix, matrix_package):
    np.savetxt(tmp_path / "m.csv", matrix, delimiter=",", header=",".join("abcdefg"), comments="")
    path = convert(tmp_path / "m.csv", "o.tsv.gz")
    printed = matrix_package(f"T <- read.delim('{path}'); cat(colnames(T), sprintf('%.17g', as.matrix(T)))").split()
    assert printed[:7] == list("abcdefg")
    found = np.array(printed[7:], dtype=float).reshape(7, 13).T
    np.testing.assert_allclose(found, matrix, rtol=1e-15)
