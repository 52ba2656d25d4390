"""Flips of rows: done by the kernel before, where that stores whole rows for the flip alone."""

import pytest
from programs import assert_right, lowered

from kernelwright.ir.passes import Context
from kernelwright.ir.verifier import launched
from kernelwright.midend.fusion.fuse_flip import FuseFlip
from kernelwright.midend.rows.persistent_rows import PersistentRows

H200 = Context(target="h200")


@pytest.mark.parametrize("persistent", [True, False])
@pytest.mark.parametrize("shape", [(5, 300), (64, 128), (3, 4, 77)])
def test_a_reversed_scan_is_one_kernel(shape, persistent):
    axis = len(shape) - 1
    before = lowered(f"torch.cumsum(a.flip({axis}), {axis}).flip({axis})", [shape], persistent=persistent)
    after = FuseFlip().run(before, H200)
    assert len(launched(before)) == 2 and len(launched(after)) == 1
    assert set(after.kernels[-1].covers) == {"aten.flip", "aten.cumsum"}
    assert_right(after)
    assert_right(PersistentRows().run(after, H200))


@pytest.mark.parametrize(
    "forward",
    [
        "(lambda y: (y, y.flip(1)))(torch.cumsum(a, 1))",
        "torch.cumsum(a, 1).flip(1) + 1",
        "torch.roll(torch.cumsum(a, 1), 3, 1)",
    ],
)
def test_other_uses_stay(forward):
    before = lowered(forward, [(20, 30)])
    assert FuseFlip().run(before, H200) is before


def test_rows_are_stored_in_reverse_order_too():
    before = lowered("torch.cumsum(a, 1).flip(0)", [(20, 30)])
    after = FuseFlip().run(before, H200)
    assert len(launched(after)) == 1
    assert_right(after)
