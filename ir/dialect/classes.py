"""Classes of host code: `ModelNew`, and autograd functions whose forward is used."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kernelwright.ir.dialect.checker import dotted
from kernelwright.ir.trees import walk

#: What an autograd function may define besides forward; it is left out, since no gradient is ever asked for.
BACKWARD = frozenset({"backward", "vjp", "jvp", "vmap"})


def is_autograd_function(node: ast.AST) -> bool:
    """Whether a statement is `class X(torch.autograd.Function)`."""
    return isinstance(node, ast.ClassDef) and [dotted(base) for base in node.bases] == [
        ("torch", "autograd", "Function")
    ]


def methods_of(node: ast.ClassDef) -> list[ast.FunctionDef]:
    """Its methods, those that are left out excepted."""
    left_out = BACKWARD if is_autograd_function(node) else frozenset()
    return [part for part in node.body if isinstance(part, ast.FunctionDef) and part.name not in left_out]


@dataclass(frozen=True)
class HostFunctions:
    """Every function of host code by its key: a top-level name, a method of ModelNew, or `Function.forward`.

    `initial` are the keys of those that only `__init__` uses, directly or through others.
    """

    by_key: Mapping[str, ast.FunctionDef]
    methods: Mapping[str, ast.FunctionDef]
    forwards: Mapping[str, ast.FunctionDef]
    initial: frozenset[str]

    @classmethod
    def of(cls, functions: Mapping[str, ast.FunctionDef], classes: list[ast.ClassDef]) -> "HostFunctions":
        """Those of a file: its top-level functions and its classes."""
        methods: dict[str, ast.FunctionDef] = {}
        forwards: dict[str, ast.FunctionDef] = {}
        for node in classes:
            for method in methods_of(node):
                if is_autograd_function(node):
                    forwards[f"{node.name}.{method.name}"] = method
                else:
                    methods[method.name] = method
        by_key = {**functions, **methods, **forwards}
        return cls(by_key, methods, forwards, _initial(by_key, methods))


def _initial(by_key: Mapping[str, ast.FunctionDef], methods: Mapping[str, ast.FunctionDef]) -> frozenset[str]:
    uses = {key: set(_used(function, by_key, methods)) for key, function in by_key.items()}
    if "__init__" not in methods:
        return frozenset()
    entries = {key for key in by_key if key == "forward" or "." in key}
    later, first = _reached(entries, uses), _reached({"__init__"}, uses)
    return frozenset(first - later)


def _reached(start: set[str], uses: Mapping[str, set[str]]) -> set[str]:
    reached, open_ = set(start), list(start)
    while open_:
        for key in uses.get(open_.pop(), set()) - reached:
            reached.add(key)
            open_.append(key)
    return reached


def _used(
    function: ast.FunctionDef, by_key: Mapping[str, ast.FunctionDef], methods: Mapping[str, ast.FunctionDef]
) -> Iterator[str]:
    for node in walk(function):
        if isinstance(node, ast.Name) and node.id in by_key:
            yield node.id
        elif isinstance(node, ast.Attribute) and node.attr in methods:
            yield node.attr


def class_constants(node: ast.ClassDef) -> dict[str, ast.expr]:
    """Values that a class sets outside its methods, by name."""
    found: dict[str, ast.expr] = {}
    for part in node.body:
        target = part.targets[0] if isinstance(part, ast.Assign) and len(part.targets) == 1 else None
        if isinstance(part, ast.AnnAssign):
            target = part.target
        if isinstance(part, ast.Assign | ast.AnnAssign) and isinstance(target, ast.Name) and part.value is not None:
            found[target.id] = part.value
    return found


def class_source(node: ast.ClassDef, lines: list[str], first: int) -> str:
    """A class's text from its first line on, without the methods that are left out."""
    kept = methods_of(node)
    dropped: set[int] = set()
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and part not in kept:
            top = min([part.lineno, *(decorator.lineno for decorator in part.decorator_list)])
            dropped |= set(range(top, (part.end_lineno or top) + 1))
    numbers = [number for number in range(first, (node.end_lineno or first) + 1) if number not in dropped]
    while numbers and not lines[numbers[-1] - 1].strip():
        numbers.pop()
    return "\n".join(lines[number - 1] for number in numbers)
