"""`align-rows`: rows that begin anywhere are loaded and stored in blocks that begin where cache lines do."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from kernelwright.backend.launch.host_trace import HostTrace, trace_host
from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import DTYPES, Kernel, KernelModule, Level
from kernelwright.midend.analysis.launches import HostLaunch, bound_by, launched_once, local_names, names_in
from kernelwright.midend.rows.row_loops import LOOP

#: Bytes of a cache line, and those that a thread can load or store at once.
LINE, WIDEST = 128, 16
#: Elements of the shortest row whose ends are worth a round of their own.
LEAST_ROW = 512
#: Names that are added: where a row's first line begins, how many elements of the row lie before that and how many
#: behind it, and how many of the latter are in whole vectors.
ADDED = ("row_start", "row_head", "row_end", "row_main")
_COUNT = "r0_index = r0_offset + r0_base"


@register
@dataclass(frozen=True)
class AlignRows(Pass):
    """Start loops over rows at a cache line if a row's length is not a multiple of 16 bytes, for wide accesses.

    What a row has before its first line, and behind its last whole 16 bytes, gets a round of its own. Legal for loops
    over rows in steps of R0_BLOCK that count elements for addresses and masks alone and do not ask for their first
    round; sums are taken in another order. Nothing is claimed of pointers: Triton takes narrow accesses where one is no
    multiple of 16. Expected, not measured: in the place of four accesses of a warp, each of which touches one sector
    more than it needs, one that touches no more than it needs. Instructions of a round for sm_90, four elements a
    thread: softmax over 50257 fp32 had 115 in its first loop and 85 in its second, and has 92 and 59.
    """

    name: ClassVar[str] = "align-rows"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    explore = Exploration(Phase.FINISH, after=("rematerialize",))

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
        """The module with such loops; the same object where there is none."""
        trace = trace_host(module)
        if trace is None:
            return module
        found: dict[str, Kernel] = {}
        for launch in launched_once(module, trace):
            rows = _Rows.of(trace, launch)
            if rows is not None:
                found[launch.kernel.symbol] = replace(launch.kernel, source=rows.aligned())
        kernels = tuple(found.get(kernel.symbol, kernel) for kernel in module.kernels)
        return replace(module, kernels=kernels) if found else module


@dataclass(frozen=True)
class _Rows:
    """A kernel's loops over rows of `length` elements: `line` of them fill a cache line, a thread takes `vector`."""

    function: ast.FunctionDef
    length: int
    line: int
    vector: int

    @classmethod
    def of(cls, trace: HostTrace, launch: HostLaunch) -> "_Rows | None":
        """Read a kernel; None where it has other loops, or rows that are short or aligned already."""
        function = launch.function
        loops = [statement for statement in function.body if isinstance(statement, ast.For)]
        inner = [node for node in ast.walk(function) if isinstance(node, ast.For | ast.While)]
        lengths = {_length(loop) for loop in loops}
        length = lengths.pop() if len(lengths) == 1 and len(inner) == len(loops) else None
        outside = ast.Module([s for s in function.body if not isinstance(s, ast.For)], [])
        if length is None or length < LEAST_ROW or "xindex" not in bound_by(outside):
            return None
        counted = {name for loop in loops for name in bound_by(loop)} & names_in(outside) & {"r0_index", "r0_mask"}
        if counted or set(ADDED) & local_names(function):
            return None
        found = [n for loop in loops for n, _ in re.findall(rf"(\w+) \+ {_place(length, loop)}", ast.unparse(loop))]
        given = dict(zip(launch.parameters, launch.arguments, strict=True))
        specs = [trace.spec(launch.index, given[name]) if name in given else None for name in found]
        sizes = [DTYPES[spec.dtype][2] for spec in specs if spec is not None]
        if not sizes or len(sizes) < len(specs) or length * min(sizes) % WIDEST == 0:
            return None
        return cls(function, length, LINE // min(sizes), WIDEST // min(sizes))

    def aligned(self) -> str:
        """The kernel's text with two loops in the place of each."""
        self.function.body = ast.parse("\n".join(self._body())).body
        return ast.unparse(self.function)

    def _body(self) -> Iterator[str]:
        line, row = self.line, f"{self.length} * xindex"
        added = [
            f"row_start = ({row} + {line - 1}) // {line} * {line}",
            f"row_head = row_start - {row}",
            f"row_end = {self.length} - row_head",
            f"row_main = row_end // {self.vector} * {self.vector}",
        ]
        for statement in self.function.body:
            if isinstance(statement, ast.For):
                yield from added
                added = []
                placed = re.sub(_place(self.length, statement), r"(\1 + row_start)", ast.unparse(statement))
                yield self._main(placed)
                yield self._ends(placed)
            else:
                yield ast.unparse(statement)

    def _main(self, loop: str) -> str:
        """From the first line on: masks are the same for all elements of a vector, which makes accesses wide."""
        most = self.length // self.vector * self.vector
        loop = loop.replace(f"(0, {self.length}, R0_BLOCK)", f"(0, {most}, R0_BLOCK)")
        loop = loop.replace(_backwards(self.length), _backwards(most))
        return loop.replace(f"r0_mask = r0_index < {self.length}", "r0_mask = r0_index < row_main")

    def _ends(self, loop: str) -> str:
        """What lies before and behind that: less than a line, and less than a vector."""
        line, length = self.line, self.length
        body = loop.splitlines()[1:]
        indent = body[0][: -len(body[0].lstrip())]
        index = f"{indent}r0_index = r0_index + tl.where(r0_index < {line}, {-line}, row_main - {line})"
        mask = "r0_mask = (r0_index >= -row_head) & (r0_index < row_end)"
        head = f"for r0_offset in tl.range(0, {line + self.vector - 1}, R0_BLOCK):"
        text = "\n".join([head, *(part for part in body if part.strip() != _backwards(length))])
        text = text.replace(f"{indent}{_COUNT}", f"{indent}{_COUNT}\n{index}")
        return text.replace(f"r0_mask = r0_index < {length}", mask)


def _place(length: int, loop: ast.For) -> str:
    """A pattern for where an element of a row lies: in parentheses, after what counts elements."""
    return rf"\(({'|'.join(sorted(_counting(loop)))}) \+ {length} \* xindex\)"


def _backwards(length: int) -> str:
    """What `reverse-loops` has a loop begin with."""
    return f"r0_offset = {length - 1} // R0_BLOCK * R0_BLOCK - r0_step"


def _counting(loop: ast.For) -> set[str]:
    """`r0_index`, and other names that a loop gives it."""
    bound = [s for s in loop.body if isinstance(s, ast.Assign) and ast.unparse(s.value) == "r0_index"]
    return {"r0_index"}.union(*map(bound_by, bound))


def _length(loop: ast.For) -> int | None:
    """Elements of the rows that a loop runs over; None where it counts them for more than addresses and masks."""
    match = LOOP.fullmatch(ast.unparse(loop.iter))
    if match is None:
        return None
    length, lines, counting = int(match[1]), [ast.unparse(statement) for statement in loop.body], _counting(loop)
    own = [_COUNT, f"r0_mask = r0_index < {length}"]
    target = "r0_step" if lines[0] == _backwards(length) else "r0_offset"
    known = {*own, _backwards(length), "roffset = r0_offset", *(f"{name} = r0_index" for name in counting)}
    rest = re.sub(_place(length, loop), "0", "\n".join(line for line in lines if line not in known))
    others = counting | {"roffset", "r0_offset", "r0_base", "r0_step"}
    plain = not names_in(ast.parse(rest)) & others and "r0_mask" not in bound_by(ast.parse(rest)) and "scan" not in rest
    return (
        length if plain and ast.unparse(loop.target) == target and all(lines.count(one) == 1 for one in own) else None
    )
