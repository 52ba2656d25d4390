"""What both languages of the dialect share: names in scope, diagnostics, annotations, defaults, decorators."""

import ast
from collections.abc import Iterator, Mapping

from kernelwright.ir.dialect.tables import (
    ANNOTATION_ATTRIBUTES,
    ANNOTATION_NAMES,
    CONSTANT_ATTRIBUTES,
    CONSTANT_CALLS,
    CONSTANT_KEYWORDS_REFUSED,
    REFUSED_EXPRESSIONS,
    STATEMENTS,
    SYNTAX_HINTS,
    Dialect,
)
from kernelwright.ir.errors import Diagnostic
from kernelwright.ir.trees import walk

CONSTANT_HINT = "use numbers, strings, dtypes, triton.Config and containers of them"
DECORATOR_HINT = "remove it, and let the function do what it does; only kernels are decorated"
HOOK_HINT = "make the tensor with torch.zeros in host code, or name it in reset_to_zero"
_DEVICE_HINT = "a tensor tells its device: write x.device where you need one"


def constant_hint(value: ast.expr) -> str:
    """What to write instead of a module-level value, or a decorator's, that is not a constant."""
    if any(isinstance(part, ast.keyword) and part.arg == "pre_hook" for part in walk(value)):
        return HOOK_HINT
    calls = [dotted(part.func) for part in walk(value) if isinstance(part, ast.Call)]
    return _DEVICE_HINT if any("device" in name for chain in calls for name in chain[-1:]) else CONSTANT_HINT


def dotted(node: ast.AST) -> tuple[str, ...]:
    """`("torch", "ops", "aten")` for that attribute chain; () where it does not start at a name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return (node.id, *reversed(parts)) if isinstance(node, ast.Name) else ()


def extern_name(node: ast.expr) -> str:
    """`aten.mm.out` for an extern call's function, however it is spelled; "" for anything else."""
    chain = dotted(node)
    if chain[:3] == ("torch", "ops", "aten"):
        chain = chain[2:]
    return ".".join(chain) if chain[:1] == ("aten",) and len(chain) in (2, 3) else ""


def is_kernel(node: ast.AST) -> bool:
    """Whether a top-level statement is a `@triton.jit` function."""
    return isinstance(node, ast.FunctionDef) and any(
        dotted(d.func if isinstance(d, ast.Call) else d) == ("triton", "jit") for d in node.decorator_list
    )


def is_constexpr(annotation: ast.expr | None) -> bool:
    """Whether an annotation says `tl.constexpr`, as a name or as a string."""
    text = annotation.value if isinstance(annotation, ast.Constant) else ".".join(dotted(annotation or ast.Pass()))
    return isinstance(text, str) and text.split(".")[-1] == "constexpr"


def bound_names(node: ast.AST) -> set[str]:
    """Every name that is bound somewhere inside: parameters, assignments, loop variables, nested functions."""
    names = {part.id for part in walk(node) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}
    names |= {part.name for part in walk(node) if isinstance(part, ast.FunctionDef) and part is not node}
    return names | {part.arg for part in walk(node) if isinstance(part, ast.arg)}


def all_arguments(arguments: ast.arguments) -> list[ast.arg]:
    """Every parameter, starred ones last."""
    starred = [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *starred]


class Scope:
    """The top-level names of a file and how they may be used."""

    def __init__(self, body: list[ast.stmt]) -> None:
        functions = [node for node in body if isinstance(node, ast.FunctionDef)]
        self.kernels = {node.name for node in functions if is_kernel(node)}
        self.functions = {node.name: node for node in functions if node.name not in self.kernels}
        #: Functions that decorators of kernels and module-level values use, directly or through others.
        self.configurations = _configurations(body, self.functions)
        self.classes = {node.name for node in body if isinstance(node, ast.ClassDef)}
        self.constants: dict[str, ast.expr] = {}
        for node in body:
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(target, ast.Name) and node.value:
                self.constants[target.id] = node.value
        #: Constants that kernels see: Triton takes `tl.constexpr` values and dtypes of the language alone.
        self.compile_time = {name for name, value in self.constants.items() if dotted(value)[:1] == ("tl",)}
        for name, value in self.constants.items():
            if isinstance(value, ast.Call) and dotted(value.func) == ("tl", "constexpr"):
                self.compile_time.add(name)
        #: Constants that a program could change, and so use to keep state.
        self.mutable = {
            name
            for name, value in self.constants.items()
            if isinstance(value, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp)
            or (isinstance(value, ast.Call) and dotted(value.func) in (("list",), ("dict",)))
        }


def _configurations(body: list[ast.stmt], functions: Mapping[str, ast.FunctionDef]) -> set[str]:
    used: list[ast.AST] = []
    for node in body:
        if isinstance(node, ast.FunctionDef) and is_kernel(node):
            used += node.decorator_list
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            used.append(node.value)
    found: set[str] = set()
    while used:
        names = {part.id for part in walk(used.pop()) if isinstance(part, ast.Name)}
        new = (names & set(functions)) - found
        used += [functions[name] for name in new]
        found |= new
    return found


class Checker:
    """Collects diagnostics."""

    def __init__(self, scope: Scope, dialect: Dialect, lines: list[str]) -> None:
        self.scope, self.dialect, self.lines = scope, dialect, lines
        self.found: list[Diagnostic] = []

    def report(self, node: ast.AST, message: str, hint: str, kernel: str = "") -> None:
        """Record a complaint about a node."""
        self.found.append(diagnostic(node, message, hint, self.lines, kernel))

    def statements(self, function: ast.FunctionDef, kernel: str = "") -> Iterator[ast.AST]:
        """Check what both languages refuse; yield every node under the function's body."""
        self._names_of(function, kernel)
        for node in (part for stmt in function.body for part in walk(stmt)):
            if isinstance(node, REFUSED_EXPRESSIONS) or (
                isinstance(node, ast.stmt) and not isinstance(node, STATEMENTS)
            ):
                hint = SYNTAX_HINTS.get(type(node), "use assignments, if, for, while, assert and return")
                self.report(node, f"{type(node).__name__} is not in the dialect", hint, kernel)
            self._names_of(node, kernel)
            yield node

    def _names_of(self, node: ast.AST, kernel: str) -> None:
        """Names are ASCII and no dunders."""
        for name in (getattr(node, key, None) for key in ("id", "attr", "arg", "name")):
            if not isinstance(name, str):
                continue
            if name.startswith("__") and not (name == "__init__" and _may_be_init(node)):
                self.report(node, "a dunder name", "names that start with two underscores are refused", kernel)
            elif not name.isascii():
                self.report(node, "a name that is not ASCII", "use ASCII letters, digits and underscores", kernel)

    def annotation(self, node: ast.expr | None, kernel: str = "") -> None:
        """An annotation is a type's name; it is executed, so it may not call."""
        for part in walk(node) if node is not None else ():
            good = (
                isinstance(part, ast.Constant | ast.expr_context | ast.Subscript | ast.Tuple | ast.List | ast.BitOr)
                or (isinstance(part, ast.BinOp) and isinstance(part.op, ast.BitOr))
                or (isinstance(part, ast.Name) and part.id in ANNOTATION_NAMES)
                or (isinstance(part, ast.Attribute) and part.attr in ANNOTATION_ATTRIBUTES)
            )
            if not good:
                hint = "annotate with torch.Tensor, int, float, bool, tl.constexpr or a string"
                self.report(part, "not a type that annotations know", hint, kernel)
                return

    def defaults(self, arguments: ast.arguments, kernel: str = "") -> None:
        """A default is one immutable value: anything else would outlive the call."""
        for node in [*arguments.defaults, *(part for part in arguments.kw_defaults if part is not None)]:
            if not self.is_constant(node) or any(
                isinstance(part, ast.List | ast.Dict | ast.Set | ast.Call | ast.Lambda | ast.ListComp | ast.DictComp)
                or (isinstance(part, ast.Name) and part.id in self.scope.mutable)
                for part in walk(node)
            ):
                self.report(
                    node, "a default value that is not a number, string or dtype", "pass it as an argument", kernel
                )

    def is_constant(self, value: ast.expr, calls: frozenset[str] = CONSTANT_CALLS) -> bool:
        """Whether a value is made of numbers, strings, dtypes, other constants and the calls of the table alone."""
        bound = bound_names(value)
        calls = calls | self.scope.configurations
        known = bound | set(self.scope.constants) | self.scope.configurations
        for node in walk(value):
            if isinstance(node, ast.Call):
                keywords = {keyword.arg for keyword in node.keywords}
                if ".".join(dotted(node.func)) not in calls or keywords & CONSTANT_KEYWORDS_REFUSED:
                    return False
            elif isinstance(node, ast.Attribute):
                if ".".join(dotted(node)) not in CONSTANT_ATTRIBUTES | calls and not _is_dtype_of_argument(node, bound):
                    return False
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                in_chain = node.id in ("torch", "tl", "triton", "math") and node is not value
                if node.id not in known and node.id not in calls and not in_chain:
                    return False
            elif isinstance(node, REFUSED_EXPRESSIONS):
                return False
        return True


def _is_dtype_of_argument(node: ast.Attribute, bound: set[str]) -> bool:
    """Whether it is `args["x_ptr"].dtype` in a rule of heuristics."""
    value = node.value.value if isinstance(node.value, ast.Subscript) else None
    return node.attr == "dtype" and isinstance(value, ast.Name) and value.id in bound


def _may_be_init(node: ast.AST) -> bool:
    """`def __init__`, or the attribute in `super().__init__`."""
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Call) and dotted(node.value.func) == ("super",)
    return isinstance(node, ast.FunctionDef)


def diagnostic(node: ast.AST, message: str, hint: str, lines: list[str], kernel: str = "") -> Diagnostic:
    """A complaint about a node of a text with these lines; columns count characters."""
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    before = lines[line - 1].encode("utf-8", "replace")[:column] if line <= len(lines) else b""
    text = ast.unparse(node).splitlines() if isinstance(node, ast.expr | ast.stmt | ast.arg | ast.keyword) else []
    return Diagnostic(message, line, len(before.decode("utf-8", "ignore")), (text or [""])[0][:100], hint, kernel)
