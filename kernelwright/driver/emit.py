"""Print a module in one of the forms that `--emit` names."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from kernelwright.backend.compiler import compile_module
from kernelwright.backend.emit import emit_kernelbench, emit_standalone
from kernelwright.backend.targets import get_target
from kernelwright.ir.errors import UserError, check_choice
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import KernelModule, Level

LOWERED = ("ttir", "ttgir", "llir", "ptx")
TEXTS: Mapping[str, Callable[[KernelModule], str]] = {
    "triton": print_module,
    "kernelbench": emit_kernelbench,
    "standalone": emit_standalone,
}


def check_emit(what: str) -> str:
    """The form, if there is one of that name."""
    check_choice("--emit", what, (*TEXTS, *LOWERED))
    return what


def emit(module: KernelModule, what: str, target: str) -> str:
    """The text of a module in that form; lowered forms are for a target and hold every kernel in turn."""
    if what in TEXTS:
        return TEXTS[what](module)
    if module.level is Level.TORCH:
        raise UserError(f"@{module.name} has no kernels to print as {what}; run a lowering first")
    compiled = compile_module(module, get_target(target))
    comment = "//" if what in ("ttir", "ttgir", "ptx") else ";"
    parts = [f"{comment} kernel {symbol} for {target}\n{getattr(c, what)}" for symbol, c in compiled.items()]
    return "\n".join(parts)


def write_text(text: str, path: str | None) -> None:
    """Write to a file, or to stdout; ends with a newline."""
    text = text.rstrip("\n") + "\n"
    if path is None or path == "-":
        sys.stdout.write(text)
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from error
