"""Every recipe followed to its end on a CPU: a tiny model learns, its answers are recorded ones, some of them right.

Answers are judged by the real evaluators in the interpreter. Times and profiles need a GPU, and are recorded as well: a
right answer takes 1 ms, eager PyTorch 2 ms and Inductor 1.5 ms, and three quarters of the time are in its kernels.
"""

import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from test_driver_run import ANSWER, PROGRAM, judge

from kernelwright.agent.evaluator import Rung, Verdict
from kernelwright.agent.policy import Answer, Prompt, Sampling
from kernelwright.driver.benchmarking.rollouts import Rollouts
from kernelwright.driver.benchmarking.settings import read_rollouts_settings
from kernelwright.driver.config.train_settings import read_sft_settings, read_train_settings
from kernelwright.driver.run.build import open_pool
from kernelwright.driver.training import reward_needs
from kernelwright.driver.training import run as training
from kernelwright.rl.data.rows import Pair, read_rows
from kernelwright.rl.trainer.run_log import read_metrics
from kernelwright.serve.hf import HfPolicy, HfSettings
from kernelwright.serve.replay import ScriptedPolicy

pytestmark = [pytest.mark.usefixtures("one_thread"), pytest.mark.slow]
__all__ = ["judge"]  # a fixture

RIGHT, WRONG = ANSWER.replace("FACTOR", "2"), ANSWER.replace("FACTOR", "3")
TIMES = {"candidate": 1.0, "eager": 2.0, "inductor": 1.5}
SPREADS = {"modes": {"candidate": {"events": {"median": 1.0, "iqr": 0.1}}}, "mode": {"eager": "events"}}


class Recorded(HfPolicy):
    """Draws as its model does, and says that what it drew is the program: every other one is right."""

    def stream(self, prompts: Sequence[Prompt], sampling: Sampling, adapter: str | None = None) -> Generator[Answer]:
        for prompt, number, drawn in super().stream(prompts, sampling, adapter):
            yield prompt, number, replace(drawn, text=WRONG if number % 2 else RIGHT)


class TimedPool:
    """A real pool that judges in the interpreter; what is right gets recorded times and a recorded profile."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_pool":
            super().__setattr__(name, value)
        else:
            setattr(self._pool, name, value)

    def outcomes(self, items: Any) -> Iterator[Any]:
        judged = self._pool.outcomes(replace(one, rungs=(Rung.PARSE, Rung.INTERPRET)) for one in items)
        for found in judged:
            yield self._timed(found) if isinstance(found, Verdict) and found.ok else found

    @staticmethod
    def _timed(verdict: Verdict) -> Verdict:
        profiled = {**verdict.caliber, "profile": {"coverage": 0.75, "kernels": []}, "timing": SPREADS}
        rungs = (*verdict.rungs, Rung.COMPILE, Rung.RUN, Rung.TIME, Rung.PROFILE)
        return replace(verdict, rung=Rung.PROFILE, rungs=rungs, times_ms=TIMES, caliber=profiled)


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine as one that times: checks believe it, and verdicts have recorded times."""

    @contextmanager
    def opened(*args: Any, **options: Any) -> Iterator[TimedPool]:
        with open_pool(*args, **options) as pool:
            yield TimedPool(pool)

    monkeypatch.setattr(training, "open_pool", opened)
    monkeypatch.setattr(reward_needs, "_has_gpu", lambda: True)


def followed(base: Path, folder: Path, *more: str, problems: int = 1) -> dict[str, Any]:
    """Two steps of a recipe as it is, but for the model and how long its answers are; the last step's metrics."""
    place = folder / "problems"
    place.mkdir()
    (place / "relu.py").write_text(PROGRAM)
    (place / "twice.py").write_text(PROGRAM.replace("torch.relu(x) * 2", "2 * x.clamp(min=0)"))
    given = [f"problems.place={place}", "problems.split=null", "problems.levels=[]", f"policy.model={base}"]
    given += ["policy=hf", "policy.max_model_len=40000", "policy.dtype=float32", "device=cpu", "trainer.dtype=float32"]
    given += ["rollout.max_tokens=4", "trainer.steps=2", "canary.enabled=false", "workers=1", "evaluator.seeds=1"]
    settings = read_train_settings(
        [*more, *given, f"out={folder / 'run'}", f"trainer.problems={problems}", "trainer.lr=1e-3"]
    )
    with Recorded(HfSettings(str(base), context=40000)) as policy:
        found = training.run_train(settings, Console(file=StringIO()), policy)
    assert len(read_metrics(folder / "run")) == 2
    assert (folder / "run" / "adapter").is_dir()
    return found


def rewards(folder: Path) -> set[float]:
    """What answers of the run were paid."""
    lines = (folder / "run" / "trajectories.jsonl").read_text().splitlines()
    return {round(turn["reward"], 6) for line in lines for turn in json.loads(line)["turns"]}


def warmed(base: Path, folder: Path, start: str, turns: int) -> Path:
    """The adapter of a recipe's supervised step, on rows that a teacher's recorded answers make."""
    suite = folder / "suite.jsonl"
    suite.write_text(json.dumps({"id": "p", "source": PROGRAM, "split": "train"}) + "\n")
    rows = folder / "rows.jsonl"
    given = [f"suite=jsonl:{suite}", f"out={rows}", "n=2", f"turns={turns}", "policy=replay", "policy.path=unused"]
    given += ["workers=1", "evaluator.seeds=1", "rollout.rungs=[parse,interpret]"]
    script = [[RIGHT, WRONG], [RIGHT]] if turns > 1 else [[RIGHT, WRONG]]
    made = Rollouts(read_rollouts_settings(given), Console(file=StringIO())).run(ScriptedPolicy(script))
    assert made["repair_rows"] >= 1 and made["answer_rows"] == 1
    assert {len(row.turns) for row in read_rows(rows, Pair)} == {0, 1}
    told = [f"warm_start={start}", f"pairs={rows}", f"model={base}", "device=cpu", "trainer.dtype=float32", "epochs=1"]
    found = training.run_sft(
        read_sft_settings([*told, f"out={folder / 'sft'}", "max_tokens=40000", "batch=2"]), Console(file=StringIO())
    )
    assert found["rows"] >= 2
    return folder / "sft" / "adapter"


@pytest.mark.usefixtures("timed")
def test_the_two_stage_project_s_recipe(base: Path, tmp_path: Path) -> None:
    steady = ["reward.determinism_weight=0.5", "reward.spread_weight=2"]
    found = followed(base, tmp_path, "recipe=two_stage", "stage=midend", "problems.start=lower-inductor", *steady)
    assert rewards(tmp_path) == {3.0 + 0.5 - 2 * 0.1, -10.0}  # 1 + 2 / 1 with equal bits and the spread, or wrong
    assert found["kl"] >= 0


@pytest.mark.usefixtures("timed")
def test_the_report_s_recipe(base: Path, tmp_path: Path, judge: tuple[str, list[str]]) -> None:
    adapter = warmed(base, tmp_path, "sft_grpo", turns=1)
    url, says = judge
    says[:] = ['{"correctness": 1, "compilability": 1, "speed": 0.25}']
    asked = ["judge=openai", f"judge.url={url}", "judge.model=judge"]
    followed(base, tmp_path, "recipe=sft_grpo", f"adapter={adapter}", *asked)
    right, wrong = 0.1 + 0.3 + 1.0 * 2 + 0.5 * 0.75, 0.5 * 0.75
    assert max(rewards(tmp_path)) == pytest.approx(right)
    assert min(rewards(tmp_path)) in (pytest.approx(wrong), pytest.approx(wrong + 0.1))
    line = json.loads((tmp_path / "run" / "trajectories.jsonl").read_text().splitlines()[0])
    assert "What the program does: it computes " in json.dumps(line)


@pytest.mark.usefixtures("timed")
def test_dr_kernel_s_recipe(base: Path, tmp_path: Path) -> None:
    adapter = warmed(base, tmp_path, "dr_kernel", turns=2)
    followed(base, tmp_path, "recipe=dr_kernel", f"adapter={adapter}", "rollout.n=4")
    assert rewards(tmp_path) == {0.0, 0.5 + 0.5 * 2 + 0.5 * 0.75}


@pytest.mark.usefixtures("timed")
def test_kevin_s_recipe(base: Path, tmp_path: Path) -> None:
    followed(base, tmp_path, "recipe=kevin", "rollout.n=4")
    assert rewards(tmp_path) == {0.0, 2.3}


@pytest.mark.usefixtures("timed")
def test_makora_s_recipe(base: Path, tmp_path: Path) -> None:
    followed(base, tmp_path, "recipe=makora", problems=2)
    assert max(rewards(tmp_path)) == pytest.approx(0.1 + 0.3 + 1.5)  # against Inductor
