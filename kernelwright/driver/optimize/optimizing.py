"""The work of `optimize`: each kernel of a running model is searched, verified, and admitted if it wins there.

What was admitted is in the store at once, and every outcome in a journal: a run that is killed loses the kernel that it
was at, and the next one goes on behind it.
"""

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from torch import nn

from kernelwright.backend.compile.compiled import cache_folder
from kernelwright.backend.store.entry import Entry, Versions
from kernelwright.backend.store.store import Store
from kernelwright.backend.targets import get_target
from kernelwright.backend.tensors import Value
from kernelwright.driver.extraction.filling import ANSWER, Filling, Outcome, stored_as
from kernelwright.driver.optimize.admission import Comparison, compared, largest_that_holds
from kernelwright.driver.optimize.result import Became, Kernel, Optimized
from kernelwright.driver.optimize.running import DoesNotRunError, Running
from kernelwright.driver.run.journal import Journal
from kernelwright.frontend.swap.graphs import RecordedGraph
from kernelwright.frontend.swap.hooks import Launchable
from kernelwright.frontend.swap.recorded import Recorded
from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import Pipeline, parse_pipeline

#: Seconds that a search takes at least and at most.
LEAST_S, MOST_S = 6.0, 60.0
#: Shares of the budget: what is kept for the comparison of the whole model, and what one kernel's admission may take.
WHOLE_SHARE, ADMISSION_SHARE = 0.1, 0.1
#: Kernels that could not save this share of the model's time are not searched.
WORTH = 0.001
#: A kernel that was searched before is searched again with more than so many times the seconds.
AGAIN = 2.0
#: Calls of the model by which its kernels are ranked.
RANKING_CALLS = 5


def searching(target: str, seconds: float) -> Pipeline:
    """The passes that look for a faster kernel; where Triton is interpreted, whose times say nothing, an answer."""
    if target == "interpreter":
        return parse_pipeline(ANSWER)
    return parse_pipeline(f"search{{seconds={seconds:.1f},timed=false}}")


@dataclass
class Optimizing:
    """One model in one mode, within a budget in seconds that counts from when this is made.

    `context` has the evaluator and the target. `pipeline` gives the passes for a target and a number of seconds of
    search. `say` takes short lines on what goes on, `done` each kernel as it is decided. `folder` is where journals
    are; None for `optimize` in the cache folder.
    """

    model: nn.Module
    inputs: Sequence[Value]
    mode: str
    budget: float
    store: Store
    context: Context
    say: Callable[[str], None] = lambda _line: None
    done: Callable[[Kernel], None] = lambda _kernel: None
    pipeline: Callable[[str, float], Pipeline] = searching
    folder: Path | None = None
    running: Running | None = None
    _began: float = field(default_factory=time.monotonic)
    _ours: dict[str, Launchable] = field(default_factory=dict)
    _model_us: float = 0.0

    def run(self) -> Optimized:
        """Spend the budget. An interrupt ends it early, and what was admitted is kept.

        Raises UserError for a model that `torch.compile` cannot take, and where Inductor writes no Triton kernels.
        """
        self.say("compiling the model")
        with ExitStack() as stack:
            running = stack.enter_context(self.running or Running(self.model, self.inputs, self.mode))
            if not running.places:
                raise UserError("Inductor writes no Triton kernel for this model here; optimize needs a CUDA device")
            found = self._ranked(running)
            journal = stack.enter_context(self._journal(running))
            stopped, whole = "", None
            try:
                self._search_all(running, found, journal)
                whole = self._whole(running, found, journal)
            except KeyboardInterrupt:
                stopped = "interrupted"
            kernels = tuple(found.values())
            if not stopped and any(one.became == "not reached" for one in kernels):
                stopped = "out of time"
            return Optimized(
                self.mode, running.device, kernels, self._model_us, whole, time.monotonic() - self._began, stopped
            )

    # Ranking -------------------------------------------------------------------------------------------------------

    def _ranked(self, running: Running) -> dict[str, Kernel]:
        """The model's kernels by key, those with most to gain first."""
        self.say("timing the model's kernels")
        self._model_us = min(running.model_us() for _ in range(RANKING_CALLS))
        calls, recorded = [running.times(running.places) for _ in range(RANKING_CALLS)], _recorded(running.graphs)
        found = []
        for key in running.places:
            us, launches = sorted(times[key] for times in calls)[RANKING_CALLS // 2]
            kernel, _ = recorded[key]
            gain = max(0.0, us - launches * self._floor_us(kernel))
            found.append(Kernel(key, kernel.name, "not reached", "", launches, us, gain))
        return {one.key: one for one in sorted(found, key=lambda one: -one.gain_us)}

    def _floor_us(self, kernel: Recorded) -> float:
        """What moving a kernel's buffers takes at least."""
        layouts = [layout for one in kernel.arguments for layout in one.layouts.values()]
        moved = sum(_bytes(layout.shape, layout.dtype.itemsize) for layout in layouts)
        bandwidth = get_target(self.context.target).bandwidth_gb_s
        return moved / bandwidth / 1e3 if bandwidth else 0.0

    # Searching -----------------------------------------------------------------------------------------------------

    def _search_all(self, running: Running, found: dict[str, Kernel], journal: Journal) -> None:
        recorded = _recorded(running.graphs)
        for number, key in enumerate(list(found)):
            left_s = self._left_s - WHOLE_SHARE * self.budget
            ahead = [one for one in list(found.values())[number:] if one.gain_us > 0]
            share = found[key].gain_us / (sum(one.gain_us for one in ahead) or 1.0)
            seconds = min(max(LEAST_S, share * left_s), MOST_S, left_s)
            known = self._known(running, found[key], journal, seconds)
            if known is None and seconds < min(LEAST_S, self.budget / 4):
                continue  # what comes later may be known
            before = found[key]
            if known is None:
                self.say(f"{before.name} ({number + 1} of {len(found)}, {self._left_s:.0f} s left)")
                known = self._one(running, before, recorded[key], seconds)
                journal.add(key, known.told())
            found[key] = replace(known, us=before.us, gain_us=before.gain_us, launches=before.launches)
            self.done(found[key])

    def _known(self, running: Running, kernel: Kernel, journal: Journal, seconds: float) -> Kernel | None:
        """What became of a kernel before, where that still holds."""
        entry = self._kept(kernel.key)
        if entry is not None and entry.kind == "wrong":
            return replace(kernel, became="wrong", why=entry.operation)
        if entry is not None and "graph" in entry.certificate:
            try:
                self._ours[kernel.key] = running.replacing(kernel.key, entry)
            except DoesNotRunError as error:
                return replace(kernel, became="refused", why=str(error))
            graph = {name: entry.certificate["graph"][name] for name in Comparison.__dataclass_fields__}
            return replace(kernel, became="admitted", why="before", graph=Comparison(**graph), digest=entry.digest)
        if kernel.key in journal.results:
            before = Kernel.read(journal.results[kernel.key])
            if before.became != "admitted" and seconds <= AGAIN * before.seconds:
                return before
        return None

    def _one(self, running: Running, kernel: Kernel, which: tuple[Recorded, RecordedGraph], seconds: float) -> Kernel:
        """What becomes of one kernel."""

        def became(how: Became, why: str, graph: Comparison | None = None, digest: str = "") -> Kernel:
            return replace(kernel, became=how, why=why, seconds=seconds, graph=graph, digest=digest)

        recorded, graph = which
        if recorded.graph is None:
            return became("left out", recorded.why_not)
        if kernel.gain_us < WORTH * self._model_us:
            return became("left out", f"it could save {100 * kernel.gain_us / self._model_us:.2f}% of the model's time")
        filling = self._filling(seconds)
        answer = filling.answer(recorded, graph)
        if isinstance(answer, Outcome):
            return became("refused" if answer.became == "refused" else "unimproved", answer.why)
        if answer.certificate.get("search", {}).get("stopped") == "interrupted":
            raise KeyboardInterrupt
        try:
            ours = running.replacing(kernel.key, answer)
        except DoesNotRunError as error:
            return became("refused", str(error))
        self.say(f"{kernel.name}: timing it in the model")
        ends = time.monotonic() + ADMISSION_SHARE * self.budget
        times = compared(running.kernels_in_turn(kernel.key, ours), late=lambda: time.monotonic() > ends)
        if not times.wins:
            return became("slower", f"{times} in the model", times)
        entry = _certified(answer, times)
        if not self.store.put(entry):
            return became("refused", self.store.trouble, times)
        self._ours[kernel.key] = ours
        return became("admitted", f"{times} in the model", times, entry.digest)

    def _kept(self, key: str) -> Entry | None:
        """What the store has for a kernel."""
        return self.store.find(key, stored_as(self.context.target), Versions.installed())

    def _filling(self, seconds: float) -> Filling:
        target = self.context.target
        return Filling(
            self.store, self.pipeline(target, seconds), self.context, say=self.say, from_own=target != "interpreter"
        )

    # The whole -----------------------------------------------------------------------------------------------------

    def _whole(self, running: Running, found: dict[str, Kernel], journal: Journal) -> Comparison | None:
        """How the model's time compares with all admitted kernels; those without which it is shorter are dropped."""
        admitted = [key for key, one in found.items() if one.became == "admitted"]
        saved = {key: found[key].us * (1 - 1 / found[key].graph.ratio) for key in admitted if found[key].graph}  # type: ignore[union-attr]
        ranked = sorted(admitted, key=lambda key: -saved.get(key, 0.0))
        compared_as: dict[tuple[str, ...], Comparison] = {}
        ends = time.monotonic() + max(self._left_s, WHOLE_SHARE * self.budget)

        def holds(keys: Sequence[str]) -> bool:
            self.say(f"timing the model with {len(keys)} kernels")
            ours = {key: self._ours[key] for key in keys}
            times = compared(running.models_in_turn(ours), late=lambda: time.monotonic() > ends)
            compared_as[tuple(keys)] = times
            return times.wins

        kept = largest_that_holds(ranked, holds)
        for key in ranked[len(kept) :]:
            entry = self._kept(key)
            if entry is not None and entry.digest == found[key].digest:
                self.store.remove(entry)
            whole = next(times for keys, times in compared_as.items() if key in keys)
            found[key] = replace(
                found[key], became="dropped", why=f"the model: {whole} with it and {len(ranked)} in all"
            )
            journal.add(key, found[key].told())
            self.done(found[key])
        return compared_as.get(tuple(kept))

    # Time and places -----------------------------------------------------------------------------------------------

    @property
    def _left_s(self) -> float:
        return max(0.0, self._began + self.budget - time.monotonic())

    def _journal(self, running: Running) -> Journal:
        """The journal of this model's kernels on this target, in this mode."""
        made_with = {"keys": sorted(running.places), "mode": self.mode, "versions": str(Versions.installed())}
        made_with |= {"target": self.context.target, "store": str(self.store.folder)}
        digest = hashlib.sha256(json.dumps(made_with).encode()).hexdigest()[:24]
        return Journal((self.folder or cache_folder() / "optimize") / f"{digest}.jsonl", made_with)


def _certified(entry: Entry, times: Comparison) -> Entry:
    """The entry with its times in the running model."""
    told: dict[str, Any] = {"graph": times.told(), "summary": f"verified; {times} in the model"}
    return replace(entry, certificate={**entry.certificate, **told})


def _recorded(graphs: Sequence[RecordedGraph]) -> dict[str, tuple[Recorded, RecordedGraph]]:
    """Each kernel with its graph, by key; of several with a key one that has a problem."""
    found: dict[str, tuple[Recorded, RecordedGraph]] = {}
    for graph in graphs:
        for kernel in graph.kernels:
            if kernel.key and (kernel.key not in found or found[kernel.key][0].graph is None):
                found[kernel.key] = kernel, graph
    return found


def _bytes(shape: Sequence[int], itemsize: int) -> int:
    size = itemsize
    for one in shape:
        size *= one
    return size
