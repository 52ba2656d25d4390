"""The short form: programs are written in it and read back, and what cannot be read says what would be."""

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch

from kernelwright.agent.evaluator import Rung
from kernelwright.agent.reading import fenced
from kernelwright.agent.rewards import make_reward
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.agent import FrontendAgent
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.frontend.notation.fitting import Domain, fit, fit_condition
from kernelwright.frontend.notation.reading import expand
from kernelwright.frontend.notation.words import NotExpressibleError
from kernelwright.frontend.notation.writing import short_form
from kernelwright.ir.errors import DialectError
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule

AGENT = FrontendAgent("h100", make_reward("frontend"), "kernels")
RUNGS = (Rung.PARSE, Rung.INTERPRET)

PROGRAM = """import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(({weight})))

    def forward(self, {names}):
        return {value}


def get_inputs():
    return [{inputs}]


def get_init_inputs():
    return []
"""


def module(value: str, weight: str = "1,", **inputs: str) -> KernelModule:
    """What returns a value of inputs, by name, of these sizes (`i3,4` for indices below 3, `b4` for truth values)."""

    def made(size: str) -> str:
        if size.startswith("i"):
            return f"torch.randint(0, 3, ({size[1:]},))"
        return f"torch.rand({size[1:]}) > 0.5" if size.startswith("b") else f"torch.randn({size})"

    given = ", ".join(made(size) for size in inputs.values())
    return import_source(PROGRAM.format(value=value, weight=weight, names=", ".join(inputs), inputs=given), "some")


def lowered(before: KernelModule, **options: Any) -> KernelModule:
    return replace(LowerInductor(**options).run(before, Context("h100")), provenance=())


#: Programs, and their lines in the short form.
CASES: dict[str, tuple[KernelModule, list[str]]] = {
    "broadcast": (
        module("torch.relu(x - self.weight)", weight="16, 1", x="4, 1, 8"),
        ["a = load(x[i, 0, k])", "b = load(weight[j, 0])", "store(out[i, j, k], maximum(0, a - b))"],
    ),
    "transposed": (module("torch.exp(x.t())", x="4, 8"), ["a = load(x[j, i])", "store(out[i, j], exp(a))"]),
    "scalar": (module("x.sum()", x="2, 24"), ["a = load(x[r, s])", "store(out, sum(a))"]),
    "kept": (
        module("x.amax(dim=(0, 2), keepdim=True)", x="8, 16, 3"),
        ["a = load(x[r, j, s])", "store(out[0, j, 0], max(a))"],
    ),
    "softmax": (
        module("torch.softmax(x, 1)", x="4, 24"),
        ["a = load(x[i, r])", "b = exp(a - max(a))", "store(out[i, r], b / sum(b))"],
    ),
    "mean": (module("x.mean(1)", x="4, 24"), ["a = load(x[i, r])", "store(out[i], mean(a))"]),
    "cumsum": (module("torch.cumsum(x, 0)", x="24, 3"), ["a = load(x[r, j])", "store(out[r, j], cumsum(a))"]),
    "argmax": (module("x.argmax(1)", x="4, 24"), ["a = load(x[i, r])", "store(out[i], argmax(a))"]),
    "gather": (
        module("torch.gather(x, 1, ids)", x="5, 3", ids="i5,7"),
        ["a = load(ids[i, j])", "b = load(x[i, a])", "store(out[i, j], b)"],
    ),
    "roll": (module("torch.roll(x, 2, -1)", x="3, 8"), ["a = load(x[i, (j + 6) % 8])", "store(out[i, j], a)"]),
    "flip": (module("x.flip(1) * 2", x="3, 8"), ["a = load(x[i, 7 - j])", "store(out[i, j], a * 2.0)"]),
    "pad": (
        module("F.pad(x, (1, 2), value=0.5)", x="3, 8"),
        ["a = load(x[i, j - 1], (j >= 1) & (j < 9), 0.5)", "store(out[i, j], a)"],
    ),
    "lower half": (module("torch.tril(x)", x="4, 8"), ["a = load(x[i, j])", "store(out[i, j], where(j <= i, a, 0.0))"]),
    "expanded": (
        module("(x * 2).expand(3, 16)", x="16,"),
        ["a = load(x[j])", "store(out[i, j], a * 2.0)"],
    ),
    "slice": (module("x[:, 1:7:2].exp()", x="4, 8"), ["a = load(x[i, 2 * j + 1])", "store(out[i, j], exp(a))"]),
    "repeated": (
        module("x.repeat_interleave(2, -1).reshape(-1)", x="3, 4"),
        ["a = load(x[i // 8, i // 2 % 4])", "store(out[i], a)"],
    ),
    "window": (
        module("F.avg_pool1d(x, 3, stride=1, padding=1)", x="2, 3, 8"),
        [
            *("a = load(x[i, j, k - 1], k >= 1)", "b = load(x[i, j, k])", "c = load(x[i, j, k + 1], k < 7)"),
            "store(out[i, j, k], (a + b + c) / 3.0)",
        ],
    ),
    "padded with infinity": (
        module("F.max_pool1d(x, 3, padding=1)", x="2, 3, 9"),
        [
            *("a = load(x[i, j, 3 * k - 1], k >= 1, -inf)", "b = load(x[i, j, 3 * k])", "c = load(x[i, j, 3 * k + 1])"),
            "store(out[i, j, k], maximum(maximum(a, b), c))",
        ],
    ),
    "whole numbers": (module("x.max(1).values", x="i3,24"), ["a = load(x[i, r])", "store(out[i], max(a))"]),
    "truths": (module("x.any(1)", x="b3, 24"), ["a = load(x[i, r])", "store(out[i], any(a.to(int64) != 0))"]),
    "masked": (
        module("x.masked_fill(m, 0.0)", x="3, 4", m="b3, 4"),
        ["a = load(m[i, j])", "b = load(x[i, j])", "store(out[i, j], where(a, 0.0, b))"],
    ),
    "half": (module("x.half() * x", x="6,"), ["a = load(x[i])", "store(out[i], a.to(float16).to(float32) * a)"]),
    "two kernels": (
        module("torch.cumsum(x, 0) / (y.abs() + 1)", x="24, 3", y="24, 3"),
        [
            *("a = load(x[r, j])", "store(buf0[r, j], cumsum(a))", ""),
            *("a = load(buf0[i, j])", "b = load(y[i, j])", "store(out[i, j], a / (abs(b) + 1.0))"),
        ],
    ),
    "parts": (
        module("torch.cat([x[:, :2], y.cumsum(1)], 1)", x="3, 4", y="3, 24"),
        [
            *("a = load(y[i, r])", "store(out[i, r + 2], cumsum(a))", ""),
            *("axes(j=2)", "a = load(x[i, j])", "store(out[i, j], a)"),
        ],
    ),
}


#: Programs whose products and convolutions are written out, and their lines.
SUMS: dict[str, tuple[KernelModule, list[str]]] = {
    "product": (
        module("x @ y.t()", x="9, 5", y="7, 5"),
        ["a = load(x[i, r])", "b = load(y[j, r])", "store(out[i, j], sum(a * b))"],
    ),
    "grouped": (
        module("F.conv2d(x, self.weight, groups=2)", weight="4, 3, 3, 2", x="2, 6, 5, 6"),
        [
            *("a = load(x[i, 3 * (j // 2) + r, k + s, l + t])", "b = load(weight[j, r, s, t])"),
            "store(out[i, j, k, l], sum(a * b))",
        ],
    ),
    "turned": (
        module("F.conv_transpose1d(x, self.weight, stride=2, padding=1)", weight="3, 4, 3", x="2, 3, 8"),
        [
            *("axes(s=3)", "a = load(weight[r, j, 2 - s])"),
            "b = load(x[i, r, (k + s - 1) // 2], ((k + s - 1) % 2 < 1) & (k + s - 1 >= 0) & (k + s - 1 < 15))",
            "store(out[i, j, k], sum(b * a))",
        ],
    ),
    "volume": (
        module("F.conv3d(x, self.weight)", weight="2, 2, 2, 3, 3", x="1, 2, 4, 5, 6"),
        [
            *(
                "axes(t=9)",
                "a = load(x[0, r, k + s, l + t // 3, m + t % 3])",
                "b = load(weight[j, r, s, t // 3, t % 3])",
            ),
            "store(out[0, j, k, l, m], sum(a * b))",
        ],
    ),
}


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=2, timeout_s=60, memory_gb=4, use_gpu=False) as evaluator:
        yield evaluator


@pytest.mark.parametrize("name", CASES)
def test_programs_are_written_and_read_back(name: str, evaluator: LocalEvaluator) -> None:
    before, lines = CASES[name]
    text = short_form(lowered(before))
    assert text.rstrip("\n").split("\n") == lines
    after = AGENT.parse(fenced(text, ""), before)
    assert isinstance(after, KernelModule), after
    assert short_form(after) == text
    verdict = evaluator.evaluate(after, RUNGS)
    assert verdict.ok, verdict


@pytest.mark.parametrize("name", SUMS)
def test_sums_of_products_are_written_and_read_back(name: str, evaluator: LocalEvaluator) -> None:
    before, lines = SUMS[name]
    text = short_form(lowered(before, written_out=True, tiles=1))
    assert text.rstrip("\n").split("\n") == lines
    after = AGENT.parse(fenced(text, ""), before)
    assert isinstance(after, KernelModule), after
    verdict = evaluator.evaluate(after, RUNGS)
    assert verdict.ok, verdict


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("a = load(x[i, j)", "not Python", "write a complete"),
        ("", "the program is empty", "a paragraph for each kernel"),
        ("a = load(x[i, j])", "a kernel stores nothing", "end it with `store(out[i], ...)`"),
        ("a = load(x[i, j])\nstore(buf0[i, j], a)", "nothing is stored to out", "`store(out[...], ...)`"),
        ("a = load(x[i])\nstore(out[i, j], a)", "x has 2 dimensions, not 1", "it is f32[4, 8]"),
        ("a = load(y[i, j])\nstore(out[i, j], a)", "y is no tensor", "there are x, weight"),
        ("a = load(out[i, j])\nstore(out[i, j], a)", "out is not stored to yet", "there are x, weight"),
        ("a = load(x[i, j])\nstore(x[i, j], a)", "x is an input", "store to an output"),
        ("a = load(x[i, j])\nstore(out[i, j], b)", "b has no value yet", "assign it before"),
        ("store(out[i, j], x)", "x is a tensor", "`load(x[...])`"),
        ("i = load(x[0, 0])\nstore(out[i, j], i)", "i is no name for a value", "use a, b, c"),
        ("a = load(x[i, j])\nstore(out[i, j], tan_h(a))", "there is no function tan_h", "there are abs, ceil"),
        ("a = load(x[i, j])\nstore(out[i, j], maximum(a))", "maximum takes 2 values, not 1", "give it as many"),
        ("a = load(x[i, j])\nstore(out[i, j], max(a))", "max has no axis to work along", "by r along that axis"),
        ("a = load(x[i, r])\nstore(out[i, 0], a)", "the value has an element for each r", "as `sum(a)`"),
        ("a = load(x[i, j])\nstore(out[0, 0], a)", "the value has an element for each i", "index out by i"),
        ("a = load(x[r, s])\nstore(out[r, s], cumsum(a))", "cumsum works along one axis", "make it r alone"),
        ("store(out[i, j], k * 1.0)", "nothing says how long axis k is", "begin with `axes(k=8)`"),
        ("axes(i=8)\na = load(x[i, j])\nstore(out[i, j], a)", "axis i is 8 long, x has 4", "x is f32[4, 8]"),
        ("axes(q=8)\nstore(out[i, j], 0.0)", "axes that are no letters with sizes", "`axes(r=8)`"),
        ("axes(r=8192)\na = sum(r)\nstore(out[i, j], a * 1.0)", "would loop over 8192", "4096 are the most"),
        ("a = load(x[i, 8])\nstore(out[i, j], a)", "x has 8 elements along this dimension", "it is f32[4, 8]"),
        ("a = load(x[i, j]).to(float33)\nstore(out[i, j], a)", "a cast to no type", "types are bfloat16"),
        ("while True:\n    pass", "a statement of an unknown kind (While)", "write `a = ...`"),
        ("import os\nstore(out[i, j], 0.0)", "a statement of an unknown kind (Import)", "write `a = ...`"),
        ("store(out[i, j], lambda: 0)", "an expression of an unknown kind", "use arithmetic"),
        ("store(out[i, j], " + "-" * 100 + "1.0)", "nest too deeply", "give parts of them names"),
    ],
)
def test_what_is_not_the_short_form_says_what_would_be(text: str, message: str, hint: str) -> None:
    found = AGENT.parse(fenced(text, ""), module("x + self.weight", weight="8,", x="4, 8"))
    if text:
        assert isinstance(found, tuple)
        assert message in found[0].message and hint in found[0].hint, found
    with pytest.raises(DialectError, match=re.escape(message)):
        expand(text, module("x + self.weight", weight="8,", x="4, 8").reference)


def test_a_diagnostic_says_the_line() -> None:
    (found,) = AGENT.parse(fenced("a = load(x[i])\nstore(out[i], b)", ""), module("x", x="4,"))  # type: ignore[misc]
    assert (found.line, found.text) == (2, "b")


def test_tensors_may_be_called_as_axes_and_values_are(evaluator: LocalEvaluator) -> None:
    before = module("r + a.t()", r="3, 4", a="4, 3")
    text = short_form(lowered(before))
    after = AGENT.parse(fenced(text, ""), before)
    assert isinstance(after, KernelModule)
    assert evaluator.evaluate(after, RUNGS).ok


def test_an_output_lies_in_memory_as_the_references_does() -> None:
    program = expand("a = load(x[j, i])\nstore(out[i, j], a)", module("x.t()", x="4, 8").reference)
    assert "torch.empty_strided((8, 4), (1, 8)" in program
    assert "j = xindex // 8\n" in program


@pytest.mark.parametrize("value", ["x @ x", "torch.sort(x).values"])
def test_what_has_no_short_form_is_left_out(value: str) -> None:
    after = lowered(module(value, x="4, 4"))
    with pytest.raises(NotExpressibleError):
        short_form(after)
    assert AGENT.answer(after) is None


def test_fits_give_what_they_stand_for() -> None:
    """Random index arithmetic over random axes: an expression that is found gives the same numbers."""
    chance, found = random.Random(0), 0
    for _ in range(300):
        sizes = {letter: chance.choice([2, 3, 4, 8]) for letter in "ijr"[: chance.randint(1, 3)]}
        domain = Domain.of(sizes)
        where = torch.rand(domain.elements) < 0.9
        values = sum(axis * chance.choice([0, 0, 1, 2, 8]) for axis in domain.axes.values()) + chance.randint(0, 3)
        assert isinstance(values, torch.Tensor)
        divisor = chance.choice([1, 2, 3, 4])
        values = chance.choice([values, values // divisor, values % divisor])
        names = {letter: axis.numpy() for letter, axis in domain.axes.items()}
        text = fit(values, domain, where)
        if text is not None:
            found += 1
            given = torch.as_tensor(eval(text, {}, names)).expand(domain.elements)
            assert torch.equal(given[where], values[where]), (text, sizes)
        condition = values < chance.randint(0, 6)
        said = fit_condition(condition, domain)
        if said is not None:
            assert torch.equal(torch.as_tensor(eval(said, {}, names)).expand(domain.elements), condition), (said, sizes)
    assert found > 200


def test_whatever_is_answered_is_read_or_refused() -> None:
    """Texts with tokens dropped, doubled and exchanged: a module or diagnostics, never an error."""
    chance, counts = random.Random(0), {True: 0, False: 0}
    words = (
        "a b i j r x weight out buf0 0 1 -1 2.5 ( ) [ ] , . = + // load store sum max where axes to float16 \n".split(
            " "
        )
    )
    for name in ("broadcast", "kept", "softmax", "gather", "pad", "two kernels"):
        before, lines = CASES[name]
        tokens = re.findall(r"\w+|\n|[^\w\s]| +", "\n".join(lines))
        for _ in range(60):
            changed = list(tokens)
            for _ in range(chance.randint(1, 3)):
                place = chance.randrange(len(changed))
                changed[place] = chance.choice([chance.choice(words), "", changed[place] * 2, chance.choice(tokens)])
            found = AGENT.parse(fenced("".join(changed), ""), before)
            assert isinstance(found, KernelModule) or found[0].message
            counts[isinstance(found, KernelModule)] += 1
    assert min(counts.values()) > 20
