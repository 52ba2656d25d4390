"""Triton's IR (TTIR) text as a tree of operations: as much of its grammar as reading a kernel needs."""

import math
import re
from dataclasses import dataclass, field

#: Bytes of an element; what is not listed is a pointer or an index.
ELEMENT_BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4, "i16": 2, "i8": 1, "i1": 1}

_LOCATION = re.compile(r" ?loc\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
_OPERATION = re.compile(r'(?:(?P<results>%[^=]*?) = )?"?(?P<name>[a-z_]\w*\.[\w.]+|return|cf\.\w+)"?(?P<rest>.*)')
_VALUE = re.compile(r"%[\w.$-]+(?:#\d+)?")
_TENSOR = re.compile(r"tensor<((?:\d+x)*)(!tt\.ptr<\w+>|\w+)")


@dataclass
class Operation:
    """One operation: `results` and `operands` are SSA names, `text` what follows the name, `regions` its bodies."""

    name: str
    results: tuple[str, ...]
    operands: tuple[str, ...]
    text: str
    regions: list[list["Operation"]] = field(default_factory=list)

    @property
    def result_type(self) -> str:
        """The type of the first result (of the operands where the text names only theirs)."""
        kinds = re.split(r" -> | to | : ", self.text)
        return kinds[-1].strip("() {")

    def operand_type(self) -> str:
        """The first type that the text names."""
        return self.text.split(" : ", 1)[-1].split(" -> ")[0].strip("( ")

    def attribute(self, name: str, default: int = 0) -> int:
        """An integer attribute, such as `axis` in `{axis = 1 : i32}`."""
        found = re.search(rf"\b{name} = (-?\d+)", self.text)
        return int(found[1]) if found else default


def shape_of(kind: str) -> tuple[int, ...]:
    """Sizes of a type's first tensor; empty for a scalar."""
    found = _TENSOR.search(kind)
    return tuple(int(size) for size in found[1].split("x") if size) if found else ()


def element_of(kind: str) -> str:
    """The element's type, for a pointer that of what it points to: `f32`."""
    pointer = re.search(r"!tt\.ptr<(\w+)", kind)
    if pointer:
        return pointer[1]
    found = _TENSOR.search(kind)
    return found[2] if found else kind.split(",")[0].strip()


def numel(kind: str) -> int:
    """Elements of a type; one for a scalar."""
    return math.prod(shape_of(kind))


def parse(ttir: str) -> list[Operation]:
    """The body of the kernel: the public function's operations."""
    lines = [line.strip() for line in _LOCATION.sub("", ttir).splitlines()]
    start = next(index for index, line in enumerate(lines) if line.startswith("tt.func public"))
    return _region(lines, start + 1)[0]


def parameters(ttir: str) -> list[str]:
    """SSA names of the kernel's run-time parameters, in order."""
    line = next(line for line in _LOCATION.sub("", ttir).splitlines() if "tt.func public" in line)
    return re.findall(r"(%\w+):", line)


def _region(lines: list[str], index: int) -> tuple[list[Operation], int]:
    """The operations up to the closing brace, and the index of its line."""
    operations: list[Operation] = []
    while not lines[index].startswith("}"):
        match = _OPERATION.match(lines[index])
        if match is None or lines[index].startswith("^"):
            index += 1
            continue
        operation = _operation(match)
        operations.append(operation)
        opened = lines[index].endswith("{")
        while opened:
            body, index = _region(lines, index + 1)
            operation.regions.append(body)
            operation.text += lines[index].lstrip("}) ") if lines[index].startswith("})") else ""
            opened = lines[index].endswith("{")
        index += 1
    return operations, index


def _operation(match: re.Match[str]) -> Operation:
    text = match["rest"]
    results: list[str] = []
    for name in (match["results"] or "").split(","):
        base, _, count = name.strip().partition(":")
        results += [f"{base}#{i}" for i in range(int(count))] if count else [base] if base else []
    head = text.split(" : ")[0] if match["name"] != "scf.for" else text
    return Operation(match["name"], tuple(results), tuple(_VALUE.findall(head)), text)
