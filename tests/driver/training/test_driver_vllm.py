"""SmolLM2 in a real vLLM engine: warm start, both stages trained by it, a trainer that is killed, an engine that is.

One test, because engines and the model are most of its time; an engine for the run that is killed, another for all that
comes after it. It makes the model in the cache folder where it is not there yet, which takes another minute.
"""

import functools
import json
import os
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import torch
from rich.console import Console

from kernelwright.agent.policy import Completion, Message, PolicyError, Sampling
from kernelwright.driver.cli import main
from kernelwright.driver.config.train_settings import read_train_settings
from kernelwright.driver.training.run import run_train
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import Context
from kernelwright.rl.data.rows import Cursor, Pair, Problem, write_rows
from kernelwright.rl.trainer.checkpoint import latest_checkpoint
from kernelwright.rl.trainer.learner import LoraSettings, open_model
from kernelwright.rl.trainer.run_log import read_metrics
from kernelwright.serve.adapters import adapter_folder
from kernelwright.serve.base import CHATML, fetch_base
from kernelwright.serve.canary import gap_of, large_step
from kernelwright.serve.hf import HfPolicy, HfSettings, token_logprobs
from kernelwright.serve.sampling import processed_logprobs
from kernelwright.serve.vllm_engine import VllmPolicy, VllmSettings

pytest.importorskip("vllm", reason="vLLM is not installed")

PROMPTS = ((Message("user", "What is two plus two?"),), (Message("user", "Name a colour."),))
GREEDY = Sampling(max_tokens=4, temperature=0)
#: The model's own template but for one prompt, which says whether the engine has the template it was given.
TEMPLATE = CHATML + "{% if messages[-1]['content'] == 'ready?' %}Yes{% endif %}"
SETTINGS = VllmSettings(
    max_model_len=512,
    dtype="float32",
    enforce_eager=True,
    kv_cache_gb=1,
    max_lora_rank=16,
    max_num_seqs=16,
    threads=2,
    options={"max_num_batched_tokens": 512},
    template={"chat_template": TEMPLATE},
)
#: The smallest programs: prompts are short, and so is what is learnt from them.
PROGRAM = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1


def get_inputs():
    return [torch.randn(8)]
"""
PROBLEMS = {"add": PROGRAM, "scale": PROGRAM.replace("x + 1", "x * 3")}
SMALL = ("device=cpu", "trainer=small", "trainer.rank=8", "trainer.lr=1e-3")
FORMS = {"frontend": "rollout.form=kernels", "midend": "rollout.form=brief"}
#: Runs `run_train` with an engine of its own, whose process id it prints.
ALONE = """
import sys
sys.path.insert(0, {folder!r})
from test_driver_vllm import *
torch.set_num_threads(1)
with VllmPolicy(SETTINGS) as policy:
    print(policy.pid, flush=True)
    run_train(read_train_settings(sys.argv[1:]), Console(stderr=True), policy)
"""


def texts(answers: list[list[Completion]]) -> list[str]:
    return [one.text for group in answers for one in group]


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_agents_learn_from_what_a_real_engine_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = fetch_base("smollm")
    problems = tmp_path / "problems.jsonl"
    write_rows(problems, [Problem(name, source) for name, source in PROBLEMS.items()])
    start = warm_start(tmp_path, capsys)
    told = {
        "frontend": arguments("frontend", problems, "shipped:frontend", tmp_path / "frontend", tokens=64),
        "midend": arguments("midend", problems, str(start), tmp_path / "midend", tokens=4),
    }
    kill_after_a_step(told["frontend"], tmp_path / "frontend")
    with VllmPolicy(SETTINGS) as policy:
        engine = policy.pid
        for stage in ("frontend", "midend"):
            said = StringIO()
            run_train(read_train_settings(told[stage]), Console(file=said, width=1000), policy)
            begun = adapter_folder("shipped:frontend") if stage == "frontend" else start
            learnt(tmp_path / stage, begun, good=stage == "frontend")
            assert ("resuming from" in said.getvalue()) == (stage == "frontend")  # the one that was killed
        assert policy.sample(PROMPTS[:1], GREEDY, "frontend")[0][0].version == "smollm+frontend@4"
        serves(policy, base, tmp_path / "frontend" / "adapter", tmp_path)
        assert policy.pid == engine
        assert engine is not None
        os.kill(engine, signal.SIGKILL)
        with pytest.raises(PolicyError, match=r"vLLM's engine ended \(exit status -9\)"):
            policy.sample(PROMPTS, GREEDY)
        with pytest.raises(PolicyError, match="vLLM's engine has ended: make another policy"):
            run_train(read_train_settings(told["midend"]), Console(file=StringIO()), policy)
        found = latest_checkpoint(tmp_path / "midend" / "checkpoints")
        assert found is not None
        assert (found.step, found.damaged) == (2, ())


def warm_start(folder: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Three steps on one pair; the adapter."""
    before = import_source(PROGRAM, "add")
    after = LowerInductor().run(before, Context("h100"))
    pair = Pair.make("add", Problem("add", PROGRAM, {}, "train"), "frontend", before, after)
    write_rows(folder / "pairs.jsonl", [pair])
    told = [f"pairs={folder / 'pairs.jsonl'}", f"out={folder / 'sft'}", FORMS["frontend"], "epochs=3", "batch=1"]
    assert main(["sft", *told, *SMALL]) == 0
    capsys.readouterr()
    losses = [row["loss"] for row in read_metrics(folder / "sft")]
    assert len(losses) == 3
    assert losses[2] < losses[1] < losses[0]
    return folder / "sft" / "adapter"


def arguments(stage: str, problems: Path, start: str, out: Path, tokens: int) -> list[str]:
    """Two steps, one problem each, two trajectories of two turns. Answers of four tokens are worth nothing."""
    told = [f"stage={stage}", f"problems.place={problems}", "problems.split=null", "rollout.n=2", "rollout.turns=2"]
    told += [f"rollout.max_tokens={tokens}", "trainer.steps=2", "trainer.problems=1", f"adapter={start}", f"out={out}"]
    # Where all answers are worth the same, what moves the weights is the penalty, which is to the base model here.
    told += ["target=h100", "algorithm=grpo", "algorithm.kl=0.1", "algorithm.reference=base"]
    told += ["workers=1", "rollout.action=pipeline"]
    # An adapter that is sure of its answers has to be moved further until that shows in their first tokens.
    told += ["canary.prompts=1", "canary.n=1", "canary.max_tokens=4", "canary.scale=0.2"]
    told += ["reward=cost_model"] if stage == "midend" else []  # no rung measures times here
    return [*told, *SMALL, FORMS[stage]]


def kill_after_a_step(told: list[str], folder: Path) -> None:
    """Train in another process, and kill that when its first checkpoint is there; its engine goes with it."""
    script = ALONE.format(folder=str(Path(__file__).parent))
    command = [sys.executable, "-c", script, *told, "canary.enabled=false"]
    with (folder.parent / "killed.txt").open("w+") as errors:
        trainer = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        assert trainer.stdout is not None
        engine = trainer.stdout.readline()
        while not (folder / "checkpoints" / "step-00000001").exists():
            assert trainer.poll() is None, (errors.seek(0), errors.read())
            time.sleep(0.01)
        trainer.kill()
        assert trainer.wait() == -signal.SIGKILL
        trainer.stdout.close()
    deadline = time.monotonic() + 120
    while Path(f"/proc/{int(engine)}").exists():
        assert time.monotonic() < deadline, "the engine outlived its trainer"
        time.sleep(0.1)
    found = latest_checkpoint(folder / "checkpoints")
    assert found is not None
    assert found.step == 1


def learnt(folder: Path, start: Path, good: bool) -> None:
    """What a run of two steps leaves: both were taken, by an engine that had the trainer's weights at each, and that
    drew `good` answers, some of which are verified, or none that can be read."""
    rows = read_metrics(folder)
    assert [row["step"] for row in rows] == [0, 1]
    assert [row["problems"] for row in rows] == [list(Cursor(list(PROBLEMS), 1, 0).batch_of(step)) for step in (0, 1)]
    for row in rows:
        assert (row["turns"], row["faults"], row["kept_rows"]) == (4, 0, 4)
        assert row["correct"] > 0 if good else row["status/unparsed"] == 1.0
        assert row["mismatch"] < 0.01
        assert row["kl"] > 0
        assert row["grad_norm"] > 0
    canary = json.loads((folder / "canary.json").read_text())
    assert canary["baseline"]["mean"] < 0.01
    assert canary["stepped"]["mean"] < 0.01
    assert canary["stale"]["mean"] > 0.1
    found = latest_checkpoint(folder / "checkpoints")
    assert found is not None
    assert (found.step, found.damaged) == (2, ())
    name = "adapter_model.safetensors"
    assert (folder / "adapter" / name).read_bytes() != (start / name).read_bytes()
    assert (folder / "plot.svg").is_file()


def serves(policy: VllmPolicy, base: Path, adapter: Path, scratch: Path) -> None:
    """Tokens and log-probabilities, the base beside two adapters, one of them swapped while the other stays."""
    with HfPolicy(HfSettings(dtype="float32", device="cpu")) as plain:
        expected = plain.sample(PROMPTS, GREEDY)
        asked = (Message("user", "ready?"),)
        ((unled,),) = plain.sample([asked], GREEDY)
    ((led,),) = policy.sample([asked], GREEDY)
    assert led.prompt_ids[:-1] == unled.prompt_ids  # `TEMPLATE` begins the answer with one token
    sampling = Sampling(n=2, max_tokens=6, temperature=0.8, top_p=0.9, seed=7)
    policy.load_adapter("frontend", adapter)
    drawn = policy.sample(PROMPTS, sampling, "frontend")
    for group in drawn:
        assert len(group) == 2
        for one in group:
            assert 0 < len(one.token_ids) == len(one.logprobs) <= 6
            assert all(value <= 0 for value in one.logprobs)
    assert drawn[0][0].prompt_ids == expected[0][0].prompt_ids
    assert texts(drawn) == texts(policy.sample(PROMPTS, sampling, "frontend"))
    # More to read than one step holds, so that one of these prompts would be read in two parts.
    long = [(Message("user", f"{number} " * 200),) for number in range(4)]
    read = [len(one.prompt_ids) for group in policy.sample(long, sampling) for one in group]
    assert len(read) == sampling.n * len(long)
    assert all(256 < tokens < 512 for tokens in read)
    # Log-probabilities are those that tokens were drawn with: after temperature and top-p, not before.
    is_processed(drawn[0][0], open_model(base, LoraSettings(), adapter)[0].eval(), sampling)

    first, second = (large_step(adapter, scratch / f"far{seed}", seed=seed) for seed in (1, 2))
    policy.load_adapter("frontend", first)
    policy.load_adapter("midend", second)
    answers = {name: texts(policy.sample(PROMPTS, GREEDY, name)) for name in (None, "frontend", "midend")}
    assert len({tuple(one) for one in answers.values()}) == 3
    assert answers[None] == texts(expected)  # the base is the base, whatever else is loaded
    policy.load_adapter("frontend", adapter)
    assert texts(policy.sample(PROMPTS, GREEDY, "frontend")) != answers["frontend"]
    (midend, *_) = policy.sample(PROMPTS, GREEDY, "midend")
    assert midend[0].text == answers["midend"][0]
    other = open_model(base, LoraSettings(), second)[0].eval()
    assert gap_of(midend, functools.partial(token_logprobs, other)).mean < 0.01

    with pytest.raises(UserError, match="no room for adapter `third`"):
        policy.load_adapter("third", adapter)
    with pytest.raises(PolicyError, match=r"prompt 0 has \d+ tokens; the context of 512"):
        policy.sample([(Message("user", "word " * 600),)], GREEDY)


def is_processed(one: Completion, model: Any, sampling: Sampling) -> None:
    """Whether an answer's log-probabilities are the model's after the sampling's temperature and top-p."""
    ids = torch.tensor([[*one.prompt_ids, *one.token_ids]])
    with torch.inference_mode():
        logits = model(ids).logits[0, len(one.prompt_ids) - 1 : -1]
    processed = processed_logprobs(logits, sampling.temperature, sampling.top_p)
    expected = processed.gather(-1, torch.tensor(one.token_ids)[:, None])[:, 0].tolist()
    assert one.logprobs == pytest.approx(expected, abs=0.02)
