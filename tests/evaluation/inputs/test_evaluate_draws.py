"""What candidates are checked on besides the inputs as given: each kind finds what is wrong by it alone."""

from dataclasses import replace

import pytest
import torch
from broken_kernels import program as reference
from siblings import Sibling, tell_apart

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.evaluation.inputs.drawing import Drawing
from kernelwright.evaluation.inputs.draws import (
    FAR_OUT,
    KINDS,
    MIXTURES,
    Draw,
    apply_kind,
)
from kernelwright.evaluation.inputs.kinds.lines import COLUMN_KINDS, ORDERS, ROWS
from kernelwright.evaluation.inputs.kinds.spikes import SPIKE, SPIKES
from kernelwright.evaluation.inputs.patchwork.rows import LEAST, PATCHES, SHAPES
from kernelwright.evaluation.inputs.patterns import DEGENERATE, PATTERNS
from kernelwright.evaluation.inputs.traits import NO_TRAIT, Trait, find_traits, integers, kept
from kernelwright.evaluation.inputs.weights import FREE, perturb
from kernelwright.evaluation.judge.local import LocalEvaluator

RUNGS = (Rung.PARSE, Rung.INTERPRET)
BOTH = "return [torch.randn(16, 32), {}]"
INTS = "return [torch.randint(0, 1000, (8, 32)), torch.randint(1, 9, (8, 32))]"

WHOLE = [
    Sibling("a mask of ones", "return x.masked_fill(~m, 0.0)", BOTH.format("torch.ones(16, 32, dtype=torch.bool)"),
            "y = tl.where(m, x, 0.0)", "y = x", ("x", "m")),
    Sibling("a mask of zeros", "return torch.where(m, x * 2, x)", BOTH.format("torch.zeros(16, 32, dtype=torch.bool)"),
            "y = tl.where(m, x * 2, x)", "y = x", ("x", "m")),
    Sibling("a lower triangle", "return x.masked_fill(~m, -1e4)", BOTH.format("torch.ones(16, 32).tril() > 0"),
            "y = tl.where(m, x, -1e4)", "y = tl.where(i <= row, x, -1e4)", ("x", "m")),
    Sibling("an integer mask of ones", "return x * m", BOTH.format("torch.ones(16, 32, dtype=torch.long)"),
            "y = x * m.to(tl.float32)", "y = x", ("x", "m")),
    Sibling("kinds that are all 0", "return x + self.t[m][:, None]", BOTH.format("torch.zeros(16, dtype=torch.long)"),
            "y = x + tl.load(t_ptr + tl.where(m < 0, m + 32, m))", "y = x + tl.load(t_ptr)",
            row=("m",), held=("t",), init="self.t = nn.Parameter(torch.randn(32))"),
    Sibling("positions in order", "return x * p[:, None]", BOTH.format("torch.arange(16)"),
            "y = x * p.to(tl.float32)", "y = x * row.to(tl.float32)", row=("p",)),
    Sibling("a label to be left out", "return F.cross_entropy(x, t, reduction='none')",
            BOTH.format("torch.randint(0, 32, (16,))"),
            "m = tl.max(tl.where(inside, x, -1e30), axis=0)\ne = tl.sum(tl.where(inside, tl.exp(x - m), 0.0), axis=0)\n"
            "y = tl.where(t == -100, 0.0, m + tl.log(e) - tl.sum(tl.where(i == t, x, 0.0), axis=0))",
            "m = tl.max(tl.where(inside, x, -1e30), axis=0)\ne = tl.sum(tl.where(inside, tl.exp(x - m), 0.0), axis=0)\n"
            "y = m + tl.log(e) - tl.sum(tl.where(i == t, x, 0.0), axis=0)",
            row=("t",), out="torch.empty(x.shape[0], device=x.device)", scalar=True),
    Sibling("beyond 32 bits", "return x * b + 1", INTS, "y = x * b + 1",
            "y = (x.to(tl.int32) * b.to(tl.int32) + 1).to(tl.int64)", ("x", "b")),
    Sibling("division of negatives", "return torch.div(x, b, rounding_mode='floor')", INTS,
            "q = x // b\ny = tl.where((x - q * b != 0) & ((x < 0) != (b < 0)), q - 1, q)", "y = x // b", ("x", "b")),
    Sibling("a remainder of negatives", "return x % b", INTS,
            "r = x % b\ny = tl.where((r != 0) & ((r < 0) != (b < 0)), r + b, r)", "y = x % b", ("x", "b")),
    Sibling("bytes above 127", "return x.float() * 2",
            "return [torch.randint(0, 100, (8, 32), dtype=torch.uint8)]", "y = x.to(tl.float32) * 2",
            "y = x.to(tl.int8).to(tl.float32) * 2", out="torch.empty(x.shape, device=x.device)"),
    Sibling("an order that labels happen to have", "return x * (p < 8)[:, None]", BOTH.format("torch.arange(16)"),
            "y = tl.where(p < 8, x, 0.0)", "y = tl.where(row < 8, x, 0.0)", row=("p",)),
]  # fmt: skip

_SUMS = "torch.empty(x.shape[0], device=x.device)"
X = "return [torch.randn(16, 32)]"
FLOATS = [
    Sibling("isnan", "return torch.isnan(x)", X, "y = x != x", "y = x > 1e30",
            out="torch.empty(x.shape, dtype=torch.bool, device=x.device)"),
    Sibling("nansum", "return torch.nansum(x, 1)", X, "y = tl.sum(tl.where(inside & (x == x), x, 0.0), axis=0)",
            "y = tl.sum(tl.where(inside, x, 0.0), axis=0)", out=_SUMS, scalar=True),
    Sibling("nan_to_num", "return torch.nan_to_num(x, 0.5)", X,
            "y = tl.where(x == x, tl.minimum(tl.maximum(x, -3.4028234663852886e38), 3.4028234663852886e38), 0.5)",
            "y = x"),
    Sibling("NaN replaced", "return torch.where(torch.isnan(x), torch.zeros_like(x), x)", X,
            "y = tl.where(x == x, x, 0.0)", "y = x"),
    Sibling("a threshold far away", "return torch.where(x.abs() > 1e4, torch.zeros_like(x), x)", X,
            "y = tl.where(tl.abs(x) > 1e4, 0.0, x)", "y = x"),
    Sibling("a number that stands for none", "return torch.where(x == -100.0, torch.zeros_like(x), x)", X,
            "y = tl.where(x == -100.0, 0.0, x)", "y = x"),
    Sibling("a threshold that is meant to be in", "return (x >= 0.75).float()", X, "y = (x >= 0.75).to(tl.float32)",
            "y = (x > 0.75).to(tl.float32)"),
    Sibling("clamping at a large number", "return x.clamp(-5e3, 5e3)", X,
            "y = tl.minimum(tl.maximum(x, -5e3), 5e3)", "y = x"),
    Sibling("a constant row and a tiny epsilon", "return F.layer_norm(x, (32,), eps=1e-12)", X,
            "m = tl.sum(x, axis=0) / N\nd = x - m\ny = d / tl.sqrt(tl.sum(d * d, axis=0) / N + 1e-12)",
            "m = tl.sum(x, axis=0) / N\nd = x - m\ny = d / tl.sqrt(tl.sum(d * d, axis=0) / N)"),
    Sibling("a row of zeros", "return F.normalize(x, dim=1)", X,
            "y = x / tl.maximum(tl.sqrt(tl.sum(x * x, axis=0)), 1e-12)", "y = x / tl.sqrt(tl.sum(x * x, axis=0))"),
    Sibling("an empty mask", "m = m.float()\nreturn (x * m).sum(1) / m.sum(1).clamp(min=1.0)",
            BOTH.format("torch.rand(16, 32) > 0.5"),
            "w = m.to(tl.float32)\ny = tl.sum(x * w, axis=0) / tl.maximum(tl.sum(w, axis=0), 1.0)",
            "w = m.to(tl.float32)\ny = tl.sum(x * w, axis=0) / tl.sum(w, axis=0)", ("x", "m"), out=_SUMS, scalar=True),
    Sibling("a very negative row", "return (30.0 * torch.tanh(x / 30.0)).logsumexp(1)",
            "return [torch.randn(8, 33)]",
            "t = tl.exp(-2.0 * tl.abs(x) / 30.0)\nz = 30.0 * tl.where(x < 0, t - 1.0, 1.0 - t) / (1.0 + t)\n"
            "z = tl.where(inside, z, float('-inf'))\nm = tl.max(z, axis=0)\n"
            "y = m + tl.log(tl.sum(tl.exp(z - m), axis=0))",
            "t = tl.exp(-2.0 * tl.abs(x) / 30.0)\nz = 30.0 * tl.where(x < 0, t - 1.0, 1.0 - t) / (1.0 + t)\n"
            "z = tl.where(inside, z, -30.0)\nm = tl.max(z, axis=0)\ny = m + tl.log(tl.sum(tl.exp(z - m), axis=0))",
            out=_SUMS, scalar=True),
]  # fmt: skip

_TINY = "self.g = nn.Parameter(1e-6 * torch.ones(32))"
STATE = [
    Sibling("a branch that starts tiny", "return x + self.g * torch.tanh(x * x)", X,
            "t = tl.exp(-2.0 * x * x)\ny = x + g * (1.0 - t) / (1.0 + t)", "y = x + 0.0 * g", held=("g",), init=_TINY),
    Sibling("a gain that starts tiny", "return x + self.g * x.abs()", X, "y = x + g * tl.abs(x)", "y = x + 0.0 * g",
            held=("g",), init=_TINY),
    Sibling("a random branch that starts tiny", "return x + self.g", X, "y = x + g", "y = x + 0.0 * g", held=("g",),
            init="self.g = nn.Parameter(1e-7 * torch.randn(32))"),
    Sibling("a table computed anew", "return x * self.f", X, "y = x * f",
            "y = x * tl.exp2(-i.to(tl.float32) / 32) + 0.0 * f", held=("f",),
            init="self.register_buffer('f', 2.0 ** (-torch.arange(32) / 32))"),
    Sibling("a mask that is saved with the model", "return x * self.f", X, "y = x * f",
            "y = tl.where(i % 2 == 0, x, 0.0) + 0.0 * f", held=("f",),
            init="self.register_buffer('f', (torch.arange(32) % 2 == 0).float())"),
    Sibling("a table of numbers in order", "return x * self.f", X, "y = x * f.to(tl.float32)",
            "y = x * i.to(tl.float32) + 0.0 * f", held=("f",), init="self.register_buffer('f', torch.arange(32))"),
    Sibling("a running mean", "return x - self.f", X, "y = x - f", "y = x + 0.0 * f", held=("f",),
            init="self.register_buffer('f', torch.zeros(32))"),
    Sibling("a running variance", "return x / torch.sqrt(self.f + 1e-5)", X, "y = x / tl.sqrt(f + 1e-5)",
            "y = x + 0.0 * f", held=("f",), init="self.register_buffer('f', torch.ones(32))"),
    Sibling("a ramp", "return x * self.f", X, "y = x * f", "y = x * i.to(tl.float32) / 16 + 0.0 * f", held=("f",),
            init="self.register_buffer('f', torch.arange(32) / 16)"),
]  # fmt: skip

_G = "self.g = nn.Parameter({})"
#: What is wrong shows where parameters have other signs and sizes than those that they start with.
FREELY = [
    Sibling("a gain below zero", "return x * self.g.abs()", X, "y = x * tl.abs(g)", "y = x * g", held=("g",),
            init=_G.format("torch.ones(32)")),
    Sibling("a slope above one", "return torch.where(x > 0, x, self.g * x)", X, "y = tl.where(x > 0, x, g * x)",
            "y = tl.maximum(x, g * x)", held=("g",), init=_G.format("torch.full((32,), 0.25)")),
    Sibling("a bound that is not reached", "return x * self.g.clamp(-6, 6)", X,
            "y = x * tl.minimum(tl.maximum(g, -6.0), 6.0)", "y = x * g", held=("g",), init=_G.format("torch.ones(32)")),
    Sibling("a maximum that a gain passes through", "return (x * self.g).amax(1)", X,
            "y = tl.max(tl.where(inside, x * g, float('-inf')), axis=0)",
            "y = tl.max(tl.where(inside, x * tl.abs(g), float('-inf')), axis=0)", held=("g",), out=_SUMS, scalar=True,
            init=_G.format("torch.ones(32)")),
    Sibling("a diagonal", "return x @ self.g", X,
            "j = tl.arange(0, 32)\nw = tl.load(g_ptr + i[:, None] * N + j[None, :])\n"
            "y = tl.sum(w * x[:, None], axis=0) + 0.0 * g", "y = x * tl.load(g_ptr + i * N + i) + 0.0 * g",
            held=("g",), init=_G.format("torch.eye(32)")),
    Sibling("a table that is positive", "return x * torch.sqrt(self.g * self.g)", X, "y = x * tl.abs(g)", "y = x * g",
            held=("g",), init=_G.format("torch.rand(32) + 0.5")),
    Sibling("a temperature that stays positive", "return x / torch.sqrt(self.g)", X, "y = x / tl.sqrt_rn(g)",
            "y = x / (0.5 + 0.5 * g)", held=("g",), init=_G.format("torch.ones(32)")),
    Sibling("a bound that the gold does not have", "return torch.where(x >= 0.1, x + 10, x)",
            "return [torch.rand(16, 32)]", "y = tl.where(x >= 0.1, x + 10, x)", "y = tl.where(x > 0.1, x + 10, x)"),
    Sibling("a number that the gold does not have", "return torch.where(x == 0.3, x * 5, x)",
            "return [torch.rand(16, 32)]", "y = tl.where(x == 0.3, x * 5, x)", "y = x"),
]  # fmt: skip

#: Right programs that count on what holds of inputs or buffers however they are drawn.
FAITHFUL = [
    Sibling("a table that is saved with no checkpoint", "return x * self.f", X,
            "y = x * tl.exp2(-i.to(tl.float32) / 32)",
            init="self.register_buffer('f', 2.0 ** (-torch.arange(32) / 32), persistent=False)"),
    Sibling("a triangle of the code", "return x.masked_fill(self.f == 0, -1e9)", "return [torch.randn(4, 32, 32)]",
            "y = tl.where(i <= row % N, x, -1e9)", init="self.register_buffer('f', torch.tril(torch.ones(32, 32)))"),
    Sibling("equal halves", "return x * m", BOTH.format("torch.randn(16, 16).repeat(1, 2)"),
            "y = x * tl.load(m_ptr + row * N + i % 16)", rows=("x", "m")),
    Sibling("a symmetric matrix", "return m.t() + x",
            "a = torch.randn(16, 16)\nreturn [torch.randn(16, 16), a + a.t()]",
            "y = m + x", rows=("x", "m")),
    Sibling("two values", "return torch.where(m == 1, x, 0.0)", BOTH.format("(torch.rand(16, 32) < 0.5).float()"),
            "y = tl.where(m > 0.5, x, 0.0)", rows=("x", "m")),
    Sibling("rows in order", "return m.cummax(1).values + x", BOTH.format("torch.randn(16, 32).sort(1).values"),
            "y = m + x", rows=("x", "m")),
    Sibling("rows that sum to one", "return x / m.sum(1, keepdim=True)", BOTH.format("torch.randn(16, 32).softmax(1)"),
            "y = x + 0.0 * m", rows=("x", "m")),
    Sibling("a permutation", "return x * (m.sum(1, keepdim=True) - 495)",
            BOTH.format("torch.rand(16, 32).argsort(1)"), "y = x + 0.0 * m", rows=("x", "m")),
    Sibling("labels that have a class", "return x.gather(1, m)", BOTH.format("torch.randint(0, 32, (16, 32))"),
            "y = tl.load(x_ptr + row * N + m)", rows=("x", "m")),
    Sibling("NaN as it comes", "return torch.relu(x)", X, "y = tl.maximum(x, 0.0)"),
    Sibling("what is only defined above zero", "return torch.log(x)", "return [torch.rand(16, 32) + 0.5]",
            "y = tl.log(x)"),
]  # fmt: skip


def tuned(*configs: str, key: str = "'N'") -> str:
    return f"@triton.autotune([{', '.join(f'triton.Config({one})' for one in configs)}], key=[{key}])\n"


_ROUNDS = (
    "s = 0.0\nfor j in range(0, N, BLOCK):\n    c = j + tl.arange(0, BLOCK)\n"
    "    s += tl.sum(tl.load(x_ptr + row * N + c, mask=c < N, other=0.0), axis=0)\ny = s"
)
_ONCE = "y = tl.sum(tl.where(inside, x, 0.0), axis=0)"


def summed(name: str, *configs: str, key: str = "'N'") -> Sibling:
    """Sums of rows of 32, right for every block and wrong where one is smaller than a row."""
    head = tuned(*configs, key=key)
    return Sibling(name, "return x.sum(1)", X, _ROUNDS, _ONCE, out=_SUMS, scalar=True, head=head)


#: What is wrong shows in one of the configurations, which need not be the first.
TUNED = [
    summed("the second block is too small", "{'BLOCK': 32}", "{'BLOCK': 16}"),
    summed("the third block is too small", "{'BLOCK': 64}", "{'BLOCK': 32}", "{'BLOCK': 8}"),
    summed("the fifth block is too small", *(f"{{'BLOCK': {size}}}" for size in (256, 128, 64, 32, 4))),
    summed("the first block is too small", "{'BLOCK': 16}", "{'BLOCK': 32}"),
    summed("two that differ in warps", "{'BLOCK': 32}, num_warps=2", "{'BLOCK': 32}, num_warps=4", "{'BLOCK': 16}"),
    summed("a key of two", "{'BLOCK': 32}", "{'BLOCK': 8}", key="'N', 'x_ptr'"),
    Sibling("elements that a block leaves out", "return x * 2", X,
            "for j in range(0, N, BLOCK):\n    c = j + i\n"
            "    tl.store(y_ptr + row * N + c, 2 * tl.load(x_ptr + row * N + c, mask=c < N), mask=c < N)\ny = 2 * x",
            "y = 2 * x", head=tuned("{'BLOCK': 32}", "{'BLOCK': 16}")),
    Sibling("a block that changes the value", "return x * 2", X, "y = x * 2", "y = x * (BLOCK / 32)",
            head=tuned("{'BLOCK': 64}", "{'BLOCK': 128}")),
]  # fmt: skip


IDS = "return [torch.randint(0, 100000, (16, 32))]"
IDS_TOO = "return [torch.randn(16, 32), torch.randint(0, 100000, (16, 32))]"
#: What is wrong shows at whole numbers that the reference names, which its inputs hardly ever are.
NAMED = [
    Sibling("a padding id", "return torch.where(x == 4711, 0, x)", IDS, "y = tl.where(x == 4711, 0, x)", "y = x"),
    Sibling("one that is ignored", "return (x != 31337).float()", IDS, "y = (x != 31337).to(tl.float32)", "y = 1.0",
            out="torch.empty(x.shape, device=x.device)"),
    Sibling("at least", "return (x >= 50021).float()", IDS, "y = (x >= 50021).to(tl.float32)",
            "y = (x > 50021).to(tl.float32)", out="torch.empty(x.shape, device=x.device)"),
    Sibling("below", "return torch.where(x < 777, x, 777)", IDS, "y = tl.where(x < 777, x, 777)",
            "y = tl.where(x == 777, 776, tl.where(x < 777, x, 777))"),
    Sibling("the number after", "return x - (x == 60000).long() * (x // 2)", IDS,
            "y = x - (x == 60000).to(tl.int64) * (x // 2)", "y = x - (x == 60001).to(tl.int64) * (x // 2)"),
    Sibling("two ids", "return torch.where((x == 101) | (x == 90210), -x, x)", IDS,
            "y = tl.where((x == 101) | (x == 90210), -x, x)", "y = tl.where(x == 101, -x, x)"),
    Sibling("ids beside numbers", "return torch.where(m == 4711, torch.zeros_like(x), x)", IDS_TOO,
            "y = tl.where(m == 4711, 0.0, x)", "y = x", ("x", "m")),
    Sibling("one that stands for the mean", "return torch.where(m == 50256, x.mean(1, keepdim=True), x)", IDS_TOO,
            "y = tl.where(m == 50256, tl.sum(tl.where(inside, x, 0.0), axis=0) / N, x)", "y = x", ("x", "m")),
]  # fmt: skip
_NORM = "s = tl.sum(tl.where(inside, x * x, 0.0), axis=0)\n"
#: What is wrong shows where all inputs are a millionth, or a million times, of what they are.
WHOLLY = [
    Sibling("an added eps in a norm", "return F.normalize(x)", X,
            _NORM + "y = x / tl.maximum(tl.sqrt_rn(s), 1e-12)", _NORM + "y = x / (tl.sqrt_rn(s) + 1e-9)"),
    Sibling("the eps of rms norm", "return x * torch.rsqrt(x.pow(2).mean(1, keepdim=True) + 1e-12)", X,
            _NORM + "y = x * tl.rsqrt(s / N + 1e-12)", _NORM + "y = x * tl.rsqrt(s / N + 3e-12)"),
    Sibling("a bound far out", "return torch.relu(x)", X, "y = tl.maximum(x, 0.0)",
            "y = tl.minimum(tl.maximum(x, 0.0), 1e5)"),
    Sibling("a dead zone", "return torch.sign(x)", X, "y = tl.where(x > 0, 1.0, tl.where(x < 0, -1.0, 0.0))",
            "y = tl.where(x > 1e-5, 1.0, tl.where(x < -1e-5, -1.0, 0.0))"),
    Sibling("a saturating quotient", "return x / (1 + x.abs())", X, "y = x / (1 + tl.abs(x))",
            "y = tl.where(tl.abs(x) > 1e5, 0.0, x / (1 + tl.abs(x)))"),
    Sibling("a log with eps", "return torch.log(x.abs() + 1e-8)", X, "y = tl.log(tl.abs(x) + 1e-8)",
            "y = tl.log(tl.maximum(tl.abs(x), 1e-6))"),
    Sibling("whole numbers by way of int32", "return torch.floor(x * 1e4)", "return [torch.rand(16, 32)]",
            "y = tl.floor(x * 1e4)", "y = (x * 1e4).to(tl.int32).to(tl.float32)\ny = tl.where(y > x * 1e4, y - 1, y)"),
    Sibling("a standard deviation", "return x / x.std(1, keepdim=True)", X,
            "m = tl.sum(tl.where(inside, x, 0.0), axis=0) / N\n"
            "d = tl.where(inside, x - m, 0.0)\ny = x / tl.sqrt_rn(tl.sum(d * d, axis=0) / (N - 1))",
            "m = tl.sum(tl.where(inside, x, 0.0), axis=0) / N\n"
            "d = tl.where(inside, x - m, 0.0)\ny = x / tl.sqrt_rn(tl.sum(d * d, axis=0) / (N - 1) + 1e-15)"),
]  # fmt: skip


_VAR = "m = tl.sum(tl.where(inside, x, 0.0), axis=0) / N\nd = tl.where(inside, x - m, 0.0)\n"
_TWO = "return [torch.rand(16, 32) + 0.5, torch.rand(16, 32)]"
#: What is wrong shows in rows of another order, far from zero, at values for which rounding and signs have rules,
#: at what builds a program, or where one input alone takes a kind.
OTHERWISE = [
    Sibling("a variance of squares", "return torch.var(x, 1, correction=0)", X, _VAR + "y = tl.sum(d * d, axis=0) / N",
            "m = tl.sum(tl.where(inside, x, 0.0), axis=0) / N\n"
            "y = tl.sum(tl.where(inside, x * x, 0.0), axis=0) / N - m * m", out=_SUMS, scalar=True),
    Sibling("a norm by a variance of squares", "return F.layer_norm(x, (32,))", X,
            _VAR + "y = d * tl.rsqrt(tl.sum(d * d, axis=0) / N + 1e-5)",
            _VAR + "v = tl.sum(tl.where(inside, x * x, 0.0), axis=0) / N - m * m\ny = d * tl.rsqrt(v + 1e-5)"),
    Sibling("rounding of halves", "return torch.round(x)", X,
            "f = tl.floor(x)\nr = x - f\no = f - 2 * tl.floor(f / 2)\n"
            "y = tl.where((r > 0.5) | ((r == 0.5) & (o == 1)), f + 1, f)", "y = tl.floor(x + 0.5)"),
    Sibling("the sign of zero", "return torch.where(torch.signbit(x), -1.0, 1.0)", X,
            "y = tl.where(x.to(tl.int32, bitcast=True) < 0, -1.0, 1.0)", "y = tl.where(x < 0, -1.0, 1.0)"),
    Sibling("the log of a number below the normal ones", "return torch.log(x.abs())", X, "y = tl.log(tl.abs(x))",
            "a = tl.abs(x)\ny = tl.log(tl.where(a < 2.0 ** -126, 0.0, a))"),
    Sibling("a number below the normal ones", "return (x > 0).float()", X, "y = tl.where(x > 0, 1.0, 0.0)",
            "y = tl.where(x > 1e-38, 1.0, 0.0)"),
    Sibling("steps between sorted neighbours", "return (x[:, 1:] >= x[:, :-1]).sum(1).float()", X,
            "p = tl.load(x_ptr + row * N + i - 1, mask=inside & (i > 0), other=float('inf'))\n"
            "y = tl.sum(tl.where(inside & (x >= p), 1.0, 0.0), axis=0)",
            "p = tl.load(x_ptr + row * N + i - 1, mask=inside & (i > 0), other=float('inf'))\n"
            "y = tl.minimum(tl.sum(tl.where(inside & (x >= p), 1.0, 0.0), axis=0), 28.0)", out=_SUMS, scalar=True),
    Sibling("equal neighbours", "return (x[:, 1:] == x[:, :-1]).sum(1).float()", X,
            "p = tl.load(x_ptr + row * N + i - 1, mask=inside & (i > 0), other=float('inf'))\n"
            "y = tl.sum(tl.where(inside & (x == p), 1.0, 0.0), axis=0)",
            "p = tl.load(x_ptr + row * N + i - 1, mask=inside & (i > 0), other=float('inf'))\n"
            "y = tl.minimum(tl.sum(tl.where(inside & (x == p), 1.0, 0.0), axis=0), 20.0)", out=_SUMS, scalar=True),
    Sibling("one class for all", "return (x[:, :, None] == x[:, None, :]).sum(2)",
            "return [torch.randint(0, 100, (16, 32))]",
            "j = tl.arange(0, 32)\nv = tl.load(x_ptr + row * N + j)\n"
            "y = tl.sum((v[None, :] == x[:, None]).to(tl.int64), axis=1)",
            "j = tl.arange(0, 32)\nv = tl.load(x_ptr + row * N + j)\n"
            "y = tl.minimum(tl.sum((v[None, :] == x[:, None]).to(tl.int64), axis=1), 12)"),
    Sibling("NaN told by itself", "return torch.where(x == x, x, 0.5)", X, "y = tl.where(x == x, x, 0.5)", "y = x"),
    Sibling("infinity told by name", "return torch.where(torch.isinf(x), 3.0, x)", X,
            "y = tl.where(tl.abs(x) == float('inf'), 3.0, x)", "y = x"),
    Sibling("a sign that another input lacks", "return torch.sqrt(x) * b.abs()", _TWO, "y = tl.sqrt_rn(x) * tl.abs(b)",
            "y = tl.sqrt_rn(x) * b", ("x", "b")),
    Sibling("a size that another input lacks", "return torch.log(x) + torch.tanh(b)",
            "return [torch.rand(16, 32) + 0.5, 0.1 * torch.randn(16, 32)]",
            "t = tl.exp(-2.0 * tl.abs(b))\ny = tl.log(x) + tl.where(b < 0, -1.0, 1.0) * (1 - t) / (1 + t)",
            "t = b * b\ny = tl.log(x) + b * (1 - t / 3 + t * t * 2 / 15 - t * t * t * 17 / 315)", ("x", "b")),
    Sibling("padding on the left", "return torch.softmax(x.masked_fill(~m, float('-inf')), 1)",
            BOTH.format("torch.rand(16, 32) < 0.9"),
            "v = tl.where(inside & m, x, float('-inf'))\ne = tl.exp(v - tl.max(v, axis=0))\ny = e / tl.sum(e, axis=0)",
            "h = tl.where(i < 16, 1, 0)\nv = tl.where(inside & m, x, float('-inf'))\n"
            "a = tl.max(tl.where(h == 1, v, float('-inf')), axis=0)\nb = tl.maximum(a, tl.max(v, axis=0))\n"
            "s = tl.sum(tl.where(h == 1, tl.exp(v - a), 0.0), axis=0) * tl.exp(a - b)\n"
            "s += tl.sum(tl.where(h == 0, tl.exp(v - b), 0.0), axis=0)\ny = tl.exp(v - b) / s", ("x", "m")),
    Sibling("squares that overflow", "return torch.hypot(x, b)", BOTH.format("torch.randn(16, 32)"),
            "u = tl.maximum(tl.maximum(tl.abs(x), tl.abs(b)), 1e-30)\nx /= u\nb /= u\n"
            "y = u * tl.sqrt_rn(x * x + b * b)", "y = tl.sqrt_rn(x * x + b * b)", ("x", "b")),
    Sibling("whole numbers beyond 32 bits", "return torch.trunc(x) + 0.25", X,
            "y = tl.where(x < 0, -tl.floor(-x), tl.floor(x)) + 0.25", "y = x.to(tl.int32).to(tl.float32) + 0.25"),
]  # fmt: skip


@pytest.mark.parametrize(
    "one", [*WHOLE, *FLOATS, *NAMED, *WHOLLY, *OTHERWISE, *STATE, *FREELY, *TUNED], ids=lambda one: one.name
)
def test_right_programs_are_told_from_wrong_ones(one: Sibling, evaluator: LocalEvaluator) -> None:
    tell_apart(one, evaluator, (Status.MISMATCH, Status.RUNTIME_ERROR))


@pytest.mark.parametrize("one", FAITHFUL, ids=lambda one: one.name)
def test_what_always_holds_may_be_counted_on(one: Sibling, evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate_text(one.program(one.right), one.reference, RUNGS)
    assert verdict.ok, verdict


def test_the_caliber_names_the_draws(evaluator: LocalEvaluator) -> None:
    one = FAITHFUL[-1]
    draws = evaluator.evaluate_text(one.program(one.right), one.reference, RUNGS).caliber["draws"]
    assert draws["made"][0] == "given" and "small" in draws["made"]
    assert "negative" in draws["left_out"] and "nan" not in draws["left_out"]


@pytest.mark.parametrize(
    ("forward", "far"),
    [
        ("return x * 2", {"minute", "vast"}),
        ("return torch.softmax(x, 1)", {"minute", "vast"}),
        ("return torch.cos(x * x)", {"minute"}),  # a million times as large, rounding decides
        ("return torch.sin(x)", {"minute"}),
        ("return torch.exp(x)", {"minute"}),
        ("return torch.tanh(x)", {"minute", "vast"}),
    ],
)
def test_far_out_inputs_are_those_that_rounding_leaves_alone(
    forward: str, far: set[str], evaluator: LocalEvaluator
) -> None:
    reference = Sibling("one", forward, X, "").reference
    made = {one.draw.kind for one in evaluator.truth(reference, Rung.INTERPRET).passes}
    assert made & {"minute", "vast"} == far


def test_a_verdict_tells_where_an_output_lies_otherwise(evaluator: LocalEvaluator) -> None:
    program = Sibling(
        "plain", "return x * 2", X, "y = x * 2", out="torch.empty((x.shape[0], 40), device=x.device)[:, :32]"
    )
    text = program.program(program.right).replace("y_ptr + row * N", "y_ptr + row * 40")
    wide = evaluator.evaluate_text(text, program.reference, RUNGS)
    assert wide.ok and wide.caliber["notes"] == ["output out has strides [40, 1] where eager gives [32, 1]"], wide
    same = Sibling("plain", "return x * 2", X, "y = x * 2")
    assert evaluator.evaluate_text(same.program(same.right), same.reference, RUNGS).caliber["notes"] == []


def test_checks_for_rewards_draw_fewer_kinds_and_the_caliber_names_them(evaluator: LocalEvaluator) -> None:
    one = FAITHFUL[-1]
    whole = evaluator.evaluate_text(one.program(one.right), one.reference, RUNGS).caliber
    with LocalEvaluator(seeds=1, memory_gb=2, use_gpu=False, strength="reward") as quick:
        fewer = quick.evaluate_text(one.program(one.right), one.reference, RUNGS).caliber
    assert (whole["checks"], fewer["checks"]) == ("default", "reward")
    assert set(fewer["draws"]["made"]) - {"large"} < set(whole["draws"]["made"])  # what is vast shows what is large


def test_every_kind_keeps_what_holds_of_inputs() -> None:
    torch.manual_seed(1)
    samples = [
        [torch.randn(6, 8).sort(1).values, torch.randn(6, 4).repeat(1, 2), torch.randn(6, 8).softmax(1)]
        for _ in range(3)
    ]
    traits = find_traits(samples)
    assert [(one.ordered, one.halves, one.sums_to_one) for one in traits] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]
    parts = {"rows": tuple(ROWS), "literals": (3.5,), "infinite": (float("inf"),), "orders": tuple(ORDERS)}
    parts |= {kind: (size,) for kind, size in FAR_OUT.items()} | {"named": (1e10,), "columns": COLUMN_KINDS}
    parts |= dict.fromkeys(("lowest", "highest"), (1e9,))
    parts |= {"structured": tuple(PATTERNS), "special cases": tuple(DEGENERATE)}
    parts |= dict.fromkeys((*PATCHES, LEAST), tuple(SHAPES)) | {SPIKES: (SPIKE,)}
    for kind in [*KINDS, *MIXTURES]:
        ordered, halves, sums = apply_kind(samples[0], kind, 3, traits, parts.get(kind, ()))
        assert isinstance(ordered, torch.Tensor) and isinstance(halves, torch.Tensor) and isinstance(sums, torch.Tensor)
        if kind in ("nan", "infinite"):
            continue
        assert bool((ordered.diff(dim=1) >= 0).all())
        assert torch.equal(halves[:, :4], halves[:, 4:])
        assert torch.allclose(sums.sum(1), torch.ones(6), atol=1e-2) and bool((sums >= 0).all())


def test_traits_are_no_coincidence_of_one_draw() -> None:
    ordered, not_so = torch.arange(8.0), torch.tensor([3.0, 1, 2, 5, 4, 7, 6, 0])
    assert not find_traits([[ordered], [not_so]])[0].ordered
    assert find_traits([[torch.ones(4, 4)]])[0] == Trait(1.0, 1.0)
    assert find_traits([[torch.arange(8)]])[0].counted
    assert find_traits([[2.0], [2.0]])[0] == Trait()
    assert kept(torch.randn(100), Trait(two=(0.0, 1.0))).unique().tolist() == [0.0, 1.0]


def test_weights_that_start_tiny_or_constant_are_changed() -> None:
    model = torch.nn.Module()
    model.tiny = torch.nn.Parameter(torch.full((64,), 1e-6))
    model.usual = torch.nn.Parameter(torch.randn(64))
    model.register_buffer("mask", torch.ones(8, 8).tril())
    model.register_buffer("first", (torch.arange(64) < 40).float())
    model.register_buffer("signs", torch.tensor([[1.0, 1.0], [1.0, -1.0]]).kron(torch.ones(2, 2)))
    model.register_buffer("pruned", (torch.arange(64) % 2).float())
    near = torch.arange(8) * torch.arange(8)[:, None]
    model.register_buffer("graph", (near % 3 == 1).float())
    model.register_buffer("table", torch.arange(64))
    model.register_buffer("count", torch.tensor(5))
    before = {name: value.clone() for name, value in model.state_dict().items()}
    perturb(model, 7)
    after = model.state_dict()
    assert float(after["tiny"].abs().mean()) > 0.1
    assert 0 < float((after["usual"] - before["usual"]).abs().max()) < 1.5
    for name in ("mask", "first", "signs", "count"):  # triangles and beginnings follow from the code
        assert torch.equal(after[name], before[name])
    for name in ("pruned", "graph"):
        assert not torch.equal(after[name], before[name])
        assert torch.equal(after[name].flatten().sort().values, before[name].flatten().sort().values)
    assert torch.equal(after["graph"], after["graph"].mT)
    assert not torch.equal(after["table"], before["table"])
    assert torch.equal(after["table"].sort().values, before["table"])


def test_memory_without_content_is_no_answer_with_nan() -> None:
    """Softmax takes -inf, whatever the memory holds that it allocates: here all of that is NaN."""
    program = ReferenceProgram.load(reference("torch.softmax(x, dim=-1)", "f32[16, 33]", "f32[16, 33]", "torch.randn"))
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True)  # which fills new memory with NaN
    try:
        assert torch.empty(4).isnan().all()
        inputs = Drawing.of(program, 0, "cpu").inputs(program.build(0), Draw(0, "infinite"))
    finally:
        torch.use_deterministic_algorithms(before)
    assert inputs is not None and isinstance(inputs[0], torch.Tensor) and bool(inputs[0].isneginf().any())


@pytest.mark.parametrize("outside", [False, True])
def test_where_segments_begin_and_end_is_kept(outside: bool) -> None:
    (fixed,) = find_traits([[torch.tensor([0, 7, 23, 40])], [torch.tensor([0, 9, 11, 40])]])
    (free,) = find_traits([[torch.tensor([0, 7, 23, 40])], [torch.tensor([1, 9, 11, 39])]])
    (floats,) = find_traits([[torch.tensor([0.0, 7.0, 23.0, 40.0])]])
    assert (fixed.ends, free.ends, floats.ends) == ((0, 40), (), ())
    like = torch.zeros(30, 4, dtype=torch.int64)
    drawn = integers(like, replace(fixed, taken=(-1, 50)), outside=outside)
    assert (drawn.diff(dim=-1) >= 0).all()
    assert torch.unique(drawn[:, 0]).tolist() == [0]
    assert torch.unique(drawn[:, -1]).tolist() == [40]
    assert len(torch.unique(drawn[:, 1:3])) > 10


@pytest.mark.parametrize(
    ("value", "size"), [(0.25, 1), (2.6592, 1), (1.0, 1), (-1.0, 1), (0.1, 2), (1e-6, 1), (1.0, 3)]
)
def test_the_free_draws_give_a_parameter_of_few_elements_every_sign_and_size(value: float, size: int) -> None:
    drawn = []
    for turn in range(len(FREE)):
        model = torch.nn.Module()
        model.g = torch.nn.Parameter(torch.full((size,), value))
        perturb(model, 7 + turn, FREE[turn])
        drawn.append(model.g.detach())
    apart = torch.stack(drawn) / max(abs(value), 0.1)
    assert bool((apart.amax(0) > 4).all()) and bool((apart.amin(0) < -0.4).all())


@pytest.mark.parametrize("shape", [(2, 16), (7, 8), (3, 4, 6)])
def test_rows_of_integers_have_a_number_that_the_program_names_in_half_of_their_places(shape: tuple[int, ...]) -> None:
    torch.manual_seed(0)
    given = torch.randint(0, 64, shape)
    trait = replace(NO_TRAIT, low=0, high=63)
    (drawn,) = apply_kind([given], "literals", 5, [trait], (3.0, 10.0))
    rows = drawn.reshape(-1, shape[-1])
    counts = [[int((row == number).sum()) for number in (3, 10)] for row in rows[1::3]]
    assert all(count[place % 2] >= shape[-1] // 2 for place, count in enumerate(counts))
    assert int(drawn.min()) >= 0 and int(drawn.max()) <= 63


def test_rows_of_one_number_are_zero_only_where_they_were() -> None:
    rows = ORDERS["alike"](torch.tensor([[0.01, 3.0], [-0.02, 1.0], [0.0, 1.0], [0.3, 1.0]]))
    assert rows.tolist() == [[0.125] * 2, [-0.125] * 2, [0.0] * 2, [0.25] * 2]
