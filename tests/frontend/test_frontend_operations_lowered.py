"""Operations that once did not lower, or lowered to other values than eager code gives."""

import re

import pytest
import torch

from kernelwright.backend.interpreter.runtime import InterpreterRuntime
from kernelwright.backend.launch.execute import load_module
from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.errors import LoweringError
from kernelwright.ir.passes import Context
from kernelwright.ir.verifier import verify

PROGRAM = """import torch
import torch.nn as nn
import torch.nn.functional as F
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.m = {module}
    def forward(self, {names}):
        return {results}
def get_inputs():
    return [{inputs}]
"""
XY = "torch.randint(-90, 90, (64,)) / 10.0, torch.randint(1, 10, (64,)) / 10.0"
X = "torch.rand(40) * 4 - 2"
#: Each of these beside each of them: both zeros, both infinities, and a number of either sign.
ZEROS = (
    "torch.tensor([0.0, -0.0, 1.0, -2.0, float('inf'), -float('inf')]).repeat(6), "
    "torch.tensor([0.0, -0.0, 1.0, -2.0, float('inf'), -float('inf')]).repeat_interleave(6)"
)
EDGES = "torch.linspace(-2, 2, 9), torch.randn(4, 6)"
#: What a program gives -> its inputs; several results at once cost one lowering.
LOWERED = {
    "x // y, -x // y, x // -y, x // 0.3, x // -0.7, torch.div(x, y, rounding_mode='trunc')": XY,
    "torch.remainder(x, y), torch.fmod(x, y), torch.remainder(-x, y), torch.fmod(x, 0.3)": XY,
    "torch.bucketize(y, x), torch.bucketize(y, x, right=True), torch.searchsorted(x, y), "
    "torch.searchsorted(x, y, right=True)": EDGES,
    "torch.special.erfinv(torch.tanh(x)), torch.lgamma(x.abs() + 0.1), torch.special.erfcx(x), x.sinc()": X,
    "torch.nextafter(x, y), torch.hypot(x, y), torch.atan2(x, y), torch.copysign(x, y)": XY,
    "torch.atan2(x, y), torch.atan2(y, x)": ZEROS,
    "torch.special.bessel_j0(x), torch.special.bessel_j1(x), torch.special.bessel_y0(x.abs() + 0.1), "
    "torch.special.modified_bessel_i0(x)": X,
    "F.pad(x, (1, 1, 2, 1), mode='circular'), F.pad(x, (1, 2, 2, 1), mode='reflect')": "torch.randn(2, 3, 5, 6)",
    "x[-1], x[:, -2], x[[-1, 0]], x.index_put((torch.tensor([-1, 1]),), x[0] * 2)": "torch.randn(4, 6)",
    "x + torch.ones(2, 7, dtype=torch.bool).cumsum(1, dtype=torch.float32), torch.full((7,), 3).cumsum(0) + x, "
    "torch.tensor(5.0).cumsum(0) + x, x * torch.full((2, 7), 0.5).cumsum(0), "
    "x + torch.ones(2, 7).cumsum(-1, dtype=torch.int32), torch.ones(2, 7).cumsum(1, dtype=torch.float64)": (
        "torch.randn(2, 7)"
    ),
    "x.sum(1) + y, x.prod(1) * y, x.sum(0)": "torch.randn(3, 0), torch.randn(3)",
}
MODULES = {
    "nn.EmbeddingBag(10, 6, mode='sum')": "torch.randint(0, 10, (3, 4))",
    "nn.EmbeddingBag(10, 6, mode='mean')": "torch.randint(0, 10, (3, 4))",
    "nn.Conv2d(3, 4, 3, padding=1, padding_mode='circular')": "torch.randn(2, 3, 8, 8)",
}


def check(results: str, inputs: str, module: str = "nn.Identity()") -> None:
    names = "x, y" if re.search(r"\by\b", results) else "x"
    source = PROGRAM.format(module=module, names=names, results=results, inputs=inputs)
    given = import_source(source, "program", shrink="never")
    lowered = LowerInductor().run(given, Context(target="interpreter"))
    assert not verify(lowered)
    space: dict[str, object] = {}
    exec(source, space)
    torch.manual_seed(1)
    model, values = space["Model"](), space["get_inputs"]()  # type: ignore[operator]
    state = {spec.tensor.name: model.get_parameter(spec.path) for spec in given.reference.state}
    with torch.no_grad():
        wanted = model(*values)
        found = load_module(lowered, InterpreterRuntime(check_uninitialised=True))([v.clone() for v in values], state)
    for one, other in zip(found, wanted if isinstance(wanted, tuple) else (wanted,), strict=True):
        torch.testing.assert_close(one, other, rtol=2e-5, atol=2e-5, equal_nan=True)


@pytest.mark.parametrize("results", LOWERED)
def test_it_lowers_to_what_eager_code_gives(results: str) -> None:
    check(results, LOWERED[results])


@pytest.mark.parametrize("module", MODULES)
def test_modules_lower_to_what_eager_code_gives(module: str) -> None:
    check("self.m(x)", MODULES[module], module)


@pytest.mark.parametrize("results", ["torch.fft.fft(x).real", "torch.view_as_real(torch.polar(x, x))", "(x * 1j).imag"])
def test_complex_numbers_are_refused_in_one_clear_line(results: str) -> None:
    with pytest.raises(LoweringError, match=r"computes with complex numbers .* write real and imaginary parts"):
        check(results, X)


def test_inputs_on_a_gpu_are_drawn_where_there_is_none() -> None:
    inputs = "torch.randn(4, 8, device='cuda'), torch.ones(8).cuda(), torch.zeros(8).to(device='cuda:0')"
    source = PROGRAM.format(
        module="nn.Linear(8, 8, device='cuda')", names="x, y, z", results="self.m(x) + y + z", inputs=inputs
    )
    reference = import_source(source, "program", shrink="never").reference
    assert [spec.shape for spec in reference.inputs] == [(4, 8), (8,), (8,)]


def test_values_of_16_bits_are_rounded_inside_a_kernel_unless_told_otherwise() -> None:
    given = PROGRAM.format(module="None", names="x", results="(x * 3.1 + x) * 0.7", inputs="torch.randn(64).bfloat16()")
    program = import_source(given, "rounded")
    (x,) = ReferenceProgram.load(program.reference).inputs(0)
    eager = (x * 3.1 + x) * 0.7
    gold = (x.double() * 3.1 + x.double()) * 0.7
    for rounded in (True, False):
        module = LowerInductor(rounded=rounded).run(program, Context())
        (got,) = load_module(module, InterpreterRuntime())([x], {})
        assert torch.equal(got, eager) is rounded
        assert rounded or torch.equal(got, gold.to(torch.bfloat16))
