"""Kernels that reduce rows in a loop, as Inductor writes them: accumulators, and what is joined to them."""

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kernelwright.midend.analysis.launches import HostLaunch, bound_by, names_in
from kernelwright.midend.analysis.pointwise import conjunction

LOOP = re.compile(r"tl\.range\(0, (\d+), R0_BLOCK\)")
REDUCE = re.compile(r"(?P<name>\w+) = (?P<by>tl\.sum|reduce_max|reduce_min)\((?P<sum>\w+), 1\)(?P<rest>\[:, None\].*)")
WELFORD = re.compile(r"\(?(?P<names>\w+, \w+, \w+)\)? = welford\((?P<sums>\w+, \w+, \w+), 1\)")
_START = re.compile(r"tl\.(?:full|zeros)\(\[XBLOCK, R0_BLOCK\](?:, (?P<value>.+))?, tl\.(?P<type>float32|int64)\)")
_WELFORD_STEP = re.compile(r"welford_reduce\((?P<value>\w+), (?P<sums>\w+, \w+, \w+), roffset == 0\)")
#: How a loop joins a value to an accumulator, by what reduces that in the end.
_JOINS = {"tl.sum": "{sum} + {value}", "reduce_max": "maximum({sum}, {value})", "reduce_min": "minimum({sum}, {value})"}


@dataclass(frozen=True)
class Accumulator:
    """What a loop reduces `value` into: one name, or Welford's mean, sum of squares and weight. `by`: tl.sum,
    reduce_max, reduce_min or welford; `start`: the neutral value; `joins`: the loop's statements that join a value."""

    names: tuple[str, ...]
    by: str
    start: str
    value: str
    joins: tuple[ast.stmt, ...]


@dataclass(frozen=True)
class RowLoop:
    """A kernel's first loop, over `rows` rows of `row` elements, that does nothing but reduce them: the statements
    before it, those of its body that make what is reduced, the accumulators, and the statements after it."""

    before: tuple[ast.stmt, ...]
    values: tuple[ast.stmt, ...]
    accumulators: tuple[Accumulator, ...]
    after: tuple[ast.stmt, ...]
    rows: int
    row: int

    @classmethod
    def of(cls, launch: HostLaunch) -> "RowLoop | None":
        """Read a kernel; None where its first loop is another, or hidden."""
        body = launch.function.body
        at = next((n for n, s in enumerate(body) if isinstance(s, ast.For)), None)
        rows = rows_of(launch)
        if at is None or rows is None:
            return None
        loop, before = body[at], with_index(body[:at], rows)[0]
        assert isinstance(loop, ast.For)
        match = LOOP.fullmatch(ast.unparse(loop.iter))
        plain = all(isinstance(s, ast.Assign) for s in loop.body)
        head = [s for s in before if isinstance(s, ast.Assign | ast.AnnAssign)]
        if match is None or not plain or len(head) != len(before) or ast.unparse(loop.target) != "r0_offset":
            return None
        found = _accumulators(before, loop.body, body[at + 1 :])
        if found is None:
            return None
        joins = [s for accumulator in found for s in accumulator.joins]
        values = tuple(s for s in loop.body if s not in joins)
        if not _counts_rows((*before, *values), rows, int(match[1])):
            return None
        return cls(tuple(before), values, found, tuple(body[at + 1 :]), rows, int(match[1]))


def _counts_rows(statements: Sequence[ast.stmt], rows: int, row: int) -> bool:
    """Whether `xindex` and `r0_index` count rows and their elements, and masks say how many there are."""
    lanes = "tl.arange(0, XBLOCK)[:, None]"
    wanted = {
        "xoffset": ("tl.program_id(0) * XBLOCK",),
        "xindex": (f"xoffset + {lanes}", f"tl.program_id(0) * XBLOCK + {lanes}"),
        "xmask": (f"xindex < {rows}",),
        "r0_base": ("tl.arange(0, R0_BLOCK)[None, :]",),
        "roffset": ("r0_offset",),
        "r0_index": ("r0_offset + r0_base",),
        "r0_mask": (f"r0_index < {row}",),
    }
    found = {name: ast.unparse(s.value) for s in statements if isinstance(s, ast.Assign) for name in bound_by(s)}
    plain = all(text in wanted[name] for name, text in found.items() if name in wanted)
    return plain and {"xindex", "r0_base", "r0_index"} <= found.keys()


def _accumulators(
    before: Sequence[ast.stmt], loop: Sequence[ast.stmt], after: Sequence[ast.stmt]
) -> tuple[Accumulator, ...] | None:
    """The accumulators; None where the loop carries anything else, or they are not reduced in a known way."""
    starts, found = starts_of(before), list[Accumulator]()
    made = {ast.unparse(s.targets[0]): s for s in loop if isinstance(s, ast.Assign)}
    for statement in after:
        text = ast.unparse(statement)
        match, welford = REDUCE.fullmatch(text), WELFORD.fullmatch(text)
        names = (match["sum"],) if match else tuple(welford["sums"].split(", ")) if welford else ()
        if not names or not set(names) <= set(starts) or any(starts[name][1] != "float32" for name in names):
            continue
        sets = [made.get(name) for name in names]
        news = [_kept(s) for s in sets if s is not None]
        join = made.get(f"({', '.join(news)})" if welford else news[0]) if len(news) == len(names) else None
        value = _joined(join, names, match["by"]) if match else _welford_value(join, names)
        if join is None or value is None:
            return None
        steps = (join, *(s for s in sets if s is not None))
        found.append(Accumulator(names, match["by"] if match else "welford", starts[names[0]][0], value, steps))
    joins = [s for accumulator in found for s in accumulator.joins]
    sums = {name for accumulator in found for name in accumulator.names}
    bound = [name for s in loop for name in bound_by(s)]
    others = names_in(ast.Module([s for s in loop if s not in joins], []))
    ends = [s for s in after if sums & names_in(s)]
    if not found or others & sums or len(set(bound)) != len(bound) or len(ends) != len(found):
        return None
    return tuple(found)


def _kept(statement: ast.stmt) -> str:
    """What an accumulator becomes: `new` in `acc = tl.where(mask, new, acc)`, or in `acc = new`."""
    assert isinstance(statement, ast.Assign)
    value, name = statement.value, ast.unparse(statement.targets[0])
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "tl.where" and len(value.args) == 3:
        masks = {ast.unparse(part) for part in conjunction(value.args[0])}
        if masks <= {"r0_mask", "xmask"} and ast.unparse(value.args[2]) == name:
            return ast.unparse(value.args[1])
    return ast.unparse(value)


def _joined(join: ast.stmt | None, names: Sequence[str], by: str) -> str | None:
    if not isinstance(join, ast.Assign):
        return None
    others = sorted(names_in(join.value) - set(names))
    text = ast.unparse(join.value)
    return next((name for name in others if text == _JOINS[by].format(sum=names[0], value=name)), None)


def _welford_value(join: ast.stmt | None, names: Sequence[str]) -> str | None:
    match = _WELFORD_STEP.fullmatch(ast.unparse(join.value)) if isinstance(join, ast.Assign) else None
    return match["value"] if match and match["sums"] == ", ".join(names) else None


def rows_of(launch: HostLaunch) -> int | None:
    """The rows of a kernel whose programs have XBLOCK each; None where the grid is another."""
    meta = re.escape(f"{launch.kernel.meta_name}['XBLOCK']")
    grid = re.fullmatch(rf"\(triton\.cdiv\((\d+), {meta}\),\)", ast.unparse(launch.grid))
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
