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
    labels: dict[str, Any],
    matrix: Matrix | None,
    threads: int,
) -> str: ...

class SurveyOptions:
    def __init__(self, other: SurveyOptions = ...) -> None: ...
    ranks: list[int]
    starts: int
    seed: int
    job: Options
    features: str
    heldout: str
    heldout_fraction: float
    heldout_repeats: int
    clusters: str
    density_threshold: float | None
    neighbourhood: float
    resample: str
    resampling_width: float
    consensus_rows: int
    jobs: int
    retry_failed: bool

class Survey:
    def make(
        self, sum_up: bool, on_job: Callable[..., bool] | None, on_rank: Callable[[int], None] | None
    ) -> dict[str, Any]: ...
    def consensus(self, rank: int, other: SurveyOptions | None) -> dict[str, Any]: ...
    def best(self, rank: int) -> dict[str, Any]: ...
    def spectra(self, rank: int) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.uint16]]: ...
    def page(self, labels: dict[str, Any]) -> str: ...

def survey_job() -> Options: ...
def survey(
    matrix: Matrix,
    options: SurveyOptions,
    *,
    folder: str,
    name: str,
    title: str,
    command: str,
    keep_usages: bool,
    mix_versions: bool,
    labels: dict[str, Any],
) -> Survey: ...
def survey_needs(matrix: Matrix, options: SurveyOptions, in_memory: bool) -> tuple[int, float]: ...
def read_survey(folder: str) -> tuple[str, dict[str, Any]]: ...
