"""One paragraph of the short form -> one kernel, as `lower-inductor` would write it, and its launch."""

import ast
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from kernelwright.frontend.notation.expressions import ExpressionEmitter, function_of, power_of_two
from kernelwright.frontend.notation.kinds import Kind
from kernelwright.frontend.notation.lengths import subscripts
from kernelwright.frontend.notation.words import (
    DEVICE,
    GRID_AXES,
    INDEX_REDUCTIONS,
    LANGUAGE,
    LETTERS,
    MOST_REDUCED,
    REDUCED_AXES,
    REDUCTIONS,
    TILE,
)
from kernelwright.ir.values import Kernel, TensorSpec

_NAME = re.compile(r"[a-z][a-z0-9]{0,3}")
_TAKEN = frozenset({*LETTERS, *LANGUAGE, *REDUCTIONS, *INDEX_REDUCTIONS, "load", "tl", "inf", "nan", "axes"})


@dataclass(frozen=True)
class Emitted:
    """A kernel, the device functions that it calls, the tensors that it makes, those that it takes, and its launch."""

    kernel: Kernel
    called: tuple[str, ...]
    made: tuple[str, ...]
    tensors: tuple[str, ...]
    launch: str


@dataclass
class KernelEmitter(ExpressionEmitter):
    """Emits one kernel."""

    statements: Sequence[ast.stmt]

    def __post_init__(self) -> None:
        super().__post_init__()
        self.made: list[str] = []
        self.order: list[str] | None = None

    def emit(self) -> Emitted:
        """The kernel. Raises DialectError."""
        self._check_axes()
        for statement in self.statements:
            self._statement(statement)
        if self.order is None:
            raise self.refuse(self.statements[-1], "a kernel stores nothing", "end it with `store(out[i], ...)`")
        source, meta = self._source()
        launch = (
            f'{self.name}[(triton.cdiv({self._programs()}, {self.name}_meta["XBLOCK"]),)]'
            f"({', '.join(self.used)}, **{self.name}_meta)"
        )
        return Emitted(Kernel(self.name, source, meta), tuple(self.called), tuple(self.made), tuple(self.used), launch)

    # ---- axes and tiles

    def _check_axes(self) -> None:
        for statement in self.statements:
            tensors = {id(node.value) for node in ast.walk(statement) if isinstance(node, ast.Subscript)}
            for node in ast.walk(statement):
                is_axis = isinstance(node, ast.Name) and node.id in LETTERS and id(node) not in tensors
                if isinstance(node, ast.Name) and is_axis and node.id not in self.sizes:
                    raise self.refuse(
                        node,
                        f"nothing says how long axis {node.id} is",
                        f"index a tensor by it alone, as `x[{node.id}]`, or begin with `axes({node.id}=8)`",
                    )
        if self.going() > MOST_REDUCED:
            raise self.refuse(
                self.statements[0],
                f"a program would loop over {self.going()} elements",
                f"{MOST_REDUCED} are the most",
            )

    def _grid(self) -> list[str]:
        return [letter for letter in self.order or () if letter in GRID_AXES]

    def _programs(self) -> int:
        return math.prod(self.sizes[letter] for letter in self._grid())

    def _ordered(self, spec: TensorSpec, indices: Sequence[ast.expr]) -> None:
        """The grid's axes as the first tensor that is stored to has them in memory."""
        alone = {
            index.id: stride for index, stride in zip(indices, spec.strides, strict=True) if isinstance(index, ast.Name)
        }
        letters = sorted(self.sizes)
        self.order = sorted(letters, key=lambda letter: -alone.get(letter, 1 << 62))

    def _source(self) -> tuple[str, tuple[tuple[str, int], ...]]:
        going, programs = self.going(), self._programs()
        block = power_of_two(going)
        tile = min(power_of_two(programs), max(TILE // block, 1))
        wide = self._reduces()
        lines = [f"    R0_BLOCK: tl.constexpr = {block}"] if wide else []
        lines += [
            "    xoffset = tl.program_id(0) * XBLOCK",
            f"    xindex = xoffset + tl.arange(0, XBLOCK)[{':, None' if wide else ':'}]",
            f"    xmask = xindex < {programs}",
        ]
        if wide:
            lines.append("    r0_index = tl.arange(0, R0_BLOCK)[None, :]")
            lines += [f"    r0_mask = r0_index < {going}"] if block != going else []
        lines += [
            f"    {line}" for line in [*self._places("xindex", self._grid()), *self._places("r0_index", self.rows())]
        ]
        parameters = ", ".join([*(f"{name}_ptr" for name in self.used), "XBLOCK: tl.constexpr"])
        body = [f"    {line}" for line in self.body]
        source = "\n".join(["@triton.jit", f"def {self.name}({parameters}):", *lines, *body])
        return source, (("XBLOCK", tile), ("num_warps", max(1, min(8, tile * block // 256))))

    def _reduces(self) -> bool:
        return any(letter in REDUCED_AXES for letter in self.sizes)

    def _places(self, index: str, letters: Sequence[str]) -> list[str]:
        """Each letter from the flat index."""
        found, step = [], 1
        for place, letter in reversed(list(enumerate(letters))):
            text = index if step == 1 else f"{index} // {step}"
            found.append(f"{letter} = {text if place == 0 else f'{text} % {self.sizes[letter]}'}")
            step *= self.sizes[letter]
        return found[::-1]

    # ---- statements

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if not _NAME.fullmatch(name) or name in _TAKEN or name in DEVICE:
                raise self.refuse(node, f"{name} is no name for a value", "use a, b, c, ... but no letter of an axis")
            found = self.kind(node.value)
            text, letters = self.expression(node.value)
            self.body.append(f"{name} = {text}")
            self.letters[name], self.kinds[name] = letters, found
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and function_of(node.value) == "store":
            self._store(node.value)
        else:
            raise self.refuse(
                node, f"a statement of an unknown kind ({type(node).__name__})", "write `a = ...` or `store(x[i], a)`"
            )

    def _store(self, node: ast.Call) -> None:
        if len(node.args) != 2 or node.keywords:
            raise self.refuse(node, "store takes a place and a value", "write `store(out[i, j], a)`")
        target, value = node.args
        text, letters = self.expression(value)
        spec = self._stored(target, self.kind(value))
        index, placed = self.address(target, spec)
        if lost := sorted(letters - placed):
            raise self.refuse(
                node,
                f"the value has an element for each {lost[0]}, its place does not",
                f"index {spec.name} by {lost[0]}" if lost[0] in GRID_AXES else f"reduce over {lost[0]}, as `sum(a)`",
            )
        if self.order is None:
            self._ordered(spec, subscripts(target))
        mask = " & ".join(["xmask", *(["r0_mask"] if self.past(placed) else [])])
        index = index if placed else f"0 * xindex + {index}"
        self.body.append(f"tl.store({self.parameter(spec.name)} + ({index}), {text}, {mask})")

    def _stored(self, target: ast.expr, found: Kind) -> TensorSpec:
        """The tensor that is stored to, made where it is new."""
        base = target.value if isinstance(target, ast.Subscript) else target
        if not isinstance(base, ast.Name):
            raise self.refuse(target, "a place is a tensor with indices", "write `store(out[i, j], a)`")
        name, known = base.id, self.tensors.known
        if name in {spec.name for spec in self.tensors.reference.tensors}:
            raise self.refuse(
                target, f"{name} is an input", "store to an output, or to a tensor of your own such as buf0"
            )
        if name not in known:
            if name in self.tensors.outputs:
                known[name] = self.tensors.outputs[name]
            else:
                known[name] = TensorSpec.contiguous(
                    name, {"float": "f32", "int": "i64", "bool": "b1"}[found], self._shape(target)
                )
            self.made.append(name)
        return known[name]

    def _shape(self, target: ast.expr) -> tuple[int, ...]:
        """The shape of a tensor by the place that is stored to first."""
        shape = []
        for index in subscripts(target):
            if isinstance(index, ast.Name) and index.id in self.sizes:
                shape.append(self.sizes[index.id])
            elif isinstance(index, ast.Constant) and index.value == 0:
                shape.append(1)
            else:
                raise self.refuse(
                    index,
                    "the size of the tensor does not follow from its indices",
                    "index a tensor of your own by axes and 0",
                )
        return tuple(shape)
