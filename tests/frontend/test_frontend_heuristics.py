"""What a lowered kernel is launched with first: what Inductor would launch it with on the target."""

from dataclasses import replace

import pytest
import torch

from kernelwright.backend.targets import get_target
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.inductor.blocks import choose_meta
from kernelwright.frontend.inductor.heuristics import launch_options
from kernelwright.frontend.inductor.kernel_text import read_kernel
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.errors import LoweringError, UserError
from kernelwright.ir.passes import Context
from kernelwright.ir.verifier import extern_ops

PROGRAM = """import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def forward(self, a):
        return {forward}

def get_inputs():
    return [{inputs}]
"""

MIDDLE_SUM = """
@triton_heuristics.reduction(
    size_hints={'x': 524288, 'r0_': 4096},
    reduction_hint=ReductionHint.OUTER,
    filename=__file__,
    triton_meta={'signature': {}, 'device': DeviceProperties(type='cpu', index=None)},
    inductor_meta={'grid_type': 'Grid1D', 'no_x_dim': False, 'num_load': 1, 'num_reduction': 1, 'hint': {Unknown.X}},
)
@triton.jit
def triton_red(in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    pass
"""
BLOCKS = ("XBLOCK", "R0_BLOCK")


def drawn(shapes: tuple[tuple[int, ...], ...]) -> str:
    return ", ".join(f"torch.randn{shape}" for shape in shapes)


def first_options(forward: str, *shapes: tuple[int, ...], target: str = "h200", device: str = "meta", choice: int = 0):
    text = PROGRAM.replace("forward(self, a)", f"forward(self, {', '.join('abc'[: len(shapes)])})")
    module = import_source(text.format(forward=forward, inputs=drawn(shapes)), "program", shrink="never")
    lowered = LowerInductor(device=device, choice=choice).run(module, Context(target=target))
    return [dict(kernel.meta) for kernel in lowered.kernels if kernel.meta]


@pytest.mark.parametrize(
    ("forward", "shape", "expected"),
    [
        # Neighbours lie along x: programs are wide there, though Inductor would measure and gives no hint.
        ("a.sum(1)", (128, 4096, 4095), {"XBLOCK": 128, "R0_BLOCK": 4, "num_warps": 4}),
        ("a.amax(1)", (16, 64, 256, 256), {"XBLOCK": 32, "num_warps": 8}),
        # Neighbours lie along the sum.
        ("a.sum(1)", (8192, 40960), {"XBLOCK": 1, "R0_BLOCK": 2048, "num_warps": 16}),
        # Of short rows many make a tile: the first that Inductor would measure has one.
        ("a.amax(3)", (16, 256, 256, 64), {"XBLOCK": 32, "num_warps": 2}),
        ("torch.relu(a)", (4096, 4096), {"XBLOCK": 1024, "num_warps": 4}),
        ("a.t().contiguous()", (4096, 4095), {"YBLOCK": 32, "XBLOCK": 32, "num_warps": 4}),
    ],
)
def test_options_are_inductors(forward, shape, expected):
    assert first_options(forward, shape) == [expected]


@pytest.mark.parametrize(
    ("forward", "shapes"),
    [
        # One kernel normalises and scales; on a CPU a kernel before it makes factors.
        ("F.group_norm(a, 4, b, b)", ((1024, 32, 64, 64), (32,))),
        # The sigmoid is computed twice rather than stored.
        ("F.group_norm(torch.sigmoid(a), 4)", ((1024, 32, 64, 64),)),
    ],
)
def test_shapes_alone_give_the_kernels_of_a_gpu(forward, shapes):
    """PyTorch 2.11 makes two of these, and 2.13 one, which orders loops otherwise."""
    assert len(first_options(forward, *shapes)) <= 2


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("forward", "shapes"),
    [
        ("a / torch.sqrt(torch.mean(a**2, dim=1, keepdim=True) + 1e-5)", ((16, 64, 256, 256),)),
        ("F.group_norm(torch.sigmoid(a), 4, b, b)", ((1024, 32, 64, 64), (32,))),
        ("torch.softmax(a, 1)", ((64, 96, 128, 128),)),
        ("torch.relu(torch.addmm(c, a, b))", ((256, 512), (512, 1024), (1024,))),
        ("torch.cumsum(a, 1)", ((512, 4000),)),
    ],
)
def test_shapes_alone_give_what_tensors_on_this_gpu_give(forward, shapes):
    by_shapes, here = (first_options(forward, *shapes, device=device) for device in ("meta", "cuda"))
    assert by_shapes == here


def test_a_bias_is_added_where_the_product_is_used():
    text = PROGRAM.replace("forward(self, a)", "forward(self, a, b, c)")
    program = text.format(forward="torch.relu(torch.addmm(c, a, b))", inputs=drawn(((256, 512), (512, 1024), (1024,))))
    module = import_source(program, "program", shrink="never")
    lowered = LowerInductor(device="meta").run(module, Context(target="h200"))
    assert extern_ops(lowered) == ("aten.mm.out",)
    (kernel,) = (one for one in lowered.kernels if one.meta)
    assert kernel.source.count("tl.load") == 2


def test_every_configuration_that_inductor_would_measure_can_be_asked_for():
    """Of a reduction a shorter step as well."""
    added = [first_options("a + 1.0", (4096, 4095), choice=number) for number in (1, 2)]
    assert added == [[{"XBLOCK": 1024, "num_warps": 4}], [{"XBLOCK": 512, "num_warps": 8}]]
    summed = [first_options("a.sum(1)", (8192, 40960), choice=number) for number in (1, 2)]
    assert [one[0]["R0_BLOCK"] for one in summed] == [2048, 1024]
    with pytest.raises(LoweringError, match="choice=9: Inductor would measure at most 2 configurations"):
        first_options("a.sum(1)", (8192, 40960), choice=9)
    with pytest.raises(UserError, match="choice=-1: give a number from 1 on"):
        LowerInductor(choice=-1)


def test_tensors_give_what_shapes_alone_give_whatever_gpu_is_here(monkeypatch):
    """On rows of this size Inductor asks whether this machine has a GPU."""
    given = "torch.softmax(a, 1)", (4096, 500)
    elsewhere = first_options(*given)
    assert first_options(*given, target="interpreter", device="cpu") == elsewhere == [{"XBLOCK": 2, "num_warps": 1}]
    kernel = read_kernel("triton_red", MIDDLE_SUM.replace("reduction(", "persistent_reduction("), ())
    kernel = replace(kernel, size_hints={"x": 65536, "r0_": 256}, hints={"reduction_hint": "INNER"})
    asked = []
    for here in (False, True):
        monkeypatch.setattr(torch.cuda, "is_available", lambda here=here: here)
        asked.append(launch_options(kernel, get_target("h200")))
    assert asked[0] == asked[1] == [{"XBLOCK": 4, "num_warps": 1}]


def test_the_target_is_asked_about():
    kernel = read_kernel("triton_red", MIDDLE_SUM, ())
    kernel = replace(kernel, size_hints={"x": 512, "r0_": 65536}, hints={"reduction_hint": "INNER"})
    options = {name: choose_meta(kernel, BLOCKS, get_target(name)) for name in ("interpreter", "h100", "b200")}
    assert dict(options["h100"])["R0_BLOCK"] == 2 * dict(options["b200"])["R0_BLOCK"]
    assert options["interpreter"] == options["h100"]


def test_what_inductor_does_not_say_is_chosen_without_it():
    kernel = read_kernel("triton_red", MIDDLE_SUM, ())
    assert dict(choose_meta(kernel, BLOCKS, get_target("h200"))) == {"XBLOCK": 128, "R0_BLOCK": 4, "num_warps": 4}
    unknown = replace(kernel, heuristic="heuristic_of_another_version")
    assert launch_options(unknown, get_target("h200")) == []
    assert dict(choose_meta(unknown, BLOCKS, get_target("h200"))) == {"XBLOCK": 32, "R0_BLOCK": 64, "num_warps": 8}
    more = (*BLOCKS, "NEW_OPTION")
    assert dict(choose_meta(kernel, more, get_target("h200"))).keys() == {*more, "num_warps"}
