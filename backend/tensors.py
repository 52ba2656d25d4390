"""Torch's side of the IR's specs, and sources that Python can find lines in."""

import itertools
import linecache
from collections.abc import Mapping

import torch
from torch import Tensor

from kernelwright.ir.errors import UserError
from kernelwright.ir.text import text_lines
from kernelwright.ir.values import DTYPES, TensorSpec

TORCH_DTYPES: Mapping[str, torch.dtype] = {short: getattr(torch, name) for short, (name, _, _) in DTYPES.items()}
SHORT_DTYPES: Mapping[torch.dtype, str] = {dtype: short for short, dtype in TORCH_DTYPES.items()}

#: What a program's forward takes.
Value = Tensor | bool | int | float | None

_serial = itertools.count()


def spec_of(name: str, tensor: Tensor) -> TensorSpec:
    """A tensor's spec; raises UserError for a dtype that the IR has no name for."""
    return TensorSpec(name, short_dtype(tensor.dtype, name), tuple(tensor.shape), tuple(tensor.stride()))


def short_dtype(dtype: torch.dtype, what: str) -> str:
    """The IR's name of a dtype; UserError, saying what has it, where there is none."""
    if dtype not in SHORT_DTYPES:
        raise UserError(f"{what}: {dtype} is not supported; use one of {', '.join(DTYPES)}")
    return SHORT_DTYPES[dtype]


def register_source(text: str, title: str) -> str:
    """Give a text a file name of its own, by which tracebacks and `inspect` find its lines."""
    filename = f"<kernelwright {title} #{next(_serial)}>"
    linecache.cache[filename] = (len(text), None, text_lines(text, keep_ends=True), filename)
    return filename
