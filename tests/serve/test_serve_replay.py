"""Recorded and scripted answers."""

import json
from pathlib import Path

import pytest

from kernelwright.agent.policy import Completion, Message, PolicyError, Sampling
from kernelwright.ir.errors import UserError
from kernelwright.serve.replay import RecordingPolicy, ReplayPolicy, ScriptedPolicy, prompt_digest

FIRST, SECOND = (Message("user", "first\n one"),), (Message("system", "s"), Message("user", "second"))


class Counting:
    """Answers with how many answers it has given."""

    def __init__(self) -> None:
        self.count, self.loaded, self.closed = 0, {}, False

    def sample(self, prompts, sampling, adapter=None):
        return [[self._one(adapter) for _ in range(sampling.n)] for _ in prompts]

    def _one(self, adapter: str | None) -> Completion:
        self.count += 1
        return Completion(f"answer {self.count} é", "length", f"base+{adapter}", (1, 2), (3, self.count), (-0.5, -1.25))

    def load_adapter(self, adapter: str, folder: Path) -> None:
        self.loaded[adapter] = folder

    def close(self) -> None:
        self.closed = True


def test_what_was_recorded_comes_back_in_order(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "answers.jsonl"
    inner = Counting()
    with RecordingPolicy(inner, path) as recording:
        recording.load_adapter("agent", tmp_path)
        first = recording.sample([FIRST, SECOND], Sampling(n=2), "agent")
        again = recording.sample([FIRST], Sampling(n=2), "agent")
    assert inner.loaded == {"agent": tmp_path}
    assert inner.closed
    replay = ReplayPolicy(path)
    replay.load_adapter("agent", tmp_path)
    assert replay.sample([SECOND, FIRST], Sampling(n=2), "agent") == first[::-1]
    assert replay.sample([FIRST], Sampling(n=1), "agent") == [again[0][:1]]
    replay.close()


def test_the_same_adapter_and_seed_answer_first(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    with RecordingPolicy(Counting(), path) as recording:
        one, two, three = (
            recording.sample([FIRST], Sampling(seed=seed), name) for seed, name in ((0, "a"), (1, "a"), (1, "b"))
        )
    replay = ReplayPolicy(path)
    assert replay.sample([FIRST], Sampling(seed=1), "b") == three
    assert replay.sample([FIRST], Sampling(seed=1), "a") == two
    assert replay.sample([FIRST], Sampling(seed=9)) == one


def test_a_recording_is_continued_and_says_what_was_asked(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    for _ in range(2):
        RecordingPolicy(Counting(), path).sample([FIRST], Sampling(max_tokens=7))
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(records) == 2
    assert records[0]["prompt"] == prompt_digest(FIRST) != prompt_digest(SECOND)
    assert (records[0]["asks"], records[0]["sampling"]["max_tokens"]) == ("first one", 7)


def test_a_missing_record_is_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    RecordingPolicy(Counting(), path).sample([FIRST], Sampling(n=2))
    replay = ReplayPolicy(path)
    with pytest.raises(PolicyError, match=f"recorded for prompt {prompt_digest(SECOND)}: second"):
        replay.sample([SECOND], Sampling())
    with pytest.raises(PolicyError, match=r"2 answers were recorded .* not 3"):
        replay.sample([FIRST], Sampling(n=3))
    with pytest.raises(PolicyError, match=r"nothing \(more\) was recorded"):
        replay.sample([FIRST], Sampling())


def test_a_file_that_is_no_recording_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no recording in"):
        ReplayPolicy(tmp_path / "none.jsonl")
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"prompt": "a", "completions": []}\n{"prompt": 1\n')
    with pytest.raises(UserError, match=r"bad\.jsonl:2 is no recorded answer; a line of a recording has prompt"):
        ReplayPolicy(bad)


def test_a_script_answers_prompt_by_prompt(tmp_path: Path) -> None:
    policy = ScriptedPolicy([["a", "b"], ["c"], ["d"]])
    policy.load_adapter("agent", tmp_path)
    ((a, b),) = policy.sample([FIRST], Sampling(n=2), "agent")
    assert (a.text, b.text, a.finish, a.version) == ("a", "b", "stop", "script+agent")
    with pytest.raises(PolicyError, match="the script has 1 answers to prompt 2, not 2"):
        policy.sample([SECOND], Sampling(n=2))
    assert policy.sample([SECOND], Sampling())[0][0].text == "d"
    with pytest.raises(PolicyError, match="the script ended before prompt 4: first one"):
        policy.sample([FIRST], Sampling())
    assert policy.prompts == [FIRST, SECOND, SECOND, FIRST]
    assert policy.adapters == {"agent": tmp_path}
