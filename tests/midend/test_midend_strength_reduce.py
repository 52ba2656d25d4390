"""`strength-reduce`: indices without divisions by what only a launch knows, and the same numbers."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from programs import assert_right

from kernelwright.backend.compile.compiler import compile_module
from kernelwright.backend.targets import get_target
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule
from kernelwright.midend.local.strength_reduce import StrengthReduce

BEFORE = (Path(__file__).parents[1] / "golden" / "strength-reduce" / "before.py").read_text("utf-8")


def reduced(module: KernelModule) -> KernelModule:
    return StrengthReduce().run(module, Context(target="h200"))


def divisions(module: KernelModule) -> int:
    """Quotients and remainders that are computed."""
    (function,) = kernel_functions(module).values()
    return sum(one.kind in ("floordiv", "mod") for one in function.walk())


def test_no_division_instruction_is_left() -> None:
    before = parse_module(BEFORE)
    after = reduced(before)
    texts = [next(iter(compile_module(one, get_target("h200")).values())).ptx for one in (before, after)]
    found = [len(re.findall(r"\b(?:div|rem)\.[su]32", text)) for text in texts]
    assert found[0] >= 4 and found[1] == 0
    assert divisions(after) < divisions(before)
    assert reduced(after) is after, "what is reduced is not reduced again"


OTHERS = {
    "taken apart in another order": ("lane = i % width", "lane = i - i // width * width"),
    "in two dimensions": (
        "i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)",
        "i = tl.program_id(0) * SIZE + (tl.arange(0, SIZE // 8)[:, None] * 8 + tl.arange(0, 8)[None, :])",
    ),
    "in a loop": (
        "tl.store(y_ptr + i, x * gate + shift, mask=inside)",
        "for _ in range(2):\n        tl.store(y_ptr + i // width * width + i % width, x * gate + shift, mask=inside)",
    ),
    "that are only broadcast": (
        "gate = tl.load(gate_ptr + head * (width // PAIR) + lane // PAIR, mask=inside)",
        "twice = tl.zeros([2, SIZE], tl.int32) + (head * (width // PAIR) + lane // PAIR)\n"
        "    gate = tl.sum(tl.load(gate_ptr + (i[None, :] * 0 + twice), mask=inside[None, :]), 0) / 2",
    ),
    "of 64 bits": ("lane = i % width", "i = i.to(tl.int64)\n    lane = i % width"),
}


@pytest.mark.parametrize(("old", "new"), OTHERS.values(), ids=OTHERS)
def test_indices_that_are_spelt_otherwise(old: str, new: str) -> None:
    assert old in BEFORE
    text = BEFORE.replace(old, new)
    after = reduced(parse_module(text))
    assert divisions(after) < divisions(parse_module(text))
    assert_right(after)


@pytest.mark.parametrize("where", ["the sum", "a part"])
def test_hints_are_not_lost(where: str) -> None:
    """A hint on the whole index is in what replaces it; what one on a part says would be lost."""
    old = "source = ((batch * tokens + token) * heads + head) * (2 * width) + lane"
    hinted = {"the sum": f"tl.max_contiguous({old.partition(' = ')[2]}, 4)", "a part": f"{old[9:-4]}hint"}[where]
    text = BEFORE.replace(old, "hint = tl.max_contiguous(lane, 4)\n    source = " + hinted)
    assert text != BEFORE
    before = parse_module(text)
    after = reduced(before)
    assert after.kernels[0].source.count("max_contiguous") == 1
    assert_right(after)


def test_blocks_may_still_be_tuned() -> None:
    after = reduced(parse_module(BEFORE))
    assert after.launcher is not None
    source = after.launcher.source.replace("total, 128", "total, 64").replace("SIZE=128", "SIZE=64")
    assert source != after.launcher.source
    assert_right(replace(after, launcher=replace(after.launcher, source=source)))


def test_a_tensor_beyond_32_bits_keeps_its_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    before, everywhere = parse_module(BEFORE), reduced(parse_module(BEFORE))
    monkeypatch.setattr("kernelwright.midend.local.strength_reduce.INDEX_LIMIT", 100)
    after = reduced(before)
    assert divisions(everywhere) < divisions(after)
    assert_right(after)
