"""`optimize` of models whose sizes change from call to call, in a process on the bed: times are planned."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.models.planned_times import TwiceTheWarps, optimized_by_plan
from kernelwright.backend.store.store import Store
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.optimize.asking import Wanted
from kernelwright.driver.torch_backend import kernelwright
from kernelwright.frontend.swap.hooks import OneOf
from kernelwright.frontend.swap.live import places


class Normed(nn.Module):
    """A product, a norm over a fixed size, and GELU."""

    def __init__(self) -> None:
        super().__init__()
        self.linear, self.norm = nn.Linear(16, 32), nn.LayerNorm(32)

    def forward(self, x: Tensor) -> Tensor:
        return F.gelu(self.norm(self.linear(x)))


class Weighed(nn.Module):
    """A softmax over a size that changes."""

    def forward(self, x: Tensor) -> Tensor:
        return x.softmax(-1) * 2 + x


class Turned(nn.Module):
    """Elements that lie in another order."""

    def forward(self, x: Tensor) -> Tensor:
        return x.transpose(0, 1).contiguous() + 1


#: Models, their input, and other inputs: at sizes between those that are tried, and at sizes that are not.
CASES: list[tuple[Callable[[], nn.Module], tuple[int, ...], list[tuple[int, ...]], list[tuple[int, ...]]]] = [
    (Normed, (5, 7, 16), [(2, 7, 16), (3, 11, 16), (13, 9, 16)], [(40, 16, 16)]),
    (Turned, (30, 70), [(8, 256), (64, 45), (31, 37)], [(65, 70), (30, 20)]),
]


def changing(folder: str) -> list[dict[str, Any]]:
    """What becomes of each model, and what its kernels run at other sizes: how often ours, how often Inductor's."""
    discover()
    return [_changing(Store.open(Path(folder) / str(number)), *case) for number, case in enumerate(CASES)]


def _changing(
    store: Store,
    made: Callable[[], nn.Module],
    shape: tuple[int, ...],
    inside: list[tuple[int, ...]],
    outside: list[tuple[int, ...]],
) -> dict[str, Any]:
    torch.manual_seed(0)
    model = made().eval()
    counts = optimized_by_plan(model, [torch.randn(shape)], "eval", store, 6000.0)
    fast = torch.compile(model, backend=kernelwright, dynamic=True, options={"store": str(store.folder)})
    told: dict[str, Any] = {"counts": counts, "apart": 0.0, "inside": [], "outside": []}
    with torch.no_grad():
        fast(torch.randn(shape))
        counted = [_counting(place.found) for place in places() if isinstance(place.found, OneOf)]
        for where, shapes in (("inside", inside), ("outside", outside)):
            for one in shapes:
                x = torch.randn(one)
                told["apart"] = max(told["apart"], float((fast(x) - model(x)).abs().max()))
                told[where].append([sum(list(count.values())[side] for count in counted) for side in (0, -1)])
                for count in counted:
                    count.update(dict.fromkeys(count, 0))
    (*_, last) = store.entries()
    told["certificates"] = [[one["became"] for one in last.certificate["other sizes"]]]
    torch.compiler.reset()
    return told


def two_ranges(folder: str) -> dict[str, Any]:
    """A model that is optimised with inputs of two sizes, and then called first with one that neither is for: which of
    its kernels runs at some sizes, the last admitted one first and Inductor's last, and what is wrong by how much."""
    discover()
    store, model, told = Store.open(Path(folder)), Weighed().eval(), dict[str, Any](counts=[], launched=[], apart=0.0)
    for shape in ((2, 6), (12, 40), (3, 8)):
        told["counts"].append(optimized_by_plan(model, [torch.randn(shape)], "eval", store, 6000.0))
    told["entries"] = len({tuple(entry.own_sizes.items()) for entry in store.entries()})
    fast = torch.compile(
        model, backend=kernelwright, dynamic=True, options={"store": str(store.folder), "lock": f"{folder}.lock"}
    )
    with torch.no_grad():
        for shape in ((70, 150), (2, 6), (3, 16), (12, 40), (32, 100), (5, 6), (33, 40)):
            x = torch.randn(shape)
            told["apart"] = max(told["apart"], float((fast(x) - model(x)).abs().max()))
            if not told["launched"]:  # a first launch puts the kernels in place
                counted = [_counting(place.found) for place in places() if isinstance(place.found, OneOf)]
            told["launched"].append([list(one.values()) for one in counted])
            for count in counted:
                count.update(dict.fromkeys(count, 0))
    torch.compiler.reset()
    return told


def alone(folder: str) -> dict[str, Any]:
    """A model for whose kernel a search finds something at its own sizes alone: for what each search was, what the
    certificate says, and how often ours and Inductor's kernel run at these sizes and at others."""
    discover()
    store, model, searches = Store.open(Path(folder)), Weighed().eval(), list[tuple[bool, bool]]()

    def pipeline(_target: str, wanted: Wanted) -> str:
        searches.append((wanted.general, wanted.wide))
        return "" if wanted.general else TwiceTheWarps.name

    counts = optimized_by_plan(model, [torch.randn(5, 40)], "eval", store, 6000.0, pipeline)
    (entry,) = store.entries()
    fast = torch.compile(model, backend=kernelwright, dynamic=True, options={"store": str(store.folder)})
    told: dict[str, Any] = {"counts": counts, "searches": searches, "launched": [], "apart": 0.0}
    with torch.no_grad():
        fast(torch.randn(5, 40))
        (count,) = [_counting(place.found) for place in places() if isinstance(place.found, OneOf)]
        for shape in ((5, 40), (5, 41), (6, 40)):
            count.update(dict.fromkeys(count, 0))
            x = torch.randn(shape)
            told["apart"] = max(told["apart"], float((fast(x) - model(x)).abs().max()))
            told["launched"].append(list(count.values()))
    torch.compiler.reset()
    return told | {name: entry.certificate[name] for name in ("for these sizes alone", "other sizes")}


def _counting(kernel: OneOf) -> dict[Any, int]:
    """How often each of some kernels is launched from now on, Inductor's own last."""
    count: dict[Any, int] = dict.fromkeys(range(len(kernel.kernels)), 0)

    class Counted:
        def __init__(self, place: int) -> None:
            self.place, self.launch = place, kernel.kernels[place].run

        def run(self, *arguments: Any, **options: Any) -> Any:
            count[self.place] += 1
            return self.launch(*arguments, **options)

    kernel.kernels = [Counted(place) for place in range(len(kernel.kernels))]
    return count
