"""Imports at the top of a file: the few that programs use, and others that nothing uses, which are dropped."""

import ast
from collections.abc import Iterable, Iterator

from kernelwright.ir.dialect.checker import diagnostic
from kernelwright.ir.dialect.tables import DESCRIPTOR_HINT, FROM_IMPORTS, IMPORTS, PROGRAMS_HINT
from kernelwright.ir.errors import Diagnostic

_HINT = "import torch, torch.nn as nn, triton, triton.language as tl and math, under these names alone"
_HINTS = {
    "numpy": "numbers come from math, tensors from torch",
    "functools": "nothing is kept between calls; write plain functions",
    "itertools": "write loops inside one another",
    "contextlib": "write the body alone, or `with torch.cuda.device(x.device):`",
    "triton.runtime": PROGRAMS_HINT,
    "triton.tools.tensor_descriptor": DESCRIPTOR_HINT,
    "triton.language": "write `from triton.language.extra import libdevice`, and tl.<name> for the language",
    "torch.utils.cpp_extension": "write kernels in Triton",
}


def check_imports(
    imports: Iterable[ast.Import | ast.ImportFrom], used: set[str], lines: list[str]
) -> Iterator[Diagnostic]:
    """Complaints about imports that bind a name of `used` to what programs do not have."""
    for node in imports:
        for alias in node.names:
            if not _is_known(node, alias) and (_bound(alias) in used or _is_open(node, alias)):
                module = getattr(node, "module", None) or alias.name
                hint = next((text for name, text in _HINTS.items() if module.startswith(name)), _HINT)
                yield diagnostic(node, f"the import of {module}", hint, lines)
                break


def _is_known(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> bool:
    spelled = alias.name if alias.asname is None else f"{alias.name} as {alias.asname}"
    if isinstance(node, ast.ImportFrom):
        return spelled in FROM_IMPORTS.get(node.module or "", ()) and not node.level
    return alias.name in IMPORTS and alias.asname in (None, IMPORTS[alias.name])  # `import torch.nn` binds torch


def _is_open(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> bool:
    """Whether nobody can tell what an import binds."""
    return alias.name == "*" or bool(getattr(node, "level", 0))


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]
