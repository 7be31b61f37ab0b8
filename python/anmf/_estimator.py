# SPDX-License-Identifier: MIT
"""What every transformer of the package is: one of scikit-learn's for a nonnegative X, dense or sparse."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import validate_data

from anmf._matrix import STORED_TYPES, refuse_masked


class NonnegativeTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    #: What to do about NaN; without it scikit-learn says it.
    _nan_advice: ClassVar[str] = ""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _checked(self, X: Any, *, reset: bool, allow_nan: bool = False) -> Any:
        refuse_masked(X, "X")
        try:
            return validate_data(
                self,
                X,
                accept_sparse=("csr", "csc"),
                dtype=list(STORED_TYPES),
                reset=reset,
                ensure_non_negative=True,
                ensure_all_finite="allow-nan" if allow_nan else True,
            )
        except ValueError as error:
            if self._nan_advice and "Input X contains NaN" in str(error):
                raise ValueError(f"Input X contains NaN. {self._nan_advice}") from None
            raise
