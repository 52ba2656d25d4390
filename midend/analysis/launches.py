"""Launches in host code, and kernels as syntax trees: what a rewrite of whole kernels reads."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kernelwright.backend.launch.host_trace import HostTrace
from kernelwright.ir.dialect.checker import all_arguments, extern_name, is_constexpr
from kernelwright.ir.kernel.analysis.accesses import written_parameters
from kernelwright.ir.kernel.text.inlining import inlined
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.kernel.values import Function
from kernelwright.ir.values import Kernel, KernelModule


@dataclass(frozen=True)
class HostLaunch:
    """A launch `kernel[grid](*arguments, **kernel_meta)` at a statement of host code."""

    index: int
    kernel: Kernel
    function: ast.FunctionDef
    grid: ast.expr
    arguments: tuple[ast.expr, ...]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that arguments are given for, in order."""
        return tuple(a.arg for a in self.function.args.args if not is_constexpr(a.annotation))

    @property
    def given(self) -> dict[str, str]:
        """Parameter -> argument as text."""
        return dict(zip(self.parameters, map(ast.unparse, self.arguments), strict=True))

    @property
    def written(self) -> frozenset[str]:
        """The parameters whose tensors the kernel may write: all of them where the text does not show which."""
        written: set[str] = set()
        for call in (node for node in ast.walk(self.function) if isinstance(node, ast.Call)):
            name = ast.unparse(call.func)
            stores = name == "tl.store" or name.startswith("tl.atomic")
            given = names_in(call.args[0]) if stores else set().union(*map(names_in, call.args))
            if stores and not given & set(self.parameters):
                return frozenset(self.parameters)
            if stores or not name.startswith("tl."):
                written |= given & set(self.parameters)
        return frozenset(written)

    @property
    def grid_options(self) -> frozenset[str]:
        """The launch options that the grid is worked out from, as `meta["XBLOCK"]`."""
        nodes = (node for node in ast.walk(self.grid) if isinstance(node, ast.Constant))
        return frozenset(node.value for node in nodes if isinstance(node.value, str))

    def text(self, kernel: Kernel, arguments: Sequence[str]) -> str:
        """The statement that launches another kernel with the same grid."""
        place = ast.unparse(ast.Subscript(ast.Name(kernel.symbol, ast.Load()), self.grid, ast.Load()))
        place = re.sub(rf"\b{self.kernel.meta_name}\b", kernel.meta_name, place)
        return f"{place}({', '.join([*arguments, f'**{kernel.meta_name}'])})"

    def programs(self, axis: int) -> int | None:
        """How many programs an axis of the grid has, if host code says so as a number."""
        entries = self.grid.elts if isinstance(self.grid, ast.Tuple) else [self.grid]
        if axis >= len(entries):
            return None
        match entries[axis]:
            case ast.Constant(int(number)):
                return number
        return None

    def shared_out(self, axis: int, option: str) -> "HostLaunch":
        """The launch with a program for so many of those of an axis as a launch option says."""
        entries = list(self.grid.elts) if isinstance(self.grid, ast.Tuple) else [self.grid]
        text = f"triton.cdiv({ast.unparse(entries[axis])}, {self.kernel.meta_name}[{option!r}])"
        entries[axis] = ast.parse(text, mode="eval").body
        return replace(self, grid=ast.Tuple(entries, ast.Load()))

    @property
    def constexprs(self) -> tuple[str, ...]:
        """The other parameters, in order."""
        return tuple(a.arg for a in self.function.args.args if is_constexpr(a.annotation))


def find_launches(module: KernelModule, trace: HostTrace) -> Iterator[HostLaunch]:
    """The launches in order, those alone that give every run-time argument by position and no option of their own."""
    kernels = {kernel.symbol: kernel for kernel in module.kernels}
    for index, statement in enumerate(trace.statements):
        match statement:
            case ast.Expr(
                ast.Call(ast.Subscript(ast.Name(symbol), grid), arguments, [ast.keyword(None, ast.Name(meta))])
            ) if symbol in kernels and meta == kernels[symbol].meta_name:
                launch = HostLaunch(index, kernels[symbol], function_of(kernels[symbol]), grid, tuple(arguments))
                plain = len(launch.arguments) == len(launch.parameters) and not launch.function.args.kwonlyargs
                if plain and {name for name, _ in kernels[symbol].meta} >= set(launch.constexprs):
                    yield launch


def launched_once(module: KernelModule, trace: HostTrace) -> list[HostLaunch]:
    """Those of them whose kernel no other launches."""
    launches = list(find_launches(module, trace))
    counts = Counter(launch.kernel.symbol for launch in launches)
    return [launch for launch in launches if counts[launch.kernel.symbol] == 1]


def function_of(kernel: Kernel) -> ast.FunctionDef:
    """The kernel's definition, a tree of its own."""
    function = ast.parse(kernel.source).body[0]
    assert isinstance(function, ast.FunctionDef)
    return function


def names_in(node: ast.AST) -> set[str]:
    """Names that a tree mentions."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def bound_by(node: ast.AST) -> list[str]:
    """Names that a tree binds, as often as it does."""
    return [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def read_by(node: ast.AST) -> set[str]:
    """Names that a tree reads."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def local_names(function: ast.FunctionDef) -> set[str]:
    """Parameters, and names that the body binds."""
    return {*bound_by(function), *(argument.arg for argument in all_arguments(function.args))}


def pointer_sum(node: ast.expr, pointer: str) -> ast.expr | None:
    """The offset in `pointer + offset`; None for anything else."""
    match node:
        case ast.BinOp(ast.Name(name), ast.Add(), offset) if name == pointer:
            return offset
    return None


def stores_by(function: ast.FunctionDef, pointer: str) -> list[ast.Call]:
    """The stores by a pointer that are statements of the body, outside of loops."""
    calls = [s.value for s in function.body if isinstance(s, ast.Expr) and called(s.value, "tl.store")]
    return [c for c in calls if isinstance(c, ast.Call) and pointer_sum(c.args[0], pointer) is not None]


def called(node: ast.AST, name: str) -> bool:
    """Whether a node is a call of a function spelled so, such as `tl.load`."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) == name


def storages(trace: HostTrace) -> dict[str, str]:
    """Names of host code -> one name for all that may share memory with it, as views of one tensor do."""
    found = {argument.arg: argument.arg for argument in trace.entry.args.args}
    for statement in trace.statements:
        match statement:
            case ast.Assign(targets=[ast.Name(name)], value=value):
                fresh = isinstance(value, ast.Call) and (
                    extern_name(value.func) or ast.unparse(value.func) == "torch.empty_strided"
                )
                bases = sorted(found[base] for base in names_in(value) & set(found)) if not fresh else []
                joined = bases[0] if bases else name
                found = {known: joined if root in bases else root for known, root in found.items()} | {name: joined}
    return found


def roots_of(trace: HostTrace, launch: HostLaunch) -> dict[str, set[str]]:
    """For each parameter of a launch, names for the memory that its argument may lie in; `storages` tells which."""
    roots = storages(trace)
    named = {name: names_in(ast.parse(text)) - {"torch"} for name, text in launch.given.items()}
    return {name: {roots.get(one, one) for one in names} for name, names in named.items()}


def makes(statement: ast.stmt, name: str) -> bool:
    """Whether a statement of host code makes a tensor of this name, uninitialised."""
    return ast.unparse(statement).startswith(f"{name} = torch.empty_strided(")


def is_made_for(trace: HostTrace, name: str, *indices: int) -> bool:
    """Whether a tensor is made by host code and used by these statements alone, once by each."""
    made = 0
    for index, statement in enumerate(trace.statements):
        here = makes(statement, name)
        times = sum(isinstance(node, ast.Name) and node.id == name for node in ast.walk(statement))
        if times > (here or index in indices) and not isinstance(statement, ast.Delete):
            return False
        made += here
    return made == 1


def users(trace: HostTrace, name: str) -> list[int]:
    """The statements of host code that mention a tensor, but for those that delete it."""
    return [
        index
        for index, statement in enumerate(trace.statements)
        if name in names_in(statement) and not isinstance(statement, ast.Delete)
    ]


def written_between(module: KernelModule, trace: HostTrace, begin: int, end: int) -> set[str]:
    """What the statements of host code from `begin` up to `end` may write or name anew, by the names of `storages`:
    all that they mention, unless they are launches or delete or make tensors."""
    roots, launches = storages(trace), {launch.index: launch for launch in find_launches(module, trace)}
    functions, found = kernel_functions(module), set[str]()
    for index in range(begin, end):
        statement = trace.statements[index]
        if index in launches:
            launch = launches[index]
            found |= {n for p in written_by(launch, functions) for n in names_in(ast.parse(launch.given[p]))}
        elif "torch.empty_strided(" in ast.unparse(statement):
            found |= set(bound_by(statement))
        elif not isinstance(statement, ast.Delete):
            found |= names_in(statement)
    return {roots.get(name, name) for name in found - {"torch"}}


def written_by(launch: HostLaunch, functions: Mapping[str, Function]) -> frozenset[str]:
    """The parameters whose tensors a launched kernel writes; `functions`: the kernels of its module."""
    return written_parameters(inlined(functions[launch.kernel.symbol], functions)) & set(launch.parameters)


def names_given(launch: HostLaunch, parameter: str) -> set[str]:
    """The names of host code in the argument of a parameter."""
    return names_in(ast.parse(launch.given[parameter])) - {"torch"}
