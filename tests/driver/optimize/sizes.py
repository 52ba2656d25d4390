"""`optimize` of models whose sizes change from call to call, in a process on the bed: times are planned."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from planned import NOTHING
from torch import Tensor, nn

from kernelwright.backend.store.store import Store
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.optimize.answering import Here
from kernelwright.driver.optimize.optimizing import Optimizing
from kernelwright.driver.optimize.running import Running
from kernelwright.driver.optimize.subjects import Model
from kernelwright.driver.torch_backend import kernelwright
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.swap.hooks import Either
from kernelwright.frontend.swap.live import places
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import KernelModule, Level


@register
@dataclass(frozen=True)
class MoreWarps(Pass):
    """Launch with twice as many warps."""

    name: ClassVar[str] = "more-warps"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
        return replace(module, kernels=tuple(replace(one, meta=_warps(dict(one.meta))) for one in module.kernels))


def _warps(meta: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((meta | {"num_warps": 2 * meta.get("num_warps", 4)}).items()) if meta else ()


class Faster(Running):
    """Every kernel of ours saves a tenth."""

    def times(self, keys: Collection[str], ours: Mapping[str, Any] = NOTHING) -> dict[str, tuple[float, int]]:
        return {key: (100.0 - 10 * (key in ours), 1) for key in keys}

    def model_us(self, ours: Mapping[str, Any] = NOTHING) -> float:
        return 1000.0 - 10 * len(ours)


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
    (Weighed, (5, 70), [(2, 70), (16, 256), (3, 33)], [(17, 70), (5, 300), (40, 20)]),
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
    with LocalEvaluator("interpreter", seeds=1) as judge:
        context = Context("interpreter", judge)
        found = Optimizing(
            Model(model, [torch.randn(shape)], "eval", dynamic=True),
            6000.0,
            store,
            context,
            Here(context),
            pipeline=lambda *_asked: "more-warps",
            running=Faster,
        ).run()
    fast = torch.compile(model, backend=kernelwright, dynamic=True, options={"store": str(store.folder)})
    told: dict[str, Any] = {"counts": found.counts, "apart": 0.0, "inside": [], "outside": []}
    with torch.no_grad():
        fast(torch.randn(shape))
        counted = [_counting(place.found) for place in places() if isinstance(place.found, Either)]
        for where, shapes in (("inside", inside), ("outside", outside)):
            for one in shapes:
                x = torch.randn(one)
                told["apart"] = max(told["apart"], float((fast(x) - model(x)).abs().max()))
                told[where].append([sum(count[side] for count in counted) for side in ("ours", "own")])
                for count in counted:
                    count.update(ours=0, own=0)
    told["certificates"] = [[one["became"] for one in entry.certificate["other sizes"]] for entry in store.entries()]
    torch.compiler.reset()
    return told


def _counting(kernel: Either) -> dict[str, int]:
    """How often each of two kernels is launched from now on."""
    count = {"ours": 0, "own": 0}

    class Counted:
        def __init__(self, side: str) -> None:
            self.side, self.launch = side, getattr(kernel, side).run

        def run(self, *arguments: Any, **options: Any) -> Any:
            count[self.side] += 1
            return self.launch(*arguments, **options)

    kernel.ours, kernel.own = Counted("ours"), Counted("own")
    return count
