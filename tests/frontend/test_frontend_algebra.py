"""Averages that moved inwards: the same values, from smaller operators; what they cannot move into stays."""

from collections.abc import Callable, Sequence
from math import prod

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch._inductor.decomposition import select_decomp_table
from torch.fx import GraphModule
from torch.fx.experimental.proxy_tensor import make_fx

from kernelwright.frontend.algebra import reassociate, write_out_products

Program = Callable[..., Tensor]


def graph_of(program: Program, inputs: Sequence[Tensor]) -> GraphModule:
    """The operators that Inductor would see."""
    return make_fx(program, select_decomp_table(), tracing_mode="fake")(*inputs)


def largest(graph: GraphModule) -> int:
    """Elements of the largest tensor that is computed."""
    values = [node.meta.get("val") for node in graph.graph.nodes if node.op == "call_function"]
    return max((prod(value.shape) for value in values if isinstance(value, Tensor)), default=0)


def drawn(*shapes: tuple[int, ...]) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(shape, generator=generator) for shape in shapes]


IMAGE, VOLUME = (2, 3, 12, 11), (2, 3, 7, 6, 8)
LESS = {
    "columns of a layer": (lambda x, w, b: (F.linear(x, w, b) - b * 2).mean(1), (9, 5), (70, 5), (70,)),
    "rows": (lambda x, w: (x @ w).sum(0, keepdim=True) / 3, (90, 5), (5, 7)),
    "all of a product": (lambda x, w: -(x @ w).mean(), (90, 5), (5, 70)),
    "batches of products": (lambda x, w: torch.bmm(x, w).mean((1, 2)) * 2, (3, 90, 5), (3, 5, 70)),
    "batches too": (lambda x, w: torch.bmm(x, w).mean((0, -1)), (3, 90, 5), (3, 5, 70)),
    "a factor for each row": (lambda x, w, c: ((x @ w) * c).mean(), (90, 5), (5, 70), (90, 1)),
    "sum of two": (lambda x, w, v: (x @ w + x @ v).mean(1), (9, 5), (5, 70), (5, 70)),
    "one axis": (lambda x, w, b: F.conv2d(x, w, b).mean(3), (2, 3, 12, 41), (20, 3, 3, 3), (20,)),
    "both axes": (lambda x, w, b: F.conv2d(x, w, b, padding=2).sum((2, 3)), IMAGE, (20, 3, 3, 5), (20,)),
    "steps": (lambda x, w: F.conv2d(x, w, stride=2, padding=1, dilation=2).mean(2), IMAGE, (30, 3, 3, 4)),
    "channels too": (lambda x, w: F.conv2d(x, w).mean((1, 2, 3)), IMAGE, (30, 3, 3, 4)),
    "the middle axis": (lambda x, w: F.conv3d(x, w, padding=1).mean(3, keepdim=True), VOLUME, (30, 3, 3, 3, 3)),
    "transposed": (lambda x, w: F.conv_transpose3d(x, w, padding=1).mean(2), VOLUME, (3, 30, 3, 3, 3)),
    "transposed with steps": (
        lambda x, w: F.conv_transpose2d(x, w, stride=3, padding=2, output_padding=1, dilation=2).mean(-1),
        IMAGE,
        (3, 20, 3, 4),
    ),
    "transposed, all": (lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2).mean((2, 3)), IMAGE, (3, 9, 3, 3), (9,)),
    "pooled": (lambda x, w, b: F.avg_pool2d(F.conv2d(x, w, b, padding=1), 3), IMAGE, (20, 3, 3, 3), (20,)),
    "pooled with steps": (lambda x, w: F.avg_pool2d(F.conv2d(x, w) * 3 + 1, (3, 2), (2, 2)), IMAGE, (20, 3, 3, 3)),
    "pooled volume": (lambda x, w: F.avg_pool3d(F.conv3d(x, w), 2), (2, 3, 17, 16, 18), (20, 3, 2, 3, 3)),
    "pooled groups": (lambda x, w: F.avg_pool2d(F.conv2d(x, w, groups=3), 2), IMAGE, (18, 1, 3, 3)),
}
SHARED = {
    "group norm": (lambda x, w: F.group_norm(F.silu(x), 2, w, w).mean((2, 3)), (2, 6, 9, 10), (6,)),
    "group norm, channels too": (lambda x, w: F.group_norm(F.silu(x), 2, w, w).mean((1, 2, 3)), (2, 6, 9, 10), (6,)),
    "norm less its mean": (lambda x, w: (y := F.group_norm(x.exp(), 3, w)) - y.mean((2, 3), True), (2, 6, 9, 10), (6,)),
    "batch norm": (lambda x: F.batch_norm(F.silu(x) * 2, None, None, training=True).mean((2, 3)), (4, 6, 9, 10)),
}
AS_IT_WAS = {
    "nonlinear between": (lambda x, w: F.relu(x @ w).mean(1), (9, 5), (5, 70)),
    "used besides": (lambda x, w: (y := x @ w) + y.mean(1, keepdim=True), (9, 5), (5, 70)),
    "16 bits": (lambda x, w: (x.half() @ w.half()).mean(1), (9, 5), (5, 70)),
    "maximum": (lambda x, w: (x @ w).amax(1), (9, 5), (5, 70)),
    "a factor for each column": (lambda x, w, c: ((x @ w) * c).mean(1), (9, 5), (5, 70), (70,)),
    "groups": (lambda x, w: F.conv2d(x, w, groups=3).mean((2, 3)), IMAGE, (18, 1, 3, 3)),
    "padded windows": (lambda x, w: F.avg_pool2d(F.conv2d(x, w), 2, padding=1), IMAGE, (20, 3, 3, 3)),
    "windows that overlap": (lambda x, w: F.avg_pool2d(F.conv2d(x, w), 3, 1), IMAGE, (20, 3, 1, 1)),
    "windows of a dilated one": (lambda x, w: F.avg_pool2d(F.conv2d(x, w, dilation=2), 2), IMAGE, (20, 3, 3, 3)),
    "pointwise": (lambda x, y: (x + y).mean(1), (9, 70), (9, 70)),
}


@pytest.mark.parametrize("name", LESS)
def test_an_average_of_less_has_the_same_values(name: str) -> None:
    program, *shapes = LESS[name]
    inputs = drawn(*shapes)
    graph = graph_of(program, inputs)
    before = largest(graph)
    assert reassociate(graph.graph)
    graph.recompile()
    assert largest(graph) < before
    torch.testing.assert_close(graph(*inputs), program(*inputs), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", SHARED)
def test_moments_are_shared(name: str) -> None:
    program, *shapes = SHARED[name]
    inputs = [3 + tensor for tensor in drawn(*shapes)]
    graph = graph_of(program, inputs)
    assert reassociate(graph.graph)
    graph.recompile()
    big = [node for node in graph.graph.nodes if node.op == "call_function" and _elements(node) == prod(shapes[0])]
    readers = {user for node in big for user in node.users if user not in big and user.op == "call_function"}
    assert [str(reader.target) for reader in readers] == ["aten.var_mean.correction"]
    torch.testing.assert_close(graph(*inputs), program(*inputs), rtol=1e-4, atol=1e-5)


def _elements(node: torch.fx.Node) -> int:
    value = node.meta.get("val")
    return prod(value.shape) if isinstance(value, Tensor) else 0


@pytest.mark.parametrize("name", AS_IT_WAS)
def test_what_is_no_average_of_less_stays(name: str) -> None:
    program, *shapes = AS_IT_WAS[name]
    graph = graph_of(program, drawn(*shapes))
    before = str(graph.graph)
    assert not reassociate(graph.graph)
    assert str(graph.graph) == before


WRITTEN_OUT = {
    "product": (lambda a, b: a @ b, (9, 5), (5, 7)),
    "batches": (lambda a, b: torch.bmm(a, b), (3, 9, 5), (3, 5, 7)),
    "scaled and added": (lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2), (7,), (9, 5), (5, 7)),
    "batches added to": (lambda c, a, b: torch.baddbmm(c, a, b, beta=2, alpha=0.5), (1, 9, 7), (3, 9, 5), (3, 5, 7)),
    "one axis": (lambda x, w, b: F.conv1d(x, w, b, padding=2, dilation=2), (2, 3, 11), (4, 3, 3), (4,)),
    "steps, holes, groups": (
        lambda x, w: F.conv2d(x, w, stride=(2, 1), padding=(1, 0), dilation=(1, 2), groups=3),
        *(IMAGE, (6, 1, 3, 2)),
    ),
    "volume": (lambda x, w, b: F.conv3d(x, w, b, padding=1), VOLUME, (2, 3, 3, 2, 3), (2,)),
    "turned": (
        lambda x, w, b: F.conv_transpose2d(x, w, b, stride=(3, 2), padding=2, output_padding=1, dilation=2),
        *(IMAGE, (3, 4, 3, 4), (4,)),
    ),
    "turned, cut off": (lambda x, w: F.conv_transpose1d(x, w, padding=3), (2, 3, 11), (3, 4, 2)),
    "turned groups": (lambda x, w: F.conv_transpose3d(x, w, stride=2, groups=3), VOLUME, (3, 2, 2, 1, 2)),
}


@pytest.mark.parametrize("name", WRITTEN_OUT)
def test_products_are_sums(name: str) -> None:
    program, *shapes = WRITTEN_OUT[name]
    inputs = drawn(*shapes)
    graph = graph_of(program, inputs)
    write_out_products(graph.graph)
    graph.recompile()
    called = {str(node.target) for node in graph.graph.nodes if node.op == "call_function"}
    assert not [one for one in called if "conv" in one or "mm" in one]
    torch.testing.assert_close(graph(*inputs), program(*inputs), rtol=1e-4, atol=1e-5)
