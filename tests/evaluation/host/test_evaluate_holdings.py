"""What a module is besides its results: what it holds, and how it begins."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.backend.reference.holdings import difference, holdings, other_start, sets
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source


class _Model(nn.Module):
    """A reference's module; `change` makes a candidate's of it."""

    def __init__(self, change: Callable[[nn.Module], object] = lambda _model: None) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(8))
        self.table = nn.Parameter(torch.ones(8, 3), requires_grad=False)
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8)
        self.second.weight = self.first.weight
        self.register_buffer("mean", torch.zeros(8))
        self.register_buffer("places", torch.arange(8), persistent=False)
        change(self)

    def forward(self, x: Tensor, scale: float = 2.0, mask: Tensor | None = None) -> Tensor:  # noqa: ARG002
        return x


class _Slower(_Model):
    def forward(self, x: Tensor, scale: float = 1.0, mask: Tensor | None = None) -> Tensor:  # noqa: ARG002
        return x


class _Named(_Model):
    def forward(self, hidden: Tensor, factor: float = 2.0, *rest: object) -> Tensor:  # noqa: ARG002
        return hidden


def _buffer(model: nn.Module, name: str, persistent: bool) -> None:
    held = getattr(model, name).detach()
    delattr(model, name)
    model.register_buffer(name, held, persistent=persistent)


def _parameter(model: nn.Module, name: str) -> None:
    held = getattr(model, name)
    delattr(model, name)
    setattr(model, name, nn.Parameter(held))


def _wide(model: nn.Module) -> None:
    model.table = nn.Parameter(torch.ones(3, 8), requires_grad=False)


def _renamed(model: nn.Module) -> None:
    model.weight = model.gain
    del model.gain


WRONG: tuple[tuple[Callable[[nn.Module], object], str], ...] = (
    (lambda m: _buffer(m, "gain", True), "self.gain is a buffer, and"),
    (lambda m: _buffer(m, "gain", False), "self.gain is a buffer that is not saved"),
    (lambda m: _buffer(m, "mean", False), "self.mean is a buffer that is not saved"),
    (lambda m: _buffer(m, "places", True), "self.places is a buffer, and"),
    (lambda m: _parameter(m, "mean"), "self.mean is a parameter"),
    (lambda m: m.gain.requires_grad_(False), "self.gain has requires_grad=False"),
    (lambda m: m.table.requires_grad_(), "self.table has requires_grad=True"),
    (lambda m: setattr(m.second, "weight", nn.Parameter(torch.ones(8, 8))), "are two tensors"),
    (lambda m: setattr(m.second, "bias", m.first.bias), "are one tensor"),
    (lambda m: m.eval(), "training=False"),
)
RIGHT: tuple[Callable[[nn.Module], object], ...] = (
    lambda _m: None,
    lambda m: m.register_buffer("packed", torch.ones(8, 8)),
    lambda m: m.register_buffer("packed", torch.ones(8, 8), persistent=False),
    lambda m: setattr(m, "packed", None),
    _wide,
    _renamed,
    lambda m: setattr(m, "extra", nn.Parameter(torch.ones(1))),
    lambda m: setattr(m, "cached", torch.ones(3)),
)
SAID = {"sets": False}


@pytest.mark.parametrize(("change", "told"), WRONG)
def test_a_module_that_holds_something_otherwise_is_told(change: Callable[[nn.Module], object], told: str) -> None:
    assert told in difference(holdings(_Model()) | SAID, holdings(_Model(change)))


@pytest.mark.parametrize("change", RIGHT)
def test_and_one_that_holds_more_or_in_another_layout_is_not(change: Callable[[nn.Module], object]) -> None:
    assert difference(holdings(_Model()) | SAID, holdings(_Model(change))) == ""


def test_defaults_are_compared_by_place() -> None:
    assert "forward takes 1.0 for scale" in difference(holdings(_Model()) | SAID, holdings(_Slower()))
    assert difference(holdings(_Model()) | SAID, holdings(_Named())) == ""


def test_what_a_constructor_leaves_is_told_unless_the_reference_may_do_so() -> None:
    found = holdings(_Model()) | {"effect": "the constructor leaves gradients off"}
    assert "gradients off" in difference(holdings(_Model()) | {"sets": sets("x = 1")}, found)
    assert difference(holdings(_Model()) | {"sets": sets("torch.manual_seed(0)")}, found) == ""


ZEROS, ONES = torch.zeros(64), torch.ones(64)
RANDOM, OTHER = torch.randn(64, generator=torch.Generator().manual_seed(0)), torch.randn(64)
#: What the reference's tensor and a candidate's begin with, and whether that is another beginning.
BEGINNINGS = (
    (ONES, ZEROS, True),
    (ZEROS, ONES, True),
    (ONES, RANDOM, True),
    (RANDOM, ZEROS, True),
    (RANDOM, RANDOM * 0.1, True),
    (RANDOM, RANDOM * 10, True),
    (RANDOM, RANDOM + 5, True),
    (torch.arange(8), torch.zeros(8, dtype=torch.int64), True),
    (torch.ones(1), torch.zeros(1), True),
    (ONES, ONES, False),
    (RANDOM, RANDOM, False),
    (RANDOM, RANDOM.flip(0), False),
    (RANDOM, OTHER, False),
    (RANDOM, -RANDOM, False),
    (torch.arange(8), torch.arange(8), False),
    (torch.ones(0), torch.ones(0), False),
    (torch.tensor([1.0, 2.0]), torch.tensor([2.0, 1.0]), False),
    (ONES.bfloat16(), ONES.bfloat16(), False),
)


@pytest.mark.parametrize("case", range(len(BEGINNINGS)))
def test_how_weights_begin(case: int) -> None:
    wanted, found, other = BEGINNINGS[case]
    assert other_start(wanted, found) is other


REFERENCE = """import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = torch.nn.Parameter(torch.ones(64))

    def forward(self, x):
        return x * self.gain


def get_inputs():
    return [torch.randn(64)]


def get_init_inputs():
    return []
"""
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
        {built}

    def forward(self, x):
        y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        k[(1,)](x, self.gain, y, B=64)
        return y
"""
#: How a program begins, and what the verdict tells of that, "" where it is right.
BUILT = {
    "self.gain = nn.Parameter(torch.ones(64))": "",
    "self.register_buffer('gain', torch.ones(64))": "self.gain is a buffer",
    "self.gain = nn.Parameter(torch.full((64,), 0.5))": "self.gain starts with other values",
    "torch.manual_seed(0); self.gain = nn.Parameter(torch.ones(64))": "torch's generator",
}


@pytest.mark.parametrize(
    ("built", "dialect"),
    [(built, dialect) for built in BUILT for dialect in (True, False)[built.startswith("torch") :]],
)
def test_the_judge_compares_modules(built: str, dialect: bool) -> None:
    reference = import_source(REFERENCE, "scaled").reference
    with LocalEvaluator(seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=dialect) as evaluator:
        verdict = evaluator.evaluate_text(PROGRAM.format(built=built), reference, (Rung.PARSE, Rung.INTERPRET))
    if not BUILT[built]:
        assert verdict.ok, verdict
    else:
        assert verdict.status is Status.RUNTIME_ERROR and BUILT[built] in verdict.detail, verdict
