"""`fuse-prologue`: what a kernel computes by element is computed where the next one loads it, or the reason why not."""

from pathlib import Path

import pytest
from programs import assert_right, lowered

from kernelwright.frontend.importers import import_source
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context, Declined
from kernelwright.ir.values import KernelModule
from kernelwright.ir.verifier import launched
from kernelwright.midend.fusion.fuse_flip import FuseFlip
from kernelwright.midend.fusion.fuse_prologue import FusePrologue

BEFORE = (Path(__file__).parents[2] / "golden" / "fuse-prologue" / "before.py").read_text("utf-8")


def fused(module: KernelModule) -> tuple[KernelModule, list[str]]:
    said: list[Declined] = []
    return FusePrologue().run(module, Context(target="h200", declined=said.append)), [one.reason for one in said]


def accesses(module: KernelModule) -> tuple[int, int]:
    """Loads and stores of a module's kernels."""
    kinds = [one.kind for function in kernel_functions(module).values() for one in function.walk()]
    return kinds.count("load"), kinds.count("store")


def test_a_tensor_that_others_read_is_stored_and_not_loaded() -> None:
    before = parse_module(BEFORE)
    after, _ = fused(before)
    assert len(after.kernels) == 1 and accesses(before) == (4, 3) and accesses(after) == (3, 3)
    assert_right(after)


def test_a_tensor_that_nobody_else_reads_goes() -> None:
    text = BEFORE.replace("return y, most, shifted", "return y, most")
    text = text.replace("* weight, most, shifted", "* weight, most")
    text = text.replace(', "out2: f32[12, 50]"', "")
    after, _ = fused(parse_module(text))
    assert len(after.kernels) == 1 and accesses(after) == (3, 2)
    assert after.launcher is not None and "shifted = torch.empty_like" not in after.launcher.source
    assert_right(after)


def test_what_both_kernels_load_is_loaded_once() -> None:
    text = BEFORE.replace("(shifted_ptr, weight_ptr, y_ptr", "(shifted_ptr, x_ptr, weight_ptr, y_ptr")
    text = text.replace("(shifted, weight, y", "(shifted, x, weight, y")
    text = text.replace(
        "(s - most) * w,", "(s - most) * w + tl.load(x_ptr + row * cols + c, mask=c < cols, other=0.0),"
    )
    text = text.replace("* weight, most, shifted", "* weight + x, most, shifted")
    assert text.count("x_ptr + row") == text.count("weight + x") == text.count("(shifted, x,") == 1
    before = parse_module(text)
    assert_right(before)
    after, _ = fused(before)
    assert len(after.kernels) == 1 and accesses(before) == (5, 3) and accesses(after) == (3, 3)
    assert_right(after)


def test_a_number_that_all_elements_share_is_loaded_without_a_mask() -> None:
    shared = BEFORE.replace("tl.load(by_ptr + i % cols, mask=i < n)", "tl.load(by_ptr + 7)")
    shared = shared.replace("x * by +", "x * by[7] +")
    assert shared.count("by_ptr + 7)") == shared.count("by[7]") == 1
    after, _ = fused(parse_module(shared))
    assert len(after.kernels) == 1
    assert_right(after)


STAYS = {
    "a constant": ("x * tl.load(by_ptr + i % cols, mask=i < n) + 1.5", "1.5", "the first kernel stores one number"),
    "another order": (
        "shifted_ptr + i",
        "shifted_ptr + (n - 1 - i)",
        "the first kernel does not store each",
    ),
    "a neighbour": (
        "x_ptr + i, mask=i < n",
        "x_ptr + i - 1, mask=(i < n) & (i > 0)",
        "the first kernel loads under",
    ),
    "its program": ("+ 1.5", "+ 1.5 * tl.program_id(0)", "a program_id of the first kernel is not computed of"),
    "more stores": (
        "    tl.store(shifted_ptr + i",
        "    tl.store(x_ptr + i, 0.0, mask=i < 0)\n    tl.store(shifted_ptr + i",
        "the first kernel does more than store one number",
    ),
    "read twice": (
        "shifted_ptr + row * cols + c,",
        "shifted_ptr + row // 2 * cols + c,",
        "not every element is",
    ),
}


@pytest.mark.parametrize(("old", "new", "reason"), STAYS.values(), ids=STAYS)
def test_other_kernels_stay(old: str, new: str, reason: str) -> None:
    assert old in BEFORE
    module = parse_module(BEFORE.replace(old, new))
    after, said = fused(module)
    assert after is module
    assert [one.startswith(reason) for one in said] == [True], said


def test_a_row_that_is_taken_whole_leaves_no_option_for_its_block() -> None:
    before = lowered("torch.logsumexp(F.max_pool3d(a, 2), 1, keepdim=True)", [(2, 8, 6, 6, 6)], persistent=False)
    after, _ = fused(before)
    (kernel,) = (one for one in after.kernels if one.meta)
    assert dict(before.kernels[-1].meta).keys() - dict(kernel.meta).keys() == {"R0_BLOCK"}
    assert_right(after)


TURNED = """import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def turned(x_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        tl.store(y_ptr + row * cols + c, tl.load(x_ptr + row * cols + (cols - 1 - c), mask=c < cols), mask=c < cols)


@triton.jit
def summed(x_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x_ptr + row * cols + c, mask=c < cols, other=0.0)
    tl.store(y_ptr + row * cols + c, tl.cumsum(v, axis=0), mask=c < cols)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, cols = x.shape
        first = torch.empty_like(x)
        turned[(rows,)](x, first, cols, BLOCK=16)
        sums = torch.empty_like(x)
        summed[(rows,)](first, sums, cols, BLOCK=triton.next_power_of_2(cols))
        out = torch.empty_like(x)
        turned[(rows,)](sums, out, cols, BLOCK=16)
        return out
"""
SUMS = """import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x.flip(1).cumsum(1).flip(1)


def get_inputs():
    return [torch.randn(5, 43)]
"""


def test_rows_that_one_kernel_turns_round_twice_are_loaded_and_stored_so() -> None:
    before = parse_module(TURNED, reference=import_source(SUMS, "sums", shrink="never").reference)
    flipped = FuseFlip().run(before, Context(target="h200"))
    assert len(launched(flipped)) == 2
    assert_right(flipped)
    after, _ = fused(flipped)
    assert len(launched(after)) == len(after.kernels) == 1 and accesses(after) == (1, 1)
    assert_right(after)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("mask=c < cols), mask=c < cols)", "mask=c < cols), mask=c < cols - 1)"),
        ("tl.load(x_ptr + row * cols + (cols", "tl.load(x_ptr + row * cols + tl.max(c) * 0 + (cols"),
        ("row * cols + c, tl.load", "row * cols + (c + 1) % cols, tl.load"),
    ],
    ids=["some elements", "a reduction", "no digits"],
)
def test_other_ways_round_stay(old: str, new: str) -> None:
    assert TURNED.count(old) == 1
    text = TURNED.replace(old, new)
    before = parse_module(text, reference=import_source(SUMS, "sums", shrink="never").reference)
    after, _ = fused(before)
    assert after is before
