"""How `search` fits candidates to a GPU: launch options are tried for the most promising, and shared among all."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from kernelwright.backend.measure.bench import WHOLE
from kernelwright.backend.measure.children import Children
from kernelwright.backend.measure.stopwatch import Measured
from kernelwright.backend.targets import Target
from kernelwright.backend.tuning.configure import spell_configs
from kernelwright.backend.tuning.fitting import WORTH
from kernelwright.backend.tuning.trials import Measure, Tuning
from kernelwright.ir.values import KernelModule, Launcher
from kernelwright.midend.search.space import Candidate, in_turn

#: Candidates whose launch options are tried in the first round, and that are given what was found for others.
TUNED, GIVEN = 4, 12
#: How many times slower than the fastest a candidate may be at first for its launch options to be tried.
TUNABLE = 3.0
#: Rounds of more trials for the last candidate that may bring nothing, one after another.
IDLE_ROUNDS = 2


@dataclass(frozen=True)
class Entry:
    """A candidate and what it was measured at; `base` is the one whose launch options it has others of, or itself."""

    candidate: Candidate
    base: Candidate
    measured: Measured

    @property
    def us(self) -> float:
        """Microseconds of a call."""
        return self.measured.whole_us


@dataclass
class Fitting:
    """Tries launch options until a time by time.monotonic; what is measured is added to `entries`.

    `trials` counts what was tried, `late` tells that the time was over before the last round.
    """

    entries: list[Entry]
    children: Children
    target: Target
    measure: Measure
    say: Callable[[str], None]
    until: float = math.inf
    trials: int = 0
    late: bool = False
    _tunings: dict[str, Tuning] = field(default_factory=dict)

    def run(self, trials: int) -> None:
        """Rounds of which each gives the better half of the candidates twice the trials, and the last one yet more."""
        live = self.promising()
        while live:
            for number, base in enumerate(live, 1):
                if self._over:
                    self.late = True
                    return
                self.say(f"tuning {number}/{len(live)}, {trials} trials: {base.spec}")
                self._fit(base, trials)
            self._share()
            if len(live) == 1:
                self._fit_on(live[0], trials)
                self._share()
                return
            us = {base: min(e.us for e in self.entries if e.base.digest == base) for base in self._tunings}
            live, trials = sorted(live, key=lambda base: us[base.digest])[: -(-len(live) // 2)], 2 * trials

    def promising(self) -> list[Candidate]:
        """Those to tune: the fastest, templates taking turns, as a library's kernels gain nothing by launch options."""
        us = {entry.candidate.digest: entry.us for entry in self.entries}
        return in_turn(self._near(), lambda module: us[module.digest])[:TUNED]

    def _near(self) -> list[Candidate]:
        """The candidates that are not hopelessly slow as they were made, the fastest first; of those that differ in
        nothing but launch options the fastest alone."""
        made = [entry for entry in self.entries if entry.candidate is entry.base and math.isfinite(entry.us)]
        fastest = min((entry.us for entry in made), default=0.0)
        found: dict[tuple[Launcher | None, tuple[str, ...]], Candidate] = {}
        for entry in sorted(made, key=lambda entry: entry.us):
            if entry.us <= TUNABLE * fastest:
                module = entry.base.module
                found.setdefault((module.launcher, tuple(one.source for one in module.kernels)), entry.base)
        return list(found.values())

    def _fit(self, base: Candidate, trials: int) -> bool:
        """Try more launch options of a candidate; whether there were any."""
        if base.digest not in self._tunings:
            # Other launch options of it may have been measured already.
            known = min((entry for entry in self.entries if entry.base is base), key=lambda entry: entry.us)
            self._tunings[base.digest] = Tuning(
                known.candidate.module, self.target, self.children, self.measure, WORTH["gpu"], say=self.say
            )
        fitting = self._tunings[base.digest]
        before = fitting.tried
        fitting.spend(trials, self.until)
        self.trials += fitting.tried - before
        self._enter(base, fitting.module)
        return fitting.tried > before

    def _fit_on(self, base: Candidate, trials: int) -> None:
        """Rounds of twice the trials while there is time, until nothing new is left or it brings nothing."""
        idle = 0
        while idle < IDLE_ROUNDS and not self._over:
            trials, before = 2 * trials, self._tunings[base.digest].module
            self.say(f"tuning on, {trials} trials: {base.spec}")
            if not self._fit(base, trials):
                return
            idle = idle + 1 if self._tunings[base.digest].module is before else 0

    def _share(self) -> None:
        """Give the options that were found for a kernel to the other candidates that have it."""
        found = {}
        for entry in sorted(self.entries, key=lambda entry: -entry.us):
            for kernel, given in zip(entry.candidate.module.kernels, entry.base.module.kernels, strict=True):
                if kernel.meta != given.meta:
                    found[kernel.source] = kernel.meta
        for base in self._near()[:GIVEN]:
            if self._over:
                return
            kernels = (replace(kernel, meta=found.get(kernel.source, kernel.meta)) for kernel in base.module.kernels)
            self._enter(base, replace(base.module, kernels=tuple(kernels)))

    def _enter(self, base: Candidate, module: KernelModule) -> None:
        """Measure a module with other launch options, if it is new."""
        if module.digest in {entry.candidate.digest for entry in self.entries}:
            return
        configs = {
            new.symbol: dict(new.meta)
            for new, old in zip(module.kernels, base.module.kernels, strict=True)
            if new.meta != old.meta
        }
        candidate = Candidate(f"{base.spec},{spell_configs(configs)}", module)
        self.entries.append(Entry(candidate, base, self.measure(module, (WHOLE,), math.inf)))

    @property
    def _over(self) -> bool:
        return time.monotonic() >= self.until
