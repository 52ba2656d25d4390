"""`cache-hints`: keep in the L2 cache what every program reads."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.text import text_lines
from kernelwright.ir.values import Kernel, KernelModule, Level


@register
@dataclass(frozen=True)
class CacheHints(Pass):
    """Mark loads whose address is the same in every program as `evict_last`.

    Legal everywhere: a hint changes no value. Loads that carry a policy already keep it.
    """

    name: ClassVar[str] = "cache-hints"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
        """The module with hints; the same object where no load qualifies."""
        kernels = tuple(_with_hints(kernel) for kernel in module.kernels)
        return module if kernels == module.kernels else replace(module, kernels=kernels)


def _with_hints(kernel: Kernel) -> Kernel:
    tree = ast.parse(kernel.source)
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    varying = _varying_names(function)
    loads = [node for node in ast.walk(function) if isinstance(node, ast.Call) and _is_load(node)]
    shared = [load for load in loads if not _names(load.args[0]) & varying]
    edits = [load for load in shared if not any(keyword.arg == "eviction_policy" for keyword in load.keywords)]
    if not varying or not edits:
        return kernel
    lines = text_lines(kernel.source)
    # Last first, so that the positions of earlier loads stay true.
    for load in sorted(edits, key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0), reverse=True):
        assert load.end_lineno is not None and load.end_col_offset is not None
        line = lines[load.end_lineno - 1].encode()
        end = load.end_col_offset - 1
        lines[load.end_lineno - 1] = (line[:end] + b', eviction_policy="evict_last"' + line[end:]).decode()
    return replace(kernel, source="\n".join(lines))


def _is_load(call: ast.Call) -> bool:
    return ast.unparse(call.func) == "tl.load" and bool(call.args)


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _varying_names(function: ast.FunctionDef) -> set[str]:
    """Names whose value depends on the program, directly or through other names."""
    bindings: list[tuple[Sequence[ast.expr], ast.expr]]
    bindings = [(node.targets, node.value) for node in ast.walk(function) if isinstance(node, ast.Assign)]
    bindings += [([node.target], node.value) for node in ast.walk(function) if isinstance(node, ast.AugAssign)]
    bindings += [([node.target], node.iter) for node in ast.walk(function) if isinstance(node, ast.For)]
    varying: set[str] = set()
    while True:
        found = {
            name
            for targets, value in bindings
            if _names(value) & varying or "program_id" in ast.unparse(value) or "tl.load" in ast.unparse(value)
            for target in targets
            for name in _names(target)
        }
        if found <= varying:
            return varying
        varying |= found
