"""Frames: how jobs and answers travel between the judge and its children.

A frame is eight bytes (little endian) with the header's length, a JSON header, then raw tensor bytes, each at
a multiple of 64. Nothing is ever pickled, and whatever a child wrote is checked before it is used.
"""

import json
import math
import mmap
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwright.ir.values import DTYPES

ALIGNMENT = 64
#: A hundred thousand tensors, which a model with hundreds of weights has on all draws, take half as many.
MAX_HEADER_BYTES = 16 << 20
#: Elements that one number of a sketch stands for; see `sketch`.
SKETCHED = 256
_LARGE_BYTES, _THREADS = 64 << 20, min(16, os.cpu_count() or 1)


class FrameError(ValueError):
    """Bytes that are not a frame; from a child that ran a candidate this is a failure of the candidate."""


@dataclass(frozen=True)
class RawTensor:
    """A tensor as its row-major bytes; `strides` and `offset` (in elements) tell how it lies in its owner's memory.

    Where it is `sketched`, the bytes are not its elements but 8 for each block of them, see `sketch`.
    """

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    data: memoryview
    sketched: bool = False
    offset: int = 0

    @property
    def nbytes(self) -> int:
        """Bytes that travel."""
        return _nbytes(self.dtype, self.shape, self.sketched)

    @property
    def steps(self) -> tuple[int, ...]:
        """Strides of the dimensions that have more than one place; none where there is no element."""
        sizes = zip(self.shape, self.strides, strict=True) if 0 not in self.shape else ()
        return tuple(stride for size, stride in sizes if size > 1)


def _nbytes(dtype: str, shape: Sequence[int], sketched: bool) -> int:
    count = math.prod(shape)
    return -(-count // SKETCHED) * 8 if sketched else count * DTYPES[dtype][2]


def frame_size(tensors: Sequence[RawTensor], header_bytes: int = MAX_HEADER_BYTES) -> int:
    """An upper bound of the bytes that a frame with these tensors takes."""
    return 8 + header_bytes + sum(tensor.nbytes + ALIGNMENT for tensor in tensors) + ALIGNMENT


def _aligned(position: int) -> int:
    return -(-position // ALIGNMENT) * ALIGNMENT


def write_frame(
    buffer: mmap.mmap, header: dict[str, Any], tensors: Sequence[RawTensor], release: list[RawTensor] | None = None
) -> None:
    """Write a frame; ValueError where the buffer is too small.

    A list `release` of the same tensors is emptied as they are written, so that their memory is free again.
    """
    offset, places = 0, []
    for tensor in tensors:
        places.append(offset)
        offset = _aligned(offset + tensor.nbytes)
    specs = [_spec(tensor, place) for tensor, place in zip(tensors, places, strict=True)]
    text = json.dumps({"header": header, "tensors": specs}, separators=(",", ":")).encode()
    if len(text) > MAX_HEADER_BYTES:
        raise ValueError(f"{len(tensors)} tensors are too many: they are told in {len(text)} bytes")
    base = _aligned(8 + len(text))
    if base + offset > len(buffer):
        raise ValueError(f"a frame of {base + offset} bytes does not fit into {len(buffer)}")
    buffer[:8] = len(text).to_bytes(8, "little")
    buffer[8 : 8 + len(text)] = text
    left = list(reversed(tensors))
    if release is not None:
        release.clear()
    del tensors
    with memoryview(buffer) as view:
        for place in places:
            tensor = left.pop()
            if tensor.nbytes:
                _copy(view[base + place : base + place + tensor.nbytes], tensor.data.cast("B"))


def _spec(tensor: RawTensor, place: int) -> dict[str, Any]:
    told = {"dtype": tensor.dtype, "shape": tensor.shape, "strides": tensor.strides, "at": place}
    return told | ({"sketched": True} if tensor.sketched else {}) | ({"offset": tensor.offset} if tensor.offset else {})


def _copy(target: memoryview, source: memoryview) -> None:
    """Copy bytes; gigabytes by several threads, as most of the time goes into fresh pages."""
    size = len(source)
    if size < _LARGE_BYTES:
        target[:] = source
        return
    step = -(-size // _THREADS)

    def part(start: int) -> None:
        into, given = (np.frombuffer(side, np.uint8)[start : start + step] for side in (target, source))
        np.copyto(into, given)

    with ThreadPoolExecutor(_THREADS) as threads:
        list(threads.map(part, range(0, size, step)))


def read_frame(buffer: mmap.mmap | bytes) -> tuple[dict[str, Any], tuple[RawTensor, ...]]:
    """The header and tensors (views of the buffer) of a frame; FrameError for anything malformed."""
    view = memoryview(buffer).cast("B")
    length = int.from_bytes(view[:8], "little") if len(view) >= 8 else 0
    if not 0 < length <= min(MAX_HEADER_BYTES, len(view) - 8):
        raise FrameError("no answer was written")
    try:
        frame = json.loads(bytes(view[8 : 8 + length]))
    except (ValueError, RecursionError) as error:
        raise FrameError("the header is not JSON") from error
    if not (isinstance(frame, dict) and isinstance(frame.get("header"), dict)):
        raise FrameError("the header is not an object")
    specs = frame.get("tensors")
    if not isinstance(specs, list):
        raise FrameError("the header lists no tensors")
    base = _aligned(8 + length)
    return frame["header"], tuple(_tensor(view, base, spec) for spec in specs)


def _sizes(value: object) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) > 64:
        raise FrameError("a shape is not a short list")
    if not all(type(size) is int and 0 <= size < 1 << 48 for size in value):
        raise FrameError("a size is not a number")
    return tuple(value)


def _tensor(view: memoryview, base: int, spec: object) -> RawTensor:
    if not isinstance(spec, dict) or not isinstance(spec.get("dtype"), str) or type(spec.get("at")) is not int:
        raise FrameError("a tensor has no dtype or place")
    if spec["dtype"] not in DTYPES:
        raise FrameError("a tensor has an unknown dtype")
    shape, strides = _sizes(spec.get("shape")), _sizes(spec.get("strides"))
    sketched = spec.get("sketched") is True
    nbytes = _nbytes(spec["dtype"], shape, sketched)
    start = base + spec["at"]
    if len(shape) != len(strides) or spec["at"] < 0 or start + nbytes > len(view):
        raise FrameError("a tensor lies outside the frame")
    (offset,) = _sizes([spec.get("offset", 0)])
    return RawTensor(spec["dtype"], shape, strides, view[start : start + nbytes], sketched, offset)
