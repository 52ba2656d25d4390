"""What callers do with a module besides calling it: they copy it, save it, train it, and register hooks."""

from collections.abc import Iterator

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source

RUNGS = (Rung.PARSE, Rung.INTERPRET)
REFERENCE = import_source(
    """import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = torch.nn.Parameter(torch.rand(100))

    def forward(self, x):
        return x * self.gain


def get_inputs():
    return [torch.randn(100)]


def get_init_inputs():
    return []
""",
    "scaled",
).reference

PROGRAM = """import copy
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, g_ptr, y_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x, g = tl.load(x_ptr + i, mask=i < n), tl.load(g_ptr + i, mask=i < n)
    tl.store(y_ptr + i, x * g, mask=i < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(100))
        self.start = {{"gain": self.gain.detach().clone()}}
        {built}

    def forward(self, x):
        y = torch.empty_like(x)
        k[(2,)](x, self.gain, y, x.numel(), B=64)
        return y

    {method}
"""
#: A method of the class, and what its constructor does besides.
WRONG = {
    "hooks do not run": "def __call__(self, x): return self.forward(x)",
    "hooks before a call do not run": "def __call__(self, x):\n"
    "        y = self.forward(x)\n"
    "        for hook in self._forward_hooks.values(): hook(self, (x,), y)\n        return y",
    "a checkpoint of the start": "def state_dict(self, *args, **kwargs): return dict(self.start)",
    "an empty checkpoint": "def state_dict(self, *args, **kwargs): return {}",
    "parameters that are copies": "def parameters(self, recurse=True): "
    "return iter([nn.Parameter(self.gain.detach() + 0)])",
    "no parameters": "def parameters(self, recurse=True): return iter([])",
    "named parameters under other names": "def named_parameters(self, *args, **kwargs): "
    "return iter([('g', self.gain)])",
    "pickled without weights": "def __reduce__(self): return type(self), ()",
    "copied without weights": "def __deepcopy__(self, memo): return type(self)()",
    "pickled with other weights": "def __setstate__(self, state):\n"
    "        super().__setstate__(state)\n        self.gain = nn.Parameter(torch.ones(100))",
}
RIGHT = {
    "plain": ("pass", "pass"),
    "its own text": ("def extra_repr(self): return 'scaled'", "pass"),
    "hooks run": ("def __call__(self, x): return super().__call__(x)", "pass"),
    "a checkpoint with more": (
        "def state_dict(self, *args, **kwargs): "
        "return {**super().state_dict(*args, **kwargs), 'version': torch.ones(1)}",
        "pass",
    ),
    "copied with weights": (
        "def __deepcopy__(self, memo):\n        made = type(self)()\n"
        "        made.load_state_dict(self.state_dict())\n        return made",
        "pass",
    ),
    "never copied": ("def __reduce__(self): raise TypeError('no')", "pass"),
    "what cannot be pickled": ("pass", "self.scale = lambda x: x"),
    "hooks of its own": ("pass", "self.register_forward_hook(lambda module, given, result: None)"),
    "a hook when it is loaded": ("pass", "self.register_load_state_dict_post_hook(lambda module, keys: None)"),
}


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(
        seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=False, vocabulary=False, rehearsals=8
    ) as evaluator:
        yield evaluator


@pytest.mark.parametrize("name", WRONG)
def test_a_module_does_what_callers_rely_on(name: str, evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate_text(PROGRAM.format(method=WRONG[name], built="pass"), REFERENCE, RUNGS)
    assert verdict.status is Status.RUNTIME_ERROR and "ModuleError: " in verdict.detail, verdict


@pytest.mark.parametrize("name", RIGHT)
def test_and_may_have_methods_of_its_own(name: str, evaluator: LocalEvaluator) -> None:
    method, built = RIGHT[name]
    verdict = evaluator.evaluate_text(PROGRAM.format(method=method, built=built), REFERENCE, RUNGS)
    assert verdict.ok, verdict
