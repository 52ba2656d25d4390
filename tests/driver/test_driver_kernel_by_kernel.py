"""Faults that a whole model's own error hides, found in the one kernel that has them."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest
import torch

import kernelwright
from kernelwright.agent.evaluator import Rung, Status
from kernelwright.driver.compiling.compiled import Compiled
from kernelwright.driver.compiling.kernel_by_kernel import WHOLE, in_16_bits, judge_kernels, pieces_of, told_apart
from kernelwright.driver.compiling.program import compile_program
from kernelwright.driver.config.settings import read_settings
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.inductor.host_steps import parts, read_lines
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import Context, Pass
from kernelwright.ir.pipeline import Pipeline
from kernelwright.ir.values import KernelModule, Launcher, Level
from kernelwright.ir.verifier import launched

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
    Hidden("the eps of a batch norm", _LINEAR.format("BatchNorm1d(32).eval()"), _NORMED, "1e-05", "5e-05", whole=False),
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
    assert right.found and right.wrong is None and not right.left_out, right
    verdict = told_apart(evaluator.evaluate(pieces.whole, RUNGS), right)
    assert verdict.ok and "kernels judged alone" in verdict.caliber["kernels"], verdict
    wrong = spoiled(pieces.whole, one.old, one.new)
    whole = evaluator.evaluate(wrong, RUNGS)
    assert whole.ok is one.whole, whole
    alone = judge_kernels(wrong, pieces, evaluator, RUNGS)
    assert alone.wrong is not None and alone.wrong[1].status is Status.MISMATCH, alone
    verdict = told_apart(whole, alone)
    assert verdict.status is Status.MISMATCH, verdict
    assert ("alone" in verdict.detail and "as a whole" in verdict.detail) is one.whole, verdict
    assert verdict.caliber["found_by"] == (alone.wrong[0] if one.whole else WHOLE), verdict


def program(init: str, forward: str, dtype: str = "bfloat16") -> KernelModule:
    """A program with these lines."""
    return Hidden("", init, forward, "", "", dtype=dtype).module


def test_kernels_that_cannot_be_judged_alone_are_named(evaluator: LocalEvaluator) -> None:
    pieces = pieces_of(program("", "return torch.arange(8, device=x.device) * 3, x * 2, x.softmax(-1)"))
    assert set(pieces.left_out) == {"arange_mul"} and "@arange_mul: all that it gets" in pieces.left_out["arange_mul"]
    (doubled,) = (piece.symbols for piece in pieces.found if piece.symbols[0].startswith("mul"))
    assert pieces.whole.launcher is not None
    source = pieces.whole.launcher.source.replace(f"{doubled[0]}[", f"{doubled[0]}[1 + ")
    alone = judge_kernels(replace(pieces.whole, launcher=Launcher(source)), pieces, evaluator, RUNGS)
    assert set(alone.left_out) == {"arange_mul", *doubled} and set(alone.found).isdisjoint(alone.left_out)
    assert alone.left_out[doubled[0]] == "the program does not launch it as the lowered program does"


def test_kernels_that_meet_in_a_buffer_that_holds_no_result_are_judged_together() -> None:
    init = "self.n = nn.GroupNorm(4, 8); self.c = nn.Conv2d(8, 8, 3, padding=1)"
    pieces = pieces_of(program(init, "return self.c(F.silu(self.n(x.view(2, 8, 4, 4))))"))
    names = {symbol for piece in pieces.found for symbol in piece.symbols}
    assert not pieces.left_out and names == set(launched(pieces.whole))
    assert any(len(piece.symbols) > 1 and " with @" in piece.name for piece in pieces.found)
    assert all(piece.of(pieces.whole) == piece.module for piece in pieces.found)


HALVES = """def forward(x: "f32[4, 8]"):
    buf2 = torch.empty_strided((4, 16), (16, 1), device=x.device, dtype=torch.float32)
    buf0 = torch.as_strided(buf2, (4, 8), (16, 1))
    first[4,](x, buf0, **first_meta)
    buf1 = torch.as_strided(buf2, (4, 8), (16, 1), 8)
    second[4,](x, buf1, **second_meta)
    out = torch.empty_strided((4, 16), (16, 1), device=x.device, dtype=torch.float32)
    third[4,](buf2, out, **third_meta)
    return out
"""


def test_who_writes_a_part_of_a_buffer_is_told_from_who_reads_it() -> None:
    lines = read_lines(HALVES, ("first", "second", "third"))
    steps = {line.symbol: (line.made, line.read) for line in lines if line.computes}
    assert steps == {
        "first": (("buf2",), ("x",)),
        "second": (("buf2",), ("x",)),
        "third": (("out",), ("buf2",)),
    }
    found = {part.symbols: (part.taken, part.made) for part in parts(lines, lambda _: True)}
    assert found == {("first", "second"): (("x",), ("buf2",)), ("third",): (("buf2",), ("out",))}
    assert [part.symbols for part in parts(lines, lambda name: name != "buf2")] == [("first", "second", "third")]


def test_an_input_of_a_piece_is_drawn_like_the_values_of_the_program() -> None:
    pieces = pieces_of(HIDDEN[4].module)
    last = next(piece for piece in pieces.found if piece.symbols == ("add",))
    assert [spec.name for spec in last.module.reference.inputs] == ["x", "buf6"]
    assert last.module.reference.outputs[0].shape == (8, 32)
    assert "aten.add.Tensor(x, buf6)" in last.module.reference.source
    assert "torch.bfloat16" in last.module.reference.source


@dataclass(frozen=True)
class Spoil(Pass):
    """Changes a text in every kernel."""

    name: ClassVar[str] = "spoil"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON

    old: str = ""
    new: str = ""

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        del ctx
        return spoiled(module, self.old, self.new)


Compile = Callable[..., Compiled]


@pytest.fixture
def compiled(evaluator: LocalEvaluator) -> Compile:
    """`compile` of a program with a pass after the lowering that changes kernels; its evaluator is the tests' own."""

    def run(one: Hidden, new: str = "", asked: str = "auto", out: Path | None = None, device: str = "auto") -> Compiled:
        passes = (LowerInductor(device=device), *([Spoil(one.old, new)] if new else []))
        told = [f"kernel_by_kernel={asked}", *([f"out={out}"] if out else [])]
        settings = replace(read_settings("hidden", told), pipeline=Pipeline(passes))
        context = Context("h100", evaluator)
        return compile_program(one.module, settings, context=context, keep=out is not None)

    return run


def test_compile_names_the_kernel_of_a_fault_that_the_whole_model_hides(compiled: Compile, tmp_path: Path) -> None:
    wrong = compiled(HIDDEN[0], HIDDEN[0].new, out=tmp_path)
    assert wrong.verdict is not None and wrong.verdict.status is Status.MISMATCH and not wrong.ok
    report = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert report["found_by"] == report["caliber"]["found_by"] == "kernel @layer_norm_gelu", report
    assert report["detail"].startswith("kernel @layer_norm_gelu alone: output ")
    assert report["kernels_alone"]["judged"]["layer_norm_gelu"].startswith("mismatch@interpret")
    assert [stage["verdict"][:3] for stage in report["stages"]] == ["ok@", "ok@"]
    assert wrong.module.provenance[-1].verdict == str(wrong.verdict)
    with pytest.raises(UserError, match="no verified kernels to call: mismatch"):
        wrong(torch.zeros(8, 32))
    assert compiled(HIDDEN[0], HIDDEN[0].new, asked="never").ok


def test_compile_says_that_the_whole_model_shows_a_fault(compiled: Compile) -> None:
    report = compiled(HIDDEN[0], "0.5").report
    assert (report["status"], report["found_by"], report["kernels_alone"]) == ("mismatch", WHOLE, None)


def test_compile_judges_the_kernels_of_honest_programs_in_16_bits_and_of_others_if_asked(compiled: Compile) -> None:
    found = compiled(HIDDEN[0])
    assert found.ok and found.report["found_by"] is None
    alone = found.report["kernels_alone"]
    assert set(alone["judged"]) == set(launched(found.module)) and not alone["left_out"]
    assert {text.partition("@")[0] for text in alone["judged"].values()} == {"ok"}
    assert f"{len(alone['judged'])} of {len(alone['judged'])} kernels judged alone, " in str(found)
    wide = replace(HIDDEN[0], dtype="float32")
    assert compiled(wide).report["kernels_alone"] is None
    assert compiled(wide, asked="always").report["kernels_alone"]["judged"].keys() == alone["judged"].keys()


def test_kernels_of_programs_that_were_lowered_by_shapes_alone_are_judged(compiled: Compile) -> None:
    found = compiled(HIDDEN[0], device="meta")
    assert found.ok and found.report["kernels_alone"]["judged"], found.report["kernels_alone"]


def test_programs_that_autocast_compute_in_16_bits() -> None:
    forward = "with torch.autocast(x.device.type, dtype=torch.bfloat16):\n            return self.a(x)"
    module = program("self.a = nn.Linear(32, 32)", forward, "float32")
    assert all(spec.dtype == "f32" for spec in module.reference.tensors)
    assert in_16_bits(LowerInductor().run(module, Context()))
    assert not in_16_bits(LowerInductor().run(program("", "return x * 2", "float32"), Context()))


def test_kernels_that_inductor_did_not_make_are_not_judged_alone() -> None:
    module = LowerInductor().run(HIDDEN[0].module, Context())
    found = kernelwright.compile(
        module, pipeline=Pipeline((Spoil("1e-05", "0.00001"),)), overrides=["evaluator.seeds=1"]
    )
    assert found.ok
    assert found.report["kernels_alone"]["told"] == "kernels not judged alone: no pass lower-inductor made them"
