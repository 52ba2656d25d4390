"""What one program of a kernel does: operations, and bytes of memory by sector, read from its TTIR.

Layouts, from Triton's GPU IR, say which elements a warp asks for with one instruction.

Integers and pointers are computed for one program at two fifths of the grid, so that strides, masks and loop counts are
the real ones: in the middle an image of an even batch ends, whose last tile may be nearly empty. A loop's body is
computed once, in its first round. Floats are not computed: an
address that depends on loaded values counts as scattered.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from kernelwright.backend.compile.ttir import ELEMENT_BYTES, Operation, element_of, numel, parameters, parse, shape_of
from kernelwright.backend.cost.access import (
    LINE,
    SECTOR,
    Blocked,
    Ledger,
    Placed,
    Requests,
    partly,
    requests,
    stretches,
)
from kernelwright.backend.cost.exchange import Reduction
from kernelwright.backend.cost.integers import Integers, Known, Pointer, advanced, arithmetic, reshaped
from kernelwright.backend.launch.execute import Launch
from kernelwright.ir.values import TensorSpec

#: Operations that access memory -> where their operands have the mask.
_MASKS = {"tt.load": 1, "tt.store": 2, "tt.atomic_rmw": 2, "tt.atomic_cas": 9}
_BLOCK_ACCESS = ("tt.descriptor_load", "tt.descriptor_store")


@dataclass
class Work:
    """Of one program.

    `loaded`, `stored`: bytes by the index of the run-time argument, in whole sectors, each once however many
    instructions touch it; `reloaded`: bytes that a later loop loads again. `requested` and `lines`: bytes of sectors,
    and lines of the L1 cache, summed over the instructions of all warps; `own`: bytes of sectors, each once for a warp
    in an access; `used`: bytes that lanes ask for.
    `lane_ops`: instructions times the lanes they take, each operation taking at least every thread once.
    `products`: operand type (`tf32` for f32 at lower precision) -> FLOPs of `tl.dot`. `rounds`: waits for
    memory one after another. `syncs`: reductions and scans. `exchanged`: wavefronts of shared memory that reductions
    across warps take. `partly`: sectors that a store fills in part. `stretches`: contiguous pieces of memory that loads
    of more than a line consist of.
    """

    loaded: dict[int, float] = field(default_factory=dict)
    stored: dict[int, float] = field(default_factory=dict)
    reloaded: dict[int, float] = field(default_factory=dict)
    requested: float = 0.0
    own: float = 0.0
    lines: float = 0.0
    used: float = 0.0
    lane_ops: float = 0.0
    flops: float = 0.0
    products: dict[str, float] = field(default_factory=dict)
    rounds: float = 0.0
    syncs: float = 0.0
    exchanged: float = 0.0
    partly: float = 0.0
    stretches: float = 0.0

    @property
    def touched(self) -> float:
        """Bytes in whole sectors, each once in a loop."""
        return sum(sum(found.values()) for found in (self.loaded, self.stored, self.reloaded))


def work_of(
    ttir: str,
    launch: Launch,
    threads: int,
    layouts: Sequence[Placed] = (),
    reductions: Sequence[Reduction] = (),
) -> Work:
    """The work of one program of this launch, run by `threads` threads.

    `layouts` and `reductions` are as `access.layouts_of` and `exchange.reductions_of` find them.
    """
    reader = _read(ttir, launch, _Reader(launch, threads, layouts, reductions))
    work = reader.work
    work.loaded, work.reloaded = reader.loads.bytes()
    work.stored = reader.stores.bytes()[0]
    return work


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
    operations = parse(ttir)
    reader.place(operations)
    reader.run(operations, 1.0)
    return reader


#: Instructions an element, on lanes of which a multiprocessor has 128 (integers have 64, special functions 16).
_COSTS = {"divf": 10, "exp": 9, "exp2": 8, "log": 26, "log2": 28, "sqrt": 9, "rsqrt": 8, "sin": 16, "cos": 16} | {
    "erf": 20, "tanh": 20, "pow": 30, "remf": 30, "divsi": 32, "divui": 32, "remsi": 32, "remui": 32,
}  # fmt: skip
_FREE = frozenset(
    "tt.splat tt.broadcast tt.expand_dims tt.reshape tt.bitcast tt.make_range tt.get_program_id tt.get_num_programs "
    "tt.return tt.reduce.return tt.scan.return arith.constant".split()
)


class _Reader:
    """Walks operations, keeping what is known of each value; of a usual program or of the last one."""

    def __init__(
        self,
        launch: Launch,
        threads: int,
        layouts: Sequence[Placed] = (),
        reductions: Sequence[Reduction] = (),
        last: bool = False,
    ) -> None:
        self.grid, self.threads, self.last = launch.grid, threads, last
        self.arguments = [value for _, value in launch.args]
        self.outside = False
        self.values: dict[str, Known] = {}
        self.constant: set[str] = set()
        self.work = Work()
        self.loads, self.stores = Ledger(), Ledger()
        self.layouts, self.places = layouts, dict[int, int]()
        self.reductions, self.reduced = reductions, dict[int, int]()
        self.loop, self.depth = 0, 0

    def place(self, operations: list[Operation]) -> None:
        """Number accesses and reductions in the order of the text, which is that of the layouts."""
        for operation in operations:
            if operation.name in _MASKS:
                self.places[id(operation)] = len(self.places)
            elif operation.name == "tt.reduce":
                self.reduced[id(operation)] = len(self.reduced)
            for region in operation.regions:
                self.place(region)

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
        self.loop += self.depth == 0
        self.depth += 1
        yielded = self.run(operation.regions[0], times * trips)
        self.depth -= 1
        self.loop += self.depth == 0
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
        if name in _MASKS or name in _BLOCK_ACCESS:
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
            self.work.exchanged += times * self._wavefronts(operation)
            elements *= max(sum(len(region) - 1 for region in operation.regions), 1)
        floating = element_of(operation.operand_type()) in ("f64", "f32", "f16", "bf16")
        if (family in ("arith", "math") and floating) or operation.name in ("tt.reduce", "tt.scan"):
            self.work.flops += times * elements
        cost = float(_COSTS.get(kind, 1 if floating else 2))
        if kind in ("divsi", "divui", "remsi", "remui") and operation.operands[-1] in self.constant:
            cost = 6.0
        self.work.lane_ops += times * cost * max(elements, self.threads)

    def _wavefronts(self, operation: Operation) -> int:
        """What a reduction takes of shared memory, if the GPU IR has the same reductions."""
        place = self.reduced.get(id(operation))
        if place is None or len(self.reductions) != len(self.reduced):
            return 0
        return self.reductions[place].wavefronts

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
        width, elements = ELEMENT_BYTES.get(element_of(kind), 8), numel(kind)
        index = pointer.parameter if isinstance(pointer, Pointer) else -1
        asked, sectors, used = Requests(elements, elements, elements), None, elements * width
        if isinstance(pointer, Pointer) and pointer.offsets is not None:
            place = _MASKS.get(operation.name, len(operation.operands))
            mask = self.values.get(operation.operands[place]) if len(operation.operands) > place else None
            shape = np.broadcast_shapes(shape_of(kind), pointer.offsets.shape)
            offsets = np.broadcast_to(pointer.offsets, shape)
            active = np.broadcast_to(mask if isinstance(mask, np.ndarray) else np.ones((), np.int64), shape)
            asked = requests(offsets, active, width, self._layout(operation, shape))
            offsets = offsets[active != 0]
            sectors, used = np.unique(offsets * width // SECTOR), offsets.size * width
            if operation.name == "tt.load" and used > LINE:
                self.work.stretches += stretches(sectors) * times
            if operation.name == "tt.store":
                self.work.partly += partly(offsets, width) * times
            self.outside |= self._leaves(pointer.parameter, offsets)
        elif operation.name in _BLOCK_ACCESS:
            whole = math.ceil(used / SECTOR)
            asked = Requests(math.ceil(used / LINE), whole, whole)
        self.work.requested += asked.sectors * SECTOR * times
        self.work.own += asked.own * SECTOR * times
        self.work.lines += asked.lines * times
        self.work.used += used * times
        if operation.name not in ("tt.store", "tt.descriptor_store"):
            self.loads.note(index, self.loop, times, sectors, asked.sectors * SECTOR)
        if operation.name not in ("tt.load", "tt.descriptor_load"):
            self.stores.note(index, self.loop, times, sectors, asked.sectors * SECTOR)
        for result in operation.results:
            self.values[result] = None

    def _layout(self, operation: Operation, shape: tuple[int, ...]) -> Blocked | None:
        """The layout of an access, if the GPU IR has the same accesses."""
        place = self.places.get(id(operation))
        if place is None or len(self.layouts) != len(self.places) or self.layouts[place][0] != shape:
            return None
        return self.layouts[place][1]

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
            return arithmetic(kind, operation, given, shape)
        if operation.name == "tt.get_program_id":
            axis = "xyz".index(operation.text.split()[0])
            return np.array(self.grid[axis] - 1 if self.last else (self.grid[axis] - 1) * 2 // 5, np.int64)
        if operation.name == "tt.get_num_programs":
            return np.array(self.grid["xyz".index(operation.text.split()[0])], np.int64)
        if operation.name == "tt.make_range":
            return np.arange(operation.attribute("start"), operation.attribute("end"), dtype=np.int64)
        if operation.name == "tt.addptr":
            return advanced(given[0], given[1])
        if operation.name in ("tt.make_tensor_descriptor", "tt.make_tensor_ptr", "tt.advance"):
            return Pointer(given[0].parameter, None) if isinstance(given[0], Pointer) else None
        if operation.name in ("tt.splat", "tt.broadcast", "tt.expand_dims", "tt.reshape", "tt.bitcast", "tt.trans"):
            return reshaped(operation, given[0], shape)
        return None
