"""`optimize` on the test bed, by planned times: each kernel that is verified is admitted, whatever it takes."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar

from torch import nn

from kernelwright.backend.store.store import Store
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.optimize.answering import Here
from kernelwright.driver.optimize.asking import Wanted
from kernelwright.driver.optimize.optimizing import Optimizing
from kernelwright.driver.optimize.running import Running
from kernelwright.driver.optimize.subjects import Model
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import Kernel, KernelModule, Level

_NONE: Mapping[str, Any] = MappingProxyType({})


class TenthFaster(Running):
    """Every kernel of ours saves a tenth."""

    def times(self, keys: Collection[str], ours: Mapping[str, Any] = _NONE) -> dict[str, tuple[float, int]]:
        return {key: (100.0 - 10 * (key in ours), 1) for key in keys}

    def model_us(self, ours: Mapping[str, Any] = _NONE) -> float:
        return 1000.0 - 10 * len(ours)


@register
@dataclass(frozen=True)
class TwiceTheWarps(Pass):
    """Launch kernels with twice as many warps: what is faster nowhere, for any size, and another module."""

    name: ClassVar[str] = "twice-the-warps"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
        return replace(module, kernels=tuple(_with_twice_the_warps(one) for one in module.kernels))


def _with_twice_the_warps(kernel: Kernel) -> Kernel:
    meta = dict(kernel.meta)
    warps = int(str(meta.get("num_warps", 4)))
    return replace(kernel, meta=tuple((meta | {"num_warps": 2 * warps}).items()))


def _twice_the_warps(_target: str, _wanted: Wanted) -> str:
    return TwiceTheWarps.name


def optimized_by_plan(
    model: nn.Module,
    inputs: Sequence[Any],
    mode: str,
    store: Store,
    budget: float,
    pipeline: Callable[[str, Wanted], str] = _twice_the_warps,
) -> dict[str, int]:
    """How many kernels of a model became what, with sizes that may change. Runs on the bed, after it is installed."""
    discover()
    with LocalEvaluator("interpreter", seeds=1) as judge:
        context = Context("interpreter", judge)
        subject = Model(model, list(inputs), mode, dynamic=True)
        asked = Optimizing(subject, budget, store, context, Here(context), say=print, running=TenthFaster)
        return dict(replace(asked, pipeline=pipeline).run().counts)
