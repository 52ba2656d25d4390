"""Short reductions by lane: pooling of every kind is right, rows of memory stay."""

import pytest
from programs import assert_right, lowered

from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import Context
from kernelwright.midend.rows.serial_windows import SerialWindows

H200 = Context(target="h200")
LOOPED = {"persistent": False}

WINDOWS = {
    "max 3d": ("F.max_pool3d(a, 3, stride=2, padding=1, dilation=2)", (2, 3, 9, 8, 7)),
    "average 2d": ("F.avg_pool2d(a, 11)", (2, 3, 35, 40)),
    "max 2d padded": ("F.max_pool2d(a, 7, stride=3, padding=3)", (1, 3, 20, 23)),
    "over channels": ("a.amax(1)", (3, 40, 7, 9)),
    "mean over channels": ("a.mean(1) * 2", (5, 33, 50)),
}


@pytest.mark.parametrize("case", WINDOWS.values(), ids=WINDOWS)
def test_windows_are_reduced_by_lane(case):
    forward, shape = case
    before = lowered(forward, [shape], **LOOPED)
    after = SerialWindows().run(before, H200)
    (kernel,) = (kernel for kernel in after.kernels if dict(kernel.meta).get("R0_BLOCK"))
    assert dict(kernel.meta)["R0_BLOCK"] == 1 and after.launcher == before.launcher
    assert SerialWindows().run(after, H200) is after
    assert_right(after)


@pytest.mark.parametrize("forward", ["a.sum(1)", "torch.softmax(a, 1)", "torch.cumsum(a, 0)"])
def test_rows_and_scans_stay(forward):
    before = lowered(forward, [(60, 70)], **LOOPED)
    assert SerialWindows().run(before, H200) is before


def test_long_windows_stay():
    before = lowered("F.avg_pool2d(a, 11)", [(1, 2, 35, 40)], **LOOPED)
    assert SerialWindows(limit=120).run(before, H200) is before
    with pytest.raises(UserError, match="limit=2000"):
        SerialWindows(limit=2000)
