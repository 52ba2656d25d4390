"""Kernels that work element by element: what they do to a value, apart from the index that they do it at."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kernelwright.midend.analysis.launches import bound_by, called, names_in, pointer_sum


@dataclass(frozen=True)
class Pointwise:
    """The body of a kernel that runs over `xindex` in one block of any size, without what computes the index.

    `varying` are the names whose values depend on the index; `needs_mask`: more than accesses use the mask.
    """

    statements: tuple[ast.stmt, ...]
    pointer: str
    varying: frozenset[str]
    needs_mask: bool

    @classmethod
    def of(cls, function: ast.FunctionDef, pointer: str, numel: int) -> "Pointwise | None":
        """Read a kernel that loads `pointer` at `xindex` alone; None for any other."""
        body = [ast.unparse(statement) for statement in function.body]
        head = ["xoffset = tl.program_id(0) * XBLOCK", "xindex = xoffset + tl.arange(0, XBLOCK)[:]"]
        masked = body[2:3] == [f"xmask = xindex < {numel}"]
        rest = ast.parse("\n".join(body[3 if masked else 2 :])).body
        statements = tuple(_without_shapes(statement) for statement in rest)
        plain = all(
            isinstance(s, ast.Assign) or (isinstance(s, ast.Expr) and called(s.value, "tl.store")) for s in rest
        )
        if body[:2] != head or not plain:
            return None
        tree = ast.Module(list(statements), [])
        nodes, bound = list(ast.walk(tree)), set(bound_by(tree))
        loads = [n for n in nodes if called(n, "tl.load") and _reads(n, pointer)]
        calls = [f"tl.{name}" for name in ("program_id", "atomic_add")]
        foreign = bool(names_in(tree) & {"XBLOCK", "xoffset"} or {"xindex", "xmask"} & bound)
        foreign = foreign or any(called(node, name) for node in nodes for name in calls)
        varying = _varying(tree)
        stores = [n for n in nodes if isinstance(n, ast.Call) and called(n, "tl.store")]
        whole = [mask for load in loads if isinstance(load, ast.Call) and (mask := mask_of(load)) is not None]
        foreign = foreign or any(ast.unparse(mask) != "xmask" for mask in whole)
        if foreign or not loads or mentions(tree, pointer) != len(loads):
            return None
        if not all(names_in(store.args[0]) & varying for store in stores):
            return None
        accesses = [n for n in nodes if isinstance(n, ast.Call) and (n in stores or called(n, "tl.load"))]
        in_masks = sum(mentions(mask, "xmask") for mask in map(mask_of, accesses) if mask is not None)
        return cls(statements, pointer, varying, mentions(tree, "xmask") > in_masks)

    def lines(self, value: str, masked: bool, renamed: Mapping[str, str]) -> Iterator[str]:
        """The statements on a value in the place of what was loaded; accesses masked by `xmask` where there is one."""
        substitute = _Substitute(self, value, masked, renamed)
        for statement in self.statements:
            copy = ast.parse(ast.unparse(statement)).body[0]
            yield from ast.unparse(ast.fix_missing_locations(substitute.visit(copy))).splitlines()


class _Substitute(ast.NodeTransformer):
    def __init__(self, pointwise: Pointwise, value: str, masked: bool, renamed: Mapping[str, str]) -> None:
        self.pointwise, self.value, self.masked, self.renamed = pointwise, value, masked, renamed

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self.renamed.get(node.id, node.id), node.ctx)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if called(node, "tl.load") and _reads(node, self.pointwise.pointer):
            return ast.parse(self.value, mode="eval").body
        if called(node, "tl.load") or called(node, "tl.store"):
            self._mask(node)
        self.generic_visit(node)
        return node

    def _mask(self, node: ast.Call) -> None:
        """An access is masked by `xmask` if its address varies and there is a mask, and by what else masked it."""
        mask = mask_of(node)
        parts = [] if mask is None else [part for part in conjunction(mask) if ast.unparse(part) != "xmask"]
        if self.masked and names_in(node.args[0]) & self.pointwise.varying:
            parts.append(ast.Name("xmask", ast.Load()))
        place = 1 if called(node, "tl.load") else 2
        node.args = [*node.args[:place], *([joined(parts)] if parts else [])]
        node.keywords = [k for k in node.keywords if k.arg != "mask" and (parts or k.arg != "other")]


def _varying(tree: ast.Module) -> frozenset[str]:
    """`xindex` and the names that depend on it."""
    varying = {"xindex"}
    for statement in tree.body:  # straight-line code: every name is bound before it is used
        if isinstance(statement, ast.Assign) and names_in(statement.value) & varying:
            varying |= {name for target in statement.targets for name in names_in(target)}
    return frozenset(varying)


def _reads(call: ast.AST, pointer: str) -> bool:
    """Whether a load reads `pointer + xindex`."""
    assert isinstance(call, ast.Call)
    offset = pointer_sum(call.args[0], pointer)
    return offset is not None and ast.unparse(offset) == "xindex"


def mask_of(call: ast.Call) -> ast.expr | None:
    """The mask of a load or store; None where there is none."""
    place = 1 if called(call, "tl.load") else 2
    named = [keyword.value for keyword in call.keywords if keyword.arg == "mask"]
    found = named[0] if named else (call.args[place] if len(call.args) > place else None)
    return None if isinstance(found, ast.Constant) else found


def conjunction(mask: ast.expr) -> list[ast.expr]:
    """The parts of a mask that `&` joins."""
    if isinstance(mask, ast.BinOp) and isinstance(mask.op, ast.BitAnd):
        return [*conjunction(mask.left), *conjunction(mask.right)]
    return [mask]


def joined(parts: list[ast.expr]) -> ast.expr:
    """The mask of all parts."""
    joined = parts[0]
    for part in parts[1:]:
        joined = ast.BinOp(joined, ast.BitAnd(), part)
    return joined


def _without_shapes(statement: ast.stmt) -> ast.stmt:
    """`tl.broadcast_to(x, [XBLOCK])` is x where operators broadcast."""

    class Drop(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            self.generic_visit(node)
            whole = called(node, "tl.broadcast_to") and [ast.unparse(a) for a in node.args[1:]] == ["[XBLOCK]"]
            return node.args[0] if whole else node

    dropped: ast.stmt = ast.fix_missing_locations(Drop().visit(statement))
    return dropped


def mentions(node: ast.AST, name: str) -> int:
    """How often a tree has a name, parameters counted."""
    names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
    return (names + [n.arg for n in ast.walk(node) if isinstance(n, ast.arg)]).count(name)
