"""Which extra installs a module that was not found."""

import subprocess
import sys
from pathlib import Path

import pytest

from kernelwright.serve.optional import missing_extra


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("peft", "peft is not installed: pip install 'kernelwright[train]'"),
        ("transformers.models", "transformers is not installed: pip install 'kernelwright[train]'"),
        ("ray", "ray is not installed: pip install 'kernelwright[ray]'"),
        ("kernelwright.nothing", ""),
        ("torch", ""),
    ],
)
def test_the_first_extra_that_has_it_is_named(module: str, said: str) -> None:
    assert missing_extra(ModuleNotFoundError(name=module)) == said


BLOCKED = """
import sys
sys.modules["peft"] = None
from kernelwright.driver.cli import main
sys.exit(main(WORDS))
"""


@pytest.mark.parametrize(
    "words",
    [["train"], ["sft", "pairs=pairs.jsonl"], ["ablate"], ["compile", "pairs.jsonl", "policy=smollm"]],
    ids=lambda words: words[0],
)
def test_a_verb_says_in_one_line_what_it_lacks(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").touch()
    script = BLOCKED.replace("WORDS", repr(words))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    lines = [line for line in done.stderr.splitlines() if line.startswith("kernelwright: ")]
    assert lines == ["kernelwright: error: peft is not installed: pip install 'kernelwright[train]'"]


def test_measuring_a_policy_needs_no_extra() -> None:
    script = "import sys; sys.modules['peft'] = None; import kernelwright.driver.benchmarking.bench"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).returncode == 0
