"""Where a kernel that multiplies lines of taps finds the weight: where it lies, or where host code packs it.

A step of such a kernel takes numbers of a line, the input channels of one tap along x after those of another, for a
block of columns, the output channels. Numbers that lie one after another along either side are read well, but tensor
cores want TF32 along the line. Any other weight is copied once, so that lines lie so.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from kernelwright.midend.templates.convolution import Convolution


@dataclass(frozen=True)
class LineWeights:
    """Steps in memory from one column, input channel and tap along an axis to the next. `packing`: what host code does
    to the weight before, "" for nothing. `phases`: steps between phases that are columns beside the output channels;
    empty where there are none, or where all columns are one step apart."""

    packing: str
    column: int
    channel: int
    taps: Mapping[str, int]
    phases: Mapping[str, int]


def line_weights(convolution: Convolution, taps: Mapping[str, int], columns: Mapping[str, int]) -> LineWeights:
    """For so many taps along each axis, and as many phases as `columns` has."""
    out, channels = (1, 0) if convolution.transposed else (0, 1)
    steps, sizes = convolution.weight.strides, convolution.weight.shape
    channel = steps[channels] if sizes[channels] > 1 else 1
    given = dict(zip(taps, steps[2:], strict=True))
    lines = {axis: step * columns.get(axis, 1) for axis, step in given.items()}
    along = channel == 1 and (taps["x"] == 1 or lines["x"] == sizes[channels])
    if along or (steps[out] == 1 and convolution.x.dtype != "f32"):
        return LineWeights("", steps[out], channel, lines, {axis: given[axis] for axis in columns})
    line, width = taps["x"] * sizes[channels], sizes[out] * prod(columns.values())
    lines, block = {"x": sizes[channels]}, width * line
    for axis in reversed([axis for axis in taps if axis != "x"]):
        lines[axis] = block
        block *= taps[axis]
    return LineWeights(_packing(convolution, taps, columns), line, 1, lines, {})


def _packing(convolution: Convolution, taps: Mapping[str, int], columns: Mapping[str, int]) -> str:
    """What makes the weight (lines, columns, taps along x, input channels)."""
    out, channels = (1, 0) if convolution.transposed else (0, 1)
    places, phases, sizes = list[int](), list[int](), list(convolution.weight.shape[:2])
    for axis in taps:
        places.append(len(sizes))
        sizes.append(taps[axis])
        if axis in columns:
            phases.append(len(sizes))
            sizes.append(columns[axis])
    order = [*places[:-1], *phases, out, places[-1], channels]
    split = f".view({', '.join(map(str, sizes))})" if phases else ""
    return f"{split}.permute({', '.join(map(str, order))}).contiguous()"
