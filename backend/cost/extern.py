"""What a module's extern operations cost: matrix products and convolutions left to libraries, copies, fills."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils.flop_counter import flop_registry

from kernelwright.backend.torch_private import TorchDispatchMode, tree_leaves

#: Operations that allocate and move nothing.
_ALLOCATE = ("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided")


@dataclass(frozen=True)
class ExternCall:
    """One operation: its name, the floating-point operations it needs, the bytes of its tensors, their dtype."""

    name: str
    flops: int
    bytes: int
    dtype: torch.dtype


class ExternTrace(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """While entered, notes every operation on tensors that computes or moves something."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.calls: list[ExternCall] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        del types
        given = dict(kwargs or {})
        result = func(*args, **given)
        packet = func.overloadpacket
        if func.is_view or packet.__name__ in _ALLOCATE:
            return result
        tensors = {id(leaf): leaf for leaf in tree_leaves((args, given, result)) if isinstance(leaf, Tensor)}
        if tensors:
            flops = flop_registry[packet](*args, **given, out_val=result) if packet in flop_registry else 0
            moved = sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())
            self.calls.append(ExternCall(str(packet), int(flops), moved, next(iter(tensors.values())).dtype))
        return result
