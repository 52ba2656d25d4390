"""Rows with one element far beyond all others: what stays of the others, or comes long after it, shows what a program
leaves out."""

from collections.abc import Sequence

import torch
from torch import Tensor

from kernelwright.evaluation.inputs.patchwork.rows import signs

#: The kind; and how large the element is: its square is a number of fp32 yet, also summed up.
SPIKES, SPIKE = "spikes", 1e17


def spiked(value: Tensor, sizes: Sequence[float]) -> Tensor:
    """Of every four rows three have one element of the first size, or nearly the largest of a dtype that is too
    narrow for it: at any place, the first ones as often as all others, of either sign."""
    wide = value.double()
    if not wide.ndim:
        return wide
    lines = wide.reshape(-1, wide.shape[-1]).clone()
    rows, width = lines.shape
    place = (width ** torch.rand(rows, device=value.device)).long().sub(1).clamp(0, width - 1)
    sign = signs((rows,), 1 / 2, value.device)
    size = min(sizes[0], torch.finfo(value.dtype).max / 4)
    changed = torch.arange(rows, device=value.device) % 4 < 3
    lines[changed, place[changed]] = (size * sign)[changed]
    return lines.reshape(wide.shape)
