"""Under autocast a program may give what its reference gives there, or what it gives without."""

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source

RUNGS = (Rung.PARSE, Rung.INTERPRET)
REFERENCE = import_source(
    "import torch\n\n\nclass Model(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.fc = torch.nn.Linear(24, 20)\n\n    def forward(self, x):\n        return self.fc(x)\n\n\n"
    "def get_inputs():\n    return [torch.randn(18, 24)]\n\n\ndef get_init_inputs():\n    return []\n",
    "linear",
).reference
PLAIN = import_source(
    "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x * 2\n\n\n"
    "def get_inputs():\n    return [torch.randn(64)]\n\n\ndef get_init_inputs():\n    return []\n",
    "double",
).reference


def program(dtype: str, factor: str = "1.0", out: str = "dtype") -> str:
    """A linear layer that computes in a dtype."""
    return f"""import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def linear(x_ptr, w_ptr, b_ptr, y_ptr, M, N, K, s, H: tl.constexpr, B: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    n = tl.program_id(1) * B + tl.arange(0, B)
    acc = tl.zeros([B, B], tl.float32)
    for k0 in range(0, K, B):
        k = k0 + tl.arange(0, B)
        x = tl.load(x_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0).to(H)
        w = tl.load(w_ptr + n[None, :] * K + k[:, None], mask=(n[None, :] < N) & (k[:, None] < K), other=0.0).to(H)
        acc = tl.dot(x, w, acc, input_precision="ieee")
    acc = (acc + tl.load(b_ptr + n, mask=n < N, other=0.0)[None, :].to(tl.float32)) * s
    tl.store(y_ptr + m[:, None] * N + n[None, :], acc.to(H), mask=(m[:, None] < M) & (n[None, :] < N))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(24, 20)

    def forward(self, x):
        x = x.contiguous()
        on = torch.is_autocast_enabled("cuda")
        dtype = {dtype}
        M, N, K = x.shape[0], self.fc.weight.shape[0], x.shape[1]
        y = torch.empty((M, N), device=x.device, dtype={out})
        kinds = {{torch.float32: tl.float32, torch.float16: tl.float16, torch.bfloat16: tl.bfloat16}}
        grid = (triton.cdiv(M, 16), triton.cdiv(N, 16))
        linear[grid](x, self.fc.weight, self.fc.bias, y, M, N, K, {factor}, H=kinds[dtype], B=16)
        return y
"""


@pytest.fixture(scope="module")
def anything() -> LocalEvaluator:
    return LocalEvaluator(
        seeds=3, timeout_s=120, memory_gb=2, use_gpu=False, dialect=False, vocabulary=False, rehearsals=0
    )


RIGHT = {
    "as autocast has it": "torch.get_autocast_dtype('cuda') if on else x.dtype",
    "as autocast has it, asked otherwise": "torch.get_autocast_gpu_dtype() if torch.is_autocast_enabled() else x.dtype",
    "in fp16 under autocast": "torch.float16 if on else torch.float32",
    "the same under autocast": "x.dtype",
}
WRONG = {
    "in fp16 throughout": ("torch.float16", "1.0", "dtype"),
    "in fp16 but where autocast is on": ("torch.float32 if on else torch.float16", "1.0", "dtype"),
    "in fp16 under autocast, told as fp32": ("torch.float16 if on else torch.float32", "1.0", "torch.float32"),
    "in bf16 under fp16's autocast": ("torch.bfloat16 if on else torch.float32", "1.0", "dtype"),
    "of another size under autocast": (RIGHT["as autocast has it"], "1.02 if on else 1.0", "dtype"),
    "of another size and fp32 under autocast": ("x.dtype", "1.0002 if on else 1.0", "dtype"),
    "in fp16 where gradients are wanted": ("torch.float16 if torch.is_grad_enabled() else x.dtype", "1.0", "dtype"),
    "in fp16 in evaluation mode": ("x.dtype if self.training else torch.float16", "1.0", "dtype"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_program_may_follow_autocast(name: str, anything: LocalEvaluator) -> None:
    verdict = anything.evaluate_text(program(RIGHT[name]), REFERENCE, RUNGS)
    assert verdict.ok, verdict


@pytest.mark.parametrize("name", WRONG)
def test_autocast_excuses_nothing_else(name: str, anything: LocalEvaluator) -> None:
    verdict = anything.evaluate_text(program(*WRONG[name]), REFERENCE, RUNGS)
    assert verdict.status is Status.MISMATCH, verdict


def test_nothing_follows_autocast_where_the_reference_does_not(anything: LocalEvaluator) -> None:
    text = """import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def double(x_ptr, y_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x, dtype=torch.float16 if torch.is_autocast_enabled("cuda") else x.dtype)
        double[(2,)](x, y, x.numel(), B=32)
        return y
"""
    assert anything.evaluate_text(text, PLAIN, RUNGS).status is Status.MISMATCH
