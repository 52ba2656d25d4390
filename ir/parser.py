"""Text -> module: the native form that `printer` writes, and KernelBench's `ModelNew` files.

Everything outside the dialect is a diagnostic; all of them are raised together in one `DialectError`.
"""

import ast
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence

from kernelwright.ir.dialect.checker import Checker, Scope, constant_hint, diagnostic, dotted, is_kernel
from kernelwright.ir.dialect.class_bodies import ClassChecker
from kernelwright.ir.dialect.classes import HostFunctions, class_constants, class_source, is_autograd_function
from kernelwright.ir.dialect.configurations import ConfigurationChecker
from kernelwright.ir.dialect.host import HostChecker
from kernelwright.ir.dialect.host_state import class_attributes
from kernelwright.ir.dialect.imports import check_imports
from kernelwright.ir.dialect.kernels import KernelChecker
from kernelwright.ir.dialect.launches import LaunchChecker, check_entry, returns_value
from kernelwright.ir.dialect.spellings import in_own_words
from kernelwright.ir.dialect.tables import MODULES, Dialect
from kernelwright.ir.dialect.tensors import find_tensors
from kernelwright.ir.errors import Diagnostic, DialectError
from kernelwright.ir.printer import HEADING
from kernelwright.ir.reference_text import header_value, record_from, reference_from
from kernelwright.ir.text import one_reading, text_lines
from kernelwright.ir.trees import syntax_tree, walk
from kernelwright.ir.values import Kernel, KernelModule, Launcher, Record, Reference, Scalar, TensorSpec

#: Bits of the longest integer that a program may write down.
LONGEST_INTEGER = 64
NATIVE_ENTRY = "forward"
CLASS_ENTRY = "ModelNew"

#: The package that a reference's text puts the files into that lie beside it; who repeats an import does not know it.
_BESIDE = re.compile(r"\bbeside_[0-9a-f]{12}\.")
#: Definitions that a candidate file may repeat from its reference; they are skipped.
_REPEATED = frozenset({"Model", "get_inputs", "get_init_inputs", "main"})


def parse_module(
    text: str, *, reference: Reference | None = None, name: str = "module", dialect: Dialect | None = None
) -> KernelModule:
    """Read a module.

    `reference` and `name` are for files that carry none; given a reference, a file cannot put another in its place.
    Raises DialectError with every diagnostic found.
    """
    try:
        return _Parser(text, reference, name, dialect or Dialect()).parse()
    except RecursionError:
        raise DialectError((Diagnostic("expressions nest too deeply", 1, 0, "", "split them"),)) from None


def parse_tree(text: str) -> ast.Module:
    """The syntax tree; a syntax error is a DialectError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            tree = syntax_tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line, column = getattr(error, "lineno", None) or 1, max((getattr(error, "offset", None) or 1) - 1, 0)
        message = f"not Python: {getattr(error, 'msg', error) or type(error).__name__}"
        shown = (getattr(error, "text", None) or "").strip()
        raise DialectError((Diagnostic(message, line, column, shown, "write a complete Python file"),)) from None
    _refuse_long_numbers(tree)
    return tree


def _refuse_long_numbers(tree: ast.Module) -> None:
    """Raise DialectError for an integer that no tensor holds: Python does not print very long ones, and raises."""
    for node in walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value.bit_length() > LONGEST_INTEGER:
            message = f"a number of {node.value.bit_length()} bits"
            raise DialectError((Diagnostic(message, node.lineno, node.col_offset, "", "tensors hold 64 bits at most"),))


class _Parser:
    def __init__(self, text: str, reference: Reference | None, name: str, dialect: Dialect) -> None:
        self.text, self.misleading = one_reading(text)
        self.lines = text_lines(self.text)
        self.name, self.reference = name, reference
        self.target: str | None = None
        self.provenance: list[Record] = []
        self.dialect = dialect
        self.found: list[Diagnostic] = []
        self.imports: list[ast.Import | ast.ImportFrom] = []

    def parse(self) -> KernelModule:
        tree = parse_tree(self.text)
        if self.misleading is not None:
            line, column = self.misleading
            hint = "write an escape such as \\x0c or \\u2028"
            raise DialectError(
                (Diagnostic("a character that some programs take for the end of a line", line, column, "", hint),)
            )
        inputs = self.reference.inputs if self.reference is not None else ()
        ranks = [len(spec.shape) if isinstance(spec, TensorSpec) else 0 for spec in inputs]
        plain = in_own_words(self.text, tree, ranks)
        if plain != self.text:
            self.text, self.lines = plain, text_lines(plain)
            tree = parse_tree(plain)
        self._heading()
        body = list(self._known_statements(tree))
        for node in body:
            if _assigned_name(node) == "REFERENCE":
                self._take_reference(node)
        if self.reference is None and not self.found:
            self._report(tree, "the file carries no REFERENCE", "give the reference that it answers")
        body = [node for node in body if _assigned_name(node) != "REFERENCE"]
        self._check(body)
        if self.found:
            raise DialectError(tuple(sorted(dict.fromkeys(self.found), key=lambda d: (d.line, d.column))))
        return self._module(body)

    def _report(self, node: ast.AST, message: str, hint: str) -> None:
        self.found.append(diagnostic(node, message, hint, self.lines))

    def _heading(self) -> None:
        """Name, target and provenance, of files that start as printed ones do."""
        if self.lines[0] != HEADING:
            return
        for number, line in enumerate(self.lines, 1):
            if not line.startswith("# "):
                break
            key, separator, value = line[2:].partition(": ")
            try:
                if key == "name" and separator:
                    self.name = header_value(value)
                elif key == "target" and separator:
                    self.target = header_value(value)
                elif key == "record":
                    self.provenance.append(record_from(value))
            except (ValueError, TypeError, AssertionError) as error:
                hint = "keep the header as it was printed"
                self.found.append(Diagnostic(f"a {key} that does not parse: {error}", number, 0, line[:100], hint))

    def _take_reference(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        try:
            found = reference_from(ast.literal_eval(node.value))
        except (ValueError, TypeError, KeyError) as error:
            self._report(node, f"a REFERENCE that does not parse: {error}", "keep it as it was printed")
            return
        if self.reference is not None and found != self.reference:
            self._report(
                node, "the file puts another reference in place of its own", "keep REFERENCE as it was printed"
            )
        self.reference = found

    def _known_statements(self, tree: ast.Module) -> Iterator[ast.stmt]:
        """Top-level statements that make up the module; others are skipped where harmless, else reported."""
        seen: set[str] = set()
        repeated, scripted = _repeatable(self.reference), _scripted(tree)
        last = 0
        for node in tree.body:
            if repeated and isinstance(node, ast.Import | ast.ImportFrom | ast.ClassDef) and ast.dump(node) in repeated:
                continue
            if first_line(node) <= last:
                self._report(node, "two statements on one line", "give each a line of its own")
            last = node.end_lineno or 0
            name = getattr(node, "name", "") or _assigned_name(node)
            if isinstance(node, ast.Import | ast.ImportFrom):
                self.imports.append(node)
            elif _is_skipped(node, name) or (isinstance(node, ast.FunctionDef) and name in scripted):
                continue
            elif not name or not (_is_kept(node) or is_autograd_function(node)):
                kind = type(node).__name__
                self._report(node, f"{kind} at the top of a file", _class_hint(node))
            elif name in seen or name in MODULES or name.startswith("__") or not name.isascii():
                self._report(node, "a top-level name that is taken or not plain", "choose another name")
            else:
                seen.add(name)
                yield node

    def _check(self, body: list[ast.stmt]) -> None:
        used = {part.id for node in body for part in walk(node) if isinstance(part, ast.Name)}
        self.found += check_imports(self.imports, used, self.lines)
        scope = Scope(body)
        kernels = KernelChecker(scope, self.dialect, self.lines)
        constants = Checker(scope, self.dialect, self.lines)
        for node in body:
            if isinstance(node, ast.FunctionDef) and is_kernel(node):
                kernels.check(node)
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                if not constants.is_constant(node.value):
                    self._report(node, "a module-level value that is not a constant", constant_hint(node.value))
                elif isinstance(node.value, ast.List | ast.Dict) and not (
                    getattr(node.value, "elts", None) or getattr(node.value, "keys", None)
                ):
                    self._report(node, "an empty list or dictionary would only keep state", "use a local name")
        self.found += kernels.found + constants.found
        self._check_host(body, scope)
        self._check_launches(body, scope)
        entries = [n for n in body if getattr(n, "name", "") in (NATIVE_ENTRY, CLASS_ENTRY) and not is_kernel(n)]
        if not entries and (scope.kernels or scope.functions) and not self.found:
            hint = f"define {NATIVE_ENTRY}(...) or class {CLASS_ENTRY}"
            self._report(ast.Module([], []), "the file has no entry", hint)

    def _check_launches(self, body: list[ast.stmt], scope: Scope) -> None:
        """Launches fit their kernels, and a native entry fits the reference."""
        kernels = {n.name: n for n in body if isinstance(n, ast.FunctionDef) and n.name in scope.kernels}
        metas = {f"{name}_meta": _meta(scope.constants.get(f"{name}_meta")) for name in kernels}
        known = {name: frozenset(dict(meta)) for name, meta in metas.items() if meta is not None}
        checker = LaunchChecker(kernels, known, self.lines)
        for node in body:
            if getattr(node, "name", "") not in kernels:
                self.found += checker.check(node)
            if _assigned_name(node) in known:
                self.found += checker.check_options(node, _assigned_name(node).removesuffix("_meta"))
        entry = scope.functions.get(NATIVE_ENTRY)
        if entry is not None and not scope.classes and self.reference is not None:
            self.found += check_entry(entry, self.reference, self.lines)
            if not self.found and not returns_value(entry):
                self._report(entry, "the entry returns nothing", "return the output, or a tuple of the outputs")

    def _check_host(self, body: list[ast.stmt], scope: Scope) -> None:
        classes = [node for node in body if isinstance(node, ast.ClassDef)]
        plain = {name: node for name, node in scope.functions.items() if name not in scope.configurations}
        functions = HostFunctions.of(plain, classes)
        specs = self.reference.inputs if self.reference is not None else ()
        inputs = {NATIVE_ENTRY: {spec.name for spec in self.reference.tensors} if self.reference is not None else set()}
        if NATIVE_ENTRY in scope.functions:
            parameters = {argument.arg for argument in scope.functions[NATIVE_ENTRY].args.args}
            inputs[NATIVE_ENTRY] = inputs[NATIVE_ENTRY] & parameters if self.reference is not None else parameters
        for method in functions.methods.values():
            if method.name == "forward":
                names = [argument.arg for argument in method.args.args[1:]]
                paired = zip(names, specs, strict=False)
                inputs["forward"] = {name for name, spec in paired if isinstance(spec, TensorSpec)}
        held = class_attributes(functions)
        for node in classes:
            held |= {} if is_autograd_function(node) else class_constants(node)
        tensors = find_tensors(functions.by_key, inputs)
        checker = HostChecker(scope, self.dialect, self.lines, functions, tensors, held)
        shapes = ClassChecker(scope, self.dialect, self.lines)
        for node in classes:
            shapes.check(node)
        for key in functions.by_key:
            checker.check(key)
        configurations = ConfigurationChecker(scope, self.dialect, self.lines)
        for name in scope.configurations:
            configurations.check(scope.functions[name])
        self.found += shapes.found + checker.found + configurations.found

    def _module(self, body: list[ast.stmt]) -> KernelModule:
        assert self.reference is not None
        symbols = {node.name for node in body if isinstance(node, ast.FunctionDef) and is_kernel(node)}
        options: dict[str, tuple[tuple[str, Scalar], ...]] = {}
        constants: list[str] = []
        kernels: list[tuple[str, str, tuple[str, ...]]] = []
        host: list[tuple[str, str]] = []
        configurations = Scope(body).configurations
        for node in body:
            source, name = self._source(node), getattr(node, "name", "")
            if isinstance(node, ast.Assign | ast.AnnAssign):
                symbol = _assigned_name(node).removesuffix("_meta")
                meta = _meta(node.value) if symbol != _assigned_name(node) and symbol in symbols else None
                if meta is not None:
                    options[symbol] = meta
                else:
                    constants.append(source)
            elif name in configurations:
                constants.append(source)
            elif name in symbols:
                kernels.append((name, source, self._covers(node)))
            else:
                host.append((name, source))
        entry = CLASS_ENTRY if CLASS_ENTRY in dict(host) else NATIVE_ENTRY
        host.sort(key=lambda item: item[0] == entry)
        text = "\n\n\n".join(source for _, source in host)
        return KernelModule(
            name=self.name,
            reference=self.reference,
            kernels=tuple(Kernel(n, s, options.get(n, ()), covers) for n, s, covers in kernels),
            launcher=Launcher(text, entry, "class" if entry == CLASS_ENTRY else "function") if host else None,
            target=self.target,
            provenance=tuple(self.provenance),
            constants=tuple(constants),
        )

    def _source(self, node: ast.stmt) -> str:
        if isinstance(node, ast.ClassDef):
            return class_source(node, self.lines, first_line(node))
        return "\n".join(self.lines[first_line(node) - 1 : node.end_lineno])

    def _covers(self, node: ast.stmt) -> tuple[str, ...]:
        line = first_line(node) - 2
        above = self.lines[line] if line >= 0 else ""
        return tuple(above.removeprefix("# covers: ").split(", ")) if above.startswith("# covers: ") else ()


def first_line(node: ast.stmt) -> int:
    """The line on which a statement starts, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _meta(value: ast.expr | None) -> tuple[tuple[str, Scalar], ...] | None:
    """Launch options from a dictionary of literals with texts as keys; None for anything else."""
    try:
        found = ast.literal_eval(value) if isinstance(value, ast.Dict) else None
    except (ValueError, TypeError):
        return None
    scalars = (bool, int, float, str, type(None))
    if not found or not all(isinstance(k, str) and isinstance(v, scalars) for k, v in found.items()):
        return None
    return tuple(found.items())


def _is_kept(node: ast.stmt) -> bool:
    if isinstance(node, ast.AnnAssign):
        return node.value is not None
    return isinstance(node, ast.FunctionDef | ast.Assign) or (
        isinstance(node, ast.ClassDef) and node.name == CLASS_ENTRY
    )


def _class_hint(node: ast.stmt) -> str:
    """What to write instead of a statement at the top of a file."""
    bases = [".".join(dotted(base)) for base in node.bases] if isinstance(node, ast.ClassDef) else []
    if any(base.split(".")[-1] == "Module" for base in bases):
        return "hold its weights in ModelNew.__init__, and make a host function of its forward that takes them"
    if isinstance(node, ast.ClassDef) and (node.decorator_list or bases == ["NamedTuple"]):
        return "write its values as constants, or as keywords of the launch"
    return "keep kernels, host functions, constants, ModelNew"


def _is_skipped(node: ast.stmt, name: str) -> bool:
    """Docstrings, the guard of a script, what repeats the reference, and the name that printing gives to aten."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign):
        return name == "aten" and dotted(node.value) == ("torch", "ops", "aten")
    return _is_main_guard(node) or (name in _REPEATED and isinstance(node, ast.FunctionDef | ast.ClassDef))


def _repeatable(reference: Reference | None) -> frozenset[str]:
    """The imports and classes of the reference's file, as dumps: a program may repeat them, and cannot use them."""
    kinds = (ast.Import, ast.ImportFrom, ast.ClassDef)
    try:
        body = syntax_tree(reference.source).body if reference is not None else []
        kept = [ast.dump(node) for node in body if isinstance(node, kinds)]
        return frozenset(kept) | {_BESIDE.sub("", dump) for dump in kept}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()


def _scripted(tree: ast.Module) -> set[str]:
    """Functions that nothing uses but the guard of a script, directly or through others."""
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef) and not is_kernel(node)}
    plain = {name: node for name, node in functions.items() if name != NATIVE_ENTRY}
    guarded = _used_by([node for node in tree.body if _is_main_guard(node)], plain)
    others = [node for node in tree.body if not _is_main_guard(node) and getattr(node, "name", "") not in guarded]
    return guarded - _used_by(others, plain)


def _used_by(roots: Sequence[ast.AST], functions: Mapping[str, ast.FunctionDef]) -> set[str]:
    """The functions that some statements use, directly or through others."""
    found: set[str] = set()
    left = list(roots)
    while left:
        names = {part.id for part in walk(left.pop()) if isinstance(part, ast.Name)}
        new = (names & functions.keys()) - found
        left += [functions[name] for name in new]
        found |= new
    return found


def _is_main_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'"


def _assigned_name(node: ast.stmt) -> str:
    target = None
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
    elif isinstance(node, ast.AnnAssign):
        target = node.target
    return target.id if isinstance(target, ast.Name) else ""
