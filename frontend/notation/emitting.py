"""One paragraph of the short form -> one kernel, as `lower-inductor` would write it, and its launch."""

import ast
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from kernelwright.frontend.notation.kinds import Kind, kind
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
    SCANS,
    TILE,
    TYPES,
)
from kernelwright.ir.checker import diagnostic
from kernelwright.ir.errors import DialectError
from kernelwright.ir.values import Kernel, Reference, TensorSpec, contiguous_strides

_NAME = re.compile(r"[a-z][a-z0-9]{0,3}")
_TAKEN = frozenset({*LETTERS, *LANGUAGE, *REDUCTIONS, *INDEX_REDUCTIONS, "load", "tl", "inf", "nan", "axes"})
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.BitAnd, ast.BitOr, ast.BitXor)
_COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
Letters = frozenset[str]
NOTHING: Letters = frozenset()


@dataclass
class Tensors:
    """The tensors of a program so far: those of the reference, outputs, and those that it makes."""

    reference: Reference
    known: dict[str, TensorSpec]
    outputs: dict[str, TensorSpec]
    made: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, reference: Reference) -> "Tensors":
        """Before the first kernel."""
        inputs = {spec.name: spec for spec in reference.tensors}
        return cls(reference, inputs, {spec.name: _allocated(spec) for spec in reference.outputs})

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name -> shape of all whose shape is known."""
        return {name: spec.shape for name, spec in (self.outputs | self.known).items()}


def _allocated(spec: TensorSpec) -> TensorSpec:
    """An output as it is made: laid out as the reference's where that is dense, else row by row."""
    step, dense = 1, True
    for stride, size in sorted(zip(spec.strides, spec.shape, strict=True)):
        if size > 1:
            dense, step = dense and stride == step, step * size
    strides = spec.strides if dense else contiguous_strides(spec.shape)
    return TensorSpec(spec.name, spec.dtype, spec.shape, strides)


@dataclass(frozen=True)
class Emitted:
    """A kernel, the device functions that it calls, the tensors that it makes, those that it takes, and its launch."""

    kernel: Kernel
    called: tuple[str, ...]
    made: tuple[str, ...]
    tensors: tuple[str, ...]
    launch: str


@dataclass
class KernelEmitter:
    """Emits one kernel. `lines` are the text's, for diagnostics."""

    name: str
    statements: Sequence[ast.stmt]
    sizes: dict[str, int]
    tensors: Tensors
    lines: list[str]

    def __post_init__(self) -> None:
        self.body: list[str] = []
        self.used: list[str] = []
        self.made: list[str] = []
        self.called: dict[str, None] = {}
        self.letters: dict[str, Letters] = {}
        self.kinds: dict[str, Kind] = {}
        self.order: list[str] | None = None
        self.temporaries = 0

    def refuse(self, node: ast.AST, message: str, hint: str) -> DialectError:
        """A diagnostic to raise."""
        return DialectError((diagnostic(node, message, hint, self.lines),))

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
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and node.id in LETTERS and node.id not in self.sizes:
                    raise self.refuse(
                        node,
                        f"nothing says how long axis {node.id} is",
                        f"index a tensor by it alone, as `x[{node.id}]`, or begin with `axes({node.id}=8)`",
                    )
        if self._going() > MOST_REDUCED:
            raise self.refuse(
                self.statements[0],
                f"a program would go through {self._going()} elements",
                f"{MOST_REDUCED} are the most",
            )

    def _grid(self) -> list[str]:
        return [letter for letter in self.order or () if letter in GRID_AXES]

    def _programs(self) -> int:
        return math.prod(self.sizes[letter] for letter in self._grid())

    def _going(self) -> int:
        return math.prod(size for letter, size in self.sizes.items() if letter in REDUCED_AXES)

    def _ordered(self, spec: TensorSpec, indices: Sequence[ast.expr]) -> None:
        """The grid's axes as the first tensor that is stored to has them in memory."""
        alone = {
            index.id: stride for index, stride in zip(indices, spec.strides, strict=True) if isinstance(index, ast.Name)
        }
        letters = sorted(self.sizes)
        self.order = sorted(letters, key=lambda letter: -alone.get(letter, 1 << 62))

    def _source(self) -> tuple[str, tuple[tuple[str, int], ...]]:
        going, programs = self._going(), self._programs()
        block = _power_of_two(going)
        tile = min(_power_of_two(programs), max(TILE // block, 1))
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
            f"    {line}" for line in [*self._places("xindex", self._grid()), *self._places("r0_index", self._rows())]
        ]
        parameters = ", ".join([*(f"{name}_ptr" for name in self.used), "XBLOCK: tl.constexpr"])
        body = [f"    {line}" for line in self.body]
        source = "\n".join(["@triton.jit", f"def {self.name}({parameters}):", *lines, *body])
        return source, (("XBLOCK", tile), ("num_warps", max(1, min(8, tile * block // 256))))

    def _reduces(self) -> bool:
        return any(letter in REDUCED_AXES for letter in self.sizes)

    def _rows(self) -> list[str]:
        return sorted(letter for letter in self.sizes if letter in REDUCED_AXES)

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
            found = kind(node.value, self.kinds)
            text, letters = self._expression(node.value)
            self.body.append(f"{name} = {text}")
            self.letters[name], self.kinds[name] = letters, found
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _function(node.value) == "store":
            self._store(node.value)
        else:
            raise self.refuse(
                node, f"a statement of another kind ({type(node).__name__})", "write `a = ...` or `store(x[i], a)`"
            )

    def _store(self, node: ast.Call) -> None:
        if len(node.args) != 2 or node.keywords:
            raise self.refuse(node, "store takes a place and a value", "write `store(out[i, j], a)`")
        target, value = node.args
        text, letters = self._expression(value)
        spec = self._stored(target, kind(value, self.kinds))
        index, placed = self._address(target, spec)
        if lost := sorted(letters - placed):
            raise self.refuse(
                node,
                f"the value has an element for each {lost[0]}, its place does not",
                f"index {spec.name} by {lost[0]}" if lost[0] in GRID_AXES else f"reduce over {lost[0]}, as `sum(a)`",
            )
        if self.order is None:
            self._ordered(spec, subscripts(target))
        mask = " & ".join(["xmask", *(["r0_mask"] if self._past(placed) else [])])
        index = index if placed else f"0 * xindex + {index}"
        self.body.append(f"tl.store({self._parameter(spec.name)} + ({index}), {text}, {mask})")

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
                    index, "how large a tensor is does not follow", "index a tensor of your own by axes and 0"
                )
        return tuple(shape)

    # ---- expressions

    def _parameter(self, name: str) -> str:
        if name not in self.used:
            self.used.append(name)
        return f"{name}_ptr"

    def _past(self, letters: Letters) -> bool:
        """Whether a tile goes past the end of what a program goes through."""
        return bool(letters & set(REDUCED_AXES)) and _power_of_two(self._going()) != self._going()

    def _address(self, target: ast.expr, spec: TensorSpec) -> tuple[str, Letters]:
        """A place as an offset in elements."""
        indices = subscripts(target)
        if len(indices) != len(spec.shape):
            raise self.refuse(
                target, f"{spec.name} has {len(spec.shape)} dimensions, not {len(indices)}", f"it is {spec.annotation}"
            )
        terms: list[str] = []
        letters = NOTHING
        for index, size, stride in zip(indices, spec.shape, spec.strides, strict=True):
            if isinstance(index, ast.Constant) and not (type(index.value) is int and 0 <= index.value < size):
                raise self.refuse(
                    index, f"{spec.name} has {size} elements along this dimension", f"it is {spec.annotation}"
                )
            text, found = self._expression(index)
            letters |= found
            if text != "0":
                terms.append(
                    text
                    if stride == 1 and isinstance(index, ast.Name)
                    else f"{stride} * ({text})"
                    if stride != 1 and not isinstance(index, ast.Name)
                    else f"{stride} * {text}"
                    if stride != 1
                    else f"({text})"
                )
        return " + ".join(terms) or "0", letters

    def _expression(self, node: ast.expr) -> tuple[str, Letters]:
        """Triton for an expression, and the axes that it has elements for."""
        if isinstance(node, ast.Constant) and type(node.value) in (bool, int, float):
            return repr(node.value), NOTHING
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Invert):
            text, letters = self._expression(node.operand)
            return f"({'-' if isinstance(node.op, ast.USub) else '~'}{text})", letters
        if isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC):
            return self._joined(node.op, node.left, node.right)
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], _COMPARISONS):
            return self._joined(node.ops[0], node.left, node.comparators[0])
        if isinstance(node, ast.Call):
            return self._call(node)
        raise self.refuse(node, "an expression of another kind", "use arithmetic, comparisons, loads and functions")

    def _name(self, node: ast.Name) -> tuple[str, Letters]:
        if node.id in ("inf", "nan"):
            return f"float('{node.id}')", NOTHING
        if node.id in LETTERS:
            return node.id, frozenset({node.id})
        if node.id in self.letters:
            return node.id, self.letters[node.id]
        if node.id in self.tensors.shapes():
            raise self.refuse(node, f"{node.id} is a tensor", f"load an element of it: `load({node.id}[...])`")
        raise self.refuse(node, f"{node.id} has no value yet", "assign it before it is used")

    def _joined(self, op: ast.AST, left: ast.expr, right: ast.expr) -> tuple[str, Letters]:
        (one, first), (other, second) = self._expression(left), self._expression(right)
        return f"({one} {_SYMBOLS[type(op)]} {other})", first | second

    def _call(self, node: ast.Call) -> tuple[str, Letters]:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "to":
            return self._cast(node, node.func.value)
        name = _function(node)
        if node.keywords:
            raise self.refuse(node, f"{name} takes no arguments by name", f"write `{name}(...)` with values alone")
        if name == "load":
            return self._load(node)
        if name in REDUCTIONS or name in INDEX_REDUCTIONS or name in SCANS:
            return self._reduction(node, name)
        count = LANGUAGE.get(name, DEVICE.get(name))
        if count is None:
            raise self.refuse(node, f"there is no function {name or ast.unparse(node.func)}", f"there are {_FUNCTIONS}")
        if len(node.args) != count:
            raise self.refuse(node, f"{name} takes {count} values, not {len(node.args)}", "give it as many")
        parts = [self._expression(argument) for argument in node.args]
        if name in DEVICE:
            self.called[name] = None
        called = name if name in DEVICE else f"tl.{name}"
        return f"{called}({', '.join(text for text, _ in parts)})", NOTHING.union(*(letters for _, letters in parts))

    def _cast(self, node: ast.Call, value: ast.expr) -> tuple[str, Letters]:
        dtype = node.args[0].id if len(node.args) == 1 and isinstance(node.args[0], ast.Name) else ""
        if dtype not in TYPES or node.keywords:
            raise self.refuse(node, "a cast to no type", f"write `a.to(float32)`; types are {', '.join(sorted(TYPES))}")
        text, letters = self._expression(value)
        if isinstance(value, ast.Constant):
            raise self.refuse(node, "a cast of a number", "write the number as it is wanted, `32.0` or `32`")
        return f"{text}.to(tl.{dtype})", letters

    def _load(self, node: ast.Call) -> tuple[str, Letters]:
        if not 1 <= len(node.args) <= 3:
            hint = "write `load(x[i, j])` or `load(x[i - 1], i >= 1, 0.5)`"
            raise self.refuse(node, "load takes a place, perhaps a condition, and what stands where it is false", hint)
        target = node.args[0]
        base = target.value if isinstance(target, ast.Subscript) else target
        name = base.id if isinstance(base, ast.Name) else ""
        if name not in self.tensors.known:
            known = ", ".join(self.tensors.known)
            stored = "is not stored to yet" if name in self.tensors.outputs else "is no tensor"
            raise self.refuse(node, f"{name or ast.unparse(base)} {stored}", f"there are {known}")
        spec = self.tensors.known[name]
        index, letters = self._address(target, spec)
        self._within(target, spec, len(node.args) > 1)
        condition, more = self._expression(node.args[1]) if len(node.args) > 1 else ("", NOTHING)
        other = self._expression(node.args[2])[0] if len(node.args) > 2 else "0.0"
        letters |= more
        if more and not letters - more and index == "0":
            index = "0 * xindex"
        masks = [condition] if condition else []
        masks += ["r0_mask"] if self._past(letters) else []
        masks += ["xmask"] if letters & set(GRID_AXES) else []
        index = f" + {index}" if index.isalnum() else f" + ({index})"
        mask = f", {' & '.join(masks)}, other={other}" if masks else ""
        text = f"tl.load({self._parameter(name)}{index}{mask})"
        if spec.dtype in ("f16", "bf16"):
            text += ".to(tl.float32)"
        if spec.dtype == "b1":
            text += ".to(tl.int1)"
        return text, letters

    def _within(self, target: ast.expr, spec: TensorSpec, on_condition: bool) -> None:
        for index, size in zip(subscripts(target), spec.shape, strict=True):
            if isinstance(index, ast.Name) and index.id in LETTERS and self.sizes[index.id] > size and not on_condition:
                raise self.refuse(
                    target,
                    f"axis {index.id} is {self.sizes[index.id]} long, {spec.name} has {size} elements there",
                    f"{spec.name} is {spec.annotation}",
                )

    def _reduction(self, node: ast.Call, name: str) -> tuple[str, Letters]:
        if len(node.args) != 1:
            raise self.refuse(node, f"{name} takes one value", f"write `{name}(a)`; it works along r, s and t")
        rows = self._rows()
        if not rows:
            raise self.refuse(
                node, f"{name} has no axis to go along", "index what is loaded by r where it is gone through"
            )
        if name in SCANS and len(rows) > 1:
            raise self.refuse(node, f"{name} goes along one axis, here are {', '.join(rows)}", "make it r alone")
        found = kind(node.args[0], self.kinds)
        text, letters = self._expression(node.args[0])
        value = f"tl.broadcast_to({text}, [XBLOCK, R0_BLOCK])"
        if found == "bool" and name != "any":
            value += ".to(tl.int64)"
        if self._past(frozenset(rows)):
            value = f"tl.where(r0_mask, {value}, {_neutral(name, found)})"
        if name in SCANS:
            return f"{SCANS[name]}({value}, 1)", letters | set(rows)
        if name in REDUCTIONS:
            called = REDUCTIONS[name]
            if not called.startswith("tl."):
                self.called[called] = None
            return f"{called}({value}, 1)[:, None]", letters - set(rows)
        self.called[INDEX_REDUCTIONS[name]] = None
        best, place = f"best_{self.temporaries}", f"place_{self.temporaries}"
        self.temporaries += 1
        index = "tl.broadcast_to(r0_index, [XBLOCK, R0_BLOCK])"
        self.body.append(f"{best}, {place} = {INDEX_REDUCTIONS[name]}({value}, {index}, 1)")
        return f"{place}[:, None]", letters - set(rows)


_SYMBOLS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.BitAnd: "&",
    ast.BitOr: "|", ast.BitXor: "^", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
    ast.GtE: ">=",
}  # fmt: skip
_FUNCTIONS = ", ".join([*LANGUAGE, *REDUCTIONS, *INDEX_REDUCTIONS, *SCANS, *DEVICE])


def _function(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _neutral(name: str, found: Kind) -> str:
    """What a reduction or a scan takes past the end of an axis."""
    if name in ("max", "argmax"):
        return "float('-inf')" if found == "float" else "-9223372036854775808"
    if name in ("min", "argmin"):
        return "float('inf')" if found == "float" else "9223372036854775807"
    return {"prod": "1", "cumprod": "1", "any": "False"}.get(name, "0")


def _power_of_two(value: int) -> int:
    return 1 << max(value - 1, 0).bit_length()
