"""The dialect of classes: what may stand in their bodies besides the methods' own code."""

import ast

from kernelwright.ir.dialect.checker import Checker, dotted
from kernelwright.ir.dialect.classes import class_constants, is_autograd_function, methods_of
from kernelwright.ir.trees import walk


class ClassChecker(Checker):
    """Checks the shape of a class: bases, methods and constants."""

    def check(self, node: ast.ClassDef) -> None:
        """A class is `class ModelNew(nn.Module)` or an autograd function: methods, with forward, and constants."""
        autograd = is_autograd_function(node)
        if not autograd and [dotted(base) for base in node.bases] not in (
            [("nn", "Module")],
            [("torch", "nn", "Module")],
        ):
            self.report(node, "the class does not derive from nn.Module alone", f"write class {node.name}(nn.Module)")
        for part in [*node.decorator_list, *node.keywords]:
            self.report(part, "a decorated or keyworded class", f"write class {node.name}(nn.Module)")
        names, constants = [], {} if autograd else class_constants(node)
        for part in node.body:
            name = part.name if isinstance(part, ast.FunctionDef) else _target(part)
            kept = isinstance(part, ast.FunctionDef) or (name in constants and self._is_class_constant(part, name))
            if kept and name not in names:
                names.append(name)
            elif not isinstance(part, ast.Pass) and not (
                isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)
            ):
                self.report(
                    part, "a class holds only methods and plain constants, each once", "set other values in __init__"
                )
        if "forward" not in names or (autograd and "forward" not in [method.name for method in methods_of(node)]):
            self.report(node, "the class lacks forward", "define forward")
        for method in methods_of(node) if autograd else ():
            if method.name != "forward":
                self.report(method, "an autograd function's method", "define forward(ctx, ...) alone")

    def _is_class_constant(self, part: ast.stmt, name: str) -> bool:
        """A number, string, dtype or tuple of them: nothing that a call could change."""
        value = getattr(part, "value", None)
        assert isinstance(value, ast.expr)
        mutable = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.Lambda, ast.GeneratorExp)
        named = {node.id for node in walk(value) if isinstance(node, ast.Name)}
        if isinstance(part, ast.AnnAssign):
            self.annotation(part.annotation)
        return (
            self.is_constant(value)
            and not any(isinstance(node, mutable) for node in walk(value))
            and not named & (self.scope.mutable | self.scope.configurations | {"list", "dict"})
            and not name.startswith("_")
            and name.isascii()
        )


def _target(part: ast.stmt) -> str:
    target = part.target if isinstance(part, ast.AnnAssign) else getattr(part, "targets", [None])[0]
    return target.id if isinstance(target, ast.Name) else ""
