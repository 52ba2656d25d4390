"""What stands for the elements of a tensor of gigabytes where they cannot travel: sums of its blocks with secret signs.

A sketch has one number for each `SKETCHED` consecutive elements in row-major order. For floats it is their sum in fp64
with random signs: over many blocks, the mean square of the difference of two sketches is that of the tensors, and one
wrong element moves its block's sum by all of its error. For integers and booleans it is their sum with random odd
64-bit weights, in wrapping arithmetic. The signs follow from a seed of the judge's, which no candidate sees.
(Alon, Matias, Szegedy: The space complexity of approximating the frequency moments, STOC 1996.)
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn.functional import pad

from kernelwright.backend.tensors import SHORT_DTYPES, Value
from kernelwright.evaluation.protocol.link import Json
from kernelwright.evaluation.protocol.tensors import to_raw
from kernelwright.evaluation.protocol.wire import SKETCHED, RawTensor

#: Signs repeat after so many elements; rows of so many are summed at a time.
_PERIOD, _ROWS = 1 << 20, 32
_BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


@dataclass(frozen=True)
class Sketching:
    """Tensors of more than `above` elements are sketched with the signs of `seed`.

    Elements, not bytes: what an output is compared with may be of another width, as the gold is.
    """

    seed: int
    above: int

    @classmethod
    def decode(cls, content: Json) -> "Sketching":
        """From a job's header."""
        return cls(int(content["seed"]), int(content["above"]))

    def taken(self, tensor: Tensor) -> RawTensor:
        """A tensor as it travels."""
        if tensor.numel() <= self.above:
            return to_raw(tensor)
        sums = to_raw(sketch(tensor, self.seed))
        return replace(
            sums,
            dtype=SHORT_DTYPES[tensor.dtype],
            shape=tuple(tensor.shape),
            strides=tuple(tensor.stride()),
            sketched=True,
        )

    def digest(self, tensor: Tensor) -> int:
        """One number for the bits of a tensor."""
        dense = tensor.detach().contiguous()
        return int(sketch(dense.view(_BITS[dense.element_size()]), self.seed).sum())


class DrawnOtherwiseError(Exception):
    """Inputs that were drawn a second time are not those of the first."""


def digests(values: Sequence[Value], sketching: Sketching) -> list[int]:
    """Of all tensors among an input's values, one number each."""
    return [sketching.digest(value) for value in values if isinstance(value, Tensor)]


def snapshot(tensor: Tensor, sketching: Sketching | None) -> RawTensor:
    """A tensor as it travels, as it is now, whatever happens to its memory."""
    raw = to_raw(tensor) if sketching is None else sketching.taken(tensor)
    own = raw.sketched or tensor.device.type != "cpu"
    return raw if own else replace(raw, data=memoryview(bytes(raw.data)))


def sketch(tensor: Tensor, seed: int) -> Tensor:
    """Sums of a tensor's blocks: fp64 for floats, else int64; shape (number of blocks,)."""
    flat = tensor.detach().reshape(-1)
    weights = _weights(seed, tensor.is_floating_point(), str(tensor.device))
    sums = []
    for start in range(0, flat.numel(), _ROWS * _PERIOD):
        piece = flat[start : start + _ROWS * _PERIOD].to(weights.dtype)
        blocks = -(-piece.numel() // SKETCHED)
        rows = pad(piece, (0, -piece.numel() % _PERIOD)).view(-1, _PERIOD)
        sums.append((rows * weights).view(-1, SKETCHED).sum(1)[:blocks])
    return torch.cat(sums) if sums else weights[:0]


@functools.lru_cache(maxsize=4)
def _weights(seed: int, floating: bool, device: str) -> Tensor:
    """Signs, or odd numbers; drawn on the CPU, so that they are the same everywhere."""
    generator = torch.Generator().manual_seed(seed)
    if floating:
        return (2.0 * torch.randint(0, 2, (_PERIOD,), generator=generator) - 1.0).double().to(device)
    return (torch.randint(-(2**62), 2**62, (_PERIOD,), generator=generator) * 2 + 1).to(device)
