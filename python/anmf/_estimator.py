# SPDX-License-Identifier: MIT
"""What every transformer of the package is: one of scikit-learn's for a nonnegative X, dense or sparse."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import validate_data

from anmf._matrix import STORED_TYPES, refuse_masked


class NonnegativeTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _checked(self, X: Any, *, reset: bool) -> Any:
        refuse_masked(X, "X")
        return validate_data(
            self, X, accept_sparse=("csr", "csc"), dtype=list(STORED_TYPES), reset=reset, ensure_non_negative=True
        )
