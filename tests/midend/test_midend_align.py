"""Rows that begin at no multiple of 16 bytes: wide accesses, the same results."""

from dataclasses import replace

import pytest
from programs import assert_right, lowered

from kernelwright.backend.compile.compiler import compile_module
from kernelwright.backend.targets import get_target
from kernelwright.backend.tuning.space import LONGEST_STEP, space_of
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule
from kernelwright.midend.rows.align_rows import AlignRows
from kernelwright.midend.rows.reverse_loops import ReverseLoops

H200 = Context(target="h200")
LOOPED = {"persistent": False}
SOFTMAX, NORM = "torch.softmax(a, 1)", "a / torch.norm(a, dim=1, keepdim=True)"

#: Forward, shape, dtype, rows of a program.
ROWS = {
    "softmax": (SOFTMAX, (5, 1023), "float32", 1),
    "softmax, half": (SOFTMAX, (5, 1023), "bfloat16", 2),
    "norm": (NORM, (6, 4097), "float32", 2),
    "norm, half": (NORM, (7, 4097), "bfloat16", 4),
    "vocabulary": ("torch.log_softmax(a, 1)", (3, 50257), "float32", 1),
    "one loop": ("a.amax(1)", (9, 1001), "float32", 4),
}


def _tiled(module: KernelModule, rows: int, step: int) -> KernelModule:
    sizes = {"XBLOCK": rows, "R0_BLOCK": step}
    metas = [tuple((name, sizes.get(name, value)) for name, value in kernel.meta) for kernel in module.kernels]
    return replace(module, kernels=tuple(replace(k, meta=m) for k, m in zip(module.kernels, metas, strict=True)))


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("case", ROWS.values(), ids=ROWS)
def test_aligned_rows(case, backwards):
    forward, shape, dtype, rows = case
    before = lowered(forward, [shape], dtype=dtype, split=False, **LOOPED)
    before = ReverseLoops().run(before, H200) if backwards else before
    after = AlignRows().run(before, H200)
    assert after != before
    assert AlignRows().run(after, H200) is after
    for step in (16, 512):  # the ends take several rounds, and one
        if step == 512 or shape[1] < 5000:
            assert_right(_tiled(after, rows, step), seeds=(0,))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_accesses_are_wide(dtype):
    before = _tiled(lowered(NORM, [(64, 4097)], dtype=dtype, **LOOPED), 1, 4096)
    after = AlignRows().run(before, H200)
    ptx = [next(iter(compile_module(module, get_target("h200")).values())).ptx for module in (before, after)]
    for access in ("ld.global", "st.global"):
        lines = [[line for line in text.splitlines() if access in line and ".v4.b32" in line] for text in ptx]
        assert lines[1] and not lines[0]


@pytest.mark.parametrize(
    ("forward", "shapes"),
    [
        (SOFTMAX, [(5, 1024)]),  # aligned already
        (SOFTMAX, [(5, 301)]),  # short
        ("torch.cumsum(a, 1) / a.amax(1, keepdim=True)", [(4, 1023)]),  # a scan
        ("a.argmax(1)", [(4, 1023)]),  # counts elements
        ("F.layer_norm(a, (1023,), b)", [(4, 1023), (1023,)]),  # another tensor's elements are not aligned with a row's
        ("a + 1", [(4, 1023)]),
    ],
)
def test_other_kernels_stay(forward, shapes):
    before = lowered(forward, shapes, **LOOPED)
    assert AlignRows().run(before, H200) is before


def test_aligned_loops_may_take_any_step():
    after = AlignRows().run(lowered(NORM, [(64, 4097)], **LOOPED), H200)
    steps = dict(space_of(after, after.kernels[-1].symbol, 64, frozenset()).choices)["R0_BLOCK"]
    assert max(steps) == LONGEST_STEP
