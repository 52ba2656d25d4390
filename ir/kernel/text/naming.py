"""Names for values, after what they do: `pid`, `offsets`, `mask`, `x`, `acc`, `start`."""

import keyword
import re
from collections.abc import Iterator, Mapping

from kernelwright.ir.kernel.analysis.phases import Phase, phases
from kernelwright.ir.kernel.analysis.shapes import ONE, shapes
from kernelwright.ir.kernel.values import Constant, Function, Operand, Operation, Symbol, Value
from kernelwright.ir.kernel.vocabulary import COMPARING

_POINTER = re.compile(r"(?:^(?:in|out)_)?(.*?)_?(?:ptr|pointer)s?\d*$")
_WORDS: Mapping[str, str] = {
    "add": "total", "sub": "difference", "mul": "product", "truediv": "quotient", "floordiv": "quotient",
    "mod": "remainder", "neg": "negative", "sum": "total", "max": "largest", "min": "smallest", "dot": "product",
    "where": "chosen", "cast": "converted", "exp": "exponential", "exp2": "exponential", "maximum": "larger",
    "minimum": "smaller", "program_id": "pid", "num_programs": "programs", "arange": "lanes", "full": "filled",
    "broadcast_to": "spread", "reshape": "reshaped", "trans": "transposed", "permute": "permuted", "call": "result",
    "reduce": "reduced", "associative_scan": "scanned", "cdiv": "blocks", "make_block_ptr": "block",
    "make_tensor_descriptor": "descriptor", "expand_dims": "column", "fma": "total", "clamp": "clamped",
    "bitand": "both", "bitor": "either", "scalar": "number", "if": "chosen", "method.load": "loaded", "opaque": "value",
}  # fmt: skip
_RESERVED = frozenset(
    {"tl", "triton", "libdevice", "range", "min", "max", "abs", "len", "float", "int", "bool", "tuple"}
)
_RESERVED |= {"isinstance", "torch", "aten", "math", "nn", *keyword.kwlist}


class Roles:
    """What each value of a function is for."""

    def __init__(self, function: Function) -> None:
        self._parameters = dict(zip(function.body.arguments, (p.name for p in function.parameters), strict=True))
        self._definitions = {result: one for one in function.walk() for result in one.results}
        self._shapes = shapes(function)
        self._indices = _indices(function)
        self._masks: set[Value] = set()
        self._pointers: set[Value] = set()
        self._offsets: set[Value] = set()
        #: Carried values by what they start with.
        self._starts: dict[Value, Operand] = {}
        for operation in function.walk():
            for body in operation.regions if operation.inits else ():
                skip = len(body.arguments) - len(operation.inits)
                self._starts |= zip(body.arguments[skip:], operation.inits, strict=True)
            self._accesses(operation)
        self._carried: dict[Value, tuple[Operation, int]] = {}
        for operation in function.walk():
            for index, init in enumerate(operation.inits):
                if isinstance(init, Value):
                    self._carried.setdefault(init, (operation, index))

    def reserved(self, function: Function) -> set[str]:
        """Names that no value may take."""
        found = set(_RESERVED) | {parameter.name for parameter in function.parameters} | {function.symbol}
        operands: Iterator[Operand] = (o for one in function.walk() for o in (*one.operands, *_yields(one)))
        found |= {operand.name.split(".")[0] for operand in operands if isinstance(operand, Symbol)}
        found |= {o.name for o in function.body.yields if isinstance(o, Symbol)}
        for one in function.walk():
            if one.kind.startswith("opaque"):
                found |= set(re.findall(r"[A-Za-z_]\w*", one.text))
        return found

    def of(self, value: Value) -> str:
        """A name for a value that an operation gives."""
        operation = self._definitions[value]
        if value in self._carried and operation.kind in ("scalar", "full"):
            return self.carried_by(*self._carried[value])
        if value in self._masks:
            return "mask"
        if value in self._pointers:
            return self._base(value, "pointers")
        kind = operation.kind
        if value in self._indices and kind != "program_id":
            return self._index(value, kind)
        if value in self._offsets:
            return "offsets"
        if kind == "load":
            return self._base(operation.operands[0], "loaded")
        if kind == "program_id":
            axis = operation.operands[0]
            return {"1": "pid_1", "2": "pid_2"}.get(axis.text, "pid") if isinstance(axis, Constant) else "pid"
        if kind == "scalar" and operation.operands[0] in self._definitions:
            return self.of(operation.operands[0])
        if kind.startswith("atomic_"):
            return "old"
        if kind in COMPARING:
            return "flag"
        return _WORDS.get(kind, re.sub(r"\W", "_", kind.split(".")[-1]))

    def _index(self, value: Value, kind: str) -> str:
        """Numbers of elements: `rows`, `columns`, `index`, or one number."""
        shape = self._shapes.of(value)
        if not shape:
            return "tile" if kind in ("floordiv", "mod") else "first" if kind == "mul" else "place"
        if kind == "arange":
            return "lanes"
        if len(shape) == 2 and ONE in shape:
            return "rows" if shape[1] == ONE else "columns"
        return "offsets" if value in self._offsets else "index"

    def carried_by(self, operation: Operation, index: int) -> str:
        """A name for a value that a loop carries."""
        body = operation.regions[-1]
        argument = body.arguments[index + len(body.arguments) - len(operation.results)]
        given = body.yields[index]
        made = self._definitions.get(given) if isinstance(given, Value) else None
        counts = made is not None and made.kind == "add" and made.operands[0] == argument
        if counts and made is not None and isinstance(made.operands[1], Constant) and argument not in self._pointers:
            return "i" if made.operands[1] == ONE else "start"
        return self.carried(operation.inits[index], given, argument)

    def carried(self, init: Operand, given: Operand, argument: Value | None = None) -> str:
        """A name for a carried value, or for what an `if` gives."""
        if argument in self._pointers:
            return self._base(init, "pointers")
        for operand in (given, init):
            operation = self._definitions.get(operand) if isinstance(operand, Value) else None
            if operand in self._pointers:
                return self._base(operand, "pointers")
            if operation is None:
                continue
            if operation.kind in ("maximum", "minimum"):
                return "largest" if operation.kind == "maximum" else "smallest"
            if operation.kind == "load":
                return self.of(operation.result)
        return "acc"

    def _base(self, operand: Operand, otherwise: str) -> str:
        """`x` where the value points into the tensor at `x_ptr`."""
        seen = 0
        while isinstance(operand, Value) and seen < 100:
            if operand in self._parameters:
                name = self._parameters[operand]
                found = _POINTER.match(name)
                base = found[1] if found and found[1] else name.lower() if name.lower() != name else ""
                plain = re.fullmatch(r"[A-Za-z_]\w*", base)
                return base + ("_pointers" if otherwise == "pointers" else "") if plain else otherwise
            seen += 1
            if operand in self._starts:
                operand = self._starts[operand]
                continue
            operation = self._definitions.get(operand)
            if operation is None or operation.kind not in ("add", "sub", "advance", "make_block_ptr", "scalar"):
                return otherwise
            operand = operation.operands[0]
        return otherwise

    def _accesses(self, operation: Operation) -> None:
        mask = operation.get("mask")
        if isinstance(mask, Value):
            self._masks.add(mask)
            made = self._definitions.get(mask)
            while made is not None and made.kind in ("bitand", "expand_dims"):
                self._masks.update(o for o in made.operands if isinstance(o, Value))
                made = self._definitions.get(made.operands[0])  # type: ignore[arg-type]
        pointer = operation.get("pointer")
        made = self._definitions.get(pointer) if isinstance(pointer, Value) else None
        if isinstance(pointer, Value):
            self._pointers.add(pointer)
        while made is not None and made.kind == "add":
            self._offsets.update(o for o in made.operands[1:] if isinstance(o, Value))
            if isinstance(made.operands[0], Value) and made.operands[0] in self._definitions:
                self._pointers.add(made.operands[0])
            made = self._definitions.get(made.operands[0])  # type: ignore[arg-type]


def _yields(operation: Operation) -> Iterator[Operand]:
    for region in operation.regions:
        yield from region.yields


class Names:
    """Hands out names that are not taken; names of a scope are free again when it closes."""

    def __init__(self, reserved: set[str]) -> None:
        self._taken: list[set[str]] = [set(reserved)]

    def open(self) -> None:
        """Start a scope."""
        self._taken.append(set())

    def close(self) -> None:
        """End a scope."""
        self._taken.pop()

    def keep(self) -> None:
        """Leave the names of the open scope to the one around it."""
        self._taken[-2] |= self._taken[-1]

    def new(self, wanted: str) -> str:
        """The name itself, or with a number behind it."""
        name, count = wanted, 0
        while any(name in taken for taken in self._taken):
            count += 1
            name = f"{wanted}_{count}"
        self._taken[-1].add(name)
        return name


def _indices(function: Function) -> set[Value]:
    """Values that are computed from program numbers, `arange` and literals alone."""
    found: set[Value] = set()
    known = phases(function)
    for operation in function.walk():
        if operation.kind in ("program_id", "arange"):
            found.update(operation.results)
        elif operation.kind in ("add", "sub", "mul", "floordiv", "mod", "expand_dims", "broadcast_to"):
            values = [o for o in operation.operands if isinstance(o, Value)]
            fixed = [o for o in values if known[o] <= Phase.ARGUMENT]
            if any(o in found for o in values) and all(o in found or o in fixed for o in values):
                found.update(operation.results)
        elif operation.kind == "for":
            found.add(operation.regions[0].arguments[0])
    return found
