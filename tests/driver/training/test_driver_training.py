"""Training from the command line: settings, refusals, and a warm start and two steps of a tiny model."""

import importlib.util
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from omegaconf import OmegaConf
from rich.console import Console
from transformers import AutoTokenizer

from kernelwright.agent.policy import Completion, Sampling
from kernelwright.agent.reading import fenced
from kernelwright.agent.rewards import make_reward
from kernelwright.driver.cli import main
from kernelwright.driver.config.composition import compose_config
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.train_settings import read_sft_settings, read_train_settings
from kernelwright.driver.pairs.rows import answer_of, read_pair_rows, rows_of
from kernelwright.driver.run.finished import finished_train
from kernelwright.driver.training import run as training
from kernelwright.driver.training.given import read_modules
from kernelwright.frontend.agent import FrontendAgent, FrontendAgentPass
from kernelwright.frontend.generate import generate_program
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import Context
from kernelwright.midend.agent import MidendAgent
from kernelwright.rl.algorithms.presets import PRESETS
from kernelwright.rl.data.rows import Pair, Problem, read_rows, write_rows
from kernelwright.rl.trainer.run_log import WANDB_ID, read_metrics
from kernelwright.serve.replay import RecordingPolicy

RECIPES = ("two_stage", "sft_grpo", "dr_kernel", "kevin", "makora", "smollm")


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_every_algorithm_is_a_group_option_as_it_is_defined(name: str) -> None:
    assert read_train_settings([f"algorithm={name}"]).algorithm == PRESETS[name]


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("stage", ["frontend", "midend"])
def test_recipes_compose_for_both_stages(recipe: str, stage: str) -> None:
    settings = read_train_settings([f"recipe={recipe}", f"stage={stage}"])
    assert settings.plain.stage.name == stage
    assert settings.plain.out == f"runs/train/{stage}"


@pytest.mark.parametrize("tf32", [False, True])
def test_products_are_of_the_precision_that_is_asked_for(monkeypatch: pytest.MonkeyPatch, tf32: bool) -> None:
    """Where learner and policy work, and no longer than that."""

    def told(*_: Any) -> dict[str, Any]:
        return {"tf32": torch.backends.cuda.matmul.allow_tf32}

    monkeypatch.setattr(training, "_run_sft", told)
    monkeypatch.setattr(training, "_lead", told)
    words, console = ["device=cpu", f"trainer.tf32={tf32}"], Console(quiet=True)
    assert training.run_sft(read_sft_settings(["pairs=none.jsonl", *words]), console) == {"tf32": tf32}
    assert training.run_train(read_train_settings(words), console) == {"tf32": tf32}
    assert not torch.backends.cuda.matmul.allow_tf32


def test_published_figures() -> None:
    first = read_train_settings(["recipe=two_stage", "stage=midend"])
    assert (first.algorithm.kl, first.run.problems, first.plain.rollout.n, first.plain.trainer.lr) == (0.1, 1, 4, 1e-6)
    assert first.importing.allclose == 1e-4
    assert first.reward == "midend"
    runs = {}
    for recipe in ("two_stage", "sft_grpo", "dr_kernel"):
        judged = read_train_settings([f"recipe={recipe}"]).plain.evaluator
        runs[recipe] = (judged.warm_up_runs, judged.timed_runs)
    assert runs == {"two_stage": (10, 100), "sft_grpo": (10, 100), "dr_kernel": (3, 100)}
    kernel = read_train_settings(["recipe=dr_kernel"])
    assert (kernel.plain.rollout.turns, kernel.plain.rollout.n, kernel.run.problems) == (3, 16, 16)
    assert kernel.algorithm == PRESETS["dr_kernel"].__class__(**{**vars(PRESETS["dr_kernel"]), "max_len": 8192})
    kevin = read_train_settings(["recipe=kevin"])
    assert (kevin.algorithm.gamma, kevin.plain.rollout.turns, kevin.reward) == (0.4, 4, "kevin")
    report = read_train_settings(["recipe=sft_grpo"])
    learnt = report.algorithm
    assert (learnt.scale, learnt.kind, learnt.aggregation, learnt.kl) == ("none", "reinforce", "token", 0.0)
    assert read_train_settings(["recipe=makora"]).pay["baseline"] == "inductor"
    assert kernel.algorithm.dual_c == 3.0
    assert (report.pay["judge_weight"], report.plain.rollout.n, report.plain.trainer.rank) == (0.5, 6, 32)
    assert [found.plain.problems.levels for found in (first, kernel, kevin, report)] == [[1], [], [1, 2], [1]]
    begun = read_sft_settings(["pairs=some.jsonl", "warm_start=sft_grpo"])
    assert (begun.epochs, begun.batch, begun.trainer.lr, begun.trainer.rank) == (5, 16, 1e-4, 8)
    begun = read_sft_settings(["pairs=some.jsonl", "warm_start=dr_kernel"])
    assert (begun.epochs, begun.batch, begun.trainer.lr, begun.max_tokens) == (4, 64, 2e-5, 18432)


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_a_recipe_leaves_an_algorithm_what_it_is(name: str) -> None:
    found = read_train_settings(["recipe=smollm", f"algorithm={name}"]).algorithm
    assert found == replace(PRESETS[name], kl=0.0)


def test_a_small_model_is_asked_as_the_shipped_adapters_of_its_stage_are() -> None:
    shipped = compose_config(["policy=smollm"], root="train")["policy"]
    for stage, form in (("frontend", shipped["form"]), ("midend", shipped["midend_form"])):
        small = read_train_settings(["recipe=smollm", f"stage={stage}"]).plain
        assert small.rollout.form == form
        assert small.policy.dtype == small.trainer.dtype == "float32"
    assert small.rollout.action == "pipeline"


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["algorithm=ppo2"], "unknown algorithm 'ppo2'"),
        (["algorithm.clip_low=7"], "clip_low"),
        (["reward=prize"], "unknown reward 'prize'"),
        (["trainer.schedule=linear"], "trainer.schedule=linear: choose from constant, cosine"),
        (["rollout.rungs=[fly]"], "unknown rung 'fly'"),
        (["trainer.lrr=1"], "did you mean 'trainer.lr'"),
        (["trainer.rank=0"], "trainer.rank=0: out of range, 1 to 1024"),
        (["trainer.keep=0"], "trainer.keep=0: out of range, at least 1"),
        (["trainer.save_every=0"], "trainer.save_every=0"),
        (["trainer.dropout=2"], "trainer.dropout=2.0: out of range, at least 0, below 1"),
        (["trainer.warmup=-5"], "trainer.warmup=-5"),
        (["rollout.top_p=0"], "rollout.top_p=0.0"),
        (["rollout.temperature=-1"], "rollout.temperature=-1.0"),
        (["rollout.form=foo"], "rollout.form='foo': choose from native"),
        (["stage=midend", "rollout.form=kernels"], "rollout.form='kernels': choose from native, brief"),
        (["rollout.action=foo"], "rollout.action=foo: choose from program, pipeline"),
        (["algorithm.band=[1]"], r"algorithm.band=\[1\]: give two weights"),
        (["algorithm.clip_low=foo"], "algorithm.clip_low=foo: a number is expected"),
        (["policy.graph_sizes=1"], "policy.graph_sizes': write a list, such as"),
        (["trainer.pairs=8"], "trainer.pairs=8: give both trainer.pairs=N and pairs=FILE, or neither"),
        (["pairs=pairs.jsonl"], "trainer.pairs=0: give both trainer.pairs=N"),
        (["pairs=pairs.jsonl", "trainer.pairs=-1"], "trainer.pairs=-1: out of range, at least 0"),
        (["canary.n=0"], "canary.n=0: out of range, at least 1"),
        (["canary=false"], r"canary=False: it has keys of its own; give canary\.KEY"),
        (["algorithm.kind=reinforce", "trainer.updates=2"], "algorithm.kind=reinforce has no ratio"),
        (["recipe=null"], "recipe=null: recipe takes a name"),
    ],
)
def test_what_does_not_fit_is_named(overrides: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_train_settings(overrides)


def test_pairs_are_needed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UserError, match="pairs=FILE is missing"):
        read_sft_settings([])
    assert main(["sft"]) == 2
    assert "pairs=FILE is missing" in capsys.readouterr().err


@pytest.mark.parametrize(
    "override", ["batch=0", "epochs=0", "max_tokens=0", "trainer.lr=-1", "trainer.wandb=", "rollout.form=foo"]
)
def test_supervised_training_names_what_does_not_fit(override: str) -> None:
    key, _, value = override.partition("=")
    with pytest.raises(UserError, match=f"{key}='?{value}"):
        read_sft_settings(["pairs=some.jsonl", override])


def test_without_wandb_no_run_can_be_told_to_log_there(monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[..., Any] = importlib.util.find_spec
    hidden = lambda name, *rest: None if name == "wandb" else real(name, *rest)  # noqa: E731
    monkeypatch.setattr(importlib.util, "find_spec", hidden)
    for read in (lambda told: read_sft_settings(["pairs=some.jsonl", *told]), read_train_settings):
        assert read([])
        with pytest.raises(UserError, match=r"^wandb is not installed: pip install 'kernelwright\[wandb\]'$"):
            read(["trainer.wandb=kernels"])


def test_supervised_training_takes_a_target() -> None:
    assert read_sft_settings(["pairs=some.jsonl"]).target.name == "h100"
    assert read_sft_settings(["pairs=some.jsonl", "target=b200"]).target.name == "b200"


def test_every_group_option_is_used_by_a_root() -> None:
    config = compose_config(root="train")
    assert {"policy", "reward", "algorithm", "problems", "rollout", "evaluator", "target", "trainer"} <= set(config)
    assert OmegaConf.to_container(config)


def pairs(path: Path, count: int) -> Path:
    rows = []
    for seed in range(count):
        source = generate_program(seed)
        before = import_source(source, f"p{seed}", shrink="never")
        after = LowerInductor().run(before, Context("h100"))
        problem = Problem(f"p{seed}", source, {}, "test" if seed == 0 else "train")
        rows.append(Pair.make(f"p{seed}", problem, "frontend", before, after))
    write_rows(path, rows)
    return path


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    status = main(arguments)
    shown = capsys.readouterr()
    assert status == 0, shown.err
    found: dict[str, Any] = json.loads(shown.out)
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread", "offline_wandb")
def test_warm_start_then_two_steps_then_on(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = pairs(tmp_path / "pairs.jsonl", 4)
    small = ["trainer=small", "trainer.budget=4000", "trainer.rank=4", "device=cpu"]
    told = [f"pairs={given}", f"model={base}", f"out={tmp_path / 'sft'}", "max_tokens=20000", "batch=2", *small]
    settings, held = read_sft_settings(told), list(read_rows(given, Pair))
    rows = rows_of(held, settings)
    assert all(rows)
    assert rows == rows_of(held, settings, many=1)  # in other processes
    first = run(["sft", *told, "trainer.lr=1e-2", "epochs=2"], capsys)
    assert (first["rows"], first["held_out"]) == (3, 1)
    assert [row["step"] for row in read_metrics(tmp_path / "sft")] == [0, 1, 2]
    assert first["held_out_loss"] > 0
    with monkeypatch.context() as patched:  # a finished run is told before anything is read
        patched.setattr(training, "_run_sft", None)
        assert run(["sft", *told, "trainer.lr=1e-2", "epochs=2"], capsys) == first
    again = run(["sft", *told, "trainer.lr=1e-2", "epochs=2", "trainer.wandb=kernels"], capsys)
    assert again["loss"] == first["loss"]  # at its end already
    assert (tmp_path / "sft" / WANDB_ID).is_file()
    assert main(["sft", *told, "trainer.lr=1e-3", "epochs=2"]) == 2
    assert "is a run with other settings (trainer.lr=0.01, now it is 0.001)" in capsys.readouterr().err
    assert main(["sft", *told, "trainer.lr=1e-2", "rollout.form=modelnew"]) == 2
    assert "has no answer in the form modelnew" in capsys.readouterr().err

    told = ["train", f"policy.model={base}", "policy=hf", "policy.max_model_len=20000", *small]
    told += [f"adapter={tmp_path / 'sft' / 'adapter'}", f"out={tmp_path / 'rl'}", "problems.count=3"]
    told += ["rollout.n=2", "rollout.turns=2", "rollout.max_tokens=8", "rollout.rungs=[parse,interpret]"]
    told += ["trainer.problems=2", "algorithm.kl=0.01", "canary.scale=1.0", "workers=1", "readers=1"]
    assert main([*told, "trainer.steps=2", "policy=openai"]) == 2  # it has learnt nothing: its folder may be used
    told += [f"pairs={given}", "trainer.pairs=2"]
    last = run([*told, "trainer.steps=2", "trainer.wandb=kernels"], capsys)
    assert last["turns"] == 8
    assert last["imitation_loss"] > 0
    assert last["status/unparsed"] == 1.0
    assert last["reward"] == -10.0
    assert last["mismatch"] < 1e-3
    assert len(read_metrics(tmp_path / "rl")) == 2
    assert (tmp_path / "rl" / WANDB_ID).is_file()
    rows = json.loads((tmp_path / "rl" / "config.json").read_text())["rows"]
    assert isinstance(rows, str) and len(rows) == 16  # other pairs are another run
    with monkeypatch.context() as patched:
        patched.setattr(training, "_lead", None)
        over = run([*told, "trainer.steps=2"], capsys)
        assert over == {key: value for key, value in last.items() if key in over} and over["reward"] == -10.0
    given.write_text(given.read_text() + "\n")  # what is in it now is only known when it is read
    assert finished_train(read_train_settings([*told[1:], "trainer.steps=2"]), print) is None
    assert main([*told, "trainer.steps=3"]) == 2  # another run's folder
    assert "(trainer.steps=2, now it is 3)" in capsys.readouterr().err


GOOD = """import torch
import triton
import triton.language as tl


@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, tl.where(x > 0, x, 0.0) * 2, mask=i < n)


def forward(x: "f32[5, 7]"):
    out = torch.empty_like(x)
    double[(1,)](x, out, 35, BLOCK=64)
    return out
"""
PROGRAM = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) * 2


def get_inputs():
    return [torch.randn(5, 7)]
"""


class Scripted:
    """Answers with the given texts, in order."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)

    def sample(self, prompts: Any, sampling: Any, adapter: str | None = None) -> list[list[Completion]]:
        del adapter
        return [[Completion(self.texts.pop(0), "stop", "scripted") for _ in range(sampling.n)] for _ in prompts]

    def load_adapter(self, adapter: str, folder: Path) -> None:
        raise NotImplementedError

    def close(self) -> None:
        pass


SHORT = "a = load(x[i, j])\nstore(out[i, j], maximum(0, a) * 2.0)\n"


@pytest.mark.parametrize(("form", "text"), [("native", GOOD), ("kernels", SHORT)])
def test_an_agent_compiles_with_recorded_answers(
    form: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program, recorded = tmp_path / "double.py", tmp_path / "answers.jsonl"
    program.write_text(PROGRAM)
    discover()
    module = import_source(PROGRAM, "double")
    asks = FrontendAgentPass(n=1, form=form).agent("h100", make_reward("frontend"))
    RecordingPolicy(Scripted(f"Here:\n```python\n{text}```"), recorded).sample([asks.render(module)], Sampling())
    told = ["compile", str(program), "target=h100", f"out={tmp_path / 'run'}", "--json"]
    found = run([*told, "-p", f"fe-agent{{n=1,form={form}}}", "policy=replay", f"policy.path={recorded}"], capsys)
    assert found["status"] == "ok"
    assert "tl.store(out_ptr" in (tmp_path / "run" / "module.py").read_text()


def test_pairs_are_answered_in_the_agents_form() -> None:
    discover()
    before = import_source(PROGRAM, "double")
    pair = Pair.make("double", Problem("double", PROGRAM), "frontend", before, LowerInductor().run(before, Context()))
    short, native = (FrontendAgent("h100", make_reward("frontend"), form) for form in ("kernels", "native"))
    assert answer_of(pair, native) == fenced(pair.after)
    assert answer_of(pair, short) == fenced(SHORT, "")
    converted = replace(pair, after=fenced(SHORT, ""), provenance={"form": "kernels"})
    assert answer_of(converted, short) == converted.after
    with pytest.raises(UserError, match=r"rollout\.form=kernels"):
        answer_of(converted, native)
    with pytest.raises(UserError, match="answered in the form kernels"):
        converted.modules()


def test_choices_are_learnt_by_agents_that_choose() -> None:
    discover()
    module = LowerInductor().run(import_source(PROGRAM, "double"), Context("h100"))
    pair = Pair.of_choice("double", Problem("double", PROGRAM), module, "cache-hints")
    chooses, writes = (MidendAgent("h100", make_reward("frontend"), action) for action in ("pipeline", "program"))
    assert answer_of(pair, chooses) == fenced("cache-hints", "")
    with pytest.raises(UserError, match=r"answers with a pipeline: train with rollout\.action=pipeline"):
        answer_of(pair, writes)


def test_a_judge_is_missed_before_anything_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "recipe=sft_grpo", f"out={tmp_path / 'run'}"]) == 2
    assert "reward.judge_weight=0.5 needs a judge" in capsys.readouterr().err


def test_pairs_that_a_form_has_no_words_for_are_left_out() -> None:
    discover()
    before = import_source(PROGRAM.replace("torch.relu(x) * 2", "torch.sort(x).values"), "double")
    pair = Pair.make("double", Problem("double", PROGRAM), "frontend", before, LowerInductor().run(before, Context()))
    assert answer_of(pair, FrontendAgent("h100", make_reward("frontend"), "kernels")) is None


def test_an_agent_without_a_policy_says_how_to_get_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "double.py"
    program.write_text(PROGRAM)
    assert main(["compile", str(program), f"out={tmp_path / 'run'}", "-p", "fe-agent"]) != 0
    assert "policy=NAME" in capsys.readouterr().err


def test_what_is_measured_with_is_not_learnt_from(tmp_path: Path) -> None:
    place = tmp_path / "problems.jsonl"
    write_rows(place, [Problem(f"p{seed}", generate_program(seed)) for seed in range(5)])
    names = {}
    for split in ("train", "test"):
        settings = read_train_settings([f"problems.place={place}", f"problems.split={split}"])
        modules = read_modules(settings.plain.problems, "frontend", "h100", settings)
        names[split] = {module.name for module in modules}
    assert (len(names["train"]), len(names["test"])) == (4, 1)
    assert not names["train"] & names["test"]


def test_options_of_the_chat_template_are_in_rows_to_learn_from(base: Path, tmp_path: Path) -> None:
    shutil.copytree(base, tmp_path / "base")
    tokenizer = AutoTokenizer.from_pretrained(base)
    tokenizer.chat_template += "{% if thinking %}hm{% endif %}"
    tokenizer.save_pretrained(tmp_path / "base")
    discover()
    before = import_source(PROGRAM, "double", shrink="never")
    pair = Pair.make(
        "p", Problem("p", PROGRAM, {}, "train"), "frontend", before, LowerInductor().run(before, Context())
    )
    write_rows(tmp_path / "pairs.jsonl", [pair])
    told = [f"pairs={tmp_path / 'pairs.jsonl'}", "rollout.form=native"]
    own = [*told, f"model={tmp_path / 'base'}", "max_tokens=20000"]
    with_policy = [*told, "trainer.pairs=1", f"policy.model={tmp_path / 'base'}", "policy.max_model_len=20000"]
    plain, thinking = (
        read_pair_rows(read_sft_settings([*own, *more])).train for more in ([], ["template.thinking=true"])
    )
    said = [tokenizer.decode(row.prompt).replace(" ", "") for row in (*plain, *thinking)]
    assert said[1] == f"{said[0]}hm" and thinking[0].response == plain[0].response
    beside = training._pairs(read_train_settings([*with_policy, "policy.template.thinking=true"]).plain)
    assert beside == thinking
