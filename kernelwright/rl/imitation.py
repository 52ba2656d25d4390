"""Answers that were better than the others of their group, kept to be learnt by heart as well (self-imitation).

A policy gradient learns a good answer once, by a small step. What is rare is worth more than that: rows whose advantage
was positive are drawn again and again, in proportion to it, and their likelihood is raised (Oh et al., 2018, whose
weight is the positive part of return - baseline). Answers to problems that are solved have no advantage; rehearsed with
a weight of their own they keep what is known from being forgotten over what is new.
"""

import heapq
import json
import math
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

from kernelwright.rl.packing import Row

#: Prompts whose answers are kept: some 30 MB of a checkpoint.
MOST = 8_000
_FILE = "good_answers.json"


class GoodAnswers:
    """Of the `most` prompts that came last, the good answers to each, and their weights."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._kept: dict[tuple[int, ...], dict[tuple[int, ...], float]] = {}

    def record(self, rows: Sequence[Row], weights: Iterable[float]) -> None:
        """Keep what is good in a batch; for a prompt that has some it takes the place of what there was."""
        better: dict[tuple[int, ...], dict[tuple[int, ...], float]] = {}
        for row, weight in zip(rows, weights, strict=True):
            if weight > 0:
                better.setdefault(row.prompt, {})[row.response] = weight
        for prompt, answers in better.items():
            self._kept.pop(prompt, None)
            self._kept[prompt] = answers
        for prompt in list(self._kept)[: max(0, len(self._kept) - self._most)]:
            del self._kept[prompt]

    def drawn(self, count: int, seed: str) -> list[Row]:
        """So many rows, or all there are: by weight, without replacement (Efraimidis and Spirakis, 2006)."""
        draw = random.Random(seed).random
        keyed = (
            (math.log(1 - draw()) / weight, prompt, answer)
            for prompt, answers in self._kept.items()
            for answer, weight in answers.items()
        )
        return [Row(prompt, answer) for _, prompt, answer in heapq.nlargest(count, keyed)]

    def save(self, folder: Path) -> None:
        """Write them into a checkpoint's folder."""
        content = [[prompt, list(answers.items())] for prompt, answers in self._kept.items()]
        (folder / _FILE).write_text(json.dumps(content), "utf-8")

    def load(self, folder: Path) -> None:
        """Go on from what `save` wrote; with none where nothing was kept then."""
        path = folder / _FILE
        content = json.loads(path.read_text("utf-8")) if path.is_file() else []
        self._kept = {tuple(prompt): {tuple(one): value for one, value in answers} for prompt, answers in content}
