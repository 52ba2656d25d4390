"""Emitted files run where the project cannot be imported, and do what their module does."""

import os
import subprocess
import sys
from dataclasses import replace

import pytest
import sample_modules

from kernelwright.backend.emit import emit_kernelbench, emit_standalone
from kernelwright.ir.errors import UserError
from kernelwright.ir.host.structure import filled
from kernelwright.ir.parser import parse_module
from kernelwright.ir.values import Kernel, KernelModule, Launcher, Record, ScalarSpec

#: Runs a file as a program in a process that refuses to import the project.
_ALONE = "import runpy, sys; sys.modules['kernelwright'] = None; runpy.run_path(sys.argv[1], run_name='__main__')"
#: Compares the ModelNew of one file with the Model of another, weights made from one seed.
_COMPARE = """
import runpy, sys, torch
sys.modules["kernelwright"] = None
new, old = (runpy.run_path(path, run_name="file") for path in sys.argv[1:3])
torch.manual_seed(7)
model = old["Model"](*old["get_init_inputs"]())
torch.manual_seed(7)
candidate = new["ModelNew"](*old["get_init_inputs"]())
torch.manual_seed(8)
inputs = old["get_inputs"]()
with torch.no_grad():
    expected, found = model(*inputs), candidate(*inputs)
assert type(expected) is type(found), (type(expected), type(found))
torch.testing.assert_close(found, expected)
print("equal")
"""
#: Runs some code in a process for each folder, on the files in it; torch and Triton are imported once for all.
_EACH = """
import os, sys, traceback
from pathlib import Path
import torch, triton, triton.language
code, *folders = sys.argv[1:]
for folder in map(Path, folders):
    child = os.fork()
    if child == 0:
        try:
            sys.stdout = (folder / "out").open("w")
            sys.argv = ["-c", *map(str, sorted(folder.glob("*.py")))]
            exec(code, {})
            sys.stdout.close()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    if os.waitpid(child, 0)[1]:
        sys.exit(f"{folder.name} failed")
"""


def _run(tmp_path, code, *files, interpret=True):
    return _run_each(tmp_path, code, {"only": files}, interpret)["only"]


def _run_each(tmp_path, code, cases, interpret=True):
    """What some code prints on each case's files."""
    folders = {name: tmp_path / name for name in cases}
    for name, files in cases.items():
        folders[name].mkdir()
        for index, text in enumerate(files):
            (folders[name] / f"file{index}.py").write_text(text)
    environment = {key: value for key, value in os.environ.items() if key != "TRITON_INTERPRET"}
    environment |= {"TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""} if interpret else {}
    command = [sys.executable, "-I", "-c", _EACH, code, *map(str, folders.values())]
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return {name: (folder / "out").read_text() for name, folder in folders.items()}


def _pair():
    """Two outputs, a scalar input, weights inside a container, an __init__ that calls a method."""
    module = sample_modules.add_relu(4, 16, 32, 1)
    assert module.launcher is not None
    source = """import torch
import torch.nn as nn

WIDTH = 16

class Model(nn.Module):
    def __init__(self):
        super(Model, self).__init__()
        self.layers = nn.ModuleList([self._layer() for _ in range(2)])

    def _layer(self):
        return nn.Linear(4, WIDTH)

    def forward(self, x, scale):
        return torch.relu(x + self.layers[1].bias), torch.relu(x + self.layers[1].bias)

def get_inputs():
    return [torch.randn(4, 16), 3]

def get_init_inputs():
    return []
"""
    state = (replace(module.reference.state[0], path="layers.1.bias"),)
    out = module.reference.outputs[0]
    reference = replace(
        module.reference, source=source, inputs=(*module.reference.inputs, ScalarSpec("scale", 3)), state=state,
        outputs=(replace(out, name="out0"), replace(out, name="out1")), returns="tuple",
    )  # fmt: skip
    launcher = replace(module.launcher, source=module.launcher.source.replace("return out", "return (out, out)"))
    return replace(module, reference=reference, launcher=launcher)


def _wrapped(returns):
    """One output that the model returns in something that holds it."""
    module = sample_modules.add_relu(4, 16, 32, 1)
    expression = "torch.relu(x + self.bias)"
    whole = filled(returns, [expression])
    source = module.reference.source.replace(f"return {expression}", f"return {whole}")
    return replace(module, reference=replace(module.reference, source=source, returns=returns))


MODULES = {
    "pointwise": sample_modules.add_relu(4, 16, 32, 1),
    "reduction": sample_modules.column_sum(8, 16, 4, 4),
    "softmax": sample_modules.row_softmax(4, 16),
    "constants": replace(sample_modules.add_relu(4, 16, 32, 1), constants=("UNUSED = tl.constexpr(3)",)),
    "pair": _pair(),
    "list": _wrapped("list"),
    "tuple": _wrapped("tuple"),
    "dictionary": _wrapped("{'out': ..., 'kept': (None, 3)}"),
}


@pytest.fixture(scope="module")
def standalone(tmp_path_factory):
    """What the standalone file of each module prints."""
    files = {name: (emit_standalone(module),) for name, module in MODULES.items()}
    return _run_each(tmp_path_factory.mktemp("standalone"), _ALONE, files)


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """What comes of comparing each module's KernelBench file with its reference."""
    files = {name: (emit_kernelbench(module), module.reference.source) for name, module in MODULES.items()}
    return _run_each(tmp_path_factory.mktemp("compared"), _COMPARE, files)


@pytest.mark.parametrize("name", MODULES)
def test_a_standalone_file_agrees_with_eager(standalone, name):
    module = MODULES[name]
    lines = standalone[name].splitlines()
    assert len(lines) == len(module.reference.outputs)
    for index, (line, spec) in enumerate(zip(lines, module.reference.outputs, strict=True)):
        assert line.startswith(f"output {index}: {spec.shape} torch.float32, largest difference from eager ")
        assert float(line.split()[-1]) < 1e-5


def test_a_standalone_file_shows_a_wrong_kernel(tmp_path):
    module = sample_modules.add_relu(4, 16, 32, 1)
    helper = Kernel("rectify", "@triton.jit\ndef rectify(x):\n    return x + 5.0")
    wrong = replace(module, kernels=(helper, module.kernels[1]))
    (line,) = _run(tmp_path, _ALONE, emit_standalone(wrong)).splitlines()
    assert float(line.split()[-1]) >= 5.0


def test_a_standalone_file_says_what_it_needs(tmp_path):
    text = emit_standalone(sample_modules.add_relu(4, 16, 32, 1))
    code = "import torch; torch.cuda.is_available = lambda: False\n" + _ALONE
    assert "set TRITON_INTERPRET=1" in _run(tmp_path, code, text, interpret=False)


@pytest.mark.parametrize("name", MODULES)
def test_a_kernelbench_file_agrees_with_the_reference(compared, name):
    assert compared[name] == "equal\n"


def test_plain_init_is_copied_and_other_init_is_kept_whole():
    plain, other = emit_kernelbench(MODULES["pointwise"]), emit_kernelbench(MODULES["pair"])
    assert "class Model(" not in plain and "self.bias = nn.Parameter(torch.randn(width))" in plain
    assert "class Model(" in other and "self.reference = Model(*arguments)" in other
    assert "bias=self.reference.layers[1].bias" in other
    assert "assert scale == 3" in other


def test_a_kernelbench_file_parses_back_to_the_same_kernels():
    module = MODULES["softmax"]
    parsed = parse_module(emit_kernelbench(module), reference=module.reference)
    assert parsed.launcher is not None and parsed.launcher.form == "class"
    assert parsed.kernels == module.kernels and parsed.reference == module.reference


def test_a_class_is_emitted_as_it_is(tmp_path):
    module = sample_modules.add_relu(4, 16, 32, 1)
    launcher = Launcher(
        """class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(width))

    def forward(self, x):
        out = torch.empty_like(x)
        add_relu[(2,)](x, self.bias, out, 64, 16, **add_relu_meta)
        return out""",
        "ModelNew",
        "class",
    )
    module = replace(module, launcher=launcher)
    assert launcher.source in emit_kernelbench(module)
    assert _run(tmp_path, _COMPARE, emit_kernelbench(module), module.reference.source) == "equal\n"
    with pytest.raises(UserError, match="already a standalone file in KernelBench's form"):
        emit_standalone(module)


def test_headings_say_where_it_came_from():
    module = replace(
        sample_modules.add_relu(4, 16, 32, 1),
        target="h200",
        provenance=(Record("lower-inductor", "00", verdict="ok@interpret"), Record("tune", "11")),
    )
    for text in (emit_standalone(module), emit_kernelbench(module)):
        heading = text.split('"""')[1]
        assert "lower-inductor -> tune" in heading and "Verdict: ok@interpret" in heading
        assert f"Fitted to: h200; digest {module.digest[:12]}" in heading
    shrunken = replace(module, reference=replace(module.reference, shrunken=True))
    assert "sizes were shrunken" in emit_standalone(shrunken)


def test_a_module_without_kernels_is_refused():
    module = KernelModule("bare", sample_modules.add_relu().reference)
    for emit in (emit_standalone, emit_kernelbench):
        with pytest.raises(UserError, match="@bare has no kernels to emit; run a lowering first"):
            emit(module)
