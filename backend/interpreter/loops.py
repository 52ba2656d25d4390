"""Which loops of a kernel may leave rounds out, when only the places that it accesses count."""

import ast
import functools
import linecache
from collections.abc import Iterator

#: Functions and methods that access memory, and how many arguments come after the pointer before the mask; the value
#: that is written stands between.
_READS, _WRITES = frozenset({"load", "gather"}), frozenset({"store", "scatter"})
#: What a load or a store is given that names no place.
_VALUES = frozenset({"other", "value", "val", "cache_modifier", "eviction_policy", "volatile", "padding_option"})
#: Names that functions of the language are called through.
_LANGUAGE = frozenset({"tl", "libdevice", "math", "triton"})


def may_skip(filename: str, line: int) -> bool:
    """Whether the accesses of a loop's round, and those after the loop, are the same if earlier rounds did not run.

    It is so where nothing that one round hands on to the next decides what is accessed, as with a sum that is only
    stored. False where that is not known.
    """
    return line in _skippable(filename)


@functools.lru_cache(16)
def _skippable(filename: str) -> frozenset[int]:
    try:
        tree = ast.parse("".join(linecache.getlines(filename)))
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return frozenset(
        loop.lineno
        for function in functions
        for loop in ast.walk(function)
        if isinstance(loop, ast.For) and not _decides(function, _handed_on(loop))
    )


def _handed_on(loop: ast.For) -> frozenset[str]:
    """Names that a round may read as an earlier one left them."""
    first: dict[str, bool] = {}
    stored = set()
    for name, writes, surely in _events(loop.body, True):
        first.setdefault(name, writes and surely)
        if writes:
            stored.add(name)
    return frozenset(name for name in stored if not first[name])


def _events(body: list[ast.stmt], surely: bool) -> Iterator[tuple[str, bool, bool]]:
    """Names in the order in which they are used: the name, whether it is written, whether that happens in any case."""
    for statement in body:
        inner = [value for _, value in ast.iter_fields(statement) if isinstance(value, list)]
        nested = [block for block in inner if block and isinstance(block[0], ast.stmt)]
        names = _names(statement) if not nested else [name for part in _heads(statement) for name in _names(part)]
        if isinstance(statement, ast.AugAssign):
            names += [node for node in ast.walk(statement.target) if isinstance(node, ast.Name)]
        for node in names:
            if isinstance(node.ctx, ast.Load) or isinstance(statement, ast.AugAssign):
                yield node.id, False, surely
        for node in names:
            if not isinstance(node.ctx, ast.Load):
                yield node.id, True, surely
        for block in nested:
            yield from _events(block, False)


def _heads(statement: ast.stmt) -> list[ast.expr]:
    """The expressions of a statement that has statements in it."""
    return [value for _, value in ast.iter_fields(statement) if isinstance(value, ast.expr)]


def _names(node: ast.AST) -> list[ast.Name]:
    return [one for one in ast.walk(node) if isinstance(one, ast.Name)]


def _decides(function: ast.FunctionDef, names: frozenset[str]) -> bool:
    """Whether these names, or what is computed from them, decide on accesses or on what runs."""
    tainted = set(names)
    while True:
        reached = {name for node in ast.walk(function) for name in _passed_on(node, tainted)}
        if reached <= tainted:
            break
        tainted |= reached
    return any(_is_decided(node, tainted) for node in ast.walk(function))


def _passed_on(node: ast.AST, tainted: set[str]) -> set[str]:
    """The names that a statement assigns something tainted to."""
    if not isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) or not _uses(node.value, tainted):
        return set()
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {name.id for target in targets for name in _names(target)}


def _uses(node: ast.AST | None, tainted: set[str]) -> bool:
    return node is not None and any(name.id in tainted for name in _names(node))


def _is_decided(node: ast.AST, tainted: set[str]) -> bool:
    """Whether something tainted is a condition, a bound, a place or a mask here, or goes to another function."""
    if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
        return _uses(node.test, tainted)
    if isinstance(node, ast.For):
        return _uses(node.iter, tainted)
    if isinstance(node, ast.Return):
        return _uses(node.value, tainted)
    if not isinstance(node, ast.Call):
        return False
    named = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg not in _VALUES}
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if name in _READS or name in _WRITES or name.startswith("atomic_"):
        value = 2 if name in _READS else 1  # `other`, or what is written
        method = isinstance(node.func, ast.Attribute) and not _is_language(node.func.value)
        places = [one for place, one in enumerate(node.args) if place != value or method]
        return any(_uses(one, tainted) for one in [node.func, *places, *named.values()])
    if name == "device_assert" or not (isinstance(node.func, ast.Attribute) or _is_plain(node.func)):
        return any(_uses(one, tainted) for one in [*node.args, *(one.value for one in node.keywords)])
    return False


def _is_plain(function: ast.expr) -> bool:
    """Whether a call by name is one of Python's own, which only computes."""
    return isinstance(function, ast.Name) and function.id in {"min", "max", "abs", "float", "int", "range"}


def _is_language(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id in _LANGUAGE
