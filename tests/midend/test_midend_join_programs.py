"""`join-programs`: one program for neighbours in memory, whatever it computes of their elements."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from programs import assert_right

from kernelwright.backend.compile.compiler import compile_module
from kernelwright.backend.launch.straight import straightened
from kernelwright.backend.targets import get_target
from kernelwright.ir.errors import UserError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule
from kernelwright.midend.rows.join_programs import JoinPrograms

BEFORE = (Path(__file__).parents[1] / "golden" / "join-programs" / "before.py").read_text("utf-8")
SUM = "tl.sum(x * x, axis=0)"


def joined(text: str, **options: int) -> tuple[KernelModule, list[str]]:
    """The module, and why kernels stayed as they were."""
    said: list[str] = []
    context = Context(target="h200", declined=lambda one: said.append(one.reason))
    return JoinPrograms(**options).run(parse_module(text), context), said


#: What takes the place of the sum, or of the line before it.
LOOP = """total = {start}
    for start in range(0, channels, 4):
        c = start + tl.arange(0, 4)
        part = tl.load(x_ptr + (image * channels + c) * pixels + pixel, mask=c < channels, other=0.0)
        total += {added}
"""
FORMS = {
    "a loop that carries a number": LOOP.format(start="0.0", added="tl.sum(part * part)") + "    scale = {total}",
    "a loop that carries a block": LOOP.format(start="tl.zeros([4], tl.float32)", added="part * part")
    + "    scale = {sum}",
    "a loop over elements": "total = 0.0\n    for c in range(0, channels):\n"
    "        one = tl.load(x_ptr + (image * channels + c) * pixels + pixel)\n        total += one * one\n"
    "    scale = {total}",
    "a scan": "scale = tl.rsqrt(tl.max(tl.cumsum(x * x, axis=0), axis=0) / channels + 1e-5)",
    "a branch by element": "scale = tl.rsqrt(tl.sum(tl.where(pixel < 7, x * x, x * x)) / channels + 1e-5)",
    "a block of the program's own number": "scale = tl.rsqrt(tl.sum(x * x + 0 * tl.broadcast_to(pixel, [BLOCK])) / "
    "channels + 1e-5)",
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_what_differs_between_programs_gets_a_dimension(form: str) -> None:
    total, summed = (f"tl.rsqrt({text} / channels + 1e-5)" for text in ("total", "tl.sum(total, 0)"))
    line = form.replace("{total}", total).replace("{sum}", summed)
    text = BEFORE.replace(f"scale = tl.rsqrt({SUM} / channels + 1e-5)", line)
    assert text != BEFORE
    after, _ = joined(text)
    assert "LANES" in after.kernels[0].source
    assert compile_module(after, get_target("h200"))
    assert_right(after)


def test_whole_blocks_are_masked_by_program_alone() -> None:
    text = BEFORE.replace(", mask=inside, other=0.0", "").replace(", mask=inside", "").replace("20", "32")
    after, _ = joined(text)
    assert "None, :]" in after.kernels[0].source
    assert compile_module(after, get_target("h200"))
    assert_right(after)


def test_a_warp_reads_whole_lines() -> None:
    before, (after, _) = parse_module(BEFORE), joined(BEFORE, lanes=16)
    assert dict(after.kernels[0].meta)["LANES"] == 16
    # A constant stride between lanes is what the compiler needs to see; the number of pixels is a multiple of four.
    texts = [next(iter(compile_module(one, get_target("h200")).values())).ttgir for one in (before, after)]
    orders = [re.findall(r"order = \[(.*?)\]", text) for text in texts]
    assert all("," not in order for order in orders[0]) and "1, 0" in orders[1]
    assert_right(after)


STAY = {
    "an atomic": (
        "tl.store(y_ptr + at, (x * scale * weight).to(y_ptr.dtype.element_ty), mask=inside)",
        "tl.atomic_add(y_ptr + at, x * scale * weight, mask=inside)",
        "a atomic_add is done for each program",
    ),
    "a branch": ("weight = tl", "if pixel > 3:\n        channels += 0\n    weight = tl", "a if may take another way"),
    "the number of programs": ("pixel, image = ", "channels += 0 * tl.num_programs(0)\n    pixel, image = ", "it asks"),
    "a length of its own": (
        "weight = tl",
        "for _ in range(0, pixel):\n        x += 0.0\n    weight = tl",
        "how often a loop goes round depends on the program",
    ),
    "elements side by side": (
        "at = (image * channels + channel) * pixels + pixel",
        "at = (image * pixels + pixel) * channels + channel",
        "neighbouring programs do not access neighbours in memory",
    ),
    "what was stored": ("weight_ptr + channel", "y_ptr + channel", "it loads from a tensor that it stores to"),
    "few programs": ("torch.randn(2, 20, 40)", "torch.randn(2, 20, 9)", "host code does not launch a known number"),
    "long blocks": ("BLOCK=triton.next_power_of_2(channels)", "BLOCK=2048", "its blocks have 2048 elements"),
}


@pytest.mark.parametrize(("old", "new", "reason"), STAY.values(), ids=STAY)
def test_programs_stay_apart(old: str, new: str, reason: str) -> None:
    text = BEFORE.replace(old, new).replace("2, 20, 40" if "20, 9" in new else "!", "2, 20, 9")
    assert text != BEFORE
    after, said = joined(text)
    assert "LANES" not in after.kernels[0].source
    assert [one.startswith(reason) for one in said] == [True], said


def test_options_that_are_no_blocks_leave_a_power_of_two_of_lanes() -> None:
    module = straightened(parse_module(BEFORE))
    (kernel,) = module.kernels
    source = kernel.source.replace("BLOCK: tl.constexpr", "BLOCK: tl.constexpr, LENGTH: tl.constexpr")
    kernel = replace(kernel, source=source, meta=(*kernel.meta, ("LENGTH", 300)))
    after = JoinPrograms().run(replace(module, kernels=(kernel,)), Context(target="h200"))
    assert dict(after.kernels[0].meta)["LANES"] == 16
    assert_right(after)


def test_lanes_are_a_power_of_two() -> None:
    with pytest.raises(UserError, match="lanes=24: choose a power of two from 8 to 128"):
        JoinPrograms(lanes=24)
