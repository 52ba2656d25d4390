"""What gets installed: one package, all of it."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

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
