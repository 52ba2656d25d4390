"""What one program of a kernel does: operations, and bytes of memory by sector, read from its TTIR.

Integers and pointers are computed for one program in the middle of the grid, so that strides, masks and loop
counts are the real ones; a loop's body is computed once, in its first round. Floats are not computed: an
address that depends on loaded values counts as scattered.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kernelwright.backend.execute import Launch
from kernelwright.backend.ttir import ELEMENT_BYTES, Operation, element_of, numel, parameters, parse, shape_of
from kernelwright.ir.values import TensorSpec

#: Bytes that memory is moved in.
SECTOR = 32
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Pointer:
    """Addresses in a tensor: the parameter's index, and element offsets (None: not known)."""

    parameter: int
    offsets: Integers | None


Known = Integers | Pointer | None


@dataclass
class Work:
    """Of one program. Bytes are whole sectors, by the index of the run-time argument; `wasted` of them nobody uses.

    `lane_ops`: instructions times the lanes they take, each operation taking at least every thread once.
    `products`: operand type (`tf32` for f32 at lower precision) -> FLOPs of `tl.dot`. `rounds`: waits for
    memory one after another. `syncs`: reductions and scans.
    """

    loaded: dict[int, float] = field(default_factory=dict)
    stored: dict[int, float] = field(default_factory=dict)
    wasted: float = 0.0
    lane_ops: float = 0.0
    flops: float = 0.0
    products: dict[str, float] = field(default_factory=dict)
    rounds: float = 0.0
    syncs: float = 0.0


def work_of(ttir: str, launch: Launch, threads: int) -> Work:
    """The work of one program of this launch, run by `threads` threads."""
    return _read(ttir, launch, _Reader(launch, threads)).work


def in_bounds(ttir: str, launch: Launch) -> bool:
    """Whether the last program, in the last round of its loops, stays in its tensors as far as can be computed.

    What masks leave out counts as staying in; so does what depends on loaded values.
    """
    return not _read(ttir, launch, _Reader(launch, 32, last=True)).outside


def _read(ttir: str, launch: Launch, reader: "_Reader") -> "_Reader":
    names = {name.removeprefix("%"): index for index, (name, _) in enumerate(launch.args)}
    for name in parameters(ttir):
        index = names.get(name.removeprefix("%"))
        value = launch.args[index][1] if index is not None else None
        if isinstance(value, TensorSpec):
            assert index is not None
            reader.values[name] = Pointer(index, np.zeros((), np.int64))
        elif isinstance(value, int):
            reader.values[name] = np.array(int(value), np.int64)
    reader.run(parse(ttir), 1.0)
    return reader


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
#: Instructions an element, on lanes of which a multiprocessor has 128 (integers have 64, special functions 16).
_COSTS = {"divf": 10, "exp": 9, "exp2": 8, "log": 9, "log2": 8, "sqrt": 9, "rsqrt": 8, "sin": 16, "cos": 16} | {
    "erf": 20, "tanh": 20, "pow": 30, "remf": 30, "divsi": 32, "divui": 32, "remsi": 32, "remui": 32,
}  # fmt: skip
_FREE = frozenset(
    "tt.splat tt.broadcast tt.expand_dims tt.reshape tt.bitcast tt.make_range tt.get_program_id tt.get_num_programs "
    "tt.return tt.reduce.return tt.scan.return arith.constant".split()
)


class _Reader:
    """Walks operations, keeping what is known of each value; of the middle program or of the last one."""

    def __init__(self, launch: Launch, threads: int, last: bool = False) -> None:
        self.grid, self.threads, self.last = launch.grid, threads, last
        self.arguments = [value for _, value in launch.args]
        self.outside = False
        self.values: dict[str, Known] = {}
        self.constant: set[str] = set()
        self.work = Work()

    def run(self, operations: list[Operation], times: float) -> list[Known]:
        """Do the operations `times` over; what the region yields."""
        yielded: list[Known] = []
        loads = False
        for operation in operations:
            if operation.name == "scf.for":
                self._loop(operation, times)
            elif operation.name == "scf.if":
                self._branch(operation, times)
            elif operation.name == "scf.yield":
                yielded = [self.values.get(name) for name in operation.operands]
            elif operation.name == "scf.while":
                for region in operation.regions:
                    self.run(region, times)
            else:
                loads |= operation.name in ("tt.load", "tt.descriptor_load")
                self._simple(operation, times)
        self.work.rounds += times * loads
        return yielded

    def _loop(self, operation: Operation, times: float) -> None:
        header = re.match(r" (%\S+) = (%\S+) to (%\S+) step (%\S+)", operation.text)
        assert header is not None, operation.text
        low, high, step = (self.values.get(name) for name in header.groups()[1:])
        trips = 1.0
        if isinstance(low, np.ndarray) and isinstance(high, np.ndarray) and isinstance(step, np.ndarray):
            trips = float(max(math.ceil((int(high) - int(low)) / max(int(step), 1)), 0))
            if self.last and trips:
                low = np.asarray(low + int(trips - 1) * step)
        carried = re.findall(r"(%[\w.$-]+) = (%[\w.$#-]+)", operation.text.split("iter_args", 1)[-1])
        self.values[header[1]] = low
        for name, start in carried if "iter_args" in operation.text else ():
            self.values[name] = self.values.get(start)
        yielded = self.run(operation.regions[0], times * trips)
        for name, value in zip(operation.results, yielded, strict=False):
            self.values[name] = value

    def _branch(self, operation: Operation, times: float) -> None:
        condition = self.values.get(operation.operands[0])
        shares = [0.5, 0.5]
        if isinstance(condition, np.ndarray):
            shares = [1.0, 0.0] if int(condition) else [0.0, 1.0]
        for region, share in zip(operation.regions, shares, strict=False):
            yielded = self.run(region, times * share)
            if share:
                self.values |= dict(zip(operation.results, yielded, strict=False))

    def _simple(self, operation: Operation, times: float) -> None:
        name = operation.name
        self._count(operation, times)
        if name in (
            "tt.load",
            "tt.store",
            "tt.atomic_rmw",
            "tt.atomic_cas",
            "tt.descriptor_load",
            "tt.descriptor_store",
        ):
            self._access(operation, times)
        elif operation.results:
            shape = shape_of(operation.result_type)
            self.values[operation.results[0]] = self._value(operation, shape)

    def _count(self, operation: Operation, times: float) -> None:
        family, _, kind = operation.name.partition(".")
        if operation.name in _FREE:
            if operation.name == "arith.constant":
                self.constant.update(operation.results)
            return
        elements = numel(operation.operand_type())
        if operation.name in ("tt.dot", "tt.dot_scaled"):
            self._product(operation, times)
            return
        if operation.name in ("tt.reduce", "tt.scan"):
            self.work.syncs += times
            elements *= max(sum(len(region) - 1 for region in operation.regions), 1)
        floating = element_of(operation.operand_type()) in ("f64", "f32", "f16", "bf16")
        if (family in ("arith", "math") and floating) or operation.name in ("tt.reduce", "tt.scan"):
            self.work.flops += times * elements
        cost = float(_COSTS.get(kind, 1 if floating else 2))
        if kind in ("divsi", "divui", "remsi", "remui") and operation.operands[-1] in self.constant:
            cost = 6.0
        self.work.lane_ops += times * cost * max(elements, self.threads)

    def _product(self, operation: Operation, times: float) -> None:
        left, right = re.findall(r"tensor<[^>]*>", operation.text)[:2]
        kind = element_of(left)
        if kind == "f32" and "inputPrecision = ieee" not in operation.text:
            kind = "tf32"
        flops = 2.0 * numel(left) * shape_of(right)[-1] * times
        self.work.products[kind] = self.work.products.get(kind, 0.0) + flops

    def _access(self, operation: Operation, times: float) -> None:
        pointer = self.values.get(operation.operands[0])
        kind = operation.result_type if operation.name == "tt.descriptor_load" else operation.operand_type()
        width = ELEMENT_BYTES.get(element_of(kind), 8)
        place = {"tt.load": 1, "tt.store": 2, "tt.atomic_rmw": 2, "tt.atomic_cas": 9}.get(operation.name, 9)
        mask = self.values.get(operation.operands[place]) if len(operation.operands) > place else None
        sectors, lanes = self._touched(pointer, mask, numel(kind), width, "descriptor" in operation.name)
        moved = sectors * SECTOR * times
        self.work.wasted += max(moved - lanes * width * times, 0.0)
        index = pointer.parameter if isinstance(pointer, Pointer) else -1
        if operation.name not in ("tt.store", "tt.descriptor_store"):
            self.work.loaded[index] = self.work.loaded.get(index, 0.0) + moved
        if operation.name not in ("tt.load", "tt.descriptor_load"):
            self.work.stored[index] = self.work.stored.get(index, 0.0) + moved
        for result in operation.results:
            self.values[result] = None

    def _touched(self, pointer: Known, mask: Known, elements: int, width: int, block: bool) -> tuple[float, int]:
        """Distinct sectors that a tile touches, and its elements that the mask lets through."""
        if not isinstance(pointer, Pointer) or pointer.offsets is None:
            return (math.ceil(elements * width / SECTOR) if block else float(elements)), elements
        offsets = pointer.offsets
        if isinstance(mask, np.ndarray):
            shape = np.broadcast_shapes(offsets.shape, mask.shape)
            offsets = np.broadcast_to(offsets, shape)[np.broadcast_to(mask, shape) != 0]
        self.outside |= self._leaves(pointer.parameter, offsets)
        return float(np.unique(offsets.reshape(-1) * width // SECTOR).size), offsets.size

    def _leaves(self, parameter: int, offsets: Integers) -> bool:
        spec = self.arguments[parameter]
        if not isinstance(spec, TensorSpec) or not offsets.size:
            return False
        last = sum((size - 1) * stride for size, stride in zip(spec.shape, spec.strides, strict=True))
        return bool(offsets.max() > last or offsets.min() < 0)

    def _value(self, operation: Operation, shape: tuple[int, ...]) -> Known:
        family, _, kind = operation.name.partition(".")
        given = [self.values.get(name) for name in operation.operands]
        if family == "arith":
            return _arithmetic(kind, operation, given, shape)
        if operation.name == "tt.get_program_id":
            axis = "xyz".index(operation.text.split()[0])
            return np.array(self.grid[axis] - 1 if self.last else self.grid[axis] // 2, np.int64)
        if operation.name == "tt.get_num_programs":
            return np.array(self.grid["xyz".index(operation.text.split()[0])], np.int64)
        if operation.name == "tt.make_range":
            return np.arange(operation.attribute("start"), operation.attribute("end"), dtype=np.int64)
        if operation.name == "tt.addptr":
            return _advanced(given[0], given[1])
        if operation.name in ("tt.make_tensor_descriptor", "tt.make_tensor_ptr", "tt.advance"):
            return Pointer(given[0].parameter, None) if isinstance(given[0], Pointer) else None
        if operation.name in ("tt.splat", "tt.broadcast", "tt.expand_dims", "tt.reshape", "tt.bitcast", "tt.trans"):
            return _reshaped(operation, given[0], shape)
        return None


def _arithmetic(kind: str, operation: Operation, given: list[Known], shape: tuple[int, ...]) -> Known:
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


def _advanced(pointer: Known, by: Known) -> Known:
    if not isinstance(pointer, Pointer):
        return None
    if pointer.offsets is None or not isinstance(by, np.ndarray):
        return Pointer(pointer.parameter, None)
    return Pointer(pointer.parameter, np.asarray(pointer.offsets + by))


def _reshaped(operation: Operation, value: Known, shape: tuple[int, ...]) -> Known:
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
