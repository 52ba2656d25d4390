"""Inputs that make an index leave a table on a GPU are refused before they reach it."""

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from siblings import Sibling, tell_apart
from torch import Tensor

from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.backend.torch_private import TorchDispatchMode
from kernelwright.evaluation.inputs.device_asserts import AssertsOnCPU
from kernelwright.evaluation.inputs.trial import Trial
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source

TABLE = torch.randn(5, 3)
ROWS = torch.randn(2, 5)
PLACES: dict[str, Callable[[Tensor], Tensor]] = {
    "embedding": lambda i: F.embedding(i, TABLE),
    "embedding in bf16": lambda i: F.embedding(i, TABLE.bfloat16()),
    "embedding bag": lambda i: F.embedding_bag(i[None], TABLE),
    "index": lambda i: TABLE[i],
    "index of columns": lambda i: ROWS[:, i],
    "index_select": lambda i: TABLE.index_select(0, i),
    "gather": lambda i: ROWS.gather(1, i.expand(2, 2)),
    "take": lambda i: TABLE.take(i * 3),
    "scatter in place": lambda i: torch.zeros(2, 5).scatter_(1, i.expand(2, 2), 1.0),
    "scatter_add": lambda i: torch.zeros(2, 5).scatter_add(1, i.expand(2, 2), ROWS),
    "index_add": lambda i: torch.zeros(5, 3).index_add(0, i, TABLE[:2]),
    "index_put": lambda i: torch.zeros(5, 3).index_put_((i,), TABLE[:2], accumulate=True),
    "cross entropy": lambda i: F.cross_entropy(ROWS, i),
    "weighted cross entropy": lambda i: F.cross_entropy(ROWS, i, weight=torch.arange(1.0, 6.0)),
    "multi-class margin": lambda i: F.multi_margin_loss(ROWS, i),
}
CHANCES: dict[str, Callable[[Tensor], Tensor]] = {
    "binary cross entropy": lambda p: F.binary_cross_entropy(p, torch.ones(2)),
    "bernoulli": torch.bernoulli,
    "multinomial": lambda p: torch.multinomial(p, 1),
}


SOURCE = """import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Parameter(torch.randn(5, 3))

    def forward(self, mask):
        return self.table[mask.cumsum(0)]


def get_inputs():
    return [torch.randint(0, 2, (4,))]
"""


class _Given(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Stands for a GPU: whether an index into this very table reaches it."""

    def __init__(self, table: Tensor) -> None:
        super().__init__()
        self.address, self.reached = table.data_ptr(), False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.reached |= func.overloadpacket.__name__ == "index" and args[0].data_ptr() == self.address
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("name", PLACES)
def test_a_place_outside_is_refused_and_the_last_one_taken(name: str) -> None:
    with AssertsOnCPU():
        assert torch.equal(PLACES[name](torch.tensor([0, 4])), PLACES[name](torch.tensor([0, 4])))
        for outside in (7, -9):
            with pytest.raises((IndexError, RuntimeError)):
                PLACES[name](torch.tensor([0, outside]))


@pytest.mark.parametrize("name", CHANCES)
def test_what_is_no_chance_is_refused_and_chances_are_taken(name: str) -> None:
    torch.manual_seed(0)
    plain = CHANCES[name](torch.tensor([0.25, 0.5]))
    torch.manual_seed(0)
    with AssertsOnCPU():
        assert torch.equal(CHANCES[name](torch.tensor([0.25, 0.5])), plain)
        with pytest.raises(RuntimeError):
            CHANCES[name](torch.tensor([-1.5, 0.5]))


@pytest.mark.parametrize(("mask", "taken"), [([0, 1, 1, 1], True), ([1, 1, 1, 2], False)])
def test_a_trial_for_a_gpu_refuses_places_that_a_sum_gives(mask: list[int], taken: bool) -> None:
    program = ReferenceProgram.load(import_source(SOURCE, "places").reference)
    model = program.build(0)
    for trial in (Trial(program, "cpu"), Trial(program, "cuda")):
        assert trial.takes(model, [torch.tensor(mask)]) is taken
    with _Given(model.table) as device, AssertsOnCPU(), contextlib.suppress(IndexError):
        model(torch.tensor(mask))
    assert device.reached is taken


ENDED = """import ctypes
if bool((m > 9).any()) or bool((m < 0).any()):
    ctypes.string_at(0)
return x * m"""


def test_integers_that_end_a_reference_are_not_drawn(evaluator: LocalEvaluator) -> None:
    """Some of torch's own code is ended by what it does not check, as the losses of sequences are."""
    inputs = "return [torch.randn(16, 24), torch.randint(2, 10, (16, 24))]"
    found = tell_apart(Sibling("ended", ENDED, inputs, "y = x * m", "y = x", rows=("x", "m")), evaluator)
    assert any("ended by SIGSEGV" in note for note in found.caliber["notes"])


@pytest.mark.gpu
def test_a_gpu_works_on_after_a_refused_place() -> None:
    program = ReferenceProgram.load(import_source(SOURCE, "places").reference)
    model = program.build(0, "cuda")
    assert not Trial(program, "cuda").takes(model, [torch.tensor([1, 1, 1, 2], device="cuda")])
    assert Trial(program, "cuda").takes(model, [torch.tensor([0, 1, 1, 2], device="cuda")])
