"""Every example compiles to a verified module by its own main()."""

import importlib.util
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType

import pytest

from kernelwright.driver.compiling import program as compile
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.settings import read_settings
from kernelwright.driver.run import build

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module", autouse=True)
def shared_evaluator() -> Iterator[None]:
    """One evaluator for all examples: its workers stay warm."""
    discover()
    with (
        build.open_context(read_settings("examples"), build.silent) as context,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(compile, "open_context", lambda *_: nullcontext(context))
        yield


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 8


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_example_is_verified(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    compiled = load(path).main()
    assert compiled.result.verdict is not None
    assert compiled.result.ok, str(compiled.result.verdict)
    assert compiled.report["stages"][0]["kernels"]
    printed = capsys.readouterr().out
    assert path.stem in printed
    assert "ok" in printed
