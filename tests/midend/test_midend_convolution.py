"""Templates for convolutions: right at odd shapes, and no convolution touched that is not theirs."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from programs import assert_right, lowered

from kernelwright.ir.errors import UserError
from kernelwright.ir.kernel.analysis.accesses import Accesses
from kernelwright.ir.kernel.text.parsing import kernel_functions, parse_function
from kernelwright.ir.kernel.text.printing import print_function
from kernelwright.ir.passes import Context, Declined
from kernelwright.ir.values import Level
from kernelwright.ir.verifier import extern_ops
from kernelwright.midend.fusion.fuse_epilogue import FuseEpilogue
from kernelwright.midend.fusion.fuse_reduction import FuseReduction
from kernelwright.midend.templates.channels_last_conv import ChannelsLastConv
from kernelwright.midend.templates.depthwise_conv import DepthwiseConv
from kernelwright.midend.templates.implicit_gemm import ImplicitGemm
from kernelwright.midend.templates.rounding import storing_rounded
from kernelwright.midend.templates.transposed_conv import TransposedConv

H200 = Context(target="h200")


def template(module):
    """The kernel that took the place of a convolution; others add a bias or change a layout."""
    (found,) = (kernel for kernel in module.kernels if "x_ptr, weight_ptr" in kernel.source)
    return found


DEPTHWISE = {
    "1d": ((3, 5, 37), "nn.Conv1d(5, 5, 7, padding=3, groups=5)"),
    "1d strided": ((2, 4, 50), "nn.Conv1d(4, 12, 3, stride=3, dilation=4, groups=4, bias=False)"),
    "2d": ((2, 3, 13, 17), "nn.Conv2d(3, 3, (3, 5), padding=(1, 2), groups=3)"),
    "2d strided": ((1, 4, 19, 23), "nn.Conv2d(4, 8, (4, 3), stride=(2, 3), padding=(2, 1), dilation=(3, 2), groups=4)"),
    "2d one row": ((2, 6, 5, 300), "nn.Conv2d(6, 6, (5, 1), groups=6, bias=False)"),
    "2d column": ((2, 3, 40, 1), "nn.Conv2d(3, 3, (3, 1), padding=(1, 0), groups=3)"),
    "3d": ((2, 3, 6, 7, 9), "nn.Conv3d(3, 3, (3, 2, 3), stride=(2, 1, 2), padding=1, groups=3)"),
}


@pytest.mark.parametrize("case", DEPTHWISE.values(), ids=DEPTHWISE)
@pytest.mark.parametrize("rows", [0, 3])
def test_depthwise(case, rows):
    shape, layer = case
    before = lowered("self.conv(a)", [shape], f"self.conv = {layer}")
    after = DepthwiseConv(rows).run(before, H200)
    assert extern_ops(before) and not extern_ops(after)
    assert (after.level, after.reference) == (Level.TRITON, before.reference)
    assert template(after).covers == ("aten.convolution",)
    assert_right(after)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_depthwise_in_half_precision_sums_in_single(dtype):
    layer = "self.conv = nn.Conv2d(3, 3, 5, padding=2, groups=3)"
    after = DepthwiseConv().run(lowered("self.conv(a)", [(2, 3, 9, 11)], layer, dtype), H200)
    assert not extern_ops(after)
    assert_right(after)


def test_depthwise_between_layout_copies():
    layer = "self.conv = nn.Conv2d(16, 16, 3, groups=16)"
    after = DepthwiseConv().run(lowered("self.conv(a)", [(2, 16, 12, 12)], layer, channels_last=True), H200)
    assert not extern_ops(after)
    assert_right(after)


def test_other_convolutions_stay():
    for layer in ("nn.Conv2d(4, 4, 3)", "nn.Conv2d(4, 4, 3, groups=2)", "nn.ConvTranspose2d(4, 4, 3, groups=4)"):
        before = lowered("self.conv(a)", [(2, 4, 9, 9)], f"self.conv = {layer}")
        assert DepthwiseConv().run(before, H200) is before
    before = lowered("self.conv(a)", [(2, 4, 9, 9)], "self.conv = nn.Conv2d(4, 4, 3, groups=4)", "float64")
    assert DepthwiseConv().run(before, H200) is before
    with pytest.raises(UserError, match="rows=99"):
        DepthwiseConv(rows=99)


TRANSPOSED = {
    "1d": ((2, 5, 19), "nn.ConvTranspose1d(5, 7, 3)"),
    "1d strides and dilation share a factor": (
        (2, 4, 11),
        "nn.ConvTranspose1d(4, 3, 5, stride=4, padding=3, output_padding=1, dilation=6, bias=False)",
    ),
    "2d": ((2, 3, 7, 5), "nn.ConvTranspose2d(3, 6, 4, stride=2, padding=1)"),
    "2d grouped": (
        (2, 8, 5, 6),
        "nn.ConvTranspose2d(8, 12, (3, 5), (2, 3), padding=(1, 2), output_padding=(1, 0), dilation=(2, 1), groups=4)",
    ),
    "2d strides without taps": ((1, 3, 4, 5), "nn.ConvTranspose2d(3, 4, 2, stride=5, dilation=2)"),
    "2d pixels": ((1, 3, 9, 5), "nn.ConvTranspose2d(3, 4, 1)"),
    "3d": ((1, 4, 3, 4, 5), "nn.ConvTranspose3d(4, 5, 3, stride=(2, 1, 2), padding=1, dilation=(1, 2, 2), groups=1)"),
    "many channels": ((1, 17, 5, 5), "nn.ConvTranspose2d(17, 20, 3, stride=2, padding=1, output_padding=1)"),
}
CONVOLUTIONS = {
    "1d": ((2, 3, 40), "nn.Conv1d(3, 5, 4, stride=3, padding=2, dilation=2)"),
    "2d": ((2, 3, 11, 13), "nn.Conv2d(3, 6, 3)"),
    "2d grouped": ((1, 9, 10, 7), "nn.Conv2d(9, 6, (2, 3), stride=(2, 1), padding=(1, 2), groups=3, bias=False)"),
    "2d twelve channels": ((1, 12, 6, 7), "nn.Conv2d(12, 3, 9, padding=4)"),
    "2d pointwise": ((2, 18, 9, 5), "nn.Conv2d(18, 33, 1)"),
    "2d many channels": ((1, 20, 9, 9), "nn.Conv2d(20, 17, 3, padding=1, stride=2)"),
    "3d": ((1, 3, 6, 5, 7), "nn.Conv3d(3, 4, (3, 2, 3), padding=(1, 0, 1), dilation=(1, 2, 1))"),
}


@pytest.mark.parametrize("case", TRANSPOSED.values(), ids=TRANSPOSED)
def test_transposed(case):
    shape, layer = case
    before = lowered("self.conv(a)", [shape], f"self.conv = {layer}")
    assert ImplicitGemm().run(before, H200) is before
    for form in ("dot", "direct"):
        after = TransposedConv(form).run(before, H200)
        assert extern_ops(before) and not extern_ops(after)
        assert ("tl.dot" in template(after).source) == (form == "dot")
        assert_right(after, seeds=(0,))


@pytest.mark.parametrize("case", CONVOLUTIONS.values(), ids=CONVOLUTIONS)
def test_implicit_gemm(case):
    shape, layer = case
    before = lowered("self.conv(a)", [shape], f"self.conv = {layer}")
    assert TransposedConv().run(before, H200) is before
    for form in ("dot", "direct"):
        after = ImplicitGemm(form).run(before, H200)
        assert extern_ops(before) and not extern_ops(after)
        assert_right(after, seeds=(0,))


def test_products_of_tiles_for_many_channels_alone():
    for channels, products in ((15, False), (16, True)):
        layer = f"self.conv = nn.Conv2d({channels}, 16, 3)"
        after = ImplicitGemm().run(lowered("self.conv(a)", [(1, channels, 5, 5)], layer), H200)
        assert ("tl.dot" in template(after).source) == products


@pytest.mark.parametrize("form", ["dot", "direct"])
def test_half_precision_sums_in_single(form):
    layers = "self.one, self.two = nn.Conv2d(16, 9, 3), nn.ConvTranspose2d(9, 4, 3, stride=2)"
    before = lowered("self.two(self.one(a))", [(1, 16, 8, 8)], layers, "float16")
    after = TransposedConv(form).run(ImplicitGemm(form).run(before, H200), H200)
    assert not extern_ops(after)
    assert_right(after, seeds=(0,))


def test_every_convolution_of_a_program_is_replaced():
    layers = "self.one, self.two, self.three = nn.Conv2d(3, 4, 3), nn.Conv2d(4, 4, 3, groups=4), nn.Conv2d(4, 4, 1)"
    before = lowered("self.three(torch.relu(self.two(self.one(a))))", [(2, 3, 9, 9)], layers, channels_last=True)
    after = ImplicitGemm().run(DepthwiseConv().run(before, H200), H200)
    assert len(extern_ops(before)) == 1 and not extern_ops(after)
    assert_right(after, seeds=(0,))


def test_a_form_that_is_none():
    with pytest.raises(UserError, match="form='tiles'"):
        ImplicitGemm(form="tiles")


LINES = {
    "1d": ((2, 8, 33), "nn.Conv1d(8, 6, 3, padding=1)"),
    "1d phases": ((2, 16, 9), "nn.ConvTranspose1d(16, 6, 5, stride=2)"),
    "1d phases and dilation": ((2, 16, 9), "nn.ConvTranspose1d(16, 6, 3, stride=2, padding=1, dilation=2)"),
    "1d phases that share a factor": ((2, 5, 9), "nn.ConvTranspose1d(5, 6, 4, stride=6, padding=4, dilation=3)"),
    "2d dilated phases": (
        (1, 16, 5, 6),
        "nn.ConvTranspose2d(16, 6, (5, 3), stride=(3, 4), padding=(2, 1), output_padding=(1, 2), dilation=(2, 4))",
    ),
    "2d dilated phases of rows": ((1, 3, 5, 6), "nn.ConvTranspose2d(3, 6, 5, stride=(4, 1), dilation=(6, 1))"),
    "2d": ((2, 8, 9, 11), "nn.Conv2d(8, 6, 3)"),
    "2d padded": ((2, 3, 9, 11), "nn.Conv2d(3, 20, (3, 5), padding=(1, 2), stride=(2, 1), bias=False)"),
    "2d strided columns": ((1, 16, 9, 9), "nn.Conv2d(16, 6, (3, 1), stride=2, dilation=(1, 3), bias=False)"),
    "2d long lines": ((1, 40, 5, 6), "nn.Conv2d(40, 17, 3, padding=1)"),
    "2d transposed": ((2, 5, 9, 7), "nn.ConvTranspose2d(5, 18, (3, 4), padding=(1, 2), dilation=(2, 1))"),
    "2d phases": ((2, 16, 7, 5), "nn.ConvTranspose2d(16, 20, 4, stride=2, padding=1, output_padding=1)"),
    "2d phases of unlike taps": ((1, 8, 5, 6), "nn.ConvTranspose2d(8, 6, (3, 5), stride=(2, 3), padding=(0, 2))"),
    "2d phases without taps": ((1, 8, 5, 6), "nn.ConvTranspose2d(8, 6, (1, 2), stride=3, bias=False)"),
    "2d phases of rows": ((1, 8, 5, 6), "nn.ConvTranspose2d(8, 6, 3, stride=(2, 1), dilation=(1, 1), padding=1)"),
    "3d phases": ((1, 3, 3, 4, 5), "nn.ConvTranspose3d(3, 6, 3, stride=2, padding=1, output_padding=1)"),
    "3d": ((2, 8, 5, 6, 7), "nn.Conv3d(8, 6, 3, stride=(1, 2, 1), padding=(2, 0, 1))"),
    "3d transposed": ((1, 3, 4, 5, 6), "nn.ConvTranspose3d(3, 6, 3, padding=1)"),
}


@pytest.mark.parametrize("case", LINES.values(), ids=LINES)
def test_channels_last(case):
    shape, layer = case
    before = lowered("torch.relu(self.conv(a)) * 2", [shape], f"self.conv = {layer}", every_conv=True)
    after = ChannelsLastConv().run(before, H200)
    fused = FuseEpilogue().run(after, H200)
    assert extern_ops(before) and not extern_ops(after)
    # The layout is left as it is, so that the rest is an epilogue.
    assert sum("x_ptr, weight_ptr" in kernel.source and "aten.relu" in kernel.covers for kernel in fused.kernels) == 1
    assert_right(after, seeds=(0,))
    assert_right(fused, seeds=(0,))


WIDE = {
    "1d": ((2, 16, 9), "nn.ConvTranspose1d(16, 6, 4, stride=2)"),
    "1d one tap a phase": ((2, 5, 9), "nn.ConvTranspose1d(5, 7, 3, stride=3, padding=1, bias=False)"),
    "2d": ((2, 16, 7, 5), "nn.ConvTranspose2d(16, 20, 4, stride=2, padding=1, output_padding=1)"),
    "2d unlike strides": ((1, 8, 5, 6), "nn.ConvTranspose2d(8, 6, (4, 6), stride=(2, 3), padding=(3, 4))"),
    "2d rows alone": ((1, 8, 5, 6), "nn.ConvTranspose2d(8, 6, (4, 3), stride=(2, 1), padding=(0, 1))"),
    "2d columns alone": ((1, 3, 4, 7), "nn.ConvTranspose2d(3, 5, (1, 2), stride=(1, 2), bias=False)"),
    "3d": ((1, 3, 3, 4, 5), "nn.ConvTranspose3d(3, 6, (2, 4, 2), stride=2, padding=(0, 1, 1), output_padding=1)"),
}


@pytest.mark.parametrize("case", WIDE.values(), ids=WIDE)
def test_phases_as_columns(case):
    shape, layer = case
    before = lowered("torch.relu(self.conv(a)) * 2", [shape], f"self.conv = {layer}", every_conv=True)
    after = ChannelsLastConv(wide=True).run(before, H200)
    fused = FuseEpilogue().run(after, H200)
    assert extern_ops(before) and not extern_ops(after)
    assert "column" in template(after).source and "aten.relu" in template(fused).covers
    function = kernel_functions(fused)[template(fused).symbol]
    biases = [function.argument(one.name) for one in function.parameters if one.name == "conv_bias_ptr"]
    for access in Accesses(function).all:  # a bias is that of a channel, not of an element
        assert access.base not in biases or {dim for leaf in access.index.leaves for dim in leaf.dims} == {-1}
    assert len(biases) == ("bias=False" not in layer)
    assert_right(after, seeds=(0,))
    assert_right(fused, seeds=(0,))


@pytest.mark.parametrize(
    "layer",
    [
        "nn.Conv2d(16, 16, 4, stride=2)",
        "nn.ConvTranspose2d(16, 16, 4)",
        "nn.ConvTranspose2d(16, 16, 3, stride=2)",
        "nn.ConvTranspose2d(16, 16, 4, stride=2, dilation=(3, 1))",
    ],
)
def test_phases_that_are_none_or_unlike_are_no_columns(layer):
    before = lowered("self.conv(a)", [(1, 16, 12, 9)], f"self.conv = {layer}", every_conv=True)
    assert ChannelsLastConv(wide=True).run(before, H200) is before
    assert ChannelsLastConv().run(before, H200) is not before


def test_columns_are_not_reduced_as_channels():
    layers = "self.conv, self.norm = nn.ConvTranspose2d(16, 16, 4, stride=2), nn.GroupNorm(16, 16)"
    before = lowered("self.norm(self.conv(a))", [(2, 16, 8, 8)], layers, every_conv=True, split=False)
    taken, wide = (ChannelsLastConv(wide).run(before, H200) for wide in (False, True))
    assert FuseReduction().run(taken, H200) is not taken
    assert FuseReduction().run(wide, H200) is wide
    softmax = lowered("self.conv(a).softmax(1)", [(2, 16, 8, 8)], layers, every_conv=True)
    taken, wide = (FuseEpilogue().run(ChannelsLastConv(wide).run(softmax, H200), H200) for wide in (False, True))
    assert len(taken.kernels) < len(wide.kernels)
    assert_right(wide, seeds=(0,))


@pytest.mark.parametrize(
    "layer",
    [
        "nn.Conv2d(16, 16, 3, groups=2)",
        "nn.Conv2d(16, 16, 3, dilation=2)",
        "nn.ConvTranspose2d(16, 16, 3, stride=3, dilation=(1, 2))",
    ],
)
def test_taps_that_are_no_lines_stay(layer):
    before = lowered("self.conv(a)", [(1, 16, 9, 9)], f"self.conv = {layer}", every_conv=True)
    assert ChannelsLastConv().run(before, H200) is before


def test_channels_that_do_not_lie_last_stay():
    before = lowered("self.conv(a)", [(1, 16, 9, 9)], "self.conv = nn.Conv2d(16, 16, 3)")
    assert ChannelsLastConv().run(before, H200) is before


@pytest.mark.parametrize(("numerics", "precision"), [("ieee", "ieee"), ("torch", "tf32"), ("tf32", "tf32")])
def test_products_are_as_precise_as_the_reference(numerics, precision):
    layer = "self.conv = nn.Conv2d(16, 16, 3)"
    for options, rewrite in (({"every_conv": True}, ChannelsLastConv()), ({}, ImplicitGemm("dot"))):
        before = lowered("self.conv(a)", [(1, 16, 9, 9)], layer, **options)
        before = replace(before, reference=replace(before.reference, numerics=numerics))
        assert f'input_precision="{precision}"' in template(rewrite.run(before, H200)).source


def test_products_in_three_parts_are_as_precise_as_fp32() -> None:
    layer = "self.conv = nn.ConvTranspose2d(16, 16, 3, stride=2)"
    before = lowered("self.conv(a)", [(1, 16, 9, 9)], layer, every_conv=True)
    after = ChannelsLastConv(precision="tf32x3").run(before, H200)
    assert 'input_precision="tf32x3"' in template(after).source
    assert not any(ROUNDED in kernel.source for kernel in after.kernels)
    assert_right(after, seeds=(0,))


def test_a_precision_of_convolutions_that_is_none() -> None:
    with pytest.raises(UserError, match="precision='tf16': choose from reference, tf32x3"):
        ChannelsLastConv(precision="tf16")


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_convolutions_are_lowered_as_for_a_gpu(device):
    layer = "self.conv = nn.Conv2d(16, 16, 3)"
    module = lowered("torch.relu(self.conv(a))", [(2, 16, 12, 12)], layer, channels_last=True, device=device)
    host = module.launcher.source
    # The bias is added by a kernel, and what cuDNN gives with channels last is read so.
    assert ", None, (1, 1)" in host and ".contiguous(memory_format=torch.channels_last)" in host
    assert_right(module, seeds=(0,))


ROUNDED = "& -8192"


def test_what_kernels_make_for_a_tf32_product_is_stored_rounded():
    before = lowered("self.conv(a)", [(1, 16, 9, 9)], "self.conv = nn.Conv2d(16, 16, 3)", every_conv=True)
    after = ChannelsLastConv().run(with_numerics(before, "torch"), H200)
    assert [ROUNDED in kernel.source for kernel in after.kernels].count(True) == 2
    assert ROUNDED not in template(after).source
    exact = ChannelsLastConv().run(with_numerics(before, "ieee"), H200)
    assert not any(ROUNDED in kernel.source for kernel in exact.kernels)


def test_kernels_with_other_work_are_left_alone():
    layers = "self.conv, self.other = nn.Conv2d(16, 16, 3), nn.Conv2d(16, 16, 3)"
    before = lowered("self.conv(a) + self.other(a)", [(1, 16, 9, 9)], layers, every_conv=True)
    after = ChannelsLastConv().run(with_numerics(before, "torch"), H200)
    rounded = [kernel.source for kernel in after.kernels if ROUNDED in kernel.source]
    # One kernel lays the input out for both, rounds once and stores two copies; another is launched for either weight.
    assert not extern_ops(after)
    assert len(rounded) == 1 and rounded[0].count(ROUNDED) == 1 and "a_ptr" in rounded[0]


def test_nan_stays_nan_when_rounded():
    values = torch.tensor([0x7FFFFFFF, -1, 0x7FC00000, 0x7F800000, 0x3F801000, 0x3F800FFF], dtype=torch.int32)
    kernel = parse_function("@triton.jit\ndef copy(x_ptr, y_ptr):\n    tl.store(y_ptr, tl.load(x_ptr))")
    text = print_function(storing_rounded(kernel, "y_ptr")).replace(", bitcast=True", "").replace(".to(", ".view(")
    stored = []
    language = SimpleNamespace(
        load=lambda x: x,
        store=lambda _pointer, x: stored.append(x),
        where=torch.where,
        int32=torch.int32,
        float32=torch.float32,
    )
    space = {"tl": language, "triton": SimpleNamespace(jit=lambda function: function)}
    exec(text, space)
    space["copy"](values.view(torch.float32), None)
    assert stored[0].isnan().tolist() == [True] * 3 + [False] * 3
    assert stored[0][3:].tolist() == [float("inf"), 1 + 2.0**-10, 1.0]


@pytest.mark.parametrize(
    "other", ["tl.store(y_ptr + 1, 0.0)", "tl.store(x_ptr, tl.load(y_ptr))", "tl.atomic_add(y_ptr, tl.load(x_ptr))"]
)
def test_kernels_that_do_more_with_a_tensor_do_not_round_it(other):
    kernel = parse_function(f"@triton.jit\ndef copy(x_ptr, y_ptr):\n    tl.store(y_ptr, tl.load(x_ptr))\n    {other}")
    assert isinstance(storing_rounded(kernel, "y_ptr"), Declined)


def with_numerics(module, numerics):
    return replace(module, reference=replace(module.reference, numerics=numerics))
