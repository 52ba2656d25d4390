"""Structural rules that every module obeys, one function each; `verify` runs them all."""

import ast
from collections import Counter
from collections.abc import Iterator

from kernelwright.ir.dialect.checker import extern_name, is_kernel
from kernelwright.ir.dialect.tables import LAUNCH_OPTIONS, Dialect
from kernelwright.ir.errors import Diagnostic, DialectError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.printer import print_module
from kernelwright.ir.text import text_lines
from kernelwright.ir.trees import syntax_tree, walk
from kernelwright.ir.values import Kernel, KernelModule, ScalarSpec


def verify(module: KernelModule, dialect: Dialect | None = None) -> tuple[Diagnostic, ...]:
    """Everything that is wrong with the module's structure; () for a sound one."""
    found = [diagnostic for rule in RULES for diagnostic in rule(module)]
    if found:
        return tuple(found)
    text = print_module(module)
    try:
        again = parse_module(text, dialect=dialect)
    except DialectError as error:
        return error.diagnostics
    if again != module:
        return (Diagnostic("the module does not survive printing", 1, 0, module.name, _difference(module, again)),)
    return ()


def _difference(module: KernelModule, again: KernelModule) -> str:
    fields = [name for name in module.__dataclass_fields__ if getattr(module, name) != getattr(again, name)]
    return f"these fields differ after printing and parsing: {', '.join(fields)}"


def launched(module: KernelModule) -> tuple[str, ...]:
    """Symbols of the kernels that host code launches, or holds to launch, in the order in which it names them."""
    nodes = list(walk(_host_tree(module)))
    symbols = {kernel.symbol for kernel in module.kernels}
    passed: set[int] = set()  # kernels that kernels are given
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript):
            passed |= {id(value) for value in [*node.args, *(keyword.value for keyword in node.keywords)]}
    names = [node for node in nodes if isinstance(node, ast.Name) and node.id in symbols and id(node) not in passed]
    names.sort(key=lambda node: (node.lineno, node.col_offset))
    return tuple(dict.fromkeys(node.id for node in names))


def extern_ops(module: KernelModule) -> tuple[str, ...]:
    """The extern operations that host code calls, such as `aten.mm.out`, in order."""
    calls = [node for node in walk(_host_tree(module)) if isinstance(node, ast.Call) and extern_name(node.func)]
    calls.sort(key=lambda node: (node.lineno, node.col_offset))
    return tuple(dict.fromkeys(extern_name(node.func) for node in calls))


def _host_tree(module: KernelModule) -> ast.AST:
    return syntax_tree(module.launcher.source) if module.launcher is not None else ast.Module([], [])


def _parses(text: str) -> ast.Module | None:
    try:
        return syntax_tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _kernel_function(kernel: Kernel) -> ast.FunctionDef | None:
    tree = _parses(kernel.source)
    if tree is None or len(tree.body) != 1 or not is_kernel(tree.body[0]):
        return None
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    return function


def unique_symbols(module: KernelModule) -> Iterator[Diagnostic]:
    """No two kernels share a symbol."""
    for symbol, count in Counter(kernel.symbol for kernel in module.kernels).items():
        if count > 1:
            yield Diagnostic("a symbol is used twice", 1, 0, symbol, "rename one of the kernels", symbol)


def kernel_sources(module: KernelModule) -> Iterator[Diagnostic]:
    """A kernel's source is exactly one @triton.jit function of its name."""
    for kernel in module.kernels:
        function = _kernel_function(kernel)
        if function is None or function.name != kernel.symbol:
            yield Diagnostic(
                "the source is not one @triton.jit function of that name", 1, 0, "", "give one function", kernel.symbol
            )
        elif len(text_lines(kernel.source)) != function.end_lineno or kernel.source[:1].isspace():
            yield Diagnostic("text stands around the function", 1, 0, "", "keep the function alone", kernel.symbol)


def launch_options(module: KernelModule) -> Iterator[Diagnostic]:
    """Launch options are constexpr parameters of the kernel or options that Triton knows."""
    for kernel in module.kernels:
        function = _kernel_function(kernel)
        if function is None:
            continue
        parameters = {argument.arg for argument in [*function.args.args, *function.args.kwonlyargs]}
        for name, _ in kernel.meta:
            if name not in parameters | LAUNCH_OPTIONS:
                hint = f"parameters are {', '.join(sorted(parameters))}"
                yield Diagnostic("a launch option that is no parameter", 1, 0, name, hint, kernel.symbol)


def entry_parameters(module: KernelModule) -> Iterator[Diagnostic]:
    """The native entry takes tensors of the reference, annotated with their types."""
    if module.launcher is None:
        return
    tree = _parses(module.launcher.source)
    entry = module.launcher.entry
    kind = ast.ClassDef if module.launcher.form == "class" else ast.FunctionDef
    last = tree.body[-1] if tree is not None and tree.body else None
    if not isinstance(last, kind) or last.name != entry:
        yield Diagnostic(f"the launcher does not end in {entry}()", 1, 0, "", "define the entry last")
        return
    if not isinstance(last, ast.FunctionDef):
        return
    starred = last.args.vararg or last.args.kwarg
    if starred is not None:
        hint = "name the tensors that it takes"
        yield Diagnostic("the entry takes starred parameters", starred.lineno, starred.col_offset, starred.arg, hint)
    types = {spec.name: spec.annotation for spec in module.reference.tensors}
    types |= {spec.name: repr(spec.value) for spec in module.reference.inputs if isinstance(spec, ScalarSpec)}
    for argument in [*last.args.posonlyargs, *last.args.args, *last.args.kwonlyargs]:
        if argument.arg not in types:
            hint = f"the reference has {', '.join(types)}"
            yield Diagnostic(
                "a parameter that the reference lacks", argument.lineno, argument.col_offset, argument.arg, hint
            )
        elif isinstance(argument.annotation, ast.Constant) and argument.annotation.value != types[argument.arg]:
            hint = f"it is {types[argument.arg]}"
            yield Diagnostic("a parameter's type differs", argument.lineno, argument.col_offset, argument.arg, hint)


def printable_values(module: KernelModule) -> Iterator[Diagnostic]:
    """Scalars equal themselves, so that text says all of a module."""
    for spec in module.reference.inputs:
        if isinstance(spec, ScalarSpec) and spec.value != spec.value:
            yield Diagnostic("a scalar input is NaN", 1, 0, spec.name, "specialise the program to a number")


RULES = (unique_symbols, kernel_sources, launch_options, entry_parameters, printable_values)
