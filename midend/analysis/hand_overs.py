"""Two launches, the second of which reads what the first writes: whether one launch may take the place of both."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from kernelwright.backend.launch.host_trace import HostTrace
from kernelwright.ir.host.statements import Expression, Statement
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.passes import Declined
from kernelwright.ir.values import Kernel, KernelModule, TensorSpec
from kernelwright.midend.analysis.host_code import (
    FLOATS,
    deletes_put_off,
    with_kernel,
    with_statements,
    without_idle_kernels,
)
from kernelwright.midend.analysis.launches import (
    HostLaunch,
    find_launches,
    is_made_for,
    launched_once,
    storages,
    written_by,
)

#: Types of tensors between two kernels: a cast to one of them gives what storing and loading would.
HANDED_OVER = (*FLOATS, "i8", "i16", "i32", "i64", "u8")


def hand_overs(
    module: KernelModule, trace: HostTrace, declined: Callable[[Declined], None] = lambda _why: None
) -> Iterator["HandOver"]:
    """Every tensor that one launch hands over to a later launch of another kernel, if one launch may replace the two.
    If one launch may not, and the first launch writes the tensor, `declined` gets the reason."""
    launches, functions = list(find_launches(module, trace)), kernel_functions(module)
    for first in launches:
        for second in launches:
            if first.index < second.index and first.kernel != second.kernel:
                for parameter, name in first.given.items():
                    pair = HandOver(module, trace, first, second, parameter, name)
                    if name not in second.given.values():
                        continue
                    hindrance = pair.hindrance()
                    if not hindrance:
                        yield pair
                    elif parameter in written_by(first, functions):
                        declined(Declined(hindrance, pair.symbols))


def handed_on(module: KernelModule, trace: HostTrace) -> Iterator["HandOver"]:
    """Every tensor that one launch writes and a later one is given, of kernels that are launched once. One launch need
    not be able to replace the two."""
    functions, once = kernel_functions(module), launched_once(module, trace)
    for first in once:
        written = sorted(written_by(first, functions))
        for second in (launch for launch in once if launch.index > first.index):
            for parameter in written:
                if first.given[parameter] in second.given.values():
                    yield HandOver(module, trace, first, second, parameter, first.given[parameter])


@dataclass(frozen=True)
class HandOver:
    """Two launches, the second of which reads what the first stores by `parameter` into host code's tensor `tensor`."""

    module: KernelModule
    trace: HostTrace
    first: HostLaunch
    second: HostLaunch
    parameter: str
    tensor: str

    @property
    def read_as(self) -> str:
        """The second kernel's name for the tensor."""
        return next(name for name, value in self.second.given.items() if value == self.tensor)

    @property
    def symbols(self) -> str:
        """The names of both kernels."""
        return f"{self.first.kernel.symbol}, {self.second.kernel.symbol}"

    def hindrance(self) -> str:
        """Why one launch may not replace the two, for example because the tensor has gaps. "" if it may."""
        spec = self.spec()
        if spec is None:
            return "host code does not create the tensor between them as an uninitialised tensor"
        if spec.dtype not in HANDED_OVER:
            return f"the tensor between them holds {spec.dtype}, not one of {', '.join(HANDED_OVER)}"
        if spec.extent != spec.numel:
            return "the tensor between them has gaps"
        if not self._is_given_once():
            return "other code uses the tensor before the second kernel does"
        if not self._nothing_between():
            return "host code between them touches tensors that the first kernel uses"
        return "" if self._nothing_shared() else "they share another tensor, and one of them writes it"

    def is_kept(self) -> bool:
        """Whether others read the tensor, too: after the second launch, where nothing between the two does."""
        return not is_made_for(self.trace, self.tensor, self.first.index, self.second.index)

    def spec(self) -> TensorSpec | None:
        """The tensor that the first launch is given; None where host code does not make it uninitialised."""
        if not self.tensor.isidentifier() or self._allocated() is None:
            return None
        return self.trace.spec(self.first.index, Expression(self.tensor))

    def _allocated(self) -> int | None:
        """The statement that makes the tensor, if that leaves it uninitialised."""
        for index, statement in enumerate(self.trace.statements[: self.first.index]):
            if statement.made == self.tensor:
                return index
        return None

    def _is_given_once(self) -> bool:
        """Whether the tensor appears once in either launch and nowhere else before the second."""
        places = [
            index
            for index, statement in enumerate(self.trace.statements[: self.second.index + 1])
            for _ in range(statement.mentions.count(self.tensor) - (statement.made == self.tensor))
        ]
        return places == [self.first.index, self.second.index]

    def _nothing_between(self) -> bool:
        """Whether the first launch may wait for the second: no statement between them touches what it uses."""
        used = self.first.names()
        between = [s for s in self.trace.statements[self.first.index + 1 : self.second.index] if not s.deletes]
        if any((statement.names - statement.devices) & used for statement in between):
            return False
        # A view could be touched under another name.
        busy = any(not statement.made for statement in between)
        return not busy or not any(_is_view(s, used) for s in self.trace.statements[: self.second.index])

    def _nothing_shared(self) -> bool:
        """Whether no program of one kernel writes what a program of the other reads or writes, the tensor apart."""
        roots = storages(self.trace)

        def touched(launch: HostLaunch, parameters: Iterable[str]) -> set[str]:
            names = {name for one in parameters for name in launch.names(one)} - {self.tensor}
            return {roots.get(name, name) for name in names}

        first, second, functions = self.first, self.second, kernel_functions(self.module)
        return not (
            touched(first, written_by(first, functions)) & touched(second, second.parameters)
            or touched(second, written_by(second, functions)) & touched(first, first.parameters)
        )

    def fused(self, kernel: Kernel, arguments: list[str], *, grid_of: HostLaunch | None = None) -> KernelModule:
        """The module with a launch of this kernel, given so, in the place of both, and without what only they need.
        The grid is that of the first launch, unless another is named."""
        first, second = self.first, self.second
        allocated, gone = self._allocated(), () if self.is_kept() else (self.tensor,)
        assert allocated is not None
        used = first.names()
        texts, late = deletes_put_off(self.trace, gone, used, first.index, second.index)
        texts |= {first.index: [], second.index: [(grid_of or first).text(kernel, arguments), *late]}
        texts |= {allocated: []} if gone else {}
        module = with_statements(self.module, self.trace, texts)
        return without_idle_kernels(with_kernel(module, kernel))


def _is_view(statement: Statement, used: Collection[str]) -> bool:
    """Whether a statement names memory of one of these tensors anew."""
    fresh = statement.made or (statement.call is not None and statement.call.operation)
    return bool(statement.assigned) and not fresh and not (statement.names - statement.devices).isdisjoint(used)
