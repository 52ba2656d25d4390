"""Every rule of the verifier: a module that breaks it, and what is said."""

from dataclasses import replace

import pytest

from kernelwright.ir.parser import parse_module
from kernelwright.ir.values import Kernel, KernelModule, Launcher, Reference, ScalarSpec, TensorSpec
from kernelwright.ir.verifier import RULES, extern_ops, launched, verify

X = TensorSpec.contiguous("x", "f32", (64,))
REFERENCE = Reference("class Model: ...", "Model", (X, ScalarSpec("s", 2.0)), (), (X,))
KERNEL = Kernel(
    "double",
    "@triton.jit\ndef double(x_ptr, out_ptr, BLOCK: tl.constexpr):\n    i = tl.arange(0, BLOCK)\n"
    "    tl.store(out_ptr + i, tl.load(x_ptr + i) * 2)",
    (("BLOCK", 64), ("num_warps", 4)),
)
FORWARD = """def forward(x: "f32[64]", s):
    out = torch.empty_like(x)
    double[(1,)](x, out, **double_meta)
    aten.add.out(x, out, out=out)
    return out"""
MODULE = KernelModule("double", REFERENCE, (KERNEL,), Launcher(FORWARD))


def kernels(source: str) -> KernelModule:
    return replace(MODULE, kernels=(replace(KERNEL, source=source),))


def host(old: str, new: str) -> KernelModule:
    assert old in FORWARD
    return replace(MODULE, launcher=Launcher(FORWARD.replace(old, new)))


BROKEN = [
    ("unique_symbols", replace(MODULE, kernels=(KERNEL, KERNEL)), "a symbol is used twice"),
    ("kernel_sources", kernels("x = ("), "not one @triton.jit function of that name"),
    ("kernel_sources", kernels(KERNEL.source.replace("double", "other")), "not one @triton.jit function of that name"),
    ("kernel_sources", kernels(KERNEL.source.replace("@triton.jit\n", "")), "not one @triton.jit function"),
    ("kernel_sources", kernels(KERNEL.source + "\n# end"), "text stands around the function"),
    ("launch_options", replace(MODULE, kernels=(replace(KERNEL, meta=(("B", 1),)),)), "option that is no parameter"),
    ("entry_parameters", host("def forward", "def run"), "the launcher does not end in forward()"),
    ("entry_parameters", host("x: ", "y: "), "a parameter that the reference lacks"),
    ("entry_parameters", host("f32[64]", "f32[32]"), "a parameter's type differs"),
    ("entry_parameters", host(", s)", ", *s)"), "the entry takes starred parameters"),
    ("entry_parameters", replace(MODULE, launcher=Launcher(FORWARD, "ModelNew", "class")), "does not end in ModelNew"),
    (
        "printable_values",
        replace(MODULE, reference=replace(REFERENCE, inputs=(X, ScalarSpec("s", float("nan"))))),
        "a scalar input is NaN",
    ),
    ("", host("double[", "triple["), "a launch of something that is not a kernel"),
    ("", host("x, out, **", "x, x.sum(), **"), "not a view, metadata or copy"),
    ("", replace(MODULE, kernels=(replace(KERNEL, meta=()),)), "a name that host code does not know"),
    ("", replace(MODULE, kernels=(replace(KERNEL, covers=("a, b",)),)), "does not survive printing"),
    ("", replace(MODULE, constants=("N = 1  # one\n",)), "does not survive printing"),
]


def test_a_sound_module_passes() -> None:
    assert verify(MODULE) == ()
    assert launched(MODULE) == ("double",) and extern_ops(MODULE) == ("aten.add.out",)


@pytest.mark.parametrize(("rule", "module", "message"), BROKEN)
def test_broken_modules_are_named(rule: str, module: KernelModule, message: str) -> None:
    found = verify(module)
    assert [d for d in found if message in d.message], found
    if rule:
        broken = {r.__name__: [d.message for d in r(module)] for r in RULES}
        assert any(message in text for text in broken[rule])


def test_every_rule_has_a_broken_module() -> None:
    assert {rule for rule, _, _ in BROKEN} - {""} == {rule.__name__ for rule in RULES}


@pytest.mark.parametrize("name", ['"quoted"', "two\nlines", " padded ", "", "größe: 3"])
def test_odd_names_survive(name: str) -> None:
    module = replace(MODULE, name=name, target=name)
    assert verify(module) == ()


def test_headers_of_other_files_are_comments() -> None:
    parts = ("# target: speed\nimport torch\nimport triton", KERNEL.source, "double_meta = {'BLOCK': 64}", FORWARD)
    text = "\n\n\n".join(parts) + "\n"
    module = parse_module(text, reference=REFERENCE)
    assert module.target is None and module.kernels[0].meta == (("BLOCK", 64),)
