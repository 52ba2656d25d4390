"""Inputs in fp8: drawn in fp32 and rounded, so that they hold subnormal numbers and the largest ones."""

import math

import pytest
import torch

from kernelwright.backend.reference.eight_bits import as_specified, with_wide
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import TensorSpec
from tests.evaluation.siblings import Sibling, find_right, tell_apart

_E4M3, _E5M2 = (f"x = torch.randn(12, 40).to(torch.float8_{kind})\n" for kind in ("e4m3fn", "e5m2"))
_OUT = "torch.empty(x.shape, dtype=torch.float32, device=x.device)"
_ROW = "torch.empty(x.shape[:1], dtype=torch.float32, device=x.device)"
_HALVED = "z = (x.to(tl.float32) * 0.75).to(tl.float8e4nv)\n"
_STORED = "tl.store(x_ptr + row * N + i, z, mask=inside)\n"
SIBLINGS = [
    Sibling(
        "subnormals",
        "return x.float() * s[:, None]",
        f"{_E4M3}return [x, torch.rand(12) + 0.5]",
        "y = x.to(tl.float32) * s",
        "y = tl.where(tl.abs(x.to(tl.float32)) < 0.015625, 0.0, x.to(tl.float32)) * s",
        row=("s",),
        out=_OUT,
    ),
    Sibling(
        "largest",
        "return x.float() ** 2",
        f"{_E4M3}return [x]",
        "y = x.to(tl.float32) * x.to(tl.float32)",
        "w = tl.minimum(tl.maximum(x.to(tl.float32), -240.0), 240.0)\ny = w * w",
        out=_OUT,
    ),
    Sibling(
        "shift",
        "return torch.softmax(x.float(), -1)",
        f"{_E5M2}return [x]",
        "v = tl.where(inside, x.to(tl.float32), float('-inf'))\ne = tl.exp(v - tl.max(v, 0))\ny = e / tl.sum(e, 0)",
        "e = tl.where(inside, tl.exp(x.to(tl.float32)), 0.0)\ny = e / tl.sum(e, 0)",
        out=_OUT,
    ),
    Sibling(
        "sum in 16 bits",
        "return (x.float() * x.float()).sum(-1)",
        f"{_E5M2}return [x]",
        "v = tl.where(inside, x.to(tl.float32), 0.0)\ny = tl.sum(v * v, 0)",
        "v = tl.where(inside, x.to(tl.float16), 0.0)\ny = tl.sum(v * v, 0).to(tl.float32)",
        out=_ROW,
        scalar=True,
    ),
    Sibling(
        "left as it was",
        "x.copy_((x.float() * 0.75).to(x.dtype))\nreturn x.float()",
        f"{_E4M3}return [x]",
        f"{_HALVED}{_STORED}y = z.to(tl.float32)",
        f"{_HALVED}y = z.to(tl.float32)",
        out=_OUT,
    ),
    Sibling(
        "rounded otherwise",
        "x.copy_((x.float() * 0.75).to(x.dtype))\nreturn x.float().sum(-1)",
        f"{_E4M3}return [x]",
        f"{_HALVED}{_STORED}y = tl.sum(tl.where(inside, z.to(tl.float32), 0.0), 0)",
        f"{_HALVED}y = tl.sum(tl.where(inside, z.to(tl.float32), 0.0), 0)\n"
        "z = (x.to(tl.float32) * 0.7).to(tl.float8e4nv)\n" + _STORED,
        out=_ROW,
        scalar=True,
    ),
]
#: Both programs are right: bf16 holds all numbers of fp8, and norms may be spelled in either way.
BOTH_RIGHT = [
    Sibling(
        "exact in 16 bits",
        "return x.float() * 0.5",
        f"{_E5M2}return [x]",
        "y = x.to(tl.float32) * 0.5",
        "y = x.to(tl.bfloat16).to(tl.float32) * 0.5",
        out=_OUT,
    ),
    Sibling(
        "normed",
        "f = x.float()\nreturn f * torch.rsqrt((f * f).mean(-1, keepdim=True) + 1e-6)",
        f"{_E4M3}return [x]",
        "v = tl.where(inside, x.to(tl.float32), 0.0)\ny = v * tl.rsqrt(tl.sum(v * v, 0) / N + 1e-6)",
        "v = tl.where(inside, x.to(tl.float32), 0.0)\ny = v / tl.sqrt(tl.sum(v * v / N, 0) + 1e-6)",
        out=_OUT,
    ),
]


@pytest.mark.parametrize("one", SIBLINGS, ids=lambda one: one.name)
def test_programs_of_fp8_are_told_apart(one: Sibling) -> None:
    with LocalEvaluator(seed=5, seeds=1) as evaluator:
        assert not [note for note in tell_apart(one, evaluator).caliber["notes"] if "refused" in note]


@pytest.mark.parametrize("one", BOTH_RIGHT, ids=lambda one: one.name)
def test_right_programs_of_fp8_are_found_right(one: Sibling) -> None:
    with LocalEvaluator(seed=5, seeds=1) as evaluator:
        find_right(one, evaluator)


@pytest.mark.parametrize(("short", "most", "infinite"), [("f8e4m3", 448.0, math.nan), ("f8e5m2", 57344.0, math.inf)])
def test_numbers_that_are_too_large_become_the_largest(short: str, most: float, infinite: float) -> None:
    wide = torch.tensor([[1.0, 1e6, -1e6, math.nan], [math.inf, 0.3, -0.0, 1e-9]]).t()
    rounded = as_specified([wide, 3], [TensorSpec("x", short, (4, 2), (1, 4)), TensorSpec("n", "f32", (), ())])
    (back, three), (narrow, _) = with_wide(rounded), rounded
    assert isinstance(narrow, torch.Tensor) and narrow.itemsize == 1 and narrow.stride() == (1, 4)
    wanted = torch.tensor([[1.0, most, -most, math.nan], [infinite, 0.3125, -0.0, 0.0]]).t()
    assert isinstance(back, torch.Tensor) and torch.equal(back.nan_to_num(7.0), wanted.nan_to_num(7.0))
    assert three == 3
    (row,) = as_specified([wide[:1].expand(3, 2)], [TensorSpec("x", short, (3, 2), (0, 4))])
    assert isinstance(row, torch.Tensor) and row.stride() == (0, 4)


@pytest.mark.parametrize(
    ("init", "forward", "told"),
    [
        ("self.register_buffer('w', torch.ones(4).to(torch.float8_e5m2))", "x.float() * self.w.float()", "make it an"),
        ("pass", "x.to(torch.float8_e5m2)", "return it in a wider dtype"),
    ],
)
def test_weights_and_outputs_of_fp8_are_refused(init: str, forward: str, told: str) -> None:
    one = Sibling("refused", f"return {forward}", f"{_E4M3}return [x[:, :4]]", "", init=init)
    with pytest.raises(UserError, match=f"float8_e5m2 is supported for inputs alone; {told}"):
        _ = one.reference


def test_shapes_of_fp8_inputs_may_be_made_small() -> None:
    source = "import torch\nn = 1 << 14\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n"
    source += (
        "        return x.float()\n\n\ndef get_inputs():\n    return [torch.randn(n, 4096).to(torch.float8_e4m3fn)]\n"
    )
    (spec,) = import_source(source, "p", shrink="always").reference.inputs
    assert isinstance(spec, TensorSpec) and spec.dtype == "f8e4m3" and spec.numel < 1 << 22
