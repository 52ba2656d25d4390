"""A model that runs as Inductor compiled it, each of whose kernels can be exchanged and timed where it is."""

import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from types import MappingProxyType, ModuleType
from typing import Any

import torch
from torch import Tensor

from kernelwright.backend.measure.turns import DeviceLock
from kernelwright.backend.store.entry import Entry, Versions
from kernelwright.driver.optimize.admission import Comparison, Pair, compared
from kernelwright.driver.optimize.subjects import Call, Subject
from kernelwright.driver.optimize.watches import Watch, watch_for
from kernelwright.frontend.swap.graphs import GraphRecorder, RecordedGraph
from kernelwright.frontend.swap.hooks import Launchable
from kernelwright.frontend.swap.library import Opened
from kernelwright.frontend.swap.live import (
    Place,
    Rounded,
    Watched,
    exchanged,
    open_library_calls,
    places,
    programs,
    replacing,
)
from kernelwright.frontend.swap.recorded_calls import recorded_call
from kernelwright.ir.errors import KernelwrightError, UserError

#: By how much a model's outputs may change with a kernel exchanged, as a share of their root mean square: roundings of
#: 16 bits grow on their way through a model, and a kernel at the wrong place makes another output altogether. Some are
#: nothing but roundings, as the gradient is of what softmax takes away again: they may change by so many times as much
#: as with Inductor's kernel whose results are rounded otherwise.
APART, NOISE = 0.1, 4.0
_EPS = {dtype: torch.finfo(dtype).eps for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16)}
#: How many launches have their time taken in one call of a model. A GPU's queue holds about a thousand launches and
#: points in time; whoever queues more waits for it, and the rest of the call is not queued as a whole.
MOST_WATCHED = 128
#: For how long pairs are timed before others may have the device.
STRETCH_SECONDS = 4.0


class DoesNotRunError(KernelwrightError):
    """A kernel that was verified alone does not run in the model."""


class OutputsChangeError(DoesNotRunError):
    """A kernel that was verified alone makes another output of the model."""


class Running:
    """A model or a graph, with what Inductor compiled for it.

    `graphs` are its graphs as they were recorded; `places` has by key where in Inductor's programs a kernel is. `ours`
    are always kernels by key, of which each is put to all places of its key. Where sizes may change, a key has those of
    the model's inputs, rounded up, too (`Recorded.sized_key`). Use it as a context manager.
    """

    def __init__(self, subject: Subject, watch: Watch | None = None) -> None:
        self.subject = subject
        self.graphs: list[RecordedGraph] = []
        self.places: Mapping[str, Sequence[Place]] = {}
        self._watch = watch
        self._stack = ExitStack()
        self._others = programs()
        self._settled: Sequence[ModuleType] = ()
        self._calls: dict[str, RecordedGraph] = {}
        self._recorder = GraphRecorder(runs=True)
        self._call: Call = list
        self._turns = DeviceLock(torch.device(subject.device))

    def __enter__(self) -> "Running":
        with ExitStack() as stack:
            try:
                self._call = stack.enter_context(self.subject.opened(self._recorder))
                self._call()
            except Exception as error:
                what = str(error).strip().splitlines() or [""]
                told = f"torch.compile fails in mode {self.subject.mode}: {type(error).__name__}: {what[0]}"
                raise UserError(told) from error
            self.graphs = list(self._recorder.graphs)
            self._settle()
            stack.callback(self._turns.close)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    @property
    def caliber(self) -> Mapping[str, str]:
        """How times in this model are taken, for a certificate."""
        on_gpu = self.subject.device == "cuda"
        device = torch.cuda.get_device_name() if on_gpu else "cpu"
        clock = "CUDA events, the call queued before it begins" if on_gpu else "the host's clock"
        return {"device": device, "mode": self.subject.mode, "clock": clock, "versions": str(Versions.installed())}

    @property
    def watch(self) -> Watch:
        """What takes times."""
        if self._watch is None:
            self._watch = watch_for(self.subject.device)
        return self._watch

    def _settle(self) -> None:
        """Call the model until nothing is compiled anew: whoever lowers a program has Dynamo forget all others. The
        first call of a program shows its values, and in the second one Inductor times its own choices."""
        compiled = -1
        while compiled != len(self._recorder.graphs):
            compiled = len(self._recorder.graphs)
            self._call()
        if (now := programs(self._others)) == self._settled:
            return
        if open_library_calls(self._seen, self._others):
            self._call()
        known = {kernel.sized_key for graph in self.graphs for kernel in graph.kernels}
        found: dict[str, list[Place]] = {}
        for place in places(self._others):
            key = place.sized_key
            if place.opened is not None and key not in known:
                self.graphs.append(self._calls[key])
                known.add(key)
            if key in known:
                found.setdefault(key, []).append(place)
        self.places, self._settled = found, now

    def _seen(self, opened: Opened, *given: Any) -> None:
        if opened.key not in self._calls:
            self._calls[opened.key] = recorded_call(opened, *given)

    def replacing(self, key: str, entry: Entry) -> Launchable:
        """The entry's kernel, after a call of the model with it.

        Raises DoesNotRunError where it cannot be launched there, and OutputsChangeError where the model's outputs are
        others with it.
        """
        with self._turns.at_least_shared():
            self._settle()
            try:
                ours = replacing(entry, self.places[key][0])
                before, after = self._outputs(()), self._outputs(self._kernels({key: ours}))
                changed = self._changed(key, before, after)
            except Exception as error:
                lines = str(error).strip().splitlines()
                raise DoesNotRunError(": ".join([type(error).__name__, *lines[:1]])) from error
        if changed > APART:
            raise OutputsChangeError(f"the model's outputs change by {changed:.2g} of their size")
        return ours

    def _changed(self, key: str, before: Sequence[Tensor], after: Sequence[Tensor]) -> float:
        """The largest change of outputs, but for those that change as much by roundings of the kernel's results."""
        changes = _apart(before, after)
        if max(changes, default=0.0) <= APART:
            return 0.0
        layouts = [one for graph in self.graphs for kernel in graph.kernels for one in kernel.layouts.values()]
        coarsest = max((_EPS[one.dtype] for one in layouts if one.dtype in _EPS), default=0.0)
        noise = _apart(before, self._outputs([(place, Rounded(place, coarsest)) for place in self.places[key]]))
        excused = [change <= NOISE * most < math.inf for change, most in zip(changes, noise, strict=True)]
        return max((change for change, one in zip(changes, excused, strict=True) if not one), default=0.0)

    def _outputs(self, kernels: Sequence[tuple[Place, Launchable]]) -> list[Tensor]:
        torch.manual_seed(0)
        with exchanged(kernels):
            found = [one.clone() for one in self._call()]
        if self.subject.device == "cuda":
            torch.cuda.synchronize()  # a fault of a kernel is told here
        return found

    def _kernels(self, ours: Mapping[str, Launchable]) -> list[tuple[Place, Launchable]]:
        return [(place, kernel) for key, kernel in ours.items() for place in self.places[key]]

    def times(
        self, keys: Collection[str], ours: Mapping[str, Launchable] = MappingProxyType({})
    ) -> dict[str, tuple[float, int]]:
        """By key, the microseconds that all launches of a kernel take in one call of the model, and their number; with
        some of Inductor's kernels exchanged. Each call tells of few launches: points in time, too, are queued."""
        found: dict[str, tuple[float, int]] = {}
        some, watched = list[str](), 0
        for key in keys:
            if some and watched + len(self.places[key]) > MOST_WATCHED:
                found |= self._times(some, ours)
                some, watched = [], 0
            some.append(key)
            watched += len(self.places[key])
        return found | self._times(some, ours)

    def _times(self, keys: Sequence[str], ours: Mapping[str, Launchable]) -> dict[str, tuple[float, int]]:
        spans: dict[str, list[tuple[Any, Any]]] = {key: [] for key in keys}
        watched: list[tuple[Place, Launchable]] = [
            (place, Watched(ours.get(key) or place.found, _spanning(self.watch, some)))
            for key, some in spans.items()
            for place in self.places[key]
        ]

        def call() -> None:
            for some in spans.values():
                some.clear()  # of a call that is made again
            self._call()

        with exchanged([*self._kernels(ours), *watched]):
            self.watch.queued(call)
        return {key: (sum(self.watch.us(*span) for span in some), len(some)) for key, some in spans.items()}

    def alone(self) -> AbstractContextManager[None]:
        """Within it, no other process of Kernelwright's has the device at work."""
        return self._turns.alone()

    def compared(self, take: Callable[[bool], Pair], seconds: float) -> Comparison:
        """What pairs of times say, in so many seconds, while no other process of Kernelwright's has the device at work.
        Others go between pairs, at times: a verdict is not to wait until it is out of time."""

        def taken(ours_first: bool) -> Pair:
            self._turns.pause(STRETCH_SECONDS)
            return take(ours_first)

        with self._turns.alone():
            ends = time.monotonic() + seconds
            return compared(taken, late=lambda: time.monotonic() > ends)

    def model_us(self, ours: Mapping[str, Launchable] = MappingProxyType({})) -> float:
        """Microseconds of the device in a call of the model with some kernels exchanged."""
        spans: list[tuple[Any, Any]] = []
        with exchanged(self._kernels(ours)):
            self.watch.queued(lambda: _spanning(self.watch, spans)(self._call))
        return self.watch.us(*spans[-1])

    def kernels_in_turn(self, key: str, kernel: Launchable) -> Callable[[bool], Pair]:
        """What takes a pair of times of a kernel of Inductor's and of ours, each in a call of its own of a model whose
        other kernels are Inductor's."""
        return _in_turn(lambda ours: self.times((key,), ours)[key][0], {key: kernel})

    def models_in_turn(self, ours: Mapping[str, Launchable]) -> Callable[[bool], Pair]:
        """What takes a pair of times of the whole model, with Inductor's kernels and with ours."""
        self._settle()
        return _in_turn(self.model_us, ours)


def _in_turn(
    microseconds: Callable[[Mapping[str, Launchable]], float], ours: Mapping[str, Launchable]
) -> Callable[[bool], Pair]:
    def take(ours_first: bool) -> Pair:
        first, second = map(microseconds, (ours, {}) if ours_first else ({}, ours))
        return (second, first) if ours_first else (first, second)

    return take


def _spanning(watch: Watch, spans: list[tuple[Any, Any]]) -> Callable[[Callable[[], Any]], Any]:
    def spanned(launch: Callable[[], Any]) -> Any:
        first = watch.mark()
        result = launch()
        spans.append((first, watch.mark()))
        return result

    return spanned


def _apart(before: Sequence[Tensor], after: Sequence[Tensor]) -> list[float]:
    """The differences of two calls' outputs, as shares of each output's root mean square."""
    found = []
    for one, other in zip(before, after, strict=True):
        known, now = one.double(), other.double()
        size = float(known.square().nanmean().sqrt()) or 1.0
        share = float((known - now).square().nan_to_num(0.0, 0.0).mean().sqrt()) / size
        strange = bool((known.isfinite() != now.isfinite()).any())
        found.append(math.inf if strange else share)
    return found
