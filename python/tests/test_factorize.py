# SPDX-License-Identifier: MIT
"""anmf.factorize and anmf.nnls."""

import json
import pickle
import re
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.optimize
import scipy.sparse as sp

import anmf
from anmf import _core
from anmf._factorize import OPTIONS


def test_result(X):
    result = anmf.factorize(X, 4, seed=1, max_iterations=3000)
    assert result.W.shape == (30, 4)
    assert result.H.shape == (4, 20)
    assert result.converged
    assert result.status == "converged"
    assert "another pass over all entries" in result.message
    assert result.promised_decrease <= 1e-6
    assert result.compressed_iterations == result.history["compressed_iterations"].sum() == 0
    assert result.method == "e-a-hals"
    assert result.error == pytest.approx(np.linalg.norm(X - result.W @ result.H))
    assert result.relative_error == pytest.approx(result.error / np.linalg.norm(X))
    assert len(result.history) == result.iterations + 1
    assert (result.scale == 1).all()
    assert "W=" not in repr(result)


@pytest.mark.skipif(not _core.has_report_page, reason="built without npm, so without the report page")
def test_report(X, tmp_path):
    result = anmf.factorize(X, 3, seed=1, max_iterations=20)
    names = [f"word <{j}>" for j in range(20)]
    path = result.report(tmp_path / "report.html", title="A & B", feature_names=names, image_shape=(5, 6))
    text = path.read_text()
    data = json.loads(re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL)[1])
    assert data["title"] == "A & B"
    assert data["command"] == "anmf.factorize(X, 3, 'auto', seed=1, max_iterations=20)"
    assert data["run"]["relative_error"] == result.relative_error
    assert data["trace"]["relative_error"] == result.history["relative_error"].tolist()
    strongest = names[int(result.H[0].argmax())]
    assert data["components"][0]["top"][0]["name"] == strongest
    assert data["top_side"] == "columns"
    assert data["images"]["side"] == "rows"  # 5 x 6 = 30, the rows of X
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(ValueError, match="feature_names is for 7 features; X has 20 columns and 30 rows"):
        result.report(path, feature_names=names[:7])
    for shape in [(-5, -6), (0, 0), (30,), (5, 6, 1), (5.0, 6.0), 30]:
        with pytest.raises(ValueError, match="it must be the height and width in pixels, each at least 1"):
            result.report(path, image_shape=shape)
    with pytest.raises(ValueError, match="image_shape is for 21 features; X has 20 columns and 30 rows"):
        result.report(path, image_shape=(3, 7))
    with pytest.raises(FileNotFoundError):
        result.report(tmp_path / "nowhere" / "report.html")
    again = pickle.loads(pickle.dumps(result))
    assert again.report(tmp_path / "again.html", title="A & B", feature_names=names, image_shape=(5, 6))
    assert (tmp_path / "again.html").read_text() == text


def test_columns_of_a_fortran_array_are_used_where_they_lie(X):
    # Same numbers, other products: the results agree to rounding.
    by_rows = anmf.factorize(X, 4, "a-hals", seed=1, max_iterations=50, tolerance=0)
    by_columns = anmf.factorize(np.asfortranarray(X), 4, "a-hals", seed=1, max_iterations=50, tolerance=0)
    np.testing.assert_allclose(by_columns.W, by_rows.W, atol=1e-9)
    np.testing.assert_allclose(by_columns.H, by_rows.H, atol=1e-9)


def test_no_copy_is_made_of_a_dense_matrix():
    """A matrix of 80 MB is factorized within 40 MB more, whichever way it lies and whatever its entries are. Each in a
    process of its own, whose peak of memory begins at what it holds when it is forked."""
    script = """
import os, resource, numpy as np, anmf
def grown(kind, order):
    size = 10_000_000 * 8 // np.dtype(kind).itemsize
    X = np.ones(size, kind).reshape((5000, -1), order=order)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    anmf.factorize(X, 2, "hals", max_iterations=1)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
for kind, order in [("f8", "C"), ("f8", "F"), ("f4", "F"), ("u1", "C"), ("u2", "F")]:
    if os.fork() == 0:
        print(kind, order, grown(kind, order), flush=True)
        os._exit(0)
    os.wait()
"""
    lines = subprocess.check_output([sys.executable, "-c", script], text=True).splitlines()
    assert len(lines) == 5
    for line in lines:
        assert int(line.split()[-1]) < 40_000, line  # KiB


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_number_type(X, dtype):
    assert anmf.factorize(X.astype(dtype), 3).W.dtype == dtype
    assert anmf.factorize(X, 3, dtype=dtype).H.dtype == dtype
    with pytest.raises(TypeError, match="dtype = int64; choose float32 or float64"):
        anmf.factorize(X, 3, dtype=int)


def test_start_factors_and_half_steps(X):
    rng = np.random.default_rng(0)
    W, H = rng.random((30, 3)), rng.random((3, 20))
    start = anmf.factorize(X, 3, W=W, H=H, max_iterations=0)
    np.testing.assert_array_equal(start.W, W)
    np.testing.assert_array_equal(start.H, H)
    # H first on X is W first on its transpose.
    a = anmf.factorize(X, 3, "hals", W=W, H=H, first="H", max_iterations=9, tolerance=0)
    b = anmf.factorize(X.T, 3, "hals", W=H.T, H=W.T, max_iterations=9, tolerance=0)
    np.testing.assert_allclose(a.W, b.H.T, atol=1e-12)


def test_wrong_calls(X):
    bad = X.copy()
    bad[3, 2] = -1
    with pytest.raises(ValueError, match=r"M\[3, 2\] = -1 is negative"):
        anmf.factorize(np.asfortranarray(bad), 3)
    with pytest.raises(ValueError, match=r"M\[3, 2\] = -1 is negative"):
        anmf.factorize(sp.csc_array(bad), 3)
    with pytest.raises(TypeError, match="'tol' is not an option; there are alpha, alpha_H"):
        anmf.factorize(X, 3, tol=1e-3)
    with pytest.raises(TypeError, match="seed = 'one' is of the wrong type, str"):
        anmf.factorize(X, 3, seed="one")
    with pytest.raises(ValueError, match="rank = 0"):
        anmf.factorize(X, 0)
    with pytest.raises(ValueError, match='method = "fast" is unknown; choose one of auto, e-a-hals'):
        anmf.factorize(X, 3, "fast")
    with pytest.raises(ValueError, match='init = "zeros" is unknown; choose one of "scaled-random", "random"'):
        anmf.factorize(X, 3, init="zeros")
    with pytest.raises(ValueError, match="X has 1 dimensions"):
        anmf.factorize([1.0, 2.0], 1)
    with pytest.raises(TypeError, match="they must be real numbers"):
        anmf.factorize(X.astype(complex), 1)
    with pytest.raises(ValueError, match="W is 30 x 3"):
        anmf.factorize(X, 4, W=np.ones((30, 3)))


def test_factors_of_the_wrong_kind_are_refused(X):
    with pytest.raises(ValueError, match="W has 1 dimensions; it must have 2"):
        anmf.factorize(X, 1, W=np.ones(30))
    with pytest.raises(TypeError, match="H is sparse; it must be a dense array"):
        anmf.factorize(X, 3, H=sp.csr_array(np.ones((3, 20))))
    with pytest.raises(TypeError, match="W has entries of type complex128; they must be real numbers"):
        anmf.factorize(X, 3, W=np.ones((30, 3)) * 1j)


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0)])
def test_arrays_without_entries_are_refused_as_such(shape):
    empty = np.zeros(shape)
    words = re.escape(f"has the shape {shape}; it must have at least one row and one column.")
    for call in [
        lambda: anmf.factorize(empty, 1),
        lambda: anmf.factorize(sp.csr_array(empty), 1),
        lambda: anmf.factorize(np.ones((2, 2)), 1, W=empty),
        lambda: anmf.nnls(empty, np.ones(5)),
        lambda: anmf.nnls(np.ones((5, 2)), empty),
    ]:
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(ValueError, match=r"B has the shape \(0,\)"):
        anmf.nnls(np.ones((5, 2)), [])


def test_masked_entries_are_refused_where_all_count(X):
    mask = np.zeros(X.shape, bool)
    mask[3, 4:9] = True
    masked = np.ma.array(X, mask=mask)
    hidden = np.ma.array(np.ones((4, 20)), mask=mask[:4])
    model = anmf.NMF(4, init="random", random_state=0, max_iter=5, tol=0).fit(X)
    for call in [
        lambda: anmf.best_rank_error(masked, 3),
        lambda: anmf.MiniBatchNMF(3).fit(list(masked)),
        lambda: anmf.nnls(masked, X[:, 0]),
        lambda: anmf.nnls(X[:, :3], masked),
        lambda: anmf.factorize(X, 4, H=hidden),
        lambda: anmf.NMF(4, init="custom").fit(X, W=np.ones((30, 4)), H=hidden),
        lambda: anmf.non_negative_factorization(X, H=hidden, n_components=4, update_H=False),
        lambda: model.inverse_transform(hidden[:, 5:9]),
    ]:
        with pytest.raises(ValueError, match=r"masked entries, [45] in all; missing entries are not supported\. Fill"):
            call()
    plain, unmasked = (anmf.factorize(M, 3, seed=1) for M in (X, np.ma.array(X)))
    np.testing.assert_array_equal(unmasked.W, plain.W)


def test_pandas_numbers_are_taken_and_missing_ones_refused():
    frame = pd.DataFrame(np.arange(1, 13).reshape(4, 3)).astype("Int64")
    np.testing.assert_array_equal(anmf.factorize(frame, 1).W, anmf.factorize(frame.to_numpy(float), 1).W)
    frame.iloc[1, 1] = pd.NA
    with pytest.raises(ValueError, match=r"M\[1, 1\] = nan is not a number"):
        anmf.factorize(frame, 1)
    with pytest.raises(ValueError, match=r"A\[1, 1\] = nan .* entries must be finite"):
        anmf.nnls(frame, np.ones(4))
    with pytest.raises(TypeError, match="X has entries of type object; they must be real numbers"):
        anmf.factorize(frame.astype(object).replace(pd.NA, "no"), 1)


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array, sp.coo_array])
def test_a_nan_among_sparse_entries_is_refused(X, kind):
    X[3, 4] = np.nan
    with pytest.raises(ValueError, match=r"M\[3, 4\] = nan is not a number"):
        anmf.factorize(kind(X), 3)


def test_sizes_that_no_memory_holds():
    """Two Gram matrices of 10^6 x 10^6 are 16 TB."""
    X = np.ones((3, 2))
    for call in [
        lambda: anmf.factorize(X, 10**6),
        lambda: anmf.NMF(10**6, init="random").fit(X),
    ]:
        with pytest.raises(MemoryError, match="of rank 1000000, their products with M and their Gram matrices take at"):
            call()
    with pytest.raises(MemoryError, match="normal equations in 1000000 unknowns take at least 16000 GB, and this mac"):
        anmf.nnls(np.ones((1, 10**6)), [1.0])


def test_malformed_sparse_arrays_are_refused(X):
    sparse = sp.csr_array(X)
    sparse.indices = sparse.indices.copy()
    sparse.indices[5] = 99
    with pytest.raises(ValueError, match=r"Entry 5 of M has column index 99, outside 0\.\.19"):
        anmf.factorize(sparse, 2)


def test_options_have_the_names_of_the_command_line():
    """One name per option in C++, on the command line and in Python, where the documentation lists them."""
    text = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()
    documented = {flag.replace("-", "_").lower() for flag in re.findall(r"--([a-z0-9-]+)", text)}
    assert {name.lower() for name in OPTIONS} <= documented
    listed = re.findall(r"^        (\w+): [A-Z]", anmf.factorize.__doc__, re.MULTILINE)
    assert listed == [name for name in OPTIONS if name not in ("rank", "method", "threads")]
    assert "delta: Smallest entry that mu, a-mu and e-a-mu keep" in anmf.factorize.__doc__
    assert _core.help("rho").endswith('timed ("flops", "measured"; default flops).')


def test_options_take_what_they_are(X):
    options = _core.Options()
    for name in OPTIONS:
        setattr(options, name, getattr(options, name))
        for word in _core.words(name):
            setattr(options, name, word)
            assert getattr(options, name) == word
    for name in ("alpha", "epsilon", "delta", "inner_stop", "alpha_H"):
        assert getattr(_core.Options(), name) is None
        setattr(options, name, None)
    for name, wrong in [
        ("inner_stop", 3),
        ("first", None),
        ("rank", 2.5),
        ("shuffle", 1),
        ("alpha", "x"),
        ("seed", -1),
    ]:
        with pytest.raises(TypeError, match=f"{name} = .* is of the wrong type, {type(wrong).__name__}"):
            anmf.factorize(X, **({"rank": 2} | {name: wrong}))


def test_history_has_the_columns_of_trace_csv(X):
    text = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()
    result = anmf.factorize(X, 3, alpha_W=0.01, max_iterations=5, tolerance=0)
    history = result.history
    assert f"`{','.join(history.dtype.names)}`" in text
    assert history["iteration"].dtype == history["inner_w"].dtype == np.int64
    np.testing.assert_allclose(history["objective"], history["error"] ** 2 / 2 + history["penalty"], rtol=1e-15)
    assert history["penalty"].min() > 0
    assert history["penalty"][-1] == result.penalty
    for name in history.dtype.names:
        assert f"\n{name} : " in anmf.Iteration.__doc__
    state = anmf.Iteration(*history[-1])
    assert repr(pickle.loads(pickle.dumps(state))) == repr(state)  # NaN is not itself


def test_nnls_equals_scipys():
    rng = np.random.default_rng(0)
    for rows, unknowns, sides in [(1, 1, 1), (8, 3, 5), (30, 12, 40), (12, 12, 7)]:
        A, B = rng.standard_normal((rows, unknowns)), rng.standard_normal((rows, sides))
        solution = anmf.nnls(A, B)
        assert solution.x.shape == (unknowns, sides)
        assert solution.kkt < 1e-10
        for j in range(sides):
            expected, residual = scipy.optimize.nnls(A, B[:, j])
            assert np.linalg.norm(A @ solution.x[:, j] - B[:, j]) == pytest.approx(residual, rel=1e-9, abs=1e-12)
            np.testing.assert_allclose(solution.x[:, j], expected, atol=1e-6)
    one = anmf.nnls(A, B[:, 0])
    assert one.x.shape == (12,)
    np.testing.assert_array_equal(one.x, anmf.nnls(A, B[:, :1]).x[:, 0])


def test_the_certificate_tells_a_wrong_solution_from_a_right_one():
    """The certificate of anmf.nnls, recomputed from its definition."""
    rng = np.random.default_rng(1)
    A, b = rng.standard_normal((20, 6)), rng.standard_normal(20)
    x, kkt = anmf.nnls(A, b)
    s = np.linalg.norm(A, axis=0)

    def certificate(x):
        gradient = A.T @ (A @ x - b)
        return np.abs(np.minimum(s * x, gradient / s)).max() / np.abs(A.T @ b / s).max()

    assert kkt == pytest.approx(certificate(x), abs=1e-15)
    assert certificate(x + 1e-3) > 1e-4


def test_nnls_refuses_what_it_cannot_solve():
    with pytest.raises(ValueError, match="as many rows"):
        anmf.nnls(np.ones((3, 2)), np.ones(4))
    with pytest.raises(ValueError, match=r"A\[1, 0\] = nan"):
        anmf.nnls([[1.0], [np.nan]], [1.0, 1.0])
    with pytest.raises(TypeError, match="dense arrays"):
        anmf.nnls(sp.eye_array(3), np.ones(3))
    with pytest.raises(ValueError, match="A has 1 dimensions; it must have 2"):
        anmf.nnls(np.ones(3), np.ones(3))
    with pytest.raises(ValueError, match="B has 3 dimensions; it must have 1 or 2"):
        anmf.nnls(np.ones((3, 2)), np.ones((3, 2, 2)))
    with pytest.raises(TypeError, match="A has entries of type complex128; they must be real numbers"):
        anmf.nnls(np.ones((3, 2)) * 1j, np.ones(3))
    with pytest.raises(ValueError, match="threads = -1 is not allowed"):
        anmf.nnls(np.ones((3, 2)), np.ones(3), threads=-1)


def test_memory_does_not_grow_over_1000_fits(X):
    """Fits of every kind, 100 to warm up and then 1000; what the process holds may not grow by a byte per entry."""

    def resident_kib():
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize() // 1024

    data = [X, np.asfortranarray(X), X.astype(np.float32), sp.csr_array(X), sp.csc_array(X)]

    def fits(count):
        for k in range(count):
            model = anmf.NMF(4, random_state=k, max_iter=5, tol=0, init="random", callback=lambda state: None)
            model.fit(data[k % len(data)]).transform(data[k % len(data)])
            anmf.nnls(X[:, :4], X[:, 4:8])

    fits(100)
    before = resident_kib()
    fits(1000)
    grown = resident_kib() - before
    assert grown < 1000, f"{grown} KiB"
