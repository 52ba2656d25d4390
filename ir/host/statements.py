"""The statements of a launcher that runs from top to bottom, and the calls and expressions in them.

Expressions hold canonical text and are equal by it; what they mention is read when it is asked for.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from kernelwright.ir.dialect.checker import extern_name
from kernelwright.ir.trees import syntax_tree, walk

#: Names of torch itself, which no tensor has.
_LIBRARY = "torch"
_REMEMBERED = 256


@dataclass(frozen=True)
class Expression:
    """An expression, or several with commas between them as a grid has them."""

    text: str

    @cached_property
    def mentions(self) -> tuple[str, ...]:
        """Names, as often as it mentions them."""
        return _mentions(syntax_tree(self.text))

    @property
    def names(self) -> frozenset[str]:
        """Names that it mentions, torch's own left out."""
        return frozenset(self.mentions) - {_LIBRARY}

    @cached_property
    def strings(self) -> frozenset[str]:
        """Strings in it, such as the launch options that a grid asks for."""
        nodes = (node for node in walk(syntax_tree(self.text)) if isinstance(node, ast.Constant))
        return frozenset(node.value for node in nodes if isinstance(node.value, str))

    @cached_property
    def elements(self) -> "tuple[Expression, ...] | None":
        """The elements of a tuple that is written down; None for anything else."""
        node = ast.parse(self.text, mode="eval").body
        return tuple(map(_expression, node.elts)) if isinstance(node, ast.Tuple) else None

    @property
    def number(self) -> int | None:
        """The integer that it is; None for anything else."""
        return int(self.text) if self.text.isdecimal() else None

    @classmethod
    def of(cls, elements: "Sequence[Expression]") -> "Expression":
        """A grid of these elements."""
        return cls(", ".join(one.text for one in elements) + ("," if len(elements) == 1 else ""))


@dataclass(frozen=True)
class HostCall:
    """`function(*arguments, **keywords)`; a launch is `function[grid](…)`.

    `operation` is the name of one of ATen's, such as `aten.mm.out`, however it is spelt; "" for other functions. The
    keyword "" holds what `**` spreads out.
    """

    function: str
    arguments: tuple[Expression, ...]
    keywords: tuple[tuple[str, Expression], ...] = ()
    grid: Expression | None = None
    operation: str = ""

    def __str__(self) -> str:
        given = [one.text for one in self.arguments]
        given += [f"{name}={one.text}" if name else f"**{one.text}" for name, one in self.keywords]
        place = f"[{self.grid.text}]" if self.grid is not None else ""
        return f"{self.function}{place}({', '.join(given)})"


@dataclass(frozen=True)
class Statement:
    """An assignment, a call, a `del` or a `return`, at these lines of the launcher, the first and the last.

    `targets` are the names that it assigns or deletes. `call`: what it is, or what its targets are given, where that is
    a call. `devices`: names that it reads nothing of but their device.
    """

    kind: str
    text: str
    lines: tuple[int, int]
    mentions: tuple[str, ...]
    devices: frozenset[str]
    targets: tuple[str, ...] = ()
    call: HostCall | None = None

    @property
    def names(self) -> frozenset[str]:
        """Names that it mentions, torch's own left out."""
        return frozenset(self.mentions) - {_LIBRARY}

    @property
    def deletes(self) -> bool:
        """Whether all it does is to delete names."""
        return self.kind == "del"

    @property
    def made(self) -> str:
        """The tensor that it makes and leaves uninitialised; "" where it makes none."""
        return self.targets[0] if self.call is not None and self.call.function == "torch.empty_strided" else ""

    @property
    def assigned(self) -> tuple[str, ...]:
        """Names that it gives a value."""
        return self.targets if self.kind == "assign" else ()


@dataclass(frozen=True)
class HostCode:
    """A launcher that is one function of straight statements, up to its first `return`."""

    source: str
    parameters: tuple[str, ...]
    statements: tuple[Statement, ...]

    def having(self, texts: Mapping[int, Sequence[str]]) -> str:
        """The launcher's text with statements, by their index, replaced by lines."""
        lines = self.source.split("\n")
        for index in sorted(texts, reverse=True):
            first, last = self.statements[index].lines
            lines[first - 1 : last] = [f"    {line}" for line in texts[index]]
        return "\n".join(lines)


@lru_cache(maxsize=_REMEMBERED)
def straight_code(source: str) -> HostCode | None:
    """A launcher's statements; None where it is more than one function that runs from top to bottom."""
    body = syntax_tree(source).body
    entry = body[-1]
    if len(body) != 1 or not isinstance(entry, ast.FunctionDef):
        return None
    statements = []
    for node in entry.body:
        if not isinstance(node, ast.Assign | ast.Expr | ast.Delete | ast.Return):
            return None
        statements.append(_statement(node))
    ends = [index for index, one in enumerate(statements) if one.kind == "return"]
    parameters = tuple(argument.arg for argument in entry.args.args)
    return HostCode(source, parameters, tuple(statements[: ends[0] + 1] if ends else statements))


def calls_in(source: str) -> Iterator[HostCall]:
    """Every call in a launcher of any form."""
    return (_call(node) for node in walk(syntax_tree(source)) if isinstance(node, ast.Call))


@lru_cache(maxsize=_REMEMBERED)
def names_in(source: str) -> frozenset[str]:
    """Every name that a text mentions, parameters among them."""
    nodes = walk(syntax_tree(source))
    arguments = {node.arg for node in nodes if isinstance(node, ast.arg)}
    return frozenset(arguments | {node.id for node in nodes if isinstance(node, ast.Name)})


def renamed(source: str, old: str, new: str) -> str:
    """The text of host code with another name in the place of one."""
    return re.sub(rf"\b{re.escape(old)}\b", new, source)


def _statement(node: ast.Assign | ast.Expr | ast.Delete | ast.Return) -> Statement:
    inner = [part.value for part in walk(node) if isinstance(part, ast.Attribute) and part.attr == "device"]
    of_devices = [part.id for part in inner if isinstance(part, ast.Name)]
    mentions = _mentions(node)
    assert node.end_lineno is not None
    kind = {ast.Assign: "assign", ast.Expr: "call", ast.Delete: "del", ast.Return: "return"}[type(node)]
    made = Statement(
        kind,
        ast.unparse(node),
        (node.lineno, node.end_lineno),
        mentions,
        frozenset(name for name in of_devices if of_devices.count(name) == mentions.count(name)),
    )
    if isinstance(node, ast.Assign | ast.Delete):
        bound = [part.id for part in walk(node) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)]
        made = replace(made, targets=tuple(bound))
    value = node.value if isinstance(node, ast.Assign | ast.Expr) else None
    return replace(made, call=_call(value)) if isinstance(value, ast.Call) else made


def _call(node: ast.Call) -> HostCall:
    launched = isinstance(node.func, ast.Subscript)
    function = node.func.value if isinstance(node.func, ast.Subscript) else node.func
    return HostCall(
        ast.unparse(function),
        tuple(map(_expression, node.args)),
        tuple((one.arg or "", _expression(one.value)) for one in node.keywords),
        _expression(node.func.slice, within=True) if isinstance(node.func, ast.Subscript) else None,
        "" if launched else extern_name(node.func),
    )


def _expression(node: ast.expr, *, within: bool = False) -> Expression:
    """`within`: brackets stand around it, so that a tuple needs none."""
    if within and isinstance(node, ast.Tuple) and node.elts:
        return Expression.of([_expression(one) for one in node.elts])
    return Expression(ast.unparse(node))


def _mentions(node: ast.AST) -> tuple[str, ...]:
    return tuple(part.id for part in walk(node) if isinstance(part, ast.Name))
