"""Expressions of the short form -> Triton, with what axes their values have elements for."""

import ast
import math
from dataclasses import dataclass

from kernelwright.frontend.notation.kinds import Kind, kind, kind_of_type
from kernelwright.frontend.notation.lengths import subscripts
from kernelwright.frontend.notation.words import (
    DEVICE,
    GRID_AXES,
    INDEX_REDUCTIONS,
    LANGUAGE,
    LETTERS,
    REDUCED_AXES,
    REDUCTIONS,
    SCANS,
    TYPES,
)
from kernelwright.ir.dialect.checker import diagnostic
from kernelwright.ir.errors import DialectError
from kernelwright.ir.values import Reference, TensorSpec, contiguous_strides

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


@dataclass
class ExpressionEmitter:
    """Emits the expressions of one kernel. `lines` are the text's, for diagnostics; `sizes` are those of axes."""

    name: str
    sizes: dict[str, int]
    tensors: Tensors
    lines: list[str]

    def __post_init__(self) -> None:
        self.body: list[str] = []
        self.used: list[str] = []
        self.called: dict[str, None] = {}
        self.letters: dict[str, Letters] = {}
        self.kinds: dict[str, Kind] = {}
        self.temporaries = 0

    def kind(self, node: ast.expr) -> Kind:
        """The kind of an expression; loads give what the tensor holds."""
        return kind(node, {name: kind_of_type(spec.dtype) for name, spec in self.tensors.known.items()} | self.kinds)

    def refuse(self, node: ast.AST, message: str, hint: str) -> DialectError:
        """A diagnostic to raise."""
        return DialectError((diagnostic(node, message, hint, self.lines),))

    def going(self) -> int:
        """How many elements a program goes through."""
        return math.prod(size for letter, size in self.sizes.items() if letter in REDUCED_AXES)

    def rows(self) -> list[str]:
        """The axes that a program goes through, the last one fastest."""
        return sorted(letter for letter in self.sizes if letter in REDUCED_AXES)

    def parameter(self, name: str) -> str:
        """The kernel's parameter for a tensor, which is given to it from here on."""
        if name not in self.used:
            self.used.append(name)
        return f"{name}_ptr"

    def past(self, letters: Letters) -> bool:
        """Whether a tile goes past the end of what a program goes through."""
        return bool(letters & set(REDUCED_AXES)) and power_of_two(self.going()) != self.going()

    def address(self, target: ast.expr, spec: TensorSpec) -> tuple[str, Letters]:
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
            text, found = self.expression(index)
            letters |= found
            plain = text if isinstance(index, ast.Name) else f"({text})"
            if text != "0":
                terms.append(plain if stride == 1 else f"{stride} * {plain}")
        return " + ".join(terms) or "0", letters

    def expression(self, node: ast.expr) -> tuple[str, Letters]:
        """Triton for an expression, and the axes that it has elements for."""
        if isinstance(node, ast.Constant) and type(node.value) in (bool, int, float):
            return repr(node.value), NOTHING
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Invert):
            text, letters = self.expression(node.operand)
            return f"({'-' if isinstance(node.op, ast.USub) else '~'}{text})", letters
        if isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC):
            return self._joined(node.op, node.left, node.right)
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], _COMPARISONS):
            return self._joined(node.ops[0], node.left, node.comparators[0])
        if isinstance(node, ast.Call):
            return self._call(node)
        raise self.refuse(node, "an expression of an unknown kind", "use arithmetic, comparisons, loads and functions")

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
        (one, first), (other, second) = self.expression(left), self.expression(right)
        return f"({one} {_SYMBOLS[type(op)]} {other})", first | second

    def _call(self, node: ast.Call) -> tuple[str, Letters]:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "to":
            return self._cast(node, node.func.value)
        name = function_of(node)
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
        parts = [self.expression(argument) for argument in node.args]
        if name in DEVICE:
            self.called[name] = None
        called = name if name in DEVICE else f"tl.{name}"
        return f"{called}({', '.join(text for text, _ in parts)})", NOTHING.union(*(letters for _, letters in parts))

    def _cast(self, node: ast.Call, value: ast.expr) -> tuple[str, Letters]:
        dtype = node.args[0].id if len(node.args) == 1 and isinstance(node.args[0], ast.Name) else ""
        if dtype not in TYPES or node.keywords:
            raise self.refuse(node, "a cast to no type", f"write `a.to(float32)`; types are {', '.join(sorted(TYPES))}")
        text, letters = self.expression(value)
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
        index, letters = self.address(target, spec)
        self._within(target, spec, len(node.args) > 1)
        condition, more = self.expression(node.args[1]) if len(node.args) > 1 else ("", NOTHING)
        other = self.expression(node.args[2])[0] if len(node.args) > 2 else "0.0"
        letters |= more
        if more and index == "0":
            index = "0 * xindex"  # as many addresses as there are conditions
        masks = [condition] if condition else []
        masks += ["r0_mask"] if self.past(letters) else []
        masks += ["xmask"] if letters & set(GRID_AXES) else []
        index = f" + {index}" if index.isalnum() else f" + ({index})"
        mask = f", {' & '.join(masks)}, other={other}" if masks else ""
        text = f"tl.load({self.parameter(name)}{index}{mask})"
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
        rows = self.rows()
        if not rows:
            raise self.refuse(node, f"{name} has no axis to work along", "index the loads by r along that axis")
        if name in SCANS and len(rows) > 1:
            raise self.refuse(node, f"{name} works along one axis, and there are {', '.join(rows)}", "make it r alone")
        found = self.kind(node.args[0])
        text, letters = self.expression(node.args[0])
        value = f"tl.broadcast_to({text}, [XBLOCK, R0_BLOCK])"
        if found == "bool" and name != "any":
            value += ".to(tl.int64)"
        elif found != "bool" and name == "any":
            value = f"({value} != 0)"
        if self.past(frozenset(rows)):
            value = f"tl.where(r0_mask, {value}, {_neutral(name, found)})"
        if name in SCANS:
            return f"{SCANS[name]}({value}, 1)", letters | set(rows)
        if name in REDUCTIONS:
            called = REDUCTIONS[name]
            if not called.startswith("tl."):
                self.called[called] = None
            whole = f"{called}({value}, 1)[:, None]"
            return f"({whole} / {float(self.going())})" if name == "mean" else whole, letters - set(rows)
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


def function_of(node: ast.Call) -> str:
    """The name of what is called, if it has one."""
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _neutral(name: str, found: Kind) -> str:
    """What a reduction or a scan takes past the end of an axis."""
    if name in ("max", "argmax"):
        return "float('-inf')" if found == "float" else "-9223372036854775808"
    if name in ("min", "argmin"):
        return "float('inf')" if found == "float" else "9223372036854775807"
    return {"prod": "1", "cumprod": "1", "any": "False"}.get(name, "0")


def power_of_two(value: int) -> int:
    """The least power of two that is at least `value`."""
    return 1 << max(value - 1, 0).bit_length()
