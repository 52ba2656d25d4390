"""Launches in host code, and what is known of the tensors that they are given."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kernelwright.backend.launch.host_trace import HostTrace
from kernelwright.ir.host.statements import Expression, renamed
from kernelwright.ir.kernel.analysis.accesses import written_parameters
from kernelwright.ir.kernel.text.inlining import inlined
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.kernel.values import Function, Parameter
from kernelwright.ir.values import Kernel, KernelModule


@dataclass(frozen=True)
class HostLaunch:
    """A launch `kernel[grid](*arguments, **kernel_meta)` at a statement of host code. `signature` is the kernel's."""

    index: int
    kernel: Kernel
    signature: tuple[Parameter, ...]
    grid: Expression
    arguments: tuple[Expression, ...]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that arguments are given for, in order."""
        return tuple(one.name for one in self.signature if not one.is_constexpr)

    @property
    def constexprs(self) -> tuple[str, ...]:
        """The other parameters, in order."""
        return tuple(one.name for one in self.signature if one.is_constexpr)

    @property
    def given(self) -> dict[str, str]:
        """Parameter -> argument as text."""
        return {name: one.text for name, one in self._given.items()}

    @property
    def _given(self) -> dict[str, Expression]:
        return dict(zip(self.parameters, self.arguments, strict=True))

    def names(self, *parameters: str) -> frozenset[str]:
        """The names of host code in the arguments of these parameters; of all, where none is named."""
        given = self._given
        return frozenset(name for one in parameters or given for name in given[one].names)

    @property
    def grid_options(self) -> frozenset[str]:
        """The launch options that the grid is worked out from, as `meta["XBLOCK"]`."""
        return self.grid.strings

    def text(self, kernel: Kernel, arguments: Sequence[str]) -> str:
        """The statement that launches another kernel with the same grid."""
        grid = renamed(self.grid.text, self.kernel.meta_name, kernel.meta_name)
        return f"{kernel.symbol}[{grid}]({', '.join([*arguments, f'**{kernel.meta_name}'])})"

    def programs(self, axis: int) -> int | None:
        """How many programs an axis of the grid has, if host code says so as a number."""
        entries = self._entries
        return entries[axis].number if axis < len(entries) else None

    def shared_out(self, axis: int, option: str) -> "HostLaunch":
        """The launch with a program for so many of those of an axis as a launch option says."""
        entries = list(self._entries)
        entries[axis] = Expression(f"triton.cdiv({entries[axis].text}, {self.kernel.meta_name}[{option!r}])")
        return replace(self, grid=Expression.of(entries))

    def blocks_of_grid(self) -> tuple[int, str] | None:
        """How many there are of what programs are counted by, and the launch option for the size of blocks of these;
        None where the grid is another than one axis of such blocks."""
        options, entries = list(self.grid.strings), self._entries
        if len(options) != 1 or len(entries) != 1:
            return None
        block = f", {self.kernel.meta_name}[{options[0]!r}])"
        count = Expression(entries[0].text.removeprefix("triton.cdiv(").removesuffix(block)).number
        plain = count is not None and entries[0].text == f"triton.cdiv({count}{block}"
        return (count, options[0]) if count is not None and plain else None

    def in_one_block(self, size: int, option: str) -> "HostLaunch | None":
        """The launch for blocks that hold all of `size`; None where the grid is no multiple of how many blocks of a
        launch option's size there are."""
        count = f"triton.cdiv({size}, {self.kernel.meta_name}[{option!r}]) * "
        rest = Expression(self.grid.text.replace(count, "", 1))
        return None if rest == self.grid or option in rest.strings else replace(self, grid=rest)

    @property
    def _entries(self) -> Sequence[Expression]:
        return self.grid.elements or (self.grid,)


def find_launches(module: KernelModule, trace: HostTrace) -> Iterator[HostLaunch]:
    """The launches in order, those alone that give every run-time argument by position and no option of their own."""
    kernels, functions = {kernel.symbol: kernel for kernel in module.kernels}, kernel_functions(module)
    for index, statement in enumerate(trace.statements):
        call = statement.call
        kernel = kernels.get(call.function) if call is not None else None
        if call is None or call.grid is None or kernel is None or statement.kind != "call":
            continue
        if call.keywords == (("", Expression(kernel.meta_name)),):
            launch = HostLaunch(index, kernel, functions[kernel.symbol].parameters, call.grid, call.arguments)
            plain = not any(one.keyword_only for one in launch.signature)
            plain = plain and len(launch.arguments) == len(launch.parameters)
            if plain and {name for name, _ in kernel.meta} >= set(launch.constexprs):
                yield launch


def launched_once(module: KernelModule, trace: HostTrace) -> list[HostLaunch]:
    """Those of them whose kernel no other launches."""
    launches = list(find_launches(module, trace))
    counts = Counter(launch.kernel.symbol for launch in launches)
    return [launch for launch in launches if counts[launch.kernel.symbol] == 1]


def storages(trace: HostTrace) -> dict[str, str]:
    """Names of host code -> one name for all that may share memory with it, as views of one tensor do."""
    found = {name: name for name in trace.code.parameters}
    for statement in trace.statements:
        for name in statement.assigned:
            fresh = statement.made or (statement.call is not None and statement.call.operation)
            read = {one for one in statement.names if statement.mentions.count(one) > statement.targets.count(one)}
            bases = sorted(found[base] for base in read & set(found)) if not fresh else []
            joined = bases[0] if bases else name
            found = {known: joined if root in bases else root for known, root in found.items()} | {name: joined}
    return found


def roots_of(trace: HostTrace, launch: HostLaunch) -> dict[str, set[str]]:
    """For each parameter of a launch, names for the memory that its argument may lie in; `storages` tells which."""
    roots = storages(trace)
    return {name: {roots.get(one, one) for one in launch.names(name)} for name in launch.parameters}


def is_made_for(trace: HostTrace, name: str, *indices: int) -> bool:
    """Whether a tensor is made by host code and used by these statements alone, once by each."""
    made = 0
    for index, statement in enumerate(trace.statements):
        here = statement.made == name
        if statement.mentions.count(name) > (here or index in indices) and not statement.deletes:
            return False
        made += here
    return made == 1


def users(trace: HostTrace, name: str) -> list[int]:
    """The statements of host code that mention a tensor, but for those that delete it."""
    return [index for index, one in enumerate(trace.statements) if name in one.names and not one.deletes]


def written_between(module: KernelModule, trace: HostTrace, begin: int, end: int) -> set[str]:
    """What the statements of host code from `begin` up to `end` may write or name anew, by the names of `storages`:
    all that they mention, unless they are launches or delete or make tensors."""
    roots, launches = storages(trace), {launch.index: launch for launch in find_launches(module, trace)}
    functions, found = kernel_functions(module), set[str]()
    for index in range(begin, end):
        statement = trace.statements[index]
        if index in launches:
            written = written_by(launches[index], functions)
            found |= launches[index].names(*written) if written else set()
        elif statement.made:
            found.add(statement.made)
        elif not statement.deletes:
            found |= statement.names
    return {roots.get(name, name) for name in found}


def written_by(launch: HostLaunch, functions: Mapping[str, Function]) -> frozenset[str]:
    """The parameters whose tensors a launched kernel writes; `functions`: the kernels of its module."""
    return written_parameters(inlined(functions[launch.kernel.symbol], functions)) & set(launch.parameters)
