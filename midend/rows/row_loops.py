"""Kernels that reduce rows in a loop, as Inductor writes them: the loop, and what its accumulators begin with."""

import ast
import re
from collections.abc import Iterable, Sequence

from kernelwright.midend.analysis.launches import HostLaunch
from kernelwright.midend.analysis.trees import bound_by, names_in

LOOP = re.compile(r"tl\.range\(0, (\d+), R0_BLOCK\)")
REDUCE = re.compile(r"(?P<name>\w+) = (?P<by>tl\.sum|reduce_max|reduce_min)\((?P<sum>\w+), 1\)(?P<rest>\[:, None\].*)")
WELFORD = re.compile(r"\(?(?P<names>\w+, \w+, \w+)\)? = welford\((?P<sums>\w+, \w+, \w+), 1\)")
_START = re.compile(r"tl\.(?:full|zeros)\(\[XBLOCK, R0_BLOCK\](?:, (?P<value>.+))?, tl\.(?P<type>float32|int64)\)")


def rows_of(launch: HostLaunch) -> int | None:
    """The rows of a kernel whose programs have XBLOCK each; None where the grid is another."""
    meta = re.escape(f"{launch.kernel.meta_name}['XBLOCK']")
    grid = re.fullmatch(rf"triton\.cdiv\((\d+), {meta}\),", launch.grid.text)
    return int(grid[1]) if grid else None


def starts_of(statements: Sequence[ast.stmt]) -> dict[str, tuple[str, str]]:
    """Accumulators with their first values and types."""
    starts = {}
    for statement in statements:
        found = re.fullmatch(r"(\w+) = (.+)", ast.unparse(statement))
        start = _START.fullmatch(found[2]) if found else None
        if found and start:
            starts[found[1]] = (start["value"] or "0", start["type"])
    return starts


def with_index(statements: Sequence[ast.stmt], rows: int) -> tuple[list[ast.stmt], bool]:
    """The statements with `xindex` and `xmask` among them, which Inductor leaves out where it needs none; and whether
    the mask was there."""
    texts = [ast.unparse(statement) for statement in statements]
    if not any(text.startswith("xindex = ") for text in texts):
        texts.append("xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]")
    masked = any(text.startswith("xmask = ") for text in texts)
    if not masked:
        texts.append(f"xmask = xindex < {rows}")
    return ast.parse("\n".join(texts)).body, masked


def live(statements: Sequence[ast.stmt], needed: Iterable[str]) -> list[ast.stmt]:
    """The statements that make names which are needed, and what those need."""
    wanted, kept = set(needed), list[ast.stmt]()
    for statement in reversed(statements):
        if set(bound_by(statement)) & wanted:
            kept.append(statement)
            wanted |= names_in(statement)
    return list(reversed(kept))
