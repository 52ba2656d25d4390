"""The evaluator's processes take turns on a GPU with all others: a search or a model times in a process of its own."""

import fcntl
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from broken_kernels import DOUBLE, GOOD, Broken, vector_host

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.backend.measure import turns
from kernelwright.backend.measure.turns import DeviceLock
from kernelwright.evaluation.checks.sides import elements
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source

#: Its input is the name of the folder in which its process looks for turns.
TELLING = """import torch
from kernelwright.backend.measure import turns


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1.0


def get_inputs():
    return [torch.tensor([float(byte) for byte in bytes(turns._FOLDER)])]
"""


def test_turns_are_in_the_same_folder_for_the_evaluator_s_processes() -> None:
    reference = import_source(TELLING, "telling", shrink="never").reference
    with LocalEvaluator(seeds=1, memory_gb=4, use_gpu=False) as evaluator:
        (given, *_) = evaluator.truth(reference, Rung.INTERPRET).passes
    assert given.inputs[0] is not None
    assert bytes(map(int, elements(given.inputs[0]))) == bytes(turns._FOLDER)


def test_who_has_a_gpu_alone_keeps_it_through_another_turn_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "_FOLDER", tmp_path)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _device: SimpleNamespace(uuid="one"))
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    with closing(DeviceLock(torch.device("cuda"))) as lock:
        (file,) = (one for one in tmp_path.iterdir() if not one.name.endswith("gate"))
        with file.open() as other, lock.alone():
            with lock.alone():
                pass
            with pytest.raises(BlockingIOError):
                fcntl.flock(other, fcntl.LOCK_SH | fcntl.LOCK_NB)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_verdict_waits_for_who_has_the_gpu_alone() -> None:
    module = Broken("good", DOUBLE, GOOD, vector_host(), Status.OK).module
    with LocalEvaluator(seeds=1) as evaluator, ThreadPoolExecutor(1) as thread:
        assert evaluator.evaluate(module).ok  # its processes have started
        with closing(DeviceLock(torch.device("cuda"))) as lock:
            with lock.alone():
                verdict = thread.submit(evaluator.evaluate, module)
                with pytest.raises(TimeoutError):
                    verdict.result(10.0)
            assert verdict.result(60.0).ok
