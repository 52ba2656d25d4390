"""A verified module -> the short form, as answers to learn from.

What a kernel computes is kept, statement by statement; what it works on is said in the letters of axes. What has no
short form raises NotExpressibleError.
"""

import ast
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from kernelwright.frontend.inductor.kernel_text import Substitute
from kernelwright.frontend.notation.fitting import fit, fit_condition
from kernelwright.frontend.notation.frames import (
    Elements,
    Frame,
    elements_of_grid,
    elements_of_rows,
    reduced_axes,
)
from kernelwright.frontend.notation.indices import Plain, evaluate, names_in
from kernelwright.frontend.notation.kinds import Kind, kind, kind_of_type
from kernelwright.frontend.notation.launches import Host, Launch
from kernelwright.frontend.notation.lengths import lengths, subscripts
from kernelwright.frontend.notation.statements import call_of, canonical, cast_to, is_cast, simplified
from kernelwright.frontend.notation.words import (
    DEVICE,
    INDEX_REDUCTIONS,
    LANGUAGE,
    REDUCTIONS,
    SCANS,
    TYPES,
    NotExpressibleError,
)
from kernelwright.ir.checker import dotted
from kernelwright.ir.values import DTYPES, KernelModule

#: Elements of a kernel that are looked at at most.
MOST_ELEMENTS = 1 << 18
_SEEDS = ("xindex", "r0_index")
_REDUCING = {function.removeprefix("tl."): name for name, function in {**REDUCTIONS, **SCANS}.items()}
_SCANNING = {"add": "cumsum", "mul": "cumprod"}
#: Types of tensors that no value of a kernel has.
_HALF = ("f16", "bf16")
#: What the names of a kernel's own values begin with while it is written.
_MARK = "value_of_"


def short_form(module: KernelModule) -> str:
    """The module's text in the short form. Raises NotExpressibleError."""
    host = Host(module)
    reference = module.reference
    known = {spec.name for spec in (*reference.tensors, *reference.outputs)}
    texts = [KernelWriter(launch, host.combines).write(known) for launch in host.launches]
    return "\n\n".join(texts) + "\n"


@dataclass
class KernelWriter:
    """Writes one kernel."""

    launch: Launch
    combines: Mapping[str, ast.FunctionDef]
    values: dict[str, ast.expr] = field(default_factory=dict)
    kinds: dict[str, Kind] = field(default_factory=dict)
    lines: list[tuple[str, ast.expr]] = field(default_factory=list)

    def write(self, tensors: set[str]) -> str:
        """Its paragraph. `tensors` are those whose shape is known; it gets those that are first stored to here."""
        self._read()
        self.elements = self._elements()
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

    def _read(self) -> None:
        """Split the function into indices, which follow from where a program stands, and values."""
        self.indices: dict[str, ast.expr] = {}
        self.body: list[tuple[str, ast.expr]] = []
        self.going = 1
        for statement in self.launch.function.body:
            self._read_statement(statement)

    def _read_statement(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.value, ast.Constant):
            self.going = int(str(statement.value.value))
            return
        if isinstance(statement, ast.Expr):
            self.body.append(("", self._plain(statement.value)))
            return
        if not isinstance(statement, ast.Assign):
            raise NotExpressibleError(f"a kernel has a {type(statement).__name__}")
        target = _Marked().visit(statement.targets[0])
        if isinstance(target, ast.Tuple):
            self._read_several(target, statement.value)
        elif isinstance(target, ast.Name) and target.id not in ("xoffset", *_SEEDS):
            value = self._plain(statement.value)
            if target.id == f"{_MARK}r0_mask" and isinstance(value, ast.Compare):
                self.going = int(ast.literal_eval(value.comparators[0]))
            if names_in(value) <= set(_SEEDS):
                self.indices[target.id] = value
            else:
                self.body.append((target.id, value))

    def _plain(self, node: ast.expr) -> ast.expr:
        """An expression with the indices in it written out."""
        plain: ast.expr = Substitute(self.indices).visit(_Marked().visit(Plain().visit(node)))
        return plain

    def _read_several(self, target: ast.Tuple, value: ast.expr) -> None:
        """A scan, or a reduction that tells where its result stood, as calls of one value."""
        names = [one.id for one in target.elts if isinstance(one, ast.Name)]
        if not isinstance(value, ast.Call) or len(names) != len(target.elts):
            raise NotExpressibleError("a kernel assigns to several values")
        called = ".".join(dotted(value.func) or ())
        if called == "tl.associative_scan" and isinstance(value.args[0], ast.Tuple) and len(names) == 1:
            combine = self.combines.get(ast.unparse(value.args[2]))
            last = combine.body[0] if combine else None
            operation = (
                last.targets[0].id if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name) else ""
            )
            if operation in _SCANNING and len(value.keywords) == 0:
                argument = self._plain(value.args[0].elts[0])
                self.body.append((names[0], call_of(_SCANNING[operation], argument)))
                return
        for name, function in INDEX_REDUCTIONS.items():
            if called == function and len(names) == 2 and ast.unparse(self._plain(value.args[1])) == "r0_index":
                argument = self._plain(value.args[0])
                self.body.append((names[0], call_of(name.removeprefix("arg"), argument)))
                self.body.append((names[1], call_of(name, argument)))
                return
        raise NotExpressibleError(f"a kernel calls {called}")

    def _raw(self, node: ast.expr) -> Tensor:
        """An index for every program and all that it goes through."""
        count = self.launch.size * self.going
        if count > MOST_ELEMENTS:
            raise NotExpressibleError("the program is too large")
        known = {
            "xindex": torch.arange(self.launch.size).repeat_interleave(self.going),
            "r0_index": torch.arange(self.going).repeat(self.launch.size),
        }
        if not names_in(node) <= set(known):
            raise NotExpressibleError("where a result is stored follows from values")
        return evaluate(node, known, count)

    def _elements(self) -> Elements:
        """The elements in the letters of what is stored, by rows where a store goes along them."""
        stores = [_pointer(node) for name, node in self.body if not name]
        if not stores:
            raise NotExpressibleError("a kernel stores nothing")
        wide = [one for one in stores if "r0_index" in names_in(one[1])]
        self.primary, index = (wide or stores)[0]
        self.looked = self.launch.parts.get(self.primary, self.launch.bases[self.primary])
        stored = self._raw(index) + self.launch.starts[self.primary]
        if wide:
            return elements_of_rows(self.looked, stored, self.going)
        stored = stored.reshape(-1, self.going)[:, 0]
        return elements_of_grid(self.looked, stored, reduced_axes(self.going, self._gone_along()))

    def _gone_along(self) -> list[tuple[Frame, Tensor]]:
        """The tensors that are loaded, and where one program's elements of them lie."""
        found = []
        for _, value in self.body:
            for call in ast.walk(value):
                if isinstance(call, ast.Call) and dotted(call.func) == ("tl", "load"):
                    parameter, index = _pointer(call)
                    if names_in(index) <= set(_SEEDS):
                        offsets = self._raw(index).reshape(-1, self.going)[0]
                        found.append((self.launch.bases[parameter], offsets + self.launch.starts[parameter]))
        return found

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
        return names <= set(_SEEDS) and bool(names)

    def value(self, node: ast.expr) -> ast.expr:
        """An expression of a kernel in the short form."""
        if self._index_only(node):
            found = evaluate(node, self.known, self.elements.domain.elements)
            if not found.is_floating_point():
                everywhere = torch.ones(len(found), dtype=torch.bool)
                text = (
                    fit_condition(found, self.elements.domain)
                    if found.dtype == torch.bool
                    else fit(found.long(), self.elements.domain, everywhere)
                )
                if text is not None:
                    return ast.parse(text, mode="eval").body
                if not isinstance(node, ast.BinOp | ast.Compare):
                    raise NotExpressibleError(f"index arithmetic of no simple form: {ast.unparse(node):.80}")
        if isinstance(node, ast.Name | ast.Constant):
            return node
        if isinstance(node, ast.UnaryOp):
            return ast.UnaryOp(node.op, self.value(node.operand))
        if isinstance(node, ast.BinOp):
            return simplified(ast.BinOp(self.value(node.left), node.op, self.value(node.right)))
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return ast.Compare(self.value(node.left), node.ops, [self.value(node.comparators[0])])
        if isinstance(node, ast.Call):
            return self._call(node)
        raise NotExpressibleError(f"a kernel has the expression {ast.unparse(node):.60}")

    def _call(self, node: ast.Call) -> ast.expr:
        called = ".".join(dotted(node.func) or ())
        if called == "tl.load":
            return self._load(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "to":
            return self._cast(self.value(node.func.value), ".".join(dotted(node.args[0]) or ()))
        name = called.removeprefix("tl.")
        if name in _REDUCING and len(node.args) == 2:
            return call_of(_REDUCING[name], self.value(node.args[0]))
        arguments = [self.value(argument) for argument in node.args]
        if name == "where" and ast.unparse(arguments[0]) == "True":
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
        parameter, index = _pointer(node)
        mask = node.args[1] if len(node.args) > 1 else None
        kept, where = self._conditions(mask)
        subscript = self._subscript(parameter, index, where)
        condition = kept[:1]
        for one in kept[1:]:
            condition = [ast.BinOp(condition[0], ast.BitAnd(), one)]
        other = next((word.value for word in node.keywords if word.arg == "other"), None)
        if condition and other is not None and float(ast.literal_eval(other)) != 0.0:
            condition.append(other)
        loaded = self.named(call_of("load", subscript, *condition))
        self.kinds[loaded.id] = kind_of_type(self.launch.bases[parameter].dtype)
        return loaded

    def named(self, value: ast.expr) -> ast.Name:
        """A name for a value, in a line of its own."""
        name = f"{_MARK}{len(self.values)}"
        self.values[name], self.kinds[name] = value, kind(value, self.kinds)
        self.lines.append((name, value))
        return ast.Name(name, ast.Load())

    def _subscript(self, parameter: str, index: ast.expr, where: Tensor) -> ast.expr:
        """`x[i, 0, a]`: the tensor's element at an offset, by its dimensions."""
        frame = self.launch.bases[parameter]
        index = _Named(self).visit(index)
        leaves = sorted(names_in(index) - set(_SEEDS))
        zero = {name: torch.zeros(1, dtype=torch.long) for name in leaves}
        count = self.elements.domain.elements
        base = evaluate(index, {**self.known, **zero}, count).long()
        found = frame.coordinates(base + self.launch.starts[parameter], where)
        if found is None:
            raise NotExpressibleError(f"what is loaded from {frame.name} is not within it")
        texts: list[str | None] = [fit(one, self.elements.domain, where) for one in found]
        for name in leaves:
            dim = self._moved(index, name, zero, base, frame)
            if texts[dim] != "0":
                raise NotExpressibleError("an index that was loaded is moved on")
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
            raise NotExpressibleError("an index that was loaded is computed with")
        dims = [dim for dim, size in enumerate(frame.shape) if size > 1 and frame.strides[dim] == stride]
        if len(dims) != 1:
            raise NotExpressibleError("an index that was loaded goes along no dimension")
        return dims[0]

    def _store(self, node: ast.expr, tensors: set[str]) -> ast.expr:
        if not isinstance(node, ast.Call) or dotted(node.func) != ("tl", "store"):
            raise NotExpressibleError(f"a kernel has the statement {ast.unparse(node):.60}")
        parameter, index = _pointer(node)
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
                raise NotExpressibleError(f"what {frame.name} is does not follow from what is stored to it")
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


class _Named(ast.NodeTransformer):
    """Gives names to what an index computes from values by more than arithmetic."""

    def __init__(self, writer: "KernelWriter") -> None:
        self.writer = writer

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if names_in(node) <= set(_SEEDS):
            return node
        return self.writer.named(self.writer.value(node))


class _Marked(ast.NodeTransformer):
    """Names of values get a mark, since tensors, axes and functions may be called the same."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Attribute) and dotted(node.func.value) != ("tl",):
            node.func.value = self.visit(node.func.value)
        node.args = [self.visit(argument) for argument in node.args]
        if dotted(node.func) in (("tl", "load"), ("tl", "store")) and isinstance(node.args[0], ast.BinOp | ast.Name):
            address = node.args[0]
            pointer = address if isinstance(address, ast.Name) else address.left
            if isinstance(pointer, ast.Name):
                pointer.id = pointer.id.removeprefix(_MARK)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return node if node.id in ("xoffset", *_SEEDS, "inf", "nan") else ast.Name(f"{_MARK}{node.id}", node.ctx)


def _pointer(node: ast.expr) -> tuple[str, ast.expr]:
    """The parameter that a load or store goes through, and its index."""
    assert isinstance(node, ast.Call)
    address = node.args[0]
    if isinstance(address, ast.Name):
        return address.id, ast.Constant(0)
    if isinstance(address, ast.BinOp) and isinstance(address.op, ast.Add) and isinstance(address.left, ast.Name):
        return address.left.id, address.right
    raise NotExpressibleError(f"an address of another form: {ast.unparse(address):.60}")
