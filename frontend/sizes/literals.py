"""The integers in a KernelBench-format program that say how big things are."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kernelwright.frontend.problem import parse_source
from kernelwright.ir.text import text_lines

#: Sizes up to this are part of the structure and stay as they are.
KEPT_SIZE = 16

_NOT_A_SIZE = re.compile(
    r"kernel|stride|pad|dilat|eps|clamp|value|factor|alpha|beta|margin|thresh|seed|(^|_)(min|max)(_|$)"
)
_GROUPS = re.compile(r"group|head")
_NOT_GROUPED = re.compile(r"batch|height|width|depth|length|seq|group|head|^[bdhtw]$")


@dataclass(frozen=True)
class Site:
    """An integer in the source that may be a size. `span` holds offsets, in bytes, into the text."""

    name: str
    value: int
    span: tuple[int, int]

    @property
    def kept(self) -> bool:
        """Whether it is so small that it stays as it is."""
        return self.value <= KEPT_SIZE

    def splits(self, other: "Site") -> bool:
        """Whether this looks like a number of groups that `other` is split into."""
        return (
            _GROUPS.search(self.name.lower()) is not None
            and _NOT_GROUPED.search(other.name.lower()) is None
            and self.value > 1
            and other.value > self.value
            and other.value % self.value == 0
        )


def _constant(node: ast.expr) -> int | None:
    """The value of an expression made of integer literals alone."""
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return value
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _constant(left), _constant(right)
            if a is None or b is None:
                return None
            match op:
                case ast.Mult():
                    return a * b
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.FloorDiv() if b:
                    return a // b
                case ast.Pow() if 0 <= b < 64:
                    return int(a**b)
                case ast.LShift() if 0 <= b < 64:
                    return a << b
    return None


def _literals(node: ast.AST, name: str) -> Iterator[tuple[str, int, ast.expr]]:
    if isinstance(node, ast.expr) and (value := _constant(node)) is not None:
        if not _NOT_A_SIZE.search(name.lower()):
            yield name, value, node
        return
    for child in ast.iter_child_nodes(node):
        yield from _literals(child, child.arg or name if isinstance(child, ast.keyword) else name)


def _assigned(statement: ast.Assign | ast.AnnAssign) -> Iterator[tuple[str, ast.expr]]:
    """Pairs of (name, value) of an assignment, tuples taken apart."""
    assert statement.value is not None
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    target, value = targets[0], statement.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        pairs = zip(target.elts, value.elts, strict=True)
    else:
        pairs = zip([target], [value], strict=True)
    for left, right in pairs:
        yield ast.unparse(left), right


def find_sites(source: str, name: str = "program") -> tuple[Site, ...]:
    """The integers that may be sizes: in module-level assignments (also in tuples and lists) and in
    get_inputs() and get_init_inputs()."""
    starts = [0]
    for line in text_lines(source, keep_ends=True):
        starts.append(starts[-1] + len(line.encode()))
    sites = []
    for statement in parse_source(source, name).body:
        found: list[tuple[str, int, ast.expr]] = []
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            for label, value in _assigned(statement):
                found += _literals(value, label)
        elif isinstance(statement, ast.FunctionDef) and statement.name in ("get_inputs", "get_init_inputs"):
            for child in statement.body:
                found += _literals(child, statement.name)
        for label, number, node in found:
            assert node.end_lineno is not None and node.end_col_offset is not None
            span = (starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset)
            sites.append(Site(label, number, span))
    return tuple(sites)


def rewrite(source: str, sites: Sequence[Site], sizes: Sequence[int]) -> str:
    """The source with each site spelled as its new size."""
    text = source.encode()
    for site, size in sorted(zip(sites, sizes, strict=True), key=lambda pair: -pair[0].span[0]):
        if size != site.value:
            text = text[: site.span[0]] + str(size).encode() + text[site.span[1] :]
    return text.decode()
