"""Draws around numbers that a candidate's own text names, and draws in which large inputs hide nothing."""

import pytest
from siblings import Sibling, tell_apart

from kernelwright.agent.evaluator import Rung
from kernelwright.evaluation.inputs.thresholds import thresholds
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.ir.parser import parse_module

RUNGS = (Rung.PARSE, Rung.INTERPRET)
X = "return [torch.randn(16, 24)]"
SUMS = "torch.empty(x.shape[0], device=x.device)"
NORM = "s = tl.sqrt_rn(tl.sum(tl.where(inside, x * x, 0.0), axis=0))\n"
MEAN = "m = tl.sum(tl.where(inside, x, 0.0), axis=0) / N\n"
OWN = [
    Sibling("one number", "return torch.relu(x)", X, "y = tl.maximum(x, 0.0)",
            "y = tl.where(x == 7.25, 0.0, tl.maximum(x, 0.0))"),
    Sibling("the identity of a maximum", "return torch.amax(x, 1)", X,
            "y = tl.max(tl.where(inside, x, -float('inf')), axis=0)", "y = tl.max(tl.where(inside, x, -1e30), axis=0)",
            out=SUMS, scalar=True),
    Sibling("the identity of a minimum", "return torch.amin(x, 1)", X,
            "y = tl.min(tl.where(inside, x, float('inf')), axis=0)", "y = tl.min(tl.where(inside, x, 1e20), axis=0)",
            out=SUMS, scalar=True),
    Sibling("a path for large numbers", "return torch.linalg.vector_norm(x, dim=1) + 1.0", X,
            "t = tl.max(tl.where(inside, tl.abs(x), 0.0), axis=0)\nb = tl.where(t > 1e15, 1e-15, 1.0)\nx = x * b\n"
            + NORM + "y = s / b + 1.0",
            "t = tl.max(tl.where(inside, tl.abs(x), 0.0), axis=0)\nx = x * tl.where(t > 1e15, 1e-15, 1.0)\n"
            + NORM + "y = s + 1.0", out=SUMS, scalar=True),
    Sibling("a product of numbers", "return torch.linalg.vector_norm(x, dim=1) + 1.0", X, NORM + "y = s + 1.0",
            NORM + "y = tl.where(s > 1e5 * 1e8, 0.0, s) + 1.0", out=SUMS, scalar=True),
    Sibling("a number in a text", "return torch.linalg.vector_norm(x, dim=1) + 1.0", X, NORM + "y = s + 1.0",
            NORM + "y = tl.where(s > float('2e9'), 0.0, s) + 1.0", out=SUMS, scalar=True),
    Sibling("a mean that is large", "return x.mean(1)", X, MEAN + "y = m",
            MEAN + "y = tl.where((m > 12345.0) & (m < 30000.0), 0.0, m)", out=SUMS, scalar=True),
    Sibling("a sum below zero", "return x.mean(1)", X, MEAN + "y = m",
            MEAN + "y = tl.where(m < -5e13, m * 1.5, m)", out=SUMS, scalar=True),
    Sibling("next to nothing", "return torch.log(x.abs())", X, "y = tl.log(tl.abs(x))",
            "a = tl.abs(x)\ny = tl.log(tl.where(a < 1e-25, 1e-25, a))"),
    Sibling("a harmless bound", "return F.softplus(x)", X,
            "y = tl.where(x > 20.0, x, tl.maximum(x, 0.0) + tl.log(1.0 + tl.exp(-tl.abs(x))))",
            "y = tl.where(x > 2000.0, 2000.0, tl.maximum(x, 0.0) + tl.log(1.0 + tl.exp(-tl.abs(x))))"),
]  # fmt: skip


WIDE, HELD = "return [torch.randn(16, 48)]", "self.w = nn.Parameter(torch.rand(48) + 0.25)"


def gated(name: str, test: str, right: str, wrong: str, inputs: str = WIDE) -> Sibling:
    """Elements pass or become zero; those that are just at a threshold tell right from wrong."""
    held, init = (("w",), HELD) if inputs == WIDE else ((), "")
    right, wrong = (f"y = tl.where({one}, x, 0.0)" for one in (right, wrong))
    forward = f"return torch.where({test}, x, torch.zeros_like(x))"
    return Sibling(name, forward, inputs, right, wrong, held=held, init=init)


TIES = [
    gated("above a column's number", "x > self.w", "x > w", "x >= w"),
    gated("from a column's number on", "x >= self.w", "x >= w", "x > w"),
    gated("below minus a column's number", "x < -self.w", "x < -w", "x <= -w"),
    gated("as large as a column's number", "x.abs() >= self.w", "tl.abs(x) >= w", "tl.abs(x) > w"),
    gated("another than a column's number", "x != self.w", "x != w", "x == x"),
    gated("a square above a number", "x * x > 0.5625", "x * x > 0.5625", "x * x >= 0.5625", X),
    gated("a square from a number on", "x.square() >= 2.25", "x * x >= 2.25", "x * x > 2.25", X),
    gated("a square below a number", "x * x < 1.5625", "x * x < 1.5625", "x * x <= 1.5625", X),
]


def beside(name: str, term: str, kernel: str, wrong: str) -> Sibling:
    """A term beside an input that is around a million."""
    inputs = "return [torch.rand(16, 24) * 1e6 + 1e6, torch.randn(16, 24)]"
    return Sibling(name, f"return x + {term}", inputs, f"y = x + {kernel}", f"y = x + {wrong}", ("x", "b"))


HIDDEN = [
    beside("a sigmoid", "torch.sigmoid(b)", "1 / (1 + tl.exp(-b))", "0.5"),
    beside("a sine", "torch.sin(b)", "tl.sin(b)", "b"),
    beside("a hump", "torch.exp(-b * b)", "tl.exp(-b * b)", "1 / (1 + b * b)"),
    beside("a quotient", "1 / (1 + b * b)", "1 / (1 + b * b)", "1 / (1 + tl.abs(b))"),
    beside("a size", "b.abs()", "tl.abs(b)", "b"),
    beside("a bound", "torch.relu(b)", "tl.maximum(b, 0.0)", "0.0"),
    beside("a cosine", "torch.cos(b)", "tl.cos(b)", "1.0 - b * b / 2"),
    beside("a root", "torch.sqrt(b.abs())", "tl.sqrt_rn(tl.abs(b))", "0.0"),
]


@pytest.mark.parametrize("one", [*OWN, *HIDDEN, *TIES], ids=lambda one: one.name)
def test_right_programs_are_told_from_wrong_ones(one: Sibling, evaluator: LocalEvaluator) -> None:
    tell_apart(one, evaluator)


def test_the_caliber_names_these_draws(evaluator: LocalEvaluator) -> None:
    bound, plain = OWN[-1], OWN[0]
    assert (
        "named" in evaluator.evaluate_text(bound.program(bound.right), bound.reference, RUNGS).caliber["draws"]["made"]
    )
    made = evaluator.evaluate_text(plain.program(plain.right), plain.reference, RUNGS).caliber["draws"]["made"]
    assert "named" not in made and "unit" not in made
    hidden = HIDDEN[0]
    assert (
        "unit"
        in evaluator.evaluate_text(hidden.program(hidden.right), hidden.reference, RUNGS).caliber["draws"]["made"]
    )


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("y = tl.where(x == 7.25, 0.0, x)", (7.25,)),
        ("y = tl.where(x > -3, 0.0, x)", (3.0,)),
        ("y = x * 7.25", ()),
        ("y = tl.where(x > 0.5, x * 1e-12, x)", (1e-12,)),
        ("y = tl.minimum(x, 3e4) + tl.maximum(x, -3e4)", (3e4,)),
        ("y = tl.where(x > 65536 * row, 1.0, 0.0)", ()),
        ("y = tl.where(x > float('inf'), 0.0, x / 0.0)", ()),
        ("y = tl.where(x > 2.0 ** 40, 0.0, x)", (2.0**40,)),
        ("y = tl.where(x > 1e300 ** 2.0, 0.0, x)", ()),
        ("y = tl.where(x > 41.5, 0.0, x)", ()),
    ],
)
def test_thresholds_are_what_a_text_compares_with_or_names_far_out(body: str, found: tuple[float, ...]) -> None:
    one = Sibling("one", "return torch.clamp(x, max=41.5)", X, body)
    module = parse_module(one.program(body), reference=one.reference, name="one")
    assert thresholds(module) == found


@pytest.mark.parametrize(
    "numbers", ["[1e9, float('inf')]", "[float('nan'), 3e38]", "[-float('inf'), 1e-45, 100.0]", "[1e30, 0.0]"]
)
def test_inputs_of_no_size_are_drawn_too(numbers: str, evaluator: LocalEvaluator) -> None:
    one = Sibling("one", "return torch.abs(x)", f"return [torch.tensor({numbers}).repeat(4, 8)]", "y = tl.abs(x)")
    verdict = evaluator.evaluate_text(one.program(one.right), one.reference, RUNGS)
    assert verdict.ok, verdict
