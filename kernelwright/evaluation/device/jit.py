"""Kernels as Triton's own jit functions: compiled for a target, or launched on the GPU that is there."""

import contextlib
import functools
import hashlib
import json
import linecache
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
import triton
from torch import Tensor

from kernelwright.backend.compile.compiled import Compiled
from kernelwright.backend.compile.compiler import CompileFailureError, compile_for_device, compile_jit
from kernelwright.backend.launch.execute import Launch
from kernelwright.backend.measure.clock import Clock, clock_for, middle, tick
from kernelwright.backend.measure.turns import DeviceLock
from kernelwright.backend.targets import Target
from kernelwright.backend.tensors import inner_spec
from kernelwright.evaluation.device.kernels import Description, builtins, language_value, named_values
from kernelwright.evaluation.device.serve import LaunchRequest
from kernelwright.evaluation.protocol.link import Json
from kernelwright.ir.text import text_lines
from kernelwright.ir.values import Resources

#: Seconds in which the configurations of an autotuned kernel are compiled, and those that one is timed in.
_TUNE_SECONDS, _TRIAL_SECONDS = 10.0, 0.2
#: Timed runs of each.
_TRIAL_RUNS = 5


class JitKernels:
    """Jit functions by key, in namespaces that hold nothing but what they may use; memory is not watched."""

    def __init__(self) -> None:
        self.by_key: dict[str, Any] = {}
        self.sources: dict[str, list[str]] = {}
        self.timed, self.call = False, 0

    def describe(self, description: Description) -> None:
        """Make the kernel's function."""
        source = description.source
        filename = f"<kernel {description.symbol} {hashlib.sha256(source.encode()).hexdigest()[:12]}>"
        linecache.cache[filename] = (len(source), None, text_lines(source, keep_ends=True), filename)
        space = named_values(description, self.by_key, wrapped=False)
        meant = space.get("triton")
        space |= {"__name__": "kernelwright_module", "__builtins__": builtins(), "triton": triton}
        exec(compile(source, filename, "exec"), space)
        function = space[description.symbol]
        del space["triton"]
        if meant is not None:
            space["triton"] = meant
        self.by_key[description.key] = function
        inner = [value["kernel"] for value in description.names.values() if "kernel" in value]
        names = json.dumps({k: v for k, v in description.names.items() if "kernel" not in v}, sort_keys=True)
        self.sources[description.key] = [source, names, *(text for key in inner for text in self.sources[key])]

    def fastest(self, requests: Sequence[LaunchRequest], keep: Callable[[], Callable[[], None]]) -> int:
        """The first, where nothing is run."""
        del requests, keep
        return 0

    def fresh(self, whole: Tensor) -> None:
        """Nothing to note."""

    def filled(self, whole: Tensor) -> None:
        """Nothing to note."""

    def value(self, value: Tensor | Json) -> Any:
        """An argument as a launch takes it."""
        return value if isinstance(value, Tensor) else language_value(value, self.by_key, wrapped=False)

    def as_launch(self, request: LaunchRequest) -> Launch:
        """A request as the compiler and the cost model take it: with the tensors' specs."""
        given = {name: self.value(value) for name, value in request.arguments.items()}
        runtime = {name: value for name, value in given.items() if name not in request.constexprs}
        tensors = {name: value for name, value in runtime.items() if isinstance(value, Tensor)}
        return Launch(
            symbol=self.by_key[request.kernel].__name__,
            grid=request.grid,
            args=tuple((name, inner_spec(name, v) if name in tensors else v) for name, v in runtime.items()),
            constexprs={name: value for name, value in given.items() if name in request.constexprs},
            options={name: self.value(value) for name, value in request.options.items()},
            misaligned=frozenset(n for n, t in tensors.items() if t.storage_offset() * t.element_size() % 16),
        )


class CompilingExecutor(JitKernels):
    """Compiles each launch for a target instead of running it. Raises CompileFailureError from `launch`."""

    def __init__(self, target: Target) -> None:
        super().__init__()
        self._target = target
        self.compiled: dict[str, Compiled] = {}

    def launch(self, request: LaunchRequest) -> None:
        """Compile the kernel for these arguments."""
        kernel, launch = self.by_key[request.kernel], self.as_launch(request)
        by_name: Mapping[str, Any] = {function.__name__: function for function in self.by_key.values()}
        handed = [
            value["kernel"] for value in request.arguments.values() if isinstance(value, dict) and "kernel" in value
        ]
        sources = [text for key in (request.kernel, *handed) for text in self.sources[key]]
        built = compile_jit(kernel, launch, self._target, by_name, sources)
        self.compiled.setdefault(kernel.__name__, built)


class CudaExecutor(JitKernels):
    """Compiles kernels for the GPU that is there, while others may have their turn on it, and launches them.

    `resources` has what each kernel takes, by its name.
    """

    def __init__(self, turns: DeviceLock) -> None:
        super().__init__()
        self.turns, self.timed = turns, True
        self.resources: dict[str, Resources] = {}
        triton.set_allocator(_allocated)  # kernels that make descriptors keep them in memory

    def launch(self, request: LaunchRequest) -> None:
        """Compile where that is due, and run the grid; empty ones launch nothing."""
        run = self.prepare(request)
        with self.turns.at_least_shared():  # host code may launch while it builds, when no turn is held
            run()

    def fastest(self, requests: Sequence[LaunchRequest], keep: Callable[[], Callable[[], None]]) -> int:
        """The launch with the least median time by events, each run on the same content and behind a flush.

        What does not compile, or comes when the time is up, is not chosen.
        """
        elapsed, ready = tick(), list[int]()
        for number, request in enumerate(requests):
            with contextlib.suppress(CompileFailureError):
                self.compiled(request)
                ready.append(number)
            if elapsed() > _TUNE_SECONDS:
                break
        with self.turns.alone():
            clock, restore = clock_for(torch.device("cuda")), keep()
            times = {number: _trial(self._launcher(requests[number]), restore, clock) for number in ready}
            restore()
        return min(times, key=lambda number: times[number], default=0)

    def prepare(self, request: LaunchRequest) -> Callable[[], object]:
        """The launch with its arguments made ready, to be called as often as wanted. Raises CompileFailureError."""
        kernel = self.by_key[request.kernel]
        self.resources.setdefault(kernel.__name__, self.compiled(request).resources)
        return self._launcher(request)

    def _launcher(self, request: LaunchRequest) -> Callable[[], object]:
        if not all(request.grid):
            return lambda: None
        return functools.partial(self.by_key[request.kernel][request.grid], **self._given(request))

    def compiled(self, request: LaunchRequest) -> Compiled:
        """The kernel as it is compiled for a launch's arguments. Raises CompileFailureError."""
        with self.turns.given_up():
            return compile_for_device(self.by_key[request.kernel], self._given(request))

    def _given(self, request: LaunchRequest) -> dict[str, Any]:
        """Arguments and options as a launch takes them."""
        return {name: self.value(value) for name, value in (*request.arguments.items(), *request.options.items())}


def _allocated(size: int, _alignment: int, _stream: int | None) -> Tensor:
    """Memory of the device for a launch."""
    return torch.empty(size, dtype=torch.int8, device="cuda")


def _trial(run: Callable[[], object], restore: Callable[[], None], clock: Clock) -> float:
    """Milliseconds that a launch takes; one run is enough where it is long."""
    restore()
    run()
    restore()
    once = clock.time(run)[0]
    runs = min(_TRIAL_RUNS, int(1e3 * _TRIAL_SECONDS / once))
    return middle(clock.queued([restore] * runs, run)) if runs > 1 else once
