"""Kernels run by the guarded interpreter."""

import math
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from torch import Tensor

from kernelwright.backend.interpreter.addresses import Addresses
from kernelwright.backend.interpreter.runtime import InterpreterRuntime, patched_language
from kernelwright.backend.tensors import register_source
from kernelwright.evaluation.device.kernels import Description, builtins, language_value, named_values
from kernelwright.evaluation.device.serve import LaunchRequest
from kernelwright.evaluation.protocol.chance import chance
from kernelwright.evaluation.protocol.link import Json
from kernelwright.evaluation.protocol.tensors import same_bits

#: In how many calls all of an autotuned kernel's configurations have been tried.
_SHARES = 3


class InterpreterExecutor:
    """Runs kernels one program after another, every access checked. `zeros`: lanes without a value hold zeros."""

    def __init__(self, zeros: bool = False) -> None:
        self._runtime = InterpreterRuntime(check_uninitialised=True, check_races=True, zeros=zeros)
        self._kernels: dict[str, Any] = {}
        self.timed, self.call = False, 0
        self._secret, self._placed = chance.getrandbits(64), -1

    def prepared(self) -> AbstractContextManager[None]:
        """Triton's language is the interpreter's for many launches: to change it takes as long as a short one."""
        return patched_language().active()

    def describe(self, description: Description) -> None:
        """Make the kernel's function, in a namespace that holds nothing but what it may use."""
        source = description.source
        filename = register_source(source, description.symbol)
        with patched_language().suspended():
            space = named_values(description, self._kernels, wrapped=True)
        meant = space.get("triton")
        space |= {"__name__": filename, "__builtins__": builtins(), "triton": self._runtime.triton}
        exec(compile(source, filename, "exec"), space)
        function = space[description.symbol]
        space["triton"] = meant
        self._kernels[description.key] = function

    def launch(self, request: LaunchRequest) -> None:
        """Run every program of the grid."""
        handle = self._kernels[request.kernel]
        self._runtime.turned = self.call if self.call % 2 == 1 else 0
        if self._placed != self.call:
            self._placed, self._runtime.addresses = self.call, Addresses(self.call, self._secret)
        arguments = {name: self._argument(value) for name, value in request.arguments.items()}
        options: Mapping[str, Any] = {name: self._argument(value) for name, value in request.options.items()}
        handle[request.grid](**arguments, **options)

    def fastest(self, requests: Sequence[LaunchRequest], keep: Callable[[], Callable[[], None]]) -> int:
        """The configuration to launch. Times in the interpreter say nothing, and all configurations must be right, so
        they are launched in turn, one in each call. If there are more configurations than calls, each call tries a
        share of them, and launches the one whose results differ from the others."""
        turn = self.call % len(requests) if requests else 0
        taken = self._share_of_call()
        share = [number for number in range(1, len(requests)) if number % _SHARES == taken]
        if len(share) < 2:
            return share[0] if share else turn
        restore, distances = keep(), {0: 0.0}
        first = self._tried(requests[0])
        for number in share:
            restore()
            distances[number] = max(map(_apart, first, self._tried(requests[number])), default=0.0)
        restore()
        usual = statistics.median_high(distances.values())
        odd = max(distances, key=lambda number: abs(distances[number] - usual))
        return odd if distances[odd] != usual else turn

    def _share_of_call(self) -> int:
        """Which share of the configurations this call tries: every few calls try all, in an order that is secret."""
        order = list(range(_SHARES))
        random.Random(self._secret + self.call // _SHARES).shuffle(order)
        return order[self.call % _SHARES]

    def _tried(self, request: LaunchRequest) -> list[Tensor]:
        """What a launch leaves in the tensors that it is given."""
        self.launch(request)
        return [value.clone() for value in request.arguments.values() if isinstance(value, Tensor)]

    def fresh(self, whole: Tensor) -> None:
        """From now on a kernel that loads what nobody has written fails."""
        content = whole.clone()
        self._runtime.allocated(whole)
        whole.copy_(content)

    def filled(self, whole: Tensor) -> None:
        """All of it may be loaded."""
        self._runtime.wrote((whole,))

    def _argument(self, value: Tensor | Json) -> Any:
        if isinstance(value, Tensor):
            return value
        if "value" in value or "float" in value:
            return language_value(value, self._kernels, wrapped=False)
        with patched_language().suspended():
            return language_value(value, self._kernels, wrapped=False)


def _apart(first: Tensor, second: Tensor) -> float:
    """How far two results are from each other, relative to their size; infinite where one has no number."""
    if first.shape != second.shape or same_bits(first, second):
        return 0.0
    wide, other = first.double(), second.double()
    differ = (wide != other) & ~(wide.isnan() & other.isnan())
    if not bool(differ.any()):
        return 0.0
    distance = float((wide - other)[differ].abs().max().nan_to_num(nan=math.inf))
    finite = wide[wide.isfinite()].abs()
    size = float(finite.mean()) if finite.numel() else 0.0
    return distance / size if size else distance
