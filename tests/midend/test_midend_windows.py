"""Short reductions by lane: pooling of every kind is right, rows of memory stay."""

from dataclasses import replace

import pytest
from programs import assert_right, lowered

from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import Context
from kernelwright.ir.values import Kernel, KernelModule
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


POOLED = """@triton.jit
def pool(source, target, count, wide, size, WINDOWS: tl.constexpr, STEP: tl.constexpr):
    window = tl.program_id(0) * WINDOWS + tl.arange(0, WINDOWS)
    inside = window < count
    most = tl.full([WINDOWS, STEP], float("-inf"), tl.float32)
    for begin in range(0, size, STEP):
        at = begin + tl.arange(0, STEP)
        place = window[:, None] + wide * at[None, :]
        most = tl.maximum(most, tl.load(source + place, inside[:, None] & (at < size)[None, :], other=float("-inf")))
    tl.store(target + window, tl.max(most, 1), inside)"""


def written_by_hand(source: str) -> KernelModule:
    """Maxima over the first axis, by a kernel that no lowering wrote."""
    made = lowered("a.amax(0)", [(27, 300)])
    assert made.launcher is not None
    text = """def forward(a: "f32[27, 300]"):
    out = torch.empty_strided((300,), (1,), device=a.device, dtype=torch.float32)
    pool[(triton.cdiv(300, pool_meta["WINDOWS"]),)](a, out, 300, 300, 27, **pool_meta)
    return out"""
    kernel = Kernel("pool", source, (("WINDOWS", 16), ("STEP", 8), ("num_warps", 4)), ("aten.amax",))
    return replace(made, kernels=(kernel,), launcher=replace(made.launcher, source=text))


def test_windows_of_a_kernel_that_no_lowering_wrote_are_reduced_by_lane():
    after = SerialWindows().run(written_by_hand(POOLED), H200)
    (kernel,) = after.kernels
    assert dict(kernel.meta) == {"WINDOWS": 256, "STEP": 1, "num_warps": 4}
    assert "tl.static_range(0, 27, STEP)" in kernel.source
    assert_right(after)


def test_windows_without_a_mask_are_as_many_as_divide_theirs():
    before = written_by_hand(POOLED.replace(", inside)", ")").replace("inside[:, None] & ", ""))
    assert before.launcher is not None
    source = before.launcher.source.replace("300", "192")
    reference = lowered("a.amax(0)", [(27, 192)]).reference
    before = replace(before, reference=reference, launcher=replace(before.launcher, source=source))
    assert_right(before)
    after = SerialWindows().run(before, H200)
    assert dict(after.kernels[0].meta)["WINDOWS"] == 64
    assert_right(after)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("window[:, None] + wide * at[None, :]", "size * window[:, None] + at[None, :]"),
        ("WINDOWS + tl.arange(0, WINDOWS)", "16 + tl.arange(0, 16)"),
        ("range(0, size, STEP)", "range(STEP, size, STEP)"),
    ],
    ids=["lines of memory", "no option", "other start"],
)
def test_other_windows_stay(old, new):
    module = written_by_hand(POOLED.replace(old, new))
    assert SerialWindows().run(module, H200) is module
