"""Averages of convolutions: a convolution is linear, so that inputs or weights can be averaged first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import torch
from torch.fx import Graph, Node

from kernelwright.frontend.algebra.nodes import Value, arguments, aten, call, reshaped, shape_of


@dataclass(frozen=True)
class Line:
    """A convolution along one axis: `length` values in, `outputs` out, `taps` weights."""

    length: int
    outputs: int
    taps: int
    stride: int
    padding: int
    dilation: int
    transposed: bool

    def seen(self, tap: int) -> range:
        """The places of the input that one weight is multiplied with, over all outputs."""
        offset = tap * self.dilation - self.padding
        if self.transposed:  # place p goes to output p * stride + offset
            return range(max(0, -(offset // self.stride)), min(self.length, -((offset - self.outputs) // self.stride)))
        first = max(0, -(offset // self.stride)) if offset < 0 else 0
        last = min(self.outputs, -((offset - self.length) // self.stride))
        return range(first * self.stride + offset, last * self.stride + offset, self.stride)


@dataclass(frozen=True)
class Convolution:
    """The arguments of aten's `convolution`, in its order."""

    image: Node
    weight: Node
    bias: Node | None
    stride: Sequence[int]
    padding: Sequence[int]
    dilation: Sequence[int]
    transposed: bool
    extra: Sequence[int]
    groups: int

    def line(self, axis: int, outputs: int) -> Line:
        """It along one axis of the image, 0 the first."""
        length, taps = (shape_of(node)[2 + axis] for node in (self.image, self.weight))
        return Line(length, outputs, taps, self.stride[axis], self.padding[axis], self.dilation[axis], self.transposed)


def mean_of_convolution(
    graph: Graph, node: Node, axes: frozenset[int], _mean: Callable[[Value, frozenset[int]], Value]
) -> Node | None:
    """The mean of a convolution over those axes of its image that are among `axes`; None where there are none, or for
    groups.

    For each weight along such an axis the inputs that it meets are summed; what is left is a convolution over the
    other axes with a channel for each of those sums, or a product where no other axis is left.
    """
    given = Convolution(*arguments(node))
    space = len(given.stride)
    averaged = [axis for axis in range(space) if axis - space in axes]
    kept = [axis for axis in range(space) if axis not in averaged]
    if not averaged or given.groups != 1 or len(shape_of(given.image)) != space + 2:
        return None
    batch, out, *outputs = shape_of(node)
    image, weight = given.image, given.weight
    for axis in averaged:
        image = _sums(graph, image, 2 + axis, given.line(axis, outputs[axis]))
    image = _folded(graph, image, averaged, behind=1)
    weight = _folded(graph, weight, averaged, behind=0 if given.transposed else 1)
    if kept:
        options = (given.stride, given.padding, given.dilation, given.extra)
        *before, extra = ([values[axis] for axis in kept] for values in options)
        found = call(graph, aten.convolution.default, image, weight, None, *before, given.transposed, extra, 1)
    else:
        matrix = weight if given.transposed else call(graph, aten.permute.default, weight, [1, 0])
        found = call(graph, aten.mm.default, image, matrix)
    found = call(graph, aten.mul.Tensor, found, 1 / prod(outputs[axis] for axis in averaged))
    found = reshaped(graph, found, (batch, out, *(1 if axis in averaged else outputs[axis] for axis in range(space))))
    if given.bias is None:
        return found
    return call(graph, aten.add.Tensor, found, reshaped(graph, given.bias, (out, *(1,) * space)))


def _folded(graph: Graph, node: Node, averaged: Sequence[int], behind: int) -> Node:
    """Axes of the image moved behind another axis of a tensor, and made one with it."""
    shape = shape_of(node)
    moved = [2 + axis for axis in averaged]
    others = [axis for axis in range(behind + 1, len(shape)) if axis not in moved]
    order = [*range(behind + 1), *moved, *others]
    if order != sorted(order):
        node = call(graph, aten.permute.default, node, order)
    folded = prod(shape[axis] for axis in (behind, *moved))
    return reshaped(graph, node, (*shape[:behind], folded, *(shape[axis] for axis in others)))


def _sums(graph: Graph, image: Node, axis: int, line: Line) -> Node:
    """The axis with one sum for each of the line's weights: of the inputs that it is multiplied with."""
    where = None
    sums = []
    for tap in range(line.taps):
        seen = line.seen(tap)
        values = image
        if len(seen) < line.length and seen.step == 1:
            # Masks keep all sums over the same axis, so that they are taken in one pass.
            where = where or _places(graph, image, axis, line.length)
            inside = call(
                graph,
                aten.logical_and.default,
                call(graph, aten.ge.Scalar, where, seen.start),
                call(graph, aten.lt.Scalar, where, seen.stop),
            )
            zero = call(graph, aten.full.default, [], 0.0, dtype=torch.float32, device=image.meta["val"].device)
            values = call(graph, aten.where.self, inside, image, zero)
        elif len(seen) < line.length:
            values = call(graph, aten.slice.Tensor, image, axis, seen.start, seen.stop, seen.step)
        sums.append(call(graph, aten.sum.dim_IntList, values, [axis], True))
    return call(graph, aten.cat.default, sums, axis) if len(sums) > 1 else sums[0]


def _places(graph: Graph, image: Node, axis: int, length: int) -> Node:
    """0, 1, 2 … along an axis of the image."""
    device = image.meta["val"].device
    iota = torch.ops.prims.iota.default
    places = call(graph, iota, length, start=0, step=1, dtype=torch.int64, device=device, requires_grad=False)
    return reshaped(graph, places, (length, *(1,) * (len(shape_of(image)) - 1 - axis)))


def pooled_convolution(graph: Graph, node: Node, sizes: Sequence[int], steps: Sequence[int]) -> Node | None:
    """Means of windows of a convolution as one convolution, whose weights are averaged over the window and whose stride
    is the window's; None where that is not less work, or where weights would not be dense (strides, dilation)."""
    given = Convolution(*arguments(node))
    taps = shape_of(given.weight)[2:]
    if given.transposed or {*given.stride, *given.dilation} != {1} or len(sizes) != len(taps):
        return None
    wider = [tap + size - 1 for tap, size in zip(taps, sizes, strict=True)]
    if prod(wider) > prod(taps) * prod(steps):
        return None
    around = [edge for size in reversed(sizes) for edge in (size - 1, size - 1)]
    padded = call(graph, aten.constant_pad_nd.default, given.weight, around, 0.0)
    pool = {2: aten.avg_pool2d.default, 3: aten.avg_pool3d.default}[len(sizes)]
    averaged = call(graph, pool, padded, list(sizes), [1] * len(sizes))
    image, _, bias, _, *rest = arguments(node)
    return call(graph, aten.convolution.default, image, averaged, bias, list(steps), *rest)
