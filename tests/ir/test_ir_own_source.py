"""The digest of the project's own code: every file counts, with its place and its text."""

from pathlib import Path

import pytest

from kernelwright.ir import own_source
from kernelwright.ir.own_source import JUDGING, source_digest


def test_every_file_counts_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_source.resources, "files", lambda _: tmp_path)
    found = set()
    for place in ("ir/a.py", "ir/sub/a.py", "ir/b.py"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("x = 1\n")
        source_digest.cache_clear()
        found.add(source_digest("ir"))
    (tmp_path / "ir/a.py").write_text("x = 2\n")
    source_digest.cache_clear()
    found.add(source_digest("ir"))
    source_digest.cache_clear()
    assert len(found) == 4


def test_the_projects_own_code_is_found() -> None:
    assert len({source_digest(name) for name in JUDGING}) == len(JUDGING)
