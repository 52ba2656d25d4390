"""Matrix products and convolutions as sums of products, which kernels can do by themselves: nothing calls a library.

Each is said by views, one multiplication and one sum, so that lowering makes one reduction of it, with whatever comes
before and after it in the same kernel. Every output element reads all that it sums, so this is for programs to learn
from and for small products, not for speed.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import Graph, Node

from kernelwright.frontend.algebra.nodes import arguments, aten, call, reshaped, shape_of

_PRODUCTS = (aten.mm.default, aten.bmm.default, aten.addmm.default, aten.baddbmm.default)


def write_out_products(graph: Graph) -> None:
    """Replace every product and convolution of an aten graph in place; each node has its value in `meta["val"]`."""
    for node in list(graph.nodes):
        if node.target in _PRODUCTS:
            written = _product
        elif node.target is aten.convolution.default:
            written = _convolution
        else:
            continue
        with graph.inserting_before(node):
            found = written(graph, node)
        node.replace_all_uses_with(found)
        graph.erase_node(node)


def _product(graph: Graph, node: Node) -> Node:
    """`[bias +] left @ right` of the last two axes."""
    *bias, left, right = arguments(node)
    *batch, rows, inner = shape_of(left)
    columns = shape_of(right)[-1]
    one = reshaped(graph, left, (*batch, rows, inner, 1))
    other = reshaped(graph, right, (*batch, 1, inner, columns))
    found = _summed(graph, one, other, [len(batch) + 1])
    if not bias:
        return found
    beta, alpha = node.kwargs.get("beta", 1), node.kwargs.get("alpha", 1)
    added, found = _scaled(graph, bias[0], beta), _scaled(graph, found, alpha)
    return call(graph, aten.add.Tensor, added, found)


def _summed(graph: Graph, one: Node, other: Node, axes: Sequence[int]) -> Node:
    return call(graph, aten.sum.dim_IntList, call(graph, aten.mul.Tensor, one, other), list(axes))


def _scaled(graph: Graph, node: Node, factor: Any) -> Node:
    return node if factor == 1 else call(graph, aten.mul.Tensor, node, factor)


def _convolution(graph: Graph, node: Node) -> Node:
    """A convolution of one to three axes: a window for each output element, times the weights."""
    value, weight, bias, stride, padding, dilation, transposed, extra, groups = arguments(node)
    axes = len(shape_of(value)) - 2
    stride, padding, dilation, extra = (_each(sizes, axes) for sizes in (stride, padding, dilation, extra))
    kernel = shape_of(weight)[2:]
    if transposed:
        value, weight = _spread(graph, value, stride), _turned(graph, weight, groups)
        reach = [step * (size - 1) - pad for step, size, pad in zip(dilation, kernel, padding, strict=True)]
        margins = [(left, left + more) for left, more in zip(reach, extra, strict=True)]
        stride = (1,) * axes
    else:
        margins = [(pad, pad) for pad in padding]
    windows = _windows(graph, _padded(graph, value, margins), kernel, stride, dilation)
    batch, channels, *out = shape_of(windows)[: 2 + axes]
    outputs, inner = shape_of(weight)[0], channels // groups
    one = reshaped(graph, windows, (batch, groups, 1, inner, *out, *kernel))
    other = reshaped(graph, weight, (1, groups, outputs // groups, inner, *(1,) * axes, *kernel))
    found = _summed(graph, one, other, [3, *range(4 + axes, 4 + 2 * axes)])
    found = reshaped(graph, found, (batch, outputs, *out))
    if bias is None:
        return found
    return call(graph, aten.add.Tensor, found, reshaped(graph, bias, (1, outputs, *(1,) * axes)))


def _each(sizes: Sequence[int], axes: int) -> tuple[int, ...]:
    """One number for every axis."""
    return tuple(sizes) if len(sizes) == axes else tuple(sizes) * axes


def _padded(graph: Graph, node: Node, margins: Sequence[tuple[int, int]]) -> Node:
    """Zeros around the last axes; negative margins cut off."""
    flat = [side for pair in reversed(margins) for side in pair]
    return call(graph, aten.constant_pad_nd.default, node, flat) if any(flat) else node


def _windows(graph: Graph, node: Node, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> Node:
    """(N, C, *sizes) -> (N, C, *places, *kernel)."""
    for axis, (size, step, apart) in enumerate(zip(kernel, stride, dilation, strict=True)):
        node = call(graph, aten.unfold.default, node, 2 + axis, (size - 1) * apart + 1, step)
        if apart > 1:
            node = call(graph, aten.slice.Tensor, node, -1, 0, 2**62, apart)
    return node


def _spread(graph: Graph, node: Node, stride: Sequence[int]) -> Node:
    """Zeros between the elements of the last axes, `stride` - 1 of them."""
    for axis, step in enumerate(stride, 2):
        if step == 1:
            continue
        before, size, after = shape_of(node)[:axis], shape_of(node)[axis], shape_of(node)[axis + 1 :]
        apart = reshaped(graph, node, (*before, size, 1, *after))
        wide = call(graph, aten.constant_pad_nd.default, apart, [*(0, 0) * len(after), 0, step - 1])
        node = reshaped(graph, wide, (*before, size * step, *after))
        node = call(graph, aten.slice.Tensor, node, axis, 0, (size - 1) * step + 1)
    return node


def _turned(graph: Graph, weight: Node, groups: int) -> Node:
    """The weights of a transposed convolution (C, O / groups, *kernel) as those of a plain one, kernels reversed."""
    channels, outputs, *kernel = shape_of(weight)
    apart = reshaped(graph, weight, (groups, channels // groups, outputs, *kernel))
    swapped = call(graph, aten.permute.default, apart, [0, 2, 1, *range(3, 3 + len(kernel))])
    joined = reshaped(graph, swapped, (groups * outputs, channels // groups, *kernel))
    return call(graph, torch.ops.prims.rev.default, joined, list(range(2, 2 + len(kernel))))
