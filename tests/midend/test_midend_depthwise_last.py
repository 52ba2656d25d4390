"""Depthwise convolutions of tensors whose channels lie last: lanes along channels, right at odd shapes, one launch."""

from dataclasses import replace
from pathlib import Path

import pytest
from programs import assert_right, lowered

from kernelwright.backend.compile.compiler import compile_module
from kernelwright.backend.targets import get_target
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.errors import UserError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule
from kernelwright.ir.verifier import extern_ops, launched
from kernelwright.midend.fusion.fuse_epilogue import FuseEpilogue
from kernelwright.midend.templates.depthwise_conv import DepthwiseConv

GOLDEN = Path(__file__).parents[1] / "golden" / "depthwise-conv{rows=2,columns=3}" / "before.py"
H200 = Context(target="h200")


def given(x: str, weight: str, call: str, dtype: str = "float32", **options) -> KernelModule:
    """A convolution of inputs `x` and `w`, and `b` where the call has one, that are laid out as the texts say."""
    source = f"""import torch
import torch.nn.functional as F

class Model(torch.nn.Module):
    def forward(self, x, w, b):
        return F.{call}

def get_inputs():
    def randn(*shape):
        return torch.randn(*shape, dtype=torch.{dtype})

    w = {weight}
    return [{x}, w, randn(w.shape[0])]
"""
    lowering = LowerInductor(every_conv=True, device="cpu", **options)
    return lowering.run(import_source(source, "program", shrink="never"), Context())


def in_lanes_of_channels(module: KernelModule) -> bool:
    return any("CBLOCK" in kernel.source for kernel in module.kernels)


def slides(module: KernelModule) -> bool:
    return any("for row in range(begin, end)" in kernel.source for kernel in module.kernels)


LAST = ".to(memory_format=torch.channels_last)"
LAST_3D = ".to(memory_format=torch.channels_last_3d)"
SEQUENCE = "randn(2, 21, 70).transpose(1, 2)"
CASES = {
    "1d": (SEQUENCE, "randn(70, 1, 4)", "conv1d(x, w, b, 1, 3, 1, 70)"),
    "1d of a wider row": (
        "randn(2, 21, 80)[:, :, 3:73].transpose(1, 2)",
        "randn(70, 1, 4)",
        "conv1d(x, w, b, padding=3, groups=70)",
    ),
    "1d strided": (SEQUENCE, "randn(140, 1, 3)", "conv1d(x, w, None, 2, 2, 3, 70)"),
    "1d one tap": (SEQUENCE, "randn(70, 1, 1)", "conv1d(x, w, None, 3, 0, 1, 70)"),
    "1d two channels": ("randn(3, 300, 2).transpose(1, 2)", "randn(2, 1, 2)", "conv1d(x, w, b, 1, 1, 1, 2)"),
    "2d strided": (f"randn(1, 6, 13, 12){LAST}", "randn(6, 1, 3, 3)", "conv2d(x, w, b, 2, 1, 1, 6)"),
    "2d dilated": (f"randn(1, 6, 13, 12){LAST}", "randn(12, 1, 2, 3)", "conv2d(x, w, None, (2, 1), (2, 0), (3, 2), 6)"),
    "2d rows dilated": (f"randn(1, 6, 13, 9){LAST}", "randn(6, 1, 3, 3)", "conv2d(x, w, None, 1, 2, (2, 1), 6)"),
    "2d padded by more rows than meet": (
        f"randn(1, 4, 3, 5){LAST}",
        "randn(4, 1, 2, 2)",
        "conv2d(x, w, b, 1, 2, 1, 4)",
    ),
    "3d": (f"randn(2, 3, 6, 7, 9){LAST_3D}", "randn(3, 1, 3, 2, 3)", "conv3d(x, w, b, (2, 1, 2), 1, 1, 3)"),
}
#: Convolutions whose rows are neither strided nor dilated.
SLIDING = {
    "same": (f"randn(2, 5, 9, 11){LAST}", "randn(5, 1, 7, 7)", "conv2d(x, w, None, 1, 3, 1, 5)"),
    "many channels": (f"randn(2, 33, 7, 7){LAST}", "randn(33, 1, 5, 5)", "conv2d(x, w, b, 1, 2, 1, 33)"),
    "two channels of a lane": (f"randn(1, 70, 8, 5){LAST}", "randn(70, 1, 3, 3)", "conv2d(x, w, b, 1, 1, 1, 70)"),
    "two outputs of a channel": (f"randn(2, 6, 7, 9){LAST}", "randn(12, 1, 3, 3)", "conv2d(x, w, None, 1, 1, 1, 6)"),
    "no padding": (f"randn(2, 6, 9, 12){LAST}", "randn(6, 1, 3, 5)", "conv2d(x, w, b, 1, 0, 1, 6)"),
    "all padding": (f"randn(1, 6, 8, 5){LAST}", "randn(6, 1, 5, 2)", "conv2d(x, w, None, 1, (4, 3), 1, 6)"),
    "less padding": (f"randn(1, 6, 11, 7){LAST}", "randn(6, 1, 6, 3)", "conv2d(x, w, None, 1, (1, 2), 1, 6)"),
    "fewer rows than taps": (f"randn(2, 6, 2, 9){LAST}", "randn(6, 1, 7, 3)", "conv2d(x, w, b, 1, (3, 1), 1, 6)"),
    "one row of taps": (f"randn(2, 6, 5, 9){LAST}", "randn(6, 1, 1, 4)", "conv2d(x, w, b, 1, 0, 1, 6)"),
    "a column of taps": (f"randn(1, 6, 13, 2){LAST}", "randn(6, 1, 3, 1)", "conv2d(x, w, None, 1, 0, 1, 6)"),
    "strided columns": (f"randn(1, 6, 8, 12){LAST}", "randn(6, 1, 3, 3)", "conv2d(x, w, None, (1, 2), 1, 1, 6)"),
    "dilated columns": (f"randn(1, 6, 8, 12){LAST}", "randn(6, 1, 3, 3)", "conv2d(x, w, b, 1, (1, 3), (1, 3), 6)"),
    "some channels of x": (
        "randn(2, 7, 9, 20)[..., 3:16].permute(0, 3, 1, 2)",
        "randn(13, 1, 3, 3)",
        "conv2d(x, w, None, 1, 1, 1, 13)",
    ),
}


@pytest.mark.parametrize("case", (CASES | SLIDING).values(), ids=CASES | SLIDING)
@pytest.mark.parametrize("options", [{}, {"rows": 3, "columns": 2}], ids=["chosen", "given"])
def test_one_launch_of_lanes_along_channels(case, options):
    before = given(*case)
    after = DepthwiseConv(**options).run(before, H200)
    assert extern_ops(before) and not extern_ops(after)
    assert slides(after) == (case in SLIDING.values())
    # A bias is added by a kernel of its own, and that kernel can be an epilogue.
    after = FuseEpilogue().run(after, H200)
    assert len(launched(after)) == 1 and in_lanes_of_channels(after)
    assert_right(after)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["1d of a wider row", "many channels", "two channels of a lane"])
def test_half_precision_sums_in_single(name, dtype):
    after = DepthwiseConv().run(given(*(CASES | SLIDING)[name], dtype), H200)
    assert in_lanes_of_channels(after) and ".to(tl.float32)" in after.kernels[-1].source
    assert_right(after)


def test_a_bias_that_is_an_operand():
    after = DepthwiseConv().run(parse_module(GOLDEN.read_text("utf-8")), H200)
    assert in_lanes_of_channels(after) and "bias_ptr" in after.kernels[0].source
    assert_right(after)


def test_weights_whose_channels_lie_last_are_read_as_they_lie():
    weight = "randn(3, 2, 1, 37).permute(3, 2, 0, 1)"
    before = given(f"randn(2, 37, 6, 7){LAST}", weight, "conv2d(x, w, None, groups=37)")
    # Inductor copies such weights for a library.
    host = [line for line in before.launcher.source.splitlines() if "buf0" not in line or "aten.convolution" in line]
    text = "\n".join(host).replace("buf0", "w")
    after = DepthwiseConv().run(replace(before, launcher=replace(before.launcher, source=text), kernels=()), H200)
    assert in_lanes_of_channels(after) and "tl.split" not in after.kernels[0].source and len(launched(after)) == 1
    assert_right(after)


@pytest.mark.parametrize("channels", [5, 1])
def test_channels_that_do_not_lie_last_have_lanes_along_x(channels):
    call = f"F.conv2d(a, b, None, padding=1, groups={channels})"
    after = DepthwiseConv().run(lowered(call, [(2, channels, 9, 8), (5, 1, 3, 3)]), H200)
    assert not extern_ops(after) and not in_lanes_of_channels(after)
    assert_right(after)


def kernel_of(case, **options) -> str:
    (kernel,) = DepthwiseConv(**options).run(given(*case), H200).kernels
    return kernel.source


def test_a_lane_has_as_many_outputs_as_are_given_while_these_are_few():
    case = CASES["2d rows dilated"]

    def outputs(**options) -> int:
        return kernel_of(case, **options).count("tl.store(")

    assert outputs(rows=3, columns=2) == 6 and outputs(rows=1, columns=9) == 8
    assert outputs(rows=16, columns=16) <= 8 and outputs() <= 8
    with pytest.raises(UserError, match="columns=17"):
        DepthwiseConv(columns=17)


def test_a_lane_that_slides_has_any_number_of_rows_and_few_columns():
    def sums(**options) -> tuple[bool, int]:
        source = kernel_of(SLIDING["same"], **options)
        return "chunk = " in source, source.count("tl.store(") // 2

    assert sums(rows=4, columns=2) == (True, 2) and sums(rows=64, columns=3) == (False, 3)
    # More sums would not stay in registers.
    assert sums(rows=9, columns=16) == (False, 7)
    with pytest.raises(UserError, match="rows=65"):
        DepthwiseConv(rows=65)


def test_more_rows_are_no_longer_text():
    heights = [kernel_of((f"randn(2, 5, {high}, 8){LAST}", *SLIDING["same"][1:]), rows=64) for high in (9, 60)]
    assert len({source.count("\n") for source in heights}) == 1


@pytest.mark.parametrize(
    ("x", "taps", "most"), [((32, 96, 56, 56), 7, 128), ((8, 64, 14, 14), 7, 96), ((8, 64, 28, 28), 3, 80)]
)
def test_a_lane_keeps_its_sums_and_weights_in_registers(x, taps, most):
    channels, padding = x[1], taps // 2
    weight, call = f"randn({channels}, 1, {taps}, {taps})", f"conv2d(x, w, None, 1, {padding}, 1, {channels})"
    after = DepthwiseConv().run(given(f"randn{x}{LAST}", weight, call, "bfloat16"), H200)
    (compiled,) = compile_module(after, get_target("h200")).values()
    assert compiled.resources.spill_bytes == 0 and compiled.resources.registers <= most
    # The exchange of a line of taps between lanes is all that is laid out anew.
    assert compiled.ttgir.count("ttg.convert_layout") == taps
