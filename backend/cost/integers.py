"""Integers and addresses of one program, computed with numpy: what an operation of a kernel's TTIR makes of them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernelwright.backend.compile.ttir import Operation

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Pointer:
    """Addresses in a tensor: the parameter's index, and element offsets (None: not known)."""

    parameter: int
    offsets: Integers | None


Known = Integers | Pointer | None


def _signed_division(a: Integers, b: Integers) -> Integers:
    return np.where(b == 0, 0, np.sign(a) * np.sign(b) * (np.abs(a) // np.maximum(np.abs(b), 1)))


def _remainder(a: Integers, b: Integers) -> Integers:
    return a - _signed_division(a, b) * b


_INTEGER: Mapping[str, Callable[[Integers, Integers], Integers]] = {
    "addi": np.add, "subi": np.subtract, "muli": np.multiply, "divsi": _signed_division, "divui": _signed_division,
    "remsi": _remainder, "remui": _remainder, "andi": np.bitwise_and, "ori": np.bitwise_or,
    "xori": np.bitwise_xor, "shli": lambda a, b: a << np.clip(b, 0, 63), "shrsi": lambda a, b: a >> np.clip(b, 0, 63),
    "shrui": lambda a, b: a >> np.clip(b, 0, 63), "maxsi": np.maximum, "minsi": np.minimum, "maxui": np.maximum,
    "minui": np.minimum,
}  # fmt: skip
_COMPARE: Mapping[str, Callable[[Integers, Integers], NDArray[np.bool_]]] = {
    "slt": np.less, "ult": np.less, "sle": np.less_equal, "ule": np.less_equal, "sgt": np.greater,
    "ugt": np.greater, "sge": np.greater_equal, "uge": np.greater_equal, "eq": np.equal, "ne": np.not_equal,
}  # fmt: skip


def arithmetic(kind: str, operation: Operation, given: list[Known], shape: tuple[int, ...]) -> Known:
    """The result of `arith.<kind>`; None where it is not known."""
    if kind == "constant":
        found = re.match(r" (?:dense<)?(true|false|-?\d+)(?![\d.xe])", operation.text)
        if found is None:
            return None
        number = int(found[1]) if found[1] not in ("true", "false") else int(found[1] == "true")
        return np.full(shape, number, np.int64)
    integers = [value for value in given if isinstance(value, np.ndarray)]
    if kind in ("extsi", "extui", "trunci", "index_cast") and integers:
        return integers[0]
    if kind in _INTEGER and len(integers) == 2:
        return np.asarray(_INTEGER[kind](*integers))  # of 0-d arrays numpy makes scalars
    if kind == "cmpi" and len(integers) == 2:
        predicate = operation.text.split(",")[0].strip()
        return np.asarray(_COMPARE[predicate](*integers), np.int64)
    if kind == "andi" and len(integers) == 1:
        return integers[0]  # a mask that is known in part masks at least that
    if kind == "select" and len(integers) == 3:
        return np.where(integers[0] != 0, integers[1], integers[2])
    return None


def advanced(pointer: Known, by: Known) -> Known:
    """`tt.addptr`."""
    if not isinstance(pointer, Pointer):
        return None
    if pointer.offsets is None or not isinstance(by, np.ndarray):
        return Pointer(pointer.parameter, None)
    return Pointer(pointer.parameter, np.asarray(pointer.offsets + by))


def reshaped(operation: Operation, value: Known, shape: tuple[int, ...]) -> Known:
    """The elements in another shape: splat, broadcast, expand_dims, reshape, trans."""
    if value is None or (isinstance(value, Pointer) and value.offsets is None):
        return value
    array = value.offsets if isinstance(value, Pointer) else value
    assert array is not None
    if operation.name == "tt.expand_dims":
        array = np.expand_dims(array, operation.attribute("axis"))
    elif operation.name == "tt.reshape":
        array = array.reshape(shape)
    elif operation.name == "tt.trans":
        order = re.search(r"order = array<i32: ([\d, ]+)>", operation.text)
        array = array.transpose([int(axis) for axis in order[1].split(",")]) if order else array.T
    else:
        array = np.broadcast_to(array, shape)
    return Pointer(value.parameter, array) if isinstance(value, Pointer) else array
