"""What calls are made under is there while they are made, and gone afterwards; what is around a module, too."""

import logging
import os
import socket
import sys
import warnings
from collections.abc import Callable, Iterator

import pytest
import torch
from torch import Tensor, nn
from torch.nn.modules import module as modules

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.host.callers import handling
from kernelwright.evaluation.host.dressings import DRESSINGS, MOVES, dressed
from kernelwright.evaluation.host.effects import Shared
from kernelwright.evaluation.host.histories import MAKERS, made_by
from kernelwright.evaluation.host.modes import World, called, drawn_world
from kernelwright.evaluation.host.session import Session
from kernelwright.evaluation.host.settings import SETTINGS
from kernelwright.evaluation.host.traces import Trace
from kernelwright.evaluation.host.withheld import DeviceTensor, public
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.evaluation.protocol.link import Link
from kernelwright.frontend.importers import import_source

#: What a program may ask, by the setting that makes it so.
ASKED: dict[str, Callable[[], bool]] = {
    "anomalies but NaN": lambda: torch.is_anomaly_enabled() and not torch.is_anomaly_check_nan_enabled(),
    "forward mode": lambda: torch.autograd.forward_ad._current_level >= 0,
    "plain attention": lambda: not torch.backends.cuda.flash_sdp_enabled(),
    "strictly repeatable": lambda: torch.get_deterministic_debug_mode() == 2,
    "repeatable": lambda: torch.get_deterministic_debug_mode() == 1,
    "messages": lambda: logging.getLogger().isEnabledFor(logging.DEBUG),
    "no messages": lambda: not logging.getLogger().isEnabledFor(logging.WARNING),
    "warnings raised": lambda: ("error", None, Warning, None, 0) in warnings.filters,
    "no cache of autocast": lambda: not torch.is_autocast_cache_enabled(),
    "exact sums of fp16": lambda: not torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction,
    "cudnn.benchmark": lambda: torch.backends.cudnn.benchmark,
    "cudnn.enabled": lambda: not torch.backends.cudnn.enabled,
    "mkldnn off": lambda: not torch.backends.mkldnn.enabled,
    "environment": lambda: os.environ.get("NODE_RANK") == "1",
}


@pytest.mark.parametrize("name", ASKED)
def test_a_setting_can_be_asked_for(name: str) -> None:
    assert not ASKED[name]()
    with SETTINGS[name].entered():
        assert ASKED[name]()
    assert not ASKED[name]()


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_leaves_the_process_as_it_was(name: str) -> None:
    shared = Shared()
    shared.settle()
    with SETTINGS[name].entered():
        pass
    shared.check()


def test_a_caller_handles_an_exception() -> None:
    assert handling(sys.exc_info)[0] is RuntimeError and sys.exc_info()[0] is None
    assert called(World(handling=True), lambda _given: sys.exc_info()[0], [], torch.no_grad, None) is RuntimeError


@pytest.mark.parametrize(("rank", "group"), [((1, 2), "0"), ((5, 8), "1")])
def test_processes_are_spread_over_machines(rank: tuple[int, int], group: str) -> None:
    asked = called(World(rank=rank), lambda _given: dict(os.environ), [], torch.no_grad, None)
    assert (asked["RANK"], asked["WORLD_SIZE"], asked["GROUP_RANK"]) == (str(rank[0]), str(rank[1]), group)


def test_all_of_it_is_drawn() -> None:
    drawn = [drawn_world(True, True) for _ in range(600)]
    assert frozenset().union(*(one.settings for one in drawn)) == SETTINGS.keys()
    assert frozenset().union(*(one.dressings for one in drawn)) == DRESSINGS.keys()
    assert {one.move for one in drawn} == {"", *MOVES}
    assert {one.weights for one in drawn} == {0, 1, 2} and {one.handling for one in drawn} == {False, True}


class _Scaled(nn.Module):
    def __init__(self, session: Session) -> None:
        super().__init__()
        self.gain = nn.Parameter(public(session, torch.ones(4)), requires_grad=False)
        self.shift = nn.Parameter(public(session, torch.zeros(4)), requires_grad=False)
        self.tied = nn.Module()
        self.tied.gain = self.gain

    def forward(self, x: Tensor) -> Tensor:
        return x


@pytest.fixture
def session() -> Iterator[Session]:
    here, there = socket.socketpair()
    with here, there:
        yield Session(Link(here, 1 << 20), None)


def _content(weight: Tensor) -> list[float]:
    return weight.cpu().tolist()


#: What a program may ask its module, by what is around that.
AROUND: dict[str, Callable[[_Scaled], bool]] = {
    "backward hooks": lambda m: len(m._backward_hooks) > 0,
    "hooks of states": lambda m: len(m._state_dict_pre_hooks) > 0,
    "hooks of loading": lambda m: len(m._load_state_dict_post_hooks) > 0,
    "hooks of all": lambda _m: len(modules._global_forward_hooks) > 0,
    "backward hooks of all": lambda _m: len(modules._global_backward_hooks) > 0,
    "marks": lambda m: "_hf_hook" in vars(m),
    "marked weights": lambda m: getattr(m.gain, "_is_hf_initialized", False),
    "more state": lambda m: next(m.parameters()) is not m.gain and list(m._buffers) != [],
}


@pytest.mark.parametrize("name", AROUND)
def test_what_is_around_a_module(name: str, session: Session) -> None:
    model = _Scaled(session)
    stays = {"_is_full_backward_hook": True}
    held, attributes = dict(model.named_parameters()), vars(model) | stays
    assert not AROUND[name](model)
    with dressed(model, frozenset((name,)), ""):
        assert AROUND[name](model)
    assert not AROUND[name](model)
    assert list(model.named_parameters()) == list(held.items()) and vars(model) | stays == attributes


@pytest.mark.parametrize("move", MOVES)
def test_weights_move_and_come_back(move: str, session: Session) -> None:
    model = _Scaled(session)
    gain, plain, order = model.gain, type(model), list(model._parameters)
    with dressed(model, frozenset(), move):
        assert model.gain is not gain and model.tied.gain is model.gain
        assert _content(model.gain) == [1.0] * 4 and str(_content(gain)) == str([float("nan")] * 4)
        assert (move in ("replaced", "functional")) is ("gain" in model._parameters)
    assert model.gain is gain and model.tied.gain is gain and type(model) is plain
    assert list(model._parameters) == order and list(model._buffers) == [] and list(model._modules) == ["tied"]
    assert _content(gain) == [1.0] * 4


@pytest.mark.parametrize(("maker", "number"), [("second half", 1), ("third part", 2), ("mean", 1), ("product", 0)])
def test_inputs_are_parts_of_results(maker: str, number: int, session: Session) -> None:
    given = public(session, torch.ones(4, 4)).requires_grad_()
    made = made_by(maker, given)
    assert isinstance(made, DeviceTensor) and made.output_nr == number and made.shape == given.shape


@pytest.mark.parametrize("maker", MAKERS)
def test_each_operation_gives_its_input(maker: str, session: Session) -> None:
    given = public(session, torch.ones(4, 4)).requires_grad_()
    made = made_by(maker, given)
    assert made.store is given.store and made.grad_fn is not None


REFERENCE = import_source(
    "import torch\n\n\nclass Model(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.gain = torch.nn.Parameter(torch.rand(64))\n        self.shift = torch.nn.Parameter(torch.rand(64))\n"
    "\n    def forward(self, x):\n        return x * self.gain + self.shift\n\n\n"
    "def get_inputs():\n    return [torch.randn(64)]\n\n\ndef get_init_inputs():\n    return []\n",
    "scaled",
).reference
PROGRAM = """import torch
import torch.nn as nn
import triton
import triton.language as tl

MADE, SLOTS = [], {{}}


@triton.jit
def k(x_ptr, g_ptr, s_ptr, y_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    x, g, s = tl.load(x_ptr + i, mask=i < n), tl.load(g_ptr + i, mask=i < n), tl.load(s_ptr + i, mask=i < n)
    tl.store(y_ptr + i, x * g + s, mask=i < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(64))
        self.shift = nn.Parameter(torch.rand(64))
        {built}

    {method}

    def forward(self, x):
        {ask}
        y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        k[(1,)](x, {gain}, {shift}, y, {count}, B=64)
        return y
"""
PACKED = "if self.kept is None or {when}: self.kept, self.seen = self.gain.detach().clone(), self.gain._version"
#: Parts of programs, and whether they are right.
WEIGHTS: dict[str, tuple[dict[str, str], bool]] = {
    "the first parameter": ({"gain": "next(self.parameters())"}, False),
    "the last parameter": ({"shift": "[*self._parameters.values(), *self._buffers.values()][-1]"}, False),
    "from the dictionary": ({"gain": "dict(self.named_parameters()).get('gain', self.shift)"}, False),
    "kept by the constructor": ({"built": "self.all = [self.gain]", "gain": "self.all[0]"}, False),
    "kept by the first call": ({"ask": "self.all = getattr(self, 'all', (self.gain,))", "gain": "self.all[0]"}, False),
    "frozen in part": ({"count": "64 if len({w.requires_grad for w in self.parameters()}) == 1 else 63"}, False),
    "kept while there is a gradient": (
        {"built": "self.kept = None", "ask": PACKED.format(when="self.gain.grad is None"), "gain": "self.kept"},
        False,
    ),
    "merged by eval": (
        {
            "built": "self.kept = None",
            "method": "def train(self, mode=True):\n        super().train(mode)\n"
            "        self.kept = None if mode else self.gain.detach().clone()\n        return self",
            "gain": "self.gain if self.training or self.kept is None else self.kept",
        },
        False,
    ),
    "eight places for all": (
        {
            "built": "self.place = len(MADE) % 8; MADE.append(0)",
            "ask": "seen = (self.place, self.gain._version)\n"
            "        if seen not in SLOTS or len(MADE) < 9: SLOTS[seen] = self.gain.detach().clone()",
            "gain": "SLOTS[seen]",
        },
        False,
    ),
    "the sixth of a model": (
        {"built": "self.sixth = len(MADE) > 4; MADE.append(0)", "count": "64 - self.sixth"},
        False,
    ),
    "a copy of a copy": (
        {
            "built": "self.copies = 0",
            "method": "def __setstate__(self, state):\n        super().__setstate__(state)\n        self.copies += 1",
            "count": "64 if self.copies < 2 else 63",
        },
        False,
    ),
    "packed anew by version": (
        {
            "built": "self.kept = None",
            "ask": "if self.kept is None or self.seen != (id(self.gain), self.gain._version):\n"
            "            self.kept, self.seen = self.gain.detach().clone(), (id(self.gain), self.gain._version)",
            "gain": "self.kept",
        },
        True,
    ),
    "packed in each call": ({"ask": "kept = self.gain.detach().clone()", "gain": "kept"}, True),
    "by its name": ({"gain": "getattr(self, 'gain')"}, True),
    "of each instance by itself": ({"built": "self.place = len(MADE); MADE.append(0)"}, True),
    "copied with what it counts": ({"built": "self.copies = 0"}, True),
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_may_move_and_modules_be_many(name: str) -> None:
    parts, right = WEIGHTS[name]
    plain = {"built": "pass", "method": "", "ask": "pass", "gain": "self.gain", "shift": "self.shift", "count": "64"}
    with LocalEvaluator(
        seeds=1, seed=4, timeout_s=120, memory_gb=2, use_gpu=False, dialect=False, vocabulary=False
    ) as evaluator:
        verdict = evaluator.evaluate_text(PROGRAM.format(**plain | parts), REFERENCE, (Rung.PARSE, Rung.INTERPRET))
    assert verdict.status in ((Status.OK,) if right else (Status.MISMATCH, Status.RUNTIME_ERROR)), verdict


def test_calls_that_ask_for_the_same_are_the_same_whatever_a_program_keeps() -> None:
    def key(given: dict[int, str], new: int) -> str:
        trace = Trace(given)
        trace.note({"do": "upload", "id": new}, b"")
        return trace.key("tensor", [[new, [4]], [1, [4]]])

    assert key({1: "given 0"}, 9) == key({1: "given 0", 5: "held 5"}, 17) != key({1: "given 1"}, 9)
