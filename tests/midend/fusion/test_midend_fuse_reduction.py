"""Reductions of a convolution's result: in the tiles where that is computed, and right then."""

from dataclasses import replace

import pytest
from programs import assert_right, lowered
from respelling import respelt_module

from kernelwright.backend.launch.execute import trace_launches
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule
from kernelwright.ir.verifier import launched
from kernelwright.midend.fusion.fuse_epilogue import FuseEpilogue
from kernelwright.midend.fusion.fuse_reduction import FuseReduction
from kernelwright.midend.local.exp_identities import ExpIdentities
from kernelwright.midend.templates.channels_last_conv import ChannelsLastConv
from kernelwright.midend.templates.implicit_gemm import ImplicitGemm
from kernelwright.midend.templates.transposed_conv import TransposedConv

H200 = Context(target="h200")
CHANNELS_LAST = ChannelsLastConv()
#: What Inductor must not do for a reduction to be one loop.
WHOLE = {"split": False, "persistent": False}


def made(forward, shape, layer, dtype="float32", template=CHANNELS_LAST, **options) -> KernelModule:
    """A program with a convolution computed by a template, its epilogue fused, with tiles that do not fit images."""
    module = lowered(forward, [shape], f"self.conv = {layer}", dtype, **{"every_conv": True, **WHOLE, **options})
    for pass_ in (template, FuseEpilogue()):
        module = pass_.run(module, H200)
    return with_tiles(module, 64)


def with_tiles(module: KernelModule, pixels: int) -> KernelModule:
    """The module with tiles of so many pixels."""
    kernels = tuple(
        replace(k, meta=tuple((name, pixels if name == "MBLOCK" else value) for name, value in k.meta))
        for k in module.kernels
    )
    return replace(module, kernels=kernels)


def floats(module: KernelModule) -> int:
    """The largest tensor that kernels are given beside the program's inputs."""
    inputs = {spec.numel for spec in module.reference.tensors}
    sizes = {a.numel for launch in trace_launches(module) for _, a in launch.args if hasattr(a, "numel")}
    return max(sizes - inputs, default=0)


def parts(module: KernelModule) -> list[str]:
    """The sources of the kernels that store what tiles come to."""
    kernels = (module.kernel(symbol) for symbol in launched(module))
    return [kernel.source for kernel in kernels if "_parts_ptr" in kernel.source and "slabs" not in kernel.source]


def stores_elements(source: str) -> bool:
    """Whether a kernel stores anything but what tiles come to."""
    return any("tl.store(" in line and "_parts_ptr" not in line for line in source.splitlines())


CONV = ((3, 8, 11, 13), "nn.Conv2d(8, 6, 3)")
#: Nobody else reads the result: it is not stored.
GONE = {
    "mean of a pointwise": ("F.gelu(self.conv(a)).mean((2, 3))", *CONV),
    "tiles run over images": ("F.relu(self.conv(a)).sum((2, 3))", (5, 7, 6, 5), "nn.Conv2d(7, 20, 3, bias=False)"),
    "where a pixel lies": ("(self.conv(a) * torch.arange(11.0)).mean((2, 3))", *CONV),
    "over images": ("torch.tanh(self.conv(a)).sum((0, 2, 3))", *CONV),
    "over all": ("self.conv(a).sigmoid().mean()", *CONV),
    "over channels": ("F.softplus(self.conv(a)).sum((1, 2, 3))", *CONV),
    "over groups of channels": ("self.conv(a).view(3, 3, 2, -1).amax((2, 3))", *CONV),
    "maximum and mean": ("(lambda y: (y.amax((2, 3)), y.mean((2, 3))))(F.gelu(self.conv(a)))", *CONV),
    "two kernels": ("(lambda y: (y.amin((2, 3)), y.sum((0, 2, 3))))(self.conv(a))", *CONV),
    "variance": ("(lambda y: torch.var_mean(y, (2, 3)))(self.conv(a))", (2, 4, 35, 35), "nn.Conv2d(4, 3, 2)"),
    "variance of groups": ("torch.var(F.gelu(self.conv(a)).view(2, 2, -1), 2)", (2, 4, 26, 26), "nn.Conv2d(4, 6, 2)"),
    "variance over images": ("torch.var(self.conv(a), (0, 2, 3))", (3, 4, 30, 14), "nn.Conv2d(4, 5, 2)"),
    "one axis": ("torch.relu(self.conv(a)).mean(2)", (2, 8, 150), "nn.Conv1d(8, 6, 3, padding=1)"),
    "three axes": ("F.hardswish(self.conv(a)).mean((2, 3, 4))", (2, 8, 5, 6, 7), "nn.Conv3d(8, 6, 3)"),
    "phases": ("self.conv(a).tanh().mean((2, 3))", (2, 8, 7, 5), "nn.ConvTranspose2d(8, 6, 4, stride=2, padding=1)"),
    "ragged phases": ("self.conv(a).amax((2, 3))", (2, 8, 5, 6), "nn.ConvTranspose2d(8, 6, 3, stride=(2, 3))"),
}


@pytest.mark.parametrize("case", GONE.values(), ids=GONE)
def test_the_result_is_neither_written_nor_read(case):
    before = made(*case)
    after = FuseReduction().run(before, H200)
    assert len(parts(after)) == 1 and not stores_elements(parts(after)[0])
    assert floats(after) < floats(before)
    assert_right(with_tiles(after, 32), seeds=(0,))


#: Others read the result: it is stored, and read once less.
KEPT = {
    "group norm": ("F.group_norm(self.conv(a), 3)", (2, 4, 27, 24), "nn.Conv2d(4, 6, 3)"),
    "batch norm": ("F.batch_norm(self.conv(a), None, None, training=True)", (2, 4, 27, 25), "nn.Conv2d(4, 6, 3)"),
    "instance norm": ("F.instance_norm(self.conv(a)) / 2", (2, 4, 38, 35), "nn.Conv2d(4, 6, 3)"),
    "laid out anew": ("F.group_norm(torch.sigmoid(self.conv(a)), 3)", (2, 4, 27, 24), "nn.Conv2d(4, 6, 3)"),
    "returned": ("(y := self.conv(a), F.relu(y).mean((2, 3)))", (2, 4, 9, 11), "nn.Conv2d(4, 6, 3, bias=False)"),
    "one kernel reads twice": ("(lambda y: torch.var_mean(y, (2, 3)))(self.conv(a))", *CONV),
}


@pytest.mark.parametrize("case", KEPT.values(), ids=KEPT)
def test_the_result_is_read_once_less(case):
    before = made(*case)
    after = FuseReduction().run(before, H200)
    assert len(parts(after)) == 1 and stores_elements(parts(after)[0])
    assert sum("tl.dot" not in k.source and "convolution_out" in k.source for k in after.kernels) < 2
    assert_right(with_tiles(after, 32), seeds=(0,))


OTHERS = {
    "gathered": ("F.gelu(self.conv(a)).mean((2, 3))", *CONV, ImplicitGemm("dot")),
    "channels one by one": (
        "self.conv(a).amax((1, 2, 3))",
        (2, 3, 12, 9),
        "nn.Conv2d(3, 5, 3)",
        ImplicitGemm("direct"),
    ),
    "strided": ("self.conv(a).mean((0, 2))", (3, 8, 150), "nn.Conv1d(8, 6, 3, stride=2)", ImplicitGemm()),
    "phases": (
        "self.conv(a).sum((2, 3))",
        (2, 8, 7, 5),
        "nn.ConvTranspose2d(8, 6, 3, stride=2)",
        TransposedConv("dot"),
    ),
    "groups norm": ("F.group_norm(self.conv(a), 3)", (2, 4, 27, 24), "nn.Conv2d(4, 6, 3)", ImplicitGemm()),
}


@pytest.mark.parametrize("case", OTHERS.values(), ids=OTHERS)
def test_pixels_may_lie_last(case):
    forward, shape, layer, template = case
    before = made(forward, shape, layer, template=template, every_conv=False)
    after = FuseReduction().run(before, H200)
    assert len(parts(after)) == 1
    assert_right(with_tiles(after, 32), seeds=(0,))


STAY = {
    "some pixels": "self.conv(a)[:, :, 1:].sum((2, 3))",
    "columns": "self.conv(a).sum(2)",
    "channels": "torch.relu(self.conv(a)).sum(1)",
    "neighbours": "F.max_pool2d(self.conv(a), 2).mean((2, 3))",
    "another reads it before": "(lambda y: (lambda s: (y - s).sum((2, 3)))(torch.softmax(y, 1)))(self.conv(a))",
}


@pytest.mark.parametrize("forward", STAY.values(), ids=STAY)
def test_other_reductions_stay(forward):
    before = made(forward, *CONV)
    assert FuseReduction().run(before, H200) is before


def test_a_result_in_half_precision_is_rounded_first():
    before = made("torch.relu(self.conv(a)).mean((2, 3))", *CONV, "float16")
    after = FuseReduction().run(before, H200)
    assert len(parts(after)) == 1 and "acc.to(tl.float16)" in parts(after)[0]
    assert_right(after)


def test_launch_options_size_what_lies_between():
    """What tiles come to has a place for every tile, however large tiles are."""
    after = FuseReduction().run(made("self.conv(a).mean((2, 3))", *CONV), H200)
    sizes = [floats(with_tiles(after, pixels)) for pixels in (128, 64, 32)]
    assert sizes == [3 * 6, 2 * 3 * 6, 4 * 3 * 6]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(convolution_out, conv_bias, out", "(convolution_out, convolution_out, out"),
        ("(convolution_out, conv_bias, out", "(convolution_out, convolution_out.view(-1), out"),
        ("    out = torch", "    aten.copy_.default(conv_bias, conv_weight.view(-1)[:6])\n    out = torch"),
        ("    return out", "    return out, convolution_out"),
    ],
)
def test_what_else_is_done_with_the_tensor_or_an_operand_counts(old, new):
    before = made("(self.conv(a) * 2).mean((2, 3))", *CONV)
    source = before.launcher.source
    assert source.count(old) == 1
    changed = replace(before, launcher=replace(before.launcher, source=source.replace(old, new)))
    after = FuseReduction().run(changed, H200)
    assert after is changed or stores_elements(parts(after)[0])


def reasons(module: KernelModule) -> list[str]:
    """Why the pass leaves kernels as they are; it must leave all of them."""
    said: list[str] = []
    assert FuseReduction().run(module, Context(target="h200", declined=lambda one: said.append(one.reason))) is module
    return said


GELU_MEAN = "F.gelu(self.conv(a)).mean((2, 3))"


def test_a_kernel_printed_anew_by_another_rewrite_is_reduced_too():
    """`exp-identities` gives the kernel other names and another expression."""
    lowered_ = lowered(GELU_MEAN, [CONV[0]], f"self.conv = {CONV[1]}", "float32", every_conv=True, **WHOLE)
    other = with_tiles(CHANNELS_LAST.run(ExpIdentities().run(lowered_, H200), H200), 64)
    assert all("r0_index" not in kernel.source for kernel in other.kernels)
    after = FuseReduction().run(other, H200)
    assert len(parts(after)) == 1 and "exp2" in parts(after)[0] and not stores_elements(parts(after)[0])
    assert_right(with_tiles(after, 32), seeds=(0,))


@pytest.mark.parametrize("forward", [GELU_MEAN, "F.instance_norm(self.conv(a))"])
def test_names_do_not_matter(forward):
    before = made(forward, *CONV)
    for kernel in before.kernels:
        assert "xindex" in kernel.source or "channel" in kernel.source
    other = respelt_module(before, 3)
    after = FuseReduction().run(other, H200)
    assert len(parts(after)) == 1
    assert_right(with_tiles(after, 32), seeds=(0,))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            "tl.full([XBLOCK, R0_BLOCK], 0,",
            "tl.full([XBLOCK, R0_BLOCK], 1,",
            "an accumulator starts",
        ),
        ("add_1 = acc +", "add_1 = acc *", "the loop does not join values as its sum does"),
        ("acc = tl.where(r0_mask &", "acc = tl.where((r0_index < 30) &", "the second kernel joins values under a mask"),
        ("tl.sum(acc, 1)[:, None]", "tl.sum(acc, 0)[None, :]", "the second kernel does not reduce along the row"),
        (
            "r0_mask & xmask, eviction",
            "(r0_index < 30) & xmask, eviction",
            "not every element is read once",
        ),
        (
            "inside & (channel < 6))",
            "inside & (channel < 6) & (ox > 1))",
            "the first kernel's mask says more than where",
        ),
    ],
)
def test_what_declines_says_why(old, new, reason):
    before = made("self.conv(a).mean((2, 3))", *CONV)
    texts = [kernel.source.replace(old, new) for kernel in before.kernels]
    assert sum(text != kernel.source for text, kernel in zip(texts, before.kernels, strict=True)) == 1
    kernels = tuple(replace(k, source=text) for k, text in zip(before.kernels, texts, strict=True))
    said = reasons(replace(before, kernels=kernels))
    assert any(one.startswith(reason) for one in said), said
