"""Faults that a whole model's own error hides, found in the one kernel that has them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.driver.judging.kernel_by_kernel import judge_kernels, pieces_of, told_apart
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.values import KernelModule

RUNGS = (Rung.PARSE, Rung.INTERPRET)


@dataclass(frozen=True)
class Hidden:
    """A program of 16 bits or more, and what in its kernels is changed into a fault; `whole`: it hides that."""

    name: str
    init: str
    forward: str
    old: str
    new: str
    whole: bool = True
    dtype: str = "bfloat16"
    written_out: bool = False
    size: int = 32

    @property
    def module(self) -> KernelModule:
        """The program, imported."""
        source = (
            "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\nclass Model(nn.Module):\n"
            "    def __init__(self):\n        super().__init__()\n"
            f"        {self.init}\n        self.to(torch.{self.dtype})\n\n    def forward(self, x):\n"
            f"        {self.forward}\n\n\ndef get_inputs():\n"
            f"    return [torch.randn(8, {self.size}).to(torch.{self.dtype})]\n\n\n"
            "def get_init_inputs():\n    return []\n"
        )
        return import_source(source, "hidden", shrink="never")


_LINEAR = "self.a = nn.Linear(32, 32); self.b = nn.Linear(32, 32); self.n = nn.{}"
_NORMED = "return self.b(F.gelu(self.n(self.a(x))))"
_DEEP = "self.l = nn.Sequential(*(nn.Sequential(nn.LayerNorm(32), nn.Linear(32, 32), nn.GELU()) for _ in range(3)))"
_PRODUCTS = "self.a = nn.Linear(64, 64, bias=False); self.b = nn.Linear(64, 64, bias=False); self.n = nn.LayerNorm(64)"
_SUM = "    sum_0 = tl.sum(where_0, 1)[:, None].to(tl.float32)\n"
_IN_BF16 = """    sum_0 = tl.zeros([XBLOCK, 1], tl.bfloat16)
    for j in range(64):
        sum_0 += tl.sum(tl.where(r0_index == j, where_0, 0.0), 1)[:, None].to(tl.bfloat16)
    sum_0 = sum_0.to(tl.float32)
"""
HIDDEN = [
    Hidden("the eps of a layer norm", _LINEAR.format("LayerNorm(32)"), _NORMED, "1e-05", "5e-05"),
    Hidden("the eps of an rms norm", _LINEAR.format("RMSNorm(32, eps=1e-6)"), _NORMED, "9.999999974752427e-07", "5e-6"),
    Hidden("the eps of a group norm", _LINEAR.format("GroupNorm(4, 32)"), _NORMED, "1e-05", "5e-05"),
    Hidden("the eps of three norms", _DEEP, "return self.l(x)", "1e-05", "2e-05"),
    Hidden("the eps beside a residual", _LINEAR.format("LayerNorm(32)"), "return x + self.b(F.gelu(self.n(self.a(x))))",
           "1e-05", "5e-05"),
    Hidden("the eps of a norm in fp16", _LINEAR.format("LayerNorm(32)"), _NORMED, "1e-05", "1.3e-05", dtype="float16"),
    Hidden("a product in bf16", _PRODUCTS, "return self.b(self.n(F.gelu(self.a(x))))", _SUM, _IN_BF16, whole=False,
           written_out=True, size=64),
    Hidden("the eps of a batch norm", _LINEAR.format("BatchNorm1d(32).eval()"), _NORMED, "1e-05", "5e-05"),
    Hidden("an eps that shows", _LINEAR.format("LayerNorm(32)"), _NORMED, "1e-05", "0.5", whole=False),
    Hidden("a dropped residual", _LINEAR.format("LayerNorm(32)"), "return x + self.b(F.gelu(self.n(self.a(x))))",
           "x + buf6", "buf6", whole=False, dtype="float32"),
]  # fmt: skip


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, timeout_s=120, memory_gb=4, use_gpu=False, seed=5) as evaluator:
        yield evaluator


def spoiled(module: KernelModule, old: str, new: str) -> KernelModule:
    """The module with a text in its kernels replaced."""
    kernels = tuple(replace(kernel, source=kernel.source.replace(old, new)) for kernel in module.kernels)
    assert kernels != module.kernels, [kernel.source for kernel in module.kernels]
    return replace(module, kernels=kernels)


@pytest.mark.slow
@pytest.mark.parametrize("one", HIDDEN, ids=[one.name for one in HIDDEN])
def test_a_fault_is_found_in_the_kernel_that_has_it(one: Hidden, evaluator: LocalEvaluator) -> None:
    pieces = pieces_of(one.module, LowerInductor(written_out=one.written_out))
    right = judge_kernels(pieces.whole, pieces, evaluator, RUNGS)
    assert right.found and right.first_wrong is None, right
    verdict = told_apart(evaluator.evaluate(pieces.whole, RUNGS), right)
    assert verdict.ok and verdict.caliber["kernels"].endswith("judged alone"), verdict
    wrong = spoiled(pieces.whole, one.old, one.new)
    whole = evaluator.evaluate(wrong, RUNGS)
    assert whole.ok is one.whole, whole
    alone = judge_kernels(wrong, pieces, evaluator, RUNGS)
    assert alone.first_wrong is not None and alone.first_wrong.status is Status.MISMATCH, alone
    verdict = told_apart(whole, alone)
    assert verdict.status is Status.MISMATCH, verdict
    assert ("alone" in verdict.detail and "as a whole" in verdict.detail) is one.whole, verdict


def test_kernels_that_cannot_be_judged_alone_are_named(evaluator: LocalEvaluator) -> None:
    one = next(one for one in HIDDEN if one.written_out)
    pieces = pieces_of(one.module, LowerInductor(written_out=True))
    names = [piece.symbol for piece in pieces.found]
    assert len(pieces.left_out) == 2 and "it is not known which operation" in pieces.left_out["gelu_layer_norm"]
    foreign = replace(pieces.whole, kernels=tuple(k for k in pieces.whole.kernels if k.symbol not in names))
    alone = judge_kernels(foreign, pieces, evaluator, RUNGS)
    assert not alone.found and set(alone.left_out) == {*names, *pieces.left_out}
    assert alone.left_out[names[0]] == f"@{names[0]} is not a kernel of this program"


def test_an_input_of_a_piece_is_drawn_like_the_values_of_the_program() -> None:
    pieces = pieces_of(HIDDEN[4].module)
    last = next(piece for piece in pieces.found if piece.symbol == "add")
    assert [spec.name for spec in last.module.reference.inputs] == ["x", "buf6"]
    assert last.module.reference.outputs[0].shape == (8, 32)
    assert "aten.add.Tensor(x, buf6)" in last.module.reference.source
    assert "torch.bfloat16" in last.module.reference.source
