# SPDX-License-Identifier: MIT
"""scikit-learn's own tests of NMF, as installed, with nothing but the names swapped: NMF, MiniBatchNMF and
non_negative_factorization are ours when the file of tests is read. All of them run. Its tests of start factors run once
more, with ours in the place of its private function."""

import importlib.util
import types
from pathlib import Path

import pytest
import sklearn.decomposition

import anmf
from anmf import _start

OURS = {
    "NMF": anmf.NMF,
    "MiniBatchNMF": anmf.MiniBatchNMF,
    "non_negative_factorization": anmf.non_negative_factorization,
}
INTERNALS = types.SimpleNamespace(**vars(sklearn.decomposition._nmf))
INTERNALS._initialize_nmf = _start._initialize_nmf
TESTS_OF_STARTS = ("test_initialize_nn_output", "test_initialize_close", "test_initialize_variants")


def read_suite(**more: object) -> types.ModuleType:
    path = Path(sklearn.decomposition.__file__).parent / "tests" / "test_nmf.py"
    spec = importlib.util.spec_from_file_location("scikit_learn_suite", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**OURS, **more}.items():
            patch.setattr(sklearn.decomposition, name, value)
        spec.loader.exec_module(module)
    return module


SUITE = read_suite()
SUITE_WITH_OUR_STARTS = read_suite(_nmf=INTERNALS)
globals().update({name: value for name, value in vars(SUITE).items() if name.startswith("test_")})


@pytest.mark.parametrize("test", [*TESTS_OF_STARTS, "test_parameter_checking"])
@pytest.mark.filterwarnings("ignore:The multiplicative update")
def test_our_start_factors(test: str) -> None:
    getattr(SUITE_WITH_OUR_STARTS, test)()


def test_the_suite_is_read_with_our_names() -> None:
    for name, ours in OURS.items():
        assert getattr(SUITE, name) is ours
        assert getattr(sklearn.decomposition, name) is not ours
    assert SUITE_WITH_OUR_STARTS.nmf._initialize_nmf is _start._initialize_nmf
