"""Tensors as raw bytes and back, in children."""

import warnings

import numpy as np
import torch
from torch import Tensor

from kernelwright.backend.tensors import SHORT_DTYPES, TORCH_DTYPES
from kernelwright.evaluation.wire import RawTensor

_LARGE_BYTES = 64 << 20
#: Integers as wide as an element, for bitwise comparison.
_BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def to_raw(tensor: Tensor) -> RawTensor:
    """A tensor's bytes; raises KeyError for a dtype that the IR has no name for."""
    dense = tensor.detach().contiguous().cpu()
    flat = dense.as_strided((dense.numel(),), (1,))  # one element may be contiguous with any stride
    data = flat.view(torch.uint8).numpy().data if flat.numel() else memoryview(b"")
    return RawTensor(SHORT_DTYPES[tensor.dtype], tuple(tensor.shape), tuple(tensor.stride()), data)


def from_raw(raw: RawTensor, device: torch.device | str = "cpu") -> Tensor:
    """A new tensor with the strides of the original; expanded sizes share memory again."""
    assert not raw.sketched, "a sketch holds no elements"
    dtype = TORCH_DTYPES[raw.dtype]
    array = np.frombuffer(raw.data, np.uint8)
    if torch.device(device).type == "cpu" or array.size < _LARGE_BYTES:
        array = array.copy()
    else:
        warnings.filterwarnings("ignore", "The given NumPy array is not writable")  # it is only read, below
    filled = torch.from_numpy(array).view(dtype).reshape(raw.shape) if array.size else None
    narrow = tuple(1 if stride == 0 and size > 1 else size for size, stride in zip(raw.shape, raw.strides, strict=True))
    tensor = torch.empty_strided(narrow, raw.strides, dtype=dtype, device=device)
    if filled is not None:
        tensor.copy_(filled[tuple(slice(size) for size in narrow)])
    return tensor.expand(raw.shape)


def copy_of(tensor: Tensor) -> Tensor:
    """A copy with the same strides."""
    copied = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=tensor.device)
    overlaps = any(step == 0 and size > 1 for step, size in zip(tensor.stride(), tensor.shape, strict=True))
    return tensor.clone() if overlaps else copied.copy_(tensor)


def twin(tensor: Tensor) -> Tensor:
    """A copy in memory of its own that shares memory between elements where the tensor does."""
    copied = copy_of(tensor)
    return copied if copied.stride() == tensor.stride() else from_raw(to_raw(tensor), tensor.device)


def same_bits(first: Tensor, second: Tensor) -> bool:
    """Whether two tensors of one shape and dtype hold the same bytes."""
    bits = _BITS[first.element_size()]
    return torch.equal(first.contiguous().view(bits), second.contiguous().view(bits))
