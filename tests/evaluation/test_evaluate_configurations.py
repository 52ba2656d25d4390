"""Every configuration of an autotuned kernel has to be right, and what trying them leaves behind must not count."""

from collections.abc import Iterator

import pytest
from broken_kernels import DOUBLE, TOTAL, program

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.ir.values import Reference

RUNGS = (Rung.PARSE, Rung.INTERPRET)
BOTH_SIGNS = program("x * 2.0", "f32[1000]", "f32[1000]", "torch.randn")
LARGEST = program("x.max().reshape(1)", "f32[1000]", "f32[1]")


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, timeout_s=120, memory_gb=4, use_gpu=False, strength="reward") as evaluator:
        yield evaluator


def text(kernel: str, host: str, options: str = "", configs: str = "") -> str:
    configs = configs or ", ".join(f'triton.Config({{"BLOCK": {size}}})' for size in (256, 512))
    body = "".join(f"    {line}\n" for line in kernel.split("\n"))
    return (
        "import torch\nimport triton\nimport triton.language as tl\n\n\n"
        f'@triton.autotune(configs=[{configs}], key=["n"]{options})\n@triton.jit\n'
        "def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):\n    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
        f"    x = tl.load(x_ptr + i, mask=i < n, other=0.0)\n{body}\n\ndef forward(x):\n"
        + "".join(f"    {line}\n" for line in host.split("\n"))
        + '    k[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x, y, 1000)\n    return y\n'
    )


SUM = "tl.atomic_add(y_ptr, tl.sum(x))"
ADD = "tl.store(y_ptr + i, tl.load(y_ptr + i, mask=i < n, other=0.0) + x, mask=i < n)"
TWICE = "y = tl.load(y_ptr + i, mask=i < n, other=0.0)\ntl.store(y_ptr + i, y * 2, mask=i < n)"
ZERO, ZEROS = "y = torch.zeros((1,), device=x.device)", "y = torch.zeros_like(x)"
RESET, RESTORE = ', reset_to_zero=["y_ptr"]', ', restore_value=["y_ptr"]'
#: A kernel, how memory for it is made, what its decorator says, and whether it is right when it has been tuned.
TRIED: list[tuple[Reference, str, str, str, bool]] = [
    (TOTAL, SUM, ZERO, "", False),
    (TOTAL, SUM, ZERO, RESET, True),
    (TOTAL, SUM, ZERO, RESTORE, True),
    (TOTAL, "tl.atomic_add(y_ptr, tl.sum(x), sem='relaxed')", ZERO, "", False),
    (DOUBLE, ADD, "y = x.clone()", "", False),
    (DOUBLE, ADD, "y = x.clone()", RESTORE, True),
    (DOUBLE, ADD, "y = x.clone()", RESET, False),
    (DOUBLE, TWICE, "y = x.clone()", "", False),
    (DOUBLE, TWICE, "y = x.clone()", RESTORE, True),
    (DOUBLE, "tl.atomic_add(y_ptr + i, x * 2, mask=i < n)", ZEROS, "", False),
    (DOUBLE, "tl.atomic_add(y_ptr + i, x * 2, mask=i < n)", ZEROS, RESET, True),
    (DOUBLE, "tl.store(y_ptr + i, x * 2, mask=i < n)", "y = torch.empty_like(x)", "", True),
    (
        LARGEST,
        "tl.atomic_max(y_ptr, tl.max(tl.where(i < n, x, -1e38)))",
        "y = torch.full((1,), -1e38, device=x.device)",
        "",
        True,
    ),
]


@pytest.mark.parametrize(("reference", "kernel", "host", "options", "right"), TRIED)
def test_what_trying_leaves_behind_is_there_when_the_kernel_runs(
    evaluator: LocalEvaluator, reference: Reference, kernel: str, host: str, options: str, right: bool
) -> None:
    verdict = evaluator.evaluate_text(text(kernel, host, options), reference, RUNGS)
    assert verdict.status is (Status.OK if right else Status.MISMATCH), verdict


STORE = "tl.store(y_ptr + i, x * 2, mask=i < n{})"
#: What a kernel does whose configuration is (256, 8 warps), among many of (512, 4).
ODD = [
    (STORE.format(""), True),
    (STORE.format(" - (BLOCK == 256)"), False),
    ("scale = 2.0 if BLOCK == 512 else 2.01\ntl.store(y_ptr + i, x * scale, mask=i < n)", False),
    ("if BLOCK == 256:\n    x = x * 2\nelse:\n    x = x + x\ntl.store(y_ptr + i, x, mask=i < n)", True),
    ("if BLOCK == 256:\n    x = tl.maximum(x, 0.0)\ntl.store(y_ptr + i, x * 2, mask=i < n)", False),
    ("if BLOCK == 256:\n    i = i - i % 2\ntl.store(y_ptr + i, x * 2, mask=i < n)", False),
    ("tl.static_assert(BLOCK > 100)\ntl.store(y_ptr + i, x * 2, mask=i < n)", True),
    ("tl.store(y_ptr + i, x * 2, mask=(i < n) & (tl.program_id(0) < 2))", False),
]


@pytest.mark.parametrize("place", [0, 1, 37])
@pytest.mark.parametrize(("kernel", "right"), ODD)
def test_one_configuration_among_many_is_not_overlooked(
    evaluator: LocalEvaluator, kernel: str, right: bool, place: int
) -> None:
    all_of_them = [f'triton.Config({{"BLOCK": 512}}, num_warps=4, num_stages={1 + stage % 5})' for stage in range(40)]
    all_of_them[place] = 'triton.Config({"BLOCK": 256}, num_warps=8)'
    host = "y = torch.empty_like(x)"
    verdict = evaluator.evaluate_text(text(kernel, host, configs=", ".join(all_of_them)), BOTH_SIGNS, RUNGS)
    assert verdict.ok is right, verdict
