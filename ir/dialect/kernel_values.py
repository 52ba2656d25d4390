"""Kernels under other names in host code: `k = a if small else b`, `run = kernel[grid]`, parameters of helpers."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from kernelwright.ir.dialect.checker import bound_names, dotted
from kernelwright.ir.dialect.tensors import assigned_pairs
from kernelwright.ir.trees import walk

#: Function -> name -> what it is bound to, None where that cannot be read off the text.
_Bindings = Mapping[str, Mapping[str, list[tuple[str, ast.expr] | None]]]


@dataclass
class KernelValues:
    """Names that are bound to kernels alone, or to launches that wait for arguments, in each function."""

    kernels: frozenset[str]
    held: dict[str, set[str]] = field(default_factory=dict)
    waiting: dict[str, set[str]] = field(default_factory=dict)
    #: Identities of the nodes that name a kernel where a value may be one.
    nodes: set[int] = field(default_factory=set)

    def is_kernel(self, function: str, node: ast.expr) -> bool:
        """Whether an expression certainly is a kernel."""
        match node:
            case ast.Name(id=name):
                return name in self.kernels or name in self.held[function]
            case ast.IfExp(body=body, orelse=orelse):
                return self.is_kernel(function, body) and self.is_kernel(function, orelse)
        return False

    def is_waiting(self, function: str, node: ast.expr) -> bool:
        """Whether an expression certainly is `kernel[grid]`."""
        match node:
            case ast.Name(id=name):
                return name in self.waiting[function]
            case ast.Subscript(value=value):
                return self.is_kernel(function, value)
            case ast.IfExp(body=body, orelse=orelse):
                return self.is_waiting(function, body) and self.is_waiting(function, orelse)
        return False


def find_kernel_values(functions: Mapping[str, ast.FunctionDef], kernels: frozenset[str]) -> KernelValues:
    """Follow kernels through local names and the parameters of top-level functions and methods."""
    found = KernelValues(kernels, {name: set() for name in functions}, {name: set() for name in functions})
    bindings = {name: _bindings(name, function, functions) for name, function in functions.items()}
    for _ in range(4):
        for function, names in bindings.items():
            for name, values in names.items():
                known = [value for value in values if value is not None]
                if not known or len(known) < len(values):
                    continue
                if all(found.is_kernel(place, value) for place, value in known):
                    found.held[function].add(name)
                elif all(found.is_waiting(place, value) for place, value in known):
                    found.waiting[function].add(name)
    for function, names in bindings.items():
        for name in found.held[function] | found.waiting[function]:
            for bound in names[name]:
                assert bound is not None
                found.nodes |= {id(node) for node in _named(bound[1])}
    return found


def _named(value: ast.expr) -> Iterator[ast.expr]:
    if isinstance(value, ast.IfExp):
        yield from _named(value.body)
        yield from _named(value.orelse)
    elif isinstance(value, ast.Subscript):
        yield from _named(value.value)
    else:
        yield value


def _bindings(
    name: str, function: ast.FunctionDef, functions: Mapping[str, ast.FunctionDef]
) -> dict[str, list[tuple[str, ast.expr] | None]]:
    found: dict[str, list[tuple[str, ast.expr] | None]] = {bound: [] for bound in bound_names(function)}
    clear: set[int] = set()
    for node in walk(function):
        if isinstance(node, ast.Assign):
            for target, value in (pair for one in node.targets for pair in assigned_pairs(one, node.value)):
                if isinstance(target, ast.Name):
                    clear.add(id(target))
                    found[target.id].append((name, value))
    for node in walk(function):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and id(node) not in clear:
            found[node.id].append(None)
        elif isinstance(node, ast.FunctionDef) and node is not function:
            found[node.name].append(None)
    own = [argument.arg for argument in function.args.args]
    for node in walk(function):
        if isinstance(node, ast.arg):
            found[node.arg] += _passed(name, node.arg, functions) if node.arg in own else [None]
    return found


def _passed(name: str, parameter: str, functions: Mapping[str, ast.FunctionDef]) -> list[tuple[str, ast.expr] | None]:
    """What the calls of a function pass for a parameter; [None] where that is not plain."""
    parameters = [argument.arg for argument in functions[name].args.args]
    found: list[tuple[str, ast.expr] | None] = []
    for place, function in functions.items():
        for node in walk(function):
            chain = dotted(node.func) if isinstance(node, ast.Call) else ()
            if not isinstance(node, ast.Call) or chain not in ((name,), ("self", name)):
                continue
            names = parameters[1:] if parameters[:1] == ["self"] else parameters
            given = dict(zip(names, node.args, strict=False))
            given |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
            found.append((place, given[parameter]) if parameter in given else None)
    return found or [None]
