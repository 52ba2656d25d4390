"""What belongs to callers: the modes of modules, which tensors want gradients, and the parts of a result."""

import collections
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor, nn

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.host.containers import check_container
from kernelwright.evaluation.host.effects import EffectError, check_gradients
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source

RUNGS = (Rung.PARSE, Rung.INTERPRET)
REFERENCE = import_source(
    "import torch\n\n\nclass Model(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.gain = torch.nn.Parameter(torch.rand(64))\n        self.drop = torch.nn.Dropout(0.0)\n\n"
    "    def forward(self, x):\n        return x * self.gain\n\n\n"
    "def get_inputs():\n    return [torch.randn(64)]\n\n\ndef get_init_inputs():\n    return []\n",
    "scaled",
).reference

PROGRAM = """import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, g_ptr, y_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y_ptr + i, tl.load(x_ptr + i) * tl.load(g_ptr + i))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(64))
        self.drop = nn.Dropout(0.0)

    def forward(self, x):
        {effect}
        y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        k[(1,)](x, self.gain, y, B=64)
        return {result}
"""
LEFT = (
    "self.eval()",
    "self.drop.eval()",
    "self.drop.training = False",
    "was = self.training; self.eval(); self.train(was)",  # a part may be in another mode
    "self.gain.requires_grad_(False)",
    "self.requires_grad_(False)",
    "self.gain.requires_grad = False",
    "self.gain.grad = None",
    "self.zero_grad()",
    "x.grad = None",
    "x.is_leaf and x.requires_grad_(False)",
    "x.is_leaf and x.requires_grad_()",
)
CLEAN = (
    "modes = [(one, one.training) for one in self.modules()]",
    "self.eval()",
    "[setattr(one, 'training', mode) for one, mode in modes]",
    "self.gain.requires_grad_(self.gain.requires_grad)",
    "self.gain.detach().requires_grad_(False)",
    "x.detach().requires_grad_()",
    "self.gain.requires_grad_()",
    "torch.empty(1).requires_grad_()",
    "self.drop.training",
)
WANTING = ("y.requires_grad_()", "nn.Parameter(y)", "y.detach().requires_grad_()")


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(
        seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=False, vocabulary=False
    ) as evaluator:
        yield evaluator


@pytest.mark.parametrize("effect", LEFT)
def test_a_call_leaves_what_belongs_to_its_caller(effect: str, evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate_text(PROGRAM.format(effect=effect, result="y"), REFERENCE, RUNGS)
    assert verdict.status is Status.RUNTIME_ERROR and "belongs to the caller" in verdict.detail, verdict


@pytest.mark.parametrize("result", WANTING)
def test_no_result_wants_gradients_of_its_own(result: str, evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate_text(PROGRAM.format(effect="pass", result=result), REFERENCE, RUNGS)
    assert verdict.status is Status.RUNTIME_ERROR and "output 0 wants gradients" in verdict.detail, verdict


def test_what_no_caller_notices_is_left_alone(evaluator: LocalEvaluator) -> None:
    effect = "; ".join(CLEAN)
    verdict = evaluator.evaluate_text(PROGRAM.format(effect=effect, result="y.detach()"), REFERENCE, RUNGS)
    assert verdict.ok, verdict


class _Point(NamedTuple):
    more: Any
    less: Any


class _Swapped(tuple):
    def __getitem__(self, place: Any) -> Any:
        return tuple.__getitem__(self, 1 - place)


class _Backwards(tuple):
    def __iter__(self) -> Any:
        return reversed(tuple(tuple.__iter__(self)))


class _Short(list):
    def __len__(self) -> int:
        return 1


class _Holding(tuple):
    def __contains__(self, _one: Any) -> bool:
        return True


class _Equal(list):
    def __eq__(self, _other: object) -> bool:
        return True

    __hash__ = None


class _Crossed(_Point):
    more = property(lambda self: self[1])


class _Forgetful(dict):
    def __getitem__(self, _key: Any) -> Any:
        return next(iter(self.values()))


class _Longer(list):
    def __reversed__(self) -> Any:
        return iter(self)


class _Named(collections.OrderedDict):
    def __getattr__(self, name: str) -> Any:
        return self[name]


A, B = torch.ones(1), torch.zeros(1)
WRONG = (
    _Swapped((A, B)),
    _Backwards((A, B)),
    _Short((A, B)),
    _Holding((A, B)),
    _Equal((A, B)),
    _Crossed(A, B),
    _Forgetful(a=A, b=B),
    _Longer((A, B)),
    [A, (B, _Swapped((A, B)))],
    {"a": _Backwards((A, B))},
)
RIGHT = (
    A,
    (A, B),
    [A, B],
    {"a": A, "b": (B, [A])},
    _Point(A, B),
    _Point(A, [_Point(A, B)]),
    _Named(a=A, b=B),
    collections.defaultdict(list, a=A),
    torch.rand(3).max(0),
    (A, torch.Size((1, 2))),
    None,
)


@pytest.mark.parametrize("result", WRONG, ids=lambda one: type(one).__name__)
def test_a_container_that_gives_other_parts_is_refused(result: Any) -> None:
    with pytest.raises(TypeError, match="the result, a "):
        check_container(result)


@pytest.mark.parametrize("result", RIGHT, ids=lambda one: type(one).__name__)
def test_and_others_are_taken(result: Any) -> None:
    check_container(result)


#: Outputs, whether gradients are on, and whether that is right.
CARRIED: tuple[tuple[Tensor, bool, bool], ...] = (
    (torch.ones(1), False, True),
    (torch.ones(1), True, True),
    (torch.ones(1, requires_grad=True) * 2, True, True),
    (torch.ones(1, requires_grad=True).view(1), True, True),
    (torch.ones(1, requires_grad=True).detach(), True, True),
    (torch.arange(3), False, True),
    (torch.ones(1, requires_grad=True) * 2, False, False),
    (torch.ones(1, requires_grad=True), True, False),
    (torch.ones(1, requires_grad=True), False, False),
    (nn.Parameter(torch.ones(1)), True, False),
    (torch.ones(1).requires_grad_(), False, False),
)


@pytest.mark.parametrize("case", range(len(CARRIED)))
def test_what_results_carry(case: int) -> None:
    output, enabled, right = CARRIED[case]
    if right:
        check_gradients([output], enabled)
    else:
        with pytest.raises(EffectError, match="output 0 wants gradients"):
            check_gradients([output], enabled)
