"""Which values of host code are certainly tensors: followed through names, helper functions and weights.

The answer errs towards "no": what it misses is caught where programs run.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from kernelwright.ir.dialect.checker import dotted, extern_name
from kernelwright.ir.dialect.tables import INIT_TORCH, TENSOR_METHODS, TENSOR_VIEWS, TORCH_MOVES, WEIGHTS
from kernelwright.ir.trees import walk


@dataclass
class Tensors:
    """Tensor-valued names of each function, functions that return tensors, and attributes of `self` that are."""

    names: dict[str, set[str]] = field(default_factory=dict)
    returning: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)

    def __contains__(self, located: tuple[str, ast.expr]) -> bool:
        function, node = located
        match node:
            case ast.Name(id=name):
                return name in self.names.get(function, ())
            case ast.Subscript(value=value) | ast.Starred(value=value):
                return (function, value) in self
            case ast.IfExp(body=body, orelse=orelse):
                return (function, body) in self or (function, orelse) in self
            case ast.Tuple(elts=items) | ast.List(elts=items):
                return bool(items) and all((function, item) in self for item in items)
            case ast.Attribute(value=value, attr=name):
                if dotted(node)[:1] == ("self",):
                    return name in self.attributes if isinstance(value, ast.Name) else name in WEIGHTS
                return name in WEIGHTS or (name in TENSOR_VIEWS and (function, value) in self)
            case ast.Call(func=ast.Name(id="map"), args=[ast.Lambda(body=body), *_]):
                return (function, body) in self
            case ast.Call(func=called):
                return self._call(called)
            case ast.BinOp(left=left, right=right):
                return not isinstance(left, ast.List) and ((function, left) in self or (function, right) in self)
            case ast.UnaryOp(operand=operand):
                return (function, operand) in self
        return False

    def _call(self, called: ast.expr) -> bool:
        chain = dotted(called)
        if chain[:1] == ("torch",) and len(chain) == 2:
            return chain[1] in INIT_TORCH | TORCH_MOVES | {"as_strided"}
        if extern_name(called) or chain in (("nn", "Parameter"), ("torch", "nn", "Parameter")):
            return True
        if chain[-1:] == ("pad",) or (chain[-1:] == ("apply",) and len(chain) == 2):
            return True  # F.pad, and what an autograd function gives
        if chain[:1] == ("self",) and len(chain) == 2:
            return chain[1] in self.returning
        if isinstance(called, ast.Name):
            return called.id in self.returning
        return isinstance(called, ast.Attribute) and called.attr in TENSOR_METHODS


def find_tensors(functions: Mapping[str, ast.FunctionDef], inputs: Mapping[str, set[str]]) -> Tensors:
    """Follow tensors through functions (methods by their names), from the parameters known to be `inputs`."""
    tensors = Tensors({name: set(inputs.get(name, ())) for name in functions})
    for _ in range(8):
        before = sum(map(len, tensors.names.values())) + len(tensors.returning) + len(tensors.attributes)
        for name, function in functions.items():
            _follow(name, function, functions, tensors)
        if sum(map(len, tensors.names.values())) + len(tensors.returning) + len(tensors.attributes) == before:
            break
    return tensors


def _follow(name: str, function: ast.FunctionDef, functions: Mapping[str, ast.FunctionDef], tensors: Tensors) -> None:
    for node in walk(function):
        if isinstance(node, ast.Assign):
            pairs = [pair for target in node.targets for pair in assigned_pairs(target, node.value)]
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            pairs = [(node.target, node.value)]
        elif isinstance(node, ast.For | ast.comprehension):
            pairs = list(_iterated(node.target, node.iter))
        elif isinstance(node, ast.Call):
            pairs = list(mapped_pairs(node))
        else:
            pairs = []
        for target, value in pairs:
            if (name, value) not in tensors:
                continue
            if isinstance(target, ast.Name):
                tensors.names[name].add(target.id)
            elif isinstance(target, ast.Attribute) and dotted(target)[:-1] == ("self",):
                tensors.attributes.add(target.attr)
        if isinstance(node, ast.Return) and node.value is not None and (name, node.value) in tensors:
            tensors.returning.add(name)
            if any(dotted(decorator) == ("property",) for decorator in function.decorator_list):
                tensors.attributes.add(name)
        elif isinstance(node, ast.Call):
            _arguments(name, node, functions, tensors)


def _arguments(name: str, node: ast.Call, functions: Mapping[str, ast.FunctionDef], tensors: Tensors) -> None:
    """A parameter is a tensor where some call passes one."""
    chain = dotted(node.func)
    if chain == ("self", "register_buffer") and node.args and isinstance(node.args[0], ast.Constant):
        tensors.attributes.add(str(node.args[0].value))
    key = chain[-1] if len(chain) == 1 or (chain[:1] == ("self",) and len(chain) == 2) else ""
    if chain[1:] == ("apply",):
        key = f"{chain[0]}.forward"
    called = functions.get(key)
    if called is None:
        return
    parameters = [argument.arg for argument in called.args.args]
    if parameters[:1] == ["self"] or chain[1:] == ("apply",):
        parameters = parameters[1:]
    given = list(zip(parameters, node.args, strict=False))
    given += [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg in parameters]
    tensors.names[key] |= {parameter for parameter, value in given if (name, value) in tensors}


def assigned_pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What an assignment binds: element by element for tuples."""
    if not isinstance(target, ast.Tuple | ast.List):
        yield target, value
    elif isinstance(value, ast.IfExp):
        yield from assigned_pairs(target, value.body)
        yield from assigned_pairs(target, value.orelse)
    elif isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
        for part, item in zip(target.elts, value.elts, strict=True):
            yield from assigned_pairs(part, item)
    else:
        for part in target.elts:
            yield from assigned_pairs(part, value)


def mapped_pairs(node: ast.Call) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What `map(lambda a, b: ..., first, second)` binds: each parameter to the elements of an iterable."""
    if dotted(node.func) == ("map",) and node.args and isinstance(node.args[0], ast.Lambda):
        for parameter, values in zip(node.args[0].args.args, node.args[1:], strict=False):
            yield ast.Name(parameter.arg, ast.Store()), values


def _iterated(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What a loop binds: the elements of its iterable, through enumerate and zip."""
    called = dotted(value.func) if isinstance(value, ast.Call) else ()
    if isinstance(value, ast.Call) and isinstance(target, ast.Tuple):
        if called == ("enumerate",) and len(target.elts) == 2 and value.args:
            yield from assigned_pairs(target.elts[1], value.args[0])
            return
        if called == ("zip",) and len(target.elts) == len(value.args):
            for part, item in zip(target.elts, value.args, strict=True):
                yield from assigned_pairs(part, item)
            return
    yield from assigned_pairs(target, value)
