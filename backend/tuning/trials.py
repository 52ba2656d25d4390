"""Launch options found by measurement: trials are compiled several at a time, and each kernel is timed by itself."""

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Protocol

from kernelwright.backend.compile.compiler import compile_launch, warm_launch
from kernelwright.backend.cost.work import in_bounds
from kernelwright.backend.launch.execute import trace_launches
from kernelwright.backend.measure.children import Children
from kernelwright.backend.measure.stopwatch import Measured
from kernelwright.backend.targets import Target, get_target
from kernelwright.backend.tuning.space import CAP, ConfigSpace, Meta, space_of
from kernelwright.ir.values import KernelModule

#: Seconds that the compilation of one trial may take.
TRIAL_SECONDS = 30.0
#: The share of a call below which a kernel's options are left as they are.
LEAST_SHARE = 0.03
#: The share of its registers that a capped kernel must be left with: the rest is spilled.
LEAST_KEPT = 0.7


class Measure(Protocol):
    """Measures kernels of a module, of which the best took so long until now; see `Stopwatch.measure`."""

    def __call__(self, module: KernelModule, symbols: Sequence[str], best_us: float) -> Measured: ...


def with_meta(module: KernelModule, symbol: str, meta: Meta) -> KernelModule:
    """The module with other launch options for one kernel."""
    kernels = tuple(replace(kernel, meta=meta) if kernel.symbol == symbol else kernel for kernel in module.kernels)
    return replace(module, kernels=kernels)


def spaces_of(module: KernelModule, keep: frozenset[str]) -> dict[str, ConfigSpace]:
    """The kernels that have something to choose, in the order of their launches."""
    programs: dict[str, int] = {}
    for launch in trace_launches(module):
        programs[launch.symbol] = max(programs.get(launch.symbol, 0), math.prod(launch.grid))
    spaces = {symbol: space_of(module, symbol, count, keep) for symbol, count in programs.items()}
    return {symbol: space for symbol, space in spaces.items() if space.choices}


def stays_inside(module: KernelModule, symbol: str, target: Target) -> bool:
    """Whether unmasked accesses still fit: a larger block need not divide what a smaller one did."""
    launches = [launch for launch in trace_launches(module) if launch.symbol == symbol]
    return all(in_bounds(compile_launch(module, launch, target).ttir, launch) for launch in launches)


def frees_registers(module: KernelModule, symbol: str, target: Target) -> bool:
    """Whether the kernel's cap of registers, if it has one, takes some of what it would have, and not too many."""
    meta = dict(module.kernel(symbol).meta)
    cap = meta.pop(CAP, None)
    if not isinstance(cap, int):
        return True
    free = with_meta(module, symbol, tuple(meta.items()))
    launches = [launch for launch in trace_launches(free) if launch.symbol == symbol]
    taken = max(compile_launch(free, launch, target).resources.registers for launch in launches)
    return LEAST_KEPT * taken <= cap < taken


def is_worth_trying(module: KernelModule, symbol: str, target: Target) -> bool:
    """Whether options of a kernel may be right, and make a difference. Raises CompileFailureError."""
    return frees_registers(module, symbol, target) and stays_inside(module, symbol, target)


def prepare_trial(module: KernelModule, symbol: str, target: str) -> bool:
    """Task of a child: compile a kernel into Triton's cache; False where its options are not worth a trial."""
    if not is_worth_trying(module, symbol, get_target(target)):
        return False
    for launch in trace_launches(module):
        if launch.symbol == symbol:
            warm_launch(module, launch, get_target(target))
    return True


@dataclass
class Tuning:
    """Fits one module to this machine's GPU; `module` is the best so far, `tried` counts trials that were measured.

    No trial is taken that its measurement did not find right and faster by more than `worth` of the time.
    """

    module: KernelModule
    target: Target
    children: Children
    measure: Measure
    worth: float
    keep: frozenset[str] = frozenset()
    say: Callable[[str], None] = lambda _line: None
    tried: int = 0
    _spaces: dict[str, ConfigSpace] = field(default_factory=dict)
    _us: dict[str, float] = field(default_factory=dict)
    _seen: dict[str, set[Meta]] = field(default_factory=dict)

    def spend(self, trials: int, until: float = math.inf) -> None:
        """Try so many options more, of the kernels that take longest the most, until a time by time.monotonic."""
        if not self._us and not self._begin(until):
            return
        whole = sum(self._us.values())
        shares = {symbol: us / whole for symbol, us in self._us.items() if us >= LEAST_SHARE * whole}
        for symbol in sorted(shares, key=lambda symbol: -shares[symbol]):
            share = max(round(trials * shares[symbol]), 2)
            self.say(f"tune @{symbol}, {share} trials")
            self._first(symbol, -(-share // 2), until)
            left = share // 2
            while left > 0 and time.monotonic() < until:
                before = self._meta(symbol)
                # A few steps at a time, so that the next ones are taken from where these led.
                left -= self._steps(symbol, min(left, max(self.children.count, 4)), until)
                if self._meta(symbol) == before:
                    break

    def _begin(self, until: float) -> bool:
        """Find out what may be chosen, and what each kernel takes as it is."""
        for _, outcome in self.children.each([(spaces_of, (self.module, self.keep))], TRIAL_SECONDS, until):
            self._spaces = outcome.value if outcome.value is not None else {}
        symbols = list(self._spaces)
        found: Mapping[str, float] = self.measure(self.module, symbols, math.inf).us if symbols else {}
        self._us = dict(found)
        self._seen = {symbol: {self._spaces[symbol].start} for symbol in self._us}
        return bool(self._us)

    def _meta(self, symbol: str) -> Meta:
        return self.module.kernel(symbol).meta

    def _first(self, symbol: str, most: int, until: float) -> int:
        """Try what is usually good."""
        return self._try(symbol, self._fresh(symbol, self._spaces[symbol].promising(self.target), most), until)

    def _steps(self, symbol: str, most: int, until: float) -> int:
        """Try what is near the best; the number of trials, 1 at least."""
        space = self._spaces[symbol]
        near = self._fresh(symbol, space.steps(self._meta(symbol), self.target), most)
        return max(self._try(symbol, near, until), 1)

    def _fresh(self, symbol: str, metas: Iterable[Meta], most: int) -> list[Meta]:
        return list(islice((meta for meta in metas if meta not in self._seen[symbol]), most))

    def _try(self, symbol: str, metas: Sequence[Meta], until: float) -> int:
        given = self.module
        trials = [with_meta(given, symbol, meta) for meta in metas]
        tasks = ((prepare_trial, (trial, symbol, self.target.name)) for trial in trials)
        for number, outcome in self.children.each(tasks, TRIAL_SECONDS, until):
            self._seen[symbol].add(metas[number])
            if outcome.value is not True:
                continue
            self.tried += 1
            us = self.measure(trials[number], (symbol,), self._us[symbol]).us.get(symbol, math.inf)
            if us < self._us[symbol] * self.worth:
                self._us[symbol], self.module = us, trials[number]
            if time.monotonic() >= until:
                break
        return len(metas)
