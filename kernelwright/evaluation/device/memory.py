"""The memory that a host's tensors live in: poisoned when new, walled in, and watched."""

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass, field

import torch
from torch import Tensor

from kernelwright.backend.tensors import INNER_TORCH_DTYPES, SHORT_DTYPES
from kernelwright.evaluation.protocol.link import LinkError, Origin, TensorRef
from kernelwright.evaluation.protocol.tensors import from_raw
from kernelwright.evaluation.protocol.wire import RawTensor

#: Bytes on either side of a store on a GPU, where nothing checks accesses; a write there is found afterwards.
RED_ZONE_BYTES = 512
_RED = 0xA5
#: What new memory holds, in turn: NaN in every floating type (-1 in integers), then numbers far out of range.
POISONS = (0xFF, 0x7F)


class OutOfBoundsError(RuntimeError):
    """A kernel wrote outside every tensor it was given."""


@dataclass
class Store:
    """One allocation. `whole` includes the red zones; `origin`: where its content comes from. `of_inputs`: inputs may
    have a part in it; `prepared`: what host code computed of weights may."""

    whole: Tensor
    zone: int
    origin: Origin = Origin.HOST
    of_inputs: bool = False
    prepared: bool = False

    def receive(self, of_inputs: bool = False) -> None:
        """Hold what a caller gives: an input, or a weight."""
        self.origin, self.of_inputs, self.prepared = Origin.GIVEN, of_inputs, False

    @property
    def nbytes(self) -> int:
        """Bytes that tensors may use."""
        return self.whole.numel() - 2 * self.zone

    @property
    def content(self) -> Tensor:
        """The bytes between the red zones."""
        return self.whole[self.zone : self.zone + self.nbytes]


@dataclass
class Memory:
    """All stores of a host on one torch device, at most `limit` bytes."""

    device: torch.device
    limit: int
    poison: int = POISONS[0]
    stores: dict[int, Store] = field(default_factory=dict)
    used: int = 0

    def allocate(self, number: int, nbytes: int) -> Store:
        """New poisoned memory; raises MemoryError past the limit, LinkError for a number in use."""
        if number in self.stores or nbytes < 0:
            raise LinkError("a store is allocated twice")
        if self.used + nbytes > self.limit:
            raise MemoryError(f"host code allocates more than {self.limit >> 20} MB")
        zone = RED_ZONE_BYTES if self.device.type == "cuda" else 0
        whole = torch.empty(nbytes + 2 * zone, dtype=torch.uint8, device=self.device)
        whole.fill_(self.poison)
        if zone:
            whole[:zone].fill_(_RED)
            whole[-zone:].fill_(_RED)
        self.stores[number] = Store(whole, zone)
        self.used += nbytes
        return self.stores[number]

    def free(self, number: int) -> Store | None:
        """Forget a store; what it was."""
        store = self.stores.pop(number, None)
        if store is not None:
            self.used -= store.nbytes
            if self.device.type == "cuda":
                store.whole.fill_(self.poison)
        return store

    def clear(self) -> None:
        """Free all of it; on a GPU, where whoever uses it next could read what it held, poisoned."""
        for store in self.stores.values() if self.device.type == "cuda" else ():
            with contextlib.suppress(RuntimeError):  # a device that a fault has left unusable keeps nothing
                store.whole.fill_(POISONS[0])
        self.stores.clear()

    def store(self, number: int) -> Store:
        """A store by number; raises LinkError for one that is not there."""
        if number not in self.stores:
            raise LinkError("a tensor's memory is not there")
        return self.stores[number]

    def tensor(self, ref: TensorRef) -> Tensor:
        """A view of a store; raises LinkError where it would reach outside."""
        store, dtype = self.store(ref.store), INNER_TORCH_DTYPES.get(ref.dtype)
        if dtype is None:
            raise LinkError(f"no dtype {ref.dtype!r}")
        last = ref.offset + sum((size - 1) * step for size, step in zip(ref.shape, ref.strides, strict=True))
        if all(ref.shape) and (last + 1) * dtype.itemsize > store.nbytes:
            raise LinkError("a tensor reaches outside its memory")
        offset = ref.offset + store.zone // dtype.itemsize
        return torch.empty(0, dtype=dtype, device=self.device).set_(
            store.whole.untyped_storage(), offset, ref.shape, ref.strides
        )

    def write(self, number: int, content: bytes | bytearray) -> Store:
        """Fill a store with bytes from the host."""
        store = self.store(number)
        if len(content) != store.nbytes:
            raise LinkError("an upload has the wrong size")
        if content:
            store.content.copy_(torch.frombuffer(bytearray(content), dtype=torch.uint8))
        store.origin = Origin.HOST
        return store

    def put(self, number: int, raw: RawTensor) -> TensorRef:
        """A weight of the judge's, in new memory or over what the same store held."""
        ref = self.place(number, from_raw(raw, self.device))
        self.store(number).receive()
        return ref

    def place(self, number: int, given: Tensor) -> TensorRef:
        """The same for an input that is on the device, alone in its memory."""
        content = torch.empty(0, dtype=torch.uint8, device=self.device).set_(given.untyped_storage())
        if number not in self.stores:
            self.allocate(number, content.numel())
        ref = TensorRef(
            number, SHORT_DTYPES[given.dtype], tuple(given.shape), tuple(given.stride()), int(given.storage_offset())
        )
        store = self.store(number)
        store.content.copy_(content)
        store.receive(of_inputs=True)
        return ref

    def check_zones(self, numbers: Iterable[int]) -> None:
        """Raise OutOfBoundsError where something wrote beside a store."""
        for number in numbers:
            store = self.stores.get(number)
            if store is None or not store.zone:
                continue
            for zone, side in ((store.whole[: store.zone], "before"), (store.whole[-store.zone :], "past the end of")):
                if not bool((zone == _RED).all()):
                    raise OutOfBoundsError(f"a kernel wrote {side} a tensor of {store.nbytes} bytes")
