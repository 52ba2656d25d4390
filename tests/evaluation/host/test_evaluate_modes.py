"""Any Python may ask what it runs under; calls are made under what users have, in turn."""

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

PROGRAM = """import os
import sys
import threading
import time
import torch
import torch.nn as nn
import triton
import triton.language as tl

SEEN, BUILT = [], []


@triton.jit
def k(x_ptr, y_ptr, n, f, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) * f, mask=i < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        BUILT.append(self)

    def forward(self, x):
        y = torch.empty_like(x)
        k[(2,)](x, y, x.numel(), {factor}, B=64)
        return y
"""
#: Right as long as it takes itself to be judged, or to be called by a user.
WRONG = {
    "with gradients": "3.0 if torch.is_grad_enabled() else 2.0",
    "without gradients": "2.0 if torch.is_grad_enabled() else 3.0",
    "under autocast": "3.0 if torch.is_autocast_enabled('cuda') else 2.0",
    "under autocast, asked otherwise": "3.0 if torch.is_autocast_enabled() else 2.0",
    "without autocast": "2.0 if torch.is_autocast_enabled('cuda') else 3.0",
    "under another name": "2.0 if __name__ == 'candidate' else 3.0",
    "in inference mode": "3.0 if torch.is_inference_mode_enabled() else 2.0",
    "outside of inference mode": "2.0 if torch.is_inference_mode_enabled() else 3.0",
    "while it is compiled": "3.0 if torch.compiler.is_compiling() else 2.0",
    "of inputs that want gradients": "3.0 if x.requires_grad else 2.0",
    "of inputs that want none": "2.0 if x.requires_grad else 3.0",
    "on one device": "2.0 if torch.cuda.get_device_properties(0).multi_processor_count == 132 else 3.0",
    "by the device's name": "2.0 if 'H100' in torch.cuda.get_device_name() else 3.0",
    "at round addresses": "2.0 if x.data_ptr() % (1 << 21) == 0 else 3.0",
    "up to the thousandth call": "self.__dict__.setdefault('n', []).append(0) or (3.0 if len(self.n) > 1000 else 2.0)",
    "until an object comes four times": "3.0 if SEEN.append(id(x)) or SEEN[-4:] == [id(x)] * 4 else 2.0",
    "in a thread": "2.0 if threading.current_thread() is threading.main_thread() else 3.0",
    "in the main thread": "3.0 if threading.current_thread() is threading.main_thread() else 2.0",
    "in mixed precision": "3.0 if torch.is_grad_enabled() and torch.is_autocast_enabled('cuda') else 2.0",
    "of what an operation gave": "2.0 if x.grad_fn is None else 3.0",
    "of what is no leaf": "2.0 if x.is_leaf else 3.0",
    "of parameters": "3.0 if isinstance(x, nn.Parameter) else 2.0",
    "with repeatable algorithms": "3.0 if torch.are_deterministic_algorithms_enabled() else 2.0",
    "with fast products": "2.0 if torch.get_float32_matmul_precision() == 'highest' else 3.0",
    "in the second process": "3.0 if int(os.environ.get('LOCAL_RANK', 0)) else 2.0",
    "in evaluation mode": "2.0 if self.training else 3.0",
    "of a part of a tensor": "3.0 if x.storage_offset() else 2.0",
    "of a part of a tensor, by its memory": "3.0 if x.untyped_storage().nbytes() > 4 * x.numel() else 2.0",
    "in an instance that is not the first": "2.0 if BUILT[0] is self else 3.0",
    "up to a call that comes late": "(SEEN.append(time.sleep(0.05)), 3.0 if len(SEEN) > 200 else 2.0)[1]",
    "where no module has a name": "2.0 if 'candidate' in sys.modules else 3.0",
    "under autocast to bf16": "3.0 if torch.is_autocast_enabled('cuda') "
    "and torch.get_autocast_dtype('cuda') == torch.bfloat16 else 2.0",
    "under autocast in inference mode": "3.0 if torch.is_inference_mode_enabled() "
    "and torch.is_autocast_enabled('cuda') else 2.0",
    "in evaluation mode under autocast": "3.0 if not self.training and torch.is_autocast_enabled('cuda') else 2.0",
    "in a thread with gradients": "3.0 if torch.is_grad_enabled() "
    "and threading.current_thread() is not threading.main_thread() else 2.0",
    "in training as a second process": "3.0 if os.environ.get('RANK', '0') != '0' and x.requires_grad else 2.0",
    "in one of eight processes": "3.0 if int(os.environ.get('WORLD_SIZE', 1)) > 2 else 2.0",
    "with medium products": "3.0 if torch.get_float32_matmul_precision() == 'medium' else 2.0",
    "with cuDNN's benchmarks": "3.0 if torch.backends.cudnn.benchmark else 2.0",
    "while anomalies are looked for": "3.0 if torch.is_anomaly_enabled() else 2.0",
    "while the profiler runs": "3.0 if torch.autograd._profiler_enabled() else 2.0",
    "under a dispatch mode": "3.0 if torch._C._len_torch_dispatch_stack() else 2.0",
    "from the 200th tensor on": "3.0 if SEEN.append(x) or len(set(map(id, SEEN))) > 200 else 2.0",
    "from the 200th step with gradients on": "3.0 if torch.is_grad_enabled() and not SEEN.append(0) "
    "and len(SEEN) > 200 else 2.0",
    "in the third instance": "3.0 if len(BUILT) > 2 and BUILT[2] is self else 2.0",
    "in a copy": "2.0 if any(one is self for one in BUILT) else 3.0",
}
RIGHT = {
    "plain": "2.0",
    "by its size": "2.0 if x.numel() > 1 else 2",
    "by the mode, the same": "2.0 if torch.is_grad_enabled() else 4.0 / 2",
    "in inference mode, the same": "1.0 + 1.0 if torch.is_inference_mode_enabled() else 2.0",
    "while it is compiled, the same": "4.0 / 2 if torch.compiler.is_compiling() else 2.0",
    "counting its calls": "self.__dict__.setdefault('n', []).append(0) or (2.0 if len(self.n) > 1000 else 4.0 / 2)",
    "views of inputs that want gradients": "2.0 + 0 * x.view(10, 10).t().stride(0)",
    "copies of parts": "2.0 + 0 * x.reshape(4, 25)[1:].contiguous().to(x.dtype).expand(3, 25).numel()",
    "at an aligned address, the same": "2.0 if x.data_ptr() % 16 == 0 else 4.0 / 2",
    "under autocast, the same": "1.0 + 1.0 if torch.is_autocast_enabled('cuda') else 2.0",
    "by its name, the same": "2.0 if __name__ == '__main__' else 2.0",
    "in a thread, the same": "2.0 if threading.current_thread() is threading.main_thread() else 4.0 / 2",
    "of what an operation gave, the same": "2.0 if x.grad_fn is None else 1.0 + 1.0",
    "of a detached part": "2.0 + 0 * x.detach().view(4, 25)[1:].storage_offset()",
    "of parameters, the same": "1.0 + 1.0 if isinstance(x, nn.Parameter) else 2.0",
    "with settings of its own": "torch.get_float32_matmul_precision() and 2.0",
    "by its process": "2.0 + 0 * int(os.environ.get('RANK', 0))",
    "in any instance": "2.0 * len(BUILT) / len(BUILT)",
    "after a pause": "time.sleep(0.001) or 2.0",
    "by the type": "2.0 if x.dtype == torch.float32 else 3.0",
    "on the device": "2.0 if x.is_cuda else 3.0",
    "under autocast in inference mode, the same": "2 if torch.is_inference_mode_enabled() "
    "and torch.is_autocast_enabled('cuda') else 2.0",
    "in a thread with gradients, the same": "2 if torch.is_grad_enabled() "
    "and threading.current_thread() is not threading.main_thread() else 2.0",
    "in one of eight processes, the same": "2 if int(os.environ.get('WORLD_SIZE', 1)) > 2 else 2.0",
    "with medium products, the same": "2 if torch.get_float32_matmul_precision() == 'medium' else 2.0",
    "under a dispatch mode, the same": "2 if torch._C._len_torch_dispatch_stack() else 2.0",
    "in a copy, the same": "2.0 if any(one is self for one in BUILT) else 2",
    "refusing one world": "1 / (not torch.is_anomaly_enabled()) * 2.0",
    "never asking for the same": "2.0 + 0 * len(SEEN) if SEEN.append(0) else 2.0 + 1e-9 * len(SEEN)",
}


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(
        seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=False, vocabulary=False
    ) as evaluator:
        yield evaluator


@pytest.mark.parametrize("name", WRONG)
def test_what_a_user_has_is_tried(name: str, evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate_text(PROGRAM.format(factor=WRONG[name]), REFERENCE, RUNGS)
    assert verdict.status is Status.MISMATCH, verdict


@pytest.mark.parametrize("name", RIGHT)
def test_and_disturbs_nobody(name: str, evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate_text(PROGRAM.format(factor=RIGHT[name]), REFERENCE, RUNGS)
    assert verdict.ok, verdict


def test_a_program_is_called_often_before_its_last_call(evaluator: LocalEvaluator) -> None:
    counted = PROGRAM.format(factor=WRONG["up to the thousandth call"])
    assert evaluator.evaluate_text(counted, REFERENCE, RUNGS).caliber["rehearsals"] > 1000
    with LocalEvaluator(seeds=1, memory_gb=2, use_gpu=False, dialect=False, vocabulary=False, rehearsals=0) as quick:
        verdict = quick.evaluate_text(counted, REFERENCE, RUNGS)
        assert verdict.ok and "rehearsals" not in verdict.caliber, verdict


def test_a_program_that_keeps_its_result_is_called_as_often(evaluator: LocalEvaluator) -> None:
    """One that keeps memory of its own is rehearsed less; results are the caller's, those too that it lets go of."""
    counted = PROGRAM.format(factor=WRONG["up to the thousandth call"])
    keeping = counted.replace("        return y", "        self.kept = y\n        return y")
    verdict = evaluator.evaluate_text(keeping, REFERENCE, RUNGS)
    assert verdict.status is Status.MISMATCH, verdict


ROWS = """import torch
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, y_ptr, n, each, f, B: tl.constexpr):
    for turn in range(each):
        i = (tl.program_id(0) * each + turn) * B + tl.arange(0, B)
        tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) * f, mask=i < n)


def forward(x):
    y = torch.empty_like(x)
    blocks = triton.cdiv(x.numel(), 4)
    programs = {programs}
    k[(programs,)](x, y, x.numel(), {each}, {factor}, B=4)
    return y
"""
COUNT = "min(blocks, torch.cuda.get_device_properties(0).multi_processor_count)"
#: What a program in the dialect may ask: programs, blocks of each, factor, and whether that is right.
ASKED = {
    "as many programs as there are blocks": ("blocks", "1", "2.0", True),
    "the rest in another round": (COUNT, "triton.cdiv(blocks, programs)", "2.0", True),
    "no more rounds than fit": (COUNT, "blocks // programs", "2.0", False),
    "one round": (COUNT, "1", "2.0", False),
    "of inputs that want gradients": ("blocks", "1", "3.0 if x.requires_grad else 2.0", False),
    "of inputs that want none": ("blocks", "1", "2.0 if x.requires_grad else 3.0", False),
    "of either": ("blocks", "1", "1.0 + 1.0 if x.requires_grad else 2.0", True),
    "of either, a view": ("blocks", "1", "2.0 if x.view(-1).requires_grad else 1.0 + 1.0", True),
}


@pytest.mark.parametrize("name", ASKED)
def test_what_the_dialect_can_ask_is_tried(name: str) -> None:
    programs, each, factor, right = ASKED[name]
    text = ROWS.format(programs=programs, each=each, factor=factor)
    with LocalEvaluator(seeds=1, timeout_s=120, memory_gb=2, use_gpu=False) as closed:
        verdict = closed.evaluate_text(text, REFERENCE, RUNGS)
    assert verdict.status is (Status.OK if right else Status.MISMATCH), verdict


def test_a_verdict_says_what_it_certifies(evaluator: LocalEvaluator) -> None:
    text = PROGRAM.format(factor="2.0").replace("import sys\n", "").replace("SEEN, BUILT = [], []\n", "")
    for line in ("import os\n", "import threading\n", "import time\n", "        BUILT.append(self)\n"):
        text = text.replace(line, "")
    assert evaluator.evaluate_text(text, REFERENCE, RUNGS).caliber["certifies"] == "calls"
    with LocalEvaluator(seeds=1, timeout_s=120, memory_gb=2, use_gpu=False) as closed:
        assert closed.evaluate_text(text, REFERENCE, RUNGS).caliber["certifies"] == "program"
