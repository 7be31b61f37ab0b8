# SPDX-License-Identifier: MIT
import json
import os
import subprocess
from dataclasses import dataclass

import numpy as np
import pytest


@dataclass
class Read:
    matrix: np.ndarray
    storage: str
    row_names: list
    col_names: list
    image_shape: list


@pytest.fixture
def read(tmp_path):
    """Reads a file with our library: the matrix, and whether it is kept dense or sparse."""

    def run(path, *cube) -> Read:
        out = tmp_path / "dump.npy"
        done = subprocess.run([os.environ["ANMF_IO_DUMP"], str(path), str(out), *cube], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return Read(np.load(out), **json.loads(done.stdout))

    return run


@pytest.fixture
def refusal(tmp_path):
    """The message with which our library refuses a file."""

    def run(path) -> str:
        command = [os.environ["ANMF_IO_DUMP"], str(path), str(tmp_path / "dump.npy")]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 1
        return done.stderr

    return run


@pytest.fixture
def anmf():
    """Runs the program."""

    def run(*arguments):
        done = subprocess.run([os.environ["ANMF_PROGRAM"], *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    return run


@pytest.fixture
def convert(tmp_path, anmf):
    """Converts a file and returns the path of the new one."""

    def run(path, name, *options):
        anmf("convert", path, tmp_path / name, *options)
        return tmp_path / name

    return run


@pytest.fixture
def matrix():
    """13 x 7, most entries 0, with an empty row and an empty column."""
    random = np.random.default_rng(5)
    result = random.random((13, 7)) * (random.random((13, 7)) < 0.3)
    result[4, :] = 0
    result[:, 2] = 0
    return result
