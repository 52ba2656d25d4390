"""Offline compilation: texts, resources, specialisation, caching, complaints."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import sample_modules
from triton.runtime import driver

from kernelwright.backend.compile import compiler
from kernelwright.backend.compile.compiler import CompileFailureError, compile_launch, compile_module, specialise
from kernelwright.backend.compile.stub_driver import compiling_for, device_capability
from kernelwright.backend.launch.execute import trace_launches
from kernelwright.backend.launch.jit import load_kernels, needed_kernels
from kernelwright.backend.targets import get_target
from kernelwright.backend.tuning.trials import with_meta
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import Kernel


@pytest.fixture(autouse=True)
def fresh_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNELWRIGHT_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compiler, "_memory", {})


def _changed(module, symbol, old, new):
    assert old in module.kernel(symbol).source
    kernels = tuple(
        replace(kernel, source=kernel.source.replace(old, new)) if kernel.symbol == symbol else kernel
        for kernel in module.kernels
    )
    return replace(module, kernels=kernels)


@pytest.mark.parametrize(
    ("name", "architecture"), [("a100", "sm_80"), ("l40s", "sm_89"), ("h200", "sm_90a"), ("b200", "sm_100a")]
)
def test_every_form_is_there_for_every_target(name, architecture):
    compiled = compile_module(sample_modules.add_relu(), get_target(name))
    assert list(compiled) == ["add_relu"]
    kernel = compiled["add_relu"]
    assert "tt.func public @add_relu" in kernel.ttir and "#ttg.blocked" in kernel.ttgir
    assert "define ptx_kernel" in kernel.llir and f".target {architecture}" in kernel.ptx
    assert kernel.cubin.startswith(b"\x7fELF")
    assert 8 <= kernel.resources.registers <= 64
    assert kernel.resources.spill_bytes == 0 and kernel.resources.shared_bytes == 0


def test_a_product_uses_tensor_cores_and_shared_memory():
    kernel = compile_module(sample_modules.matmul(), get_target("h100"))["product"]
    assert "wgmma" in kernel.ptx
    assert kernel.resources.shared_bytes >= 2 * 64 * 32 * 2


def test_spills_are_seen():
    module = sample_modules.row_softmax(rows=64, columns=8192, warps=1)
    assert compile_module(module, get_target("h100"))["row_softmax"].resources.spill_bytes > 0


def test_arguments_are_specialised_as_the_jit_does():
    module = sample_modules.add_relu(rows=1, columns=1)
    (launch,) = trace_launches(module)
    kernels = load_kernels(module, "add_relu")
    special = specialise(kernels["add_relu"], launch, kernels)
    assert list(special.signature.values()) == ["*fp32"] * 3 + ["constexpr"] * 3
    assert special.constants == {(3,): 1, (4,): 1, (5,): 1024}
    assert special.attributes == ((0,), (1,), (2,))
    odd = replace(launch, misaligned=frozenset({"x_ptr"}), args=(*launch.args[:3], ("n", 2**40), ("width", 48)))
    special = specialise(kernels["add_relu"], odd, kernels)
    assert special.signature["n"] == "i64" and special.signature["width"] == "i32"
    assert special.attributes == ((1,), (2,), (3,), (4,))


def test_launches_of_one_kernel_that_differ_are_told_apart():
    module = sample_modules.add_relu()
    assert module.launcher is not None
    again = "    add_relu[(1,)](out, bias, out, 7, 7, **add_relu_meta)\n    return out"
    launcher = replace(module.launcher, source=module.launcher.source.replace("    return out", again))
    compiled = compile_module(replace(module, launcher=launcher), get_target("h100"))
    assert list(compiled) == ["add_relu", "add_relu@2"]


def test_another_process_finds_what_one_compiled(monkeypatch):
    module, target = sample_modules.add_relu(), get_target("h100")
    first = compile_module(module, target)
    monkeypatch.setattr(compiler, "_memory", {})
    monkeypatch.setattr(compiler, "_compile", lambda *_: pytest.fail("compiled again"))
    assert compile_module(module, target) == first


def test_a_damaged_cache_entry_is_compiled_again(tmp_path, monkeypatch):
    module, target = sample_modules.add_relu(), get_target("h100")
    first = compile_module(module, target)
    (entry,) = (path for path in tmp_path.rglob("*") if path.is_file())
    entry.write_bytes(entry.read_bytes()[:50])
    monkeypatch.setattr(compiler, "_memory", {})
    assert compile_module(module, target) == first


def test_an_unwritable_cache_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KERNELWRIGHT_CACHE_DIR", str(tmp_path / "file"))
    assert "add_relu" in compile_module(sample_modules.add_relu(), get_target("h100"))


def test_kernels_that_are_not_called_do_not_matter(monkeypatch):
    module, target = sample_modules.add_relu(), get_target("h100")
    first = compile_module(module, target)
    other = Kernel("other", "@triton.jit\ndef other(x):\n    return x")
    assert [kernel.symbol for kernel in needed_kernels(module, "add_relu")] == ["rectify", "add_relu"]
    monkeypatch.setattr(compiler, "_compile", lambda *_: pytest.fail("compiled again"))
    assert compile_module(replace(module, kernels=(other, *module.kernels)), target) == first


def test_module_constants_are_part_of_the_kernel():
    module = _changed(sample_modules.add_relu(), "add_relu", "x + bias", "x + bias * GAIN")
    one = compile_module(replace(module, constants=("GAIN = tl.constexpr(2.0)",)), get_target("h100"))
    two = compile_module(replace(module, constants=("GAIN = tl.constexpr(3.0)",)), get_target("h100"))
    assert "2.000000e+00" in one["add_relu"].ttir and "3.000000e+00" in two["add_relu"].ttir


@pytest.mark.parametrize(
    ("symbol", "old", "new", "line", "message"),
    [
        ("add_relu", "bias = tl.load(", "bias = missing + tl.load(", 5, "missing is not defined"),
        ("add_relu", "tl.arange(0, XBLOCK)", "tl.arange(0, 1000)", 3, "power of 2"),
        ("rectify", "tl.maximum(x, 0.0)", "tl.maximum(x, nothing)", 6, "in @rectify, line 2: .*nothing is not defined"),
    ],
)  # fmt: skip
def test_a_complaint_names_kernel_and_line(symbol, old, new, line, message):
    module = _changed(sample_modules.add_relu(), symbol, old, new)
    with pytest.raises(CompileFailureError, match=message) as failure:
        compile_module(module, get_target("h100"))
    assert (failure.value.kernel, failure.value.line) == ("add_relu", line)
    assert f"kernel @add_relu, line {line}: " in str(failure.value) and len(str(failure.value)) < 700


def test_lines_count_decorators():
    module = _changed(
        sample_modules.add_relu(), "add_relu", "@triton.jit", '@triton.heuristics({"width": lambda a: 3})\n@triton.jit'
    )
    module = _changed(module, "add_relu", "tl.arange(0, XBLOCK)", "tl.arange(0, 1000)")
    with pytest.raises(CompileFailureError) as failure:
        compile_module(module, get_target("h100"))
    assert failure.value.line == 4


def test_too_much_shared_memory_is_a_failure():
    small = replace(get_target("h100"), shared_kb_per_block=8)
    with pytest.raises(CompileFailureError, match="bytes of shared memory a program, h100 has 8192"):
        compile_module(sample_modules.matmul(), small)


def test_the_interpreter_compiles_nothing():
    module = sample_modules.add_relu()
    with pytest.raises(UserError, match="'interpreter' compiles nothing; name a GPU"):
        compile_launch(module, trace_launches(module)[0], get_target("interpreter"))


def test_an_interpreting_process_says_that_it_cannot_compile():
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import sample_modules\n"
        "from kernelwright.backend.compile.compiler import compile_module\n"
        "from kernelwright.backend.targets import get_target\n"
        "compile_module(sample_modules.add_relu(), get_target('h100'))"
    )
    command = [sys.executable, "-c", code, str(Path(__file__).parent)]
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "cannot be compiled in a process started with TRITON_INTERPRET=1" in result.stderr


def test_the_stub_driver_leaves_as_it_came():
    capability = 100 if device_capability() != 100 else 90
    before = driver._active
    with pytest.raises(KeyError), compiling_for(capability):
        assert driver.active.get_current_target().arch == capability
        raise KeyError
    assert driver._active is before


@pytest.mark.parametrize("module", [sample_modules.row_softmax(63, 128), sample_modules.add_relu()])
def test_a_launch_finds_in_tritons_cache_what_was_compiled(module, tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "triton"))
    monkeypatch.setenv("KERNELWRIGHT_CACHE_DIR", str(tmp_path / "own"))
    monkeypatch.setattr(compiler, "_memory", {})
    (launch,) = trace_launches(module)
    compiler.compile_launch(module, launch, get_target("h200"))
    before = sorted((tmp_path / "triton").rglob("*"))
    compiler.warm_launch(module, launch, get_target("h200"))
    assert sorted((tmp_path / "triton").rglob("*")) == before != []
    meta = tuple((key, 8 if key == "num_warps" else value) for key, value in module.kernel(launch.symbol).meta)
    other = with_meta(module, launch.symbol, meta)
    (launch,) = trace_launches(other)
    compiler.warm_launch(other, launch, get_target("h200"))
    assert len(list((tmp_path / "triton").rglob("*"))) > len(before)
