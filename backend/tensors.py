"""Torch's side of the IR's specs, and sources that Python can find lines in."""

import itertools
import linecache
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor

from kernelwright.ir.errors import UserError
from kernelwright.ir.layout import shares_elements, span
from kernelwright.ir.text import text_lines
from kernelwright.ir.values import DTYPES, INNER_DTYPES, TensorSpec

TORCH_DTYPES: Mapping[str, torch.dtype] = {short: getattr(torch, name) for short, (name, _, _) in DTYPES.items()}
SHORT_DTYPES: Mapping[torch.dtype, str] = {dtype: short for short, dtype in TORCH_DTYPES.items()}
#: The same of what programs make for themselves.
INNER_TORCH_DTYPES: Mapping[str, torch.dtype] = {n: getattr(torch, name) for n, (name, _, _) in INNER_DTYPES.items()}
INNER_SHORT_DTYPES: Mapping[torch.dtype, str] = {dtype: short for short, dtype in INNER_TORCH_DTYPES.items()}

#: Torch's functions and operators, without their overloads, that give memory without content.
UNFILLED = frozenset("empty empty_like empty_strided empty_permuted new_empty new_empty_strided".split())
#: What a program's forward takes.
Value = Tensor | bool | int | float | None

_serial = itertools.count()


def spec_of(name: str, tensor: Tensor) -> TensorSpec:
    """A tensor's spec; raises UserError for a dtype that the IR has no name for."""
    return TensorSpec(name, short_dtype(tensor.dtype, name), tuple(tensor.shape), tuple(tensor.stride()))


def inner_spec(name: str, tensor: Tensor) -> TensorSpec:
    """The spec of a tensor that a program made, or was given; raises UserError as `spec_of` does."""
    return TensorSpec(name, inner_dtype(tensor.dtype, name), tuple(tensor.shape), tuple(tensor.stride()))


def inner_dtype(dtype: torch.dtype, what: str) -> str:
    """The name of a dtype of tensors within programs; UserError, saying what has it, where there is none."""
    if dtype not in INNER_SHORT_DTYPES:
        raise UserError(f"{what}: {dtype} is not supported; use one of {', '.join(INNER_DTYPES)}")
    return INNER_SHORT_DTYPES[dtype]


def short_dtype(dtype: torch.dtype, what: str) -> str:
    """The IR's name of a dtype; UserError, saying what has it, where there is none."""
    if dtype not in SHORT_DTYPES:
        raise UserError(f"{what}: {dtype} is not supported; use one of {', '.join(DTYPES)}")
    return SHORT_DTYPES[dtype]


def laid_out(
    shape: Sequence[int], strides: Sequence[int], offset: int, dtype: torch.dtype, device: torch.device | str
) -> Tensor:
    """A new tensor, alone in its memory, in which it lies as told; what it does not cover of that is poisoned."""
    size = offset + span(shape, strides)
    whole = torch.empty(size, dtype=dtype, device=device)
    if size > math.prod(shape) and whole.device.type != "meta":
        poison(whole)
    return whole.as_strided(shape, strides, offset)


def poison(tensor: Tensor) -> None:
    """Fill with NaN, or numbers far out of any range: nothing that a program may count on."""
    if tensor.is_floating_point() or tensor.is_complex():
        tensor.fill_(float("nan"))
    else:
        tensor.fill_(True if tensor.dtype == torch.bool else torch.iinfo(tensor.dtype).max // 3)


def each_once(tensor: Tensor) -> Tensor:
    """The tensor itself; where places of it share elements, these as they lie in memory, flat."""
    if not shares_elements(tensor.shape, tensor.stride()):
        return tensor
    return tensor.as_strided((span(tensor.shape, tensor.stride()),), (1,), tensor.storage_offset())


def copy_of(tensor: Tensor, device: torch.device | str | None = None, dtype: torch.dtype | None = None) -> Tensor:
    """A copy that lies in memory of its own as the tensor does: the same offset, strides, gaps and shared elements."""
    place = tensor.device if device is None else device
    copied = laid_out(tensor.shape, tensor.stride(), int(tensor.storage_offset()), dtype or tensor.dtype, place)
    each_once(copied).copy_(each_once(tensor.detach()))
    return copied


def share_memory(first: Tensor, second: Tensor) -> bool:
    """Whether two tensors share the memory of at least one element."""
    if first.untyped_storage().data_ptr() != second.untyped_storage().data_ptr() or not first.numel() * second.numel():
        return False
    ends = []
    for one in (first, second):
        start = int(one.storage_offset()) * one.itemsize
        ends.append((start, start + span(one.shape, one.stride()) * one.itemsize))
    low, high = max(start for start, _ in ends), min(end for _, end in ends)
    if low >= high or first.itemsize != second.itemsize:
        return low < high
    marks = torch.zeros(max(end for _, end in ends) // first.itemsize, dtype=torch.bool, device=first.device)
    marks.as_strided(first.shape, first.stride(), int(first.storage_offset())).fill_(True)
    return bool(marks.as_strided(second.shape, second.stride(), int(second.storage_offset())).any())


def shared_with(outputs: Sequence[Tensor], others: Mapping[str, Tensor]) -> list[list[str]]:
    """For each output, the tensors that it shares memory with: earlier outputs as `output NUMBER`, others by name."""
    return [
        [
            *(f"output {number}" for number, earlier in enumerate(outputs[:place]) if share_memory(output, earlier)),
            *(name for name, other in others.items() if share_memory(output, other)),
        ]
        for place, output in enumerate(outputs)
    ]


def register_source(text: str, title: str, path: Path | None = None) -> str:
    """Give a text a file name of its own, or this one, by which tracebacks and `inspect` find its lines."""
    filename = f"<kernelwright {title} #{next(_serial)}>" if path is None else str(path)
    if path is not None:
        path.write_text(text, "utf-8", "surrogatepass", "")
    linecache.cache[filename] = (len(text), None, text_lines(text, keep_ends=True), filename)
    return filename
