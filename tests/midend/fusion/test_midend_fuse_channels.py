"""Reductions over the channels of each pixel: in the tile of a convolution that has all of them, and right then."""

from dataclasses import replace

import pytest
import torch
from programs import assert_right, lowered

from kernelwright.backend.compile.compiler import lower_launch
from kernelwright.backend.interpreter.runtime import InterpreterRuntime
from kernelwright.backend.launch.execute import load_module, trace_launches
from kernelwright.backend.reference.program import ReferenceProgram, flatten_outputs
from kernelwright.backend.targets import get_target
from kernelwright.backend.tuning.trials import spaces_of
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule
from kernelwright.ir.verifier import launched
from kernelwright.midend.fusion.fuse_epilogue import FuseEpilogue
from kernelwright.midend.templates.channels_last_conv import ChannelsLastConv
from kernelwright.midend.templates.implicit_gemm import ImplicitGemm
from kernelwright.midend.templates.transposed_conv import TransposedConv

H200 = Context(target="h200")
CHANNELS_LAST = ChannelsLastConv()


def made(forward, shape, layer, template=CHANNELS_LAST, dtype="float32", meta=(), **options) -> KernelModule:
    """A program with a convolution computed by a template, whose launch options are `meta` in part."""
    module = lowered(forward, [shape], f"self.conv = {layer}", dtype, **{"every_conv": True, **options})
    return with_meta(template.run(module, H200), {"MBLOCK": 64, **dict(meta)})


def with_meta(module: KernelModule, meta: dict[str, int]) -> KernelModule:
    kernels = tuple(
        replace(
            k,
            meta=tuple((name, meta.get(name, value) if "MBLOCK" in dict(k.meta) else value) for name, value in k.meta),
        )
        for k in module.kernels
    )
    return replace(module, kernels=kernels)


def template_of(module: KernelModule):
    """The convolution's kernel."""
    (found,) = [module.kernel(symbol) for symbol in launched(module) if "MBLOCK" in module.kernel(symbol).source]
    return found


def assert_fused(module: KernelModule) -> KernelModule:
    """The second kernel is gone, and with it the convolution's result; what comes out is right for tiles that fit
    images as little as others."""
    after = FuseEpilogue().run(module, H200)
    assert len(launched(after)) == len(launched(module)) - 1
    assert "NBLOCK" not in dict(template_of(after).meta)
    assert sum(len(launch.args) for launch in trace_launches(after)) < sum(
        len(launch.args) for launch in trace_launches(module)
    )
    assert_right(with_meta(after, {"MBLOCK": 32}), seeds=(0,))
    return after


CONV = ((2, 8, 9, 7), "nn.Conv2d(8, 20, 3)")
FUSED = {
    "minimum": ("torch.tanh(torch.min(self.conv(a), 1, keepdim=True)[0])", *CONV),
    "where the minimum is": ("torch.min(self.conv(a), 1)[1]", *CONV),
    "maximum": ("torch.relu(self.conv(a)).amax(1) * 2", (3, 5, 6, 11), "nn.Conv2d(5, 9, 2)"),
    "as many as a block": ("F.gelu(self.conv(a)).sum(1)", (2, 4, 8, 8), "nn.Conv2d(4, 32, 3)"),
    "fewer than a product's side": ("self.conv(a).sigmoid().sum(1)", (2, 4, 5, 8), "nn.Conv2d(4, 8, 1)"),
    "by channel and by pixel": (
        "(self.conv(a) * torch.arange(20.0).view(20, 1, 1) + torch.arange(5.0)).mean(1)",
        *CONV,
    ),
    "two results": ("(lambda y: (y.amax(1), y.sum(1)))(F.softplus(self.conv(a)))", *CONV),
    "softmax": ("torch.sigmoid(F.softmax(self.conv(a), 1))", *CONV),
    "softmax of a block": ("F.softmax(self.conv(a), 1) * 2", (1, 4, 7, 9), "nn.Conv2d(4, 16, 3, padding=1)"),
    "logsumexp": ("torch.logsumexp(self.conv(a), 1, keepdim=True)", *CONV),
    "norm": ("F.layer_norm(self.conv(a).permute(0, 2, 3, 1), (20,))", *CONV),
    "one axis": ("F.softmax(self.conv(a), 1)", (3, 8, 21), "nn.Conv1d(8, 24, 3)"),
    "three axes": ("self.conv(a).amin(1)", (2, 3, 5, 6, 7), "nn.Conv3d(3, 12, 3)"),
    "phases": ("F.softmax(self.conv(a), 1)", (2, 8, 4, 5), "nn.ConvTranspose2d(8, 20, 4, stride=2, padding=1)"),
    "ragged phases": ("self.conv(a).amax(1)", (2, 8, 4, 5), "nn.ConvTranspose2d(8, 20, 3, stride=(2, 3))"),
}


@pytest.mark.parametrize("case", FUSED.values(), ids=FUSED)
def test_a_reduction_of_the_channels_of_each_pixel(case):
    assert_fused(made(*case))


OTHERS = {
    "channels by pixels": ("torch.min(self.conv(a), 1)[0] * 2", *CONV, ImplicitGemm("dot")),
    "softmax of channels by pixels": ("F.softmax(self.conv(a), 1)", *CONV, ImplicitGemm("dot")),
    "channels one by one": ("self.conv(a).amax(1)", (2, 3, 6, 9), "nn.Conv2d(3, 11, 3)", ImplicitGemm("direct")),
    "phases": ("self.conv(a).sum(1)", (2, 8, 4, 5), "nn.ConvTranspose2d(8, 10, 3, stride=2)", TransposedConv("dot")),
}


@pytest.mark.parametrize("every_conv", [False, True])
@pytest.mark.parametrize("case", OTHERS.values(), ids=OTHERS)
def test_pixels_may_lie_last(case, every_conv):
    assert_fused(made(*case, every_conv=every_conv))


def test_what_is_reduced_together_has_one_shape():
    after = FuseEpilogue().run(made(*FUSED["where the minimum is"]), H200)
    assert all("tt.reduce" in lower_launch(after, one, get_target("h200")) for one in trace_launches(after)[-1:])


LOOPS = {
    "minimum": "self.conv(a).amin(1) / 3",
    "mean": "F.gelu(self.conv(a)).mean(1)",
    "logsumexp": "torch.logsumexp(self.conv(a), 1)",
}


@pytest.mark.parametrize("forward", LOOPS.values(), ids=LOOPS)
def test_a_loop_over_channels_is_one_step(forward):
    before = made(forward, *CONV, persistent=False, split=False, online_softmax=False)
    assert any("for r0_offset" in kernel.source for kernel in before.kernels)
    after = assert_fused(before)
    assert not any("r0_offset" in kernel.source for kernel in after.kernels)


def test_a_tile_of_some_channels_gets_all_of_them():
    before = made("self.conv(a).amax(1)", (2, 8, 9, 7), "nn.Conv2d(8, 40, 3)", meta=(("NBLOCK", 16),))
    after = assert_fused(before)
    fused = template_of(after)
    assert dict(fused.meta)["MBLOCK"] == 16
    space = spaces_of(after, frozenset())[fused.symbol]
    assert {name for name, _ in space.choices} == {"MBLOCK", "KBLOCK", "num_warps", "num_stages"}
    assert space.fixed_tile == 64


def test_a_result_in_half_precision_is_rounded_first():
    after = assert_fused(made("torch.relu(self.conv(a)).sum(1)", *CONV, dtype="float16"))
    assert "acc.to(tl.float16)" in template_of(after).source


@pytest.mark.parametrize(
    "forward",
    ["torch.min(self.conv(a), 1)[0]", "self.conv(a).amax(1)", "self.conv(a).sum(1)", "F.softmax(self.conv(a), 1)"],
)
@pytest.mark.parametrize("template", [CHANNELS_LAST, ImplicitGemm("dot")], ids=["pixels first", "channels first"])
def test_nan_and_infinity_come_out_where_eager_has_them(forward, template):
    """One pixel's taps, and one channel's sums of one image."""
    after = FuseEpilogue().run(made(forward, *CONV, template), H200)
    program = ReferenceProgram.load(after.reference)
    model, (x,) = program.build(0), program.inputs(0)
    x[0, 3, 4, 5], x[1, 2, 0, 0], x[1, 7, 8, 6] = float("nan"), float("inf"), -float("inf")
    (found,) = load_module(after, InterpreterRuntime(), 0)([x.clone()], program.state(model))
    with torch.no_grad():
        (expected,) = flatten_outputs(model(x))
    assert len(launched(after)) == len(launched(made(forward, *CONV, template))) - 1
    assert 0 < expected.isnan().sum() < expected.numel()
    torch.testing.assert_close(found, expected, rtol=2e-5, atol=2e-5, equal_nan=True)


KEPT = {
    "returned": "(lambda y: (F.softmax(y, 1), y))(self.conv(a))",
    "two reductions": "(lambda y: (F.softmax(y, 1), y.sum((0, 2, 3))))(self.conv(a))",
}


@pytest.mark.parametrize("forward", KEPT.values(), ids=KEPT)
def test_what_others_read_is_stored_too(forward):
    before = made(forward, CONV[0], "nn.Conv2d(8, 20, 3, bias=False)")
    after = FuseEpilogue().run(before, H200)
    assert len(launched(after)) == len(launched(before)) - 1
    assert template_of(after).source.count("tl.store(") == 2
    assert_right(after)


def test_what_a_kernel_between_reads_is_not_put_off():
    before = made(
        "(lambda y: (y.sum((0, 2, 3)), F.softmax(y, 1)))(self.conv(a))", CONV[0], "nn.Conv2d(8, 20, 3, bias=False)"
    )
    assert FuseEpilogue().run(before, H200) is before


STAY = {
    "two tiles": ("self.conv(a).amax(1)", (1, 4, 5, 5), "nn.Conv2d(4, 130, 3)"),
    "two groups": ("self.conv(a).amax(1)", (2, 8, 5, 5), "nn.Conv2d(8, 20, 3, groups=2)"),
    "some channels": ("self.conv(a)[:, 4:].amax(1)", *CONV),
    "channels of some pixels": ("self.conv(a)[:, :, 1:].amax(1)", *CONV),
    "groups of channels": ("self.conv(a).view(2, 5, 4, 7, 5).amax(2)", *CONV),
    "channels and pixels": ("self.conv(a).amax((1, 2))", *CONV),
    "rows": ("F.softmax(self.conv(a), 3)", *CONV),
    "neighbours": (
        "torch.logsumexp(F.max_pool2d(self.conv(a), 2), 1)",
        (2, 8, 9, 7),
        "nn.Conv2d(8, 20, 3, bias=False)",
    ),
    "sums so far": ("torch.cumsum(self.conv(a), 1)", *CONV),
}


@pytest.mark.parametrize("case", STAY.values(), ids=STAY)
def test_other_reductions_stay(case):
    before = made(*case, template=ImplicitGemm() if "groups=2" in case[2] else CHANNELS_LAST)
    assert FuseEpilogue().run(before, H200) is before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(convolution_out, conv_bias, ", "(convolution_out, convolution_out, "),
        ("(convolution_out, conv_bias, ", "(convolution_out, seen, "),
        ("    out = torch", "    aten.copy_.default(conv_bias, conv_weight.view(-1)[:20])\n    out = torch"),
    ],
)
def test_what_else_is_done_with_the_tensor_or_an_operand_counts(old, new):
    # Host code packs the weight, through a view, by whose name an operand may be changed.
    before = made("self.conv(a).amax(1)", CONV[0], "nn.ConvTranspose2d(8, 20, 3)")
    source = before.launcher.source
    assert source.count(old) == 1 and FuseEpilogue().run(before, H200) is not before
    lines = source.replace(old, new).splitlines()
    at = next(number for number, line in enumerate(lines) if "convolution_out = torch.empty" in line)
    lines[at + 1 : at + 1] = ["    seen = convolution_out.view(-1)"] if "seen" in new else []
    changed = replace(before, launcher=replace(before.launcher, source="\n".join(lines)))
    assert FuseEpilogue().run(changed, H200) is changed
