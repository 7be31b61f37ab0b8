"""The engine in C++, as the package uses it. Nothing here is meant to be called by users."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

version: str
has_report_page: bool
most_words: int

class Options:
    """A property for every row of the engine's table of options."""

    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class Matrix:
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def nonzeros(self) -> int: ...
    @property
    def observed(self) -> float: ...

def words(option: str) -> list[str]: ...
def help(option: str) -> str: ...
def methods() -> list[str]: ...
def trace_columns() -> list[tuple[str, bool, str]]: ...
def dense(array: NDArray[Any], single: bool) -> Matrix: ...
def sparse(
    shape: tuple[int, int],
    by_columns: bool,
    offsets: NDArray[np.int64],
    indices: NDArray[np.integer[Any]],
    values: NDArray[np.floating[Any]],
) -> Matrix: ...
def weighted(
    matrix: Matrix, entries: Any, rows: NDArray[np.float64] | None, columns: NDArray[np.float64] | None
) -> Matrix: ...
def take_missing(array: NDArray[np.floating[Any]]) -> tuple[NDArray[np.int64], NDArray[np.uint32]]: ...
def observed(
    shape: tuple[int, int],
    offsets: NDArray[np.int64],
    indices: NDArray[np.uint32],
    values: NDArray[np.floating[Any]],
) -> Matrix: ...
def factorize(
    matrix: Matrix,
    options: Options,
    W: NDArray[Any] | None,
    H: NDArray[Any] | None,
    callback: Callable[..., bool] | None,
) -> dict[str, Any]: ...
def initial_factors(
    matrix: Matrix, rank: int, init: str, seed: int, threads: int
) -> tuple[NDArray[Any], NDArray[Any]]: ...
def fit_rows(
    matrix: Matrix, H: NDArray[Any], loss: str, alpha_W: float, l1_ratio: float, threads: int
) -> tuple[NDArray[Any], float]: ...
def fit_error(matrix: Matrix, W: NDArray[Any], H: NDArray[Any], loss: str, threads: int) -> float: ...

class UpdateOptions:
    def __init__(self, *, loss: str, alpha_W: float, alpha_H: float, l1_ratio: float, threads: int) -> None: ...

class UpdateLimits:
    def __init__(self, *, most: int, least_step: float = 0.0, least_gain: float = 0.0) -> None: ...

def update_rows(
    matrix: Matrix, W: NDArray[Any], Ht: NDArray[Any], options: UpdateOptions, limits: UpdateLimits
) -> int: ...
def learn_batch(
    matrix: Matrix,
    W: NDArray[Any],
    Ht: NDArray[Any],
    above: NDArray[Any],
    below: NDArray[Any],
    memory: float,
    options: UpdateOptions,
    limits: UpdateLimits,
) -> float: ...
def divergence(matrix: Matrix, W: NDArray[Any], Ht: NDArray[Any], options: UpdateOptions) -> float: ...
def best_rank_error(
    matrix: Matrix, rank: int, W: NDArray[Any] | None, H: NDArray[Any] | None, threads: int
) -> float: ...
def nnls(A: NDArray[np.float64], B: NDArray[np.float64], threads: int) -> tuple[NDArray[np.float64], float]: ...
def prepare_learning(matrix: Matrix, steps: str) -> tuple[Any, tuple[int, list[Any]]]: ...
def prepare(matrix: Matrix, state: tuple[int, list[Any]]) -> Any: ...
def report_page(
    W: NDArray[Any],
    H: NDArray[Any],
    scale: list[float],
    trace: bytes,
    title: str,
    call: str,
    run: str,
    names: list[str],
    name_side: str,
    image_shape: tuple[int, int] | None,
    image_side: str,
    places: list[float],
    place_name: str,
    place_side: str,
    sample_names: list[str],
    groupings: list[tuple[str, list[str], bytes]],
    matrix: Matrix | None,
    threads: int,
) -> str: ...
