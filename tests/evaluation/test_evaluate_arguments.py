"""Kernels take more than tensors and numbers: functions, which are constants, and tuples of numbers."""

from collections.abc import Iterator

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source

RUNGS = (Rung.PARSE, Rung.COMPILE, Rung.INTERPRET)
REFERENCE = import_source(
    "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x.t() * 2\n\n\n"
    "def get_inputs():\n    return [torch.randn(12, 9)]\n\n\ndef get_init_inputs():\n    return []\n",
    "turned",
).reference


@pytest.fixture(scope="module", params=[True, False], ids=["dialect", "any Python"])
def evaluator(request: pytest.FixtureRequest) -> Iterator[LocalEvaluator]:
    with LocalEvaluator(
        seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=request.param, rehearsals=0
    ) as evaluator:
        yield evaluator


def program(parameters: str, value: str, call: str, above: str = "", place: str = "c * s0 + r * s1") -> str:
    """A program whose kernel stores a value of x, element (r, c) of the output by element."""
    return f"""import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def twice(v):
    return v * 2.0


@triton.jit
def more(v):
    return twice(v) * 4.0


@triton.jit
def k(x_ptr, y_ptr, n, width, {parameters}, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    r, c = i // width, i % width
    x = tl.load(x_ptr + {place}, mask=i < n)
    tl.store(y_ptr + i, {value}, mask=i < n)


{above}class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty((x.shape[1], x.shape[0]), dtype=x.dtype, device=x.device)
        n, width = x.numel(), x.shape[0]
{call}
        return y
"""


_FUNCTION, _STRIDES = "s0, s1, F: tl.constexpr", "x.stride(0), x.stride(1)"
_HELPER = "def run(f, x, y, n, w):\n    k[(2,)](x, y, n, w, x.stride(0), x.stride(1), F=f, B=64)\n\n\n"
_TUPLE = "c * s[0] + r * s[1]"
RIGHT = {
    "a function": program(_FUNCTION, "F(x)", f"        k[(2,)](x, y, n, width, {_STRIDES}, twice, B=64)"),
    "a function by name": program(_FUNCTION, "F(x)", f"        k[(2,)](x, y, n, width, {_STRIDES}, F=twice, B=64)"),
    "a function that a function is given": program(_FUNCTION, "F(x)", "        run(twice, x, y, n, width)", _HELPER),
    "one of two functions": program(
        _FUNCTION,
        "F(x)",
        f"        f = twice if n else more\n        k[(2,)](x, y, n, width, {_STRIDES}, F=f, B=64)",
    ),
    "a function that calls another": program(
        _FUNCTION, "F(x) * 0.25", f"        k[(2,)](x, y, n, width, {_STRIDES}, F=more, B=64)"
    ),
    "strides": program("s", "x * 2.0", "        k[(2,)](x, y, n, width, x.stride(), B=64)", place=_TUPLE),
    "strides that are written out": program(
        "s", "x * 2.0", f"        k[(2,)](x, y, n, width, ({_STRIDES}), B=64)", place=_TUPLE
    ),
    "strides in a constant": program(
        "s: tl.constexpr", "x * 2.0", f"        k[(2,)](x, y, n, width, ({_STRIDES}), B=64)", place=_TUPLE
    ),
    "numbers of several kinds": program(
        "s", "x * s[2]", f"        k[(2,)](x, y, n, width, ({_STRIDES}, 2.0), B=64)", place=_TUPLE
    ),
    "a tuple that is taken apart": program(
        "s", "x * 2.0", "        k[(2,)](x, y, n, width, x.stride(), B=64)", place="c * s0 + r * s1"
    ).replace("    r, c =", "    s0, s1 = s\n    r, c ="),
}


@pytest.mark.parametrize("name", RIGHT)
def test_kernels_take_functions_and_tuples(name: str, evaluator: LocalEvaluator) -> None:
    right = evaluator.evaluate_text(RIGHT[name], REFERENCE, RUNGS)
    assert right.ok, right
    wrong = evaluator.evaluate_text(RIGHT[name].replace("2.0", "2.5"), REFERENCE, RUNGS)
    assert wrong.status is Status.MISMATCH, wrong


def test_a_function_that_does_not_compile_is_found_where_it_is_given(evaluator: LocalEvaluator) -> None:
    for text in (RIGHT["a function"], RIGHT["a function that a function is given"]):
        assert evaluator.evaluate_text(text, REFERENCE, RUNGS).ok
        verdict = evaluator.evaluate_text(text.replace("v * 2.0", "v.to(tl.int1) << 2.0"), REFERENCE, RUNGS)
        assert verdict.status is Status.COMPILE_ERROR, verdict
