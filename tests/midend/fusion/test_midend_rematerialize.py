"""Convolutions computed twice: for what their tiles come to, and for what is done with that afterwards."""

from dataclasses import replace

import pytest
import torch
from programs import assert_right, lowered

from kernelwright.backend.interpreter.runtime import InterpreterRuntime
from kernelwright.backend.launch.execute import load_module
from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.ir.kernel.analysis.accesses import Accesses
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule
from kernelwright.ir.verifier import launched
from kernelwright.midend.fusion.fuse_epilogue import FuseEpilogue
from kernelwright.midend.fusion.fuse_reduction import FuseReduction
from kernelwright.midend.fusion.rematerialize import Rematerialize
from kernelwright.midend.templates.channels_last_conv import ChannelsLastConv
from kernelwright.midend.templates.implicit_gemm import ImplicitGemm
from kernelwright.midend.templates.transposed_conv import TransposedConv

H200 = Context(target="h200")
CHANNELS_LAST = ChannelsLastConv()


def made(forward, shape, layers, template=CHANNELS_LAST, dtype="float32", **options) -> KernelModule:
    """A program with a convolution computed by a template and reduced in its tiles, which do not fit images."""
    init = "; ".join(f"self.{name} = {layer}" for name, layer in zip(("conv", "norm"), layers, strict=False))
    whole = {"every_conv": True, "split": False, "persistent": False, "online_softmax": False}
    module = lowered(forward, [shape], init, dtype, **{**whole, **options})
    for pass_ in (template, FuseEpilogue()):
        module = pass_.run(module, H200)
    return FuseReduction().run(with_tiles(module, 64), H200)


def with_tiles(module: KernelModule, pixels: int) -> KernelModule:
    """The module with tiles of so many pixels."""
    kernels = tuple(
        replace(k, meta=tuple((name, pixels if name == "MBLOCK" else value) for name, value in k.meta))
        for k in module.kernels
    )
    return replace(module, kernels=kernels)


def templates(module: KernelModule) -> list[str]:
    """The sources of the kernels that compute the convolution, in the order of launches."""
    return [source for symbol in launched(module) if "MBLOCK" in (source := module.kernel(symbol).source)]


def tensors_made(module: KernelModule) -> int:
    """Tensors that host code makes."""
    return module.launcher.source.count(" = torch.empty_strided(")


def assert_twice(module: KernelModule) -> KernelModule:
    """The convolution is computed once more, its result is nowhere, and what comes out is right for other tiles, too,
    of which none fits an image."""
    after = Rematerialize().run(module, H200)
    assert len(launched(after)) == len(launched(module))
    assert (len(templates(module)), len(templates(after))) == (1, 2)
    assert tensors_made(after) == tensors_made(module) - 1
    parts, again = templates(after)
    assert "_parts_ptr" in parts and "_parts_ptr" not in again
    assert all("_parts_ptr" in line for line in parts.splitlines() if "tl.store(" in line)
    assert_right(with_tiles(after, 32), seeds=(0,))
    return after


CONV, NORM = "nn.Conv2d(4, 6, 3)", "self.norm(self.conv(a))"
TWICE = {
    "batch norm": ("F.batch_norm(self.conv(a), None, None, training=True)", (2, 4, 27, 25), [CONV]),
    "running statistics": (f"{NORM} * 2", (3, 4, 23, 19), [CONV, "nn.BatchNorm2d(6)"]),
    "no bias": (f"F.gelu({NORM})", (3, 4, 23, 19), ["nn.Conv2d(4, 6, 3, bias=False)", "nn.BatchNorm2d(6)"]),
    "group norm": ("self.norm(torch.sigmoid(self.conv(a)))", (3, 4, 27, 25), [CONV, "nn.GroupNorm(3, 6)"]),
    "instance norm": ("F.instance_norm(self.conv(a)) / 2", (3, 5, 33, 35), ["nn.Conv2d(5, 20, 3, padding=1)"]),
    "weights of channels": (
        "(lambda y: y * torch.sigmoid(y.mean((2, 3), keepdim=True)))(F.relu(self.conv(a)))",
        (3, 4, 31, 33),
        [CONV],
    ),
    "two results": (
        "(lambda y: (y.relu(), F.batch_norm(y, None, None, training=True)))(self.conv(a))",
        (2, 4, 27, 25),
        [CONV],
    ),
    "three axes": ("F.group_norm(self.conv(a), 2).clamp(0, 1)", (2, 3, 12, 13, 14), ["nn.Conv3d(3, 8, 3)"]),
    "then channels": (
        "F.instance_norm(self.conv(a)).clamp(-1, 1).amax(1)",
        (3, 5, 33, 35),
        ["nn.Conv2d(5, 20, 3, padding=1)"],
    ),
    "phases": (
        NORM,
        (3, 8, 15, 13),
        ["nn.ConvTranspose2d(8, 6, 4, stride=2, padding=1)", "nn.BatchNorm2d(6)"],
        TransposedConv(),
    ),
    "pixels last": ("F.group_norm(self.conv(a), 3)", (2, 4, 27, 24), [CONV], ImplicitGemm()),
    "half precision": (f"{NORM} * 2", (3, 4, 23, 19), [CONV, "nn.BatchNorm2d(6)"], CHANNELS_LAST, "float16"),
}


@pytest.mark.parametrize("case", TWICE.values(), ids=TWICE)
def test_the_result_is_never_in_memory(case):
    assert_twice(made(*case))


def test_statistics_of_an_image_are_loaded_once_for_a_tile():
    """They do not depend on the pixel: the image is the program's."""
    after = assert_twice(made("F.instance_norm(self.conv(a)) / 2", (3, 5, 33, 35), ["nn.Conv2d(5, 20, 3, padding=1)"]))
    symbol = [one for one in launched(after) if "MBLOCK" in after.kernel(one).source][1]
    function = kernel_functions(after)[symbol]
    names = {v: p.name for v, p in zip(function.body.arguments, function.parameters, strict=True)}
    loads = [one for one in Accesses(function).all if names[one.base].startswith("buf") and one.operation.results]
    assert len(loads) == 2
    assert all({dim for leaf in one.index.leaves for dim in leaf.dims} == {-1} for one in loads)


def test_running_statistics_move_once():
    after = Rematerialize().run(made(f"{NORM} * 2", (3, 4, 23, 19), [CONV, "nn.BatchNorm2d(6)"]), H200)
    program = ReferenceProgram.load(after.reference)
    model, (a,) = program.build(0), program.inputs(0)
    state = {name: value.clone() for name, value in program.state(model).items()}
    load_module(after, InterpreterRuntime(), 0)([a.clone()], state)
    model(a)
    for name, value in program.state(model).items():
        torch.testing.assert_close(state[name], value.detach(), rtol=1e-5, atol=1e-5)


STAY = {
    "returned": ("(lambda y: (y, F.batch_norm(y, None, None, training=True)))(self.conv(a))", (2, 4, 27, 25), [CONV]),
    "two readers": (
        "(lambda y: (torch.softmax(y, 3), F.batch_norm(y, None, None, training=True)))(self.conv(a))",
        (2, 4, 27, 25),
        [CONV],
    ),
    "two passes": (NORM, (3, 4, 9, 11), [CONV, "nn.GroupNorm(3, 6)"]),
    "no reader": ("F.relu(self.conv(a)).mean((2, 3))", (3, 4, 9, 11), [CONV]),
}


@pytest.mark.parametrize("case", STAY.values(), ids=STAY)
def test_other_results_stay(case):
    before = made(*case)
    assert len(templates(before)) == 1 and "_parts_ptr" in templates(before)[0]
    assert Rematerialize().run(before, H200) is before


def test_a_template_that_nobody_reduced_stays():
    module = lowered("F.relu(self.conv(a))", [(2, 4, 9, 8)], f"self.conv = {CONV}", every_conv=True)
    before = CHANNELS_LAST.run(module, H200)
    assert len(templates(before)) == 1
    assert Rematerialize().run(before, H200) is before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    del buf0\n", "    aten.copy_.default(buf0, a)\n    del buf0\n"),
        ("    del buf0\n", "    view = buf0.view(-1)\n    aten.neg_.default(view)\n    del buf0\n"),
        (
            "    del buf0\n",
            "    convolution[1, 1](a, buf0, **convolution_meta)\n    del buf0\n",
        ),
        ("    del buf1\n", "    aten.relu_.default(convolution_out)\n    del buf1\n"),
        ("    del buf1\n", "    view = convolution_out.permute(0, 2, 3, 1)\n    del buf1\n"),
        (
            "    del buf0\n",
            "    del buf0\n    buf0 = torch.empty_strided((4,), (1,), device=a.device, dtype=torch.float32)\n",
        ),
        ("    return out", "    return out, convolution_out"),
    ],
)
def test_what_the_template_reads_and_stores_is_nobody_elses_business(old, new):
    before = made("F.batch_norm(self.conv(a), None, None, training=True)", (2, 4, 27, 25), [CONV])
    assert Rematerialize().run(before, H200) is not before
    source = before.launcher.source
    assert source.count(old) == 1
    changed = replace(before, launcher=replace(before.launcher, source=source.replace(old, new)))
    assert Rematerialize().run(changed, H200) is changed
