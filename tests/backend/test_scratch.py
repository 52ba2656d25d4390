"""Scratch folders go with their process, also where nothing of it runs any more."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from processes import environment

from kernelwright.backend.scratch import Scratch

_HOLDS = """
import os, sys, time
from kernelwright.backend.scratch import Scratch
scratch = Scratch("test")
(scratch.folder / "weights").write_bytes(bytes(1000))
if os.fork() == 0:
    time.sleep(600)
print(scratch.folder, flush=True)
time.sleep(600)
"""


def gone(folder: Path, seconds: float = 60.0) -> bool:
    deadline = time.monotonic() + seconds
    while folder.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    return not folder.exists()


def test_a_folder_goes_with_the_last_process_that_holds_it(tmp_path: Path) -> None:
    given = environment() | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDS], stdout=subprocess.PIPE, text=True, env=given, start_new_session=True
    ) as holder:
        assert holder.stdout is not None
        folder = Path(holder.stdout.readline().strip())
        assert folder.parent == tmp_path
        assert (folder / "weights").is_file()
        holder.kill()
        holder.wait()
        assert not gone(folder, 1.0)  # the child has it still
        os.killpg(holder.pid, signal.SIGKILL)
    assert gone(folder)


def test_a_folder_that_is_closed_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with Scratch("test") as folder:
        (folder / "weights").write_text("some")
    scratch = Scratch("again")
    scratch.close()
    scratch.close()
    assert not list(tmp_path.iterdir())
