"""Programs return what their reference returns: tensors, and what holds them."""

from collections.abc import Iterator

import pytest
import torch

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.backend.reference.structure import put_together, taken_apart
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.ir.errors import UserError
from kernelwright.ir.host.structure import filled, is_structure
from kernelwright.ir.values import Reference

RUNGS = (Rung.PARSE, Rung.INTERPRET)


@pytest.fixture(scope="module", params=[True, False], ids=["dialect", "any Python"])
def evaluator(request: pytest.FixtureRequest) -> Iterator[LocalEvaluator]:
    with LocalEvaluator(
        seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=request.param, rehearsals=0
    ) as evaluator:
        yield evaluator


def reference(returned: str) -> Reference:
    source = (
        "import collections\nimport torch\n\nPair = collections.namedtuple('Pair', 'a b')\n\n\n"
        "class Model(torch.nn.Module):\n    def forward(self, x):\n        a, b = x * 2, x * 3\n"
        f"        return {returned}\n\n\ndef get_inputs():\n    return [torch.randn(31)]\n\n\n"
        "def get_init_inputs():\n    return []\n"
    )
    return import_source(source, "several", shrink="never").reference


def program(returned: str) -> str:
    return f"""import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, a_ptr, b_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(a_ptr + i, x * 2, mask=i < n)
    tl.store(b_ptr + i, x * 3, mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x):
        a, b = torch.empty_like(x), torch.empty_like(x)
        k[(1,)](x, a, b, x.numel(), B=32)
        return {returned}
"""


#: What the reference returns, and what a wrong program does.
RETURNED = {
    "None besides": ("a, None", "a"),
    "None for another": ("a, None", "a, b"),
    "a number besides": ("a, x.shape[0]", "a, x.shape[0] + 1"),
    "a number of another type": ("a, x.shape[0]", "a, float(x.shape[0])"),
    "a boolean, no number": ("a, True", "a, 1"),
    "a dictionary": ("{'a': a, 'b': b}", "{'a': b, 'b': a}"),
    "a dictionary with other keys": ("{'a': a, 'b': b}", "{'a': a, 'c': b}"),
    "a dictionary in another order": ("{'a': a, 'b': b}", "{'b': b, 'a': a}"),
    "a dictionary, no tuple": ("{'a': a, 'b': b}", "(a, b)"),
    "a tuple in a tuple": ("a, (b, a)", "a, b, a"),
    "a tuple in a tuple, elsewhere": ("a, (b, a)", "(a, b), a"),
    "a list in a tuple": ("a, [b, b]", "a, (b, b)"),
    "a dictionary in a list": ("[{'a': a}, {'a': b, 'n': None}]", "[{'a': a}, {'a': b}]"),
    "a string besides": ("a, 'mean'", "a, 'sum'"),
    "another in evaluation mode": ("(a, b) if self.training else a", "(a, b)"),
    "None in evaluation mode": ("(a, b if self.training else None)", "(a, b)"),
}


@pytest.mark.parametrize("name", RETURNED)
def test_programs_return_what_the_reference_returns(name: str, evaluator: LocalEvaluator) -> None:
    right, wrong = RETURNED[name]
    verdict = evaluator.evaluate_text(program(right), reference(right), RUNGS)
    assert verdict.ok, verdict
    verdict = evaluator.evaluate_text(program(wrong), reference(right), RUNGS)
    assert verdict.status is Status.MISMATCH, verdict


def test_a_named_tuple_is_a_tuple(evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate_text(program("a, b"), reference("Pair(a, b)"), RUNGS)
    assert verdict.ok, verdict


@pytest.mark.parametrize(
    "result",
    [
        torch.ones(2),
        (torch.ones(2), torch.zeros(2)),
        [torch.ones(2)],
        (torch.ones(2),),
        (torch.ones(2), None, "...", {"a": [torch.zeros(1), 3], 4: (False, 0.5, torch.ones(1))}),
    ],
    ids=str,
)
def test_results_are_taken_apart_and_put_together_again(result: object) -> None:
    tensors, returns = taken_apart(result)
    assert is_structure(returns)
    assert str(put_together(returns, tensors)) == str(result)
    names = [f"t{place}" for place in range(len(tensors))]
    assert str(eval(filled(returns, names), dict(zip(names, tensors, strict=True)))) == str(result)


@pytest.mark.parametrize(
    "result",
    [None, {"a": 1}, (torch.ones(1), object()), {(1, 2): torch.ones(1)}],
    ids=["nothing", "a number", "an object", "a key that is no name"],
)
def test_other_results_are_refused_in_a_sentence(result: object) -> None:
    with pytest.raises(UserError, match="return "):
        taken_apart(result)


@pytest.mark.parametrize("text", ["", "none", "(1, 2)", "f(...)", "[...", None, "...", "(..., x)"])
def test_other_texts_are_no_structures(text: object) -> None:
    assert not is_structure(text)
