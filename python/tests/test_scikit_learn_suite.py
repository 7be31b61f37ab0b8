# SPDX-License-Identifier: MIT
"""scikit-learn's own tests of NMF, as installed, with nothing but the names swapped: NMF, non_negative_factorization
and _initialize_nmf are ours when the file of tests is read. What is not there yet is listed by name."""

import importlib.util
import types
from pathlib import Path

import pytest
import sklearn.decomposition
from sklearn.decomposition import MiniBatchNMF

import anmf
from anmf import _start

_MINI_BATCH = "MiniBatchNMF is not there yet"
_OTHER_LOSSES = "losses other than Frobenius are not there yet"
_ORACLE = "tests a function of scikit-learn that anmf has no counterpart of"

NOT_YET = {
    "test_minibatch_nmf_transform": _MINI_BATCH,
    "test_mbnmf_inverse_transform": _MINI_BATCH,
    "test_minibatch_nmf_negative_beta_loss": _MINI_BATCH,
    "test_nmf_minibatchnmf_equivalence": _MINI_BATCH,
    "test_minibatch_nmf_partial_fit": _MINI_BATCH,
    "test_minibatch_nmf_verbose": _MINI_BATCH,
    "test_nmf_true_reconstruction": _OTHER_LOSSES,
    "test_nmf_multiplicative_update_sparse": _OTHER_LOSSES,
    "test_nmf_negative_beta_loss": _OTHER_LOSSES,
    "test_nmf_decreasing[mu]": _OTHER_LOSSES,
    "test_beta_divergence": _ORACLE,
    "test_special_sparse_dot": _ORACLE,
    "test_nmf_underflow": _ORACLE,
}
# Of older releases than the current one.
OUTDATED = {"test_NMF_inverse_transform_Xt_deprecation": "a name that scikit-learn itself has dropped since"}


def _suite() -> types.ModuleType:
    path = Path(sklearn.decomposition.__file__).parent / "tests" / "test_nmf.py"
    spec = importlib.util.spec_from_file_location("scikit_learn_suite", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    internals = types.SimpleNamespace(**vars(sklearn.decomposition._nmf))
    internals._initialize_nmf = _start._initialize_nmf
    ours = {
        "NMF": anmf.NMF,
        "non_negative_factorization": anmf.non_negative_factorization,
        "_nmf": internals,
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ours.items():
            patch.setattr(sklearn.decomposition, name, value)
        spec.loader.exec_module(module)
    return module


globals().update({name: value for name, value in vars(_suite()).items() if name.startswith("test_")})


@pytest.fixture(autouse=True)
def _skip_what_is_not_there_yet(request: pytest.FixtureRequest) -> None:
    name = request.node.name
    function = name.partition("[")[0]
    reason = NOT_YET.get(name) or NOT_YET.get(function) or OUTDATED.get(function)
    parameters = getattr(request.node, "callspec", None)
    if parameters is not None and parameters.params.get("Estimator") is MiniBatchNMF:
        reason = _MINI_BATCH
    if reason:
        pytest.skip(f"{name}: {reason}")


def test_the_suite_is_read_with_our_names() -> None:
    suite = _suite()
    assert suite.NMF is anmf.NMF
    assert suite.non_negative_factorization is anmf.non_negative_factorization
    assert suite.nmf._initialize_nmf is _start._initialize_nmf
    assert sklearn.decomposition.NMF is not anmf.NMF


def test_what_is_not_there_yet_exists() -> None:
    tests = {name for name in vars(_suite()) if name.startswith("test_")}
    assert {name.partition("[")[0] for name in NOT_YET} <= tests
