"""Functions that libraries round in their own ways, each result with noise in its last bits.

What follows a function may make its rounding larger by far: the sine of a thousand times an exponential is off by a
thousand roundings of it. A kernel's is as right as eager's, whose error is small or large by luck. So it is with norms:
of equal numbers less their mean the rounding of the mean is left, and divided by the root of next to nothing.
"""

import random
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from kernelwright.backend.reference.eight_bits import in_eight_bits
from kernelwright.backend.torch_private import TorchDispatchMode
from kernelwright.evaluation.inputs.literals import WEIGHT_ERROR
from kernelwright.evaluation.inputs.watches import NORMS
from kernelwright.evaluation.inputs.weights import nudge
from kernelwright.evaluation.protocol import operators

_NAMES = ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "tanh", "sigmoid", "rsqrt")
#: Operations that libraries round in their own ways.
FUNCTIONS = frozenset(f"aten.{name}.default" for name in _NAMES)
#: Whoever widens fp8 does it with this operation.
_CAST = "aten._to_copy.default"


class NoisyFunctions(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Puts noise into the last bits of what these functions give in fp32, of what norms are given, and of what fp8
    gives there; and into numbers that are `weights` as much as their error is where a kernel works them out: see
    `weights_of`. `units` are those of `nudge`."""

    def __init__(self, seed: int, weights: Iterable[float] = (), units: int = 1) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._seed, self._units = seed, units
        draw = random.Random(seed)
        self._weights = {weight: weight + draw.uniform(-WEIGHT_ERROR, WEIGHT_ERROR) for weight in sorted(weights)}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        args = [self._weights.get(one, one) if isinstance(one, float) else one for one in args]
        if operators.base(str(func)) in NORMS and args[0].dtype == torch.float32:
            args[0] = args[0].clone()
            self._put_into(args[0])
        result = func(*args, **(kwargs or {}))
        noisy = str(func) in FUNCTIONS or (str(func) == _CAST and in_eight_bits(args[0]))
        if noisy and isinstance(result, Tensor) and result.dtype == torch.float32:
            self._put_into(result)
        return result

    def _put_into(self, value: Tensor) -> None:
        self._seed += 1
        nudge([value], self._seed, self._units)
