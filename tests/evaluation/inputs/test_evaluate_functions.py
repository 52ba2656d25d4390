"""Functions that libraries round in their own ways: what follows them may make their rounding large."""

import sys
from pathlib import Path

import pytest
import torch

from kernelwright.agent.evaluator import Rung
from kernelwright.evaluation.checks.sides import elements
from kernelwright.evaluation.inputs.functions import NoisyFunctions
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.passes import Context

FUNCTIONS = (
    torch.exp, torch.exp2, torch.expm1, torch.log, torch.log2, torch.log10, torch.log1p, torch.sin, torch.cos,
    torch.tan, torch.tanh, torch.sigmoid, torch.rsqrt,
)  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_results_in_fp32_have_noise_in_their_last_bits(function) -> None:
    x = torch.linspace(0.1, 3.0, 200)
    with NoisyFunctions(3):
        noisy, half = function(x), function(x.bfloat16())
    with NoisyFunctions(4):
        other = function(x)
    plain = function(x)
    assert not torch.equal(noisy, plain) and not torch.equal(noisy, other)
    torch.testing.assert_close(noisy, plain, rtol=2.5e-7, atol=0)
    assert torch.equal(half, function(x.bfloat16()))


@pytest.mark.parametrize("function", [torch.add, torch.mul, torch.div, torch.maximum], ids=lambda one: one.__name__)
def test_what_every_library_rounds_alike_has_none(function) -> None:
    x = torch.linspace(0.1, 3.0, 200)
    with NoisyFunctions(3):
        found = function(x, x.flip(0))
    assert torch.equal(found, function(x, x.flip(0)))


PROGRAM = """import torch


class Model(torch.nn.Module):
    def forward(self, x, t):
        r, t = torch.arange(1, 25, device=x.device).float(), t.float()
        return {result} * x


def get_inputs():
    return [torch.randn(24), torch.randint(900, 1000, (1,))]


def get_init_inputs():
    return []
"""
#: What makes the rounding of a function of constants a thousand times as large, in few numbers.
FAR = {
    "a sine": "torch.sin(t * torch.exp(r * -0.15))",
    "a cosine": "torch.cos(t * torch.exp(r * -0.3))",
    "a power of two": "torch.sin(t * torch.exp2(r * -0.7))",
    "a logarithm": "torch.sin(t * torch.log(r * 0.9))",
    "a hyperbolic tangent": "torch.sin(t * torch.tanh(r * 0.7))",
    "an inverse root": "torch.sin(t * torch.rsqrt(r * 0.9))",
    "a sigmoid": "torch.cos(t * torch.sigmoid(r * 0.9))",
    "a difference": "t * (torch.exp(r * 0.1) - 3.0073)",
}


@pytest.mark.parametrize("name", FAR)
def test_errors_that_grow_behind_a_function_show_in_nudged_runs(name: str, evaluator: LocalEvaluator) -> None:
    reference = import_source(PROGRAM.format(result=FAR[name]), "program", shrink="never").reference
    passes = evaluator.truth(reference, Rung.INTERPRET).passes
    given = next(one.expected[0] for one in passes if one.draw.kind == "given")
    eager = elements(given.eager)
    assert max(float(abs(elements(one) / eager - 1).max()) for one in given.nudged) > 1e-6


@pytest.mark.slow
def test_a_model_that_takes_sines_of_large_multiples_of_exponentials_is_right() -> None:
    """With this seed eager's rates are nearly exact by luck, and a kernel's are not."""
    sys.path.insert(0, str(Path(__file__).parents[3]))
    from benchmarks.judge.architectures import source

    module = LowerInductor().run(import_source(source("unet", "fp32"), "unet", shrink="never"), Context())
    with LocalEvaluator(seeds=1, seed=2, timeout_s=300, use_gpu=False) as evaluator:
        verdict = evaluator.evaluate(module, (Rung.PARSE, Rung.INTERPRET))
    assert verdict.ok, verdict


#: Of a row of zeros a norm makes rounding of its mean, as large as `eps` is small, and another norm numbers around 1.
CHAOS = """import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        for eps in {eps}:
            x = nn.functional.layer_norm(x + 3.0, (16,), eps=eps)
        return x


def get_inputs():
    return [torch.randn(32, 16)]


def get_init_inputs():
    return []
"""


@pytest.mark.parametrize(("eps", "left_out"), [((1e-12, 1e-12), True), ((1e-12,), False), ((1e-2, 1e-2), False)])
def test_draws_in_which_rounding_decides_are_left_out(
    eps: tuple[float, ...], left_out: bool, evaluator: LocalEvaluator
) -> None:
    """Noise in inputs does not tell, as zeros have none."""
    reference = import_source(CHAOS.format(eps=eps), "chaos", shrink="never").reference
    assert ("rows" in evaluator.truth(reference, Rung.INTERPRET).left_out) is left_out


def test_a_program_may_refuse_what_noise_makes_of_its_norms(evaluator: LocalEvaluator) -> None:
    body = (
        "first, second = (nn.functional.layer_norm(x, (16,)) for _ in range(2))\n        assert first.equal(second)\n"
    )
    source = CHAOS.format(eps=()).replace("for eps in ():", f"{body}        for eps in ():")
    truth = evaluator.truth(import_source(source, "picky", shrink="never").reference, Rung.INTERPRET)
    assert not truth.failure and any(one.draw.kind == "rows" for one in truth.passes)
