"""Functions that give autotune its configurations, and rules of heuristics: numbers in, numbers out."""

import ast

from kernelwright.ir.dialect.checker import (
    CONSTANT_HINT,
    DECORATOR_HINT,
    HOOK_HINT,
    Checker,
    all_arguments,
    bound_names,
    dotted,
    is_kernel,
)
from kernelwright.ir.dialect.tables import CONSTANT_ATTRIBUTES, CONSTANT_CALLS, CONSTANT_KEYWORDS_REFUSED, HOST_BUILTINS
from kernelwright.ir.trees import walk

_METHODS = frozenset("append extend get items keys values".split())
_ATTRIBUTES = _METHODS | frozenset("kwargs num_warps num_stages num_ctas".split())
_ONE_FUNCTION_HINT = "write one host function that takes what differs as a parameter"
_MESSAGE = "not a constant, in a function that decorators or constants use"


class ConfigurationChecker(Checker):
    """Checks the functions of `Scope.configurations`."""

    def check(self, function: ast.FunctionDef) -> None:
        """Check one function: no decorators, plain defaults, and a body that only builds constants."""
        inside = [node for node in walk(function) if isinstance(node, ast.FunctionDef) and node is not function]
        if inside:
            kernel = any(map(is_kernel, inside))
            message = f"a {'kernel' if kernel else 'function'} that a function makes"
            hint = "define the kernel at the top of the file" if kernel else _ONE_FUNCTION_HINT
            self.report(inside[0], message, hint)
            return
        for decorator in function.decorator_list:
            self.report(decorator, "a decorator on host code", DECORATOR_HINT)
        self.defaults(function.args)
        self.annotation(function.returns)
        for argument in all_arguments(function.args):
            self._names_of(argument, "")
            self.annotation(argument.annotation)
        local = bound_names(function)
        inner = {id(node.value) for node in walk(function) if isinstance(node, ast.Attribute)}
        for node in self.statements(function):
            if not self._is_plain(node, local, inner):
                self.report(node, _MESSAGE, HOOK_HINT if _writes(node) else CONSTANT_HINT)

    def _is_plain(self, node: ast.AST, local: set[str], inner: set[int]) -> bool:
        if isinstance(node, ast.Attribute):
            if id(node) in inner and dotted(node):
                return isinstance(node.ctx, ast.Load)
            named = ".".join(dotted(node)) in CONSTANT_ATTRIBUTES | CONSTANT_CALLS and dotted(node)[0] not in local
            return isinstance(node.ctx, ast.Load) and (named or node.attr in _ATTRIBUTES)
        if isinstance(node, ast.Call):
            return self._is_plain_call(node, local)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            known = local | set(self.scope.constants) | self.scope.configurations | HOST_BUILTINS
            module = id(node) in inner and node.id in ("torch", "tl", "triton", "math")
            return node.id in known or module
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            return isinstance(node.value, ast.Name) and node.value.id in local
        if isinstance(node, ast.BinOp | ast.AugAssign):
            return not isinstance(node.op, ast.MatMult)
        return not isinstance(node, ast.With | ast.FunctionDef | ast.AnnAssign | ast.Delete)

    def _is_plain_call(self, node: ast.Call, local: set[str]) -> bool:
        if {keyword.arg for keyword in node.keywords} & CONSTANT_KEYWORDS_REFUSED:
            return False
        name = ".".join(dotted(node.func))
        if isinstance(node.func, ast.Name):
            return name not in local and name in CONSTANT_CALLS | HOST_BUILTINS | self.scope.configurations
        if name in CONSTANT_CALLS and dotted(node.func)[0] not in local:
            return True
        if not isinstance(node.func, ast.Attribute) or node.func.attr not in _METHODS:
            return False
        base = node.func.value
        return node.func.attr not in ("append", "extend") or (isinstance(base, ast.Name) and base.id in local)


def _writes(node: ast.AST) -> bool:
    """Whether it is `nargs["y_ptr"].zero_()`, as a configuration's hook has it."""
    attribute = node.func if isinstance(node, ast.Call) else node
    return isinstance(attribute, ast.Attribute) and attribute.attr in ("zero_", "fill_")
