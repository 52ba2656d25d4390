"""Checkpoints are whole or not there, whatever happens while or after they are written."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kernelwright.rl.trainer.checkpoint import CheckpointError, latest_checkpoint, save_checkpoint


def weights(text: str):  # type: ignore[no-untyped-def]
    def write(folder: Path) -> None:
        (folder / "adapter").mkdir()
        (folder / "adapter" / "weights.bin").write_text(text)

    return write


def test_the_newest_is_found_and_old_ones_go(tmp_path: Path) -> None:
    assert latest_checkpoint(tmp_path / "none") is None
    for step in (1, 2, 3, 10):
        save_checkpoint(tmp_path, step, weights(f"at {step}"), {"cursor": step}, keep=2)
    found = latest_checkpoint(tmp_path)
    assert found is not None
    assert (found.step, found.state, found.damaged) == (10, {"cursor": 10}, ())
    assert (found.folder / "adapter" / "weights.bin").read_text() == "at 10"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step-00000003", "step-00000010"]


@pytest.mark.parametrize("damage", ["truncated", "changed", "missing", "state", "manifest", "extra"])
def test_a_damaged_one_is_passed_over(tmp_path: Path, damage: str) -> None:
    for step in (1, 2):
        save_checkpoint(tmp_path, step, weights("0123456789"), {"step": step})
    newest = tmp_path / "step-00000002"
    file = newest / "adapter" / "weights.bin"
    if damage == "truncated":
        os.truncate(file, 4)
    elif damage == "changed":
        file.write_text("012345678X")
    elif damage == "missing":
        file.unlink()
    elif damage == "extra":
        (newest / "more.bin").write_text("")
    else:
        (newest / f"{damage}.json").write_text('{"step":')
    found = latest_checkpoint(tmp_path)
    assert found is not None
    assert (found.step, found.damaged) == (1, (newest,))


def test_nothing_but_damaged_ones_is_an_error(tmp_path: Path) -> None:
    for step in (1, 2):
        save_checkpoint(tmp_path, step, weights("0123456789"), {})
        os.truncate(tmp_path / f"step-0000000{step}" / "state.json", 1)
    with pytest.raises(
        CheckpointError, match=r"is damaged \(step-00000002, step-00000001\): remove them to start anew"
    ):
        latest_checkpoint(tmp_path)


def test_a_full_disk_leaves_the_one_before(tmp_path: Path) -> None:
    save_checkpoint(tmp_path, 1, weights("good"), {})

    def full(folder: Path) -> None:
        (folder / "half").write_text("half")
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(CheckpointError, match=r"step-00000002 was not written: the disk is full.*step-00000001 is int"):
        save_checkpoint(tmp_path, 2, full, {})
    found = latest_checkpoint(tmp_path)
    assert found is not None
    assert found.step == 1
    assert [path.name for path in tmp_path.iterdir()] == ["step-00000001"]


def test_a_process_killed_while_it_writes_leaves_the_one_before(tmp_path: Path) -> None:
    save_checkpoint(tmp_path, 1, weights("good"), {})
    script = (
        "import os, signal, sys\nfrom pathlib import Path\n"
        "from kernelwright.rl.trainer.checkpoint import save_checkpoint\n"
        "def write(folder):\n    (folder / 'half').write_text('x' * 100)\n    os.kill(os.getpid(), signal.SIGKILL)\n"
        "save_checkpoint(Path(sys.argv[1]), 2, write, {})\n"
    )
    assert subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False).returncode == -signal.SIGKILL
    found = latest_checkpoint(tmp_path)
    assert found is not None
    assert (found.step, found.damaged) == (1, ())
    save_checkpoint(tmp_path, 2, weights("again"), {})  # over what was left
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step-00000001", "step-00000002"]
