"""Answers recorded before, and answers written down by hand: policies that need no model."""

import hashlib
import json
import threading
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kernelwright.agent.policy import Completion, Policy, PolicyError, Prompt, Sampling
from kernelwright.ir.errors import UserError
from kernelwright.serve.closing import Closing

#: Hexadecimal digits of a prompt's digest.
_DIGITS = 32
#: How answers were drawn, by adapter and seed, and the answers.
_Recorded = tuple[tuple[str | None, int | None], list[Completion]]


def prompt_digest(prompt: Prompt) -> str:
    """What stands for a prompt in a recording: a digest of roles and contents."""
    text = json.dumps([[message.role, message.content] for message in prompt], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


class RecordingPolicy(Closing):
    """Passes everything on to another policy, which it owns, and appends each prompt's answers to a JSONL file.

    A line holds the prompt's digest, how its message began, the sampling, the adapter and the completions.
    """

    def __init__(self, inner: Policy, path: Path) -> None:
        self._inner, self._path = inner, path
        self._lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)

    def sample(
        self, prompts: Sequence[Prompt], sampling: Sampling, adapter: str | None = None
    ) -> list[list[Completion]]:
        answers = self._inner.sample(prompts, sampling, adapter)
        lines = [
            json.dumps(
                {
                    "prompt": prompt_digest(prompt),
                    "asks": _beginning(prompt),
                    "sampling": asdict(sampling),
                    "adapter": adapter,
                    "completions": [asdict(one) for one in group],
                }
            )
            for prompt, group in zip(prompts, answers, strict=True)
        ]
        with self._lock, self._path.open("a") as stream:
            stream.writelines(f"{line}\n" for line in lines)
        return answers

    def load_adapter(self, adapter: str, folder: Path) -> None:
        self._inner.load_adapter(adapter, folder)

    def close(self) -> None:
        self._inner.close()


def read_recording(path: Path) -> defaultdict[str, list[_Recorded]]:
    """The answers of a file by the digests of their prompts. Raises UserError for a file that is no recording."""
    found: defaultdict[str, list[_Recorded]] = defaultdict(list)
    for number, line in enumerate(_lines(path), 1):
        try:
            record = json.loads(line)
            answers = [_completion(one) for one in record["completions"]]
            drawn = record.get("adapter"), record.get("sampling", {}).get("seed")
            found[record["prompt"]].append((drawn, answers))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError(
                f"{path}:{number} is no recorded answer; a line of a recording has prompt (a digest), sampling, "
                "adapter and completions, as policy.record=FILE writes them"
            ) from error
    return found


class ReplayPolicy:
    """Answers each prompt with what was recorded for it; every record is given once.

    Of several records the first with the same adapter and seed answers, else the first. Adapters may be loaded and
    named; the answers are those recorded. Raises UserError for a file that is no recording; PolicyError, naming the
    prompt, where nothing or too little was recorded for it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._answers = read_recording(path)
        self._lock = threading.Lock()

    def sample(
        self,
        prompts: Sequence[Prompt],
        sampling: Sampling,
        adapter: str | None = None,
    ) -> list[list[Completion]]:
        with self._lock:
            return [self._next(prompt, sampling.n, (adapter, sampling.seed)) for prompt in prompts]

    def load_adapter(self, adapter: str, folder: Path) -> None:
        """Nothing to load: what the adapter answered is recorded."""

    def close(self) -> None:
        """Nothing to give back."""

    def _next(self, prompt: Prompt, n: int, drawn: tuple[str | None, int | None]) -> list[Completion]:
        digest = prompt_digest(prompt)
        left = self._answers[digest]
        if not left:
            raise PolicyError(f"{self._path}: nothing (more) was recorded for prompt {digest}: {_beginning(prompt)}")
        same = (place for place, (how, _) in enumerate(left) if how == drawn)
        _, answers = left.pop(next(same, 0))
        if len(answers) < n:
            raise PolicyError(f"{self._path}: {len(answers)} answers were recorded for prompt {digest}, not {n}")
        return answers[:n]


class ScriptedPolicy:
    """Answers written down: one list of texts for each prompt, in the order in which prompts come.

    Raises PolicyError where the script has ended, or has fewer texts for a prompt than are asked for. `prompts` are
    those asked so far, `adapters` the folders loaded.
    """

    def __init__(self, script: Sequence[Sequence[str]]) -> None:
        self._script = deque(tuple(texts) for texts in script)
        self._lock = threading.Lock()
        self.prompts: list[Prompt] = []
        self.adapters: dict[str, Path] = {}

    def sample(
        self, prompts: Sequence[Prompt], sampling: Sampling, adapter: str | None = None
    ) -> list[list[Completion]]:
        with self._lock:
            return [self._next(prompt, sampling.n, adapter) for prompt in prompts]

    def load_adapter(self, adapter: str, folder: Path) -> None:
        self.adapters[adapter] = folder

    def close(self) -> None:
        """Nothing to give back."""

    def _next(self, prompt: Prompt, n: int, adapter: str | None) -> list[Completion]:
        self.prompts.append(prompt)
        if not self._script:
            raise PolicyError(f"the script ended before prompt {len(self.prompts)}: {_beginning(prompt)}")
        texts = self._script.popleft()
        if len(texts) < n:
            raise PolicyError(f"the script has {len(texts)} answers to prompt {len(self.prompts)}, not {n}")
        named = "script" if adapter is None else f"script+{adapter}"
        return [Completion(text=text, finish="stop", version=named) for text in texts[:n]]


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"no recording in {path}: {error}") from None


def _beginning(prompt: Prompt) -> str:
    """How the last message of a prompt begins, on one line."""
    return " ".join(prompt[-1].content.split())[:80] if prompt else ""


def _completion(record: dict[str, Any]) -> Completion:
    return Completion(
        text=record["text"],
        finish=record["finish"],
        version=record["version"],
        prompt_ids=tuple(record["prompt_ids"]),
        token_ids=tuple(record["token_ids"]),
        logprobs=tuple(record["logprobs"]),
    )
