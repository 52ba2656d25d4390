"""What of a reference a short prompt shows: the statements that compute, and the tensors by name."""

import ast

from kernelwright.ir.trees import syntax_tree
from kernelwright.ir.values import Reference, ScalarSpec, TensorSpec


def essential(reference: Reference) -> str:
    """Tensors with their types, then the reference's own statements, then what is returned, line by line.

    Imports, sizes of inputs and initial weights say nothing that the types do not. A model that is built with arguments
    is shown whole.
    """
    body = _statements(reference) or reference.source.strip().split("\n")
    given = [
        f"{spec.name}: {spec.annotation}" if isinstance(spec, TensorSpec) else f"{spec.name} = {spec.value!r}"
        for spec in reference.inputs
    ]
    given += [f"self.{spec.path} = {spec.tensor.name}: {spec.tensor.annotation}" for spec in reference.state]
    outputs = [f"{spec.name}: {spec.annotation}" for spec in reference.outputs]
    return "\n".join([*given, *body, *outputs])


def _statements(reference: Reference) -> list[str]:
    """The statements of `__init__`, but for weights, and of `forward`; none where they do not stand for the whole."""
    found = next((node for node in syntax_tree(reference.source).body if _is_class(node, reference.entry)), None)
    if not isinstance(found, ast.ClassDef):
        return []
    methods = {node.name: node for node in found.body if isinstance(node, ast.FunctionDef)}
    init, forward = methods.get("__init__"), methods.get("forward")
    known = [spec.name for spec in reference.inputs if isinstance(spec, TensorSpec | ScalarSpec)]
    if forward is None or [argument.arg for argument in forward.args.args[1:]] != known or len(methods) > 2:
        return []
    if init is not None and len(init.args.args) > 1:
        return []
    weights = {f"self.{spec.path}" for spec in reference.state}
    built = [node for node in (init.body if init else []) if not _is_bookkeeping(node, weights)]
    return [ast.unparse(node) for node in (*built, *forward.body)]


def _is_class(node: ast.stmt, name: str) -> bool:
    return isinstance(node, ast.ClassDef) and node.name == name


def _is_bookkeeping(node: ast.stmt, weights: set[str]) -> bool:
    """The call of the base's `__init__`, and weights that are listed with their types."""
    if isinstance(node, ast.Expr):
        return True
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in weights
