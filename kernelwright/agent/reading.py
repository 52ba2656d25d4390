"""From an answer to a program and back: text alone, nothing is executed."""

import ast
import re
from dataclasses import replace

from kernelwright.ir.dialect.tables import Dialect
from kernelwright.ir.errors import Diagnostic, DialectError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import KernelModule
from kernelwright.ir.verifier import extern_ops

#: Characters that an answer, and the program in it, may have.
MOST_ANSWER, MOST_PROGRAM = 400_000, 60_000
_TAG = re.compile(r"</?(?:think|thinking|reasoning)>")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^`]*)")
_HEADER = re.compile(r"# (?:kernelwright module|name:|target:|level:|record:)")


def without_reasoning(text: str) -> str:
    """An answer without what stands in reasoning tags.

    A chat template may have opened the tag: all up to a tag that closes is reasoning. A tag that nothing closes drops
    the rest.
    """
    parts: list[str] = []
    start, inside = 0, False
    for tag in _TAG.finditer(text):
        closes = tag.group().startswith("</")
        if closes and not inside:
            parts.clear()
        elif not closes and not inside:
            parts.append(text[start : tag.start()])
        inside, start = not closes, tag.end()
    return "".join(parts if inside else [*parts, text[start:]])


def last_block(text: str) -> str | tuple[Diagnostic, ...]:
    """The content of the last fenced block that is closed; diagnostics where there is none or it is too long."""
    if len(text) > MOST_ANSWER:
        return _complaint(f"an answer of {len(text)} characters", f"answer in at most {MOST_ANSWER}")
    text = without_reasoning(text)
    found, fence = None, ""
    lines: list[str] = []
    for line in text.split("\n"):
        match = _FENCE.fullmatch(line.rstrip())
        if not fence and match:
            fence, lines = match[1], []
        elif fence and match and match[1].startswith(fence) and not match[2].strip():
            found, fence = "\n".join(lines), ""
        elif fence:
            lines.append(line)
    if found is None or not found.strip():
        what = "the code block is not closed" if fence else "there is no code block"
        return _complaint(what, "end the answer with the whole program between ```python and ```")
    if len(found) > MOST_PROGRAM:
        return _complaint(f"a program of {len(found)} characters", f"write at most {MOST_PROGRAM}")
    return found.strip("\n") + "\n"


def read_program(
    text: str, module: KernelModule, dialect: Dialect, target: str | None = None
) -> KernelModule | tuple[Diagnostic, ...]:
    """The module that an answer's program stands for, with name, reference and provenance of `module`.

    Lines of a diagnostic are counted in the block. What a program's own header claims is ignored.
    """
    program = last_block(text)
    return as_program(program, module, dialect, target) if isinstance(program, str) else program


def as_program(
    program: str, module: KernelModule, dialect: Dialect, target: str | None = None
) -> KernelModule | tuple[Diagnostic, ...]:
    """The module that a program's text stands for, as `read_program` gives it."""
    try:
        parsed = parse_module(program, reference=module.reference, name=module.name, dialect=dialect)
    except DialectError as error:
        return error.diagnostics
    if parsed.launcher is None:
        return _complaint("the program has no entry", "define forward(...), which launches the kernels")
    return KernelModule(
        name=module.name,
        reference=module.reference,
        kernels=parsed.kernels,
        launcher=parsed.launcher,
        target=target,
        provenance=module.provenance,
        constants=parsed.constants,
    )


def program_text(module: KernelModule) -> str:
    """A module as an answer writes it: no header and no reference; `read_program` reads it back."""
    text = print_module(replace(module, provenance=()))
    lines = text.split("\n")
    body = ast.parse(text).body
    carried = next(node for node in body if _assigns(node, "REFERENCE"))
    assert carried.end_lineno is not None
    first = next(index for index, line in enumerate(lines) if not _HEADER.match(line))
    head = lines[first : carried.lineno - 1]
    if not extern_ops(module):
        head = [line for line in head if line != "aten = torch.ops.aten"]
    return "\n".join(head).strip("\n") + "\n\n\n" + "\n".join(lines[carried.end_lineno :]).strip("\n") + "\n"


def _assigns(node: ast.stmt, name: str) -> bool:
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name


def fenced(program: str, language: str = "python") -> str:
    """A program as the block that ends an answer."""
    return f"```{language}\n{program.strip(chr(10))}\n```"


def _complaint(message: str, hint: str) -> tuple[Diagnostic, ...]:
    return (Diagnostic(message, 1, 0, "", hint),)
