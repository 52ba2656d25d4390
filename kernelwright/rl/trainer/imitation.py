"""Answers that were better than the others of their group, kept to be learnt by heart as well (self-imitation).

A policy gradient learns a good answer once, by a small step. What is rare is worth more than that: rows whose advantage
was positive are drawn again and again, in proportion to it, and their likelihood is raised (Oh et al., 2018, whose
weight is the positive part of return - baseline). Answers to problems that are solved have no advantage; rehearsed with
a weight of their own they keep what is known from being forgotten over what is new. As with pairs there is one form of
an answer to each prompt: to be taught several would make a policy less sure of each.
"""

import heapq
import json
import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from kernelwright.rl.trainer.packing import Example

#: Prompts whose answers are kept: some 30 MB of a checkpoint.
MOST = 8_000
_FILE = "good_answers.json"


class GoodAnswers:
    """Of the `most` prompts that came last, a good answer to each, and its weight."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._kept: dict[tuple[int, ...], tuple[tuple[int, ...], float]] = {}

    def record(self, rows: Sequence[Example], weights: Iterable[float]) -> None:
        """Keep what is good in a batch, to each prompt one answer of the greatest weight: that which is kept already,
        where it came again, else that which came most often."""
        came: dict[tuple[int, ...], Counter[tuple[float, tuple[int, ...]]]] = {}
        for row, weight in zip(rows, weights, strict=True):
            if weight > 0:
                came.setdefault(row.prompt, Counter())[weight, row.response] += 1
        for prompt, answers in came.items():
            before, _ = self._kept.pop(prompt, ((), 0.0))
            weight, answer = max(answers, key=lambda one: (one[0], one[1] == before, answers[one]))
            self._kept[prompt] = answer, weight
        for prompt in list(self._kept)[: max(0, len(self._kept) - self._most)]:
            del self._kept[prompt]

    def drawn(self, count: int, seed: str) -> list[Example]:
        """So many rows, or all there are: by weight, without replacement (Efraimidis and Spirakis, 2006)."""
        draw = random.Random(seed).random
        keyed = ((math.log(1 - draw()) / weight, prompt, answer) for prompt, (answer, weight) in self._kept.items())
        return [Example(prompt, answer) for _, prompt, answer in heapq.nlargest(count, keyed)]

    def save(self, folder: Path) -> None:
        """Write them into a checkpoint's folder."""
        content = [[prompt, answer, weight] for prompt, (answer, weight) in self._kept.items()]
        (folder / _FILE).write_text(json.dumps(content), "utf-8")

    def load(self, folder: Path) -> None:
        """Go on from what `save` wrote; with none where nothing was kept then."""
        path = folder / _FILE
        content = json.loads(path.read_text("utf-8")) if path.is_file() else []
        self._kept = {tuple(prompt): (tuple(answer), weight) for prompt, answer, weight in content}
