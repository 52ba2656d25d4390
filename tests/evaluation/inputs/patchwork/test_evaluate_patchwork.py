"""Rows, weights and integers of sizes and shapes that lie between those which other draws have."""

import pytest
import torch
from siblings import Sibling, tell_apart

from kernelwright.agent.evaluator import Rung
from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.evaluation.inputs.patchwork.integers import patched_integers, patched_switches
from kernelwright.evaluation.inputs.patchwork.rows import LOUD, PATCHES, SHAPES, patched
from kernelwright.evaluation.inputs.traits import Trait
from kernelwright.evaluation.inputs.trial import Trial
from kernelwright.evaluation.judge.local import LocalEvaluator

X = "return [torch.randn(16, 64)]"
SIZE = "s = tl.sqrt(tl.sum(x * x, axis=0) / N)\n"
POSITIVE = "p = tl.sum((x > 0).to(tl.int32), axis=0)\n"
SET = "c = tl.sum((x != 0).to(tl.int32), axis=0)\n"
BEFORE = "b = tl.load(x_ptr + tl.maximum(row - 1, 0) * N + i, mask=inside)\n"
WAY = "a = tl.load(x_ptr + row * N + tl.minimum(i + 1, N - 1))\nway = tl.sum(tl.abs(a - x), axis=0)\n"
GAIN = "self.w = nn.Parameter(torch.{}(64))"
BUFFER = "self.register_buffer('w', torch.{})"


def where(name: str, head: str, condition: str) -> Sibling:
    """A wrong program that is so in rows of one kind alone."""
    y = "y = x * tl.sum(tl.abs(x), axis=0) / N\n"
    return Sibling(
        name, "return x * x.abs().mean(1, keepdim=True)", X, y, head + y + f"y = tl.where({condition}, 0.0, y)"
    )


ROWS = [
    where("features of about twenty", SIZE, "(s > 12.0) & (s < 50.0)"),
    where("features of about a thousand", SIZE, "(s > 500.0) & (s < 4000.0)"),
    where("features of a hundredth", SIZE, "(s > 0.02) & (s < 0.1)"),
    where("few above zero", POSITIVE, "(p > 2) & (p < 13)"),
    where("few that are not zero", SET, "(c > 1) & (c < 13)"),
    where("a row twice", BEFORE, "(tl.sum((b != x).to(tl.int32), axis=0) == 0) & (row > 0)"),
    where("a signal", WAY,
          "(way < 0.15 * tl.sum(tl.abs(x), axis=0)) & (tl.min(x, axis=0) < 0) & (tl.max(x, axis=0) > 0)"),
    where("one far above all others", "m = tl.max(tl.abs(x), axis=0)\n", "m * N > 12 * tl.sum(tl.abs(x), axis=0)"),
    Sibling("numbers of one binade", "return x / (1 + x.abs())", X, "y = x / (1 + tl.abs(x))",
            "y = x / (1 + tl.abs(x))\ny = tl.where((x >= 1024) & (x < 2048), 0.5, y)"),
]  # fmt: skip


def held(name: str, forward: str, right: str, wrong: str, init: str) -> Sibling:
    """What a program makes of its weights, or of a saved buffer."""
    return Sibling(name, f"return {forward}", X, right, wrong, held=("w",), init=init)


WEIGHTS = [
    held("gains of a hundredth", "x * self.w", "y = x * w", "y = tl.where(tl.abs(w) < 0.1, 0.0, x * w)",
         GAIN.format("ones")),
    held("a few gains that are zero", "x * (self.w + 1)", "y = x * (w + 1)", "y = tl.where(w == 0, 0.0, x * (w + 1))",
         GAIN.format("randn")),
    held("gains of fifty", "torch.tanh(x) * self.w", "y = libdevice.tanh(x) * w",
         "y = libdevice.tanh(x) * tl.minimum(w, 45.0)", GAIN.format("ones")),
    held("biases of one", "x + self.w", "y = x + w", "y = x + tl.minimum(w, 1.5)", GAIN.format("zeros")),
    held("variances next to nothing", "x / torch.sqrt(self.w + 1e-7)", "y = x / tl.sqrt(w + 1e-7)",
         "y = x / tl.sqrt(w)", BUFFER.format("ones(64)")),
    held("a floor of variances", "x / torch.sqrt(self.w + 1e-7)", "y = x / tl.sqrt(w + 1e-7)",
         "y = x / tl.sqrt(tl.maximum(w, 0.02) + 1e-7)", BUFFER.format("ones(64)")),
    held("offsets below zero", "x + self.w", "y = x + w", "y = x + tl.abs(w)", BUFFER.format("linspace(0.5, 2.0, 64)")),
    held("means far from zero", "x - self.w", "y = x - w", "y = x - tl.maximum(w, -1.5)", BUFFER.format("zeros(64)")),
    held("a place taken twice", "x[:, self.w]",
         "y = tl.load(x_ptr + row * N + w, mask=inside)",
         "f = tl.sum((w == 0).to(tl.int32), axis=0)\ny = tl.load(x_ptr + row * N + w, mask=inside) * f",
         BUFFER.format("arange(64)")),
]  # fmt: skip


COUNTS = [
    held("a count of steps", "x / (self.w + 1)", "y = x / (w + 1)", "y = x / (tl.minimum(w, 2000) + 1)",
         BUFFER.format("zeros(64, dtype=torch.int64)")),
    held("a count that fp32 does not hold", "x + self.w % 2", "y = x + (w & 1)",
         "y = x + (w.to(tl.float32).to(tl.int64) & 1)", BUFFER.format("zeros(64, dtype=torch.int64)")),
]  # fmt: skip


def whole(name: str, forward: str, right: str, wrong: str, given: str, scalar: bool = True) -> Sibling:
    """What a program makes of rows of integers or truth values."""
    shape = "x.shape[0]" if scalar else "x.shape"
    out = f"torch.empty({shape}, dtype=torch.int64, device=x.device)"
    return Sibling(name, f"return {forward}", f"return [{given}]", right, wrong, out=out, scalar=scalar)


FLAGS, SHORT = "torch.randint(0, 2, (40, 16))", "torch.randint(-9, 9, (40, 16), dtype=torch.int16)"
SMALL = "torch.randint(0, 9999, (40, 16), dtype=torch.int32)"
ANY = "y = tl.max((x != 0).to(tl.int32), axis=0).to(tl.int64)"
WHOLE = [
    whole("flags in high bits", "(x != 0).any(1).long()", ANY, "x = x.to(tl.int16)\n" + ANY, FLAGS),
    whole("the least of 16 bits", "x.amin(1).long()", "y = tl.min(x, axis=0).to(tl.int64)",
          "y = -tl.max(tl.where(x < 0, -x, -1), axis=0).to(tl.int64)", SHORT),
    whole("steps of 16 bits", "x.long().sum(1)", "y = tl.sum(x.to(tl.int64), axis=0)",
          "y = tl.sum(x, axis=0).to(tl.int16).to(tl.int64)", SHORT),
    whole("times", "(x - x[:, :1]).amax(1)",
          "y = tl.max(x - tl.load(x_ptr + row * N), axis=0)",
          "y = tl.max(x.to(tl.float64) - tl.load(x_ptr + row * N).to(tl.float64), axis=0).to(tl.int64)",
          "torch.randint(0, 99, (40, 16))"),
    whole("a product of rows that are alike", "(x * x).sum(1)", "y = tl.sum(x * x, axis=0)",
          "y = tl.sum(x.to(tl.float32) * x.to(tl.float32), axis=0).to(tl.int64)", "torch.randint(-99, 99, (40, 16))"),
    whole("a whole root", "x.clamp(min=0).double().sqrt().long()",
          "y = tl.sqrt(tl.maximum(x, 0).to(tl.float64)).to(tl.int64)",
          "y = tl.sqrt(tl.maximum(x, 0).to(tl.float32)).to(tl.int64)", SMALL, False),
    whole("a row of a triangle", "((8 * x.clamp(min=0).double() + 1).sqrt() / 2 - 0.5).long()",
          "y = ((tl.sqrt(8 * tl.maximum(x, 0).to(tl.float64) + 1) - 1) / 2).to(tl.int64)",
          "y = ((tl.sqrt(8 * tl.maximum(x, 0).to(tl.float32) + 1) - 1) / 2).to(tl.int64)",
          SMALL, False),
    whole("how many bits", "x.clamp(min=1).double().log2().long()",
          "y = (((tl.maximum(x, 1).to(tl.float64).to(tl.int64, bitcast=True)) >> 52) & 2047) - 1023",
          "y = tl.log2(tl.maximum(x, 1).to(tl.float32)).to(tl.int64)",
          SMALL, False),
    whole("products of bytes", "(x.int() * x.int()).sum(1)",
          "v = x.to(tl.int32)\ny = tl.sum(v * v, axis=0).to(tl.int64)",
          "v = x.to(tl.float32)\ny = tl.sum(v * v, axis=0).to(tl.int64)",
          "torch.randint(-127, 128, (3, 2048), dtype=torch.int8)"),
    whole("a sum that 16 bits hold of most", "x.long().sum(1)",
          "y = tl.sum(tl.where(inside, x.to(tl.int64), 0), axis=0)",
          "y = tl.sum(tl.where(inside, x.to(tl.int64), 0), axis=0) & 65535",
          "torch.randint(0, 256, (3, 300), dtype=torch.uint8)"),
    whole("all but one", "x.all(1).long()", "y = tl.min(x.to(tl.int32), axis=0).to(tl.int64)",
          "y = tl.min(tl.where(i == N - 1, 1, x.to(tl.int32)), axis=0).to(tl.int64)", "torch.rand(40, 64) < 0.5"),
    whole("one alone", "x.any(1).long()", "y = tl.max(x.to(tl.int32), axis=0).to(tl.int64)",
          "y = tl.max(tl.where(i == 0, 0, x.to(tl.int32)), axis=0).to(tl.int64)", "torch.rand(40, 64) < 0.5"),
    whole("one hole", "x.sum(1)", "y = tl.sum(x.to(tl.int64), axis=0)",
          "y = tl.sum(x.to(tl.int64), axis=0)\ny = tl.where((y > 58) & (y < 64), 64, y)", "torch.rand(40, 64) < 0.5"),
]  # fmt: skip


@pytest.mark.parametrize("one", [*ROWS, *WEIGHTS, *COUNTS, *WHOLE], ids=lambda one: one.name)
def test_what_lies_between_other_draws(one: Sibling) -> None:
    with LocalEvaluator(seed=11) as evaluator:
        tell_apart(one, evaluator)


def test_rows_have_sizes_of_their_own() -> None:
    torch.manual_seed(0)
    low, high = PATCHES[LOUD]
    rows = patched(torch.randn(2000, 32), ["full"], PATCHES[LOUD]).square().mean(1).sqrt()
    assert rows.min() < 1.5 * low and rows.max() > high / 1.5
    middle = rows.log().median()
    assert abs(float(middle) - (torch.tensor(low * high).log() / 2)) < 0.3


@pytest.mark.parametrize("shape", [(3,), (64,), (5, 7), (2, 3, 4, 6), (1, 1), (4, 1)])
@pytest.mark.parametrize("name", SHAPES)
def test_each_shape_fits_all_inputs(name: str, shape: tuple[int, ...]) -> None:
    torch.manual_seed(1)
    for _ in range(8):
        made = patched(torch.randn(shape), [name], (1.0, 2.0))
        assert made.shape == shape and made.isfinite().all()


def test_switches_are_few_or_all_but_few() -> None:
    torch.manual_seed(2)
    counts = patched_switches(torch.zeros(400, 32, dtype=torch.bool)).sum(1).bincount(minlength=33)
    assert counts[1] > 8 and counts[31] > 4 and (counts > 0).sum() > 24


def test_integers_stay_within_what_a_program_takes() -> None:
    torch.manual_seed(3)
    trait = Trait(low=0, high=9, taken=(-1, 200, 32767))
    made = patched_integers(torch.zeros(400, 16, dtype=torch.int16), trait, LOUD).long()
    assert made.min() == -1 and made.max() == 32767
    assert ((made > 256) & (made < 4096)).any()
    places = patched_integers(torch.zeros(400, 16, dtype=torch.int64), Trait(low=2, high=9), LOUD)
    assert places.min() == 2 and places.max() == 9


@pytest.mark.parametrize(
    ("forward", "steady"),
    [
        ("return x / m.float().sum(1, keepdim=True).clamp(min=1e-9)", False),
        ("return x * m.float().mean(1, keepdim=True)", False),
        ("return x * (m != 0)", True),
        ("return x * m.sign()", True),
        ("return x * m.float()", True),
        ("return (m.sum(1) % 7).long()", True),  # whole numbers are computed exactly
        ("return torch.gather(x, 1, m % 61)", True),
        ("return x.sum() * torch.div(m.sum(1) * 31, 8, rounding_mode='floor').remainder(61)", True),
        ("return x.sum(1) / (m[:, 0] + m[:, 40]).abs().clamp(min=1)", True),
        ("return x.sum(1) / (m[:, 0].float() + m[:, 40].float()).abs().clamp(min=1)", False),
    ],
)
def test_sums_of_large_integers_may_cancel_out(forward: str, steady: bool) -> None:
    inputs = "return [torch.randn(8, 64), torch.randint(0, 2, (8, 64))]"
    reference = Sibling("one", forward, inputs, "", rows=("x", "m")).reference
    program = ReferenceProgram.load(reference)
    x, m = program.inputs(0)
    assert isinstance(m, torch.Tensor)
    trial, model = Trial(program, "cpu"), program.build(0)
    assert trial.steady_in_integers(model, [x, m], 3)
    m[:, :32], m[:, 32:] = 2**33 + 3, -(2**33) - 5
    assert trial.steady_in_integers(model, [x, m], 3) is steady


MASKED = "return torch.where(x > x.mean(1, keepdim=True), x, -torch.inf)"


def test_outputs_that_hold_infinities_are_tried_on_all_kinds() -> None:
    mean = "m = tl.sum(x, axis=0) / N\n"
    right = mean + "y = tl.where(x > m, x, -float('inf'))"
    wrong = mean + "y = tl.where(x > m, tl.minimum(x, 50.0), -float('inf'))"
    one = Sibling("what is masked", MASKED, X, right, wrong)
    with LocalEvaluator(seed=5) as evaluator:
        tell_apart(one, evaluator)
        made = {each.draw.kind for each in evaluator.truth(one.reference, Rung.INTERPRET).passes}
    assert {"rows", "shifted", *PATCHES} <= made


def test_few_integers_lie_just_beyond_powers_of_two() -> None:
    torch.manual_seed(0)
    trait = Trait(low=1, high=5000, taken=(2**33 + 3,))
    made = [int(patched_integers(torch.ones(1, dtype=torch.int64), trait, LOUD)) for _ in range(200)]
    assert sum(number >= 2**17 and number & (2**17 - 1) < 8 for number in made) > 60
    assert max(patched_integers(torch.ones(400, 1, dtype=torch.int64), Trait(low=1, high=900), LOUD).flatten()) <= 900


def test_a_class_comes_more_often_than_half_precision_counts() -> None:
    trait = Trait(low=0, high=9)
    for size, often in ((64, True), (16, False)):  # of fewer places, none is counted that far
        torch.manual_seed(0)
        drawn = patched_integers(torch.randint(0, 10, (48, size)), trait, LOUD)
        assert (int(drawn.flatten().bincount().max()) > 2048) is often
        assert int(drawn.min()) >= 0 and int(drawn.max()) <= 9
