# SPDX-License-Identifier: MIT
import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray


@pytest.fixture
def data_sets() -> Path:
    """The folder with the paper's data sets; tests that need it skip where it is absent."""
    folder = Path(os.environ.get("ANMF_DATA", Path(__file__).parents[3] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"there are no data sets in {folder}; set ANMF_DATA to the folder that holds them")
    return folder


@pytest.fixture
def X() -> NDArray[np.float64]:
    """A 30 x 20 matrix of rank 4 with some noise and some zeros."""
    rng = np.random.default_rng(7)
    W = rng.random((30, 4)) * (rng.random((30, 4)) < 0.6)
    H = rng.random((4, 20)) * (rng.random((4, 20)) < 0.6)
    return W @ H + 0.05 * rng.random((30, 20)) * (rng.random((30, 20)) < 0.5)
