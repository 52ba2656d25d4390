"""Print a module in one of the forms that `--emit` names."""

import os
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TextIO

from kernelwright.backend.targets import get_target
from kernelwright.driver.run.streams import naming
from kernelwright.ir.errors import UserError, check_choice
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import KernelModule, Level

LOWERED = ("ttir", "ttgir", "llir", "ptx")
TEXTS = ("triton", "kernelbench", "standalone")


def check_emit(what: str) -> str:
    """The form, if there is one of that name."""
    check_choice("--emit", what, (*TEXTS, *LOWERED))
    return what


def emit(module: KernelModule, what: str, target: str) -> str:
    """The text of a module in that form; lowered forms are for a target and hold every kernel in turn."""
    # Late: a wrong name is told without torch and Triton.
    from kernelwright.backend.compile.compiler import compile_module
    from kernelwright.backend.emit import emit_kernelbench, emit_standalone

    if what in TEXTS:
        return {"triton": print_module, "kernelbench": emit_kernelbench, "standalone": emit_standalone}[what](module)
    if module.level is Level.TORCH:
        raise UserError(f"@{module.name} has no kernels to print as {what}; run a lowering first")
    compiled = compile_module(module, get_target(target))
    comment = "//" if what in ("ttir", "ttgir", "ptx") else ";"
    parts = [f"{comment} kernel {symbol} for {target}\n{getattr(c, what)}" for symbol, c in compiled.items()]
    return "\n".join(parts)


def checked_output(path: str | None) -> str | None:
    """The file to write to, None for stdout; UserError where none can be written there, before the work is done."""
    if path is None or path == "-":
        return None
    place, way_out = Path(path), "name a writable file"
    if not path or place.is_dir():
        raise UserError(f"cannot write {path or 'a file without a name'}: it is a folder; {way_out}")
    if not place.parent.is_dir():
        raise UserError(f"cannot write {path}: there is no folder {place.parent}; make it, or {way_out}")
    if not os.access(place if place.exists() else place.parent, os.W_OK):
        raise UserError(f"cannot write {path}: permission denied; {way_out}")
    return path


def write_text(text: str, path: str | None, stdout: TextIO) -> None:
    """Write to a file, or to stdout; ends with a newline. A file that was there stays where writing fails."""
    text = text.rstrip("\n") + "\n"
    if path is None:
        stdout.write(text)
        return
    with naming(path):
        _write_whole(Path(path).resolve(), text)


def _write_whole(place: Path, text: str) -> None:
    if place.exists() and not place.is_file():  # a device or a FIFO
        place.write_text(text, encoding="utf-8")
        return
    with NamedTemporaryFile("w", encoding="utf-8", dir=place.parent, prefix=f".{place.name}.", delete=False) as file:
        try:
            file.write(text)
            file.flush()
            Path(file.name).chmod(place.stat().st_mode & 0o7777 if place.exists() else 0o666 & ~_umask())
            Path(file.name).replace(place)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
