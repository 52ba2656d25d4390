"""Kernels as a host describes them, made into functions that can do nothing but compute on blocks.

A description is a hostile text. What it may name is what stands in its namespace: the Triton language, constants and
other kernels. Modules cannot be walked through, attributes of values are those of the language, and builtins are few.
"""

import ast
import functools
import importlib
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import triton
import triton.language as tl
from triton import JITFunction
from triton.language.extra.cuda import libdevice as cuda_libdevice

from kernelwright.evaluation.protocol.link import Json
from kernelwright.ir.text import text_lines

_MODULES = ("triton.language", "triton.language.math", "triton.language.standard")
_BUILTINS = {
    name: __builtins__[name] if isinstance(__builtins__, dict) else getattr(__builtins__, name)
    for name in "range min max abs len int float bool tuple isinstance zip enumerate sum True False None".split()
} | {"print": lambda *_values, **_options: None}
_REFUSED = (
    ast.Import, ast.ImportFrom, ast.ClassDef, ast.AsyncFunctionDef, ast.Lambda, ast.Try, ast.With, ast.AsyncWith,
    ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr, ast.Delete, ast.Raise,
)  # fmt: skip


class KernelRefusedError(ValueError):
    """A kernel that reaches outside the Triton language. `line` is 1-based in its source."""

    def __init__(self, symbol: str, message: str, line: int, text: str) -> None:
        super().__init__(f"kernel @{symbol}, line {line}: {message}: `{text}`")
        self.symbol, self.message, self.line, self.text = symbol, message, line, text


@dataclass(frozen=True)
class Description:
    """One kernel as the host sent it; `names` are its free names, encoded."""

    key: str
    symbol: str
    source: str
    names: Mapping[str, Json] = field(default_factory=dict)


@functools.cache
def _attributes() -> frozenset[str]:
    """What may follow a dot: public members of the language's values, without their handles."""
    kinds = (tl.tensor, tl.dtype, tl.constexpr, tl.tuple, tl.pointer_type, tl.block_type, tl.core.tensor_descriptor)
    names = {name for kind in kinds for name in dir(kind) if not name.startswith("_")}
    fields = (
        "dtype shape type value numel element_ty scalar primitive_bitwidth block_shape strides base T values indices"
    )
    return frozenset(names | set(fields.split()) - {"handle"}) - {"handle", "ir", "to_ir", "codegen_name", "mro"}


def check(description: Description) -> None:
    """Raise KernelRefusedError for anything that is not computing on blocks; SyntaxError for what does not parse."""
    tree = ast.parse(description.source)
    lines = text_lines(description.source)
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
        raise KernelRefusedError(description.symbol, "a kernel is one function", 1, "")
    for node, message in _complaints(tree.body[0], _modules(description)):
        line = getattr(node, "lineno", 1)
        raise KernelRefusedError(description.symbol, message, line, lines[line - 1].strip())


def _modules(description: Description) -> dict[str, str]:
    return {name: str(value["module"]) for name, value in description.names.items() if "module" in value}


def _complaints(function: ast.FunctionDef, modules: Mapping[str, str]) -> Iterator[tuple[ast.AST, str]]:
    arguments = function.args
    if arguments.vararg or arguments.kwarg:
        yield function, "starred parameters"
    if function.returns is not None and not _is_plain(function.returns):
        yield function, "an annotation that computes"
    for default in [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]:
        if not _is_plain(default):
            yield default, "a default that is not a constant"
    for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
        if argument.annotation is not None and not _is_plain(argument.annotation):
            yield argument, "an annotation that computes"
    if [ast.unparse(decorator) for decorator in function.decorator_list] != ["triton.jit"]:
        yield function, "a decorator"
    for node in (inner for part in [arguments, *function.body] for inner in ast.walk(part)):
        if isinstance(node, _REFUSED) or (isinstance(node, ast.FunctionDef) and node is not function):
            yield node, f"{type(node).__name__} in a kernel"
        elif isinstance(node, ast.Name) and (node.id.startswith("__") or _bound(node, modules)):
            yield node, "a name that kernels may not use"
        elif isinstance(node, ast.Attribute):
            root = _root(node)
            if node.attr.startswith("_"):
                yield node, "a private attribute"
            elif root not in modules and node.attr not in _attributes():
                yield node, f"values in kernels have no attribute {node.attr!r}"
            elif not isinstance(node.ctx, ast.Load):
                yield node, "an attribute is assigned"


def _bound(node: ast.Name, modules: Mapping[str, str]) -> bool:
    return node.id in modules and not isinstance(node.ctx, ast.Load)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_plain(node: ast.expr) -> bool:
    """A constant, a negative number, or a dotted name."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.operand, ast.Constant)
    if isinstance(node, ast.Tuple):
        return all(map(_is_plain, node.elts))
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Constant | ast.Name)


class _Language:
    """A module of the language of which only functions, types and constants can be reached.

    What belongs is settled before the interpreter puts its own functions in their places.
    """

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._members = frozenset(name for name, value in vars(module).items() if _belongs(value))
        inner = {name: value for name, value in vars(module).items() if _is_inner(value) and value is not module}
        self._inner = {name: _language(value) for name, value in inner.items()}

    def __getattr__(self, name: str) -> Any:
        if name in self._members:
            return getattr(self._module, name)
        if name in self._inner:
            return self._inner[name]
        raise AttributeError(f"{self._module.__name__} has nothing called {name!r} for kernels")


@functools.cache
def _language(module: ModuleType) -> _Language:
    return _Language(module)


def _is_inner(value: Any) -> bool:
    return isinstance(value, ModuleType) and (
        value.__name__ in _MODULES or value.__name__.startswith("triton.language.extra")
    )


def _belongs(value: Any) -> bool:
    """Whether something is of the Triton language: a builtin, a jit function, a type or a constant."""
    if tl.core.is_builtin(value) or isinstance(value, JITFunction | tl.dtype | tl.constexpr | int | float):
        return True
    if value is tl.PropagateNan:  # an enumeration in C++
        return True
    module = getattr(value, "__module__", None) or ""
    return module.startswith("triton.language") and (inspect.isclass(value) or inspect.isfunction(value))


def language_value(value: Json, kernel_of: Mapping[str, Any], *, wrapped: bool) -> Any:
    """What a free name stands for; KeyError for what kernels cannot use. `wrapped`: modules as restricted views."""
    if "value" in value:
        return value["value"]
    if "float" in value:
        return float(value["float"])
    if "constexpr" in value:
        return tl.constexpr(language_value(value["constexpr"], kernel_of, wrapped=wrapped))
    if "dtype" in value:
        return tl.dtype(str(value["dtype"]))
    if "tuple" in value:
        return tuple(language_value(item, kernel_of, wrapped=wrapped) for item in value["tuple"])
    if "kernel" in value:
        return kernel_of[value["kernel"]]
    if "module" in value:
        return _module(str(value["module"]), wrapped)
    if "language" in value:
        module, name = value["language"]
        known = _known(str(module))
        found = getattr(importlib.import_module(known), str(name))
        if not _belongs(found):
            raise KeyError(name)
        return _late(found, known, str(name)) if wrapped else found
    raise KeyError(str(value.get("other", value)))


def named_values(description: Description, kernel_of: Mapping[str, Any], *, wrapped: bool) -> dict[str, Any]:
    """The namespace of a kernel's free names; what kernels cannot use is left out, so that using it fails."""
    space: dict[str, Any] = {"tl": _language(tl) if wrapped else _snapshot(tl)}
    for name, value in description.names.items():
        try:
            space[name] = language_value(value, kernel_of, wrapped=wrapped)
        except KeyError:
            space.pop(name, None)
    return space


def _late(value: Any, module: str, name: str) -> Any:
    """A function of the language, looked up when it is called: the interpreter puts others in its place."""
    if inspect.isclass(value) or not callable(value):
        return value
    return lambda *args, **kwargs: getattr(importlib.import_module(module), name)(*args, **kwargs)


def _known(module: str) -> str:
    if module == "triton.language.extra.libdevice":  # its functions are stubs for those of the target
        return str(cuda_libdevice.__name__)
    if not module.startswith("triton.language"):
        raise KeyError(module)
    return module


def _module(name: str, wrapped: bool) -> Any:
    if name == "triton":
        return _Triton() if wrapped else _snapshot(triton)
    found = importlib.import_module(_known(name))
    return _language(found) if wrapped else _snapshot(found)


def _prepare() -> None:
    """Settle what belongs to the language while it is as Triton made it."""
    _language(tl)
    _language(cuda_libdevice)


@functools.cache
def _snapshot(module: ModuleType) -> ModuleType:
    """A module of that name with what belongs to the language and nothing else: Triton's compiler wants modules."""
    copied = ModuleType(module.__name__)
    if module is triton:
        copied.language, copied.cdiv, copied.next_power_of_2 = (  # type: ignore[attr-defined]
            _snapshot(tl),
            triton.cdiv,
            triton.next_power_of_2,
        )
        return copied
    for name, value in vars(module).items():
        if _belongs(value):
            setattr(copied, name, value)
        elif _is_inner(value) and value is not module:
            setattr(copied, name, _snapshot(value))
    return copied


class _Triton:
    """The name `triton` inside a kernel."""

    language = _language(tl)
    cdiv = staticmethod(tl.cdiv)
    next_power_of_2 = staticmethod(triton.next_power_of_2)


def builtins() -> dict[str, Any]:
    """The builtin functions that kernels have."""
    return dict(_BUILTINS)


_prepare()
