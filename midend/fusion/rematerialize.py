"""`rematerialize`: a convolution whose tiles were reduced is computed again where its elements are read afterwards."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from kernelwright.backend.launch.host_trace import HostTrace, trace_host
from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.kernel.analysis.accesses import Accesses
from kernelwright.ir.kernel.merging.merged import without_idle_parameters
from kernelwright.ir.kernel.merging.reading import Part, UnfitError
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.text.inlining import inlined
from kernelwright.ir.kernel.text.parsing import kernel_functions, parse_function
from kernelwright.ir.kernel.text.printing import print_function
from kernelwright.ir.kernel.values import Effect, Function
from kernelwright.ir.passes import Context, Declined, Keeps, Pass, register
from kernelwright.ir.values import Kernel, KernelModule, Level
from kernelwright.midend.analysis.hand_overs import HandOver, handed_on
from kernelwright.midend.analysis.host_code import (
    deletes_put_off,
    fresh_symbol,
    repeated_on_straight_host,
    with_kernel,
    with_statements,
)
from kernelwright.midend.analysis.launches import (
    find_launches,
    is_made_for,
    storages,
    written_between,
)
from kernelwright.midend.fusion.fuse_epilogue import FuseEpilogue
from kernelwright.midend.fusion.image_reading import read_tiles
from kernelwright.midend.fusion.image_tiles import done_in_tiles
from kernelwright.midend.fusion.joining import joined, one_fused, second_part, tensor_of
from kernelwright.midend.kernel_pass import part_of


@register
@dataclass(frozen=True)
class Rematerialize(Pass):
    """Compute a convolution twice, once for sums over its tiles and once for the kernel that reads its elements.

    Legal where a template stores its result and what the tiles come to, as `fuse-reduction` leaves it, one later
    kernel alone reads the result, `fuse-epilogue` can fuse that into the template, and nothing between the two writes
    what the template reads. The first launch then stores only what tiles come to, and a second one, in the place of
    the reader, the reader's results. Expected, not measured: saves writing and reading the result once, for reading
    the operands and doing the arithmetic once more, which pays where channels to sum over are few.
    """

    name: ClassVar[str] = "rematerialize"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    needs: ClassVar[str] = "a kernel that stores its result and what its tiles come to, and one that reads the result"
    changes: ClassVar[str] = "the result is computed again where it is read, and not stored"
    keeps: ClassVar[Keeps | None] = Keeps.REASSOCIATED
    explore = Exploration(Phase.FINISH, after=("fuse-reduction",))

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The module with such results computed twice, and what can be fused with these now; the same object where
        there is none."""
        changed = repeated_on_straight_host(module, _fuse_one, ctx)
        return module if changed is module else FuseEpilogue().run(changed, ctx)


def _fuse_one(module: KernelModule, trace: HostTrace, declined: Callable[[Declined], None]) -> KernelModule | None:
    return one_fused(handed_on(module, trace), lambda pair: Split(**vars(pair)).computed_twice(), declined, [])


@dataclass(frozen=True)
class Split(HandOver):
    """Two launches, the first of which stores its result for the second to read, and more."""

    @property
    def function(self) -> Function:
        """The first kernel."""
        functions = kernel_functions(self.module)
        return inlined(functions[self.first.kernel.symbol], functions)

    def check(self) -> None:
        """Raise UnfitError unless the first kernel may store its result just before the second launch: a kernel as
        `fuse-reduction` leaves it, whose result nobody else has and whose operands are then what they were."""
        first = self.first
        if not read_tiles(part_of(self.module, first), self.parameter).within:
            raise UnfitError("the first kernel does not keep its tiles within images")
        writing = [one for one in self.function.walk() if one.effect == Effect.WRITE]
        if len(writing) < 2 or any(one.kind != "store" for one in writing):
            raise UnfitError("the first kernel does not store its result and what tiles come to, and nothing else")
        if not is_made_for(self.trace, self.tensor, first.index, self.second.index):
            raise UnfitError("others read the tensor, too")
        roots = storages(self.trace)
        read = {roots.get(name, name) for name in self._names(self._again()) - {self.tensor}}
        if read & written_between(self.module, self.trace, first.index, self.second.index):
            raise UnfitError("what the first kernel reads is written before the second kernel's launch")

    def computed_twice(self) -> KernelModule:
        """The module with the result computed twice and the second kernel where that is for the second time. Raises
        UnfitError where it cannot be there."""
        self.check()
        again = self._again()
        module = self._split(again)
        trace = trace_host(module)
        assert trace is not None
        launches = {launch.kernel.symbol: launch for launch in find_launches(module, trace)}
        first, second = launches[again.symbol], launches[self.second.kernel.symbol]
        pair = HandOver(module, trace, first, second, self.parameter, self.tensor)
        if hindrance := pair.hindrance():
            raise UnfitError(hindrance)
        tiles = read_tiles(part_of(pair.module, pair.first), self.parameter)
        tensor = tensor_of(pair)

        def merge(form: Part, names: Mapping[str, str], symbol: str) -> Function:
            return done_in_tiles(tiles, form, tensor, names, symbol)

        return joined(pair, pair.first, second_part(pair), merge)

    def _split(self, again: Kernel) -> KernelModule:
        """The module with a second launch of the template, which alone stores the result."""
        first, second = self.first, self.second
        parts = self._storing(first.kernel.symbol, result=False)
        operands = self._names(again) - {self.tensor}
        reader = second.text(second.kernel, list(second.given.values()))
        texts, late = deletes_put_off(self.trace, (), operands, first.index, second.index)
        texts[first.index] = [first.text(parts, self._operands(parts))]
        texts[second.index] = [first.text(again, self._operands(again)), *late, reader]
        module = with_statements(self.module, self.trace, texts)
        kernels = tuple(parts if kernel == first.kernel else kernel for kernel in module.kernels)
        return with_kernel(replace(module, kernels=kernels), again)

    def _again(self) -> Kernel:
        """The first kernel without what it stores beside its result."""
        stem = f"{self.first.kernel.symbol.removesuffix('_parts')}_again"
        return self._storing(fresh_symbol(self.module, stem), result=True)

    def _storing(self, symbol: str, *, result: bool) -> Kernel:
        """The first kernel, which stores its result alone or what it stores beside it, and what that needs."""
        function = self.function
        edits = Rewriting(function)
        for access in Accesses(function).all:
            stores_result = access.base == function.argument(self.parameter)
            if access.operation.kind == "store" and stores_result != result:
                edits.erase(access.operation)
        made = without_idle_parameters(edits.done())
        return replace(self.first.kernel, symbol=symbol, source=print_function(replace(made, symbol=symbol)))

    def _operands(self, kernel: Kernel) -> list[str]:
        """What the first launch gives for the parameters of such a kernel."""
        return [self.first.given[name] for name in self._given(kernel)]

    def _names(self, kernel: Kernel) -> set[str]:
        """Names of host code in that."""
        return {one for name in self._given(kernel) for one in self.first.names(name)}

    def _given(self, kernel: Kernel) -> list[str]:
        """The parameters of such a kernel that the first launch gives something for."""
        names = {one.name for one in parse_function(kernel.source).parameters}
        return [name for name in self.first.parameters if name in names]
