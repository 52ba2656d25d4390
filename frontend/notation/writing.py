"""A verified module -> the short form, as answers to learn from.

What a kernel computes is kept, statement by statement; what it works on is said in the letters of axes. What has no
short form raises NotExpressibleError.
"""

import ast
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from kernelwright.frontend.notation.fitting import fit, fit_condition
from kernelwright.frontend.notation.frames import (
    Frame,
)
from kernelwright.frontend.notation.indices import evaluate, names_in
from kernelwright.frontend.notation.kinds import Kind, kind, kind_of_type
from kernelwright.frontend.notation.launches import Host
from kernelwright.frontend.notation.lengths import lengths, subscripts
from kernelwright.frontend.notation.lowered import MARK, MOST_ELEMENTS, SEEDS, LoweredKernel, pointer_of
from kernelwright.frontend.notation.statements import call_of, canonical, cast_to, is_cast, is_load, simplified
from kernelwright.frontend.notation.words import (
    DEVICE,
    INDEX_REDUCTIONS,
    LANGUAGE,
    REDUCTIONS,
    SCANS,
    TYPES,
    NotExpressibleError,
)
from kernelwright.ir.dialect.checker import dotted
from kernelwright.ir.values import DTYPES, KernelModule

_REDUCING = {function.removeprefix("tl."): name for name, function in {**REDUCTIONS, **SCANS}.items() if name != "mean"}
#: What loads give where their condition does not hold, if nothing else is said.
_ZEROS = ("0", "0.0", "False")
#: Types of tensors that no value of a kernel has.
_HALF = ("f16", "bf16")


def short_form(module: KernelModule) -> str:
    """The module's text in the short form. Raises NotExpressibleError."""
    host = Host(module)
    reference = module.reference
    known = {spec.name for spec in (*reference.tensors, *reference.outputs)}
    texts = [KernelWriter(launch, host.combines).write(known) for launch in host.launches]
    return "\n\n".join(texts) + "\n"


@dataclass
class KernelWriter(LoweredKernel):
    """Writes one kernel."""

    values: dict[str, ast.expr] = field(default_factory=dict)
    kinds: dict[str, Kind] = field(default_factory=dict)
    lines: list[tuple[str, ast.expr]] = field(default_factory=list)

    def write(self, tensors: set[str]) -> str:
        """Its paragraph. `tensors` are those whose shape is known; it gets those that are first stored to here."""
        if self.elements.domain.elements > MOST_ELEMENTS:
            raise NotExpressibleError("the program is too large")
        self.known = {"xindex": self.elements.grid, "r0_index": self.elements.reduced}
        before = frozenset(tensors)
        for name, value in self.body:
            written = self._store(value, tensors) if not name else self.value(value)
            if name:
                self.kinds[name], self.values[name] = kind(written, self.kinds), written
            self.lines.append((name, written))
        header = self._header(before)
        return "\n".join([*header, *canonical(self.lines)])

    def _header(self, known: Collection[str]) -> list[str]:
        """The line that says how long axes are, where that does not follow from tensors that are known."""
        specs = {frame.name: frame.shape for frame in self.launch.bases.values() if frame.name in known}
        told = lengths([node for _, node in self.lines], specs, {})
        if set(told) - set(self.elements.sizes):
            raise NotExpressibleError("an axis of size 1 is written as a letter")
        missing = {letter: size for letter, size in self.elements.sizes.items() if told.get(letter) != size}
        return [f"axes({', '.join(f'{letter}={size}' for letter, size in sorted(missing.items()))})"] if missing else []

    # ---- expressions

    def _index_only(self, node: ast.expr) -> bool:
        names = names_in(node)
        return names <= set(SEEDS) and bool(names)

    def _index(self, node: ast.expr) -> ast.expr | None:
        """Index arithmetic in letters; None where its parts are to be looked at one by one."""
        found = evaluate(node, self.known, self.elements.domain.elements)
        if found.is_floating_point():
            return None
        domain = self.elements.domain
        everywhere = torch.ones(len(found), dtype=torch.bool)
        is_truth = found.dtype == torch.bool
        text = fit_condition(found, domain) if is_truth else fit(found.long(), domain, everywhere)
        if text is None and not isinstance(node, ast.BinOp | ast.Compare | ast.Call):
            raise NotExpressibleError(f"index arithmetic of no simple form: {ast.unparse(node):.80}")
        return None if text is None else ast.parse(text, mode="eval").body

    def value(self, node: ast.expr) -> ast.expr:
        """An expression of a kernel in the short form."""
        if self._index_only(node) and (index := self._index(node)) is not None:
            return index
        if isinstance(node, ast.Compare) and not names_in(node):
            return ast.Constant(bool(evaluate(node, {}, 1)[0]))
        if isinstance(node, ast.Name | ast.Constant):
            return node
        if isinstance(node, ast.UnaryOp):
            return ast.UnaryOp(node.op, self.value(node.operand))
        if isinstance(node, ast.BinOp):
            return self._joined(self.value(node.left), node.op, self.value(node.right))
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return ast.Compare(self.value(node.left), node.ops, [self.value(node.comparators[0])])
        if isinstance(node, ast.Call):
            return self._call(node)
        raise NotExpressibleError(f"a kernel has the expression {ast.unparse(node):.60}")

    def _joined(self, left: ast.expr, op: ast.operator, right: ast.expr) -> ast.expr:
        """Arithmetic in its one spelling: numbers beside floats are floats, and a sum over all is a mean."""
        if kind(left, self.kinds) == "float" and isinstance(right, ast.Constant) and type(right.value) is int:
            right = ast.Constant(float(right.value))
        total = self._defined(left)
        going = isinstance(op, ast.Div) and ast.unparse(right) == repr(float(self.going)) and self.going > 1
        if going and isinstance(total, ast.Call) and ast.unparse(total.func) == "sum":
            return call_of("mean", *total.args)
        return simplified(ast.BinOp(left, op, right))

    def _call(self, node: ast.Call) -> ast.expr:
        called = ".".join(dotted(node.func) or ())
        if called == "tl.load":
            return self._load(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "to":
            wanted = ".".join(dotted(node.args[0]) or ())
            if self._index_only(node) and wanted in ("tl.int32", "tl.int64"):
                return self.value(node.func.value)  # an index fits either
            return self._cast(self.value(node.func.value), wanted)
        name = called.removeprefix("tl.")
        if name in _REDUCING and len(node.args) == 2:
            return call_of(_REDUCING[name], self.value(node.args[0]))
        arguments = [self.value(argument) for argument in node.args]
        if name == "where" and self._needless(*arguments):
            return arguments[1]
        known = LANGUAGE.get(name) if called.startswith("tl.") else DEVICE.get(name)
        own = name in SCANS or name in INDEX_REDUCTIONS or name in REDUCTIONS
        if (known == len(arguments) or (own and "tl" not in called)) and not node.keywords:
            return call_of(name, *arguments)
        raise NotExpressibleError(f"a kernel calls {called}")

    def _cast(self, value: ast.expr, dtype: str) -> ast.expr:
        wanted = dtype.removeprefix("tl.")
        if wanted not in TYPES:
            raise NotExpressibleError(f"a kernel casts to {dtype}")
        known = self._defined(value)
        if isinstance(known, ast.Constant) and isinstance(known.value, int | float):
            return ast.Constant(float(known.value) if wanted.startswith("float") else int(known.value))
        is_half = is_cast(known, ("float16", "bfloat16", "float64"))
        if wanted == "float32" and kind(value, self.kinds) == "float" and not is_half:
            return value
        if is_cast(known, (wanted,)) or (wanted == "int1" and kind(value, self.kinds) == "bool"):
            return value
        if is_cast(known, ("float32",)):  # there and back again
            inner: ast.expr = known.func.value  # type: ignore[attr-defined]
            if is_cast(self._defined(inner), (wanted,)):
                return inner
        return cast_to(value, wanted)

    def _defined(self, value: ast.expr) -> ast.expr:
        """What a name stands for."""
        while isinstance(value, ast.Name) and value.id in self.values:
            value = self.values[value.id]
        return value

    def _needless(self, condition: ast.expr, value: ast.expr, other: ast.expr) -> bool:
        """Whether a choice gives its value in any case: the condition always holds, or the value was loaded on it."""
        if ast.unparse(condition) == "True":
            return True
        loaded = self._defined(value)
        if not (is_load(loaded) and ast.unparse(other) in _ZEROS):
            return False
        on = loaded.args[1:] if isinstance(loaded, ast.Call) else []
        return len(on) == 1 and _conjuncts(condition) <= _conjuncts(on[0])

    def _conditions(self, mask: ast.expr | None) -> tuple[list[ast.expr], Tensor]:
        """What of a mask is more than the end of an axis, and where it holds as far as it follows from indices."""
        parts: list[ast.expr] = []
        stack = [mask] if mask is not None else []
        while stack:
            node = stack.pop()
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
                stack += [node.right, node.left]
            else:
                parts.append(node)
        where = torch.ones(self.elements.domain.elements, dtype=torch.bool)
        kept = []
        for part in parts:
            if self._index_only(part):
                where &= evaluate(part, self.known, len(where))
            said = self.value(part)
            if ast.unparse(said) != "True":
                kept.append(said)
        return kept, where

    def _load(self, node: ast.Call) -> ast.expr:
        parameter, index = pointer_of(node)
        mask = node.args[1] if len(node.args) > 1 else None
        kept, where = self._conditions(mask)
        subscript = self._subscript(parameter, index, where)
        condition = kept[:1]
        for one in kept[1:]:
            condition = [ast.BinOp(condition[0], ast.BitAnd(), one)]
        other = next((word.value for word in node.keywords if word.arg == "other"), None)
        if condition and other is not None and ast.unparse(other) not in _ZEROS:
            condition.append(other)
        loaded = self.named(call_of("load", subscript, *condition))
        self.kinds[loaded.id] = kind_of_type(self.launch.bases[parameter].dtype)
        return loaded

    def named(self, value: ast.expr) -> ast.Name:
        """A name for a value, in a line of its own."""
        name = f"{MARK}{len(self.values)}"
        self.values[name], self.kinds[name] = value, kind(value, self.kinds)
        self.lines.append((name, value))
        return ast.Name(name, ast.Load())

    def _subscript(self, parameter: str, index: ast.expr, where: Tensor) -> ast.expr:
        """`x[i, 0, a]`: the tensor's element at an offset, by its dimensions."""
        frame = self.launch.bases[parameter]
        index = _Named(self).visit(index)
        leaves = sorted(names_in(index) - set(SEEDS))
        zero = {name: torch.zeros(1, dtype=torch.long) for name in leaves}
        count = self.elements.domain.elements
        base = evaluate(index, {**self.known, **zero}, count).long()
        found = frame.coordinates(base + self.launch.starts[parameter], where)
        if found is None:
            raise NotExpressibleError(f"a load reaches outside {frame.name}")
        texts: list[str | None] = [fit(one, self.elements.domain, where) for one in found]
        for name in leaves:
            dim = self._moved(index, name, zero, base, frame)
            if texts[dim] != "0":
                raise NotExpressibleError("a loaded index has an offset")
            texts[dim] = name
        if None in texts:
            raise NotExpressibleError(f"an index into {frame.name} of no simple form")
        return ast.parse(f"{frame.name}[{', '.join(map(str, texts))}]" if texts else frame.name, mode="eval").body

    def _moved(self, index: ast.expr, name: str, zero: Mapping[str, Tensor], base: Tensor, frame: Frame) -> int:
        """The dimension along which a loaded index goes."""
        steps = [
            evaluate(index, {**self.known, **zero, name: torch.tensor([by])}, len(base)).long() - base for by in (1, -3)
        ]
        stride = int(steps[0][0])
        if not (bool((steps[0] == stride).all()) and bool((steps[1] == -3 * stride).all())):
            raise NotExpressibleError("a loaded index is computed with")
        dims = [dim for dim, size in enumerate(frame.shape) if size > 1 and frame.strides[dim] == stride]
        if len(dims) != 1:
            raise NotExpressibleError("a loaded index belongs to no dimension")
        return dims[0]

    def _store(self, node: ast.expr, tensors: set[str]) -> ast.expr:
        if not isinstance(node, ast.Call) or dotted(node.func) != ("tl", "store"):
            raise NotExpressibleError(f"a kernel has the statement {ast.unparse(node):.60}")
        parameter, index = pointer_of(node)
        frame = self.launch.bases[parameter]
        kept, where = self._conditions(node.args[2] if len(node.args) > 2 else None)
        if kept:
            raise NotExpressibleError("a result is stored on a condition")
        if parameter == self.primary and self.looked is frame:
            subscript = self._own_subscript(frame)
        else:
            subscript = self._subscript(parameter, index, where)
        value = self._stored_as(self.value(node.args[1]), frame.dtype)
        if frame.name not in tensors:  # its type and shape are to follow from this
            sizes = [self.elements.sizes.get(ast.unparse(index), 1) for index in subscripts(subscript)]
            if (
                kind_of_type(frame.dtype) != kind(value, self.kinds)
                or frame.dtype in _HALF
                or tuple(sizes) != frame.shape
            ):
                raise NotExpressibleError(f"the dtype and shape of {frame.name} do not follow from the stores to it")
            tensors.add(frame.name)
        return call_of("store", subscript, value)

    def _stored_as(self, value: ast.expr, dtype: str) -> ast.expr:
        """A value that is stored, without the casts that storing does."""
        own = DTYPES[dtype][0]
        while isinstance(known := self._defined(value), ast.Call) and isinstance(known.func, ast.Attribute):
            inner = known.func.value
            widened = is_cast(known, ("float32",)) and is_cast(self._defined(inner), ("float16", "bfloat16"))
            if not widened and not is_cast(known, (own,)):
                break
            value = inner
        return value

    def _own_subscript(self, frame: Frame) -> ast.expr:
        letters = iter(self.elements.sizes)
        texts = [next(letters) if size > 1 else "0" for size in frame.shape]
        return ast.parse(f"{frame.name}[{', '.join(texts)}]" if texts else frame.name, mode="eval").body


def _conjuncts(condition: ast.expr) -> set[str]:
    """What must hold for a condition to hold."""
    if isinstance(condition, ast.BinOp) and isinstance(condition.op, ast.BitAnd):
        return _conjuncts(condition.left) | _conjuncts(condition.right)
    return {ast.unparse(condition)}


class _Named(ast.NodeTransformer):
    """Gives names to what an index computes from values by more than arithmetic."""

    def __init__(self, writer: "KernelWriter") -> None:
        self.writer = writer

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if names_in(node) <= set(SEEDS):
            return node
        return self.writer.named(self.writer.value(node))
