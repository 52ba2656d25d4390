"""`persistent-rows`: rows that loops run over several times are held by their program, and loaded once."""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from kernelwright.backend.host_trace import HostTrace, trace_host
from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import Kernel, KernelModule, Level, Scalar
from kernelwright.midend.host_code import with_statements, without_tensors
from kernelwright.midend.launches import HostLaunch, called, is_made_for, launched_once, names_in, pointer_sum, storages
from kernelwright.midend.pointwise import mask_of

#: Elements of a row that a program can hold in registers at 16 warps.
MOST_ELEMENTS = 32768
#: Elements that a thread should hold, and that a program's tile should have where rows are short.
PER_THREAD, TILE = 32, 2048
_LOOP = re.compile(r"(?:tl\.)?range\(0, (\d+), R0_BLOCK\)")
_CASTS = {"f32": "", "f16": ".to(tl.float16)", "bf16": ".to(tl.bfloat16)"}


@register
@dataclass(frozen=True)
class PersistentRows(Pass):
    """Turn several loops over a row into one block that holds the row, so that each element is loaded once.

    limit: the longest row, in elements. Legal for kernels of several loops, all over the same rows in steps of
    R0_BLOCK; sums are taken in another order. Tensors that only carried values from one loop to the next go away.
    Expected, not measured: norms and softmax over rows of up to 32768 move each element once in and once out, where
    loops move it up to five times.
    """

    name: ClassVar[str] = "persistent-rows"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON

    limit: int = 16384

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MOST_ELEMENTS:
            raise UserError(f"limit={self.limit}: choose 1 to {MOST_ELEMENTS} elements")

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
        """The module with such kernels in persistent form; the same object where there is none."""
        while (trace := trace_host(module)) is not None:
            for launch in launched_once(module, trace):
                row = row_length(launch.function)
                if row is not None and 1 < row <= self.limit and _loops(launch.function) > 1:
                    module = _persistent(module, trace, launch, row)
                    break
            else:
                return module
        return module


def _loops(function: ast.FunctionDef) -> int:
    return sum(isinstance(statement, ast.For) for statement in function.body)


def row_length(function: ast.FunctionDef) -> int | None:
    """Elements of the rows that all loops of a kernel run over; None where there is no such kernel."""
    lengths = set()
    for loop in (node for node in ast.walk(function) if isinstance(node, ast.For | ast.While)):
        match = _LOOP.fullmatch(ast.unparse(loop.iter)) if isinstance(loop, ast.For) else None
        if match is None or loop not in function.body or not ast.unparse(loop).startswith("for r0_offset in"):
            return None
        lengths.add(int(match[1]))
    plain = "R0_BLOCK" in {argument.arg for argument in function.args.args} and "R1_BLOCK" not in ast.unparse(function)
    return lengths.pop() if plain and len(lengths) == 1 else None


def _persistent(module: KernelModule, trace: HostTrace, launch: HostLaunch, row: int) -> KernelModule:
    block = 1 << (row - 1).bit_length()
    body = [line for statement in launch.function.body for line in straight(statement)]
    kept, given = _Forward.of(trace, launch).run(body), launch.given
    scratch = [
        name for name in launch.parameters if _only_stored(kept, name) and is_made_for(trace, given[name], launch.index)
    ]
    kept = [s for s in kept if not any(_stores_to(s, name) for name in scratch)]
    parameters = [a for a in launch.function.args.args if a.arg not in ("R0_BLOCK", *scratch)]
    head = f"@triton.jit\ndef {launch.kernel.symbol}({', '.join(map(ast.unparse, parameters))}):"
    lines = [f"R0_BLOCK: tl.constexpr = {block}", *(line for s in kept for line in ast.unparse(s).splitlines())]
    source = "\n".join([head, *(f"    {line}" for line in lines)])
    kernel = replace(launch.kernel, source=source, meta=_meta(launch.kernel, block))
    kernels = tuple(kernel if one == launch.kernel else one for one in module.kernels)
    module = replace(module, kernels=kernels)
    return _without_tensors(module, trace, launch, [given[name] for name in scratch]) if scratch else module


def _meta(kernel: Kernel, block: int) -> tuple[tuple[str, Scalar], ...]:
    """Launch options: fewer rows a program, and warps for what it holds."""
    given = {name: value for name, value in kernel.meta if name != "R0_BLOCK"}
    rows = given.get("XBLOCK", 1)
    assert isinstance(rows, int)
    rows = max(min(rows, TILE // block), 1)
    if "XBLOCK" in given:
        given["XBLOCK"] = rows
    given["num_warps"] = min(max(rows * block // (32 * PER_THREAD), 1), 16)
    return tuple(given.items())


def straight(statement: ast.stmt) -> list[ast.stmt]:
    """A loop's body at offset 0; any other statement as it is."""
    if not isinstance(statement, ast.For):
        return [statement]
    return [ast.fix_missing_locations(_AtZero().visit(part)) for part in statement.body]


class _AtZero(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Constant(0) if node.id == "r0_offset" else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        starts = isinstance(node.op, ast.Add) and ast.unparse(node.left) == "r0_offset"
        return self.visit(node.right) if starts else self.generic_visit(node)


@dataclass
class _Forward:
    """Leaves out what straight-line code does again. Names are told apart by how often they were bound before.

    `readable`: parameters whose tensors the kernel does not write; `casts`: for each parameter, how a value is
    rounded by being stored.
    """

    readable: frozenset[str]
    casts: Mapping[str, str]
    versions: dict[str, int] = field(default_factory=dict)
    loaded: dict[str, str] = field(default_factory=dict)
    held: dict[str, str] = field(default_factory=dict)
    stored: dict[str, tuple[str, str]] = field(default_factory=dict)

    @classmethod
    def of(cls, trace: HostTrace, launch: HostLaunch) -> "_Forward":
        """For one kernel as host code launches it."""
        roots = storages(trace)
        named = {name: names_in(ast.parse(text)) - {"torch"} for name, text in launch.given.items()}
        touched = {name: {roots.get(n, n) for n in names} for name, names in named.items()}
        written = launch.written
        dirty = set().union(*(touched[name] for name in written))
        specs = {
            name: trace.spec(launch.index, value)
            for name, value in zip(launch.parameters, launch.arguments, strict=True)
        }
        alone = {
            name
            for name in written
            if not any(touched[name] & touched[other] for other in launch.parameters if other != name)
        }
        casts = {name: _CASTS[s.dtype] for name, s in specs.items() if s is not None and s.dtype in _CASTS}
        readable = frozenset(name for name, roots in touched.items() if not roots & dirty)
        return cls(readable, {name: cast for name, cast in casts.items() if name in alone})

    def run(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements, without what they repeat."""
        return [kept for statement in statements if (kept := self._statement(statement)) is not None]

    def _key(self, node: ast.AST) -> str:
        """Text that is equal for equal values at any two places of the code."""
        copy = ast.parse(ast.unparse(node), mode="eval").body
        for part in ast.walk(copy):
            if isinstance(part, ast.Name):
                part.id = f"{part.id}#{self.versions.get(part.id, 0)}"
            elif isinstance(part, ast.Call):
                part.keywords = [k for k in part.keywords if k.arg != "eviction_policy"]
        return ast.unparse(copy)

    def _statement(self, statement: ast.stmt) -> ast.stmt | None:
        match statement:
            case ast.Assign(targets=[ast.Name(name)], value=value):
                return self._assignment(statement, name, value)
            case ast.Expr(ast.Call() as store) if called(store, "tl.store"):
                self._store(store)
            case ast.Assign(targets=targets):
                for target in targets:
                    self._bind(names_in(target))
        return statement

    def _bind(self, names: set[str]) -> None:
        for name in names:
            self.versions[name] = self.versions.get(name, 0) + 1
            self.held.pop(name, None)

    def _assignment(self, statement: ast.Assign, name: str, value: ast.expr) -> ast.stmt | None:
        key = self._key(value)
        if self.held.get(name) == key and not any(word in key for word in ("tl.load", "atomic")):
            return None
        is_load = isinstance(value, ast.Call) and called(value, "tl.load")
        kept = self._load(value, key) if isinstance(value, ast.Call) and is_load else value
        if ast.unparse(kept) == name:
            return None
        repeats = name in names_in(value)
        self._bind({name})
        if not repeats:
            self.held[name] = key
        if kept is value and is_load and names_in(value) & self.readable:
            self.loaded[key] = self._key(ast.Name(name))
        return ast.Assign(statement.targets, kept, lineno=0)

    def _load(self, load: ast.Call, key: str) -> ast.expr:
        """The load, or what was loaded or stored there before."""
        source = self.loaded.get(key, "")
        if source and self._key(ast.Name(source.partition("#")[0])) == source:
            return ast.Name(source.partition("#")[0], ast.Load())
        pointer = next((name for name in self.casts if pointer_sum(load.args[0], name) is not None), "")
        place, value = self.stored.get(pointer, ("", ""))
        source = value.partition("#")[0]
        mask = mask_of(load)
        if not place or place != self._place(load, mask) or self._key(ast.Name(source)) != value:
            return load
        text = f"{source}{self.casts[pointer]}"
        other = next((ast.unparse(k.value) for k in load.keywords if k.arg == "other"), "0.0")
        return ast.parse(f"tl.where({ast.unparse(mask)}, {text}, {other})" if mask else text, mode="eval").body

    def _place(self, access: ast.Call, mask: ast.expr | None) -> str:
        return f"{self._key(access.args[0])} {self._key(mask or ast.Constant(None))}"

    def _store(self, store: ast.Call) -> None:
        """Remember what the last store to a tensor leaves there, if that has a name."""
        for name in names_in(store.args[0]) & set(self.casts):
            self.stored.pop(name, None)
            if pointer_sum(store.args[0], name) is not None and isinstance(store.args[1], ast.Name):
                self.stored[name] = (self._place(store, mask_of(store)), self._key(store.args[1]))


def _stores_to(statement: ast.stmt, name: str) -> bool:
    store = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(store, ast.Call) and called(store, "tl.store") and name in names_in(store.args[0])


def _only_stored(statements: Sequence[ast.stmt], name: str) -> bool:
    """Whether the statements name a parameter in stores alone, and do."""
    uses = [name in names_in(statement) for statement in statements]
    stores = [_stores_to(statement, name) for statement in statements]
    return uses == stores and any(stores)


def _without_tensors(module: KernelModule, trace: HostTrace, launch: HostLaunch, names: Sequence[str]) -> KernelModule:
    """The module whose host code neither makes nor passes these tensors."""
    given = [text for text in launch.given.values() if text not in names]
    texts = {launch.index: [launch.text(launch.kernel, given)], **without_tensors(trace, names)}
    return with_statements(module, trace, texts)
