"""What a run tells Weights & Biases, which is the real one, offline."""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import wandb
from wandb.proto.wandb_internal_pb2 import Record

from kernelwright.ir.errors import UserError
from kernelwright.rl.trainer.run_log import WANDB_ID, RunLog, read_metrics

#: Of its files: what comes before the first record, and before each (a checksum, two bytes of length, a kind).
_FILE_BYTES, _RECORD_BYTES = 7, 7
#: Runs until the process that sends is killed, and goes on.
_LEFT_ALONE = """
import os, signal, sys
from pathlib import Path
from kernelwright.rl.trainer.run_log import RunLog

log = RunLog(Path(sys.argv[1]), project="kernels")
log.write(0, {"loss": 1.0})
for child in Path("/proc/self/task").glob("*/children"):
    for number in child.read_text().split():
        if b"wandb-core" in Path(f"/proc/{number}/cmdline").read_bytes():
            os.kill(int(number), signal.SIGKILL)
for step in range(1, 200):
    log.write(step, {"loss": 1.0})
log.close()
print("done")
"""


def logged(folder: Path, first: int, end: int) -> None:
    log = RunLog(folder, first, "kernels")
    for step in range(first, end):
        log.write(step, {"loss": step / 2, "new/reward": step, "mismatch": math.nan, "problems": ["p"]})
    log.close()


def told(folder: Path) -> list[tuple[tuple[str, str, str], dict[int, dict[str, Any]]]]:
    """Each session's run (its id, project and name) and metrics by step."""
    wandb.teardown()  # waits for the process that writes
    found = []
    for path in sorted(folder.glob("wandb/offline-run-*/*.wandb"), key=lambda path: path.stat().st_mtime_ns):
        data, place, run, steps = path.read_bytes(), _FILE_BYTES, ("", "", ""), {}
        while place < len(data):
            end = place + _RECORD_BYTES + int.from_bytes(data[place + 4 : place + 6], "little")
            record = Record.FromString(data[place + _RECORD_BYTES : end])
            place = end
            if record.HasField("run"):
                run = (record.run.run_id, record.run.project, record.run.display_name)
            if record.HasField("history"):
                row = {"".join(item.nested_key): json.loads(item.value_json) for item in record.history.item}
                steps[row["_step"]] = {name: value for name, value in row.items() if not name.startswith("_")}
        found.append((run, steps))
    return found


@pytest.mark.usefixtures("offline_wandb")
def test_a_run_that_goes_on_is_the_same_run_to_weights_and_biases(tmp_path: Path) -> None:
    folder = tmp_path / "warm"
    logged(folder, 0, 4)
    number = (folder / WANDB_ID).read_text().strip()
    logged(folder, 3, 5)
    assert (folder / WANDB_ID).read_text().strip() == number
    (one, before), (other, after) = told(folder)
    assert one == other == (number, "kernels", "warm")
    assert before == {step: {"loss": step / 2, "new/reward": step} for step in range(4)}
    assert after == {step: {"loss": step / 2, "new/reward": step} for step in (3, 4)}
    assert [row["step"] for row in read_metrics(folder)] == list(range(5))
    logged(folder, 0, 1)  # it had no checkpoint: another run
    assert (folder / WANDB_ID).read_text().strip() != number


@pytest.mark.usefixtures("offline_wandb")
def test_what_weights_and_biases_refuses_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"trainer\.wandb=a/b: Invalid project name"):
        RunLog(tmp_path, project="a/b")


@pytest.mark.usefixtures("offline_wandb")
def test_a_run_goes_on_without_the_process_that_sends_its_metrics(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _LEFT_ALONE, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, "done\n"), ended.stderr
    assert len(read_metrics(tmp_path)) == 200
