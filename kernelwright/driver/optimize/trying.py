"""Answers of a search in the running model: all that were verified are tried there, and the fastest counts.

A search times kernels alone, with their inputs outside of the caches. In a model the kernel before has just written
them, so that another one of the fastest may win there.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kernelwright.agent.evaluator import Verdict
from kernelwright.backend.store.entry import Entry
from kernelwright.driver.extraction.filling import entry_of, stored_as
from kernelwright.driver.optimize.admission import Comparison
from kernelwright.driver.optimize.ranking import Recording
from kernelwright.driver.optimize.result import Kernel
from kernelwright.driver.optimize.running import DoesNotRunError, Running
from kernelwright.frontend.swap.hooks import Launchable
from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import KernelModule

#: The share of the model's time from which on a kernel has much to gain.
MUCH = 0.01
#: What of a search's notes a certificate has.
_NOTES = ("best", "us", "plain", "plain_us", "plain_tuned_us", "obtained", "seconds")


@dataclass(frozen=True)
class Trial:
    """What one verified module does in the running model: the kernel with its comparison, or with the reason why it
    does not run there; what a journal keeps of it; and where it ran, its entry and what is launched. `others` is what a
    journal keeps of the modules that were tried beside it, each with a reason, the key `why`."""

    kernel: Kernel
    kept: Mapping[str, Any]
    entry: Entry | None = None
    ours: Launchable | None = None
    others: tuple[Mapping[str, Any], ...] = ()

    @property
    def wins(self) -> bool:
        """Whether it is faster beyond doubt."""
        return self.kernel.graph is not None and self.kernel.graph.wins

    def beats(self, known: Kernel) -> bool:
        """Whether it is faster than Inductor's kernel beyond doubt, and than what was admitted before, where there is
        such a kernel."""
        graph, before = self.kernel.graph, known.graph if known.became == "admitted" else None
        return self.wins and graph is not None and (before is None or graph.low > before.ratio)

    @property
    def worth(self) -> tuple[bool, float]:
        """By what trials of one kernel are ranked."""
        return self.wins, self.kernel.graph.ratio if self.kernel.graph else 0.0


@dataclass(frozen=True)
class Trying:
    """Tries verified modules for one kernel of a model that takes `model_us`; `admission_s` are the seconds that the
    times of one may take, and what those after the first may take where a kernel has much to gain. `tried` gets the
    digests of modules that are tried."""

    running: Running
    target: str
    model_us: float
    admission_s: float
    say: Callable[[str], None]
    tried: set[str] = field(default_factory=set)

    def best(
        self,
        kernel: Kernel,
        recording: Recording,
        verified: Sequence[tuple[KernelModule, Verdict]],
        pipeline: str,
        notes: Mapping[str, Any],
    ) -> Trial:
        """The fastest of some modules in the model; where none wins, the one with the highest ratio."""
        worth, ends, found = min(1.0, kernel.gain_us / (MUCH * self.model_us)), 0.0, list[Trial]()
        for number, (module, verdict) in enumerate(verified, 1):
            if ends and time.monotonic() > ends:
                late = replace(kernel, became="slower", why="no time was left to try it in the model")
                found.append(Trial(late, {"module": print_module(module)}))
                continue
            self.say(f"{kernel.name}: timing {number} of {len(verified)} in the model")
            found.append(self._tried(kernel, recording, module, verdict, pipeline, notes))
            ends = ends or time.monotonic() + worth * self.admission_s
        best = max(found, key=lambda one: one.worth)
        return replace(best, others=tuple({"why": one.kernel.why, **one.kept} for one in found if one is not best))

    def _tried(
        self,
        kernel: Kernel,
        recording: Recording,
        module: KernelModule,
        verdict: Verdict,
        pipeline: str,
        notes: Mapping[str, Any],
    ) -> Trial:
        self.tried.add(module.digest)
        try:
            entry = entry_of(*recording, stored_as(self.target), module, verdict, pipeline)
        except KernelwrightError as error:
            return Trial(replace(kernel, became="refused", why=str(error)), {"module": print_module(module)})
        with self.running.alone():  # one turn for all of it: every turn is waited for
            try:
                ours = self.running.replacing(kernel.key, entry)
            except DoesNotRunError as error:
                return Trial(replace(kernel, became="refused", why=str(error)), {"entry": json.loads(entry.text)})
            times = self.running.compared(self.running.kernels_in_turn(kernel.key, ours), self.admission_s)
        entry = _certified(entry, times, self.running.caliber, notes)
        told = replace(kernel, became="slower", why=f"{times} in the model", graph=times)
        return Trial(told, {"entry": json.loads(entry.text)}, entry, ours)


def of_both(
    before: Kernel, had: Mapping[str, Any], known: Kernel, kept: Mapping[str, Any]
) -> tuple[Kernel, Mapping[str, Any]]:
    """What became of a kernel that was searched twice, and what a journal keeps of it, by what came of both searches:
    the second counts if its kernel was admitted, or if it alone has a kernel that was timed in the model, and else the
    first. What was tried is kept of both."""
    second = known.became == "admitted" or (known.graph is not None and before.graph is None)
    counts, mine, other, its = (known, kept, before, had) if second else (before, had, known, kept)
    others = [*had.get("others", ()), *kept.get("others", ())]
    tried = {name: its[name] for name in ("entry", "module") if name in its}
    others += [{"why": other.why, **tried}] if tried else []
    found = {name: mine[name] for name in ("entry", "module", "search") if name in mine}
    return counts, found | ({"others": others} if others else {})


def _certified(entry: Entry, times: Comparison, caliber: Mapping[str, str], notes: Mapping[str, Any]) -> Entry:
    """The entry with its times in the running model, how they were taken, and what the search tells of times alone."""
    told: dict[str, Any] = {"graph": times.told() | {"caliber": dict(caliber)}}
    told["summary"] = f"verified; {times} in the model"
    told["search"] = {name: notes[name] for name in _NOTES if name in notes}
    return replace(entry, certificate={**entry.certificate, **told})
