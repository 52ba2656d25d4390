"""Compile a program file from Python and print what `kernelwright compile` prints."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from kernelwright.driver.compiling.compiled import Compiled
from kernelwright.driver.compiling.program import compile_program
from kernelwright.driver.compiling.report import print_table
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.settings import read_settings
from kernelwright.ir.passes import Context


def compile_and_print(path: Path | str, overrides: Sequence[str] = (), *, context: Context | None = None) -> Compiled:
    """Compile a KernelBench-format file and print stages and verdict.

    `overrides` are as on the command line, e.g. "target=h200"; `context` as for `compile_program`, which
    says what is raised.
    """
    discover()
    path = Path(path)
    compiled = compile_program(path, read_settings(path.stem, overrides), context=context)
    print_table(compiled.report, Console())
    return compiled
