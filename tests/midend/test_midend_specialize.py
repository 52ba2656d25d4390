"""`specialize`: what the compiler makes of sizes that it knows, and the arguments that stay."""

from pathlib import Path

import pytest
from programs import assert_right

from kernelwright.backend.compile.compiler import compile_module
from kernelwright.backend.targets import get_target
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule
from kernelwright.midend.local.specialize import Specialize

BEFORE = (Path(__file__).parents[1] / "golden" / "specialize" / "before.py").read_text("utf-8")


def specialized(text: str) -> tuple[KernelModule, str]:
    """The module, and its kernel's text."""
    module = Specialize().run(parse_module(text), Context(target="h200"))
    return module, module.kernels[0].source


def test_rows_of_a_thousand_elements_get_wide_accesses() -> None:
    before, (after, _) = parse_module(BEFORE), specialized(BEFORE)
    texts = [next(iter(compile_module(one, get_target("h200")).values())).ptx for one in (before, after)]
    assert ["ld.global.v4" in text and "st.global.v4" in text for text in texts] == [False, True]
    assert Specialize().run(after, Context(target="h200")) is after, "what is constant is not made so again"


#: A text in the golden program, another one in its place, and what the kernel then keeps of the argument.
KEPT = {
    "beside 8 bits, which an argument makes 32": (
        "at < cols",
        "(at < 1000) & (at.to(tl.int8) * cols < 128000)",
        "* cols",
    ),
    "in a quotient of floats": ("+ shift, mask", "+ shift * (cols / cols), mask", "cols / cols"),
    "converted": ("+ shift, mask", "+ shift * (cols.to(tl.float32) / 1000), mask", "cols.to(tl.float32)"),
    "of two sizes": (
        "gated_rows[(rows,)](x, gate, y, cols, BLOCK=512)",
        "gated_rows[(rows,)](x, gate, y, cols, BLOCK=512)\n"
        "        gated_rows[(1,)](x, gate, torch.empty_like(y), cols // 2, BLOCK=512)",
        "range(0, cols, BLOCK)",
    ),
    "of 64 bits": ("y_ptr, cols,", "y_ptr, cols: tl.int64,", "range(0, cols, BLOCK)"),
    "less a block": ("range(0, cols, BLOCK)", "range(0, cols - BLOCK + 512, BLOCK)", "cols - BLOCK + 512"),
}


@pytest.mark.parametrize(("old", "new", "left"), KEPT.values(), ids=KEPT)
def test_an_argument_stays_where_a_constant_would_be_something_else(old: str, new: str, left: str) -> None:
    text = BEFORE.replace(old, new)
    assert text != BEFORE
    module, source = specialized(text)
    assert left in source
    assert_right(module)
