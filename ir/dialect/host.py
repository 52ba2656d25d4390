"""The dialect of host code: allocate, view, compute sizes, launch."""

import ast
import string
from collections.abc import Mapping

from kernelwright.ir.dialect.checker import DECORATOR_HINT, Scope, all_arguments, dotted, extern_name
from kernelwright.ir.dialect.classes import HostFunctions
from kernelwright.ir.dialect.host_state import StateChecker
from kernelwright.ir.dialect.kernel_values import find_kernel_values
from kernelwright.ir.dialect.tables import (
    ATTRIBUTE_HINTS,
    CONTENT_ATTRIBUTES,
    CONTENT_BUILTINS,
    CONTEXTS,
    CUDA_NAMES,
    DEVICE_ATTRIBUTES,
    HOST_ATTRIBUTES,
    HOST_BUILTINS,
    HOST_DECORATORS,
    HOST_METHODS,
    INIT_METHODS,
    INIT_NN_REFUSED,
    INIT_TORCH,
    LANGUAGE_DTYPES,
    MODE_QUESTIONS,
    MODULE_ATTRIBUTES,
    MODULES,
    NAME_HINTS,
    NUMBERS_OF_DTYPES,
    TORCH_NAMES,
    TRITON_NAMES,
    Dialect,
)
from kernelwright.ir.dialect.tensors import Tensors
from kernelwright.ir.trees import walk

_KERNEL_HINT = "write a @triton.jit kernel for it"
_EXTERN_HINT = ", or call the extern operation as aten.<op>(...)"
_INIT_HINT = "; for a table or weight torch.empty(shape) will do, as its values come from the reference"
_NAME_HINT = "use torch allocation and views, math, triton.cdiv or your own functions"

#: What an autograd function's forward may call on its context.
_CONTEXT_METHODS = frozenset("save_for_backward mark_non_differentiable mark_dirty set_materialize_grads".split())


class HostChecker(StateChecker):
    """Checks one host function, or one method of a KernelBench-form class."""

    def __init__(
        self,
        scope: Scope,
        dialect: Dialect,
        lines: list[str],
        functions: HostFunctions,
        tensors: Tensors,
        held: Mapping[str, ast.expr | None],
    ) -> None:
        super().__init__(scope, dialect, lines, tensors, held)
        self.functions = functions
        self.kernel_values = find_kernel_values(functions.by_key, frozenset(scope.kernels))

    def check(self, key: str) -> None:
        """Check the decorators, parameters and body of one of `functions`; a method may use `self`."""
        function = self.functions.by_key[key]
        self.begin(key, function)
        self.in_init = key in self.functions.initial
        self.method = key in self.functions.methods or key in self.functions.forwards
        first = function.args.args[:1]
        self.context = first[0].arg if key in self.functions.forwards and first else ""
        self._definitions(function)
        nodes = [node for statement in function.body for node in walk(statement)]
        self.inner = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
        self.called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        of_devices = [call for call in calls if dotted(call.func)[:2] == ("torch", "cuda")]
        #: Calls whose result only says what device others tell of.
        self.devices = {id(part.func) for call in of_devices for part in call.args if isinstance(part, ast.Call)}
        #: Calls that tell where a tensor begins, to those who make a view of its memory.
        views = [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "as_strided"]
        parts = [part for call in views for argument in call.args for part in walk(argument)]
        self.offsets = {id(part.func) for part in parts if isinstance(part, ast.Call)}
        calls = [node for node in calls if isinstance(node.func, ast.Subscript)]
        self.launches = {id(call.func.value) for call in calls if isinstance(call.func, ast.Subscript)}
        for call in calls:  # a launch may pass a @triton.jit function to a constexpr parameter
            self.launches |= {id(part) for part in [*call.args, *(keyword.value for keyword in call.keywords)]}
        self.launches |= self.kernel_values.nodes
        contexts = [item.context_expr for node in nodes if isinstance(node, ast.With) for item in node.items]
        types = [node.annotation for node in nodes if isinstance(node, ast.AnnAssign)]
        inner = [node for node in nodes if isinstance(node, ast.FunctionDef)]
        for part in inner:
            types += [a.annotation for a in all_arguments(part.args) if a.annotation is not None]
            types += [part.returns] if part.returns is not None else []
        skipped = {id(part) for node in types for part in walk(node)}
        for context in contexts:
            if _is_context(context):
                assert isinstance(context, ast.Call)
                skipped |= {id(part) for part in walk(context.func)}
        for node in self.statements(function):
            if id(node) not in skipped:
                self._node(node)
        for node in types:
            self.annotation(node)

    def _definitions(self, function: ast.FunctionDef) -> None:
        """Decorators, defaults, annotations and the names that are bound."""
        for part in (node for node in walk(function) if isinstance(node, ast.FunctionDef)):
            for decorator in part.decorator_list:
                own = self.method and part is function and dotted(decorator) in (("staticmethod",), ("property",))
                if not own and not _is_plain_decorator(decorator):
                    self.report(decorator, "a decorator on host code", DECORATOR_HINT)
            self.defaults(part.args)
        self.annotation(function.returns)
        for argument in all_arguments(function.args):
            self.annotation(argument.annotation)
            self._names_of(argument, "")
        for node in walk(function):
            name = getattr(node, "arg", "") if isinstance(node, ast.arg) else ""
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                name = node.id
            elif isinstance(node, ast.FunctionDef) and node is not function:
                name = node.name
            if name in MODULES or name in self.scope.kernels:
                self.report(node, "a module's or kernel's name is bound", "choose another name")

    def _node(self, node: ast.AST) -> None:
        if isinstance(node, ast.Attribute):
            self._attribute(node)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in self.inner:
            self._name(node)
        elif isinstance(node, ast.Call):
            self._call(node)
        elif isinstance(node, ast.BinOp | ast.Compare | ast.UnaryOp | ast.AugAssign | ast.Subscript | ast.BoolOp):
            self._arithmetic(node)
        elif isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
            self._condition(node.test)
        elif isinstance(node, ast.FormattedValue):
            self._condition(node.value)
        elif isinstance(node, ast.With) and not all(
            _is_context(item.context_expr) and item.optional_vars is None for item in node.items
        ):
            hint = f"write the body alone, or under {', '.join(sorted(CONTEXTS))}"
            self.report(node, "With is not in the dialect", hint)
        self.state(node)

    @property
    def _instead(self) -> str:
        """What to write in place of computing."""
        nothing = self.dialect.externs is not None and not self.dialect.externs
        return _KERNEL_HINT + (_INIT_HINT if self.in_init else "" if nothing else _EXTERN_HINT)

    def _condition(self, test: ast.expr) -> None:
        if (self.function, test) in self.tensors:
            self.report(test, "a tensor's content in host code", "decide by shapes and dtypes")

    def _name(self, node: ast.Name) -> None:
        scope, name = self.scope, node.id
        if name in MODULES:
            self.report(node, "a module as a value", "name what you use of it")
        elif name in scope.kernels:
            if id(node) not in self.launches:
                self.report(node, "a kernel without a grid", f"write {name}[grid](...)")
        elif name in ("self", "super") or name in scope.classes:
            called = id(node) in self.called
            if not self.method or (name == "super" and not called) or name in self._autograd_classes():
                self.report(node, "a name that host code does not know", _NAME_HINT)
        elif name not in self.local | set(scope.functions) | set(scope.constants) | HOST_BUILTINS | {"Tensor"}:
            self.report(node, "a name that host code does not know", NAME_HINTS.get(name, _NAME_HINT))

    def _attribute(self, node: ast.Attribute) -> None:
        chain = dotted(node)
        root = chain[0] if chain and chain[0] not in self.local else ""
        if root in ("torch", "triton", "nn", "F", "math", "tl", "aten"):
            if id(node) not in self.inner:
                self._library(node, ("nn", *chain[2:]) if chain[:2] == ("torch", "nn") else chain)
        elif self.context and chain[:1] == (self.context,) and len(chain) == 2:
            if node.attr.startswith("_") or (id(node) in self.called and node.attr not in _CONTEXT_METHODS):
                self.report(
                    node,
                    "not an attribute of an autograd context",
                    "save tensors and numbers on it; nothing reads them",
                )
        elif root in self._autograd_classes():
            if len(chain) != 2 or node.attr != "apply" or id(node) not in self.called:
                self.report(node, "an attribute of an autograd function", f"call {root}.apply(...)")
        elif root in self.scope.classes and self._is_held_by_class(node):
            return
        elif isinstance(node.value, ast.Name) and root and not self._is_known(root):
            self.report(node, "a name that host code does not know", NAME_HINTS.get(root, _NAME_HINT))
        elif node.attr.startswith("_") and node.attr not in self.held and not _is_super_init(node):
            self.report(node, "a private attribute", "use a public name")
        elif isinstance(node.value, ast.Name) and node.value.id == "self" and self.method:
            names = set(self.held) | {"training"} | (INIT_METHODS if self.in_init else set())
            read = isinstance(node.ctx, ast.Load) or self.in_init  # `state` tells of the others
            if node.attr not in names and read:
                self.report(node, "an attribute that __init__ does not set", "hold it in __init__")
        elif root in self.scope.functions or root in self.scope.kernels:
            hint = ATTRIBUTE_HINTS.get(node.attr, "keep no state between calls; pass values as arguments")
            self.report(node, "an attribute of a function", hint)
        elif id(node) in self.called:
            allowed = HOST_METHODS | (INIT_METHODS if self.in_init else frozenset())
            begins = node.attr == "storage_offset" and id(node) in self.offsets
            if node.attr not in allowed and not begins and not _is_super_init(node):
                self._unknown(node)
        elif node.attr not in HOST_ATTRIBUTES | NUMBERS_OF_DTYPES | MODULE_ATTRIBUTES | DEVICE_ATTRIBUTES:
            self._unknown(node)

    def _is_held_by_class(self, node: ast.Attribute) -> bool:
        """Whether `ModelNew.BLOCK` reads a constant."""
        plain = isinstance(node.value, ast.Name) and id(node) not in self.called
        return self.method and plain and self.held.get(node.attr) is not None

    def _is_known(self, name: str) -> bool:
        scope = self.scope
        top = {*scope.functions, *scope.constants, *scope.kernels, *scope.classes}
        return name in top | HOST_BUILTINS | {"self", "super", "Tensor"}

    def _autograd_classes(self) -> set[str]:
        return {key.partition(".")[0] for key in self.functions.forwards}

    def _unknown(self, node: ast.Attribute) -> None:
        hint = ATTRIBUTE_HINTS.get(node.attr, self._instead)
        content = node.attr in CONTENT_ATTRIBUTES
        message = "a tensor's content or address in host code" if content else "not a view, metadata or copy"
        self.report(node, message, hint)

    def _library(self, node: ast.Attribute, chain: tuple[str, ...]) -> None:
        """`torch.…`, `triton.…` and the other modules."""
        root, name = chain[0], chain[1] if len(chain) > 1 else ""
        if not name:
            self.report(node, "a module as a value", "name what you use of it")
        elif extern_name(node) or root == "aten":
            self._extern(node)
        elif chain in (("F", "pad"), ("nn", "functional", "pad")) and id(node) in self.called:
            return
        elif chain[:2] == ("torch", "cuda"):
            if len(chain) != 3 or chain[2] not in CUDA_NAMES or id(node) not in self.called:
                hint = f"call torch.cuda.<name> of {', '.join(sorted(CUDA_NAMES))}"
                if ".".join(chain) in CONTEXTS:
                    hint = f"leave it out, or write `with {'.'.join(chain)}(...):` around what is done there"
                self.report(node, "not a part of torch.cuda that host code may use", hint)
            elif chain[2] == "current_device" and id(node) not in self.devices:
                hint = "ask for what is needed of a tensor's device: torch.cuda.get_device_properties(x.device)"
                self.report(node, "the number of a device as a value", hint)
        elif root == "torch":
            if name in MODE_QUESTIONS:
                self.report(node, "a question about a mode of torch's", "leave it out, and go one way in all modes")
                return
            allowed = TORCH_NAMES | INIT_TORCH if self.in_init else TORCH_NAMES
            plain = len(chain) == 2 or (len(chain) == 3 and chain[2] in ("itemsize", "is_floating_point"))
            if name not in allowed or not plain:
                self.report(node, "torch compute in host code", self._instead)
        elif root == "triton":
            if name not in TRITON_NAMES or len(chain) > 2:
                self.report(node, "not of triton's host side", "use triton.cdiv or triton.next_power_of_2")
        elif root == "math":
            if len(chain) > 2 or name.startswith("_"):
                self.report(node, "not a function of math", "use math.<function>")
        elif root == "tl":
            if len(chain) > 2 or name not in LANGUAGE_DTYPES | {"constexpr"}:
                self.report(node, "the Triton language in host code", "call it inside a @triton.jit kernel")
        elif not self.in_init or root == "F" or name in INIT_NN_REFUSED:
            self.report(node, "torch compute in host code", self._instead)

    def _extern(self, node: ast.Attribute) -> None:
        name = extern_name(node)
        if not name or id(node) not in self.called:
            self.report(node, "an extern operation that is not called", "call it where it is named: aten.<op>(...)")
        elif not self.dialect.allows(name):
            known = ", ".join(sorted(self.dialect.externs or ())) or "none"
            base = ".".join(name.split(".")[:2])
            self.report(node, f"the extern operation {base} is not allowed here", f"allowed: {known}; write a kernel")

    def _call(self, node: ast.Call) -> None:
        function, chain = node.func, dotted(node.func)
        if isinstance(function, ast.Subscript):
            if not self.kernel_values.is_kernel(self.function, function.value):
                self.report(node, "a launch of something that is not a kernel", "launch by name: kernel[grid](...)")
        elif isinstance(function, ast.Name):
            self._named_call(node, function.id)
        elif not isinstance(function, ast.Attribute):
            self.report(node, "a value is called", "call functions by their names")
        elif function.attr == "format":
            if not _is_plain_format(function.value):
                self.report(node, "a format that is not plain text", 'write an f-string, or "{} {}".format(a, b)')
        elif chain[-1:] == ("pad",) and not all(_is_word(mode, "constant") for mode in _modes(node)):
            self.report(node, "torch compute in host code", "pad with constants, or index in a kernel")
        elif chain[:1] == ("self",) and len(chain) == 2 and self.method and self.held.get(chain[1]) is not None:
            hint = f"read its weights ({'.'.join(chain)}.weight) and launch a kernel"
            self.report(node, "a module is called", hint)
        elif chain[:1] == ("math",) and any((self.function, argument) in self.tensors for argument in node.args):
            self.report(node, f"{'.'.join(chain)} computes on a tensor", self._instead)

    def _named_call(self, node: ast.Call, name: str) -> None:
        if name in self.scope.classes or (name == "super" and not self.method):
            self.report(node, "a class is built in host code", "hold weights in __init__ with torch.nn modules")
        elif name in self.local and name not in self.callables | self.kernel_values.waiting[self.function]:
            self.report(node, "a local value is called", "call functions by their names; launch kernels by theirs")
        elif name in self.scope.constants and not isinstance(self.scope.constants[name], ast.Lambda):
            self.report(node, "a constant is called", "call functions by their names")
        elif name in self.callables and any((self.function, argument) in self.tensors for argument in node.args):
            self.report(node, "a tensor is given to a local function", "define that function at the top level")
        elif name in CONTENT_BUILTINS and name not in self.local:
            values = [part.elt if isinstance(part, ast.GeneratorExp | ast.ListComp) else part for part in node.args]
            if name not in ("list", "tuple") and any((self.function, value) in self.tensors for value in values):
                self.report(node, "a builtin computes on a tensor", self._instead)
        elif name == "map" and not (node.args and isinstance(node.args[0], ast.Lambda)):
            self.report(node, "map of something that is not a lambda", "write map(lambda value: ..., values)")
        for keyword in node.keywords:
            if keyword.arg == "key" and not isinstance(keyword.value, ast.Lambda):
                self.report(keyword.value, "a key that is not a lambda", "write key=lambda value: ...")

    def _arithmetic(self, node: ast.AST) -> None:
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult):
            self.report(node, "a matrix product in host code", self._instead)
            return
        if self.in_init:
            return  # first values of weights: `nn.Parameter(torch.randn(n) * 0.02)`
        match node:
            case ast.BinOp(left=left, right=right):
                operands = [left, right]
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                identity = all(isinstance(op, ast.Is | ast.IsNot) for op in ops)
                operands = [] if identity else [left, *comparators]
            case ast.AugAssign(target=target, value=value):
                operands = [target, value]
            case ast.UnaryOp(operand=operand):
                operands = [operand]
            case ast.BoolOp(values=values):
                operands = values
            case ast.Subscript(value=value, slice=ast.List()):
                operands = [value]
            case ast.Subscript(slice=ast.Tuple(elts=items)):
                operands = items
            case ast.Subscript(slice=index):
                operands = [index]
            case _:
                operands = []
        if any((self.function, operand) in self.tensors for operand in operands):
            self.report(node, "arithmetic on tensors in host code", self._instead)


def _is_context(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ".".join(dotted(node.func)) in CONTEXTS


def _is_plain_decorator(node: ast.expr) -> bool:
    """`@torch.no_grad()` and the like, without arguments."""
    if isinstance(node, ast.Call):
        return not node.args and not node.keywords and _is_plain_decorator(node.func)
    return ".".join(dotted(node)) in HOST_DECORATORS


def _is_plain_format(node: ast.expr) -> bool:
    """A text whose fields are numbers or names, so that formatting reaches no attribute."""
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        return False
    try:
        fields = list(string.Formatter().parse(node.value))
    except ValueError:
        return False
    return all((name or "0").isidentifier() or (name or "0").isdigit() for _, name, _, _ in fields) and not any(
        "{" in (spec or "") for _, _, spec, _ in fields
    )


def _modes(pad: ast.Call) -> list[ast.expr]:
    return [*pad.args[2:3], *(keyword.value for keyword in pad.keywords if keyword.arg == "mode")]


def _is_word(node: ast.expr, word: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == word


def _is_super_init(node: ast.Attribute) -> bool:
    return node.attr == "__init__" and isinstance(node.value, ast.Call) and dotted(node.value.func) == ("super",)
