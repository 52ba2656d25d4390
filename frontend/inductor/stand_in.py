"""Has Inductor lower on a CPU, or by shapes alone, as it would on a GPU; and lay convolutions out as it is told.

Private interfaces of torch and Triton, which `capture.py` alone uses.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Any
from unittest.mock import patch

import sympy  # type: ignore[import-untyped]
import torch

from kernelwright.backend.launch.execute import cuda_elsewhere
from kernelwright.backend.versions import adapting, parameters

with adapting("lower-inductor", "torch", "triton"):
    from torch import _refs
    from torch._decomp import decompositions
    from torch._dynamo.device_interface import CpuDeviceProperties, CpuInterface
    from torch._inductor import config, decomposition, ir, scheduler
    from torch._inductor import graph as graph_lowering
    from torch._inductor.fx_passes import post_grad
    from torch._inductor.kernel import conv
    from torch._inductor.loop_body import LightTracer
    from torch._inductor.lowering import lowerings
    from torch._inductor.runtime.hints import DeviceProperties
    from torch._inductor.virtualized import V
    from triton.backends.compiler import GPUTarget
    from triton.runtime import driver

    # What others are put in the place of.
    conv.conv_layout, CpuInterface.get_device_properties, DeviceProperties.create.cache_clear  # noqa: B018
    driver._active, driver.set_active, config.online_softmax  # noqa: B018
    from torch._inductor.utils import is_gpu as is_gpu_here

    attrgetter("scheduler.is_gpu", "ir.is_gpu", "fx_passes.post_grad.is_gpu")(torch._inductor)
    ir.is_cpu, scheduler.BaseSchedulerNode.is_cpu  # noqa: B018
    parameters(_refs.native_group_norm, "input", "weight", "bias")
    decomposition.decompositions  # noqa: B018
    parameters(scheduler.Scheduler.create_backend, "self", "device")
    parameters(post_grad.prepare_softmax_extra_check, "match")
    parameters(graph_lowering.get_user_visible_output_strides, "g")
    parameters(ir.FlexibleLayout.stride_ordered, "sizes", "order")
    parameters(decompositions._compute_upsample_nearest_indices, "input", "output_size", "scales", "exact")
    ir.NHWC_STRIDE_ORDER, ir.NHWDC_STRIDE_ORDER  # noqa: B018


class StandInDriver:
    """An active Triton driver for a machine without a GPU; it can name a target and nothing else."""

    def get_current_target(self) -> Any:
        return GPUTarget("cuda", 90, 32)

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cpu")

    def get_current_device(self) -> int:
        return 0


@contextlib.contextmanager
def counts_as_numbers() -> Iterator[None]:
    """Bodies of loops take a count of elements that Inductor has as a symbol's value; those of PyTorch 2.11 fail."""
    plain = LightTracer.create_arg

    def create_arg(self: LightTracer, value: Any) -> Any:
        return plain(self, int(value) if isinstance(value, sympy.Integer) else value)

    with patch.object(LightTracer, "create_arg", create_arg):
        yield


@contextlib.contextmanager
def stand_in_driver() -> Iterator[None]:
    """Gives Triton a driver, so that it can be asked for its target."""
    before = driver._active
    driver.set_active(StandInDriver())
    try:
        yield
    finally:
        driver._active = before


@contextlib.contextmanager
def as_on_a_gpu() -> Iterator[None]:
    """Inductor fuses and splits as on a GPU: reductions by how many multiprocessors it has, not by the CPU's cores, and
    it looks for an order of loops in which one that reads across another's rows is fused with it."""
    interface: Any = CpuInterface
    before, backend = interface.get_device_properties, scheduler.Scheduler.create_backend
    count = cuda_elsewhere().get_device_properties().multi_processor_count
    interface.get_device_properties = staticmethod(lambda _device=None: CpuDeviceProperties(count))
    DeviceProperties.create.cache_clear()

    def is_gpu(device: str | None) -> bool:
        return device == "cpu" or is_gpu_here(device)

    def create_backend(self: Any, device: torch.device) -> Any:
        with patch.object(scheduler, "is_gpu", is_gpu_here):  # which backend there is depends on what there is
            return backend(self, device)

    try:
        with (
            patch.object(scheduler, "is_gpu", is_gpu),
            patch.object(ir, "is_gpu", is_gpu),
            patch.object(post_grad, "is_gpu", is_gpu),
            patch.object(ir, "is_cpu", lambda _value: False),
            patch.object(scheduler.Scheduler, "create_backend", create_backend),
            patch.object(scheduler.BaseSchedulerNode, "is_cpu", lambda _node: False),
            patch.dict(decomposition.decompositions, {torch.ops.aten.native_group_norm.default: _group_norm}),
        ):
            yield
    finally:
        interface.get_device_properties = staticmethod(before)
        DeviceProperties.create.cache_clear()


def _group_norm(
    x: torch.Tensor, weight: torch.Tensor | None, bias: torch.Tensor | None, *rest: Any
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Group norm as on a GPU, where one kernel normalises and scales; on a CPU another one makes factors before."""
    out, mean, deviation = _refs.native_group_norm(x.float() if x.dtype.itemsize < 4 else x, None, None, *rest)
    shape = [1, x.shape[1], *[1] * (x.ndim - 2)]
    if weight is not None:
        out = out * weight.reshape(shape)
    if bias is not None:
        out = out + bias.reshape(shape)
    return out.to(x.dtype), mean.to(x.dtype), deviation.to(x.dtype)


def bias_apart() -> contextlib.AbstractContextManager[Any]:
    """Adds the bias of convolutions in a kernel, as Inductor does on a GPU."""
    aten = torch.ops.aten
    convolution = lowerings[aten.convolution.default]

    def rule(x: Any, weight: Any, bias: Any, *rest: Any) -> Any:
        axes = len(weight.get_size()) - 2
        if bias is None or len(x.get_size()) != axes + 2:
            return convolution(x, weight, bias, *rest)
        result = convolution(x, weight, None, *rest)
        shaped = lowerings[aten.view.default](bias, [result.get_size()[1], *[1] * axes])
        return lowerings[aten.add.Tensor](result, shaped)

    return patch.dict(lowerings, {aten.convolution.default: rule})


def nearest_as_on_a_cpu() -> contextlib.AbstractContextManager[Any]:
    """Has nearest neighbours where eager code on a CPU has them: an axis of a plane that keeps its size, or is doubled,
    is not scaled by the factor that was asked for."""
    plain = decompositions._compute_upsample_nearest_indices

    def places(x: Any, size: Sequence[int], scales: Sequence[float | None], exact: bool = False) -> list[Any]:
        found: list[Any] = plain(x, size, scales, exact=exact)  # type: ignore[no-untyped-call]
        for axis, after in enumerate(size):
            before = x.shape[axis - len(size)]
            if len(size) == 2 and not exact and after in (before, 2 * before):
                every = torch.arange(after, device=x.device) // (after // before)
                found[axis] = every.reshape(found[axis].shape)
        return found

    return patch.dict(vars(decompositions), {"_compute_upsample_nearest_indices": places})


#: Orders of strides with channels last, by the number of axes.
_CHANNELS_LAST = {3: [2, 0, 1], 4: ir.NHWC_STRIDE_ORDER, 5: ir.NHWDC_STRIDE_ORDER}


def channels_last_given(axes: Sequence[int]) -> contextlib.AbstractContextManager[Any]:
    """Lets convolutions of tensors with so many axes give channels last where Inductor changes layouts; what they take
    follows from that. On a GPU cuDNN does so in 2-D, but not what stands in for it on a CPU."""
    before = conv.conv_layout

    def layout(x: Any, *rest: Any, **options: Any) -> Any:
        found = before(x, *rest, **options)
        if len(found.size) not in axes or not V.graph.layout_opt:
            return found
        strides = ir.FlexibleLayout.stride_ordered(found.size, _CHANNELS_LAST[len(found.size)])
        return ir.FixedLayout(found.device, found.dtype, found.size, strides)

    return patch.object(conv, "conv_layout", layout)


def channels_last_returned() -> contextlib.AbstractContextManager[Any]:
    """Lets outputs keep the layout that convolutions have left."""
    before = graph_lowering.get_user_visible_output_strides

    def strides(g: torch.fx.Graph) -> dict[torch.fx.Node, tuple[int, ...]]:
        convolved: set[torch.fx.Node] = set()
        for node in g.nodes:
            if node.target is torch.ops.aten.convolution.default or convolved & set(node.all_input_nodes):
                convolved.add(node)
        found: dict[torch.fx.Node, tuple[int, ...]] = before(g)
        for node in convolved & set(found):
            shape = node.meta["val"].shape
            if len(shape) in _CHANNELS_LAST:
                found[node] = tuple(map(int, ir.FlexibleLayout.stride_ordered(shape, _CHANNELS_LAST[len(shape)])))
        return found

    return patch.object(graph_lowering, "get_user_visible_output_strides", strides)


@contextlib.contextmanager
def online_softmax_anywhere() -> Iterator[None]:
    """Lets maximum and sum of a softmax be found in one pass wherever that is asked for; Inductor asks for a GPU too.

    Patterns know its rule from when they were first registered in this process, so it is its code that is changed.
    """

    def rule(match: Any) -> bool:
        del match
        return bool(config.online_softmax)

    asked = post_grad.prepare_softmax_extra_check
    before, asked.__code__ = asked.__code__, rule.__code__
    try:
        yield
    finally:
        asked.__code__ = before


def numbers_as_fills() -> contextlib.AbstractContextManager[Any]:
    """Lets programs that are run by shapes alone make tensors of one number: `torch.tensor` makes none that Dynamo can
    follow on the device `meta`."""
    made: Callable[..., torch.Tensor] = torch.tensor

    def tensor(data: Any, **options: Any) -> torch.Tensor:
        if isinstance(data, bool | int | float) and not options.get("requires_grad"):
            return torch.full((), data, **options)
        return made(data, **options)

    return patch.object(torch, "tensor", tensor)
