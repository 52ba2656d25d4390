"""A kernel's text as it is described to a device."""

import ast
from collections.abc import Mapping

from kernelwright.ir.text import text_lines
from kernelwright.ir.trees import syntax_tree


def undecorated(text: str) -> str:
    """The one function of a text with `@triton.jit` alone above it; its lines keep their numbers."""
    function = syntax_tree(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    first = function.lineno - 1
    kept = ["@triton.jit", *[""] * (first - 1)] if function.decorator_list else []
    return "\n".join([*kept, *text_lines(text)[first : function.end_lineno]])


def leaves_lanes_open(text: str) -> bool:
    """Whether a kernel loads with a mask and names no `other`, so that lanes that are off hold nothing."""
    for node in ast.walk(syntax_tree(text)):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "load":
            given = {"mask", "other"} & {word.arg for word in node.keywords}
            if (len(node.args) == 2 or "mask" in given) and len(node.args) < 3 and "other" not in given:
                return True
    return False


#: Names of the language's calls that write through a pointer or a descriptor.
_WRITES = ("store", "store_tensor_descriptor", "scatter")
#: Python's calls in a kernel that write nothing.
_PLAIN = frozenset("range min max float int bool len abs sum tuple".split())


def written_parameters(text: str) -> frozenset[str]:
    """The parameters of a kernel that it may write through: no access depends on values for that.

    Pointers are followed by name through assignments; what another function is given may be written there.
    """
    function = syntax_tree(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    arguments = function.args
    names = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    reached = {name: frozenset((name,)) for name in names}
    nodes = list(ast.walk(function))
    before: dict[str, frozenset[str]] = {}
    while before != reached:
        before = dict(reached)
        for node in nodes:
            for target, value in _bound(node):
                for name in (part.id for part in ast.walk(target) if isinstance(part, ast.Name)):
                    reached[name] = reached.get(name, frozenset()) | _reached(value, reached)
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Call):
            found |= _written_by(node, reached)
    return frozenset(found)


def _bound(node: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    """Targets and what is assigned to them."""
    if isinstance(node, ast.Assign):
        return [(target, node.value) for target in node.targets]
    if isinstance(node, ast.AugAssign | ast.NamedExpr) or (isinstance(node, ast.AnnAssign) and node.value is not None):
        return [(node.target, node.value)]  # type: ignore[list-item]
    return [(node.target, node.iter)] if isinstance(node, ast.For) else []


def _reached(value: ast.AST, reached: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The parameters that a value may point into; what is loaded points nowhere."""
    if isinstance(value, ast.Call) and getattr(value.func, "attr", "") == "load":
        return frozenset()
    if isinstance(value, ast.Name):
        return reached.get(value.id, frozenset())
    return frozenset().union(*(_reached(child, reached) for child in ast.iter_child_nodes(value)))


def _written_by(call: ast.Call, reached: Mapping[str, frozenset[str]]) -> frozenset[str]:
    given = [*call.args, *(word.value for word in call.keywords)]
    if isinstance(call.func, ast.Name):
        return frozenset() if call.func.id in _PLAIN else frozenset().union(*(_reached(one, reached) for one in given))
    name, owner = getattr(call.func, "attr", ""), _reached(call.func, reached)
    if "asm" in name:
        return frozenset().union(*(_reached(one, reached) for one in given))
    if name in _WRITES or name.startswith("atomic"):
        pointers = given[:1] + [word.value for word in call.keywords if word.arg in ("pointer", "desc")]
        return owner.union(*(_reached(one, reached) for one in pointers))
    language = getattr(getattr(call.func, "value", None), "id", "") in ("tl", "libdevice", "math")
    return frozenset() if language or owner else frozenset().union(*(_reached(one, reached) for one in given))
