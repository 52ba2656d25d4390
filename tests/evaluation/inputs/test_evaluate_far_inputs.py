"""Inputs, weights and modes beyond those that a program starts with: what a kernel leaves out for them shows."""

import pytest
import torch
from siblings import Sibling, tell_apart

from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.evaluation.inputs.drawing import Drawing
from kernelwright.evaluation.inputs.draws import Draw
from kernelwright.evaluation.judge.local import LocalEvaluator

X = "return [torch.randn(16, 24)]"
PAIR = "return [torch.randn(16, 24), torch.randn(16, 24)]"
NARROW = "return [torch.randn(16, 64, dtype=torch.bfloat16)]"
GAIN = "self.w = nn.Parameter(torch.{}(24))"
NORM = "n = tl.sqrt(tl.sum(tl.where(inside, x * x, 0.0), axis=0))\n"
COUNT = "y = (x * 0).to(tl.int64)\nfor j in range(N):\n    y += (x {} tl.load(w_ptr + j)).to(tl.int64)"
SHIFTED = "e = tl.where(inside, tl.exp({0} - tl.max(tl.where(inside, {0}, -float('inf')), axis=0)), 0.0)\n"
PLAIN = "e = tl.where(inside, tl.exp({0}), 0.0)\n"
SPECTRUM = (
    "y = x * 0.0\nfor j in range(N):\n    y -= tl.load(x_ptr + row * N + j) * tl.sin({}.to(tl.float32) * ({} / N))\n"
)
BEYOND = [
    Sibling("a norm that is at least 1e-12", "return F.normalize(x)", X,
            NORM + "y = x / tl.maximum(n, 1e-12)", NORM + "y = x / tl.where(n == 0, 1.0, n)"),
    Sibling("a similarity of short rows", "return x / x.norm(dim=1, keepdim=True).clamp_min(1e-8)", X,
            NORM + "y = x / tl.maximum(n, 1e-8)", NORM + "y = x / tl.maximum(n, 1e-12)"),
    Sibling("a column of zeros", "return x / (x.abs().sum(0, keepdim=True) + 1e-9)", X,
            "s = x * 0.0\nfor j in range(16):\n    s += tl.abs(tl.load(x_ptr + j * N + i, mask=inside, other=0.0))\n"
            "y = x / (s + 1e-9)",
            "s = x * 0.0\nfor j in range(16):\n    s += tl.abs(tl.load(x_ptr + j * N + i, mask=inside, other=0.0))\n"
            "y = x / s"),
    Sibling("scores below what masks are made of",
            "return torch.softmax(x.masked_fill(torch.arange(24, device=x.device) % 2 == 0, -torch.inf), 1)", X,
            "x = tl.where(i % 2 == 0, -float('inf'), x)\n" + SHIFTED.format("x") + "y = e / tl.sum(e, axis=0)",
            "x = tl.where(i % 2 == 0, -1e9, x)\n" + SHIFTED.format("x") + "y = e / tl.sum(e, axis=0)"),
    Sibling("a softmax of weights", "return x * torch.softmax(self.w, 0)", X,
            SHIFTED.format("w") + "y = x * e / tl.sum(e, axis=0)", PLAIN.format("w") + "y = x * e / tl.sum(e, axis=0)",
            held=("w",), init=GAIN.format("randn")),
    Sibling("weights in a range", "return x * self.w.clamp(-8.0, 8.0)", X,
            "y = x * tl.minimum(tl.maximum(w, -8.0), 8.0)", "y = x * w", held=("w",), init=GAIN.format("ones")),
    Sibling("a norm of weights", "return x * F.normalize(self.w, dim=0)", X,
            "n = tl.sqrt(tl.sum(tl.where(inside, w * w, 0.0), axis=0))\ny = x * w / tl.maximum(n, 1e-12)",
            "n = tl.sqrt(tl.sum(tl.where(inside, w * w, 0.0), axis=0))\ny = x * w / n",
            held=("w",), init=GAIN.format("randn")),
    Sibling("a number at an edge", "return torch.bucketize(x, self.w)", X, COUNT.format(">"), COUNT.format(">="),
            held=("w",), init="self.register_buffer('w', torch.linspace(-1, 1, 24))",
            out="torch.empty(x.shape, dtype=torch.int64, device=x.device)"),
    Sibling("a part of the way from one to another", "return torch.lerp(x, b, 0.1)", PAIR, "y = x + 0.1 * (b - x)",
            "y = x + 0.1 * (tl.minimum(b, 1e30) - x)", rows=("x", "b")),
    Sibling("a small part of two", "return x + 0.0005 * b",
            "return [torch.randn(16, 64, dtype=torch.bfloat16), torch.randn(16, 64, dtype=torch.bfloat16)]",
            "y = x + 0.0005 * b", "y = x", rows=("x", "b")),
    Sibling("a percent of 16 bits", "return x * 0.7071", NARROW, "y = x * 0.7071", "y = x * 0.7"),
    Sibling("a tail of 16 bits", "return F.gelu(x)", NARROW,
            "v = x.to(tl.float32)\ny = 0.5 * v * (1 + tl.erf(v * 0.7071067811865476))",
            "v = x.to(tl.float32)\ny = v / (1 + tl.exp(-1.702 * v))"),
    Sibling("what is left of a spectrum", "return torch.fft.fft(x, dim=1).imag", X,
            SPECTRUM.format("(i * j % N)", 6.283185307179586), SPECTRUM.format("(i * j)", 6.2831)),
    Sibling("zeros of a spectrum", "return torch.fft.fft(x, dim=1).imag", X,
            SPECTRUM.format("(i * j % N)", 6.283185307179586),
            SPECTRUM.format("(i * j % N)", 6.283185307179586) + "y += tl.where(i == 0, 1e-3, 0.0)"),
    Sibling("a table's last row", "return self.w[x]", "return [torch.randint(0, 24, (16, 24)) // 2]",
            "y = tl.load(w_ptr + tl.where(x < 0, x + 24, x), mask=inside)",
            "y = tl.where(x == 23, 0.0, tl.load(w_ptr + tl.where(x < 0, x + 24, x), mask=inside))",
            held=("w",), init=GAIN.format("randn"), out="torch.empty(x.shape, device=x.device)"),
]  # fmt: skip
ROW, PLACES = "torch.empty(x.shape[0], device=x.device)", "torch.empty(x.shape[0], dtype=torch.int64, device=x.device)"


def least(name: str, forward: str, kernel: str, head: str = "", inputs: str = X, out: str = ROW) -> Sibling:
    """A number of each row, of whose lanes beyond its end a wrong program thinks that they are around 9,999."""
    right, wrong = (f"{head}x = tl.where(inside, x, {number})\n{kernel}" for number in ("float('inf')", "9999.0"))
    rows = ("x", "b") if inputs == PAIR else ("x",)
    return Sibling(name, f"return {forward}", inputs, right, wrong, rows, out=out, scalar=True)


PLACE = "y = tl.min(tl.where(x == tl.min(x, axis=0), i, 99), axis=0).to(tl.int64)"
SOFTMIN = "e = tl.exp(tl.min(x, axis=0) - x)\n"
MINIMA = [
    least("a minimum", "x.amin(1)", "y = tl.min(x, axis=0)"),
    least("a minimum and its place", "x.min(1).values", "y = tl.min(x, axis=0)"),
    least("the place of a minimum", "x.argmin(1)", PLACE, out=PLACES),
    least("the opposite of a maximum", "-(-x).amax(1)", "y = tl.min(x, axis=0)"),
    least("the lesser of two", "torch.minimum(x, b).amin(1)", "y = tl.min(x, axis=0)", "x = tl.minimum(x, b)\n", PAIR),
    least("the first in order", "x.sort(1).values[:, 0]", "y = tl.min(x, axis=0)"),
    least("the least of some", "x.topk(1, 1, largest=False).values[:, 0]", "y = tl.min(x, axis=0)"),
    least("the most that softmin gives", "F.softmin(x, 1).amax(1)", SOFTMIN + "y = 1 / tl.sum(e, axis=0)"),
]


def masked(name: str, forward: str, right: str, wrong: str, mask: str = "torch.rand(16) > 0.5") -> Sibling:
    """What a mask of one dimension makes of all rows."""
    head = "m = tl.load(m_ptr + tl.arange(0, 16)).to(tl.float32)\n"
    inputs = f"return [torch.randn(16, 24), {mask}]"
    return Sibling(name, f"return {forward}", inputs, head + right, head + wrong, row=("m",))


NUMBERS, SIGNS = "(torch.rand(16) > 0.5).float()", "(torch.rand(16) > 0.5) * 2.0 - 1.0"
MASKS = [
    masked("all of a mask", "torch.where(m.all(), 2 * x, x)", "y = tl.where(tl.min(m, axis=0) > 0, 2 * x, x)", "y = x"),
    masked("any of a mask", "torch.where(m.any(), 2 * x, x)", "y = tl.where(tl.max(m, axis=0) > 0, 2 * x, x)",
           "y = 2 * x"),
    masked("a share of a mask", "x / m.sum().clamp(min=1)", "y = x / tl.maximum(tl.sum(m, axis=0), 1.0)",
           "y = x / tl.sum(m, axis=0)"),
    masked("what a mask leaves", "x / (16 - m.sum()).clamp(min=1)", "y = x / tl.maximum(16 - tl.sum(m, axis=0), 1.0)",
           "y = x / (16 - tl.sum(m, axis=0))"),
    masked("the least number of a mask", "x * m.amin()", "y = x * tl.min(m, axis=0)", "y = 0 * x", NUMBERS),
    masked("the largest number of a mask", "x * m.amax()", "y = x * tl.max(m, axis=0)", "y = x", NUMBERS),
    masked("the least sign", "x * m.amin()", "y = x * tl.min(m, axis=0)", "y = -x", SIGNS),
    masked("the largest sign", "x * m.amax()", "y = x * tl.max(m, axis=0)", "y = x", SIGNS),
]  # fmt: skip


def in_columns(name: str, forward: str, step: str, wrong: str, right: str = "c") -> Sibling:
    """What is counted in a column, from one row to the next; `best` is the largest number so far."""
    loop = (
        "a = tl.load(x_ptr + row)\nc, best = a * 0, a\nfor t in range(1, 24):\n"
        f"    b = tl.load(x_ptr + t * N + row)\n    c += tl.where({step}, 1.0, 0.0)\n"
        "    best, a = tl.maximum(best, b), b\n"
    )
    inputs = "return [torch.randn(24, 24)]"
    right, wrong = (f"{loop}y = ({end}).to(tl.int64)" for end in (right, wrong))
    return Sibling(name, f"return {forward}", inputs, right, wrong, out=PLACES, scalar=True)


RISES, FALLS, ALL = "(x[1:] > x[:-1])", "(x[1:] < x[:-1])", "tl.where(c == 23.0, 1.0, 0.0)"
COLUMNS = [
    in_columns("rises", f"{RISES}.sum(0)", "b > a", "tl.minimum(c, 20.0)"),
    in_columns("falls", f"{FALLS}.sum(0)", "b < a", "tl.minimum(c, 20.0)"),
    in_columns("rises where there are few", f"{RISES}.sum(0)", "b > a", "tl.maximum(c, 3.0)"),
    in_columns("falls where there are few", f"{FALLS}.sum(0)", "b < a", "tl.maximum(c, 3.0)"),
    in_columns("whether all rise", f"{RISES}.all(0).long()", "b > a", "c * 0", ALL),
    in_columns("whether all fall", f"{FALLS}.all(0).long()", "b < a", "c * 0", ALL),
    in_columns("records", "(x[1:] > x.cummax(0).values[:-1]).sum(0)", "b > best", "tl.minimum(c, 12.0)"),
    in_columns("steps above one", "(x > x[:1]).sum(0)", "b > tl.load(x_ptr + row)", "tl.minimum(c, 22.0)"),
]


@pytest.mark.parametrize("one", [*MINIMA, *MASKS, *COLUMNS], ids=lambda one: one.name)
def test_minima_masks_and_orders_of_columns_go_to_their_ends(one: Sibling, evaluator: LocalEvaluator) -> None:
    tell_apart(one, evaluator)


@pytest.mark.parametrize("one", BEYOND, ids=lambda one: one.name)
def test_what_far_inputs_and_weights_show(one: Sibling) -> None:
    with LocalEvaluator(seeds=1, seed=3, timeout_s=120, memory_gb=4, use_gpu=False) as evaluator:
        tell_apart(one, evaluator)


#: Programs of a few and of many numbers, of which the squares at 1e17 do not add up in fp32.
LONG_NORMS = {
    "layer_norm": "F.layer_norm(x, x.shape[1:])",
    "batch_norm": "F.batch_norm(x.flatten()[:, None], None, None, training=True).reshape(x.shape)",
    "var": "(x - x.mean()) / (x.var() + 1e-5).sqrt()",
    "norm": "F.normalize(x.flatten(), dim=0).reshape(x.shape)",
}


@pytest.mark.parametrize("forward", LONG_NORMS.values(), ids=LONG_NORMS)
@pytest.mark.parametrize("columns", [4, 40_000])
def test_squares_of_the_lowest_inputs_add_up(forward: str, columns: int) -> None:
    one = Sibling("far", f"return {forward}", f"return [torch.randn(2, {columns})]", "", "")
    program = ReferenceProgram.load(one.reference)
    inputs = Drawing.of(program, 0, "cpu").inputs(program.build(0), Draw(0, "lowest"))
    assert inputs is not None and isinstance(inputs[0], torch.Tensor)
    largest = float(inputs[0].abs().max())
    assert largest > 1e17 if columns == 4 else 1e9 < largest < 1e12
