"""Kernels run by the guarded interpreter."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor

from kernelwright.backend.interpreter.runtime import InterpreterRuntime
from kernelwright.backend.tensors import register_source
from kernelwright.evaluation.device.kernels import Description, builtins, language_value, named_values
from kernelwright.evaluation.device.serve import LaunchRequest
from kernelwright.evaluation.protocol.link import Json


class InterpreterExecutor:
    """Runs kernels one program after another, every access checked. `zeros`: lanes without a value hold zeros."""

    def __init__(self, zeros: bool = False) -> None:
        self._runtime = InterpreterRuntime(check_uninitialised=True, check_races=True, zeros=zeros)
        self._kernels: dict[str, Any] = {}
        self.timed, self.call = False, 0

    def describe(self, description: Description) -> None:
        """Make the kernel's function, in a namespace that holds nothing but what it may use."""
        source = description.source
        filename = register_source(source, description.symbol)
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
        arguments = {name: self._argument(value) for name, value in request.arguments.items()}
        options: Mapping[str, Any] = {name: self._argument(value) for name, value in request.options.items()}
        handle[request.grid](**arguments, **options)

    def fastest(self, requests: Sequence[LaunchRequest], keep: Callable[[], Callable[[], None]]) -> int:
        """Each in turn, a call after the other: how long the interpreter takes says nothing, and all must be right."""
        del keep
        return self.call % len(requests) if requests else 0

    def fresh(self, whole: Tensor) -> None:
        """From now on a kernel that loads what nobody has written fails."""
        content = whole.clone()
        self._runtime.allocated(whole)
        whole.copy_(content)

    def filled(self, whole: Tensor) -> None:
        """All of it may be loaded."""
        self._runtime.wrote((whole,))

    def _argument(self, value: Tensor | Json) -> Any:
        return value if isinstance(value, Tensor) else language_value(value, self._kernels, wrapped=False)
