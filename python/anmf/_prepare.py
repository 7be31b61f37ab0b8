# SPDX-License-Identifier: MIT
"""anmf.prepare: what is done to X before it is factorized, as a scikit-learn transformer."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import _fit_context
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from anmf import _core
from anmf._estimator import NonnegativeTransformer
from anmf._matrix import number_type, to_matrix


def prepare(steps: str) -> Preparation:
    """A transformer that does these steps in order, as ``anmf factorize --prepare`` does them.

    ``anmf.prepare("total=1e4,log1p").fit_transform(X)``; ``anmf.Preparation`` says what steps there are.
    """
    return Preparation(steps)


class Preparation(NonnegativeTransformer):
    """Steps that are done to a nonnegative X (n_samples x n_features), one after another. Sparse X stays sparse.

    Parameters
    ----------
    steps : str
        Steps with commas between them, or "none":

        - ``log1p``: ln(1 + x)
        - ``sqrt``: the square root
        - ``tfidf``: scikit-learn's TfidfTransformer: times ln((1 + n_samples) / (1 + samples with the feature)) + 1,
          then every sample to Euclidean norm 1
        - ``total=1e4``: every sample to this sum; ``total=1e4:columns``: every feature, in the X of ``fit``
        - ``unit-variance``: every feature by its standard deviation, without a shift; constant ones stay
        - ``max=1``: every feature to this maximum in the X of ``fit``; ``max=1:rows``: every sample
        - ``top-variance=2000``: only so many features, those of the largest variance, in their order

        Samples and features of nothing but zeros stay so. Numbers of features are learnt by ``fit``.

    Attributes
    ----------
    steps_ : list of (str, ndarray, ndarray)
        Every step with the number that it has learnt for each feature and the features that it keeps.
    features_ : ndarray
        The features of X that are left, counted from 0.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"steps": [str]}

    def __init__(self, steps: str = "total=1e4,log1p") -> None:
        self.steps = steps

    def fit(self, X: Any, y: Any = None) -> Preparation:
        """Learn from X what the steps need to know."""
        self.fit_transform(X)
        return self

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn from X and prepare it."""
        X = self._checked(X, reset=True)
        entries, (_, steps) = _core.prepare_learning(to_matrix(X, number_type(X.dtype)), self.steps)
        self.steps_ = [(text, np.array(learnt), np.array(kept, dtype=np.int64)) for text, learnt, kept in steps]
        return self._as_given(entries, X)

    def transform(self, X: Any) -> Any:
        """Prepare X with what was learnt."""
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        steps = [(text, learnt.tolist(), kept.tolist()) for text, learnt, kept in self.steps_]
        return self._as_given(_core.prepare(to_matrix(X, number_type(X.dtype)), (self.n_features_in_, steps)), X)

    @property
    def features_(self) -> NDArray[np.int64]:
        """The features of X that are left."""
        features = np.arange(self.n_features_in_)
        for _, _, kept in self.steps_:
            features = features[kept] if kept.size else features
        return features

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The names of the features that are left."""
        check_is_fitted(self)
        names: NDArray[Any] = _check_feature_names_in(self, input_features)[self.features_]
        return names

    def _as_given(self, entries: Any, X: Any) -> Any:
        """Dense as an array, and sparse in the form of X."""
        if not sp.issparse(X):
            return entries
        data, indices, offsets = entries
        parts = (data, indices.astype(np.int64 if X.shape[1] > np.iinfo(np.int32).max else np.int32), offsets)
        form = sp.csr_array if isinstance(X, sp.sparray) else sp.csr_matrix
        return form(parts, shape=(X.shape[0], self.features_.size)).asformat(X.format)
