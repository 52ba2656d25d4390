"""What a program gives where equal values may come in any order, and nearly equal ones as rounding has it."""

from typing import Any

import torch
from torch import Tensor

from kernelwright.backend.torch_private import TorchDispatchMode, tree_map_only
from kernelwright.evaluation.checks.expected import PLAIN
from kernelwright.evaluation.protocol import operators

#: Of one operation's results: kernels compute an operation such as softmax in several, each of which is rounded.
_UNITS = 2
_SORTS = (torch.ops.aten.topk.default, torch.ops.aten.sort.default, torch.ops.aten.sort.stable)


class Reordered(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Around a run: `topk` and `sort`, which promise no order of equal values, have them in one of this number, and
    what operations round is off by up to `_UNITS` in the last place. Numbers below `PLAIN` round as usual, and have
    the first of equal values first, and the last of them. Numbers 2k and 2k + 1 are each other's reverse, so of two
    equal values each comes first in one of them. `used`: whether there was any of that."""

    used = False

    def __init__(self, number: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._plain = number < PLAIN
        self._reversed = number % 2 == 1
        self._randomness = torch.Generator().manual_seed(number // 2)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = {argument.name: argument.default_value for argument in func._schema.arguments}
        given |= dict(zip(given, args, strict=False)) | dict(kwargs or {})
        if func in _SORTS and not given.get("stable") and given["self"].ndim:
            self.used = True
            return self._sorted(given)
        result = func(*args, **(kwargs or {}))
        name = str(func)
        if func._schema.is_mutable or func.is_view or operators.moves(name) or operators.base(name) in operators.EXACT:
            return result
        return tree_map_only(Tensor, self._nudged, result)

    def _sorted(self, given: dict[str, Any]) -> Any:
        values: Tensor = given["self"]
        dim = int(given["dim"])
        size = values.shape[dim]
        order = torch.arange(size) if self._plain else torch.randperm(size, generator=self._randomness)
        order = (order.flip(0) if self._reversed else order).to(values.device)
        descending = bool(given.get("descending", given.get("largest")))
        found, places = values.index_select(dim, order).sort(dim=dim, descending=descending, stable=True)
        first = slice(int(given.get("k", size)))
        places = places.movedim(dim, -1)[..., first].movedim(-1, dim)
        return found.movedim(dim, -1)[..., first].movedim(-1, dim).contiguous(), order[places].contiguous()

    def _nudged(self, value: Tensor) -> Tensor:
        if not value.is_floating_point() or value.itemsize == 1 or self._plain:
            return value
        self.used = True
        noise = torch.rand(value.shape, generator=self._randomness).to(value.device).mul_(2).sub_(1)
        if self._reversed:
            noise.neg_()
        return torch.addcmul(value, value, noise.to(value.dtype), value=_UNITS * torch.finfo(value.dtype).eps)
