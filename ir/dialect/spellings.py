"""Other spellings of what the dialect has, put into its own words before anything is checked.

Each is replaced only where it can mean nothing else: the name that it goes by is bound once in the whole file. Lines
keep their numbers.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from kernelwright.ir.dialect.checker import dotted
from kernelwright.ir.dialect.classes import is_autograd_function
from kernelwright.ir.dialect.tables import LIBDEVICE, TRITON_NAMES
from kernelwright.ir.text import text_lines
from kernelwright.ir.trees import walk

_LIBDEVICE = ("triton.language.extra.libdevice", "triton.language.extra.cuda.libdevice")
#: What makes an operator of a function that is called as it stands.
_OPERATORS = frozenset({"custom_op", "triton_op"})
#: What is registered with an operator for tracing and gradients, of which there are none.
_REGISTERED = frozenset({"register_fake", "register_autograd", "register_vmap"})


@dataclass(frozen=True)
class _Edit:
    """A part of the text, from its first byte to its end, and what takes its place."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


def in_own_words(text: str, tree: ast.Module) -> str:
    """The text with what the dialect spells otherwise in its spelling; the very text where there is nothing."""
    edits: list[_Edit] = []
    for edit in sorted(_Spellings(tree).edits(), key=lambda edit: (edit.start, -edit.end[0], -edit.end[1])):
        if not edits or edit.start >= edits[-1].end:  # else it is part of what is replaced
            edits.append(edit)
    if not edits:
        return text
    lines = [line.encode() for line in text_lines(text)]
    for edit in reversed(edits):
        (first, start), (last, end) = edit.start, edit.end
        kept = lines[last - 1][end:]
        lines[first - 1] = lines[first - 1][:start] + edit.text.encode() + (kept if first == last else b"")
        if first < last:
            lines[first:last] = [*[b""] * (last - first - 1), kept]
    return "\n".join(line.decode() for line in lines)


class _Spellings:
    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        bound = Counter(name for node in walk(tree) for name in _binds(node))
        # What stands in an f-string has no place of its own that a syntax tree tells before Python 3.12.
        formatted = [part for node in walk(tree) if isinstance(node, ast.JoinedStr) for part in walk(node)]
        inside = {part.id for part in formatted if isinstance(part, ast.Name)}
        self.once = {name for name, times in bound.items() if times == 1} - inside
        others = [node for node in walk(tree) if not isinstance(node, ast.alias)]
        self.own_libdevice = any("libdevice" in _binds(node) for node in others)
        self.autograd = {
            node.name for node in tree.body if isinstance(node, ast.ClassDef) and is_autograd_function(node)
        }
        #: What torch.library is imported as: name -> its own name.
        self.library: dict[str, str] = {}
        self.meanings: dict[str, str] = {}

    def edits(self) -> Iterator[_Edit]:
        """What to replace."""
        for statement in self.tree.body:
            if isinstance(statement, ast.ImportFrom) and not statement.level:
                yield from self._imported(statement)
        yield from self._renamed()
        yield from self._operators()
        for node in walk(self.tree):
            if isinstance(node, ast.FunctionDef):
                yield from _unpacked_strides(node)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in self.meanings:
                yield _replaced(node, self.meanings[node.id])
            elif isinstance(node, ast.Call) and self._library_name(node.func) == "wrap_triton":
                (kernel,) = node.args if len(node.args) == 1 and not node.keywords else (None,)
                if isinstance(kernel, ast.Name):
                    yield _replaced(node, kernel.id)

    def _imported(self, node: ast.ImportFrom) -> Iterator[_Edit]:
        """`from triton.language.extra.libdevice import tanh`, and what torch.library has."""
        names = {alias.asname or alias.name: alias.name for alias in node.names}
        if not names.keys() <= self.once:
            return
        if node.module in _LIBDEVICE and set(names.values()) <= LIBDEVICE and not self.own_libdevice:
            self.meanings |= {name: f"libdevice.{meant}" for name, meant in names.items()}
            yield _replaced(node, "from triton.language.extra import libdevice")
        elif node.module == "torch.library" and set(names.values()) <= {*_OPERATORS, "wrap_triton"}:
            self.library |= names
            yield _replaced(node, "")

    def _renamed(self) -> Iterator[_Edit]:
        """`layer_norm = LayerNorm.apply` and `np2 = triton.next_power_of_2`."""
        for node in walk(self.tree):
            if not (isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)):
                continue
            name, chain = node.targets[0].id, dotted(node.value)
            function = len(chain) == 2 and chain[0] == "triton" and chain[1] in TRITON_NAMES
            applied = len(chain) == 2 and chain[0] in self.autograd and chain[1] == "apply"
            if name in self.once and (function or applied):
                self.meanings[name] = ".".join(chain)
                yield _replaced(node, "" if node in self.tree.body else "pass")

    def _library_name(self, node: ast.expr) -> str:
        chain = dotted(node)
        if chain[:2] == ("torch", "library") and len(chain) == 3:
            return chain[2]
        return self.library.get(chain[0], "") if len(chain) == 1 else ""

    def _operators(self) -> Iterator[_Edit]:
        """Functions that `torch.library` makes operators of, and what is registered with those."""
        known: set[str] = set()
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef) and len(node.decorator_list) == 1:
                (decorator,) = node.decorator_list
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                if isinstance(decorator, ast.Call) and self._library_name(called) in _OPERATORS:
                    known.add(node.name)
                    start = decorator.lineno, decorator.col_offset - 1
                    yield _Edit(start, _end(decorator), "")
                elif _registers(called, known):
                    yield _Edit((decorator.lineno, decorator.col_offset - 1), _end(node), "")
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _registers(node.value.func, known):
                yield _replaced(node, "")


def _binds(node: ast.AST) -> Iterator[str]:
    """The names that a node binds, anywhere."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
    elif isinstance(node, ast.Global | ast.Nonlocal):
        yield from (name for name in node.names for _ in range(2))  # bound where nobody looks


def _registers(node: ast.expr, operators: set[str]) -> bool:
    chain = dotted(node)
    return len(chain) == 2 and chain[0] in operators and chain[1] in _REGISTERED


def _unpacked_strides(function: ast.FunctionDef) -> Iterator[_Edit]:
    """`*x.stride()` among the arguments of a launch, where `a, b, c = x.shape` says how many there are."""
    ranks: dict[str, set[int]] = {}
    bound = Counter(name for node in walk(function) for name in _binds(node))
    for node in walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Tuple):
            chain, parts = dotted(node.value), node.targets[0].elts
            if len(chain) == 2 and chain[1] == "shape" and not any(isinstance(part, ast.Starred) for part in parts):
                ranks.setdefault(chain[0], set()).add(len(parts))
    for node in walk(function):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript)):
            continue
        for argument in node.args:
            call = argument.value if isinstance(argument, ast.Starred) else None
            if not isinstance(call, ast.Call) or call.args or call.keywords:
                continue
            name, _, method = ".".join(dotted(call.func)).partition(".")
            if method == "stride" and len(ranks.get(name, ())) == 1 and bound[name] == 1:
                (rank,) = ranks[name]
                yield _replaced(argument, ", ".join(f"{name}.stride({axis})" for axis in range(rank)))


def _end(node: ast.expr | ast.stmt) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or 0


def _replaced(node: ast.expr | ast.stmt, text: str) -> _Edit:
    return _Edit((node.lineno, node.col_offset), _end(node), text)
