"""Epilogues: fused where the first kernel's result is read by one pointwise kernel alone, and right then."""

from dataclasses import replace

import pytest
from programs import assert_right, lowered

from kernelwright.ir.kernel.analysis.accesses import Accesses
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.kernel.values import Constant
from kernelwright.ir.passes import Context
from kernelwright.ir.verifier import launched, verify
from kernelwright.midend.fusion.fuse_epilogue import FuseEpilogue
from kernelwright.midend.templates.channels_last_conv import ChannelsLastConv
from kernelwright.midend.templates.depthwise_conv import DepthwiseConv
from kernelwright.midend.templates.implicit_gemm import ImplicitGemm
from kernelwright.midend.templates.transposed_conv import TransposedConv
from kernelwright.midend.templates.triton_matmul import TritonMatmul

H200 = Context(target="h200")


def _templates(module):
    for pass_ in (DepthwiseConv(), TransposedConv(), ImplicitGemm()):
        module = pass_.run(module, H200)
    return module


FUSED = {
    "bias and relu": ("torch.relu(self.conv(a)) + b", [(2, 3, 9, 7), (6, 1, 1)], "nn.Conv2d(3, 6, 3)"),
    "no tail": ("torch.tanh(self.conv(a)) * 2", [(2, 4, 8, 8)], "nn.Conv2d(4, 8, 1)"),
    "tiles": ("F.gelu(self.conv(a)) - b", [(1, 16, 6, 5), (1, 16, 4, 3)], "nn.Conv2d(16, 16, 3)"),
    "rows of a depthwise one": ("F.hardswish(self.conv(a)) / 3", [(2, 5, 11, 9)], "nn.Conv2d(5, 5, 3, groups=5)"),
    "transposed": ("self.conv(a).sigmoid() + b", [(2, 4, 5, 6), (1,)], "nn.ConvTranspose2d(4, 6, 3, stride=2)"),
    "two outputs": ("(lambda y: (y * b, y - b))(self.conv(a))", [(2, 3, 9), (2, 4, 7)], "nn.Conv1d(3, 4, 3)"),
}


@pytest.mark.parametrize("case", FUSED.values(), ids=FUSED)
def test_epilogues_of_convolutions(case):
    forward, shapes, layer = case
    before = _templates(lowered(forward, shapes, f"self.conv = {layer}"))
    after = FuseEpilogue().run(before, H200)
    assert len(launched(before)) == 2 and len(launched(after)) == 1
    covered = {cover for kernel in before.kernels for cover in kernel.covers}
    assert set(after.kernel(launched(after)[0]).covers) == covered
    assert_right(after)


LAID_OUT = {
    "2d": ("F.group_norm(torch.sigmoid(self.conv(a) * b), 3)", [(2, 4, 27, 24), (6, 1, 1)], "nn.Conv2d(4, 6, 3)"),
    "1d": ("F.group_norm(torch.tanh(self.conv(a) + b), 2)", [(3, 5, 41), (4, 1)], "nn.Conv1d(5, 4, 3)"),
    "3d": ("F.group_norm(torch.sigmoid(self.conv(a)) * b, 3)", [(2, 3, 9, 8, 9), (1,)], "nn.Conv3d(3, 6, 2)"),
}


@pytest.mark.parametrize("case", LAID_OUT.values(), ids=LAID_OUT)
def test_an_epilogue_that_lays_the_result_out_anew(case):
    forward, shapes, layer = case
    before = ChannelsLastConv().run(lowered(forward, shapes, f"self.conv = {layer}", every_conv=True), H200)
    after = FuseEpilogue().run(before, H200)
    (fused,) = [kernel for kernel in after.kernels if "tl.dot" in kernel.source]
    assert len(launched(after)) == len(launched(before)) - 1 and len(fused.covers) > 1
    assert_right(after)


def test_what_an_epilogue_needs_by_channel_is_loaded_once_for_a_line():
    layer = "self.conv = nn.Conv2d(4, 8, 1, bias=False)"
    before = lowered("torch.relu(self.conv(a)) * b", [(2, 4, 8, 8), (8, 1, 1)], layer)
    after = FuseEpilogue().run(_templates(before), H200)
    function = kernel_functions(after)[launched(after)[0]]
    accesses, argument = Accesses(function), function.argument("b_ptr")
    (load,) = [one for one in accesses.all if one.base == argument]
    ((extent, *others),) = [accesses.indices.shapes.of(load.operation.result)]
    assert (extent, others) == (function.argument("NBLOCK"), [Constant("1")])
    (bound,) = accesses.ranges(load)
    assert bound.upper is not None and bound.upper.constant == 8


def test_a_result_in_half_precision_is_rounded_before_the_epilogue():
    layer = "self.conv = nn.Conv2d(3, 4, 3)"
    before = _templates(lowered("torch.relu(self.conv(a)) * 1.5", [(2, 3, 7, 7)], layer, "float16"))
    after = FuseEpilogue().run(before, H200)
    assert len(launched(after)) == 1 and "acc.to(tl.float16)" in after.kernels[-1].source
    assert_right(after)


WITHOUT_BIAS = "self.conv = nn.Conv2d(3, 4, 3, bias=False)"
STAY = {
    "read by two": (
        "(lambda y: (torch.softmax(y, 3), y.sum((0, 2, 3))))(self.conv(a))",
        WITHOUT_BIAS,
    ),
    "returned too": ("(y := self.conv(a), torch.relu(y))", WITHOUT_BIAS),
    "read elsewhere": ("F.max_pool2d(self.conv(a), 2)", WITHOUT_BIAS),
    "read by neighbours": ("torch.roll(self.conv(a), 1, 3)", WITHOUT_BIAS),
    "an extern's result": ("torch.relu(a.view(-1, 81) @ a.view(-1, 81).T)", "pass"),
}


@pytest.mark.parametrize("case", STAY.values(), ids=STAY)
def test_what_is_no_epilogue_stays(case):
    forward, layer = case
    before = _templates(lowered(forward, [(2, 3, 9, 9)], layer))
    assert FuseEpilogue().run(before, H200) is before


def test_an_epilogue_that_writes_what_others_still_read_stays():
    layer = "self.conv = nn.Conv2d(3, 3, 3, padding=1, bias=False)"
    before = _templates(lowered("torch.relu(self.conv(a))", [(2, 3, 9, 9)], layer))
    source = before.launcher.source.replace(", out, **relu_meta)", ", a, **relu_meta)")
    before = replace(before, launcher=replace(before.launcher, source=source.replace("return out", "return a")))
    assert verify(before) == () and "a, **relu_meta" in source
    assert FuseEpilogue().run(before, H200) is before


def test_how_far_an_element_is_from_the_diagonal_is_one_difference():
    module = lowered("torch.tril(a @ a)", [(40, 40)])
    after = FuseEpilogue().run(TritonMatmul().run(module, H200), H200)
    (kernel,) = after.kernels
    assert "39" not in kernel.source  # no end that a digit is counted down from
    assert_right(after)
