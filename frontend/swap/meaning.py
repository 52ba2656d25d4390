"""Which value of Inductor's graph each of its buffers holds; asked while Inductor lowers this graph.

Most buffers hold the value of a node, which Inductor notes as the origin. Where it notes none or a wrong one, the
buffer's definition tells: a part of a `cat`, a sum of squares under a variance, sums of stretches that another kernel
adds up, a buffer that a later kernel changes.
"""

import math
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.fx import Node

from kernelwright.backend.torch_private import tree_leaves
from kernelwright.backend.versions import adapting
from kernelwright.frontend.swap.sizes import Sizes, number, ratio, real, sizes_now

with adapting("recording kernels", "torch"):
    from torch._inductor import ir
    from torch._inductor.virtualized import V

    ir.ConcatKernel, ir.MutationLayoutSHOULDREMOVE, ir.Reduction, ir.ComputedBuffer, ir.ExternKernel  # noqa: B018
    ir.IRNode.maybe_get_name  # noqa: B018


@dataclass(frozen=True)
class Layout:
    """How a buffer lies in memory. Until it is asked for certain sizes, shape and strides may be expressions."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: torch.dtype

    def at(self, sizes: Sizes) -> "Layout | None":
        """The layout for certain sizes; None where it depends on other things."""
        shape, strides = ([number(one, sizes) for one in some] for some in (self.shape, self.strides))
        if None in shape or None in strides:
            return None
        return Layout(tuple(map(int, shape)), tuple(map(int, strides)), self.dtype)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Meaning:
    """The value of a node, times `factor`, less that of `bias`, which lies along the node's second axis.

    `wide` is a mean's type before it is rounded to the node's own. With more than one of `stretches`, it is not the sum
    of what the node adds up, but along a last axis, those of so many stretches of it. `counted` is the factor as an
    expression of sizes, where it comes of a number of elements.
    """

    node: Node
    factor: float = 1.0
    bias: Node | None = None
    wide: torch.dtype | None = None
    stretches: int = 1
    counted: Any = None

    @property
    def reckoned(self) -> bool:
        """Whether a number of elements tells what the buffer holds."""
        return self.factor != 1 or self.stretches > 1

    @property
    def summed(self) -> Node:
        """What a node adds up."""
        node = self.node.args[0]
        assert isinstance(node, Node), self.node
        return node

    @property
    def sources(self) -> Sequence[Node]:
        """The nodes whose values tell what the buffer holds."""
        if self.stretches > 1:
            return [self.summed]
        return [self.node] if self.bias is None else [self.node, self.bias]

    def at(self, nodes: Mapping[Node, Node], sizes: Sizes) -> "Meaning":
        """The meaning in a copy of the graph for certain sizes, by node of the graph."""
        factor = self.factor if self.counted is None else real(self.counted, sizes) or 0.0
        return replace(self, node=nodes[self.node], bias=nodes[self.bias] if self.bias else None, factor=factor)

    def in_stretches(self, layout: Layout) -> Iterator[tuple[Any, Sequence[Any]]]:
        """The operations, each with all arguments but the first, that make sums of stretches of what is added up."""
        shape, summed = list(self.summed.meta["val"].shape), _summed_axes(self.node)
        kept = [axis for axis in range(len(shape)) if axis not in summed]
        sizes, count = [shape[axis] for axis in kept], math.prod(shape[axis] for axis in summed)
        length = -(-count // self.stretches)
        yield torch.ops.prims.convert_element_type.default, (layout.dtype,)
        yield _aten.permute.default, ([*kept, *summed],)
        yield _aten.reshape.default, ([*sizes, count],)
        if missing := length * self.stretches - count:
            yield _aten.constant_pad_nd.default, ([0, missing],)
        yield _aten.reshape.default, ([*sizes, self.stretches, length],)
        yield _aten.sum.dim_IntList, ([-1],)
        yield _aten.reshape.default, (list(layout.shape),)

    def held(self, values: Mapping[Node, torch.Tensor], layout: Layout) -> torch.Tensor:
        """What a buffer that lies as `layout` says holds, from nodes' values; RuntimeError for one of another size."""
        value = values[self.sources[0]]
        if self.stretches > 1:
            for operation, arguments in self.in_stretches(layout):
                value = operation(value, *arguments)
        else:
            value = value if self.bias is None else value - values[self.bias].reshape(-1, *[1] * (value.dim() - 2))
            value = value if self.factor == 1 else value * self.factor
        made = torch.empty_strided(layout.shape, layout.strides, dtype=layout.dtype, device=value.device)
        return made.copy_(value.reshape(layout.shape))


_aten = torch.ops.aten
_COPY, _CONVOLUTION = "aten.copy_.default", "aten.convolution.default"
#: Operations that Inductor lowers by changing a copy of their first argument. They note themselves as the origin of
#: the copy, which holds the first argument's value until then.
_CHANGING = ("aten.index_put", "aten._unsafe_index_put", "aten.scatter", "aten.index_add", "aten.slice_scatter")


def real_name(name: str) -> str:
    """The buffer whose memory a version of it lies in."""
    found: str = V.graph.scheduler.mutation_real_name.get(name, name)
    return found


def layout_of(name: str) -> Layout:
    """How a buffer or a graph's input lies in memory; sizes that may change are expressions."""
    held = V.graph.graph_inputs.get(name) or V.graph.get_buffer(name)
    layout = held.get_layout()
    return Layout(tuple(layout.size), tuple(layout.stride), layout.dtype)


def meaning_of(name: str) -> Meaning | None:
    """What a version of a buffer holds; None if that is no operation's result."""
    found, now = _meaning(name), sizes_now()
    layout = layout_of(real_name(name)).at(now) if found is not None else None
    if found is None or layout is None or found.node.graph is not V.graph.graph:
        return None
    value = found.node.meta.get("val")
    if not isinstance(value, torch.Tensor):
        return None
    if found.stretches > 1:
        return found
    if value.dtype != layout.dtype:
        if str(found.node.target) not in _MEANS or not layout.dtype.is_floating_point:
            return None
        found = replace(found, wide=layout.dtype)
    shape = tuple(number(size, now) for size in value.shape)
    plain = [size for size in shape if size != 1], [size for size in layout.shape if size != 1]
    same = shape == layout.shape if found.factor == 1 else plain[0] == plain[1]
    return found if same else None


def _meaning(name: str) -> Meaning | None:
    if name in V.graph.graph_inputs:
        return _as_is(
            next((node for node in V.graph.graph.nodes if node.op == "placeholder" and node.name == name), None)
        )
    buffer: Any = V.graph.try_get_buffer(name)
    if buffer is None:
        return None
    origin = _origin(buffer)
    if isinstance(buffer.layout, ir.MutationLayoutSHOULDREMOVE):
        return _after_change(buffer, origin)
    if name in V.graph.scheduler.mutation_real_name.values():
        return _before_change(name, origin)
    if origin is not None:
        return Meaning(origin)
    found = _part_of_cat(name) or _given_to_library(name) or _returned(name)
    if found is not None:
        return _as_is(found)
    return _before_bias(buffer) or _in_stretches(name, buffer) or _before_division(buffer)


def _as_is(node: Any) -> Meaning | None:
    return Meaning(node) if isinstance(node, Node) else None


def _origin(buffer: Any) -> Node | None:
    data = getattr(buffer, "data", None)
    return next((one for part in (buffer, data) if (one := getattr(part, "origin_node", None)) is not None), None)


def _after_change(buffer: Any, origin: Node | None) -> Meaning | None:
    """What a change of another buffer leaves in it: what is copied there, or the changing operation's result."""
    if origin is None:
        changing = [node for node in _origins(buffer) if str(node.target).startswith((_COPY, *_CHANGING))]
        origin = changing[0] if len(changing) == 1 else None
    if origin is not None and str(origin.target) == _COPY:
        return _as_is(origin.args[1])
    return _as_is(origin)


def _before_change(name: str, origin: Node | None) -> Meaning | None:
    """What a buffer that is changed later holds before that."""
    changes = [one for one, real in V.graph.scheduler.mutation_real_name.items() if real == name]
    if origin is None or len(changes) != 1 or not str(origin.target).startswith(_CHANGING):
        return None
    return _as_is(origin.args[0])


def _origins(buffer: Any) -> Sequence[Node]:
    return list(getattr(getattr(buffer, "data", None), "origins", ()) or getattr(buffer, "origins", ()) or ())


def _part_of_cat(name: str) -> Any:
    """The argument of a `cat` whose buffer is a part of the result's."""
    for one in V.graph.buffers:
        origin = _origin(one)
        if not isinstance(one, ir.ConcatKernel) or origin is None or str(origin.target) != "aten.cat.default":
            continue
        parts: list[Any] = list(one.inputs)
        names, arguments = [_name_of(part) for part in parts], tree_leaves(origin.args[0])
        if name in names and len(arguments) == len(names):
            return arguments[names.index(name)]
    return None


def _given_to_library(name: str) -> Node | None:
    """The argument of a library call that is copied into a buffer, so that it lies as the call wants it."""
    for call in V.graph.operations:
        if not isinstance(call, ir.ExternKernel):
            continue
        names, arguments = [held for part in call.inputs if (held := _name_of(part))], _arguments_of(call)
        if name in names and len(names) == len(arguments):
            return arguments[names.index(name)]
    return None


def _arguments_of(call: Any) -> Sequence[Node]:
    """The values that a library call is given."""
    if (biased := _without_bias(call)) is not None:
        return [one for one in biased.args[:2] if isinstance(one, Node)]
    origin = _origin(call) or getattr(call, "fx_node", None)
    return [one for one in tree_leaves([origin.args, origin.kwargs]) if isinstance(one, Node)] if origin else []


def _name_of(held: Any) -> str:
    """The buffer behind an operand of Inductor's; "" for what is none, such as None or a size."""
    return (held.maybe_get_name() if isinstance(held, ir.IRNode) else None) or ""


def _without_bias(call: Any) -> Node | None:
    """The convolution whose bias is added to what a library call gives: then Inductor notes no origin of the call."""
    found = [node for node in _origins(call) if str(node.target) == _CONVOLUTION]
    return found[0] if _origin(call) is None and len(found) == 1 and isinstance(found[0].args[2], Node) else None


def _before_bias(buffer: Any) -> Meaning | None:
    """A convolution's value less its bias, where a kernel adds the bias."""
    if isinstance(buffer, ir.ComputedBuffer) or (node := _without_bias(buffer)) is None:
        return None
    bias = node.args[2]
    return Meaning(node, bias=bias if isinstance(bias, Node) else None)


def _returned(name: str) -> Any:
    """The result of the graph that is a buffer's value as it is."""
    output = next(node for node in V.graph.graph.nodes if node.op == "output")
    for node, value in zip(tree_leaves(output.args[0]), V.graph.graph_outputs, strict=False):
        if _name_of(value) != name:
            continue
        buffer: Any = V.graph.try_get_buffer(name)
        if buffer is not None and _steps(value.get_layout()) == _steps(buffer.get_layout()):
            return node
    return None


def _steps(layout: Any) -> tuple[Any, ...]:
    """What tells whether two layouts of one memory are the same: sizes, where it begins, and strides that count."""
    strides = [step for step, size in zip(layout.stride, layout.size, strict=True) if size != 1]
    return list(layout.size), layout.offset, strides


def _before_division(buffer: Any) -> Meaning | None:
    """A sum whose quotient is a node's value: that under a mean, or that of squared distances under a variance."""
    data = getattr(buffer, "data", None)
    reducing = [node for node in _origins(buffer) if str(node.target) in (*_MEANS, _VARIANCE)]
    if not isinstance(data, ir.Reduction) or len(reducing) != 1:
        return None
    (node,) = reducing
    value, correction = node, 0.0
    if str(node.target) == _VARIANCE:
        parts = {user.args[1]: user for user in node.users if user.target is operator.getitem}
        if 0 not in parts or not _is_of_squares(buffer, parts.get(1)):
            return None
        value, correction = parts[0], _number(node.kwargs.get("correction", 1))
    elif data.reduction_type != "sum":
        return None
    counted = ratio(node.all_input_nodes[0].meta["val"].shape, value.meta["val"].shape) - correction
    count = real(counted, sizes_now()) or 0.0
    return Meaning(value, count, counted=counted) if count > 0 else None


_SUM, _MEANS, _VARIANCE = "aten.sum.dim_IntList", ("aten.mean.dim", "aten.mean.default"), "aten.var_mean.correction"


def _in_stretches(name: str, buffer: Any) -> Meaning | None:
    """Sums of stretches, which another buffer adds up to a sum, or to that under a mean: how Inductor sums where there
    are too few results to keep a GPU busy."""
    buffers: list[Any] = [one for one in V.graph.buffers if isinstance(one, ir.ComputedBuffer)]
    readers = [one for one in buffers if name in one.get_read_names()]
    if len(readers) != 1 or not (_sums(buffer) and _sums(readers[0])) or len(readers[0].get_read_names()) != 1:
        return None
    origin, now = _origin(readers[0]), sizes_now()
    whole = _as_is(origin) if origin is not None else _before_division(readers[0])
    if whole is None or str(whole.node.target) not in (_SUM, _MEANS[0]):
        return None

    def sizes(some: Iterable[Any]) -> list[int]:
        return [number(one, now) or 0 for one in some]

    axes, shape = _summed_axes(whole.node), sizes(whole.summed.meta["val"].shape)
    count, kept = math.prod(shape[axis] for axis in axes), [one for axis, one in enumerate(shape) if axis not in axes]
    data, adding = buffer.data, readers[0].data
    stretches, length = math.prod(sizes(adding.reduction_ranges)), math.prod(sizes(data.reduction_ranges))
    # A sum of everything may be cut along other axes than the last one in memory.
    if stretches < 2 or math.prod(kept) < 2 or length != -(-count // stretches):
        return None
    lies_so = [one for one in sizes(data.ranges) if one != 1] == [one for one in (*kept, stretches) if one != 1]
    return replace(whole, stretches=stretches) if lies_so else None


def _sums(buffer: Any) -> bool:
    data: Any = getattr(buffer, "data", None)
    return isinstance(data, ir.Reduction) and data.reduction_type == "sum"


def _summed_axes(node: Node) -> Sequence[int]:
    """The axes that a sum or a mean is taken over, in order; all of them for one that names none."""
    value = node.all_input_nodes[0].meta["val"]
    named: Any = node.args[1] if len(node.args) > 1 else None
    return sorted({axis % max(value.dim(), 1) for axis in named or range(value.dim())})


def _number(value: Any) -> float:
    return float(value)


def _is_of_squares(buffer: Any, mean: Node | None) -> bool:
    """Whether a reduction under a variance sums squared distances from the mean, which is a buffer that it reads."""
    data = buffer.data
    if data.reduction_type in ("welford_reduce", "welford_combine"):
        return getattr(data, "output_index", None) == 1
    read = (held for one in data.get_read_names() if (held := V.graph.try_get_buffer(one)) is not None)
    return data.reduction_type == "sum" and mean is not None and mean in [_origin(held) for held in read]


def versions(node_schedule: Iterable[Any]) -> tuple[dict[str, str], dict[str, str]]:
    """By buffer: its version that scheduled nodes read from outside, and the version that they leave in it."""
    made, read = dict[str, str](), dict[str, str]()
    for node in node_schedule:
        for dependency in getattr(getattr(node, "read_writes", None), "reads", ()):
            if dependency.name not in made.values():
                read.setdefault(real_name(dependency.name), dependency.name)
        for output in node.get_outputs() if hasattr(node, "get_outputs") else ():
            made[real_name(output.get_name())] = output.get_name()
    return read, made
