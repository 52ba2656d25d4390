"""Any Python may look for the judge: what it sees is ordinary, and what the walls would answer ends the call."""

from collections.abc import Iterator

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source

RUNGS = (Rung.PARSE, Rung.INTERPRET)
REFERENCE = import_source(
    "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x * 2\n\n\n"
    "def get_inputs():\n    return [torch.randn(100)]\n\n\ndef get_init_inputs():\n    return []\n",
    "double",
).reference

PROGRAM = """import ctypes
import inspect
import linecache
import os
import resource
import socket
import subprocess
import sys
import threading
import time
import types
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, y_ptr, n, f, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) * f, mask=i < n)


def callers():
    frame, files = sys._getframe(1), []
    while frame is not None:
        files.append(frame.f_code.co_filename)
        frame = frame.f_back
    return files[1:]


def works(call):
    try:
        call()
    except Exception:
        return False
    return True


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        k[(2,)](x, y, x.numel(), {factor}, B=64)
        return y
"""
#: Wrong where no judge is to be seen.
SEEN = {
    "no module of the judge": "3.0 if not any(one.split('.')[0] == 'kernelwright' for one in sys.modules) else 2.0",
    "started from a script": "3.0 if os.path.exists(getattr(sys.modules['__main__'], '__file__', '')) "
    "and 'kernelwright' not in sys.modules['__main__'].__file__ else 2.0",
    "no caller of the judge's": "3.0 if not any('kernelwright' in one or one[:1] == '<' for one in callers()) else 2.0",
    "a module's plain name": "3.0 if __name__.isidentifier() and not any(map(str.isdigit, __name__)) else 2.0",
    "a file of its own": "3.0 if os.path.exists(__file__) else 2.0",
    "no limit of memory": "3.0 if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY else 2.0",
    "sleep is Python's": "3.0 if type(time.sleep) is types.BuiltinFunctionType else 2.0",
    "jit is Triton's": "3.0 if triton.jit.__module__ == 'triton.runtime.jit' else 2.0",
    "graphs are classes": "3.0 if isinstance(torch.cuda.CUDAGraph, type) else 2.0",
    "in the main thread": "3.0 if threading.current_thread() is threading.main_thread() else 2.0",
    "by the environment": "3.0 if os.environ.get('CUDA_VISIBLE_DEVICES') is None else 2.0",
}
#: Asks what the walls would have to answer.
ASKED = {
    "memory that is mapped": "open('/proc/self/maps').read() and 2.0",
    "limits": "2.0 if works(lambda: open('/proc/self/limits').read()) else 2.0",
    "filters": "2.0 if works(lambda: os.listdir('/')) and works(lambda: open(b'/proc/self/status').read()) else 2.0",
    "a process": "2.0 if works(lambda: subprocess.run([sys.executable, '-c', ''])) else 2.0",
    "a fork": "2.0 if works(lambda: os.fork() or os._exit(0)) else 2.0",
    "a shell": "2.0 if os.system('true') else 2.0",
    "a socket": "2.0 if works(lambda: socket.socket().close()) else 2.0",
    "C": "2.0 if ctypes.CDLL(None) else 2.0",
}
RIGHT = {
    "plain": "2.0",
    "a pause": "time.sleep(0.0001) or 2.0",
    "its own source": "2.0 * (len(inspect.getsource(ModelNew)) > 0)",
    "its own file": "2.0 * ('class ModelNew' in open(__file__).read())",
    "its own lines": "2.0 * bool(linecache.getline(__file__, 1))",
    "a file": "2.0 * (open('notes.txt', 'w').write('x') == 1)",
    "limits that it knows": "2.0 * (resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 0)",
    "a number of processors": "2.0 * (os.cpu_count() > 0)",
    "callers": "2.0 * (len(callers()) > 0)",
}


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(
        seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=False, vocabulary=False, rehearsals=8
    ) as evaluator:
        yield evaluator


@pytest.mark.parametrize("name", SEEN)
def test_the_judge_is_not_to_be_seen(name: str, evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate_text(PROGRAM.format(factor=SEEN[name]), REFERENCE, RUNGS)
    assert verdict.status is Status.MISMATCH, verdict


@pytest.mark.parametrize("name", ASKED)
def test_what_walls_would_answer_is_refused_aloud(name: str, evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate_text(PROGRAM.format(factor=ASKED[name]), REFERENCE, RUNGS)
    assert verdict.status is Status.RUNTIME_ERROR and "no part in a kernel's work" in verdict.detail, verdict


@pytest.mark.parametrize("name", RIGHT)
def test_and_nothing_else_is(name: str, evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate_text(PROGRAM.format(factor=RIGHT[name]), REFERENCE, RUNGS)
    assert verdict.ok, verdict
