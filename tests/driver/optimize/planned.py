"""`optimize` with times that are planned, in a process on the bed: all else is as it is on a GPU."""

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar
from unittest.mock import Mock, patch

import torch
from torch import nn

from kernelwright.agent.evaluator import Verdict
from kernelwright.agent.services import AgentServices
from kernelwright.backend.compile.compiled import cache_folder
from kernelwright.backend.store.entry import Entry
from kernelwright.backend.store.store import Store
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.extraction.filling import ANSWER
from kernelwright.driver.optimize import handed, optimizing
from kernelwright.driver.optimize import hot as hot_search
from kernelwright.driver.optimize import running as running_model
from kernelwright.driver.optimize.answering import Here
from kernelwright.driver.optimize.asking import Wanted, searching
from kernelwright.driver.optimize.optimizing import Optimizing
from kernelwright.driver.optimize.running import DoesNotRunError, OutputsChangeError, Running
from kernelwright.driver.optimize.subjects import Model, Subject
from kernelwright.driver.torch_backend import kernelwright
from kernelwright.driver.torch_compile import regions
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.swap.hooks import Launchable
from kernelwright.frontend.swap.key import accesses, read
from kernelwright.frontend.swap.live import Place, places
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.values import KernelModule, Level

#: Numbers of warps that searches find, the fastest alone first.
WARPS = ((1, 2, 8), (1, 4), (8,))
#: How long a model is called at most until ours run in it, in seconds.
LIMIT_S = 500.0
NOTHING: Mapping[str, Any] = MappingProxyType({})


class Planned(Running):
    """Softmax takes longer than the other kernel and saves a tenth; what the other one saves is lost again."""

    def times(self, keys: Collection[str], ours: Mapping[str, Any] = NOTHING) -> dict[str, tuple[float, int]]:
        super().times(keys, ours)  # it runs all the same
        return {key: self._planned(self.places[key][0].name, key in ours) for key in keys}

    def _planned(self, name: str, ours: bool) -> tuple[float, int]:
        return (100.0 - 10 * ours, 1) if "softmax" in name else (50.0, 1)

    def model_us(self, ours: Mapping[str, Any] = NOTHING) -> float:
        return 1000.0 - 10 * len(ours)


class Slowed(Planned):
    """The model takes longer with each of ours."""

    def model_us(self, ours: Mapping[str, Any] = NOTHING) -> float:
        return 1000.0 + len(ours)


class Spoilt(Planned):
    """Each kernel of ours changes the model's outputs."""

    def replacing(self, key: str, entry: Entry) -> Launchable:
        raise OutputsChangeError(f"the model's outputs change with {entry.name} in the place of {key}")


def model_and_input() -> tuple[nn.Module, torch.Tensor]:
    """Two kernels around a product, which the lowering leaves to the library."""
    torch.manual_seed(0)
    return nn.Sequential(nn.LayerNorm(32), nn.Linear(32, 8), nn.Softmax(-1)).train(), torch.randn(5, 32)


@register
@dataclass(frozen=True)
class Several(Pass):
    """The plain lowering with several numbers of warps, all verified, as a search verifies several kernels. of: the
    place of the numbers in `WARPS`."""

    name: ClassVar[str] = "several"
    reads: ClassVar[Level] = Level.TORCH
    writes: ClassVar[Level] = Level.TRITON

    of: int = 0

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        made = parse_pipeline(ANSWER).run(module, ctx)
        if not made.kernels:
            return made
        offered = [_with_warps(made, number) for number in WARPS[self.of]]
        evaluate = ctx.service(AgentServices).evaluate
        assert evaluate is not None
        assert all(isinstance(one, Verdict) and one.ok for one in evaluate(offered, None))
        return offered[0]


def _with_warps(module: KernelModule, number: int) -> KernelModule:
    kernels = (replace(one, meta=tuple({**dict(one.meta), "num_warps": number}.items())) for one in module.kernels)
    return replace(module, kernels=tuple(kernels))


def _warps(module: KernelModule) -> int:
    return int(str(dict(module.kernels[0].meta)["num_warps"]))


class Rivals(Planned):
    """In the model softmax with four warps is the fastest and one with eight does not run; one with a single warp is
    slower than Inductor's."""

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self.made: list[tuple[Launchable, int]] = []

    def replacing(self, key: str, entry: Entry) -> Launchable:
        ours = super().replacing(key, entry)
        warps = _warps(parse_module(entry.module))
        if warps == 8:
            raise DoesNotRunError("the model's outputs change")
        self.made.append((ours, warps))
        return ours

    def times(self, keys: Collection[str], ours: Mapping[str, Any] = NOTHING) -> dict[str, tuple[float, int]]:
        found = super().times(keys, ours)
        return {key: (self._with(ours[key]), 1) if key in ours else took for key, took in found.items()}

    def _with(self, ours: Launchable) -> float:
        return next({1: 110.0, 2: 95.0, 4: 80.0}[warps] for one, warps in self.made if one is ours)


class Runs:
    """Runs of `optimize` on one model. `searched` are how often passes were asked for; `before` is called each time."""

    def __init__(self, folder: str, before: Callable[[int], None] = lambda _count: None) -> None:
        discover()
        self.folder, self.before, self.searched = Path(folder), before, 0
        self.model, self.x = model_and_input()

    def run(
        self, store: str, running: type[Running] = Planned, pipeline: Any = None, mutants: int = 0
    ) -> dict[str, Any]:
        """What becomes of both kernels."""
        kept = Store.open(self.folder / store)
        with LocalEvaluator("interpreter", seeds=1) as judge:
            context = Context("interpreter", judge)
            found = Optimizing(
                Model(self.model, [self.x], "eval"),
                6000.0,
                kept,
                context,
                Here(context),
                pipeline=pipeline or self._pipeline,
                mutants=mutants,
                repro=self.folder / "repro",
                running=running,
            ).run()
        return found.told() | {"stored": len(list(kept.entries())), "text": str(found)}

    def _pipeline(self, *asked: Any) -> str:
        self.searched += 1
        self.before(self.searched)
        return searching(*asked)


def optimized(folder: str) -> dict[str, Any]:
    """One run, the next one, one of a model that takes longer with ours, and one that finds its outputs changed by what
    the store has."""
    runs = Runs(folder)
    state = {name: value.clone() for name, value in runs.model.state_dict().items()}
    first, again = runs.run("store", mutants=4), runs.run("store", mutants=4)
    same = all(torch.equal(value, state[name]) for name, value in runs.model.state_dict().items())
    left = [same, runs.model.training, all(one.grad is None for one in runs.model.parameters())]
    with torch.no_grad():
        fast = torch.compile(runs.model, backend=kernelwright, options={"store": str(runs.folder / "store")})
        apart = float((fast(runs.x) - runs.model(runs.x)).abs().max())
    swaps = [[swap.name, swap.runs, swap.why] for region in regions() for swap in region.swaps]
    worse = runs.run("other", running=Slowed)
    (kept,) = Store.open(runs.folder / "store").entries()
    return {
        "certificate": dict(kept.certificate),
        "spoilt": runs.run("store", running=Spoilt),
        "first": first,
        "again": again,
        "worse": worse,
        "left": left,
        "apart": apart,
        "swaps": swaps,
    }


def rivals(folder: str) -> dict[str, Any]:
    """A run in which two searches of each kernel verify several modules, what its journal and the store keep, and what
    runs in the next process that compiles the model; and what becomes of kernels whose first search finds only what
    does not run in the model."""
    runs = Runs(folder)
    asked = list[Wanted]()

    def pipeline(_target: str, wanted: Wanted) -> str:
        asked.append(wanted)
        return f"several{{of={int(wanted.wide)}}}"

    def refused_at_first(_target: str, wanted: Wanted) -> str:
        return f"several{{of={1 if wanted.wide else 2}}}"

    found = runs.run("store", running=Rivals, pipeline=pipeline)
    (journal,) = (cache_folder() / "optimize").glob("*.jsonl")
    told = [json.loads(line) for line in journal.read_text("utf-8").splitlines()[1:]]
    lines = {one["id"]: one for one in told}.values()  # the last of a kernel counts
    (kept,) = Store.open(runs.folder / "store").entries()
    fast = torch.compile(runs.model.eval(), backend=kernelwright, options={"store": str(runs.folder / "store")})
    with torch.no_grad():
        apart = float((fast(runs.x) - runs.model(runs.x)).abs().max())
    others = {line["name"]: [_tried(one) for one in line.get("others", [])] for line in lines}
    found["wide"] = [one.wide for one in asked]
    found["refused at first"] = runs.run("other", running=Rivals, pipeline=refused_at_first)["kernels"]
    return found | {"others": others, "warps": _warps(parse_module(kept.module)), "apart": apart}


def _tried(other: Mapping[str, Any]) -> tuple[int, str]:
    """With how many warps a module was tried, and what the journal tells of it."""
    return _warps(parse_module(other["entry"]["module"] if "entry" in other else other["module"])), other["why"]


def killed(folder: str) -> None:
    """A run that is killed when it comes to the second kernel."""

    def before(count: int) -> None:
        if count == 2:
            os.kill(os.getpid(), signal.SIGKILL)

    Runs(folder, before).run("store")


def resumed(folder: str) -> dict[str, Any]:
    """The next run, which is interrupted at the second kernel, and the one after it."""

    def before(count: int) -> None:
        if count == 1:
            raise KeyboardInterrupt

    runs = Runs(folder, before)
    return {"interrupted": runs.run("store"), "last": runs.run("store"), "searched": runs.searched}


def in_a_compile(folder: str) -> dict[str, Any]:
    """A model that is compiled with a search: its first call, what runs after it, and its second call."""
    optimizing.Running = Planned  # type: ignore[misc]
    model, x = model_and_input()
    model.eval()
    wanted, found = model(x), []
    options = {"search": 600, "store": str(Path(folder) / "store")}
    fast = torch.compile(model, backend=kernelwright, options=options)
    with torch.no_grad():
        found.append(float((fast(x) - wanted).abs().max()))
        ours = {place.name: "kernelwright" in getattr(place.found, "inductor_meta", {}) for place in places()}
        found.append(float((fast(x) - wanted).abs().max()))
    return {"apart": found, "ours": ours}


def searched_apart(folder: str, parent: str) -> None:
    """What the process does that searches for a hot model."""
    optimizing.Running = Planned  # type: ignore[misc]
    handed.main(folder, parent)


def hot(folder: str) -> dict[str, Any]:
    """A model that is called without end while a process searches its kernels: how many calls there were before and
    after ours ran, and how many gave something else than eager PyTorch."""
    paths = [str(Path(__file__).parent), *sys.path]
    work = f"import sys; sys.path[:] = {paths!r}; import bed; bed.install(); import planned; planned.searched_apart"
    hot_search.COMMAND = (sys.executable, "-c", f"{work}(*sys.argv[1:])")
    x, options = torch.randn(2, 16), {"hot": True, "search": 600, "store": str(Path(folder) / "store")}
    model = nn.Softmax(-1)
    fast, wanted = torch.compile(model, backend=kernelwright, options=options), model(x)
    calls, wrong, ends = [0, 0], 0, time.monotonic() + LIMIT_S
    with torch.no_grad():
        while (calls[1] < 500 or sum(calls) < 1000) and time.monotonic() < ends:
            ours = any(swap.runs == "kernelwright" for region in regions() for swap in region.swaps)
            wrong += bool((fast(x) - wanted).abs().max() > 1e-6)
            calls[ours] += 1
    launched = ["kernelwright" in getattr(place.found, "inductor_meta", {}) for place in places()]
    return {"calls": calls, "wrong": wrong, "launched": launched}


def under_load() -> dict[str, Any]:
    """A thousand calls, while a kernel is exchanged every now and then."""
    import entries

    from kernelwright.frontend.swap.live import exchange_all

    x = torch.linspace(-2.0, 2.0, 8)
    (same,) = entries.keep(entries.generated(lambda: torch.compile(torch.tanh)(x)))
    plain = torch.compile(torch.tanh)
    wanted, wrong, done = plain(x), 0, threading.Event()
    exchanged = 0

    def exchanging() -> None:
        nonlocal exchanged
        while not done.wait(0.02):
            exchanged += exchange_all(same)

    thread = threading.Thread(target=exchanging)
    thread.start()
    for _ in range(1000):
        wrong += not torch.equal(plain(x), wanted)
    done.set()
    thread.join()
    return {"wrong": wrong, "exchanged": exchanged}


class Attention(nn.Module):
    """Softmax takes away again what a key's bias adds, so that the bias's gradient is nothing but roundings."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(16, 16) for _ in range(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scores = self.query(x) @ self.key(x).transpose(-1, -2)
        return scores.softmax(-1) @ self.value(x)


class Times:
    """The kernel of a place, each of whose results is multiplied by a factor."""

    def __init__(self, place: Place, factor: Callable[[torch.Tensor], torch.Tensor]) -> None:
        text = read(place.source)
        written = [text.parameters.index(name) for name in accesses(text)[1]]

        def run(*given: Any, **options: Any) -> None:
            place.found.run(*given, **options)
            for i in written:
                given[i].mul_(factor(given[i]))

        self.run: Callable[..., Any] = run


def noisy() -> dict[str, Any]:
    """What is said of a kernel that rounds otherwise than Inductor's, and of one that is wrong by a twentieth, in a
    model of which one gradient is nothing but roundings."""
    torch.manual_seed(0)
    found: dict[str, Any] = {}
    factors: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
        "rounds otherwise": lambda one: 1 + 1e-7 * torch.randn_like(one),
        "is wrong": lambda one: 1 + 0.5 * torch.rand_like(one),
    }
    with Running(Model(Attention(), [torch.randn(3, 8, 16)], "train")) as running:
        key = next(key for key, places in running.places.items() if "softmax" in places[0].name)
        for name, factor in factors.items():
            made = Times(running.places[key][0], factor)
            with patch.object(running_model, "replacing", Mock(return_value=made)):
                try:
                    running.replacing(key, Mock())
                    found[name] = ""
                except DoesNotRunError as error:
                    found[name] = str(error)
    return found
