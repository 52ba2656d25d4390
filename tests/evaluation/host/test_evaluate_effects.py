"""What a call leaves behind in the process besides its results."""

import gc
import os
import random
import warnings
from collections.abc import Iterator

import numpy
import pytest
import torch

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.host.effects import Building
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source

RUNGS = (Rung.PARSE, Rung.INTERPRET)
REFERENCE = import_source(
    "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x * 2\n\n\n"
    "def get_inputs():\n    return [torch.randn(100)]\n\n\ndef get_init_inputs():\n    return []\n",
    "double",
).reference

PROGRAM = """import gc
import logging
import numpy
import os
import random
import sys
import torch
import torch.nn as nn
import torch.nn.functional as F
import triton
import triton.language as tl
import warnings

os.environ["OMP_NUM_THREADS"] = "1"


@triton.jit
def k(x_ptr, y_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x):
        {effect}
        y = torch.empty_like(x)
        k[(2,)](x, y, x.numel(), B=64)
        return y
"""
LEFT = (
    "torch.set_grad_enabled(False)",
    "torch.manual_seed(0)",
    "random.seed(0)",
    "torch.set_default_dtype(torch.float64)",
    "os.environ['CUDA_VISIBLE_DEVICES'] = ''",
    "os.environ.pop('OMP_NUM_THREADS', None)",
    "torch.relu = torch.sigmoid",
    "F.gelu = F.silu",
    "torch.Tensor.mean = torch.Tensor.sum",
    "os.chdir('/')",
    "gc.disable()",
    "warnings.simplefilter('ignore')",
    "warnings.filterwarnings('ignore', category=UserWarning)",
    "logging.disable(logging.ERROR)",
    "logging.getLogger().setLevel(logging.ERROR)",
    "numpy.random.seed(0)",
    "torch.set_float32_matmul_precision('high')",
    "torch.backends.cuda.matmul.allow_tf32 = True",
    "torch.backends.cudnn.benchmark = True",
    "torch.use_deterministic_algorithms(True)",
    "nn.LayerNorm.forward = lambda self, x: x",
    "nn.Linear.reset_parameters = lambda self: None",
    "torch.optim.SGD.step = lambda self: None",
    "nn.init.normal_ = nn.init.zeros_",
    "print.__self__.divmod = max",
    "nn.modules.module.register_module_forward_hook(lambda *given: None)",
    "sys.setrecursionlimit(5000)",
    "sys.path.insert(0, '/tmp')",
)
CLEAN = (
    "pass",
    "torch.get_float32_matmul_precision()",
    "gc.collect()",
    "with warnings.catch_warnings(): warnings.simplefilter('ignore')",
    "logging.getLogger(__name__).setLevel(logging.DEBUG)",
    "numpy.random.default_rng(0).random()",
    "torch.Generator().manual_seed(0)",
    "nn.LayerNorm(4).forward",
    "torch.no_grad().__enter__() if False else None",
    "self.calls = getattr(self, 'calls', 0) + 1",
    "os.environ.get('HOME')",
    "relu = torch.relu",
    "random.Random(0).random()",
    "with torch.no_grad(): torch.get_default_dtype()",
    "import fractions",
)


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(
        seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=False, vocabulary=False, rehearsals=8
    ) as evaluator:
        yield evaluator


@pytest.mark.parametrize("effect", LEFT)
def test_a_call_leaves_the_process_as_it_was(effect: str, evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate_text(PROGRAM.format(effect=effect), REFERENCE, RUNGS)
    assert verdict.status is Status.RUNTIME_ERROR and "which the whole process shares" in verdict.detail, verdict


@pytest.mark.parametrize("effect", CLEAN)
def test_and_may_do_what_nobody_notices(effect: str, evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate_text(PROGRAM.format(effect=effect), REFERENCE, RUNGS)
    assert verdict.ok, verdict


#: What a constructor does, and whether it may.
BUILT: tuple[tuple[str, bool], ...] = (
    ("torch.manual_seed(42)", False),
    ("torch.manual_seed(torch.initial_seed())", True),  # nobody can tell that from nothing
    ("random.seed(7)", False),
    ("numpy.random.seed(7)", False),
    ("torch.backends.cuda.matmul.allow_tf32 = True", False),
    ("torch.set_default_dtype(torch.float64)", False),
    ("gc.disable()", False),
    ("warnings.simplefilter('ignore')", False),
    ("os.environ['KEPT'] = '1'", False),
    ("torch.randn(8)", True),
    ("random.random()", True),
    ("numpy.random.rand(3)", True),
    ("torch.nn.Linear(3, 3)", True),
    ("torch.Generator().manual_seed(3)", True),
    ("gc.collect()", True),
    ("None", True),
)


@pytest.mark.parametrize(("does", "may"), BUILT)
def test_what_a_constructor_leaves(does: str, may: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"gc": gc, "numpy": numpy, "os": os, "random": random, "torch": torch, "warnings": warnings}
    monkeypatch.setattr(os, "environ", dict(os.environ))
    settings = torch.get_default_dtype(), torch.backends.cuda.matmul.allow_tf32
    building = Building()
    try:
        with warnings.catch_warnings(), torch.random.fork_rng():
            for seed in (1, 2):
                torch.manual_seed(seed)
                building.made(lambda: exec(does, names))
                if building.effect:
                    break
    finally:
        gc.enable()
        torch.set_default_dtype(settings[0])
        torch.backends.cuda.matmul.allow_tf32 = settings[1]
    assert (not building.effect) is may, building.effect
