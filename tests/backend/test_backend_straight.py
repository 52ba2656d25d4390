"""Host code made straight does what it did: for the suite's honest candidates, and for code that cannot be."""

import pytest
import torch
from kernel_corpus import corpus
from programs import outputs

from kernelwright.backend.launch.host_trace import trace_host
from kernelwright.backend.launch.straight import straightened
from kernelwright.frontend.importers import import_source
from kernelwright.ir.parser import parse_module
from kernelwright.ir.values import KernelModule
from kernelwright.ir.verifier import verify

HONEST = {place: module for place, module in corpus().items() if place.startswith("honest")}

REFERENCE = """import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(40))

    def forward(self, x):
        return torch.relu(x * self.scale)

def get_inputs():
    return [torch.randn(6, 40)]
"""

CANDIDATE = """import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scaled(x_ptr, BLOCK: tl.constexpr, s_ptr, y_ptr, n, N: tl.constexpr = 40):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x_ptr + i, mask=i < n) * tl.load(s_ptr + i % N, mask=i < n)
    tl.store(y_ptr + i, tl.maximum(value, 0.0), mask=i < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(40))
        OWN

    def forward(self, x):
        y = MAKE
        flat = x.view(-1)
        scaled[GRID](flat, 64, SCALE, y, flat.numel(), num_warps=2)
        return y.view(6, 40)
"""


def candidate(**parts: str) -> KernelModule:
    text = CANDIDATE
    given = {"OWN": "pass", "MAKE": "torch.empty_like(flat)", "SCALE": "self.scale"}
    given |= {"GRID": "lambda meta: (triton.cdiv(240, meta['BLOCK']),)"} | parts
    text = text.replace("y = MAKE\n        flat = x.view(-1)", "flat = x.view(-1)\n        y = MAKE")
    for name, part in given.items():
        text = text.replace(name, part)
    return parse_module(text, reference=import_source(REFERENCE, "scaled", shrink="never").reference)


def assert_same(one: KernelModule, other: KernelModule) -> None:
    assert verify(other) == ()
    assert all(torch.equal(a, b) for a, b in zip(outputs(one, 0), outputs(other, 0), strict=True))


def test_most_honest_candidates_have_a_straight_form_that_does_the_same() -> None:
    made = {place: straightened(module) for place, module in HONEST.items()}
    straight = [place for place, module in made.items() if module is not HONEST[place]]
    assert len(straight) >= 0.85 * len(HONEST)
    for place in straight:
        assert trace_host(made[place]) is not None, place
        assert_same(HONEST[place], made[place])


def test_a_class_becomes_statements() -> None:
    before = candidate()
    after = straightened(before)
    assert after.launcher is not None and after.launcher.source.splitlines() == [
        'def forward(x: "f32[6, 40]", scale: "f32[40]"):',
        "    buf0 = torch.empty_strided((240,), (1,), device=x.device, dtype=torch.float32)",
        "    scaled[(triton.cdiv(240, scaled_meta['BLOCK']),)](x, scale, buf0, 240, **scaled_meta)",
        "    return buf0.as_strided((6, 40), (40, 1), 0)",
    ]
    assert after.kernel("scaled").meta == (("BLOCK", 64), ("num_warps", 2))
    assert "% 40" in after.kernel("scaled").source
    assert_same(before, after)


def test_a_grid_that_divides_nothing_stays_a_number() -> None:
    for grid in ("(4,)", "lambda meta: (max(240 // meta['BLOCK'], 4),)"):
        after = straightened(candidate(GRID=grid))
        assert after.launcher is not None and "scaled[(4,)]" in after.launcher.source


def test_a_tensor_of_numbers_is_made_full_of_them() -> None:
    for make in ("torch.zeros_like(flat)", "torch.full((240,), 2.5, device=x.device)"):
        before = candidate(MAKE=make)
        after = straightened(before)
        assert after is not before
        assert_same(before, after)


@pytest.mark.parametrize(
    "parts",
    [
        {"OWN": "self.own = torch.ones(40)", "SCALE": "self.own"},
        {"MAKE": "torch.empty_like(flat).zero_()"},
        {"MAKE": "flat.clone()"},
    ],
    ids=["a tensor of its own", "a tensor changed in place", "a copy"],
)
def test_what_does_more_stays(parts: dict[str, str]) -> None:
    before = candidate(**parts)
    assert straightened(before) is before
