"""Policies, which answer prompts. Needs neither torch nor vllm."""

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from kernelwright.ir.errors import KernelwrightError


class PolicyError(KernelwrightError):
    """A policy that cannot answer: its server is gone, its budget is spent, nothing was recorded."""


class PromptTooLongError(PolicyError):
    """Prompts that leave no room for an answer: the problems' fault, others can still be answered.

    `places` are theirs among the prompts that were asked.
    """

    def __init__(self, message: str, places: Sequence[int] = ()) -> None:
        super().__init__(message)
        self.places = tuple(places)


@dataclass(frozen=True)
class Message:
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


#: What a policy is asked: a chat that ends with a user's message.
Prompt = tuple[Message, ...]


@dataclass(frozen=True)
class Sampling:
    """How answers are drawn: `n` for each prompt, each of at most `max_tokens` tokens.

    `temperature` 0 takes the likeliest token. `seed` None draws other answers each time.
    """

    n: int = 1
    max_tokens: int = 2048
    temperature: float = 1.0
    top_p: float = 1.0
    stop: tuple[str, ...] = ()
    seed: int | None = None


@dataclass(frozen=True)
class Completion:
    """One answer, with its tokens if the policy gives them.

    `token_ids` (T,) end with the token that ended it, `logprobs` (T,) are natural logarithms of the probabilities that
    the tokens were drawn with: after temperature and top-p. `version` names the weights: base, adapter and its number.
    """

    text: str
    finish: Literal["stop", "length"]
    version: str
    prompt_ids: tuple[int, ...] = ()
    token_ids: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()


class Policy(Protocol):
    """Answers prompts; close it when done, or use it as a context manager where it is one."""

    def sample(
        self, prompts: Sequence[Prompt], sampling: Sampling, adapter: str | None = None
    ) -> list[list[Completion]]:
        """`sampling.n` answers to each prompt, in order, by the base model or one of its adapters.

        Raises PolicyError where it cannot answer, UserError for an adapter that it does not have.
        """
        ...

    def load_adapter(self, adapter: str, folder: Path) -> None:
        """Load the LoRA adapter in a folder (as peft saves adapters) under a name, in place of an earlier one.

        Raises UserError for a policy without adapters and for a folder without one.
        """
        ...

    def close(self) -> None:
        """Give back what it holds; idempotent."""
        ...


#: An answer with the index of its prompt and its number among the answers to that prompt.
Answer = tuple[int, int, Completion]


@runtime_checkable
class Streaming(Protocol):
    """A policy that gives each answer as soon as it has ended."""

    def stream(self, prompts: Sequence[Prompt], sampling: Sampling, adapter: str | None = None) -> Generator[Answer]:
        """The answers of `Policy.sample`, in the order in which they end. Raises as it does.

        To stop early, close the generator; after that the policy may have to be made anew.
        """
        ...


def in_order(answers: Iterable[Answer], prompts: int) -> list[list[Completion]]:
    """What `Policy.sample` gives, from what `Streaming.stream` does."""
    found: list[dict[int, Completion]] = [{} for _ in range(prompts)]
    for index, number, answer in answers:
        found[index][number] = answer
    return [[some[number] for number in sorted(some)] for some in found]
