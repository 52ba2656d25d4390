"""What Inductor itself would launch a kernel with: its heuristics, private like the rest of it, are asked.

`versions.TRIED` has the releases that they were tried with. The device they are told of is the target, never this
machine's.
"""

import math
from collections.abc import Mapping
from typing import Any
from unittest.mock import patch

import torch

from kernelwright.backend.targets import Target, get_target
from kernelwright.backend.versions import adapting
from kernelwright.frontend.inductor.kernel_text import InductorKernel
from kernelwright.ir.values import Scalar

with adapting("lower-inductor", "torch", "triton"):
    from torch._inductor.runtime import triton_heuristics
    from torch._inductor.runtime.hints import DeviceProperties, ReductionHint, TileHint

    triton_heuristics.cached_autotune, DeviceProperties._fields  # noqa: B018

#: The GPU whose options a kernel is given where the target is none.
ELSEWHERE = "h100"
#: Elements of a step of loops that Inductor does not shorten.
SHORTEST = 64


def launch_options(kernel: InductorKernel, target: Target, hinted: bool = True) -> list[Mapping[str, Scalar]]:
    """What Inductor would choose from by measuring, or the one that it would take: block sizes, num_warps, and
    num_stages where it is more than one. Empty where Inductor does not say. With `hinted`, fewer where it is known
    along which axis neighbours lie."""
    try:
        configs = _configs(kernel, _properties(target if target.is_gpu else get_target(ELSEWHERE)), hinted)
        every = [{**one.kwargs, "num_warps": one.num_warps, "num_stages": one.num_stages} for one in configs]
    except Exception:  # noqa: BLE001  (asserts, and changes with torch; there is another way to choose)
        return []
    return [{name: value for name, value in one.items() if name != "num_stages" or value > 1} for one in every]


def measured_options(kernel: InductorKernel, target: Target) -> list[Mapping[str, Scalar]]:
    """All that Inductor would measure, in its order, then shorter steps of its loops: it tries those too where a kernel
    takes many registers. Empty where Inductor does not say."""
    every = list(launch_options(kernel, target, hinted=False))
    for one in every if kernel.heuristic == "reduction" else ():
        steps = {name: value for name, value in one.items() if name.startswith("R") and isinstance(value, int)}
        if steps and math.prod(steps.values()) > SHORTEST:
            longest = max(steps, key=lambda name: steps[name])
            every = [*every, {**one, longest: steps[longest] // 2}]
    return [one for place, one in enumerate(every) if one not in every[:place]]


def _configs(kernel: InductorKernel, device: DeviceProperties, hinted: bool) -> list[Any]:
    """Triton configurations, the first one first. Raises whatever Inductor does."""
    given: dict[str, Any] = {**kernel.hints, "size_hints": dict(kernel.size_hints)}
    if "tile_hint" in given:
        given["tile_hint"] = TileHint[given["tile_hint"]]
    if "reduction_hint" in given:
        given["reduction_hint"] = ReductionHint[
            _reduction_hint(kernel) if hinted else str(kernel.hints["reduction_hint"])
        ]
    given |= {"triton_meta": {"signature": {}, "device": device}, "inductor_meta": dict(kernel.options)}

    def kept(_size_hints: object, configs: list[Any], **_rest: object) -> list[Any]:
        return configs

    # Some choices depend on whether a GPU is in this machine; what is asked about has one.
    with (
        patch.object(triton_heuristics, "cached_autotune", kept),
        patch.object(torch.cuda, "is_available", lambda: True),
    ):
        return list(getattr(triton_heuristics, kernel.heuristic)(filename=None, **given))


def _reduction_hint(kernel: InductorKernel) -> str:
    """Inductor's hint; where it has none and would measure, that of the axis by which more bytes are contiguous."""
    scores = kernel.options.get("tiling_scores")
    hint = str(kernel.hints["reduction_hint"])
    if hint != "DEFAULT" or not isinstance(scores, dict) or "y" in scores:
        return hint
    return "OUTER" if scores.get("x", 0) > scores.get("r0_", 0) + scores.get("r1_", 0) else hint


def _properties(target: Target) -> DeviceProperties:
    known: dict[str, Any] = {
        "type": "cuda",
        "index": 0,
        "multi_processor_count": target.sm_count,
        "cc": target.capability,
        "major": target.capability // 10,
        "regs_per_multiprocessor": target.registers_per_sm,
        "max_threads_per_multi_processor": target.max_threads_per_sm,
        "max_threads_per_block": 1024,
        "warp_size": 32,
    }
    return DeviceProperties(**{name: value for name, value in known.items() if name in DeviceProperties._fields})
