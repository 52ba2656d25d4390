"""Kernels spelt otherwise: which rewrites make the same of both spellings, and how those that do not are counted."""

from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import ClassVar

import pytest

from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import REGISTRY, Context, Keeps, Pass
from kernelwright.ir.values import KernelModule, Level

ROOT = Path(__file__).parents[2]
BENCHMARK = "rewrites.spelling"


@dataclass(frozen=True)
class ByName(Pass):
    """Changes a kernel only where a name is as Inductor writes it."""

    name: ClassVar[str] = "by-name"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    keeps: ClassVar[Keeps] = Keeps.EXACT

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
        changed = tuple(
            replace(one, source=one.source.replace("/ 300.0", "/ 301.0") if "r0_mask" in one.source else one.source)
            for one in module.kernels
        )
        return module if changed == module.kernels else replace(module, kernels=changed)


def test_a_rewrite_that_reads_names_is_told_from_one_that_does_not(
    benchmark: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(REGISTRY, "by-name", ByName)
    module = parse_module((ROOT / "tests/golden/persistent-rows/before.py").read_text("utf-8"))
    found = benchmark.row(benchmark.Subject("golden", "rows", given=module), 1, ["by-name", "persistent-rows"])
    assert found["fired"] == {"by-name": 1, "persistent-rows": 1}
    assert found["parted"] == ["by-name not as respelt"]
    failed = {"corpus": "golden", "failed": "LoweringError: no"}
    total = benchmark.summary({"rows": found, "other": failed})["golden"]
    assert (total["fired"], total["same"], total["share"], total["programs"]) == (2, 1, 0.5, 1)
    assert total["parted"] == {"rows": found["parted"]} and total["failed"] == {"other": "LoweringError: no"}


def test_a_program_is_lowered_with_loops_as_well(benchmark: ModuleType) -> None:
    source = "import torch\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x.softmax(1)\n\n"
    subject = benchmark.Subject("own", "rows", f"{source}def get_inputs():\n    return [torch.randn(3, 70)]\n")
    loops = {way: any("for " in kernel.source for kernel in one.kernels) for way, one in subject.modules()}
    assert loops == {"": False, "loops": True}
    found = benchmark.row(subject, 3, ["persistent-rows"])
    assert found["fired"] == {"persistent-rows": 1} and found["parted"] == []
