"""Functions that libraries round in their own ways, each result with noise in its last bits.

What follows a function may make its rounding larger by far: the sine of a thousand times an exponential is off by a
thousand roundings of it. A kernel's is as right as eager's, whose error is small or large by luck. Of equal numbers a
norm makes the rounding of their mean, divided by the root of next to nothing; what further norms make of that is
nobody's rule.
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
    """Puts noise into the last bits of what these functions give in fp32, and of what fp8 gives there; and into numbers
    that are `weights` as much as their error is where a kernel works them out: see `weights_of`. `units` are those of
    `nudge`."""

    def __init__(self, seed: int, weights: Iterable[float] = (), units: int = 1) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._seed, self._units = seed, units
        draw = random.Random(seed)
        self._weights = {weight: weight + draw.uniform(-WEIGHT_ERROR, WEIGHT_ERROR) for weight in sorted(weights)}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        args = [self._weights.get(one, one) if isinstance(one, float) else one for one in args]
        result = func(*args, **(kwargs or {}))
        noisy = str(func) in FUNCTIONS or (str(func) == _CAST and in_eight_bits(args[0]))
        if noisy and isinstance(result, Tensor) and result.dtype == torch.float32:
            self._seed += 1
            nudge([result], self._seed, self._units)
        return result


class NoisyNorms(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Puts noise into the last bits of what norms are given in fp32, of which there were `count`."""

    def __init__(self, seed: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._seed, self.count = seed, 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if operators.base(str(func)) in NORMS and args[0].dtype == torch.float32:
            self.count += 1
            noisy = args[0].clone()
            nudge([noisy], self._seed + self.count)
            args = (noisy, *args[1:])
        return func(*args, **(kwargs or {}))
