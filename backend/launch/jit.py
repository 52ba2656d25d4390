"""A module's kernels as Triton's own functions, apart from its host code."""

import ast
import hashlib
import linecache
from functools import lru_cache
from typing import Any

from triton import JITFunction

from kernelwright.backend.launch.execute import GIVEN_NAMES
from kernelwright.ir.errors import UserError
from kernelwright.ir.text import text_lines
from kernelwright.ir.values import Kernel, KernelModule


def needed_kernels(m: KernelModule, *symbols: str) -> tuple[Kernel, ...]:
    """These kernels and every kernel of the module that they name, directly or not, in the module's order."""
    by_name = {kernel.symbol: kernel for kernel in m.kernels}
    for symbol in symbols:
        if symbol not in by_name:
            raise UserError(f"@{m.name} launches @{symbol}, which it does not define")
    needed, open_ = set(symbols), list(symbols)
    while open_:
        found = names_in(by_name[open_.pop()].source) & by_name.keys() - needed
        needed |= found
        open_ += sorted(found)
    return tuple(kernel for kernel in m.kernels if kernel.symbol in needed)


@lru_cache(maxsize=1024)
def names_in(source: str) -> frozenset[str]:
    """Every name that a source reads or writes."""
    return frozenset(node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name))


def load_kernels(m: KernelModule, *symbols: str) -> dict[str, Any]:
    """These kernels and their helpers as `JITFunction`s by symbol, decorators around them taken off.

    Line numbers are those of each kernel's source. Raises UserError in a process where Triton interprets.
    """
    sources = tuple((kernel.symbol, kernel.source) for kernel in needed_kernels(m, *symbols))
    return _load(sources, m.constants)


@lru_cache(maxsize=256)
def _load(sources: tuple[tuple[str, str], ...], constants: tuple[str, ...]) -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "kernelwright_module", **GIVEN_NAMES}
    exec("\n".join(constants), space)
    for symbol, source in sources:
        # The same text always has the same file name, so that Triton's output, which holds it, repeats.
        filename = f"<kernel {symbol} {hashlib.sha256(source.encode()).hexdigest()[:12]}>"
        linecache.cache[filename] = (len(source), None, text_lines(source, keep_ends=True), filename)
        exec(compile(source, filename, "exec"), space)
    return {symbol: _bare(symbol, space[symbol]) for symbol, _ in sources}


def _bare(symbol: str, function: Any) -> JITFunction:
    """Take autotune and heuristics off: a launch already holds what they decide."""
    while not isinstance(function, JITFunction) and isinstance(getattr(function, "fn", None), object):
        inner = getattr(function, "fn", None)
        if inner is None or not hasattr(inner, "arg_names"):
            raise UserError(
                f"@{symbol} cannot be compiled in a process started with TRITON_INTERPRET=1; start another without it"
            )
        function = inner
    return function
