"""Templates for convolutions: right at odd shapes, and no convolution touched that is not theirs."""

import pytest
from programs import assert_right, lowered

from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import Context
from kernelwright.ir.values import Level
from kernelwright.ir.verifier import extern_ops
from kernelwright.midend.depthwise_conv import DepthwiseConv

H200 = Context(target="h200")

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
    assert [kernel.covers for kernel in after.kernels] == [("aten.convolution",)]
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
