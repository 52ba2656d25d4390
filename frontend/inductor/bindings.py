"""Which names a function's tree binds and reads, and putting others in their place."""

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping


def assignments(function: ast.FunctionDef) -> Iterator[tuple[str, ast.expr | None, ast.stmt]]:
    """(name, value or None where not a plain assignment, statement) for everything that binds a name."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    yield target.id, node.value, node
                else:
                    for part in ast.walk(target):
                        if isinstance(part, ast.Name):
                            yield part.id, None, node
        elif isinstance(node, ast.AnnAssign | ast.AugAssign) and isinstance(node.target, ast.Name):
            value = node.value if isinstance(node, ast.AnnAssign) else None
            yield node.target.id, value, node
        elif isinstance(node, ast.For):
            for part in ast.walk(node.target):
                if isinstance(part, ast.Name):
                    yield part.id, None, node


def bound_once(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Names bound exactly once, by a plain assignment, to the value."""
    bound = Counter(name for name, _, _ in assignments(function))
    bound.update(argument.arg for argument in function.args.args)
    return {name: value for name, value, _ in assignments(function) if value is not None and bound[name] == 1}


def target_of(statement: ast.stmt) -> str:
    """The name that an assignment binds, "" for anything else."""
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id
    return ""


def drop_statements(function: ast.FunctionDef, condition: Callable[[ast.stmt], bool]) -> None:
    """Leave out statements, at any depth."""
    for node in ast.walk(function):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            body[:] = [stmt for stmt in body if not condition(stmt)]
            if not body:
                body.append(ast.Pass())


def call_name(node: ast.AST) -> str:
    """`full` for `tl.full(...)`, `promote` for `promote(...)`, else ""."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


class Substitute(ast.NodeTransformer):
    """Replace the reading of names by expressions."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and node.id in self.values:
            return self.values[node.id]
        return node


class Rename(ast.NodeTransformer):
    """Rename variables, parameters and called functions."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self.names.get(node.arg, node.arg)
        return node
