"""Runs modules on one reference's inputs, compares what they give with the first one's, and takes their times.

Its functions are tasks of a child process (see `children`), which owns inputs, expected outputs and the CUDA context.
Comparing is loose and looks at one draw of inputs: it tells what a pass got wrong, and is no verdict.
"""

import contextlib
import copy
import functools
import gc
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor

from kernelwright.backend.interpreter.runtime import InterpreterRuntime
from kernelwright.backend.launch.binding import BoundLaunch, JitNamespace, KernelHandle
from kernelwright.backend.launch.execute import load_module
from kernelwright.backend.launch.jit import load_kernels
from kernelwright.backend.measure.children import WAITS, WORKS, LastWordError, tell
from kernelwright.backend.measure.clock import Clock, clock_for, middle, tick
from kernelwright.backend.measure.turns import DeviceLock
from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.backend.reference.tf32 import Eager, permitted
from kernelwright.backend.tensors import Value
from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.values import KernelModule, Reference

#: What stands for the whole call among the symbols of kernels.
WHOLE = ""
#: Milliseconds that the timed runs of one module or kernel take, and how many there are at least and at most.
_BUDGET_MS, _FEWEST, _MOST = 40.0, 3, 15
#: How many times slower than the best something must be at first sight for its time not to be taken again.
_HOPELESS = 2.0
#: Elements compared at a time, and how far they may be apart, relative to the larger of themselves and of all.
_PART, _APART = 1 << 26, 1e-2
#: How many times farther apart than eager and the plain module others may be, where what is left after cancelling is
#: rounding.
_NOISY = 8.0


class WrongOutputError(KernelwrightError):
    """A module's outputs are not those of the one that it is compared with."""


class _Launching:
    """Kernels launched by Triton on the GPU that is there; `launches` holds each with the symbol of its kernel.

    Kernels are the very functions that `compiler.compile_launch` compiles, so that Triton finds in its cache what any
    process compiled for this GPU before.
    """

    def __init__(self, module: KernelModule) -> None:
        self.device = torch.device("cuda")
        self.triton = JitNamespace(self._launch, KernelHandle)
        self.launches: list[tuple[str, Callable[[], object]]] = []
        self._module = module

    def host_mode(self) -> Any:
        """Host code's default device is this one."""
        return torch.cuda.device(self.device)

    def _launch(self, handle: KernelHandle, bound: BoundLaunch) -> None:
        kernels = load_kernels(self._module, handle.__name__)
        functions = {name: kernels.get(getattr(bound.arguments[name], "__name__", "")) for name in bound.constexprs}
        given = {**bound.arguments, **{name: found for name, found in functions.items() if found}, **bound.options}
        if all(bound.grid):
            run = functools.partial(kernels[handle.__name__][bound.grid], **given)
            self.launches.append((handle.__name__, run))
            run()


class _Interpreting(InterpreterRuntime):
    """The same without a GPU: what is timed is the interpreter. For rehearsals."""

    def __init__(self) -> None:
        super().__init__()
        self.launches: list[tuple[str, Callable[[], object]]] = []

    def _launch(self, handle: KernelHandle, bound: BoundLaunch) -> None:
        run = functools.partial(super()._launch, handle, bound)
        self.launches.append((handle.__name__, run))
        run()


@dataclass
class Bench:
    """One reference's inputs and state on a device, and the outputs of the module that others are compared with; by how
    much eager's, whose TF32 products cut operands off as templates' do, are apart from those, at most, is `noise`. With
    `warm`, runs are timed right behind another one of the same."""

    device: torch.device
    seed: int
    clock: Clock
    turns: DeviceLock
    plain: KernelModule
    inputs: Sequence[Value]
    state: Mapping[str, Tensor]
    expected: tuple[Tensor, ...]
    noise: tuple[float, ...] = ()
    warm: bool = False

    @classmethod
    def of(cls, plain: KernelModule, seed: int, device: torch.device, warm: bool = False) -> "Bench":
        """Draw inputs and weights, and run the module that others are compared with."""
        turns = DeviceLock(device)
        with _turn(turns.shared):
            drawn = _drawn(plain, seed, device)
            bench = cls(device, seed, clock_for(device), turns, plain, drawn.inputs, drawn.state, (), warm=warm)
            bench.expected = bench.outputs(plain)
            bench.noise = tuple(apart(*pair) for pair in zip(drawn.eager, bench.expected, strict=True))
        return bench

    def outputs(self, module: KernelModule) -> tuple[Tensor, ...]:
        """What a module gives."""
        outputs = load_module(module, self._runtime(module), self.seed)(self.inputs, self.state)
        self._synchronize()
        return outputs

    def microseconds(self, module: KernelModule, symbols: Sequence[str], best_us: float, budget: float) -> list[float]:
        """Median time of a call (WHOLE) and of all launches of a kernel in one. Caches are cold, or with `warm` as
        another run leaves them.

        What takes much longer than `best_us` is timed once. Raises WrongOutputError, and LastWordError where inputs
        are not what they were.
        """
        runtime = self._runtime(module)
        call = load_module(module, runtime, self.seed)
        with _turn(self.turns.shared):
            self._check(module, call(self.inputs, self.state))
        launches, runtime.launches = list(runtime.launches), []
        found = []
        for symbol in symbols:
            runs = [run for name, run in launches if name == symbol]
            whole = functools.partial(self._call, call, runtime)
            with _turn(self.turns.alone):
                found.append(self._median_us(whole if symbol == WHOLE else _all(runs), best_us, budget))
        return found

    def _call(self, call: Callable[..., object], runtime: "_Launching | _Interpreting") -> None:
        call(self.inputs, self.state)
        runtime.launches.clear()  # they hold on to what was allocated for the call

    def _median_us(self, run: Callable[[], object], best_us: float, budget: float) -> float:
        run()
        self.clock.flush()
        queueing_ms = 0.0

        def once() -> None:
            nonlocal queueing_ms
            since = tick()
            run()
            queueing_ms = 1e3 * since()

        first_ms = min(self.clock.time(once)[0] for _ in range(2))
        if 1e3 * first_ms > _HOPELESS * best_us + 1e3 * queueing_ms:
            return 1e3 * first_ms
        runs = min(max(int(budget * _BUDGET_MS / first_ms), _FEWEST), int(budget * _MOST))
        return 1e3 * middle(self.clock.queued([lambda: None] * runs, run, (1 + self.warm) * queueing_ms, self.warm))

    def _check(self, module: KernelModule, outputs: tuple[Tensor, ...]) -> None:
        self._synchronize()
        wrong = difference(outputs, self.expected, self.noise)
        if not wrong:
            return
        del outputs
        if module.digest != self.plain.digest and difference(self.outputs(self.plain), self.expected):
            raise LastWordError(f"{wrong}, and inputs or weights were changed by it or by one before it")
        raise WrongOutputError(wrong)

    def _runtime(self, module: KernelModule) -> "_Launching | _Interpreting":
        return _Launching(module) if self.device.type == "cuda" else _Interpreting()

    def _synchronize(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize()


class _Drawn(NamedTuple):
    """Inputs and weights of a reference, and what eager PyTorch gives for them."""

    inputs: Sequence[Value]
    state: Mapping[str, Tensor]
    eager: tuple[Tensor, ...]


_bench: list[Bench] = []
#: What was drawn for a bench that is not open yet, by what it was drawn for.
_waiting: dict[tuple[Reference, int, torch.device], _Drawn] = {}


def draw(reference: Reference, seed: int, device: str) -> None:
    """Draw inputs and weights, and run eager PyTorch, for the bench that is opened next: it may take longer than all
    else about it."""
    _bench[:] = []
    _waiting.clear()
    on = torch.device(device)
    with _sound(device), permitted(reference.numerics, deterministic=False), _turn(DeviceLock(on).shared):
        _waiting[reference, seed, on] = _drawn_for(reference, seed, on)


def _drawn(plain: KernelModule, seed: int, device: torch.device) -> _Drawn:
    by_host = plain.launcher is not None and plain.launcher.form == "class"  # as weights of its own are
    known = None if by_host else _waiting.pop((plain.reference, seed, device), None)
    _waiting.clear()
    return known or _drawn_for(plain.reference, seed, device, by_host)


def _drawn_for(reference: Reference, seed: int, device: torch.device, by_host: bool = False) -> _Drawn:
    program = ReferenceProgram.load(reference)
    model = program.build(seed, device) if by_host else program.build_there(seed, device)
    inputs = program.inputs(seed, device)
    with Eager(reference.numerics, cut=True):
        eager = program.run(copy.deepcopy(model), inputs)
    return _Drawn(inputs, program.state(model), eager)


def open_bench(plain: KernelModule, seed: int, device: str, warm: bool = False) -> None:
    """Set up the bench of this process."""
    _bench[:] = []
    with _sound(device), permitted(plain.reference.numerics, deterministic=False):
        _bench.append(Bench.of(plain, seed, torch.device(device), warm))


def close_bench() -> None:
    """Let go of the bench of this process, and of its memory on a device."""
    _bench[:] = []
    _waiting.clear()
    gc.collect()
    torch.cuda.empty_cache()  # does nothing where CUDA was not begun


def measure(module: KernelModule, symbols: Sequence[str], best_us: float, budget: float) -> list[float]:
    """Microseconds of each symbol, by the bench of this process; see `Bench.microseconds`."""
    (bench,) = _bench
    with _sound(bench.device.type), permitted(bench.plain.reference.numerics, deterministic=False):
        return bench.microseconds(module, symbols, best_us, budget)


@contextlib.contextmanager
def _sound(device: str) -> Iterator[None]:
    """Raise LastWordError where the device works no longer after an error; else leave it its memory."""
    try:
        yield
    except LastWordError:
        raise
    except Exception as error:
        if device != "cpu":
            try:
                torch.cuda.synchronize()
                torch.cuda.empty_cache()
            except RuntimeError:
                raise LastWordError(f"{type(error).__name__}: {error}".partition("\n")[0]) from error
        raise


@contextlib.contextmanager
def _turn(turn: Callable[[], contextlib.AbstractContextManager[None]]) -> Iterator[None]:
    """A turn on the device; the time until it comes is not the task's."""
    tell(WAITS)
    with turn():
        tell(WORKS)
        yield


def _all(runs: Sequence[Callable[[], object]]) -> Callable[[], None]:
    def run() -> None:
        for one in runs:
            one()

    return run


def apart(one: Tensor, other: Tensor) -> float:
    """The largest difference of two outputs, where both are finite; 0 for what is no floating tensor."""
    if one.shape != other.shape or not one.is_floating_point():
        return 0.0
    differences = (a.double() - b.double() for a, b in _parts(one, other))
    largest = [torch.nan_to_num(part, nan=0.0, posinf=0.0, neginf=0.0).abs().max() for part in differences]
    return max(map(float, largest), default=0.0)


def _parts(one: Tensor, other: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """Both flat, as many elements at a time as there is room for."""
    flat = one.reshape(-1), other.reshape(-1)
    for at in range(0, one.numel(), _PART):
        yield flat[0][at : at + _PART], flat[1][at : at + _PART]


def difference(outputs: Sequence[Tensor], expected: Sequence[Tensor], noise: Sequence[float] = ()) -> str:
    """What is wrong in outputs that neither another order of summation explains nor `noise`, by output; "" where
    nothing is."""
    if len(outputs) != len(expected):
        return f"{len(outputs)} outputs instead of {len(expected)}"
    for index, (output, want) in enumerate(zip(outputs, expected, strict=True)):
        if output.shape != want.shape or output.dtype != want.dtype:
            return f"output {index} is {output.dtype}{list(output.shape)}, not {want.dtype}{list(want.shape)}"
        for have, wanted in _parts(output, want):
            if not _close(have, wanted, _NOISY * noise[index] if noise else 0.0):
                return f"output {index} is off"
    return ""


def _close(have: Tensor, want: Tensor, noise: float) -> bool:
    if not have.is_floating_point():
        return bool(torch.equal(have, want))
    size = float(torch.nan_to_num(want, nan=0.0, posinf=0.0, neginf=0.0).float().square().mean().sqrt())
    allowed = _APART * (size if math.isfinite(size) and size > 0 else 1.0)
    return bool(torch.isclose(have, want, rtol=_APART, atol=max(allowed, noise), equal_nan=True).all())
