"""The short form -> a program in the native form: what was left out is put in again, by rule."""

import ast

from kernelwright.frontend.inductor.library import device_functions
from kernelwright.frontend.notation.emitting import Emitted, KernelEmitter
from kernelwright.frontend.notation.expressions import Tensors
from kernelwright.frontend.notation.lengths import lengths
from kernelwright.frontend.notation.words import LETTERS
from kernelwright.ir.dialect.checker import diagnostic
from kernelwright.ir.errors import Diagnostic, DialectError
from kernelwright.ir.parser import parse_tree
from kernelwright.ir.printer import print_kernel
from kernelwright.ir.values import DTYPES, Reference

_DEEPEST = 60


def expand(text: str, reference: Reference) -> str:
    """The native program that a text in the short form stands for. Raises DialectError; lines are the text's."""
    lines, tensors = text.split("\n"), Tensors.of(reference)
    if not reference.tensors:
        raise _refused(None, "the reference has no tensors", "write a program in another form", lines)
    found: list[Emitted] = []
    tree = parse_tree(text)
    if deep := _too_deep(tree):
        raise _refused(deep, "expressions nest too deeply", "give parts of them names", lines)
    for number, statements in enumerate(_paragraphs(tree)):
        axes, body = _axes(statements, lines)
        sizes = lengths(body, tensors.shapes(), axes)
        found.append(KernelEmitter(f"kernel{number}", sizes, tensors, lines, body).emit())
    if not found:
        raise _refused(None, "the program is empty", "write a paragraph for each kernel", lines)
    for name in tensors.outputs:
        if name not in tensors.known:
            raise _refused(None, f"nothing is stored to {name}", f"end with `store({name}[...], ...)`", lines)
    return _program(found, tensors)


def _refused(node: ast.AST | None, message: str, hint: str, lines: list[str]) -> DialectError:
    where = diagnostic(node, message, hint, lines) if node else Diagnostic(message, len(lines), 0, "", hint)
    return DialectError((where,))


def _too_deep(tree: ast.Module) -> ast.expr | None:
    """An expression further down than Python reads parentheses in parentheses."""
    rest: list[tuple[ast.AST, int]] = [(tree, 0)]
    while rest:
        node, depth = rest.pop()
        if depth > _DEEPEST and isinstance(node, ast.expr):
            return node
        rest += [(part, depth + 1) for part in ast.iter_child_nodes(node)]
    return None


def _paragraphs(tree: ast.Module) -> list[list[ast.stmt]]:
    """Statements that follow one another without an empty line are one kernel's."""
    found: list[list[ast.stmt]] = []
    last = -1
    for node in tree.body:
        if node.lineno > last + 1:
            found.append([])
        found[-1].append(node)
        last = node.end_lineno or node.lineno
    return found


def _axes(statements: list[ast.stmt], lines: list[str]) -> tuple[dict[str, int], list[ast.stmt]]:
    """The sizes that a first line `axes(r=8)` gives, and the statements after it."""
    first = statements[0].value if isinstance(statements[0], ast.Expr) else None
    if not (isinstance(first, ast.Call) and isinstance(first.func, ast.Name) and first.func.id == "axes"):
        return {}, statements
    axes = {}
    for keyword in first.keywords:
        size = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
        if keyword.arg not in LETTERS or type(size) is not int or not 0 < size < 2**31:
            raise _refused(first, "axes that are no letters with sizes", "write `axes(r=8)`", lines)
        axes[str(keyword.arg)] = size
    if first.args or len(statements) == 1:
        raise _refused(
            first, "axes(...) says how long a kernel's axes are", "write `axes(r=8)`, then statements", lines
        )
    return axes, statements[1:]


def _program(found: list[Emitted], tensors: Tensors) -> str:
    """Kernels, the functions that they call, and host code that makes what is stored to and launches."""
    reference = tensors.reference
    loaded = {name for emitted in found for name in emitted.tensors}
    first = reference.tensors[0].name
    parameters = [
        f'{spec.name}: "{spec.annotation}"' for spec in reference.tensors if spec.name in loaded or spec.name == first
    ]
    lines = []
    for emitted in found:
        for spec in (tensors.known[name] for name in emitted.made):
            layout = f"{spec.shape}, {spec.strides}, device={first}.device, dtype=torch.{DTYPES[spec.dtype][0]}"
            lines.append(f"{spec.name} = torch.empty_strided({layout})")
        lines.append(emitted.launch)
    lines.append(f"return {', '.join(tensors.outputs)}")
    entry = "\n".join([f"def forward({', '.join(parameters)}):", *(f"    {line}" for line in lines)])
    functions = device_functions(name for emitted in found for name in emitted.called)
    kernels = [print_kernel(one) for one in (*functions, *(emitted.kernel for emitted in found))]
    return "\n\n\n".join(["import torch\nimport triton\nimport triton.language as tl", *kernels, entry]) + "\n"
