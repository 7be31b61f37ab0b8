# SPDX-License-Identifier: MIT
"""Limits of threads, several Python threads, fork, Ctrl-C, and the end of the interpreter."""

import multiprocessing
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import anmf
from anmf import NMF


def components_of(seed, X):
    return NMF(4, init="random", random_state=seed, max_iter=50, tol=0).fit(X).components_


def test_concurrent_fits_give_what_single_ones_give(X):
    expected = [components_of(seed, X) for seed in range(16)]
    with ThreadPoolExecutor(8) as pool:
        for result, components in zip(pool.map(components_of, range(16), [X] * 16), expected, strict=True):
            np.testing.assert_array_equal(result, components)


def test_other_threads_run_during_a_fit():
    """Were the GIL held, nobody could set the flag, and the callback-free fit would run into its limit."""
    X = np.random.default_rng(0).random((2000, 500))
    started, count = threading.Event(), [0]

    def work():
        started.set()
        while not done.is_set():
            count[0] += 1

    done = threading.Event()
    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    before = count[0]
    anmf.factorize(X, 30, "hals", max_iterations=20, tolerance=0)
    during = count[0] - before
    done.set()
    thread.join()
    assert during > 1000


def _fit_in_child(X, queue):
    queue.put(components_of(3, X))


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_made_after_a_fit(X, method):
    expected = components_of(3, X)
    anmf.factorize(np.ones((600, 600)), 5, compress="on", max_iterations=5)  # has been through BLAS, too
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    child = context.Process(target=_fit_in_child, args=(X, queue))
    child.start()
    np.testing.assert_array_equal(queue.get(timeout=60), expected)
    child.join(60)
    assert child.exitcode == 0


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_fork_while_another_thread_fits(X):
    expected = components_of(3, X)
    stop = threading.Event()

    def keep_fitting():
        while not stop.is_set():
            components_of(0, X)

    thread = threading.Thread(target=keep_fitting)
    thread.start()
    try:
        for _ in range(10):
            context = multiprocessing.get_context("fork")
            queue = context.SimpleQueue()
            child = context.Process(target=_fit_in_child, args=(X, queue))
            child.start()
            np.testing.assert_array_equal(queue.get(), expected)
            child.join(60)
            assert child.exitcode == 0
    finally:
        stop.set()
        thread.join()


# Calls that take half a minute and more where nothing ends them; but for "fit" they have no iterations to look between.
LONG_CALLS = """
import os, signal, threading
import numpy as np, anmf
from anmf._start import _initialize_nmf
A, X = np.random.default_rng(0).random((400, 300)), np.random.default_rng(1).random((30_000, 400))
begun = threading.Event()
calls = {
    "nnls": lambda: anmf.nnls(A, X.T),
    "transform": lambda: anmf.non_negative_factorization(X, H=A.T, n_components=300, update_H=False),
    "transform by another loss": lambda: anmf.non_negative_factorization(
        X, H=A.T, n_components=300, update_H=False, beta_loss=0.3
    ),
    "batch": lambda: anmf.MiniBatchNMF(
        100, beta_loss=0.3, init="random", fresh_restarts=True, fresh_restarts_max_iter=10**6, tol=0
    ).partial_fit(X),
    "start": lambda: _initialize_nmf(X, 300, "nndsvd"),
    "iteration": lambda: anmf.factorize(X, 300, "anls", max_iterations=1),
    "survey": lambda: anmf.survey(X[:2000], [50, 100], starts=100, tolerance=0.0, max_iterations=10**6),
    "fit": lambda: anmf.NMF(20, tol=0, max_iter=10**9, callback=lambda state: begun.set()).fit(X[:400]),
}
"""


def outcome_of(script, before=""):
    command = [sys.executable, "-c", before + LONG_CALLS + script]
    outcome = subprocess.run(command, capture_output=True, text=True, timeout=30)
    return outcome.stdout, outcome.stderr, outcome.returncode


def test_ctrl_c_is_heard_within_long_steps():
    script = """
for name, call in calls.items():
    threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
    try:
        call()
    except KeyboardInterrupt:
        print(name)
"""
    names = ["nnls", "transform", "transform by another loss", "batch", "start", "iteration", "survey", "fit"]
    assert outcome_of(script) == ("\n".join([*names, ""]), "", 0)


def test_the_interpreter_ends_while_daemon_threads_compute():
    """Exit handlers that come after that of anmf, since they were there before it, may still compute."""
    before = "import atexit\natexit.register(lambda: print(anmf.nnls(A[:, :2], A[:, 0]).x.round(6).tolist()))"
    script = """
for call in calls.values():
    threading.Thread(target=call, daemon=True).start()
begun.wait()
"""
    assert outcome_of(script, before) == ("[1.0, 0.0]\n", "", 0)


def test_the_interpreter_ends_while_daemon_threads_begin_one_call_after_another():
    """Whatever they are doing at that moment: nothing they do later may disturb the end."""
    script = """
def work():
    while True:
        anmf.NMF(2, init="random", tol=0, max_iter=3).fit(A[:20, :10])
        begun.set()
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
begun.wait()
"""
    assert outcome_of(script) == ("", "", 0)


def test_a_child_does_not_wait_for_the_calls_of_its_parent():
    script = """
threading.Thread(target=calls["fit"], daemon=True).start()
begun.wait()
child = os.fork()
if child > 0:
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert outcome_of(script) == ("0\n", "", 0)


def threads_during_a_fit(X, **options):
    """How many threads there are beside those that were there before, the calling one counted."""
    before, counts = len(os.listdir("/proc/self/task")), []
    NMF(
        4,
        init="random",
        tol=0,
        max_iter=3,
        callback=lambda _: counts.append(len(os.listdir("/proc/self/task"))),
        **options,
    ).fit(X)
    return max(counts) - before + 1


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts threads in /proc")
def test_limits_of_threadpoolctl_and_of_the_environment(X, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    assert threads_during_a_fit(X) == 5
    with threadpool_limits(2):
        assert [info["num_threads"] for info in threadpool_info() if info["user_api"] == "anmf"] == [2]
        assert threads_during_a_fit(X) == 2
        assert threads_during_a_fit(X, n_threads=4) == 2
        assert threads_during_a_fit(X, n_threads=1) == 1
        with threadpool_limits(1, user_api="anmf"):
            assert threads_during_a_fit(X) == 1
        assert threads_during_a_fit(X) == 2
    monkeypatch.setenv("OMP_NUM_THREADS", "3")  # nothing is left of the limit
    assert threads_during_a_fit(X) == 3
    with threadpool_limits(1, user_api="blas"):
        assert threads_during_a_fit(X) == 3
