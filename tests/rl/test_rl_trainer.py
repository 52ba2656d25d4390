"""The trainer on a tiny model that has to name each problem's token: it learns, survives kills, and ends in order."""

import math
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import get_peft_model
from safetensors.torch import load_file
from transformers import LlamaConfig, LlamaForCausalLM

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.agent.policy import Completion, Message, PolicyError
from kernelwright.agent.trajectory import Trajectory, Turn
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import KernelModule, Reference, TensorSpec
from kernelwright.rl.algorithms.algorithm import Algorithm
from kernelwright.rl.algorithms.presets import preset
from kernelwright.rl.trainer.batches import BatchPlan, rows_of
from kernelwright.rl.trainer.checkpoint import CheckpointError, latest_checkpoint
from kernelwright.rl.trainer.learner import (
    DivergedError,
    Learner,
    LoraSettings,
    OptimizerSettings,
    load_adapter_weights,
)
from kernelwright.rl.trainer.phases import Phases
from kernelwright.rl.trainer.reinforced import Trainer
from kernelwright.rl.trainer.rl_settings import RlSettings
from kernelwright.rl.trainer.run_log import read_metrics
from kernelwright.rl.trainer.stopping import Stop
from kernelwright.rl.trainer.updates import Updates

X = TensorSpec.contiguous("x", "f32", (8,))
MODULES = [KernelModule(f"p{i}", Reference(f"# {i}", "Model", (X,), (), (X,))) for i in range(4)]
PROMPT = (Message("user", "which?"),)


def tiny() -> Any:
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=12,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        initializer_range=0.2,
    )
    model = LlamaForCausalLM(config)
    torch.manual_seed(1)
    return get_peft_model(model, LoraSettings(rank=8, alpha=16).config())


def learner(lr: float = 1e-2) -> Learner:
    return Learner(tiny(), None, OptimizerSettings(lr=lr), budget=64)


class Toy:
    """A policy of its own copy of the model, which gets adapters as files; the answer to problem i is token 4 + i."""

    def __init__(self, n: int = 8, turns: int = 1) -> None:
        self.model, self.n, self.turns = tiny(), n, turns
        self.asked: list[list[str]] = []

    def push(self, folder: Path) -> None:
        load_adapter_weights(self.model, folder)

    def roll_out(self, modules: Sequence[KernelModule], seed: int, over: Callable[[], None]) -> list[Trajectory]:
        self.asked.append([module.name for module in modules])
        generator = torch.Generator().manual_seed(seed)
        found = []
        for place, module in enumerate(modules):
            for _ in range(self.n):
                turns = [self._turn(int(module.name[1:]), turn, generator) for turn in range(self.turns)]
                found.append(Trajectory(place, module, tuple(turns)))
        over()
        return found

    def _turn(self, problem: int, turn: int, generator: torch.Generator) -> Turn:
        prompt = (1, 4 + problem, 8 + turn)
        with torch.no_grad():
            logs = torch.log_softmax(self.model(input_ids=torch.tensor([prompt])).logits[0, -1].float(), -1)
        token = int(torch.multinomial(logs.exp(), 1, generator=generator))
        right = token == 4 + problem
        verdict = Verdict(Status.OK if right else Status.MISMATCH, Rung.INTERPRET)
        answer = Completion(str(token), "stop", "toy", prompt, (token,), (float(logs[token]),))
        return Turn(PROMPT, answer, MODULES[problem] if right else None, verdict, 1.0 if right else -1.0)


def trainer(
    folder: Path, toy: Toy, algorithm: Algorithm | None = None, steps: int = 40, lr: float = 1e-2, **changes: Any
) -> Trainer:
    settings = RlSettings(steps=steps, problems=3, **changes)
    algorithm = algorithm or preset("grpo", kl=0.0)
    return Trainer(learner(lr), MODULES, toy.roll_out, toy.push, algorithm, settings, folder)


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "adapter" / "adapter_model.safetensors")


@pytest.mark.parametrize("name", ["grpo", "trloo"])
def test_problems_are_learnt(tmp_path: Path, name: str) -> None:
    toy = Toy(turns=2 if name == "trloo" else 1)
    algorithm = preset(name, kl=0.02) if name == "grpo" else preset(name)
    trainer(tmp_path, toy, algorithm, steps=60, lr=1e-2 if name == "grpo" else 4e-3, save_every=30).run()
    rows = read_metrics(tmp_path)
    first, last = (sum(row["correct"] for row in part) / 6 for part in (rows[:6], rows[-6:]))
    assert first < 0.4
    assert last > 0.7
    assert all(row["mismatch"] < 1e-4 for row in rows)  # the policy has the trainer's weights at every step
    assert {"seconds/rollout", "seconds/update", "grad_norm", "ratio", "acceptance", "status/ok"} <= set(rows[3])


def test_a_reward_turned_round_is_unlearnt(tmp_path: Path) -> None:
    class Contrary(Toy):
        def _turn(self, problem: int, turn: int, generator: torch.Generator) -> Turn:
            made = super()._turn(problem, turn, generator)
            return Turn(made.prompt, made.completion, made.candidate, made.verdict, -made.reward)

    trainer(tmp_path, Contrary(), steps=40, save_every=40).run()
    assert sum(row["correct"] for row in read_metrics(tmp_path)[-6:]) / 6 < 0.05


@pytest.mark.parametrize("changes", [{}, {"replay": 0.7}, {"imitate": 2}], ids=str)
def test_a_killed_run_takes_the_same_batches_to_the_same_weights(tmp_path: Path, changes: dict[str, Any]) -> None:
    steady, cut, after = Toy(), Toy(), Toy()
    trainer(tmp_path / "steady", steady, steps=6, **changes).run()
    halted = trainer(tmp_path / "cut", cut, steps=6, **changes)

    def tell(step: int, _steps: int, _metrics: Any) -> None:
        if step == 4:
            raise KeyboardInterrupt

    halted.tell = tell
    with pytest.raises(KeyboardInterrupt):
        halted.run()
    trainer(tmp_path / "cut", after, steps=6, **changes).run()
    assert steady.asked == cut.asked + after.asked
    assert len(after.asked) == 2
    for name, value in weights(tmp_path / "steady").items():
        torch.testing.assert_close(value, weights(tmp_path / "cut")[name])
    assert [row["step"] for row in read_metrics(tmp_path / "cut")] == list(range(6))


def test_what_became_of_new_problems_is_told_apart_from_what_became_of_replayed_ones(tmp_path: Path) -> None:
    class Odd(Toy):
        """New problems come first in a batch: half of their answers are right, and none of replayed ones'."""

        def roll_out(self, modules: Sequence[KernelModule], seed: int, over: Callable[[], None]) -> list[Trajectory]:
            made = super().roll_out(modules, seed, over)
            right, wrong = (Verdict(status, Rung.INTERPRET) for status in (Status.OK, Status.MISMATCH))
            for index, one in enumerate(made):
                good = index % 2 == 0 and (one.problem == 0 or len(self.asked) < 3)
                turn = replace(one.turns[0], verdict=right if good else wrong, reward=float(good))
                made[index] = replace(one, turns=(turn,))
            return made

    trainer(tmp_path, Odd(), steps=4, replay=0.7).run()
    rows = read_metrics(tmp_path)
    assert [row["new/correct"] for row in rows] == [0.5] * 4
    assert [row["new/reward"] for row in rows] == [0.5] * 4
    assert rows[0]["correct"] == 0.5 and rows[2]["correct"] < 0.5


def test_a_step_is_shown_before_it_is_kept(tmp_path: Path) -> None:
    """Otherwise a run that is killed in between would never show it."""
    made, shown = trainer(tmp_path, Toy(), steps=2), list[list[int]]()
    keep = made.learner.save

    def save(folder: Path) -> None:
        shown.append([row["step"] for row in read_metrics(tmp_path)])
        keep(folder)

    made.learner.save = save  # type: ignore[method-assign]
    made.run()
    assert shown == [[0], [0, 1]]


def test_rows_without_an_advantage_are_left_out_and_change_no_gradient() -> None:
    """One problem's answers are worth the same; the others' gradients are as if its rows had gone through the model."""

    class Even(Toy):
        def _turn(self, problem: int, turn: int, generator: torch.Generator) -> Turn:
            made = super()._turn(problem, turn, generator)
            return replace(made, reward=1.0 if problem == 0 else float(made.completion.token_ids[0]))

    taught, toy = learner(), Even()
    taught.keep_reference()
    algorithm = replace(preset("dapo", tis_cap=2.0), dynamic_sampling=False)
    plan = BatchPlan(0, range(3), MODULES[:3], 0, 0)
    trajectories = toy.roll_out(plan.modules, 0, lambda: None)
    seen, score = list[int](), taught.score
    taught.score = lambda rows, *rest: (seen.append(len(rows)), score(rows, *rest))[1]  # type: ignore[assignment]
    taught.update = dict  # type: ignore[assignment]
    found = list[dict[str, torch.Tensor]]()
    for kl in (0.0, 1e-30):  # with a penalty every row goes through the model
        updates = Updates(taught, replace(algorithm, kl=kl), RlSettings(problems=3), Phases(), Stop())
        assert updates.learn(plan, trajectories)["kept_rows"] == len(rows_of(trajectories)) == 24
        found.append({name: p.grad.clone() for name, p in taught.model.named_parameters() if p.grad is not None})
        taught.optimizer.zero_grad()
        found[-1]["rows"] = torch.tensor(sum(seen))
        seen.clear()
    skipped, whole = found
    assert (int(skipped.pop("rows")), int(whole.pop("rows"))) == (16, 24)
    assert any(value.any() for value in whole.values())
    for name, value in whole.items():
        torch.testing.assert_close(skipped[name], value)


def test_faults_are_neither_paid_nor_learnt_from(tmp_path: Path) -> None:
    class Broken(Toy):
        def _turn(self, problem: int, turn: int, generator: torch.Generator) -> Turn:
            made = super()._turn(problem, turn, generator)
            gone = Completion("", "stop", "toy")
            return Turn(made.prompt, gone, None, made.verdict, 0.0, valid=False)

    before = learner()
    metrics = trainer(tmp_path, Broken(), steps=2).run()
    assert metrics["faults"] == metrics["turns"] == 24
    assert metrics["kept_rows"] == 0
    for name, value in before.model.named_parameters():
        if name.endswith("lora_B.default.weight"):
            assert not value.any()
    assert all(not value.any() for name, value in weights(tmp_path).items() if "lora_B" in name)


def test_a_policy_that_is_gone_ends_the_run_and_leaves_the_checkpoint(tmp_path: Path) -> None:
    class Mortal(Toy):
        def roll_out(self, modules: Sequence[KernelModule], seed: int, over: Callable[[], None]) -> list[Trajectory]:
            if len(self.asked) == 3:
                raise PolicyError("the engine has ended")
            return super().roll_out(modules, seed, over)

    with pytest.raises(PolicyError, match="the engine has ended"):
        trainer(tmp_path, Mortal(), steps=6).run()
    found = latest_checkpoint(tmp_path / "checkpoints")
    assert found is not None
    assert found.step == 3
    trainer(tmp_path, Toy(), steps=6).run()
    assert [row["step"] for row in read_metrics(tmp_path)] == list(range(6))


def test_a_loss_that_is_no_number_ends_the_run_before_it_does_harm(tmp_path: Path) -> None:
    made = trainer(tmp_path, Toy(), steps=3)
    made.run()
    again = trainer(tmp_path, Toy(), steps=6)
    with torch.no_grad():
        again.learner.model.get_base_model().lm_head.weight[5, 0] = math.nan
    with pytest.raises(DivergedError, match="step 3: the model's log-probabilities are not finite"):
        again.run()
    found = latest_checkpoint(tmp_path / "checkpoints")
    assert found is not None
    assert found.step == 3


def test_a_gradient_that_is_no_number_moves_nothing(tmp_path: Path) -> None:
    made = trainer(tmp_path, Toy(), steps=2)
    before = [p.detach().clone() for p in made.learner.model.parameters()]
    (first, *_) = [p for p in made.learner.model.parameters() if p.requires_grad]
    first.register_hook(lambda gradient: gradient * math.nan)
    with pytest.raises(DivergedError, match="step 0: the gradient's norm is nan"):
        made.run()
    assert all(map(torch.equal, before, made.learner.model.parameters()))
    assert latest_checkpoint(tmp_path / "checkpoints") is None


FULL_DISK = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_rl_trainer import Toy, latest_checkpoint, read_metrics, torch, trainer
torch.set_num_threads(1)
place = Path({place!r})
trainer(place / "run", Toy(), steps=2).run()
for room in (40_000, 2_000):
    with (place / "filler").open("wb", buffering=0) as filler:
        try:
            while filler.write(bytes(4096)):
                pass
        except OSError:
            filler.truncate(filler.tell() // 4096 * 4096 - room // 4096 * 4096)
    toy = Toy()
    try:
        trainer(place / "run", toy, steps=4).run()
    except Exception as error:
        print(type(error).__name__, len(toy.asked), error)
    print([row["step"] for row in read_metrics(place / "run")], latest_checkpoint(place / "run" / "checkpoints").step)
(place / "filler").unlink()
trainer(place / "run", Toy(), steps=4).run()
print([row["step"] for row in read_metrics(place / "run")], latest_checkpoint(place / "run" / "checkpoints").step)
"""


def test_a_full_disk_ends_the_run_which_goes_on_when_there_is_room(tmp_path: Path) -> None:
    """A disk of two megabytes: with room for the adapter but no checkpoint, then with none."""
    disk = tmp_path / "disk"
    disk.mkdir()
    script = FULL_DISK.format(tests=str(Path(__file__).parent), place=str(disk))
    mounted = f'mount -t tmpfs -o size=2m none {disk} && exec "$0" -c "$1"'
    alone = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
    if subprocess.run([*alone, f"mount -t tmpfs -o size=2m none {disk}"], capture_output=True, check=False).returncode:
        pytest.skip("no file systems can be mounted here")
    done = subprocess.run([*alone, mounted, sys.executable, script], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert len(lines) == 5, (lines, done.stderr)
    intact = r"the disk is full; make room \(.*/step-00000002 is intact: resume from there\)"
    assert re.fullmatch(rf"CheckpointError 1 checkpoint .*/step-00000003 was not written: {intact}", lines[0])
    assert re.fullmatch(rf"DiskFullError 0 {intact}", lines[2])
    assert lines[1] == lines[3] == "[0, 1, 2] 2"  # step 2 was taken, and will be again
    assert lines[4] == "[0, 1, 2, 3] 4"


def test_a_file_that_must_not_grow_is_a_checkpoint_that_was_not_written(tmp_path: Path) -> None:
    trainer(tmp_path, Toy(), steps=2).run()
    size = (tmp_path / "checkpoints" / "step-00000002" / "optimizer.pt").stat().st_size
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, hard))
    try:
        with pytest.raises(CheckpointError, match=r"step-00000003 was not written: .*step-00000002 is intact"):
            trainer(tmp_path, Toy(), steps=4).run()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not list((tmp_path / "checkpoints").glob("*.partial"))
    trainer(tmp_path, Toy(), steps=4).run()


def test_a_truncated_checkpoint_is_passed_over_and_said(tmp_path: Path) -> None:
    trainer(tmp_path, Toy(), steps=3).run()
    newest = tmp_path / "checkpoints" / "step-00000003" / "optimizer.pt"
    newest.write_bytes(newest.read_bytes()[:100])
    toy, said = Toy(), list[str]()
    again = trainer(tmp_path, toy, steps=4)
    again.say = said.append
    again.run()
    assert len(toy.asked) == 2  # steps 2 and 3
    (line,) = said
    assert line.startswith(f"{newest.parent} is damaged and skipped; resuming from ")
    assert line.endswith("step-00000002")


def test_nothing_to_learn_from_is_an_error(tmp_path: Path) -> None:
    made = trainer(tmp_path, Toy())
    made.modules = []
    with pytest.raises(UserError, match="no problems"):
        made.run()
