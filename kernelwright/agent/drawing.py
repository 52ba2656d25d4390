"""Answers as they end, drawn ahead of whoever takes them."""

import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue

from kernelwright.agent.policy import Answer, Completion, Policy, PolicyError, Prompt, Sampling, Streaming


def _nothing() -> None:
    """Nothing waits for the end."""


def _unseen(answer: Answer) -> None:
    """Nobody looks at answers before they are taken."""


def drawn(
    policy: Policy,
    prompts: Sequence[Prompt],
    sampling: Sampling,
    adapter: str | None = None,
    over: Callable[[], None] = _nothing,
    came: Callable[[Answer], None] = _unseen,
) -> Iterator[Answer]:
    """`sampling.n` answers to each prompt, as soon as the policy tells them; all at the end where it does not stream.

    A policy that streams is asked in a thread of its own: a taker that is slow with one answer holds up none. `over` is
    called when the policy has given its last answer, wherever the taker is, and `came` with each as it comes. Raises
    what the policy and they raise, and PolicyError for too few answers.
    """
    given: Counter[int] = Counter()
    for answer in _streamed(policy, prompts, sampling, adapter, over, came):
        given[answer[0]] += 1
        yield answer
    if given != dict.fromkeys(range(len(prompts)), sampling.n):
        counts = [given[index] for index in sorted(given)]
        raise PolicyError(f"the policy gave {counts} answers to {len(prompts)} prompts of {sampling.n}")


def _streamed(
    policy: Policy,
    prompts: Sequence[Prompt],
    sampling: Sampling,
    adapter: str | None,
    over: Callable[[], None],
    came: Callable[[Answer], None],
) -> Iterator[Answer]:
    if not isinstance(policy, Streaming):
        answers = _crosswise(policy.sample(prompts, sampling, adapter))
        over()
        for answer in answers:
            came(answer)
        yield from answers
        return
    stream = policy.stream(prompts, sampling, adapter)
    queue: SimpleQueue[Answer | BaseException | None] = SimpleQueue()
    left = threading.Event()

    def draw() -> None:
        with contextlib.closing(stream):
            try:
                for answer in stream:
                    came(answer)
                    queue.put(answer)
                    if left.is_set():
                        return
            except BaseException as error:  # noqa: BLE001 - raised where the answers are taken
                queue.put(error)
                return
        over()
        queue.put(None)

    threading.Thread(target=draw, name="draw", daemon=True).start()
    try:
        while (found := queue.get()) is not None:
            if isinstance(found, BaseException):
                raise found
            yield found
    finally:
        left.set()


def _crosswise(answers: Sequence[Sequence[Completion]]) -> list[Answer]:
    """First answers first: workers that judge them begin with different problems."""
    told = [(index, number, answer) for index, some in enumerate(answers) for number, answer in enumerate(some)]
    return sorted(told, key=lambda one: one[1])
