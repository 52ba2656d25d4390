"""Autotuned kernels: the device times what the host asks for, on content that is put back, and not too often."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import torch
from broken_kernels import DOUBLE, TOTAL

from kernelwright.agent.evaluator import Rung
from kernelwright.backend.measure.clock import HostClock
from kernelwright.backend.targets import get_target
from kernelwright.evaluation.device.interpret import InterpreterExecutor
from kernelwright.evaluation.device.jit import CompilingExecutor, _trial
from kernelwright.evaluation.device.memory import Memory
from kernelwright.evaluation.device.serve import TRIALS, TUNES, LaunchRequest, Server
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.evaluation.protocol.link import LinkError, TensorRef

KERNEL = """@triton.jit
def add(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) + 1, mask=i < n)"""
HEAD = "import torch\nimport torch.nn as nn\nimport triton\nimport triton.language as tl\n\n\n"


class _Last(InterpreterExecutor):
    """Runs every trial in the interpreter, as a GPU does, and finds the last the fastest."""

    seen: list[float]

    def __init__(self) -> None:
        super().__init__()
        self.timed = True

    def fastest(self, requests: Sequence[LaunchRequest], keep: Callable[[], Callable[[], None]]) -> int:
        restore = keep()
        self.seen = []
        for request in requests:
            restore()
            self.launch(request)
            self.seen.append(float(request.arguments["x_ptr"].sum()))
        restore()
        return len(requests) - 1


def server(executor: InterpreterExecutor) -> tuple[Server, dict[str, Any]]:
    """A server with one vector of 8 ones, and a request to tune a kernel that adds 1 to it in place."""
    found = Server(None, Memory(torch.device("cpu"), 1 << 20), executor, frozenset())  # type: ignore[arg-type]
    x = TensorRef(1, "f32", (8,), (1,), 0)
    found.memory.allocate(1, 32)
    found.executor.filled(found.memory.store(1).whole)
    found.memory.tensor(x).fill_(1.0)
    names = {"tl": {"module": "triton.language"}}
    found.kernel({"key": "add#0", "symbol": "add", "source": KERNEL, "names": names}, bytearray())
    trials = [
        {
            "grid": [1, 1, 1],
            "arguments": {"x_ptr": {"tensor": x.encode()}, "n": {"value": 8}, "BLOCK": {"value": block}},
            "constexprs": ["BLOCK"],
            "options": {"num_warps": {"value": 2}},
        }
        for block in (8, 16, 32)
    ]
    return found, {"do": "tune", "kernel": "add#0", "trials": trials, "zeroed": [], "restored": ["x_ptr"]}


def test_every_trial_sees_the_same_content_and_leaves_none() -> None:
    executor = _Last()
    found, message = server(executor)
    assert found.tune(message, bytearray()) == {"best": 2}
    assert executor.seen == [16.0] * 3
    assert found.memory.store(1).content.view(torch.float32).tolist() == [1.0] * 8
    assert found.launches == 0


def test_a_host_is_told_a_bounded_number_of_times() -> None:
    found, message = server(_Last())
    told = [found.tune(message, bytearray())["best"] for _ in range(TUNES + 3)]
    assert told == [2] * TUNES + [0] * 3
    found, message = server(_Last())
    message["trials"] = message["trials"][:1] * (TRIALS + 5)
    assert found.tune(message, bytearray()) == {"best": TRIALS - 1}


def test_nothing_is_timed_without_a_gpu() -> None:
    for executor in (InterpreterExecutor(), CompilingExecutor(get_target("h100"))):
        assert executor.fastest([], lambda: lambda: None) == 0


def test_what_is_tuned_was_described() -> None:
    found, message = server(_Last())
    with pytest.raises(LinkError, match="not described"):
        found.tune({**message, "kernel": "other#1"}, bytearray())


def test_a_trial_is_timed_on_restored_content() -> None:
    told: list[str] = []
    taken = _trial(lambda: told.append("run"), lambda: told.append("restore"), HostClock())
    assert taken > 0
    assert told[:4] == ["restore", "run", "restore", "run"]
    assert all(pair == ("restore", "run") for pair in zip(told[::2], told[1::2], strict=True))


ATOMIC = f"""{HEAD}@triton.autotune(
    configs=[triton.Config({{"BLOCK": size}}) for size in (1024, 256, 512)], key=["n"], reset_to_zero=["out_ptr"]
)
@triton.jit
def total(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr, tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0), axis=0))


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.zeros((1,), device=x.device, dtype=x.dtype)
        n = x.numel()
        total[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n)
        return out
"""


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, memory_gb=4, use_gpu=False, dialect=False, vocabulary=False) as evaluator:
        yield evaluator


def test_an_autotuned_program_is_judged_without_a_gpu(evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate_text(ATOMIC, TOTAL, (Rung.PARSE, Rung.INTERPRET))
    assert verdict.ok, verdict


SPINS = f"""{HEAD}@triton.autotune(configs=[CONFIGS], key=["n"])
@triton.jit
def double(x_ptr, out_ptr, n, ROUNDS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    noise = tl.zeros([BLOCK], tl.float32)
    for _ in range(ROUNDS):
        noise = tl.sin(noise + x)
    tl.store(out_ptr + i, x * 2 + tl.where(noise > 2.0, 1.0, 0.0), mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        double[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x, out, 1000)
        return out
"""


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_the_fastest_configuration_is_taken_on_a_gpu() -> None:
    slow, fast = (f'triton.Config({{"ROUNDS": {rounds}, "BLOCK": 256}})' for rounds in (5000, 1))
    taken = []
    with LocalEvaluator(seeds=1, dialect=False, vocabulary=False) as evaluator:
        for configs in (slow, f"{slow}, {fast}"):
            text = SPINS.replace("CONFIGS", configs)
            verdict = evaluator.evaluate_text(text, DOUBLE, (Rung.RUN, Rung.PROFILE))
            assert verdict.ok, verdict
            (row,) = verdict.caliber["profile"]["kernels"]
            assert (row["name"], row["count"]) == ("double", 1.0)
            taken.append(row["us"])
        verdict = evaluator.evaluate_text(ATOMIC, TOTAL, (Rung.RUN,))
        assert verdict.ok, verdict
    assert taken[0] > 10 * taken[1]
