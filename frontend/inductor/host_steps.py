"""The steps of a lowered program's host code, and which of them belong together.

A step is a kernel's launch or a library call. Buffers are told apart by their memory: a view is the buffer that it is a
view of. Steps that meet in a buffer whose value is no operation's result belong together. An example is the sum of
squares that one kernel of a group norm hands to the next.
"""

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kernelwright.ir.trees import syntax_tree


@dataclass(frozen=True)
class Line:
    """A statement. `symbol`: the kernel that it launches, "" if none. `made`: the buffers of which it is the first to
    write its part, `read`: the other buffers that it names. A line that does not compute makes a buffer or a view;
    `name` is the variable that a line assigns to, "" if none."""

    statement: ast.stmt
    name: str
    symbol: str
    made: tuple[str, ...]
    read: tuple[str, ...]
    computes: bool

    @property
    def text(self) -> str:
        """The statement's text."""
        return ast.unparse(self.statement)

    @property
    def named(self) -> frozenset[str]:
        """The buffers that it names."""
        return frozenset((*self.made, *self.read))


def read_lines(source: str, symbols: Collection[str]) -> tuple[Line, ...]:
    """The lines of a launcher's source, without its deletions and its return; `symbols` are the kernels' names."""
    host = syntax_tree(source).body[-1]
    assert isinstance(host, ast.FunctionDef)
    reader = _Reader([argument.arg for argument in host.args.args], symbols)
    return tuple(reader.lines(host.body))


class _Reader:
    """Follows host code: `base` maps each name to its buffer. `fresh` has the names of memory that no step has been
    given, and `apart` the buffers that steps were given as views only: other views of them are fresh."""

    def __init__(self, parameters: Iterable[str], symbols: Collection[str]) -> None:
        self.base = {name: name for name in parameters}
        self.fresh: set[str] = set()
        self.apart: set[str] = set()
        self.symbols = symbols

    def lines(self, body: Sequence[ast.stmt]) -> Iterator[Line]:
        """The lines of a function's body."""
        for statement in body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                yield self._assigned(statement, statement.targets[0].id)
            elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                yield self._step(statement, self._names(statement), symbol=_launched(statement.value, self.symbols))
            elif not isinstance(statement, ast.Delete | ast.Return):
                yield Line(statement, "", "", (), self._bases(self._names(statement)), computes=False)

    def _assigned(self, statement: ast.Assign, name: str) -> Line:
        value = statement.value
        called = ast.unparse(value.func) if isinstance(value, ast.Call) else ""
        if called in ("torch.empty_strided", "torch.tensor"):
            self.base[name] = name
            if called == "torch.empty_strided":
                self.fresh.add(name)
                self.apart.add(name)
            return Line(statement, name, "", (), (name,), computes=False)
        names = self._names(value)
        if called.startswith("aten."):
            self.base[name] = name
            self.fresh.add(name)
            return self._step(statement, [*names, name], name)
        bases = self._bases(names)
        if bases:
            self.base[name] = bases[0]
            self.fresh |= {name} if bases[0] in self.apart and name != bases[0] else set()
        return Line(statement, name, "", (), bases, computes=False)

    def _step(self, statement: ast.stmt, names: Sequence[str], name: str = "", symbol: str = "") -> Line:
        made = self._bases(name for name in names if name in self.fresh)
        read = self._bases(name for name in names if name not in self.fresh and self.base[name] not in made)
        whole = {name for name in names if self.base[name] == name}
        self.apart -= whole
        self.fresh -= {name for name in self.fresh if name in (*names, *made) or self.base[name] in whole}
        return Line(statement, name, symbol, made, read, computes=True)

    def _names(self, part: ast.AST) -> list[str]:
        found = [node.id for node in ast.walk(part) if isinstance(node, ast.Name) and node.id in self.base]
        return list(dict.fromkeys(found))

    def _bases(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.base[name] for name in names))


def _launched(call: ast.Call, symbols: Collection[str]) -> str:
    symbol = ast.unparse(call.func.value) if isinstance(call.func, ast.Subscript) else ""
    return symbol if symbol in symbols else ""


@dataclass(frozen=True)
class Part:
    """Lines of host code that are a program: it is given `taken`, and makes `made`, whose values are known."""

    lines: tuple[Line, ...]
    taken: tuple[str, ...]
    made: tuple[str, ...]

    @property
    def symbols(self) -> tuple[str, ...]:
        """The kernels that it launches."""
        return tuple(dict.fromkeys(line.symbol for line in self.lines if line.symbol))


def parts(lines: Sequence[Line], known: Callable[[str], bool]) -> Iterator[Part]:
    """The smallest parts that meet in known buffers only; `known`: whether the value of a buffer is known."""
    steps = [line for line in lines if line.computes]
    makers = {name: [step for step in steps if name in step.made] for step in steps for name in step.made}
    # A step that is given nothing is no program, so it belongs to the steps that read what it makes.
    from_nothing = {name for step in steps if not step.read for name in step.made}
    home = {id(step): index for index, step in enumerate(steps)}
    for name, made_by in makers.items():
        shown = known(name) and name not in from_nothing
        together = made_by if shown else [step for step in steps if name in step.named]
        places = {home[id(step)] for step in together}
        home = {step: min(places) if place in places else place for step, place in home.items()}
    for place in dict.fromkeys(home.values()):
        yield _part(lines, {id(step) for step in steps if home[id(step)] == place}, makers, known)


def _part(
    lines: Sequence[Line], chosen: set[int], makers: Mapping[str, Sequence[Line]], known: Callable[[str], bool]
) -> Part:
    steps = [line for line in lines if id(line) in chosen]
    named = dict.fromkeys(name for step in steps for name in (*step.read, *step.made))
    made = [name for name in named if any(id(step) in chosen for step in makers.get(name, ()))]
    taken = tuple(name for name in named if name not in made and known(name))
    kept = [line for line in lines if id(line) in chosen or _prepares(line, named.keys(), taken)]
    return Part(tuple(kept), taken, tuple(name for name in made if known(name)))


def _prepares(line: Line, named: Collection[str], taken: Collection[str]) -> bool:
    """Whether a line makes one of these buffers, or a view of one; buffers that are given are there already."""
    return not line.computes and line.name not in taken and not line.named.isdisjoint(named)
