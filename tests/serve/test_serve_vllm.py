"""SmolLM2 in a real vLLM engine: tokens and log-probabilities, adapters side by side, swapped in place, no restart.

One test, because the engine and the model are most of its time. It makes the model in the cache folder where it is
not there yet, which takes another minute.
"""

import functools
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny_model import load_adapted, make_adapter
from transformers import AutoModelForCausalLM

from kernelwright.agent.policy import Completion, Message, PolicyError, Sampling
from kernelwright.ir.errors import UserError
from kernelwright.serve.base import fetch_base
from kernelwright.serve.canary import Side, check_sync, gap_of, large_step
from kernelwright.serve.hf import HfPolicy, HfSettings, processed_logprobs, token_logprobs
from kernelwright.serve.vllm_engine import VllmPolicy, VllmSettings

pytest.importorskip("vllm", reason="vLLM is not installed")

PROMPTS = ((Message("user", "What is two plus two?"),), (Message("user", "Name a colour."),))
GREEDY = Sampling(max_tokens=6, temperature=0)
SETTINGS = VllmSettings(
    max_model_len=512, dtype="float32", enforce_eager=True, kv_cache_gb=1, max_lora_rank=8, max_num_seqs=16, threads=2
)


def texts(answers: list[list[Completion]]) -> list[str]:
    return [one.text for group in answers for one in group]


@pytest.mark.slow
def test_one_engine_serves_two_agents(tmp_path: Path) -> None:
    base = fetch_base("smollm")
    with HfPolicy(HfSettings(dtype="float32", device="cpu")) as plain:
        expected = plain.sample(PROMPTS, GREEDY)
    first = make_adapter(_model(base), tmp_path / "first", seed=1, scale=0.05)
    second = make_adapter(_model(base), tmp_path / "second", seed=2, scale=0.05)
    far = large_step(first, tmp_path / "far")
    with VllmPolicy(SETTINGS, {"frontend": first}) as policy:
        engine = policy.pid
        sampling = Sampling(n=2, max_tokens=8, temperature=0.8, top_p=0.9, seed=7)
        drawn = policy.sample(PROMPTS, sampling, "frontend")
        for group in drawn:
            assert len(group) == 2
            for one in group:
                assert 0 < len(one.token_ids) == len(one.logprobs) <= 8
                assert all(value <= 0 for value in one.logprobs)
                assert one.version == "smollm+frontend@1"
        assert drawn[0][0].prompt_ids == expected[0][0].prompt_ids
        assert texts(drawn) == texts(policy.sample(PROMPTS, sampling, "frontend"))
        # Log-probabilities are those that tokens were drawn with: after temperature and top-p, not before.
        _is_processed(drawn[0][0], load_adapted(base, first), sampling)

        policy.load_adapter("midend", second)
        answers = {name: texts(policy.sample(PROMPTS, GREEDY, name)) for name in (None, "frontend", "midend")}
        assert len({tuple(one) for one in answers.values()}) == 3
        assert answers[None] == texts(expected)  # the base is the base, whatever else is loaded
        assert texts(policy.sample(PROMPTS, GREEDY, "frontend")) == answers["frontend"]

        sides = [Side(one, functools.partial(token_logprobs, load_adapted(base, one))) for one in (first, far)]
        report = check_sync(policy, "frontend", PROMPTS, *sides, max_tokens=8)
        print(report)  # noqa: T201 - the figures of this machine, with -s
        assert report.baseline.mean < 0.01
        assert report.stepped.mean < 0.01
        assert report.stale.mean > 0.2
        assert texts(policy.sample(PROMPTS, GREEDY, "frontend")) != answers["frontend"]
        # The other adapter is as it was, and nothing was started again.
        (midend, *_) = policy.sample(PROMPTS, GREEDY, "midend")
        assert midend[0].text == answers["midend"][0]
        assert gap_of(midend, functools.partial(token_logprobs, load_adapted(base, second))).mean < 0.01
        assert policy.pid == engine

        with pytest.raises(UserError, match="no room for adapter `third`"):
            policy.load_adapter("third", first)
        with pytest.raises(PolicyError, match=r"prompt 0 has \d+ tokens; the context of 512"):
            policy.sample([(Message("user", "word " * 600),)], GREEDY)
    assert not Path(f"/proc/{engine}").exists()
    with pytest.raises(PolicyError, match="closed"):
        policy.sample(PROMPTS, GREEDY)


def _model(base: Path) -> Any:
    return AutoModelForCausalLM.from_pretrained(base, dtype="float32")


def _is_processed(one: Completion, model: Any, sampling: Sampling) -> None:
    """Whether an answer's log-probabilities are the model's after the sampling's temperature and top-p."""
    ids = torch.tensor([[*one.prompt_ids, *one.token_ids]])
    with torch.inference_mode():
        logits = model(ids).logits[0, len(one.prompt_ids) - 1 : -1]
    processed = processed_logprobs(logits, sampling.temperature, sampling.top_p)
    expected = processed.gather(-1, torch.tensor(one.token_ids)[:, None])[:, 0].tolist()
    assert one.logprobs == pytest.approx(expected, abs=0.02)
