"""The dialect of kernels: the Triton language, as far as it only computes on blocks."""

import ast

from kernelwright.ir.dialect.checker import Checker, all_arguments, bound_names, constant_hint, dotted, is_constexpr
from kernelwright.ir.dialect.tables import (
    KERNEL_ATTRIBUTES,
    KERNEL_BUILTINS,
    KERNEL_DECORATORS,
    LANGUAGE,
    LANGUAGE_DTYPES,
    LANGUAGE_MATH,
    LIBDEVICE,
    NAME_HINTS,
    TRITON_NAMES,
)
from kernelwright.ir.trees import walk


class KernelChecker(Checker):
    """Checks `@triton.jit` functions."""

    def check(self, function: ast.FunctionDef) -> None:
        """Check one function with its decorators, parameters and body."""
        symbol, local = function.name, bound_names(function)
        self._decorators(function)
        self.defaults(function.args, symbol)
        self.annotation(function.returns, symbol)
        for argument in all_arguments(function.args):
            self._names_of(argument, symbol)
            self.annotation(argument.annotation, symbol)
        for starred in (function.args.vararg, function.args.kwarg):
            if starred is not None:
                self.report(starred, "a kernel with starred parameters", "name every parameter", symbol)
        inner = {id(node.value) for node in walk(function) if isinstance(node, ast.Attribute)}
        called = {id(node.func) for node in walk(function) if isinstance(node, ast.Call)}
        # A constexpr parameter may be another @triton.jit function, so it may be called.
        called -= {
            id(node.func)
            for node in walk(function)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _constexprs(function)
        }
        for node in self.statements(function, symbol):
            if isinstance(node, ast.FunctionDef):
                self.report(node, "a nested function in a kernel", "make it a @triton.jit function of its own", symbol)
            elif isinstance(node, ast.Lambda | ast.ListComp | ast.DictComp | ast.SetComp | ast.GeneratorExp):
                self.report(node, f"{type(node).__name__} in a kernel", "write a loop with tl.static_range", symbol)
            elif isinstance(node, ast.With):
                self.report(node, "With is not in the dialect", "write the body alone", symbol)
            elif isinstance(node, ast.JoinedStr):
                self.report(node, "an f-string in a kernel", "write a plain string", symbol)
            elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                self.report(node, "a part of a value is assigned", "write memory with tl.store", symbol)
            elif isinstance(node, ast.AnnAssign):
                self.annotation(node.annotation, symbol)
            elif isinstance(node, ast.Call) and not isinstance(node.func, ast.Name | ast.Attribute):
                self.report(node, "a value is called", "call tl.* functions or @triton.jit functions by name", symbol)
            elif isinstance(node, ast.Name):
                if id(node) not in inner:
                    self._name(node, local, symbol, called=id(node) in called)
            elif isinstance(node, ast.Attribute):
                self._attribute(node, local, symbol, outermost=id(node) not in inner)

    def _decorators(self, function: ast.FunctionDef) -> None:
        for node in function.decorator_list:
            name = ".".join(dotted(node.func if isinstance(node, ast.Call) else node))
            if name not in KERNEL_DECORATORS:
                hint = f"kernels take {', '.join(f'@{known}' for known in KERNEL_DECORATORS)}"
                self.report(node, "a decorator that kernels do not know", hint, function.name)
                continue
            arguments = [*node.args, *(k.value for k in node.keywords)] if isinstance(node, ast.Call) else []
            for keyword in node.keywords if isinstance(node, ast.Call) else ():
                if keyword.arg not in KERNEL_DECORATORS[name]:
                    hint = f"it takes {', '.join(sorted(KERNEL_DECORATORS[name]))}"
                    self.report(keyword.value, f"{name} with {keyword.arg}=", hint, function.name)
            for argument in arguments:
                if not self.is_constant(argument):
                    self.report(
                        argument, "a decorator's argument that is not constant", constant_hint(argument), function.name
                    )

    def _name(self, node: ast.Name, local: set[str], symbol: str, *, called: bool) -> None:
        if not isinstance(node.ctx, ast.Load):
            if node.id in ("tl", "triton"):
                self.report(node, "a module's name is bound", "choose another name", symbol)
            return
        if called and node.id in local and node.id not in self.scope.kernels:
            self.report(node, "a local is called", "call tl.* functions or @triton.jit functions by name", symbol)
        elif node.id in self.scope.functions:
            self.report(node, "a host function in a kernel", "decorate it with @triton.jit", symbol)
        elif node.id not in local | self.scope.kernels | set(self.scope.constants) | KERNEL_BUILTINS:
            hint = NAME_HINTS.get(node.id, "kernels use tl.*, their arguments and @triton.jit functions of this file")
            self.report(node, "a name that kernels do not know", hint, symbol)
        elif node.id in set(self.scope.constants) - self.scope.compile_time - local:
            hint = f"write {node.id} = tl.constexpr(...), or pass it as a tl.constexpr parameter"
            self.report(node, "a constant that Triton does not see", hint, symbol)

    def _attribute(self, node: ast.Attribute, local: set[str], symbol: str, *, outermost: bool) -> None:
        chain = dotted(node)
        root = chain[0] if chain and chain[0] not in local else ""
        if not isinstance(node.ctx, ast.Load):
            self.report(node, "an attribute is assigned", "kernels keep no state; use a local name", symbol)
        elif root in ("tl", "triton"):
            if outermost and not _in_language(chain):
                name = ".".join(["tl", *chain[2 if chain[1:2] == ("language",) else 1 :]])
                parts = name.split(".")
                hint = NAME_HINTS.get(name) or NAME_HINTS.get(".".join(parts[:2]))
                default = "use a function of triton.language that takes and returns tensors"
                self.report(node, "not in the Triton language of the dialect", hint or default, symbol)
        elif root == "libdevice" and root not in {*self.scope.constants, *self.scope.functions, *self.scope.kernels}:
            if len(chain) != 2 or node.attr not in LIBDEVICE:
                hint = f"libdevice has {', '.join(sorted(LIBDEVICE))}"
                self.report(node, "not a function of libdevice in the dialect", hint, symbol)
        elif root and root not in set(self.scope.constants) | self.scope.kernels:
            if outermost:
                hint = NAME_HINTS.get(root, "kernels use tl.*, their arguments and @triton.jit functions of this file")
                self.report(node, "a name that kernels do not know", hint, symbol)
        elif root in self.scope.kernels or node.attr not in KERNEL_ATTRIBUTES:
            self.report(node, "no such attribute of values in kernels", "use a tl.* function", symbol)


def _constexprs(function: ast.FunctionDef) -> set[str]:
    return {argument.arg for argument in all_arguments(function.args) if is_constexpr(argument.annotation)}


def _in_language(chain: tuple[str, ...]) -> bool:
    """Whether `tl.…` or `triton.…` names something of the dialect."""
    if chain[:2] == ("triton", "language"):
        chain = ("tl", *chain[2:])
    if chain[0] == "triton":
        return len(chain) == 2 and chain[1] in TRITON_NAMES
    match chain[1:]:
        case (name,):
            return name in LANGUAGE
        case ("math", name):
            return name in LANGUAGE_MATH
        case ("PropagateNan", name):
            return name in ("ALL", "NONE")
        case (name, attribute):
            return name in LANGUAGE_DTYPES and attribute in KERNEL_ATTRIBUTES
    return False
