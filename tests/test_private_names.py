"""What is private in torch and Triton is touched in adapters alone, and a release without it costs one feature."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("backend", "frontend", "midend", "ir", "kernelwright", "benchmarks", "examples")
#: They look for what they need in `versions.adapting`, or stand on one of their group that does.
ADAPTERS = {
    "backend/torch_private.py": True,
    "backend/compile/compiler.py": True,
    "backend/compile/stub_driver.py": True,
    "backend/interpreter/guarded.py": True,
    "backend/interpreter/language.py": False,
    "frontend/inductor/capture.py": True,
    "frontend/inductor/stand_in.py": True,
    "frontend/inductor/heuristics.py": True,
    "frontend/inductor/plain.py": True,
    "frontend/swap/hooks.py": True,
    "frontend/swap/launches.py": True,
    "frontend/swap/live.py": True,
    "frontend/swap/library.py": True,
    "frontend/swap/graphs.py": True,
    "frontend/swap/meaning.py": True,
    "frontend/swap/sizes.py": True,
}
#: Public by their documentation: operations of aten, and how subclasses of tensors are made.
PUBLIC = ("torch.ops.", "torch.Tensor._make_wrapper_subclass")
PRIVATE_MODULES = ("triton.runtime.interpreter", "triton.runtime.jit", "triton.compiler.compiler")


def is_private(name: str) -> bool:
    parts = name.split(".")
    private = any(part.startswith("_") and not part.startswith("__") for part in parts)
    return (
        parts[0] in ("torch", "triton")
        and not name.startswith(PUBLIC)
        and (private or name.startswith(PRIVATE_MODULES))
    )


def private_names(tree: ast.AST) -> Iterator[str]:
    """Private names of torch and Triton that a module imports, or reaches from what it imports."""
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                known[one.asname or one.name.partition(".")[0]] = one.name if one.asname else one.name.partition(".")[0]
                yield one.name
        elif isinstance(node, ast.ImportFrom) and node.module:
            for one in node.names:
                known[one.asname or one.name] = f"{node.module}.{one.name}"
                yield f"{node.module}.{one.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            head, _, rest = ast.unparse(node).partition(".")
            if head in known and rest.replace(".", "").isidentifier():
                yield f"{known[head]}.{rest}"


def sources() -> Iterator[Path]:
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            if not any(part.is_symlink() for part in path.parents):
                yield path


def test_only_adapters_touch_private_names() -> None:
    found = {}
    for path in sources():
        names = sorted(filter(is_private, private_names(ast.parse(path.read_text("utf-8")))))
        if names:
            found[path.relative_to(ROOT).as_posix()] = names
    assert {file: names for file, names in found.items() if file not in ADAPTERS} == {}
    assert set(found) == set(ADAPTERS)


def test_adapters_look_for_what_they_need_and_are_listed() -> None:
    listed = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    for file, looks in ADAPTERS.items():
        assert ("with adapting(" in (ROOT / file).read_text("utf-8")) == looks, file
        assert f"`{Path(file).name}`" in listed or f"`{file}`" in listed, file


def run(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script]
    return subprocess.run(words, capture_output=True, text=True, env={**os.environ, **environment})


UNTRIED = """
import subprocess, sys, warnings
import triton
triton.__version__ = "3.99.0"
import kernelwright.backend.compile.compiler, kernelwright.backend.interpreter.language
again = "import triton; triton.__version__ = '3.99.0'; import kernelwright.backend.interpreter.guarded"
sys.stderr.write(subprocess.run([sys.executable, "-c", again], capture_output=True, text=True).stderr)
"""


def test_a_release_that_was_not_tried_is_warned_of_once() -> None:
    done = run(UNTRIED)
    assert done.returncode == 0, done.stderr
    assert (
        done.stderr.count("triton 3.99.0 was not tested with Kernelwright; the tested releases are 3.6, 3.7, 3.8, 3.9")
        == 1
    )


LACKING = """
import warnings, torch
{break_}
model, x = torch.nn.GELU(), torch.randn(4, 8)
with torch.no_grad():
    for _ in range(2):
        torch.compiler.reset()
        torch.testing.assert_close(torch.compile(model, backend="kernelwright")(x), model(x))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("break_", "feature"),
    [
        ("import torch._inductor.async_compile as a; del a.AsyncCompile.triton", "swapping kernels is off with torch"),
        (
            "import torch._inductor.async_compile as a\ndef load(self, text): ...\na.AsyncCompile.triton = load",
            "load has no parameter kernel_name",
        ),
    ],
    ids=["name", "signature"],
)
def test_torch_compile_is_plain_inductor_where_a_name_is_missing(break_: str, feature: str) -> None:
    done = run(LACKING.format(break_=break_))
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    (line,) = [line for line in done.stderr.splitlines() if "torch.compile runs plain Inductor" in line]
    assert feature in line


@pytest.mark.slow
def test_torch_compile_needs_neither_our_interpreter_nor_our_lowering() -> None:
    lacks = (
        "import triton.runtime.interpreter as i, triton.compiler as c, torch._inductor.fx_passes.post_grad as p\n"
        "del i._patch_lang_core, c.ASTSource, p.prepare_softmax_extra_check"
    )
    done = run(LACKING.format(break_=lacks))
    assert done.returncode == 0 and " is off " not in done.stderr, done.stderr


def test_the_command_line_says_in_one_line_what_is_off(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import torch._inductor.fx_passes.post_grad as p\ndel p.prepare_softmax_extra_check\n"
    )
    program = ROOT / "examples" / "row_softmax.py"
    command = "from kernelwright.driver.cli import main; import sys; sys.exit(main({}))"
    path = {"PYTHONPATH": str(tmp_path)}
    done = run(command.format(["opt", str(program), "-p", "lower-inductor"]), **path)
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("kernelwright: ")]
    assert done.returncode == 1
    assert line.startswith("kernelwright: error: ") and "lower-inductor is off with torch" in line
    done = run(command.format(["passes"]), **path)
    assert done.returncode == 0, done.stderr
    assert "lower-inductor" in done.stdout
