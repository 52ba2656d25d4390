"""Kernels that people write, one for each step: made one where the second works on what the first has."""

from dataclasses import replace

import pytest
from programs import assert_right

from kernelwright.backend.launch.facts import launch_facts
from kernelwright.backend.launch.host_trace import trace_host
from kernelwright.backend.launch.straight import straightened
from kernelwright.frontend.importers import import_source
from kernelwright.ir.kernel.merging.reading import UnfitError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule
from kernelwright.ir.verifier import launched
from kernelwright.midend.analysis.hand_overs import hand_overs
from kernelwright.midend.fusion.fuse_epilogue import FuseEpilogue, fused

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
REFERENCE = (
    HEAD
    + """
class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, y):
        return FORWARD

def get_inputs():
    return [torch.randn(ROWS, COLS), torch.randn(SECOND)]
"""
)
KERNELS = {
    "rms_rows": """
@triton.jit
def rms_rows(X, W, Y, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    scale = 1 / tl.sqrt(tl.sum(x * x, axis=0) / N + eps)
    w = tl.load(W + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, (x * scale * w).to(Y.dtype.element_ty), mask=cols < N)
""",
    "mean_rows": """
@triton.jit
def mean_rows(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + at, mask=at < N, other=0.0)
    mean = tl.sum(total, axis=0) / N
    for start in range(0, N, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + at, mask=at < N, other=0.0)
        tl.store(Y + row * N + at, x - mean, mask=at < N)
""",
    "matmul": """
@triton.jit
def matmul(A, B, C, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    width = tl.cdiv(N, BN)
    m = (tl.program_id(0) // width) * BM + tl.arange(0, BM)
    n = (tl.program_id(0) % width) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        at = start + k
        a = tl.load(A + m[:, None] * sa + at[None, :], mask=(m[:, None] < M) & (at[None, :] < K), other=0.0)
        b = tl.load(B + at[:, None] * sb + n[None, :], mask=(at[:, None] < K) & (n[None, :] < N), other=0.0)
        acc += tl.dot(a, b, input_precision="ieee")
    tl.store(C + sc * m[:, None] + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))
""",
    "gelu_flat": """
@triton.jit
def gelu_flat(src, dst, n, SIZE: tl.constexpr):
    i = tl.program_id(axis=0) * SIZE + tl.arange(0, SIZE)
    inside = i < n
    v = tl.load(src + i, mask=inside)
    tl.store(dst + i, 0.5 * v * (1.0 + tl.erf(v * 0.7071067811865476)), mask=inside)
""",
    "add_flat": """
@triton.jit
def add_flat(a, b, out, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    tl.store(out + i, tl.load(a + i, mask=i < n) + tl.load(b + i, mask=i < n), mask=i < n)
""",
    "scale_rows": """
@triton.jit
def scale_rows(x, s, out, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        value = tl.load(x + row * cols + c, mask=c < cols)
        tl.store(out + row * cols + c, value * tl.load(s + c, mask=c < cols), mask=c < cols)
""",
    "bias_relu": """
@triton.jit
def bias_relu(x, b, out, n, cols, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    value = tl.load(x + i, mask=i < n) + tl.load(b + i % cols, mask=i < n)
    tl.store(out + i, tl.where(value > 0, value, 0.0), mask=i < n)
""",
    "softmax_rows": """
@triton.jit
def softmax_rows(src, dst, stride, n, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(src + r * stride + c, mask=c < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(dst + r * stride + c, e / tl.sum(e, axis=0), mask=c < n)
""",
    "softmax_loops": """
@triton.jit
def softmax_loops(src, dst, n, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    most = tl.full([BLOCK], -float("inf"), tl.float32)
    for start in range(0, n, BLOCK):
        c = start + tl.arange(0, BLOCK)
        v = tl.load(src + r * n + c, mask=c < n, other=-float("inf"))
        most = tl.maximum(most, v)
    top = tl.max(most, axis=0)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        c = start + tl.arange(0, BLOCK)
        v = tl.load(src + r * n + c, mask=c < n, other=-float("inf"))
        total += tl.exp(v - top)
    whole = tl.sum(total, axis=0)
    for start in range(0, n, BLOCK):
        c = start + tl.arange(0, BLOCK)
        v = tl.load(src + r * n + c, mask=c < n, other=-float("inf"))
        tl.store(dst + r * n + c, tl.exp(v - top) / whole, mask=c < n)
""",
    "turn_rows": """
@triton.jit
def turn_rows(src, dst, n, cols, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    at = (i // cols) * cols + (cols - 1 - i % cols)
    tl.store(dst + i, tl.load(src + at, mask=i < n), mask=i < n)
""",
    "transposed": """
@triton.jit
def transposed(src, dst, M, N, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    inside = (i[:, None] < M) & (j[None, :] < N)
    t = tl.load(src + i[:, None] * N + j[None, :], mask=inside)
    tl.store(dst + j[None, :] * M + i[:, None], t * 2.0, mask=inside)
""",
    "first_half": """
@triton.jit
def first_half(src, dst, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    value = tl.load(src + i, mask=i < n // 2, other=1.0)
    tl.store(dst + i, value, mask=i < n)
""",
    "shifted": """
@triton.jit
def shifted(src, dst, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    value = tl.load(src + i, mask=i < n) + tl.load(src + (i + 1) % n, mask=i < n)
    tl.store(dst + i, value, mask=i < n)
""",
}

LAUNCHES = {
    "rms": "rms_rows[(rows,)](x, y, {to}, x.stride(0), cols, 1e-6, BLOCK=triton.next_power_of_2(cols))",
    "mean": "mean_rows[(rows,)](x, {to}, cols, BLOCK=16)",
    "matmul": "matmul[lambda META: (triton.cdiv(rows, META['BM']) * triton.cdiv(y.shape[1], META['BN']),)]"
    "(x, y, {to}, rows, y.shape[1], cols, x.stride(0), y.stride(0), {to}.stride(0), BM=16, BN=16, BK=16)",
    "gelu": "gelu_flat[(triton.cdiv({to}.numel(), 128),)]({of}, {to}, {to}.numel(), SIZE=128)",
    "residual": "add_flat[(triton.cdiv({to}.numel(), 64),)](x, {of}, {to}, {to}.numel(), SIZE=64)",
    "scale": "scale_rows[(rows,)]({of}, y, {to}, cols, BLOCK=8)",
    "bias": "bias_relu[lambda m: (triton.cdiv({to}.numel(), m['SIZE']),)]"
    "({of}, y, {to}, {to}.numel(), {to}.shape[1], SIZE=64)",
    "softmax": "softmax_rows[(rows,)]({of}, {to}, cols, cols, BLOCK=triton.next_power_of_2(cols))",
    "loops": "softmax_loops[(rows,)]({of}, {to}, cols, BLOCK={block})",
    "turn": "turn_rows[(triton.cdiv({to}.numel(), 64),)]({of}, {to}, {to}.numel(), cols, SIZE=64)",
    "transpose": "transposed[(triton.cdiv(rows, 16), triton.cdiv(cols, 16))]({of}, {to}, rows, cols, B=16)",
    "half": "first_half[(triton.cdiv({to}.numel(), 64),)]({of}, {to}, {to}.numel(), SIZE=64)",
    "shift": "shifted[(triton.cdiv({to}.numel(), 64),)]({of}, {to}, {to}.numel(), SIZE=64)",
}

RMS = "x / torch.sqrt((x * x).mean(1, keepdim=True) + 1e-6) * y"
MEAN = "(x - x.mean(1, keepdim=True))"


def written(
    steps: str,
    forward: str,
    second: str,
    cols: int = 30,
    out: str = "(rows, cols)",
    block: int = 8,
    between: str = "x.dtype",
) -> KernelModule:
    """A module that launches these steps one after the other; what is between them has its own tensor, of that type."""
    names = steps.split()
    lines, of = [], ""
    for number, step in enumerate(names):
        shape = out if number + 1 == len(names) or step == "matmul" else "(rows, cols)"
        shape = "(rows, y.shape[1])" if "matmul" in names else shape
        dtype = "x.dtype" if number + 1 == len(names) else between
        lines.append(f"t{number} = torch.empty({shape}, device=x.device, dtype={dtype})")
        lines.append(LAUNCHES[step].format(of=of, to=f"t{number}", block=block))
        of = f"t{number}"
    used = [text for name, text in KERNELS.items() if any(f"{name}[" in line for line in lines)]
    body = "\n        ".join(["rows, cols = x.shape", *lines, f"return {of}"])
    text = f"""{HEAD}import triton
import triton.language as tl
{"".join(used)}

class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, y):
        {body}
"""
    reference = REFERENCE.replace("FORWARD", forward).replace("ROWS", "12").replace("COLS", str(cols))
    reference = reference.replace("SECOND", second)
    return parse_module(text, reference=import_source(reference, "written", shrink="never").reference)


FUSED = {
    "norm, gelu": ("rms gelu", f"F.gelu({RMS})", "30"),
    "norm, residual, gelu": ("rms residual gelu", f"F.gelu({RMS} + x)", "30"),
    "norm in loops, scale in loops": ("mean scale", f"{MEAN} * y", "30"),
    "norm in loops, gelu, bias": ("mean gelu bias", f"torch.relu(F.gelu({MEAN}) + y)", "30"),
    "norm, softmax": ("rms softmax", f"torch.softmax({RMS}, 1)", "30"),
    "norm, softmax, scale": ("rms softmax scale", f"torch.softmax({RMS}, 1) * y", "30"),
    "norm, softmax in loops": ("rms loops", f"torch.softmax({RMS}, 1)", "30"),
    "norm, turned, softmax": ("rms turn softmax", f"torch.softmax(({RMS}).flip(1), 1)", "30"),
    "matmul, gelu": ("matmul gelu", "F.gelu(x @ y)", "30, 20"),
    "norm, turned": ("mean turn", f"{MEAN}.flip(1)", "30"),
}


@pytest.mark.parametrize("case", FUSED.values(), ids=FUSED)
def test_steps_in_kernels_of_their_own_become_one(case):
    steps, forward, second = case
    before = written(steps, forward, second)
    assert_right(before)
    after = FuseEpilogue().run(before, Context(target="h200"))
    assert len(launched(after)) == 1
    assert "empty_strided" in after.launcher.source and after.launcher.source.count("empty_strided") == 1
    assert_right(after)


@pytest.mark.parametrize("dtype", ["torch.int32", "torch.int8"])
def test_integers_between_two_kernels_are_cut_off_as_if_they_were_stored(dtype):
    before = written("rms bias", f"torch.relu(({RMS}).to({dtype}) + y)", "30", between=dtype)
    after = FuseEpilogue().run(before, Context(target="h200"))
    assert len(launched(after)) == 1
    assert_right(before)
    assert_right(after)


def test_rows_that_fill_their_block_need_no_neutral_element():
    before = written("rms softmax", f"torch.softmax({RMS}, 1)", "32", cols=32)
    after = FuseEpilogue().run(before, Context(target="h200"))
    assert len(launched(after)) == 1
    assert_right(after)


def test_loops_whose_blocks_fill_rows_are_not_trusted_beyond_their_end():
    before = written("rms loops", f"torch.softmax({RMS}, 1)", "24", cols=24)
    assert FuseEpilogue().run(before, Context(target="h200")) is before


def test_a_layout_that_changes_is_written_by_the_first():
    before = written("mean transpose", f"({MEAN} * 2).T.contiguous()", "30", out="(cols, rows)")
    after = FuseEpilogue().run(before, Context(target="h200"))
    assert len(launched(after)) == 1
    assert_right(after)


STAY = {
    "half of it is read": ("mean half", f"{MEAN}.clone()", "not every element is read once"),
    "neighbours are read": ("mean shift", f"{MEAN}.clone()", "not read at one index"),
    "rows in a loop are reduced": ("mean softmax", f"torch.softmax({MEAN}, 1)", "no whole rows"),
}


@pytest.mark.parametrize("case", STAY.values(), ids=STAY)
def test_what_is_no_such_step_stays_and_the_reason_is_told(case):
    steps, forward, reason = case
    before = straightened(written(steps, forward, "30"))
    (pair,) = hand_overs(before, trace_host(before))
    assert set(launch_facts(before)) == {pair.first.kernel.symbol, pair.second.kernel.symbol}
    with pytest.raises(UnfitError, match=reason):
        fused(pair)
    assert FuseEpilogue().run(before, Context(target="h200")) is before


@pytest.mark.parametrize("other", ["x", "x.view(12, 30)"])
def test_what_is_touched_under_another_name_between_two_kernels_keeps_them_apart(other):
    straight = straightened(written("mean gelu", f"F.gelu({MEAN})", "30"))
    lines = straight.launcher.source.split("\n")
    for between, apart in {"aten.neg.out(again, out=again)": True, "del again": False}.items():
        source = "\n".join([lines[0], f"    again = {other}", *lines[1:3], f"    {between}", *lines[3:]])
        module = replace(straight, launcher=replace(straight.launcher, source=source))
        said = []
        pairs = list(hand_overs(module, trace_host(module), said.append))
        assert bool(pairs) != apart, between
        assert not apart or "touches tensors that the first kernel uses" in said[0].reason
