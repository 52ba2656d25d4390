"""A kernel as Inductor wrote it, split into indices, which follow from where a program stands, and values."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from kernelwright.frontend.inductor.bindings import Substitute
from kernelwright.frontend.notation.frames import (
    Elements,
    Frame,
    elements_of_grid,
    elements_of_rows,
    reduced_axes,
)
from kernelwright.frontend.notation.indices import Plain, evaluate, names_in
from kernelwright.frontend.notation.launches import Launch
from kernelwright.frontend.notation.statements import call_of
from kernelwright.frontend.notation.words import (
    INDEX_REDUCTIONS,
    NotExpressibleError,
)
from kernelwright.ir.dialect.checker import dotted

#: Elements of a kernel that are looked at at most.
MOST_ELEMENTS = 1 << 18
SEEDS = ("xindex", "r0_index")
_SCANNING: Mapping[type | None, str] = {ast.Add: "cumsum", ast.Mult: "cumprod"}
#: What the names of a kernel's own values begin with while it is written.
MARK = "value_of_"


@dataclass
class LoweredKernel:
    """One kernel, read."""

    launch: Launch
    combines: Mapping[str, ast.FunctionDef]

    def __post_init__(self) -> None:
        self.indices: dict[str, ast.expr] = {}
        self.body: list[tuple[str, ast.expr]] = []
        self.going = 1
        for statement in self.launch.function.body:
            self._read_statement(statement)
        self.elements = self._elements()

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
        elif isinstance(target, ast.Name) and target.id not in ("xoffset", *SEEDS):
            value = self._plain(statement.value)
            if target.id == f"{MARK}r0_mask" and isinstance(value, ast.Compare):
                self.going = int(ast.literal_eval(value.comparators[0]))
            if names_in(value) <= set(SEEDS):
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
            first = combine.body[0] if combine else None
            joined = first.value if isinstance(first, ast.Assign | ast.Return) else None
            operation = type(joined.op) if isinstance(joined, ast.BinOp) else None
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
            raise NotExpressibleError("the place of a store depends on loaded values")
        return evaluate(node, known, count)

    def _elements(self) -> Elements:
        """The elements in the letters of what is stored, by rows where a store goes along them."""
        stores = [pointer_of(node) for name, node in self.body if not name]
        if not stores:
            raise NotExpressibleError("a kernel stores nothing")
        wide = [one for one in stores if "r0_index" in names_in(one[1])]
        self.primary, index = (wide or stores)[0]
        self.looked = self.launch.parts.get(self.primary, self.launch.bases[self.primary])
        stored = self._raw(index) + self.launch.starts[self.primary]
        self.looked = self.looked.covered(stored)
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
                    parameter, index = pointer_of(call)
                    if names_in(index) <= set(SEEDS):
                        offsets = self._raw(index).reshape(-1, self.going)[0]
                        found.append((self.launch.bases[parameter], offsets + self.launch.starts[parameter]))
        return found


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
                pointer.id = pointer.id.removeprefix(MARK)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return node if node.id in ("xoffset", *SEEDS, "inf", "nan") else ast.Name(f"{MARK}{node.id}", node.ctx)


def pointer_of(node: ast.expr) -> tuple[str, ast.expr]:
    """The parameter that a load or store goes through, and its index."""
    assert isinstance(node, ast.Call)
    address = node.args[0]
    if isinstance(address, ast.Name):
        return address.id, ast.Constant(0)
    if isinstance(address, ast.BinOp) and isinstance(address.op, ast.Add) and isinstance(address.left, ast.Name):
        return address.left.id, address.right
    raise NotExpressibleError(f"an address of an unknown form: {ast.unparse(address):.60}")
