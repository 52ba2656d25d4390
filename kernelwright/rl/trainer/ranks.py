"""Processes that share the learner's work, as torchrun starts them.

Each holds a share of the base model's layers (FSDP2) and, whole, the adapter with its optimizer, which are small: every
process takes the same steps from the sum of all gradients, and whatever one writes another can read, also alone. Rows
are dealt out; denominators are those of the whole batch, so that losses and gradients of the shares add up to it.
"""

import contextlib
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import torch
from torch import Tensor, distributed
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

from kernelwright.rl.trainer.packing import Example, longest_first, packs

T = TypeVar("T")
#: A process waits for the first one while answers are drawn and judged; torchrun ends it where that one fails.
_PATIENCE = timedelta(days=1)
#: The threads of gloo free the tensors of the last exchange after it is over, for which they take the interpreter's
#: lock. One that asks for the lock while the interpreter ends aborts the process.
_FREED_WITHIN_S = 0.5


@dataclass(frozen=True)
class Ranks:
    """Which of how many processes this is. The first leads: it alone asks, judges, writes and tells."""

    rank: int = 0
    world: int = 1

    @property
    def leads(self) -> bool:
        """Whether this is the first process, or the only one."""
        return self.rank == 0

    @property
    def alone(self) -> bool:
        """Whether no other process takes the same steps, which would wait for this one."""
        return self.world == 1

    def shared(self, value: T) -> T:
        """What the first process has; all have to come here."""
        if self.alone:
            return value
        box = [value if self.leads else None]
        distributed.broadcast_object_list(box, src=0, device=torch.device("cpu"))
        return box[0]  # type: ignore[return-value]

    def add_up(self, tensors: Sequence[Tensor]) -> None:
        """Put the sum over all processes in the place of each; all have to come here, with the same shapes."""
        if self.alone or not tensors:
            return
        for dtype in dict.fromkeys(tensor.dtype for tensor in tensors):
            same = [tensor for tensor in tensors if tensor.dtype == dtype]
            flat = torch.cat([tensor.reshape(-1) for tensor in same])
            distributed.all_reduce(flat)
            for tensor, part in zip(same, torch.split(flat, [tensor.numel() for tensor in same]), strict=True):
                tensor.copy_(part.view_as(tensor))

    def packs(self, rows: Sequence[Example], budget: int, shared: bool = False) -> list[list[int]]:
        """The packs of this process's share of the rows, as many as each other has: some may be empty.

        Longest lines are dealt out first, each to whoever has the fewest tokens; with `shared` rows of one prompt may
        share one.
        """
        dealt: list[list[int]] = [[] for _ in range(self.world)]
        tokens = [0] * self.world
        for length, line in longest_first(rows, shared):
            least = tokens.index(min(tokens))
            dealt[least] += line
            tokens[least] += length
        found = [
            [[share[place] for place in pack] for pack in packs([rows[index] for index in share], budget, shared)]
            for share in dealt
        ]
        most = max(map(len, found))
        return found[self.rank] + [[] for _ in range(most - len(found[self.rank]))]


ALONE = Ranks()


@contextlib.contextmanager
def joined(cuda: bool) -> Iterator[Ranks]:
    """This process among those that torchrun started with it; alone where it did not."""
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        yield ALONE
        return
    distributed.init_process_group("cpu:gloo,cuda:nccl" if cuda else "gloo", timeout=_PATIENCE)
    try:
        yield Ranks(distributed.get_rank(), distributed.get_world_size())
        distributed.barrier()  # none leaves while another is at work
    finally:
        time.sleep(_FREED_WITHIN_S)
        distributed.destroy_process_group()


def local_rank() -> int:
    """Which of its host's processes this is."""
    return int(os.environ.get("LOCAL_RANK", "0"))


def shard_layers(model: Any, ranks: Ranks, device: str) -> None:
    """Split the layers of a peft model's base over the processes; embeddings, head and adapter stay whole."""
    if ranks.alone:
        return
    mesh = init_device_mesh(torch.device(device).type, (ranks.world,))
    body = model.get_base_model().model
    adapter = {parameter for parameter in model.parameters() if parameter.requires_grad}
    for layer in body.layers:
        fully_shard(layer, mesh=mesh, ignored_params=adapter)
    inside = {parameter for layer in body.layers for parameter in layer.parameters()}
    fully_shard(body, mesh=mesh, ignored_params=adapter | (set(body.parameters()) - inside))
