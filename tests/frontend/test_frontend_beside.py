"""Programs that import files beside them: their references hold those files, wherever they go."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from kernelwright.backend.emit import emit_kernelbench, emit_standalone
from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.driver.cli import main
from kernelwright.frontend.beside import with_files_beside
from kernelwright.frontend.importers import import_file
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.errors import UserError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context
from kernelwright.ir.printer import print_module

FILES = {
    "model.py": '''"""A model."""

from __future__ import annotations

import blocks.parts
import torch
import torch.nn as nn
from layers import (
    Scaled,
)


class Model(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.scaled = Scaled(size)

    def forward(self, x):
        return blocks.parts.shifted(self.scaled(x))


def get_inputs():
    return [torch.rand(8, 16)]


def get_init_inputs():
    return [16]
''',
    "layers.py": """import torch
import torch.nn as nn
from numbers_of_ours import FACTOR


class Scaled(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(size))

    def forward(self, x):
        from blocks import double

        return double(x * self.weight) * FACTOR
""",
    "numbers_of_ours.py": "FACTOR = 3.0\n",
    "blocks/__init__.py": "from .parts import double\n",
    "blocks/parts.py": "from . import more\n\n\ndef double(x):\n    return x * 2\n\n\n"
    "def shifted(x):\n    return x + more.ONE\n",
    "blocks/more.py": "ONE = 1.0\n",
    "unrelated.py": "raise RuntimeError\n",
}
KERNELS = """import triton
import triton.language as tl


@triton.jit
def add_one(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) + 1.0, mask=at < n)
"""
CANDIDATE = """import torch
from kernels import add_one


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        add_one[(1,)](x, y, x.numel(), BLOCK=128)
        return y
"""
ADDITION = """import torch
from layers import Base


class Model(Base):
    pass


def get_inputs():
    return [torch.rand(8, 16)]
"""
BASE = "import torch\n\n\nclass Base(torch.nn.Module):\n    def forward(self, x):\n        return x + 1.0\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("blocks").mkdir()
    for name, text in FILES.items():
        Path(name).write_text(text)


def computed(path: str) -> torch.Tensor:
    program = ReferenceProgram.load(import_file(path).reference)
    (found,) = program.run(program.build(0), program.inputs(0))
    return found


def test_a_reference_holds_the_files_that_it_imports() -> None:
    before = list(sys.path), set(sys.modules)
    module = import_file("model.py")
    text = module.reference.source
    assert "FACTOR = 3.0" in text and "ONE = 1.0" in text and "RuntimeError" not in text
    assert parse_module(print_module(module)) == module
    assert sys.path == before[0] and not set(FILES) & {f"{name}.py" for name in set(sys.modules) - before[1]}
    for name in FILES:
        Path(name).unlink()
    program = ReferenceProgram.load(module.reference)
    model, inputs = program.build(0), program.inputs(0)
    (found,) = program.run(model, inputs)
    torch.testing.assert_close(found, inputs[0] * model.scaled.weight * 6.0 + 1.0)


def test_a_changed_file_is_another_reference_and_another_module() -> None:
    first, one = import_file("model.py"), computed("model.py")
    Path("numbers_of_ours.py").write_text("FACTOR = 6.0\n")
    assert import_file("model.py").digest != first.digest
    torch.testing.assert_close(computed("model.py") - 1.0, 2 * (one - 1.0))


def test_a_program_that_imports_nothing_beside_it_stays_as_it_is() -> None:
    text = "import json\nimport torch\nimport blocks_of_others\n"
    Path("json.py").write_text("")
    assert with_files_beside(text, Path("model.py")) == text
    assert with_files_beside("import (", Path("model.py")) == "import ("


def test_lines_in_errors_are_those_of_the_file() -> None:
    text = FILES["model.py"]
    Path("model.py").write_text(text.replace("torch.rand(8, 16)", "torch.rand(8, 17)"))
    with pytest.raises(UserError, match=r"\(line 19\)"):
        import_file("model.py")
    Path("layers.py").write_text("def (\n")
    with pytest.raises(UserError, match=r"layers\.py:1: "):
        import_file("model.py")


def test_what_is_emitted_stands_alone() -> None:
    module = LowerInductor().run(import_file("model.py"), Context("h100"))
    for name in FILES:
        Path(name).unlink()
    Path("alone.py").write_text(emit_standalone(module))
    done = subprocess.run(
        [sys.executable, "alone.py"], capture_output=True, text=True, env={"TRITON_INTERPRET": "1"}, check=False
    )
    assert "largest difference from eager" in done.stdout, done.stderr
    space = {"__name__": "emitted"}
    Path("emitted.py").write_text(emit_kernelbench(module))
    exec(compile(Path("emitted.py").read_text(), "emitted.py", "exec"), space)
    assert "ModelNew" in space


def test_every_verb_takes_such_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "model.py", "-p", "lower-inductor", "evaluator.seeds=1", "--json", "out=run"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "ok"
    assert main(["opt", "run/01-lower-inductor.py", "--verify", "evaluator.seeds=1"]) == 0
    capsys.readouterr()


def test_a_candidate_in_any_python_has_its_own_files(capsys: pytest.CaptureFixture[str]) -> None:
    for folder in (Path("a"), Path("b")):
        folder.mkdir()
    Path("a/model.py").write_text(ADDITION)
    Path("a/layers.py").write_text(BASE)
    Path("b/candidate.py").write_text(CANDIDATE)
    Path("b/kernels.py").write_text(KERNELS)
    given = ["reference=a/model.py", "candidate=b/candidate.py", "rungs=parse,interpret", "evaluator.seeds=1"]
    assert main(["evaluate", *given, "dialect=off"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "ok"
    Path("batch.jsonl").write_text(
        json.dumps({"id": 1, "reference": "a/model.py", "candidate": "b/candidate.py", "dialect": False}) + "\n"
    )
    assert main(["evaluate", "batch=batch.jsonl", "rungs=parse,interpret", "evaluator.seeds=1", "workers=1"]) == 0


def test_a_candidate_may_repeat_the_imports_of_its_reference() -> None:
    Path("model.py").write_text(ADDITION)
    Path("layers.py").write_text(BASE)
    reference = import_file("model.py").reference
    text = f"import torch\nfrom layers import Base\n{KERNELS}\n\n{CANDIDATE.partition('add_one')[2].lstrip()}"
    assert parse_module(text, reference=reference).kernels[0].symbol == "add_one"
