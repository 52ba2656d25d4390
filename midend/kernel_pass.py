"""Passes whose work is inside kernels: a rule one can read, and a rewrite of a value."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from kernelwright.backend.launch.facts import launch_facts
from kernelwright.backend.launch.host_trace import HostTrace
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.merging.reading import Part, UnfitError
from kernelwright.ir.kernel.normal import normal_form
from kernelwright.ir.kernel.text.inlining import self_contained
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.kernel.text.printing import with_functions
from kernelwright.ir.kernel.values import Function
from kernelwright.ir.passes import Context, Declined, Pass
from kernelwright.ir.values import KernelModule, Level
from kernelwright.midend.analysis.host_code import without_idle_kernels
from kernelwright.midend.analysis.launches import HostLaunch, launched_once

#: The reason of passes that have to know the tensors and numbers of a launch.
NOT_KNOWN = "the arguments that the launcher passes are not known"


@dataclass(frozen=True)
class KernelPass(Pass):
    """A pass that rewrites kernels one by one.

    `needs`, `changes` and `keeps` are its rule. `asks_launches`: it is told what the launcher passes, which costs a
    run of the host code on meta tensors.
    """

    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    asks_launches: ClassVar[bool] = False

    @abstractmethod
    def rewrite(self, function: Function, launches: Launches | None) -> Function | Declined:
        """The rewritten kernel, or the reason against it. The same object says that the kernel does not
        have what the pass `needs`."""

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The module with its kernels rewritten; the same object where the rule applies to none."""
        functions = kernel_functions(module)
        known = launch_facts(module) if functions and self.asks_launches else {}
        return all_rewritten(
            module, functions, lambda one: partial(self.rewrite, launches=known.get(one)), self.needs, ctx
        )


def all_rewritten(
    module: KernelModule,
    functions: Mapping[str, Function],
    rewrite: Callable[[str], Callable[[Function], Function | Declined]],
    needs: str,
    ctx: Context,
) -> KernelModule:
    """The module with its kernels rewritten, each by what `rewrite` gives for its symbol; the same object where none
    changes."""
    found = {}
    for symbol, function in functions.items():
        made = rewritten(function, functions, rewrite(symbol), needs) if function.entry else None
        if isinstance(made, Declined):
            ctx.declined(replace(made, kernel=symbol))
        elif made is not None:
            found[symbol] = made
    return without_idle_kernels(with_functions(module, found)) if found else module


def rewritten(
    function: Function,
    functions: Mapping[str, Function],
    rewrite: Callable[[Function], Function | Declined],
    needs: str,
) -> Function | Declined:
    """The rewritten kernel. Its helpers are inlined and its loops counted, unless it is the same kernel without that.

    If `rewrite` returns the kernel unchanged, the result is `Declined` with the pass's `needs`.
    """
    whole = self_contained(function, functions)
    made = rewrite(whole)
    if isinstance(made, Declined):
        return made
    if made == whole:
        return Declined(f"it needs {needs}")
    short = rewrite(function) if whole is not function else made
    if short is made or isinstance(short, Declined):
        return made
    return short if normal_form(short, functions) == normal_form(made, functions) else made


def part_of(module: KernelModule, launch: HostLaunch) -> Part:
    """A kernel as it is launched. Raises UnfitError where that is not known."""
    functions, symbol = kernel_functions(module), launch.kernel.symbol
    blocks = {name: value for name, value in launch.kernel.meta if type(value) is int}
    known = launch_facts(module).get(symbol)
    if known is None:
        raise UnfitError(NOT_KNOWN)
    return Part(self_contained(functions[symbol], functions), known, blocks, bool(launch.grid_options))


def one_launch_rewritten(
    module: KernelModule,
    trace: HostTrace,
    rewrite: Callable[[HostLaunch, Launches], KernelModule | Declined],
    declined: Callable[[Declined], None],
) -> KernelModule | None:
    """The module after `rewrite` has changed the first kernel that it can, of those that are launched once; None where
    there is none, and `declined` gets the reasons."""
    known, launched = launch_facts(module), launched_once(module, trace)
    if not launched:
        declined(Declined("no kernel is launched just once"))
    for launch in launched:
        symbol = launch.kernel.symbol
        made = rewrite(launch, known[symbol]) if symbol in known else Declined(NOT_KNOWN)
        if not isinstance(made, Declined):
            return made
        declined(replace(made, kernel=symbol))
    return None
