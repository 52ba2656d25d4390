"""Rewrites of reductions over rows: fewer accesses, the same results."""

from dataclasses import replace

import pytest
from programs import assert_right, lowered

from kernelwright.backend.cost.model import estimate
from kernelwright.backend.launch.execute import trace_launches
from kernelwright.backend.targets import get_target
from kernelwright.ir.errors import UserError
from kernelwright.ir.kernel.analysis.shapes import Shapes
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.kernel.values import Constant
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context
from kernelwright.ir.values import Kernel, KernelModule
from kernelwright.midend.rows.align_rows import AlignRows
from kernelwright.midend.rows.persistent_rows import PersistentRows
from kernelwright.midend.rows.reverse_loops import ReverseLoops
from kernelwright.midend.rows.row_blocks import RowLoops
from kernelwright.midend.rows.row_positions import RowPositions
from kernelwright.midend.rows.split_rows import SplitRows

H200 = Context(target="h200")
LOOPED = {"persistent": False}

#: Forward, shapes, init, loads and stores of the rows left in the kernel that loops.
ROWS = {
    "softmax": ("torch.softmax(a, 1)", [(5, 1000)], "pass", 1, 1),
    "log-softmax": ("torch.log_softmax(a * 2, 1)", [(3, 777)], "pass", 1, 1),
    "layer norm": ("F.layer_norm(a, (300,), b, c)", [(7, 300), (300,), (300,)], "pass", 3, 1),
    "rms norm": ("a * torch.rsqrt((a * a).mean(1, keepdim=True) + 1e-6)", [(4, 513)], "pass", 1, 1),
    "l2 norm": ("a / torch.norm(a, dim=1, keepdim=True)", [(6, 255)], "pass", 1, 1),
    "two rows": ("(a - a.mean(1, keepdim=True)) * (b - b.amax(1, keepdim=True))", [(4, 300), (4, 300)], "pass", 2, 1),
    "instance norm": ("F.instance_norm(a)", [(2, 3, 17, 19)], "pass", 1, 1),
    "row of one tile": ("torch.softmax(a, 1)", [(64, 48)], "pass", 1, 1),
}


@pytest.mark.parametrize("case", ROWS.values(), ids=ROWS)
def test_rows_are_loaded_once(case):
    forward, shapes, init, loads, stores = case
    before = lowered(forward, shapes, init, **LOOPED)
    after = PersistentRows().run(before, H200)
    assert any("for r0_offset" in kernel.source for kernel in before.kernels)
    assert not any("for " in kernel.source for kernel in after.kernels)
    assert _row_accesses(after, before, "load") == loads
    assert _row_accesses(after, before, "store") == stores
    assert [kernel.covers for kernel in after.kernels] == [kernel.covers for kernel in before.kernels]
    assert_right(after)


WRITTEN = """
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax_rows(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    peak = tl.full([BLOCK], float("-inf"), tl.float32)
    for start in range(0, N, BLOCK):
        at = start + tl.arange(0, BLOCK)
        peak = tl.maximum(peak, tl.load(X + row * stride + at, mask=at < N, other=float("-inf")))
    top = tl.max(peak, axis=0)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, N, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.exp(tl.load(X + row * stride + at, mask=at < N, other=float("-inf")) - top)
    below = tl.sum(total, axis=0)
    for start in range(0, N, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + at, mask=at < N, other=float("-inf"))
        tl.store(Y + row * stride + at, tl.exp(x - top) / below, mask=at < N)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, width = x.shape
        y = torch.empty_like(x)
        softmax_rows[(rows,)](x, y, x.stride(0), width, BLOCK=256)
        return y
"""


def test_rows_of_a_class_are_loaded_once() -> None:
    reference = lowered("torch.softmax(a, 1)", [(5, 1000)]).reference
    after = PersistentRows().run(parse_module(WRITTEN, reference=reference, name="softmax"), H200)
    (function,) = kernel_functions(after).values()
    kinds = [one.kind for one in function.walk()]
    assert (kinds.count("for"), kinds.count("load"), kinds.count("store")) == (0, 1, 1)
    assert_right(after)


def _row_accesses(after, before, kind):
    """Accesses to whole rows, in the kernels that the pass has rewritten: those that lost an option."""
    functions, found = kernel_functions(after), 0
    for kernel in after.kernels:
        if dict(before.kernel(kernel.symbol).meta).keys() - dict(kernel.meta).keys() == {"R0_BLOCK"}:
            shapes = Shapes(functions[kernel.symbol])
            operations = [one for one in functions[kernel.symbol].walk() if one.kind == kind]
            found += sum(shapes.of(one.get("mask"))[1:] not in ((), (Constant("1"),)) for one in operations)
    return found


@pytest.mark.parametrize("forward", ["a / a.std(1, keepdim=True)", "a.cumsum(1) - a.amax(1, keepdim=True)"])
def test_other_loops_over_rows(forward):
    before = lowered(forward, [(6, 300)], **LOOPED)
    after = PersistentRows().run(before, H200)
    assert after != before
    assert_right(after)


def test_half_precision_rounds_as_before():
    before = lowered("torch.softmax(a, 1)", [(5, 700)], dtype="bfloat16", **LOOPED)
    assert_right(PersistentRows().run(before, H200))


def test_what_a_loop_leaves_is_less_time():
    before = lowered("torch.softmax(a, 1)", [(512, 4000)], **LOOPED)
    after = PersistentRows().run(before, H200)
    target = get_target("h200")
    assert estimate(after, target).bytes < estimate(before, target).bytes


def test_rows_beyond_the_limit_stay():
    before = lowered("torch.softmax(a, 1)", [(5, 700)], **LOOPED)
    assert PersistentRows(limit=699).run(before, H200) is before
    for forward in ("a.sum(1)", "a + 1"):  # one loop and none: nothing is loaded twice
        before = lowered(forward, [(5, 700)], **LOOPED)
        assert PersistentRows().run(before, H200) is before
    with pytest.raises(UserError, match="limit=0"):
        PersistentRows(limit=0)


NORM = """@triton.jit
def rows(source, target, count, stride, BLOCK: tl.constexpr):
    at = source + tl.program_id(0) * stride
    lanes = tl.arange(0, BLOCK)
    sums = tl.zeros([BLOCK], tl.float32)
    for begin in range(0, count, BLOCK):
        sums += tl.load(at + begin + lanes, mask=count > lanes + begin, other=0.0)
    mean = tl.sum(sums, 0) / count
    begin = 0
    while begin < count:
        inside = begin + lanes < count
        value = tl.load(at + (begin + lanes), inside)
        tl.store(target + tl.program_id(0) * stride + begin + lanes, value - mean, inside)
        begin += BLOCK"""


def written_by_hand(source: str, columns: int, block: int) -> KernelModule:
    """A program that takes means of rows away, by a kernel that no lowering wrote."""
    made = lowered("a - a.mean(1, keepdim=True)", [(5, columns)])
    assert made.launcher is not None
    text = f"""def forward(a: "f32[5, {columns}]"):
    out = torch.empty_strided((5, {columns}), ({columns}, 1), device=a.device, dtype=torch.float32)
    rows[(5,)](a, out, {columns}, {columns}, **rows_meta)
    return out"""
    kernel = Kernel("rows", source, (("BLOCK", block), ("num_warps", 4)), ("aten.mean", "aten.sub"))
    return replace(made, kernels=(kernel,), launcher=replace(made.launcher, source=text))


@pytest.mark.parametrize(("columns", "block"), [(300, 64), (256, 64), (384, 128)], ids=["ragged", "power", "whole"])
def test_a_kernel_that_no_lowering_wrote_holds_its_rows(columns, block):
    before = written_by_hand(NORM, columns, block)
    assert_right(before)
    after = PersistentRows().run(before, H200)
    (kernel,) = after.kernels
    assert "BLOCK" not in dict(kernel.meta) and "for " not in kernel.source and "while " not in kernel.source
    assert kernel.source.count("tl.load(") == 1
    assert_right(after)


@pytest.mark.parametrize(
    ("old", "new", "columns"),
    [
        (", mask=count > lanes + begin, other=0.0", "", 384),
        ("other=0.0", "other=1.0", 384),
        ("sums += tl.load", "sums += 1.0 + tl.load", 384),
        ("range(0, count, BLOCK)", "range(BLOCK, count, BLOCK)", 256),
        ("range(0, count, BLOCK)", "range(0, 200, BLOCK)", 256),
        ("range(0, count, BLOCK)", "range(0, count, 64)", 256),
        ("count > lanes + begin", "count > lanes + 2 * begin", 300),
    ],
    ids=["no mask", "fill", "added beyond", "other start", "other length", "other step", "other mask"],
)
def test_a_row_that_one_block_would_change_stays_in_loops(old, new, columns):
    assert old in NORM
    module = written_by_hand(NORM.replace(old, new), columns, 128)
    assert PersistentRows().run(module, H200) is module


def test_a_block_that_the_grid_follows_stays():
    module = written_by_hand(NORM, 300, 64)
    assert module.launcher is not None
    source = module.launcher.source.replace("(5,)", "(5 * 64 // rows_meta['BLOCK'],)")
    module = replace(module, launcher=replace(module.launcher, source=source))
    assert PersistentRows().run(module, H200) is module


COUNTED = """@triton.jit
def rows(source, target, count, stride, BLOCK: tl.constexpr):
    at = source + tl.program_id(0) * stride
    lanes = tl.arange(0, BLOCK)
    sums = tl.zeros([BLOCK], tl.float32)
    for begin in range(0, count, BLOCK):
        sums += tl.load(at + begin + lanes, mask=lanes + begin < count, other=0.0)
    mean = tl.sum(sums, 0) / count
    for begin in range(0, count, BLOCK):
        inside = lanes < count - begin
        value = tl.load(at + (begin + lanes), inside)
        tl.store(target + tl.program_id(0) * stride + begin + lanes, value - mean, inside)"""


def test_a_kernel_that_no_lowering_wrote_runs_backwards_and_is_aligned():
    before = written_by_hand(COUNTED, 1023, 64)
    after = ReverseLoops().run(before, H200)
    assert after is not before and after.kernels[0].source.count("for ") == 2
    assert_right(after)
    for module in (before, after):
        aligned = AlignRows().run(module, H200)
        assert aligned.kernels[0].source.count("for ") == 4
        assert_right(aligned)


def test_loops_inside_a_loop_over_rows_are_reversed_aligned_and_written_out():
    head, body = COUNTED.split("BLOCK: tl.constexpr):\n")
    body = body.replace("tl.program_id(0)", "row").replace("\n", "\n    ")
    shared = f"{head}BLOCK: tl.constexpr):\n    for row in range(tl.program_id(0), 5, tl.num_programs(0)):\n    {body}"
    before = written_by_hand(shared, 1023, 64)
    assert before.launcher is not None
    launcher = replace(before.launcher, source=before.launcher.source.replace("(5,)", "(2,)"))
    before = replace(before, launcher=launcher)
    assert_right(before)
    for made, count in ((ReverseLoops(), 3), (AlignRows(), 5), (PersistentRows(), 1)):
        after = made.run(before, H200)
        assert loops(after) == [count]
        assert_right(after)


def test_a_row_is_kept_once_whatever_its_loads_give_beyond_its_end():
    text = COUNTED.replace(
        "value = tl.load(at + (begin + lanes), inside)", "value = tl.load(at + begin + lanes, inside, {})"
    )
    for fill in ("other=7.0", "other=0.0"):
        after = PersistentRows().run(written_by_hand(text.format(fill), 300, 64), H200)
        (function,) = kernel_functions(after).values()
        kinds = [one.kind for one in function.walk()]
        assert (kinds.count("load"), kinds.count("where")) == (1, 0)  # stores leave out what lies beyond the end
        assert_right(after)
    load = "tl.load(at + begin + lanes, mask=lanes + begin < count, other=-9.0)"
    seen = COUNTED.replace("other=0.0)", f"other=0.0)\n        most = tl.maximum(most, tl.max({load}, 0))")
    seen = seen.replace("sums = ", "most = 0.0\n    sums = ").replace("value - mean", "value - mean + 0 * most")
    after = PersistentRows().run(written_by_hand(seen, 300, 64), H200)
    (function,) = kernel_functions(after).values()
    kinds = [one.kind for one in function.walk()]
    assert (kinds.count("load"), kinds.count("where")) == (1, 1)
    assert_right(after)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("value - mean", "tl.where(begin == 0, value, value - mean)"),
        ("value - mean", "value - mean + begin"),
        ("value - mean", "tl.cumsum(value) - mean"),
        ("value = tl.load(at + (begin + lanes), inside)", "value = tl.load(target + lanes + begin, inside)"),
    ],
    ids=["first round", "counter", "scan", "stored elsewhere"],
)
def test_a_loop_whose_rounds_are_told_apart_stays(old, new):
    assert old in COUNTED
    module = written_by_hand(COUNTED.replace(old, new), 1023, 64)
    assert ReverseLoops().run(module, H200) is module
    assert AlignRows().run(module, H200) is module


UNSPLIT = {"persistent": False, "split": False}
#: Forward and shapes of reductions with few rows.
LONG = {
    "sum": ("a.sum(1)", [(3, 20000)]),
    "mean of what is computed": ("torch.relu(a * b).mean(1) + 1", [(2, 9001), (2, 9001)]),
    "maximum": ("a.amax(1) * 2", [(4, 8192)]),
    "two results": ("(a.sum(1), a.amin(1))", [(5, 16383)]),
    "all of it": ("(a * a).sum().sqrt()", [(7, 3001)]),
    "variance": ("torch.var(a, 1)", [(3, 20000)]),
    "over channels": ("a.mean((0, 2, 3))", [(9, 3, 40, 41)]),
}


@pytest.mark.parametrize("case", LONG.values(), ids=LONG)
def test_long_rows_are_split(case):
    forward, shapes = case
    before = lowered(forward, shapes, **UNSPLIT)
    after = SplitRows().run(before, H200)
    assert len(trace_launches(after)) > len(trace_launches(before))
    assert max(launch.grid[1] for launch in trace_launches(after)) > 1
    assert SplitRows().run(after, H200) is after
    assert_right(after)


def test_short_rows_and_many_rows_stay():
    for shape in ((3, 8000), (3000, 9000)):
        before = lowered("a.sum(1)", [shape], **UNSPLIT)
        assert SplitRows().run(before, H200) is before
    before = lowered("a.argmax(1)", [(2, 20000)], **UNSPLIT)
    assert SplitRows().run(before, H200) is before
    with pytest.raises(UserError, match="programs=1"):
        SplitRows(programs=1)


TOTAL = """@triton.jit
def total(source, target, ROWS: tl.constexpr, STEP: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    alive = row < 3
    partial = tl.zeros([ROWS, STEP], tl.float32)
    for begin in range(0, 9001, STEP):
        at = begin + tl.arange(0, STEP)[None, :]
        partial += tl.load(source + 9001 * row + at, mask=alive & (9001 > at), other=0.0)
    tl.store(target + row, tl.sum(partial, 1, keep_dims=True) * 2, alive)
"""


def totals(source: str, length: int = 9001) -> KernelModule:
    """A program that sums rows, by a kernel that no lowering wrote."""
    made = lowered("a.sum(1) * 2", [(3, length)])
    assert made.launcher is not None
    text = f"""def forward(a: "f32[3, {length}]"):
    out = torch.empty_strided((3,), (1,), device=a.device, dtype=torch.float32)
    total[(triton.cdiv(3, total_meta["ROWS"]),)](a, out, **total_meta)
    return out"""
    kernel = Kernel("total", source, (("ROWS", 2), ("STEP", 1024), ("num_warps", 4)), ("aten.sum", "aten.mul"))
    return replace(made, kernels=(kernel,), launcher=replace(made.launcher, source=text))


def test_rows_of_a_kernel_that_no_lowering_wrote_are_split():
    after = SplitRows().run(totals(TOTAL), H200)
    assert [launch.grid for launch in trace_launches(after)] == [(2, 2, 1), (1, 1, 1)]
    assert_right(after)


@pytest.mark.parametrize("forward", ["a.amax(1)", "a.sum(1)", "a.var(1)"])
def test_rows_that_blocks_fill_are_split_without_a_mask(forward):
    before = lowered(forward, [(2, 16384)], **UNSPLIT)
    after = SplitRows().run(before, H200)
    assert max(launch.grid[1] for launch in trace_launches(after)) == 4
    assert_right(after)


def test_parts_fit_every_step_that_a_loop_without_a_mask_may_get():
    source = TOTAL.replace(" & (9001 > at)", "")
    after = SplitRows().run(totals(source.replace("9001", "16384"), 16384), H200)
    assert max(launch.grid[1] for launch in trace_launches(after)) == 2
    assert_right(after)
    before = totals(source.replace("9001", "12288"), 12288)  # a step may become 8192
    assert SplitRows().run(before, H200) is before


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("other=0.0", "other=1.0", "does not say where rows end"),
        (" & (9001 > at)", " & (9000 > at)", "does not say where rows end"),
        ("* 2", "* 2 + tl.program_id(0)", "more than which row"),
        ("* 2", "* 2 + tl.program_id(1)", "second axis"),
        ("* 2", "* 2 + ROWS", "rows of a program"),
        ("* 2", "* 2 + tl.sum(tl.arange(0, STEP))", "after its loop"),
        ("    partial = ", "    tl.store(target + row, 1.0, alive)\n    partial = ", "before its loop"),
        ("9001 * row + at", "9001 * (row // ROWS) + at", "rows of a program"),
    ],
)
def test_rows_that_parts_do_not_make_up_stay(old, new, reason):
    assert TOTAL.count(old) == 1
    before, reasons = totals(TOTAL.replace(old, new)), []
    assert SplitRows().run(before, Context(target="h200", declined=reasons.append)) is before
    assert [why for why in reasons if reason in why.reason and why.kernel == "total"]


def loops(module: KernelModule) -> list[int]:
    """How many loops each kernel has."""
    return [sum(one.kind == "for" for one in function.walk()) for function in kernel_functions(module).values()]


def backwards(module: KernelModule) -> list[int]:
    """How many of the loops of each kernel run backwards over a row."""
    read = [RowLoops.of(function, None) for function in kernel_functions(module).values()]
    positions = [RowPositions.of(rows, None) if isinstance(rows, RowLoops) else None for rows in read]
    return [sum(map(one.runs_backwards, one.rows.loops)) if one is not None else 0 for one in positions]


@pytest.mark.parametrize("case", ROWS.values(), ids=ROWS)
def test_second_loops_run_backwards(case):
    forward, shapes, init, _, _ = case
    before = lowered(forward, shapes, init, **LOOPED)
    after = ReverseLoops().run(before, H200)
    assert backwards(after) == [count // 2 for count in loops(before)]
    assert ReverseLoops().run(after, H200) is after
    assert_right(after)


@pytest.mark.parametrize("forward", ["a.sum(1)", "torch.cumsum(a, 1)", "a + 1"])
def test_single_loops_run_forwards(forward):
    before = lowered(forward, [(6, 300)], **LOOPED)
    assert ReverseLoops().run(before, H200) is before
