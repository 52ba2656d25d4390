"""SIGKILL of a verb, and of all that it started: nothing stays in the folder for temporary files."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from adapter_files import NO_WEIGHTS
from processes import descendants, environment, wait_until_gone

_REFERENCE = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)

def get_inputs():
    return [torch.rand(64)]

def get_init_inputs():
    return []
"""
#: Interpreted, it takes longer than anybody waits.
_CANDIDATE = """
import torch, triton
import triton.language as tl

@triton.jit
def relu(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    value = tl.load(x + i)
    for _ in range(100000000):
        value = tl.maximum(value, 0.0)
    tl.store(y + i, value)

class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        relu[(1,)](x, y, B=64)
        return y
"""
_POLICY = """
import sys, time
from pathlib import Path
from kernelwright.serve.adapters import AdapterShelf
AdapterShelf().copy("frontend", Path(sys.argv[1]))
time.sleep(600)
"""


def verb(*words: str) -> list[str]:
    return [sys.executable, "-m", "kernelwright.driver.cli", *words]


def until(found: Callable[[], object], process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 120.0
    while not found():
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.02)


def kill(command: list[str], folder: Path, wanted: str, alone: bool) -> list[Path]:
    """Kill a command, alone or with all that it started, once `folder` has what is `wanted`; what it leaves there."""
    folder.mkdir()
    # What Inductor compiled is kept on purpose.
    given = environment() | {"TMPDIR": str(folder), "TORCHINDUCTOR_CACHE_DIR": str(folder.parent / "inductor")}
    process = subprocess.Popen(command, env=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: list(folder.glob(wanted)), process)
        started = descendants(process.pid)
    finally:
        process.kill()
        process.wait()
    for pid in () if alone else started:
        with suppress(FileNotFoundError, ProcessLookupError):
            if b"rm -rf" not in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, signal.SIGKILL)
    wait_until_gone(started)
    return list(folder.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("alone", [True, False])
def test_an_evaluation_that_is_killed_leaves_nothing(tmp_path: Path, alone: bool) -> None:
    (tmp_path / "r.py").write_text(_REFERENCE)
    (tmp_path / "c.py").write_text(_CANDIDATE)
    given = [f"reference={tmp_path}/r.py", f"candidate={tmp_path}/c.py", "cache=false", "evaluator.timeout_s=300"]
    assert kill(verb("evaluate", *given), tmp_path / "temporary", "kernelwright-*/kernelwright-*", alone) == []


@pytest.mark.slow
def test_a_compilation_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "r.py").write_text(_REFERENCE)
    command = verb("compile", f"{tmp_path}/r.py", f"out={tmp_path}/out")
    assert kill(command, tmp_path / "temporary", "kernelwright-*/kernelwright-*", alone=False) == []


def test_a_policy_that_is_killed_leaves_no_adapter(tmp_path: Path) -> None:
    adapter = tmp_path / "adapter"
    adapter.mkdir()
    (adapter / "adapter_config.json").write_text('{"peft_type": "LORA", "r": 4}')
    (adapter / "adapter_model.safetensors").write_bytes(NO_WEIGHTS)
    command = [sys.executable, "-c", _POLICY, str(adapter)]
    assert kill(command, tmp_path / "temporary", "*/*/adapter_model.safetensors", alone=True) == []
