"""What gets installed: one package, all of it."""

import re
import subprocess
import sys
import tomllib
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from kernelwright.backend.versions import TRIED

ROOT = Path(__file__).parent.parent


@pytest.mark.slow
def test_the_wheel_holds_only_kernelwright(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(tmp_path)]
    subprocess.run([*build, str(ROOT)], check=True, capture_output=True)
    names = zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"kernelwright"}
    for stage in ("ir", "frontend", "midend", "backend", "conf", "agent", "evaluation", "driver"):
        assert f"kernelwright/{stage}/__init__.py" in names
    assert any(name.startswith("kernelwright/conf/") and name.endswith(".yaml") for name in names)
    assert {f"kernelwright/{stage}/prompts/again.md" for stage in ("frontend", "midend")} <= set(names)
    entry_points = next(name for name in names if name.endswith("entry_points.txt"))
    text = zipfile.ZipFile(next(tmp_path.glob("*.whl"))).read(entry_points).decode()
    assert "kernelwright = kernelwright.driver.torch_backend:kernelwright" in text
    assert "kernelwright = kernelwright.driver.cli:main" in text


def test_no_folder_holds_more_files_than_one_can_overlook() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    count = Counter(str(Path(name).parent) for name in listed.splitlines())
    assert count["ir"] > 10
    assert {folder: files for folder, files in count.items() if files > 20} == {}


def test_versions_that_are_installed_were_tried() -> None:
    """What users get from the ranges on, what CI installs, and what the smoke suite runs with."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    least = dict(re.findall(r"(torch|triton)>=([\d.]+)", " ".join(project["dependencies"])))
    assert least == {name: tried[0] for name, tried in TRIED.items()}
    pinned = re.findall(r"^(torch|triton)==(.+)$", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE)
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for name in TRIED:
        (listed,) = re.findall(rf"^{name.upper()} \?= (.+)$", makefile, re.MULTILINE)
        pinned += [(name, version) for version in listed.split()]
    assert len(pinned) >= 6
    assert [(name, version) for name, version in pinned if version.rpartition(".")[0] not in TRIED[name]] == []
