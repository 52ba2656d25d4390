"""Any Python may ask who calls it, what tensors went through before, and what the process is set to."""

from collections.abc import Iterator

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source

RUNGS = (Rung.PARSE, Rung.INTERPRET)
REFERENCE = import_source(
    "import torch\n\n\nclass Model(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.gain = torch.nn.Parameter(torch.rand(64))\n\n    def forward(self, x, shift):\n"
    "        return x * self.gain + shift\n\n\n"
    "def get_inputs():\n    return [torch.randn(64), torch.randn(64)]\n\n\ndef get_init_inputs():\n    return []\n",
    "scaled",
).reference

PROGRAM = """import asyncio
import builtins
import gc
import inspect
import io
import os
import sys
import threading
import torch
import torch.distributed
import torch.nn as nn
import triton
import triton.language as tl

BUILT = []


@triton.jit
def k(x_ptr, g_ptr, s_ptr, y_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    x, g, s = tl.load(x_ptr + i, mask=i < n), tl.load(g_ptr + i, mask=i < n), tl.load(s_ptr + i, mask=i < n)
    tl.store(y_ptr + i, x * g + s, mask=i < n)


def depth():
    frame, count = sys._getframe(), 0
    while frame is not None:
        frame, count = frame.f_back, count + 1
    return count


def served():
    try:
        return asyncio.get_running_loop() is not None
    except RuntimeError:
        return False


def noted(work):
    BUILT.append(work)
    return True


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(64))
        BUILT.append(self)

    def forward(self, {parameters}):
        {ask}
        seen = {seen}
        y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        k[(1,)](x, self.gain, shift, y, {count}, B=64)
        return y
"""
#: By kind, what is never so while a program is judged in the simplest way.
ASKED = {
    "settings": {
        "autocast for the CPU": "torch.is_autocast_enabled('cpu')",
        "the collector is off": "not gc.isenabled()",
        "many threads": "torch.get_num_threads() >= 4",
        "traced": "torch.jit.is_tracing()",
        "one of a group": "torch.distributed.is_initialized()",
        "the last of a group": "torch.distributed.is_initialized() "
        "and torch.distributed.get_rank() + 1 == torch.distributed.get_world_size()",
        "a debugger": "sys.gettrace() is not None",
        "coverage": "sys.getprofile() is not None",
        "deep recursion": "sys.getrecursionlimit() > 1000",
        "no cuDNN": "not torch.backends.cudnn.enabled",
        "a captured graph": "torch.cuda.is_current_stream_capturing()",
        "a stream": "torch.cuda.current_stream().cuda_stream != 0",
        "a default device": "torch.get_default_device().type == 'cuda'",
        "under a test": "'PYTEST_CURRENT_TEST' in os.environ",
        "output that is taken": "isinstance(sys.stdout, io.StringIO)",
    },
    "modules": {
        "a notebook": "'ipykernel' in sys.modules",
        "a notebook's shell": "hasattr(builtins, 'get_ipython')",
        "a prompt": "hasattr(sys, 'ps1')",
        "tests": "'pytest' in sys.modules",
        "a server": "'uvicorn' in sys.modules",
        "a library for training": "'deepspeed' in sys.modules",
        "a debugger's module": "'debugpy' in sys.modules",
        "IPython": "'IPython' in sys.modules",
    },
    "histories": {
        "an input has a gradient": "x.is_leaf and x.grad is not None",
        "a product": "'MulBackward0' in (type(x.grad_fn).__name__, type(shift.grad_fn).__name__)",
        "a sum or a linear layer": "type(shift.grad_fn).__name__ in ('AddBackward0', 'AddmmBackward0')",
        "of different operations": "type(x.grad_fn) is not type(shift.grad_fn)",
        "a normalization or relu": "type(x.grad_fn).__name__ in ('NativeLayerNormBackward0', 'ReluBackward0')",
        "it retains its gradient": "shift.retains_grad",
        "it has hooks": "bool(x._backward_hooks)",
        "a weight has a gradient": "self.gain.grad is not None",
        "a weight has one, in evaluation": "self.gain.grad is not None and not torch.is_grad_enabled()",
    },
    "callers": {
        "from deep": "depth() > 50",
        "from deeper": "depth() > 150",
        "in an event loop": "served()",
        "in a task": "served() and asyncio.current_task() is not None",
        "in a pool": "'ThreadPoolExecutor' in threading.current_thread().name",
        "in a loop's pool": "threading.current_thread().name.startswith('asyncio')",
        "in a server's thread": "'process_request_thread' in threading.current_thread().name",
        "in a daemon": "threading.current_thread().daemon",
        "among others": "threading.active_count() > 3",
        "under a module": "any(one.function == '_call_impl' and one.frame.f_locals['self'] is not self "
        "for one in inspect.stack(0))",
    },
    "counts": {
        "the fourth instance": "len(BUILT) > 3 and BUILT[3] is self",
        "after the fourth": "self in BUILT[4:]",
        "an assertion": "not BUILT.append(0) and not any(one is k for one in BUILT)",
        "without assertions": "not __debug__",
    },
    "traces": {
        "a kernel of Triton's module": "type(k).__module__.startswith('triton.')",
        "a kernel by its type's name": "type(k).__name__ == 'JITFunction'",
        "a kernel of Triton's class": "isinstance(k, triton.JITFunction)",
    },
}
ALL = [(kind, name) for kind, asked in ASKED.items() for name in asked]
#: What a call is given by, and whether its last input came by position.
BY_NAME = {
    "the last one": ("x, *rest, **named", "shift = rest[0] if rest else named['shift']", "not rest"),
    "all": ("*given, **named", "x, shift = given or named.values()", "not given"),
    "at the end": (
        "*given, **named",
        "x, shift = (*given, *named.values())",
        "len(given) == 1",
    ),
}


def program(seen: str, right: bool, parameters: str = "x, shift", ask: str = "pass") -> str:
    """A program that asks whether something is so, and is wrong then unless it is to be right."""
    return PROGRAM.format(
        seen=seen, count="64 + 0 * seen" if right else "63 if seen else 64", parameters=parameters, ask=ask
    )


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(
        seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=False, vocabulary=False
    ) as evaluator:
        yield evaluator


@pytest.mark.parametrize(("kind", "name"), ALL)
def test_what_a_user_has_is_tried(kind: str, name: str, evaluator: LocalEvaluator) -> None:
    ask = "assert noted(k)" if name == "an assertion" else "pass"
    verdict = evaluator.evaluate_text(program(ASKED[kind][name], False, ask=ask), REFERENCE, RUNGS)
    assert verdict.status in (Status.MISMATCH, Status.RUNTIME_ERROR), verdict


@pytest.mark.parametrize("kind", ASKED)
def test_and_asking_disturbs_nobody(kind: str, evaluator: LocalEvaluator) -> None:
    seen = f"sum(map(bool, ({', '.join(ASKED[kind].values())},)))"
    verdict = evaluator.evaluate_text(program(seen, True), REFERENCE, RUNGS)
    assert verdict.ok, verdict


@pytest.mark.parametrize("right", (False, True))
@pytest.mark.parametrize("name", BY_NAME)
def test_inputs_are_passed_by_name(name: str, right: bool, evaluator: LocalEvaluator) -> None:
    parameters, ask, seen = BY_NAME[name]
    verdict = evaluator.evaluate_text(program(seen, right, parameters, ask), REFERENCE, RUNGS)
    assert verdict.status is (Status.OK if right else Status.MISMATCH), verdict


def test_a_program_may_name_its_inputs_otherwise(evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate_text(program("0", True, "a, b", "x, shift = a, b"), REFERENCE, RUNGS)
    assert verdict.ok, verdict
