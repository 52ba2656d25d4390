"""A run as a whole: its canary, what ends it or does no harm, and the picture that it leaves."""

import importlib.util
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import torch
from processes import children
from rich.console import Console

from kernelwright.agent.evaluator import Rung
from kernelwright.agent.policy import Answer, Completion, Message, Prompt, Sampling
from kernelwright.agent.rewards import make_reward
from kernelwright.agent.rollout import roll_out
from kernelwright.driver.cli import main
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.train_settings import CanarySettings, read_train_settings
from kernelwright.driver.run.build import judged_by
from kernelwright.driver.training.canary import check_policy
from kernelwright.driver.training.plot import FORMATS, phase_seconds, plot_run, plotted
from kernelwright.driver.training.run import run_train
from kernelwright.evaluation.pools.pool import EvaluatorPool, LocalOptions
from kernelwright.evaluation.protocol.jobs import Describe
from kernelwright.evaluation.sandbox.parent import Limits, Sandbox
from kernelwright.frontend.agent import FrontendAgent
from kernelwright.frontend.importers import import_source
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import KernelModule
from kernelwright.rl.data.rows import Cursor
from kernelwright.rl.trainer.checkpoint import latest_checkpoint
from kernelwright.rl.trainer.learner import Learner, LoraSettings, open_model
from kernelwright.rl.trainer.run_log import RunLog, read_metrics
from kernelwright.serve.canary import SyncError
from kernelwright.serve.hf import HfPolicy, HfSettings

pytestmark = pytest.mark.usefixtures("one_thread")

QUESTIONS: tuple[Prompt, ...] = ((Message("user", "torch.relu"),), (Message("user", "torch.softmax"),))
#: A tiny model moves little by what moves a real one.
FAR = CanarySettings(scale=1.0)


def told(base: Path, folder: Path, steps: int = 3) -> list[str]:
    """How a tiny model is trained; a step takes about a second."""
    given = [f"policy.model={base}", "policy=hf", "policy.max_model_len=20000", f"out={folder}", "device=cpu"]
    given += ["trainer=small", "trainer.rank=4", "trainer.lr=1e-2", f"trainer.steps={steps}", "trainer.problems=2"]
    given += ["problems.difficulty=0", "problems.count=5", "rollout.form=kernels", "rollout.n=2"]
    return [*given, "rollout.max_tokens=4", "rollout.rungs=[parse]", "workers=1", "canary.scale=1.0"]


class StaleOnce(HfPolicy):
    """Says that it took an adapter's next state, and answers with the first one."""

    def load_adapter(self, adapter: str, folder: Path) -> None:
        if self._shelf.find(adapter) is None:
            super().load_adapter(adapter, folder)


def learner(base: Path) -> Learner:
    return Learner(*open_model(base, LoraSettings(rank=4), seed=3))


def test_the_canary_passes_a_policy_in_step_and_leaves_the_learner_as_it_was(base: Path, tmp_path: Path) -> None:
    student = learner(base)
    before = [parameter.detach().clone() for parameter in student.model.parameters()]
    with HfPolicy(HfSettings(str(base))) as policy:
        report = check_policy(policy, "frontend", student, QUESTIONS, FAR, tmp_path)
    assert report.baseline.mean < 1e-4
    assert report.stepped.mean < 1e-4
    assert report.stale.mean > 0.03
    assert all(map(torch.equal, before, student.model.parameters()))
    assert json.loads((tmp_path / "canary.json").read_text())["stale"]["mean"] == report.stale.mean


def test_a_step_that_tells_nothing_is_no_canary(base: Path, tmp_path: Path) -> None:
    with HfPolicy(HfSettings(str(base))) as policy, pytest.raises(UserError, match=r"too small.*raise canary\.scale"):
        check_policy(policy, "frontend", learner(base), QUESTIONS, CanarySettings(scale=1e-6), tmp_path)


def test_a_policy_that_keeps_old_weights_ends_the_run_before_its_first_step(base: Path, tmp_path: Path) -> None:
    settings = read_train_settings(told(base, tmp_path))
    with StaleOnce(HfSettings(str(base), context=20000)) as policy:
        with pytest.raises(SyncError, match=r"does not have the trainer's weights: after a large step of adapter"):
            run_train(settings, Console(file=StringIO()), policy)
        assert not read_metrics(tmp_path)
        assert not (tmp_path / "checkpoints").exists()
        unchecked = read_train_settings([*told(base, tmp_path, steps=3), "canary.enabled=false"])
        run_train(unchecked, Console(file=StringIO()), policy)  # the same folder: a canary is no part of what is learnt
    assert len(read_metrics(tmp_path)) == 3


@pytest.mark.parametrize(
    ("number", "status", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_a_signal_ends_a_run_in_order_and_it_goes_on(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], number: signal.Signals, status: int, word: str
) -> None:
    before = signal.getsignal(signal.SIGTERM)
    unsaved = [*told(base, tmp_path, steps=6), "trainer.save_every=100"]

    def end() -> None:
        while not read_metrics(tmp_path):
            time.sleep(0.01)
        os.kill(os.getpid(), number)

    threading.Thread(target=end, daemon=True).start()
    assert main(["train", *unsaved]) == status
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "canary: baseline" in shown.err
    assert signal.getsignal(signal.SIGTERM) is before
    done = latest_checkpoint(tmp_path / "checkpoints")
    assert done is not None
    assert 1 <= done.step == len(read_metrics(tmp_path)) < 6
    kept = f"stopped after step {done.step} of 6; kept {done.folder}; the same command resumes from there"
    assert shown.err.splitlines()[-1] == f"kernelwright: {word}: {kept}"
    assert (tmp_path / "plot.svg").stat().st_size > 1000

    assert main(["train", *unsaved]) == 0
    assert f"resuming from step {done.step}, {done.folder}" in capsys.readouterr().err.replace("\n", "")
    rows = read_metrics(tmp_path)
    assert [row["step"] for row in rows] == list(range(6))
    names = [f"generated_{seed}" for seed in range(5)]
    assert [row["problems"] for row in rows] == [list(Cursor(names, 2, 0).batch_of(step)) for step in range(6)]


PROGRAM = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) * 2


def get_inputs():
    return [torch.randn(5, 7)]
"""
ANSWER = """```python
import torch
import triton
import triton.language as tl


@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, tl.where(x > 0, x, 0.0) * FACTOR, mask=i < n)


def forward(x: "f32[5, 7]"):
    out = torch.empty_like(x)
    double[(1,)](x, out, 35, BLOCK=64)
    return out
```"""


class Scripted:
    """Answers with the program: right, and with another factor."""

    def sample(
        self, prompts: Sequence[Prompt], sampling: Sampling, adapter: str | None = None
    ) -> list[list[Completion]]:
        del prompts, adapter
        texts = [ANSWER.replace("FACTOR", str(2 + number)) for number in range(sampling.n)]
        return [[Completion(text, "stop", "scripted") for text in texts]]

    def load_adapter(self, adapter: str, folder: Path) -> None:
        raise NotImplementedError

    def close(self) -> None: ...


class Told(HfPolicy):
    """Draws as its model does, and says that what it drew is the program, right."""

    def stream(self, prompts: Sequence[Prompt], sampling: Sampling, adapter: str | None = None) -> Generator[Answer]:
        for prompt, number, drawn in super().stream(prompts, sampling, adapter):
            yield prompt, number, replace(drawn, text=ANSWER.replace("FACTOR", "2"))


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, list[str]]]:
    """The address of a server whose model judges, and what it says: the next of the list, the last one for ever."""
    says = ["charming"]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert asked["model"] == "judge" and "You judge Triton programs" in asked["messages"][0]["content"]
            said = says.pop(0) if len(says) > 1 else says[0]
            data = json.dumps({"choices": [{"message": {"content": said}, "finish_reason": "stop"}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None: ...

    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1", says
    server.shutdown()
    server.server_close()


def test_a_judge_that_is_configured_is_asked_and_paid_by(
    base: Path, tmp_path: Path, judge: tuple[str, list[str]]
) -> None:
    (tmp_path / "relu.py").write_text(PROGRAM)
    url, says = judge
    given = [*told(base, tmp_path / "run", steps=2), f"problems.place={tmp_path / 'relu.py'}", "problems.split=null"]
    given += ["trainer.problems=1", "rollout.form=native", "rollout.rungs=[parse,interpret]", "canary.enabled=false"]
    given += ["reward=composite", "reward.speed=0", "reward.judge_weight=0.5", "judge=openai", f"judge.url={url}"]
    says[:] = ['{"correctness": 1, "compilability": 1, "speed": 0.25}', *["no idea"] * 3]
    with Told(HfSettings(str(base), context=20000)) as policy:
        run_train(read_train_settings([*given, "judge.model=judge"]), Console(file=StringIO()), policy)
        with pytest.raises(UserError, match=r"judge\.url=: give a server"):
            run_train(
                read_train_settings([*given, "judge.url=null", f"out={tmp_path / 'other'}"]),
                Console(file=StringIO()),
                policy,
            )
    first, second = read_metrics(tmp_path / "run")
    assert first["faults"] == 1 and second["faults"] == 2  # no scores are no score of 0
    assert first["reward"] == pytest.approx(0.1 + 0.3 + 0.5 * 0.75)


def test_a_worker_that_is_killed_while_it_judges_costs_a_rollout_nothing() -> None:
    discover()
    module = KernelModule("double", import_source(PROGRAM, "double").reference)
    agent = FrontendAgent("h100", make_reward("frontend"))
    killed = list[int]()
    with Sandbox() as sandbox:  # so that what workers are forked from is there
        assert not sandbox.run(Describe(gpu=False), (), 0, Limits()).failure

    def workers() -> set[int]:
        return {worker for child in children(os.getpid()) for worker in children(child)}

    others = workers()

    def kill() -> None:
        """End the first new worker that has a job."""
        while not killed:
            for worker in workers() - others:
                if children(worker) and not killed:
                    os.kill(worker, signal.SIGKILL)
                    killed.append(worker)
            time.sleep(0.001)

    with EvaluatorPool(LocalOptions(seeds=1), workers=1) as pool:
        threading.Thread(target=kill, daemon=True).start()
        rungs = (Rung.PARSE, Rung.INTERPRET)
        made = roll_out(agent, [module], Scripted(), judged_by(pool), n=2, rungs=rungs)
    assert killed
    assert [(one.turns[0].valid, str(one.turns[0].verdict.status), one.turns[0].reward) for one in made] == [
        (True, "ok", 1.0),
        (True, "mismatch", -10.0),
    ]


def logged(folder: Path, steps: int) -> None:
    log = RunLog(folder)
    for step in range(steps):
        facts: dict[str, Any] = {"reward": -10.0 + step, "correct": step / 10, "mismatch": 1e-3, "problems": ["p"]}
        log.write(step, facts | {"seconds/rollout": 2.0, "seconds/update": 1.0 + step})
    log.close()


@pytest.mark.parametrize("steps", [1, 8, 150])
def test_a_run_is_drawn(tmp_path: Path, steps: int) -> None:
    tmp_path = tmp_path / "runs" / "train" / "frontend"
    logged(tmp_path, steps)
    assert plot_run(tmp_path) == [tmp_path / f"plot.{form}" for form in FORMATS]
    text = (tmp_path / "plot.svg").read_text()
    assert ">runs/train/frontend</text>" in text
    for legend in ("mean of turns", "turns verified", "|trainer - policy|"):
        assert f">{legend}</text>" in text, legend
    for word in (
        "reward",
        "pass rate, share",
        "divergence, nats a token",
        "seconds by phase",
        "rollout",
        "update",
        "step",
    ):
        assert f">{word}</text>" in text, word
    assert "held out" not in text  # a warm start's
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
    assert not list(tmp_path.glob(".plot*"))


def test_phases_of_a_run_that_left_some_out() -> None:
    rows = [{"seconds/rollout": 2.0, "seconds": 9.0}, {"seconds/rollout": 1.0, "seconds/checkpoint": 0.5}]
    assert phase_seconds(rows) == {"rollout": [2.0, 1.0], "checkpoint": [0.0, 0.5]}


def test_a_run_without_a_step_is_not_drawn(tmp_path: Path) -> None:
    assert plot_run(tmp_path) == []
    assert not list(tmp_path.iterdir())


def test_without_matplotlib_a_run_is_not_drawn_and_ends_as_it_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real: Callable[..., Any] = importlib.util.find_spec
    hidden = lambda name, *rest: None if name == "matplotlib" else real(name, *rest)  # noqa: E731
    monkeypatch.setattr(importlib.util, "find_spec", hidden)
    logged(tmp_path, 2)
    said: list[str] = []
    with pytest.raises(KeyboardInterrupt), plotted(tmp_path, said.append):
        raise KeyboardInterrupt
    assert said == ["no plot of the run: matplotlib is not installed: pip install 'kernelwright[train]'"]
