"""Tensors as raw bytes and back, in children."""

import warnings

import numpy as np
import torch
from torch import Tensor

from kernelwright.backend.tensors import SHORT_DTYPES, TORCH_DTYPES, laid_out
from kernelwright.evaluation.protocol.wire import RawTensor

_LARGE_BYTES = 64 << 20
#: Integers as wide as an element, for bitwise comparison.
_BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def to_raw(tensor: Tensor) -> RawTensor:
    """A tensor's bytes, and how it lies in memory; raises KeyError for a dtype that the IR has no name for."""
    dense = tensor.detach().contiguous().cpu()
    flat = dense.as_strided((dense.numel(),), (1,))  # one element may be contiguous with any stride
    data = flat.view(torch.uint8).numpy().data if flat.numel() else memoryview(b"")
    offset = int(tensor.storage_offset())
    return RawTensor(SHORT_DTYPES[tensor.dtype], tuple(tensor.shape), tuple(tensor.stride()), data, offset=offset)


def from_raw(raw: RawTensor, device: torch.device | str = "cpu") -> Tensor:
    """A new tensor that lies in memory as the original did."""
    assert not raw.sketched, "a sketch holds no elements"
    dtype = TORCH_DTYPES[raw.dtype]
    array = np.frombuffer(raw.data, np.uint8)
    if torch.device(device).type == "cpu" or array.size < _LARGE_BYTES:
        array = array.copy()
    else:
        warnings.filterwarnings("ignore", "The given NumPy array is not writable")  # it is only read, below
    tensor = laid_out(raw.shape, raw.strides, raw.offset, dtype, device)
    if array.size:
        # An expanded size is written once; places that share an element otherwise hold the same.
        narrow = tuple(1 if step == 0 else size for size, step in zip(raw.shape, raw.strides, strict=True))
        filled = torch.from_numpy(array).view(dtype).reshape(raw.shape)
        tensor.as_strided(narrow, raw.strides, raw.offset).copy_(filled[tuple(map(slice, narrow))])
    return tensor


def same_bits(first: Tensor, second: Tensor) -> bool:
    """Whether two tensors of one shape and dtype hold the same bytes."""
    bits = _BITS[first.element_size()]
    return torch.equal(first.contiguous().view(bits), second.contiguous().view(bits))
