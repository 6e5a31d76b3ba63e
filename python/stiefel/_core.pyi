"""The compiled module. Private: addresses are taken at their word."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Place = tuple[int, int, bool]
Shape = tuple[int, int, int]
Function = Callable[[Any, Any], None]
OnIteration = Callable[[int, float], None] | None

version: str
compiler: str
has_cuda: bool

def n_devices() -> int: ...

class Tensor:
    @property
    def address(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def size(self) -> int: ...
    @property
    def dtype(self) -> str: ...
    @property
    def is_contiguous(self) -> bool: ...
    @property
    def is_writable(self) -> bool: ...
    @property
    def device(self) -> tuple[int, int]: ...

def tensor_of(capsule: object) -> Tensor: ...
def wait_for_stream(stream: int, device: int) -> None: ...

class Matrix:
    @property
    def n_rows(self) -> int: ...
    @property
    def n_cols(self) -> int: ...
    @property
    def is_single(self) -> bool: ...
    def about(self) -> dict[str, Any]: ...
    def multiply(self, x: Place, y: Place, columns: int) -> None: ...
    def preconditioner(self, words: list[str], coordinates: Place, dimensions: int) -> KeptPreconditioner: ...

class KeptPreconditioner:
    @property
    def name(self) -> str: ...
    @property
    def setup_seconds(self) -> float: ...
    @property
    def summary(self) -> str: ...
    @property
    def bytes(self) -> int: ...
    def apply(self, r: Place, z: Place, columns: int) -> None: ...

class Budget:
    def __init__(self, rtol: float, atol: float, max_iterations: int, history: bool) -> None: ...

class Operands:
    def __init__(
        self, b: Place, guess: Place, columns: int, coordinates: Place, dimensions: int, exponent: int
    ) -> None: ...

class Solution:
    @property
    def has_x(self) -> bool: ...
    @property
    def x(self) -> npt.NDArray[Any]: ...
    @property
    def raised(self) -> BaseException | None: ...
    def facts(self) -> dict[str, Any]: ...
    def json(self) -> str: ...
    def page(self) -> str: ...
    def short_page(self) -> str: ...

def keep(
    shape: Shape,
    row_ptr: Place,
    wide_offsets: bool,
    col_idx: Place,
    values: Place,
    is_single: bool,
    words: list[str],
    stream: int,
    owner: object,
) -> Matrix: ...
def names_of_solve_options() -> list[str]: ...
def cg(
    a: Matrix, b: Place, x: Place, m: KeptPreconditioner | Function | None, budget: Budget, on_iteration: OnIteration
) -> dict[str, Any]: ...
def cg_of_functions(
    a: Function, b: Place, x: Place, is_single: bool, m: Function | None, budget: Budget, on_iteration: OnIteration
) -> dict[str, Any]: ...
def block_cg(
    a: Matrix,
    b: Place,
    x: Place,
    columns: int,
    m: KeptPreconditioner | Function | None,
    budget: Budget,
    on_iteration: OnIteration,
) -> dict[str, Any]: ...
def lobpcg(
    a: Matrix,
    x: Place,
    columns: int,
    m: KeptPreconditioner | Function | None,
    largest: bool,
    rtol: float,
    max_iterations: int,
    on_iteration: OnIteration,
) -> dict[str, Any]: ...
def solve(
    a: Matrix, words: list[str], operands: Operands, m: KeptPreconditioner | Function | None, on_iteration: OnIteration
) -> Solution: ...
def eigenpairs(
    shape: Shape,
    row_ptr: Place,
    wide_offsets: bool,
    col_idx: Place,
    values: Place,
    is_single: bool,
    words: list[str],
) -> dict[str, Any]: ...
def read(
    path: str, threads: int
) -> tuple[tuple[int, int, npt.NDArray[Any], npt.NDArray[np.int32], npt.NDArray[np.float64]], list[str]]: ...
def read_vectors(path: str, threads: int) -> npt.NDArray[np.float64]: ...
def write(
    path: str,
    shape: Shape,
    row_ptr: Place,
    wide_offsets: bool,
    col_idx: Place,
    values: Place,
    is_symmetric: bool,
    comments: list[str],
) -> None: ...
def write_columns(path: str, n_rows: int, n_cols: int, values: Place, comments: list[str]) -> None: ...
def generate(
    name: str, sizes: list[str], named: list[tuple[str, float]]
) -> tuple[int, int, npt.NDArray[Any], npt.NDArray[np.int32], npt.NDArray[np.float64]]: ...
def listed_problems() -> list[tuple[str, str, list[tuple[str, bool, str]]]]: ...
