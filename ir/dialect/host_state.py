"""Nothing that host code does outlives its call: no writes to constants, to `self`, to functions or to defaults."""

import ast
from collections.abc import Mapping

from kernelwright.ir.dialect.checker import Checker, Scope, all_arguments, bound_names, dotted
from kernelwright.ir.dialect.classes import HostFunctions
from kernelwright.ir.dialect.tables import LIST_MUTATORS, MUTATORS, Dialect
from kernelwright.ir.dialect.tensors import Tensors, mapped_pairs
from kernelwright.ir.trees import walk

_STATE = "state that outlives the call is changed"
_STATE_HINT = "keep no state between calls; use a local name"
_ATTRIBUTE_HINT = f"{_STATE_HINT}, and drop what only remembers a call"
_CONTAINERS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


class StateChecker(Checker):
    """Follows what host code may change: its own lists, dictionaries and outputs."""

    function = ""
    #: The name of an autograd function's context, "" elsewhere: it lives as long as one call.
    context = ""
    in_init = method = False

    def __init__(
        self, scope: Scope, dialect: Dialect, lines: list[str], tensors: Tensors, held: Mapping[str, ast.expr | None]
    ) -> None:
        """`tensors`: what is known of tensors; `held`: what `self` holds (None for methods)."""
        super().__init__(scope, dialect, lines)
        self.tensors, self.held = tensors, held

    def begin(self, key: str, function: ast.FunctionDef) -> None:
        """Look at what the function binds before it is checked; `key` is its name in `tensors`."""
        self.function = key
        self.local = bound_names(function)
        self.parameters = {argument.arg for argument in all_arguments(function.args)}
        self.callables = _callables(function)
        self.kept: set[str] = set()
        for _ in range(4):
            for node in walk(function):
                if isinstance(node, ast.Assign) and self._outlives(node.value):
                    self.kept |= {name for target in node.targets for name in bound_names(target)}
                elif isinstance(node, ast.For | ast.comprehension) and self._outlives(node.iter):
                    self.kept |= bound_names(node.target)
                elif isinstance(node, ast.Call):
                    mapped = mapped_pairs(node)
                    self.kept |= {
                        bound for name, value in mapped if self._outlives(value) for bound in bound_names(name)
                    }

    def state(self, node: ast.AST) -> None:
        """Report a node that changes what outlives the call."""
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            owner = dotted(node)[:-1]
            if not (self.in_init and owner[:1] == ("self",)) and owner != (self.context,):
                self.report(node, "an attribute is assigned", _ATTRIBUTE_HINT)
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            if (self.function, node.value) in self.tensors and not self.in_init:
                if self._outlives(node.value) or dotted(node.value)[:1] == ("self",):
                    self.report(node, _STATE, _STATE_HINT)
            elif self._outlives(node.value) or self._is_parameter(node.value) or not _at_name(node.value):
                self.report(node, _STATE, _STATE_HINT)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            if self._outlives(node.target) and self._may_change(node.value):
                self.report(node, _STATE, _STATE_HINT)
        elif isinstance(node, ast.Call):
            self._change(node)

    def _change(self, node: ast.Call) -> None:
        """Methods that change their object, and constants handed to functions that might."""
        if isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
            base, is_list = node.func.value, node.func.attr in LIST_MUTATORS
            foreign = self._outlives(base) or dotted(base)[:1] == ("self",) or (is_list and self._is_parameter(base))
            if foreign and not self.in_init:
                self.report(node, _STATE, _STATE_HINT)
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        if called in self.scope.functions or called in self.callables:
            for value in [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg)]:
                if isinstance(value, ast.Name) and value.id in self.scope.mutable - self.local:
                    self.report(
                        value, "a mutable constant is passed on", "make it a tuple, or use it where you need it"
                    )

    def _may_change(self, value: ast.expr) -> bool:
        """Whether `name += value` may change an object in place: numbers and tuples it cannot."""
        return isinstance(value, _CONTAINERS) or (self.function, value) in self.tensors or isinstance(value, ast.Name)

    def _is_parameter(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Subscript | ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.parameters

    def _outlives(self, node: ast.expr) -> bool:
        """Whether a value is, or is part of, something that lives longer than the call and can be changed."""
        match node:
            case ast.Name(id=name):
                return name in self.kept or name in self.scope.mutable - self.local
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                value = self.held.get(name)
                call = dotted(value.func)[:1] if isinstance(value, ast.Call) else ()
                return isinstance(value, _CONTAINERS) or call in (("nn",), ("torch",), ("list",), ("dict",))
            case ast.Attribute(attr="shape" | "dtype" | "device" | "ndim"):
                return False
            case ast.Attribute(value=value) | ast.Subscript(value=value) | ast.Starred(value=value):
                return self._outlives(value)
            case ast.IfExp(body=body, orelse=orelse):
                return self._outlives(body) or self._outlives(orelse)
            case ast.BoolOp(values=items) | ast.Tuple(elts=items) | ast.List(elts=items):
                return any(self._outlives(item) for item in items)
            case ast.Call(func=ast.Attribute(value=value, attr=name)):
                return name in _SAME_STORAGE and self._outlives(value)
            case ast.Call(func=ast.Name(id="zip" | "enumerate" | "reversed" | "map"), args=items):
                return any(self._outlives(item) for item in items)
        return False


#: Methods whose result may share what they are called on.
_SAME_STORAGE = frozenset(
    """as_strided contiguous detach expand expand_as flatten movedim narrow permute ravel reshape select squeeze
    swapaxes t to transpose unflatten unsqueeze view view_as chunk split unbind get items values cuda float half
    bfloat16 double long int bool short type type_as diagonal unfold moveaxis""".split()
)


def _stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _at_name(node: ast.expr) -> bool:
    """Whether subscripts lead to a name."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return isinstance(node, ast.Name)


def _callables(function: ast.FunctionDef) -> set[str]:
    """Local names that are bound to lambdas and nested functions alone."""
    bound: dict[str, int] = {}
    for node in walk(function):
        name = node.arg if isinstance(node, ast.arg) else ""
        if isinstance(node, ast.Name) and _stored(node):
            name = node.id
        if name:
            bound[name] = bound.get(name, 0) + 1
    good = {node.name: 0 for node in walk(function) if isinstance(node, ast.FunctionDef) and node is not function}
    for node in walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    good[target.id] = good.get(target.id, 0) + 1
    return {name for name, count in good.items() if bound.get(name, 0) == count}


def class_attributes(functions: HostFunctions) -> dict[str, ast.expr | None]:
    """What `self` holds: the values that `__init__`, and what it alone uses, give; None for methods."""
    methods = functions.methods
    held: dict[str, ast.expr | None] = dict.fromkeys(methods)
    initial = [method for name, method in methods.items() if name in functions.initial]
    for node in (part for method in initial for part in walk(method)):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for part in (part for target in targets for part in walk(target)):
                if isinstance(part, ast.Attribute) and dotted(part)[:-1] == ("self",):
                    held[part.attr] = node.value
        elif isinstance(node, ast.Call) and dotted(node.func)[:1] == ("self",) and node.args:
            name = node.args[0]
            if dotted(node.func)[1:] in (("register_buffer",), ("register_parameter",)) and isinstance(
                name, ast.Constant
            ):
                held[str(name.value)] = ast.Call(ast.Attribute(ast.Name("torch"), "empty"), [], [])
    return held
