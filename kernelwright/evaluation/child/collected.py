"""Tensors of a child's runs on their way into its answer."""

import contextlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from torch import Tensor

from kernelwright.backend.measure.turns import DeviceLock
from kernelwright.backend.tensors import Value, copy_of
from kernelwright.evaluation.protocol.decoding import Place
from kernelwright.evaluation.protocol.sketch import Sketching, snapshot
from kernelwright.evaluation.protocol.tensors import to_raw
from kernelwright.evaluation.protocol.wire import RawTensor
from kernelwright.ir.values import TensorSpec

#: Bytes that the host draws or copies in about the time that a turn on the device is waited for.
_LONG_BYTES = 64 << 20


def aside(turns: DeviceLock, tensors: Iterable[Tensor | TensorSpec]) -> contextlib.AbstractContextManager[None]:
    """Around what the host does with these: others may have the device where that takes long."""
    long = sum(tensor.nbytes for tensor in tensors) > _LONG_BYTES
    return turns.given_up() if long else contextlib.nullcontext()


@dataclass
class Collected:
    """Tensors on their way into an answer."""

    tensors: list[RawTensor] = field(default_factory=list)
    sketching: Sketching | None = None
    #: Whether a pass gave the same under autocast; then no other is tried under it.
    alike_under_autocast: bool = False
    #: Whether a pass had no norms, or one; then nobody looks for what several make of noise.
    few_norms: bool = False

    def take(self, tensor: Tensor) -> Place:
        """Take an output in; its index."""
        self.tensors.append(snapshot(tensor, self.sketching))
        return Place(len(self.tensors) - 1)

    def take_all(self, tensors: Iterable[Tensor]) -> tuple[Place, ...]:
        """Take outputs in; their indices."""
        return tuple(self.take(tensor) for tensor in tensors)

    def add(self, values: Collection[Value], turns: DeviceLock) -> tuple[Place | None, ...]:
        """Take tensors in as they are now, as models may change their state; their indices, None for other values."""
        tensors = [value for value in values if isinstance(value, Tensor)]
        places = iter(range(len(self.tensors), len(self.tensors) + len(tensors)))
        with aside(turns, tensors):
            self.tensors += [to_raw(copy_of(one) if one.device.type == "cpu" else one) for one in tensors]
        return tuple(Place(next(places)) if isinstance(value, Tensor) else None for value in values)

    def named(self, values: Mapping[str, Tensor], turns: DeviceLock) -> dict[str, Place]:
        """The same by name."""
        places = self.add(values.values(), turns)
        return {name: place for name, place in zip(values, places, strict=True) if place is not None}
