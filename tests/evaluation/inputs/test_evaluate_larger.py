"""Programs that are right at small sizes are called at larger ones too: one size as it was, the others small."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.sizes.larger import import_larger

RUNGS = (Rung.PARSE, Rung.INTERPRET)
LARGE = "4096, 16384"
POWER = "triton.next_power_of_2(N)"
ONE = "i = tl.arange(0, BLOCK)\nx = tl.load(x_ptr + row * N + i, mask=i < N, other=0.0)\n"
STORE = "tl.store(y_ptr + row * N + i, y, mask=i < N)"
LOOP = "i = start + tl.arange(0, BLOCK)\n    x = tl.load(x_ptr + row * N + i, mask=i < N, other=0.0)\n    "
TOP = "x = tl.where(i < N, x, float('-inf'))\ne = tl.exp(x - tl.max(x, axis=0))\ny = e / tl.sum(e, axis=0)\n"
NORM = (
    "m = tl.sum(x, axis=0) / N\nd = tl.where(i < N, x - m, 0.0)\ny = d * tl.rsqrt(tl.sum(d * d, axis=0) / N + 1e-5)\n"
)
SUM = "s = 0.0\nfor start in range(0, {}, BLOCK):\n    " + LOOP + "s += tl.sum(x, axis=0)\ntl.store(y_ptr + row, s)"
FLAT = "i = row * BLOCK + tl.arange(0, BLOCK)\nx = tl.load(x_ptr + i, mask=i < M * N)\n"
FLAT += "tl.store(y_ptr + i, {}, mask=i < M * N)"
PIECES = (
    "s = 0.0\nfor piece in range({}):\n    i = piece * BLOCK + tl.arange(0, BLOCK)\n"
    "    s = tl.maximum(s, tl.max(tl.abs(tl.load(x_ptr + row * N + i, mask=i < N, other=0.0)), axis=0))\n"
    "tl.store(y_ptr + row, s)"
)
EACH = "for r in range(row, M, {}):\n    i = tl.arange(0, BLOCK)\n    x = tl.load(x_ptr + r * N + i, mask=i < N)\n"
EACH += "    tl.store(y_ptr + r * N + i, x + 1, mask=i < N)"


@dataclass(frozen=True)
class Kernel:
    """A kernel's body over `row`, its grid, its block, and its output."""

    body: str
    grid: str = "M"
    block: str = POWER
    out: str = "torch.empty_like(x)"

    @property
    def program(self) -> str:
        lines = "".join(f"    {line}\n" for line in self.body.split("\n"))
        return (
            "import torch\nimport triton\nimport triton.language as tl\n\n\n@triton.jit\n"
            f"def k(x_ptr, y_ptr, M, N, BLOCK: tl.constexpr):\n    row = tl.program_id(0)\n{lines}\n\n"
            f"def forward(x):\n    x = x.contiguous()\n    M, N = x.shape\n    y = {self.out}\n"
            f"    k[({self.grid},)](x, y, M, N, BLOCK={self.block})\n    return y\n"
        )


ROW = "torch.empty(M, device=x.device)"
TABLE = {
    "a block that holds a row": ("torch.softmax(x, 1)", Kernel(ONE + TOP + STORE),
                                 Kernel(ONE + TOP + STORE, block="2048")),
    "a norm of a part": ("F.layer_norm(x, x.shape[1:])", Kernel(ONE + NORM + STORE),
                         Kernel(ONE + NORM + STORE, block="1024")),
    "a sum of a part": ("x.sum(1)", Kernel(SUM.format("N"), block="256", out=ROW),
                        Kernel(SUM.format("1024"), block="256", out=ROW)),
    "a bound on blocks": ("x.sum(1)", Kernel(SUM.format("N"), block="256", out=ROW),
                          Kernel(SUM.format("tl.minimum(N, 4096)"), block="256", out=ROW)),
    "a grid of a number": ("x * 2", Kernel(FLAT.format("x * 2"), "triton.cdiv(M * N, 1024)", "1024"),
                           Kernel(FLAT.format("x * 2"), "64", "1024")),
    "a grid with a bound": ("x.exp()", Kernel(FLAT.format("tl.exp(x)"), "triton.cdiv(M * N, 1024)", "1024"),
                            Kernel(FLAT.format("tl.exp(x)"), "min(triton.cdiv(M * N, 1024), 100)", "1024")),
    "pieces": ("x.abs().amax(1)", Kernel(PIECES.format("tl.cdiv(N, BLOCK)"), block="512", out=ROW),
               Kernel(PIECES.format("4"), block="512", out=ROW)),
    "rows in turn": ("x + 1", Kernel(EACH.format("64"), "64"), Kernel(EACH.format("4096"), "min(M, 1024)")),
    "a prefix": ("x.cumsum(1)", Kernel(ONE + "y = tl.cumsum(x, axis=0)\n" + STORE),
                 Kernel(ONE + "y = tl.cumsum(x, axis=0)\n" + STORE, block="4096")),
}  # fmt: skip


def judged(kernel: Kernel, forward: str, evaluator: LocalEvaluator, sizes: str = LARGE) -> Verdict:
    source = (
        "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\nclass Model(nn.Module):\n"
        f"    def forward(self, x):\n        return {forward}\n\n\ndef get_inputs():\n"
        f"    return [torch.randn({sizes})]\n\n\ndef get_init_inputs():\n    return []\n"
    )
    small = import_source(source, "program", shrink="always").reference
    larger = import_larger(source, small, "program")
    return evaluator.evaluate_text(kernel.program, small, RUNGS, larger=larger)


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, strength="reward") as evaluator:
        yield evaluator


@pytest.mark.parametrize("name", TABLE)
def test_a_program_is_right_at_larger_sizes(name: str, evaluator: LocalEvaluator) -> None:
    forward, right, wrong = TABLE[name]
    verdict = judged(right, forward, evaluator)
    assert verdict.ok and len(verdict.caliber["larger_sizes"]) == 2, verdict
    verdict = judged(wrong, forward, evaluator)
    assert verdict.status in (Status.MISMATCH, Status.RUNTIME_ERROR), verdict
    assert "[at larger sizes: x f32[" in verdict.detail


@pytest.mark.parametrize(
    ("out", "why"),
    [
        ("torch.empty_like(x)\n    assert N <= 1024, 'rows are too long'", "rows are too long"),
        ("torch.empty((M, min(N, 1024)), device=x.device)", "its outputs have other shapes there"),
    ],
)
def test_a_program_that_says_it_is_made_for_other_sizes_is_right(out: str, why: str, evaluator: LocalEvaluator) -> None:
    store = "n = tl.minimum(N, 1024)\ntl.store(y_ptr + row * n + i, x * 2, mask=i < n)"
    kernel = Kernel(ONE + store, block="1024", out=out)
    verdict = judged(kernel, "x * 2", evaluator)
    assert verdict.ok and any(
        note.startswith("not judged at x f32[") and why in note for note in verdict.caliber["notes"]
    )


def test_no_sizes_are_larger_than_those_of_a_program_that_is_small() -> None:
    source = "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x * 2\n"
    source += "def get_inputs():\n    return [torch.randn(8, 8)]\n"
    assert import_larger(source, import_source(source, "program", shrink="always").reference, "program") == ()


@pytest.mark.parametrize("wide", [True, False])
def test_offsets_are_checked_at_the_sizes_of_the_program(wide: bool, evaluator: LocalEvaluator) -> None:
    """40 GB that nothing allocates: a row times its length leaves 32 bits from row 32768 on."""
    body = EACH.format("M") if not wide else EACH.format("M").replace("r * N", "r.to(tl.int64) * N")
    verdict = judged(Kernel(body), "x + 1", evaluator, "160000, 65536")
    if wide:
        assert verdict.ok and verdict.caliber["offsets_at"] == "x f32[160000, 65536]", verdict
        return
    assert verdict.status is Status.RUNTIME_ERROR and verdict.diagnostics[0].kernel == "k", verdict
    assert "an integer of 32 bits overflows; widen" in verdict.detail
    assert verdict.detail.endswith("[at the program's own sizes: x f32[160000, 65536]]")


def test_host_code_that_refuses_its_own_sizes_is_right_at_small_ones(evaluator: LocalEvaluator) -> None:
    out = "torch.empty_like(x)\n    assert x.numel() < 2**31, 'too many elements'"
    verdict = judged(Kernel(EACH.format("M"), out=out), "x + 1", evaluator, "160000, 65536")
    assert verdict.ok and "offsets_at" not in verdict.caliber
    assert any(
        note.startswith("offsets not checked at x f32[160000") and "too many" in note
        for note in verdict.caliber["notes"]
    )


def test_only_a_program_of_many_elements_is_described_at_its_own_sizes() -> None:
    source = "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x * 2\n"
    source += "def get_inputs():\n    return [torch.randn({})]\n"
    for sizes, own in (("4096, 16384", 0), ("65536, 16384", 1)):
        small = import_source(source.format(sizes), "program", shrink="always").reference
        larger = import_larger(source.format(sizes), small, "program")
        assert [one.shrunken for one in larger].count(False) == own
