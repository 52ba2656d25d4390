"""Hugging Face models as a policy: tokens, processed log-probabilities, adapters, endings."""

import functools
import json
import math
import shutil
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tiny_model import load_adapted, make_adapter, make_model
from transformers import AutoModelForCausalLM, AutoTokenizer

from kernelwright.agent.policy import Completion, Message, PolicyError, Sampling
from kernelwright.driver.config.policies import PolicyKind, PolicySettings, open_policy
from kernelwright.ir.errors import UserError
from kernelwright.serve.canary import Side, SyncError, check_sync, gap_of, large_step
from kernelwright.serve.hf import HfPolicy, HfSettings, token_logprobs
from kernelwright.serve.sampling import processed_logprobs

PROMPTS = ((Message("user", "add two numbers"),), (Message("system", "be brief"), Message("user", "hi")))


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """A model this small gains nothing from more, and threads that wait for one another are slow on a busy machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def adapters(base: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("adapters")
    model = AutoModelForCausalLM.from_pretrained(base)
    return {name: make_adapter(model, folder / name, seed) for seed, name in enumerate(("frontend", "midend"), 1)}


@pytest.fixture
def policy(base: Path):
    with HfPolicy(HfSettings(model=str(base), dtype="float32", device="cpu", context=128, batch=3)) as made:
        yield made


def test_a_policy_of_one_device_takes_no_two(base: Path) -> None:
    chosen = PolicySettings(PolicyKind.hf, str(base), devices="0,1")
    with pytest.raises(UserError, match=r"policy\.devices=0,1: policy=hf takes one"), open_policy(chosen):
        pass


def test_options_reach_the_chat_template(base: Path, tmp_path: Path) -> None:
    shutil.copytree(base, tmp_path, dirs_exist_ok=True)
    tokenizer = AutoTokenizer.from_pretrained(base)
    tokenizer.chat_template += "{% if thinking %}hm{% endif %}"
    tokenizer.save_pretrained(tmp_path)
    prompt = (Message("user", "hello"),)
    asked = []
    for template in ({}, {"thinking": True}):
        with open_policy(PolicySettings(PolicyKind.hf, str(tmp_path), max_model_len=128, template=template)) as policy:
            ((answer,),) = policy.sample([prompt], Sampling(max_tokens=1))
            asked.append(answer.prompt_ids)
    plain, thinking = asked
    assert thinking == (*plain, *tokenizer("hm")["input_ids"]) != plain


def test_what_is_configured_is_drawn_at_a_time(base: Path) -> None:
    for given, drawn in ((None, 16), (5, 5)):
        with open_policy(PolicySettings(PolicyKind.hf, str(base), max_num_seqs=given)) as made:
            assert isinstance(made, HfPolicy) and made.settings.batch == drawn
    none = PolicySettings(PolicyKind.hf, str(base), max_num_seqs=0)
    with pytest.raises(UserError, match=r"policy\.max_num_seqs=0: out of range, at least 1"), open_policy(none):
        pass


def test_what_is_recorded_can_be_replayed(base: Path, tmp_path: Path) -> None:
    file, sampling = str(tmp_path / "answers.jsonl"), Sampling(n=2, max_tokens=5, seed=1)
    with open_policy(PolicySettings(PolicyKind.hf, str(base), max_model_len=128, record=file)) as drawing:
        answers = drawing.sample(PROMPTS, sampling)
    with open_policy(PolicySettings(PolicyKind.replay, path=file)) as replaying:
        assert replaying.sample(PROMPTS, sampling) == answers


def texts(answers: list[list[Completion]]) -> list[str]:
    return [one.text for group in answers for one in group]


def test_answers_carry_the_tokens_and_the_log_probabilities_they_were_drawn_with(base: Path, policy: HfPolicy) -> None:
    answers = policy.sample(PROMPTS, Sampling(n=2, max_tokens=12, seed=3))
    model = AutoModelForCausalLM.from_pretrained(base, dtype="float32")
    assert [len(group) for group in answers] == [2, 2]
    for group in answers:
        assert group[0].token_ids != group[1].token_ids
        assert group[0].prompt_ids == group[1].prompt_ids
        for one in group:
            assert 0 < len(one.token_ids) == len(one.logprobs) <= 12
            assert one.version == base.name
            expected = token_logprobs(model, one.prompt_ids, one.token_ids)
            assert one.logprobs == pytest.approx(expected, abs=1e-4)


def test_a_seed_gives_the_same_answers_again_and_none_gives_others(policy: HfPolicy) -> None:
    seeded = Sampling(n=2, max_tokens=16, seed=5)
    assert texts(policy.sample(PROMPTS, seeded)) == texts(policy.sample(PROMPTS, seeded))
    free = Sampling(n=2, max_tokens=16)
    assert texts(policy.sample(PROMPTS, free)) != texts(policy.sample(PROMPTS, free))


def test_greedy_answers_are_alike_whatever_stands_beside_them(policy: HfPolicy) -> None:
    greedy = Sampling(max_tokens=10, temperature=0)
    together = policy.sample(PROMPTS, greedy)
    alone = [policy.sample([prompt], greedy)[0] for prompt in PROMPTS]
    assert texts(together) == texts(alone)


def test_the_base_is_itself_as_soon_as_an_adapter_is_there(policy: HfPolicy, adapters: dict[str, Path]) -> None:
    sampling = Sampling(max_tokens=8, temperature=0)
    before = [one.logprobs for (one,) in policy.sample(PROMPTS, sampling)]
    policy.load_adapter("frontend", adapters["frontend"])
    assert [one.logprobs for (one,) in policy.sample(PROMPTS, sampling)] == before
    assert [one.logprobs for (one,) in policy.sample(PROMPTS, sampling, "frontend")] != before


Drawn = list[tuple[tuple[int, ...], tuple[float, ...]]]


def lines_of(policy: HfPolicy, adapter: str | None = None, max_tokens: int = 70) -> Drawn:
    prompts = [*PROMPTS, (Message("user", "add " * 40),)]
    found = policy.sample(prompts, Sampling(n=7, max_tokens=max_tokens, temperature=0), adapter)
    return [(one.token_ids, one.logprobs) for answers in found for one in answers]


def same_answers(base: Path, adapters: dict[str, Path], device: str) -> None:
    """Lanes of fixed size draw what others draw, with the base and with adapters, also in a batch that they outgrow."""
    held = HfSettings(str(base), "float32", device, context=256, batch=32)
    growing, fixed = (HfPolicy(replace(held, fixed=which)) for which in (False, True))
    for adapter in (None, "frontend", "midend", None, "frontend"):
        if adapter is not None:
            growing.load_adapter(adapter, adapters[adapter])
            fixed.load_adapter(adapter, adapters[adapter])
        found, expected = lines_of(fixed, adapter), lines_of(growing, adapter)
        for (tokens, logprobs), (others, theirs) in zip(found, expected, strict=True):
            assert tokens == others
            assert logprobs == pytest.approx(theirs, abs=1e-4)
    assert fixed._fixed is not None and growing._fixed is None
    before = fixed._fixed
    # As far as the context goes, which begins elsewhere for each prompt.
    found, expected = lines_of(fixed, max_tokens=400), lines_of(growing, max_tokens=400)
    assert [tokens for tokens, _ in found] == [tokens for tokens, _ in expected]
    assert max(len(tokens) for tokens, _ in found) > 200
    assert fixed._fixed is not before
    assert fixed._fixed is not None and fixed._fixed._fewer is not None  # for those that went on the longest
    growing.close()
    fixed.close()


def test_lanes_of_fixed_size_draw_the_same(base: Path, adapters: dict[str, Path]) -> None:
    same_answers(base, adapters, "cpu")


@pytest.mark.gpu
def test_graphs_draw_the_same(base: Path, adapters: dict[str, Path]) -> None:
    same_answers(base, adapters, "cuda")


def test_end_tokens_and_stop_strings_end_an_answer(base: Path, policy: HfPolicy, tmp_path: Path) -> None:
    ends = [257, *range(40, 120)]
    model = AutoModelForCausalLM.from_pretrained(base)
    model.generation_config.eos_token_id = ends
    for made in (model, AutoTokenizer.from_pretrained(base)):
        made.save_pretrained(tmp_path)
    with HfPolicy(HfSettings(model=str(tmp_path), device="cpu")) as ending:
        (answers,) = ending.sample(PROMPTS[:1], Sampling(n=8, max_tokens=40, seed=1))
    stopped = [one for one in answers if one.finish == "stop"]
    assert stopped
    assert all(one.token_ids[-1] in ends and not {*one.token_ids[:-1]} & {*ends} for one in stopped)
    assert len({len(one.token_ids) for one in answers}) > 2
    for one in answers:  # also those that went on when others had ended
        assert one.logprobs == pytest.approx(token_logprobs(model, one.prompt_ids, one.token_ids), abs=1e-4)
    sampling = Sampling(n=2, max_tokens=16, seed=1)
    whole = next(one for one in policy.sample(PROMPTS[:1], sampling)[0] if len(one.text) > 4)
    cut = policy.sample(PROMPTS[:1], replace(sampling, stop=(whole.text[3], "never")))[0]
    (same,) = [one for one in cut if whole.token_ids[: len(one.token_ids)] == one.token_ids]
    assert same.finish == "stop"
    assert same.text == whole.text[: whole.text.index(whole.text[3])]


def test_an_answer_is_cut_where_the_context_ends(policy: HfPolicy) -> None:
    (one,) = policy.sample([(Message("user", "x" * 100),)], Sampling(max_tokens=500, temperature=0))[0]
    assert len(one.prompt_ids) + len(one.token_ids) <= 128
    with pytest.raises(PolicyError, match=r"prompt 1 has \d+ tokens; the context of 128"):
        policy.sample([PROMPTS[0], (Message("user", "x" * 200),)], Sampling())


def test_two_adapters_answer_side_by_side_and_the_base_is_itself(
    policy: HfPolicy, base: Path, adapters: dict[str, Path]
) -> None:
    greedy = Sampling(max_tokens=16, temperature=0)
    plain = texts(policy.sample(PROMPTS, greedy))
    for name, folder in adapters.items():
        policy.load_adapter(name, folder)
    answers = {name: policy.sample(PROMPTS, greedy, name) for name in adapters}
    assert len({str(plain), *(str(texts(one)) for one in answers.values())}) == 3
    assert texts(policy.sample(PROMPTS, greedy)) == plain
    assert texts(policy.sample(PROMPTS, greedy, "frontend")) == texts(answers["frontend"])
    assert answers["midend"][0][0].version == f"{base.name}+midend@2"


def test_a_name_means_what_was_loaded_last(policy: HfPolicy, base: Path, adapters: dict[str, Path]) -> None:
    greedy = Sampling(max_tokens=16, temperature=0)
    policy.load_adapter("agent", adapters["frontend"])
    before = policy.sample(PROMPTS, greedy, "agent")
    policy.load_adapter("agent", adapters["midend"])
    after = policy.sample(PROMPTS, greedy, "agent")
    assert texts(before) != texts(after)
    assert (before[0][0].version, after[0][0].version) == (f"{base.name}+agent@1", f"{base.name}+agent@2")


def test_an_adapter_takes_the_place_of_one_without_asking_the_hub(
    policy: HfPolicy, adapters: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[object]()

    def refuse(*address: object, **_: object) -> None:
        asked.append(address)
        raise OSError("no network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    for name, folder in adapters.items():
        shutil.copytree(folder, tmp_path / name)
        config = json.loads((folder / "adapter_config.json").read_text()) | {"base_model_name_or_path": "someone/model"}
        (tmp_path / name / "adapter_config.json").write_text(json.dumps(config))
        policy.load_adapter("agent", tmp_path / name)
    assert not asked


def test_adapters_that_are_none_are_refused(policy: HfPolicy, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no LoRA adapter in"):
        policy.load_adapter("agent", tmp_path)
    with pytest.raises(UserError, match="no adapter `agent` is loaded"):
        policy.sample(PROMPTS, Sampling(), "agent")


def test_a_closed_policy_says_so(base: Path) -> None:
    policy = HfPolicy(HfSettings(model=str(base), device="cpu"))
    policy.close()
    policy.close()
    with pytest.raises(PolicyError, match="closed"):
        policy.sample(PROMPTS, Sampling())


def test_processed_log_probabilities_are_of_what_is_drawn() -> None:
    logits = torch.tensor([[4.0, 3.0, 1.0, -2.0]]).log()
    logits[0, 3] = math.log(0.5)
    plain = processed_logprobs(logits, 1.0, 1.0).exp()
    assert plain[0].tolist() == pytest.approx([4 / 8.5, 3 / 8.5, 1 / 8.5, 0.5 / 8.5])
    nucleus = processed_logprobs(logits, 1.0, 0.8).exp()
    assert nucleus[0].tolist() == pytest.approx([4 / 7, 3 / 7, 0, 0])
    assert processed_logprobs(logits, 1.0, 1e-6).exp()[0].tolist() == [1, 0, 0, 0]
    hot = processed_logprobs(logits, 2.0, 1.0)
    assert hot[0].tolist() == pytest.approx((logits / 2).log_softmax(-1)[0].tolist())


def test_the_canary_is_quiet_when_the_policy_follows_and_cries_when_it_does_not(
    policy: HfPolicy, base: Path, adapters: dict[str, Path], tmp_path: Path
) -> None:
    after = large_step(adapters["frontend"], tmp_path / "after", scale=0.5)
    sides = [
        Side(folder, functools.partial(token_logprobs, load_adapted(base, folder)))
        for folder in (adapters["frontend"], after)
    ]
    report = check_sync(policy, "agent", PROMPTS, *sides)
    assert report.baseline.mean < 1e-3
    assert report.stepped.mean < 1e-3
    assert report.stale.mean > 0.1
    assert "agent@2" in str(report)

    class Stale:
        """A policy that keeps the first adapter it was given."""

        def sample(self, prompts, sampling, adapter=None):
            return policy.sample(prompts, sampling, adapter)

        def load_adapter(self, adapter: str, _: Path) -> None:
            policy.load_adapter(adapter, adapters["frontend"])

        def close(self) -> None: ...

    with pytest.raises(SyncError, match="does not have the trainer's weights"):
        check_sync(Stale(), "agent", PROMPTS, *sides)
    with pytest.raises(UserError, match="too small to tell"):
        check_sync(policy, "agent", PROMPTS, sides[0], sides[0])


def test_the_canary_wants_log_probabilities() -> None:
    with pytest.raises(PolicyError, match="tells no log-probabilities"):
        gap_of([Completion("text", "stop", "server")], lambda *_: [])
