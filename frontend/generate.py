"""Random PyTorch programs in KernelBench's format: test cases and training data.

A program is grown value by value. Each step proposes an expression (`operations`), runs it, and keeps it if
it works, stays small and is numerically sane.

Seeds below HELD_OUT are for training and development, those from it on are for measuring: nothing is to learn from a
program with such a seed, whatever its difficulty. Of the others, one normal form in five is left out of what is learnt
from as well (`rl/data/contamination.py`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from kernelwright.frontend.harder_operations import HARDER
from kernelwright.frontend.operations import (
    OPERATIONS,
    along,
    binary,
    normalization,
    product,
    reduction,
    scale,
    unary,
)
from kernelwright.frontend.program_text import model_text
from kernelwright.frontend.proposals import LARGEST_VALUE, SIZES, Operation, ProgramSampler, Proposal, Value, is_sane
from kernelwright.ir.errors import check_choice

#: Changes whenever a seed gives another program than before.
VERSION = 2


@dataclass(frozen=True)
class Difficulty:
    """What a level asks for.

    `operations` is the range of how many, `inputs` are numbers to choose from. `harder` weighs the harder operations
    against the plain ones, `other_dtypes` is the share of inputs that are not float32. `returned` values that nothing
    else reads are returned besides the last, at most. `pruned`: what no output depends on is left out. `axes` are
    numbers of axes to choose from, `sizes` those of one axis; those `without` are not drawn. Values have at most
    `largest` elements, and the shape of the inputs at least `least`.
    """

    operations: tuple[int, int] = (2, 8)
    inputs: tuple[int, ...] = (1, 1, 2, 2, 3)
    harder: float = 0.0
    other_dtypes: float = 0.0
    returned: int = 3
    attempts: int = 200
    pruned: bool = True
    axes: tuple[int, ...] = (1, 2, 2, 3, 3, 4, 4)
    sizes: tuple[int, ...] = SIZES
    without: tuple[Operation, ...] = ()
    largest: int = LARGEST_VALUE
    least: int = 1

    def drawn(self) -> Mapping[Operation, float]:
        """Operations and how often each is drawn."""
        plain = {one: weight for one, weight in OPERATIONS.items() if one not in self.without}
        return plain | ({one: weight * self.harder for one, weight in HARDER.items()} if self.harder else {})


#: Operations that give a kernel of its own worth at any size.
_AT_SIZE = (unary, binary, scale, reduction, along, normalization)
#: By level. Level 1 is what programs were before there were levels: its seeds give what they always gave. Level 0 is
#: for models of some hundred million parameters: few operations, all of which need a kernel of one's own, and sizes
#: whose products such a model can learn. Level 5 is for the mid-end: few operations on about a million elements, where
#: how they are computed decides how long they take.
DIFFICULTIES: Mapping[int, Difficulty] = {
    0: Difficulty(
        (1, 2), (1, 1, 2, 2), axes=(1, 2, 2, 3), sizes=(2, 3, 4, 8, 16, 32, 64), without=(product,), returned=0
    ),
    1: Difficulty(pruned=False),
    2: Difficulty((6, 12), (1, 2, 2, 3), 1.0, 0.25, 4, 400),
    3: Difficulty((10, 20), (2, 2, 3, 4), 2.0, 0.35, 5, 800),
    4: Difficulty((18, 32), (2, 3, 4), 3.0, 0.35, 6, 1600),
    5: Difficulty(
        (2, 4),
        (1, 1, 2, 2, 3),
        returned=0,
        axes=(2, 2, 2, 3),
        sizes=(4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536, 100, 1000, 3000),
        without=tuple(one for one in OPERATIONS if one not in _AT_SIZE),
        largest=2**23,
        least=2**19,
    ),
}


def generate_program(seed: int, difficulty: int = 1) -> str:
    """A program's source, the same for the same seed and difficulty (and version of torch).

    Finite, deterministic, small. `difficulty` is a key of DIFFICULTIES: higher ones have more operations and inputs,
    several dtypes, scans, odd axes, indexing and more outputs. Raises UserError for another.
    """
    check_choice("difficulty", difficulty, DIFFICULTIES)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        with torch.no_grad():
            random = Random(seed if difficulty == 1 else f"{difficulty}/{seed}")
            return _Program(random, DIFFICULTIES[difficulty]).grow().text()


class _Program:
    """A program under way: the values it has, and the lines that made them."""

    def __init__(self, random: Random, difficulty: Difficulty) -> None:
        self.random, self.difficulty = random, difficulty
        self.model = nn.Module()
        self.namespace: dict[str, Any] = {"torch": torch, "F": F, "self": self.model}
        self.draw = ProgramSampler(random, [], difficulty.sizes)
        self.inputs: dict[str, str] = {}
        self.held: dict[str, str] = {}
        self.lines: list[str] = []
        self.used: set[str] = set()

    def grow(self) -> "_Program":
        """Inputs, then as many operations as the difficulty asks for."""
        shape = self._shape()
        for _ in range(self.random.choice(self.difficulty.inputs)):
            kept = [size if self.random.random() < 0.8 else 1 for size in shape]
            if self.difficulty.least > 1:
                kept = shape  # the only one that is read might be the smallest
            name = self.draw.fresh("x")
            made = f"torch.randn({', '.join(map(str, kept))})"
            dtype = self._other_dtype() if self.inputs else ""
            self.inputs[name] = made + dtype
            self._add(name, eval(made + dtype, self.namespace), exact=True, distinct=not dtype)
        wanted = self.random.randint(*self.difficulty.operations)
        drawn = self.difficulty.drawn()
        for _ in range(self.difficulty.attempts):
            if len(self.lines) == wanted:
                break
            operation = self.random.choices(list(drawn), list(drawn.values()))[0]
            proposal = operation(self.draw)
            if proposal is not None:
                self._try(proposal)
        return self

    def text(self) -> str:
        """The source. Every input is read; one value that nothing else reads is returned, and maybe more."""
        results = [value for value in self.draw.values if value.name not in self.inputs]
        last = results[-1]
        others = [v for v in results[:-1] if v.name not in self.used or self.random.random() < 0.15]
        names = [value.name for value in [last, *others[: self.difficulty.returned]]]
        if self.difficulty.pruned:
            self._prune(names)
        return model_text(self.inputs, self.held, self.lines, names)

    def _prune(self, names: list[str]) -> None:
        """Keep what these values depend on."""
        needed, kept = set(names), list[str]()
        for line in reversed(self.lines):
            name, _, expression = line.partition(" = ")
            if name in needed:
                kept.append(line)
                needed |= _words(expression)
        self.lines = kept[::-1]
        self.inputs = {name: made for name, made in self.inputs.items() if name in needed}
        self.held = {name: made for name, made in self.held.items() if name in needed}

    def _other_dtype(self) -> str:
        """How an input gets another dtype; "" where it stays float32."""
        share = self.difficulty.other_dtypes
        if not share or self.random.random() >= share:
            return ""
        return self.random.choice([".bfloat16()", ".half()", ".mul(4).to(torch.int32)", ".gt(0)"])

    def _shape(self) -> list[int]:
        """A shape of one to four axes that is not too large."""
        while True:
            shape = [self.draw.size() for _ in range(self.random.choice(self.difficulty.axes))]
            if self.difficulty.least <= math.prod(shape) <= self.difficulty.largest // 2:
                return shape

    def _try(self, proposal: Proposal) -> None:
        """Run a proposal; keep it if its result is sane, else leave the program as it was."""
        for name, made in proposal.inputs.items():
            self.namespace[name] = eval(made, self.namespace)
        for name, made in proposal.held.items():
            setattr(self.model, name, eval(made, self.namespace))
        try:
            result = eval(proposal.expression, self.namespace)
        except (RuntimeError, ValueError, IndexError, TypeError):
            return
        if not isinstance(result, Tensor) or not is_sane(result, self.difficulty.largest):
            return
        name = self.draw.fresh("y")
        self.inputs.update(proposal.inputs)
        self.held.update(proposal.held)
        self.lines.append(f"{name} = {proposal.expression}")
        self.used |= {v.name for v in self.draw.values if _mentions(proposal.expression, v.name)}
        for input_name in proposal.inputs:
            self._add(input_name, self.namespace[input_name], exact=True)
        self._add(name, result, proposal.exact, proposal.distinct)

    def _add(self, name: str, tensor: Tensor, exact: bool = False, distinct: bool = False) -> None:
        self.namespace[name] = tensor
        self.draw.values.append(Value(name, tensor, exact, distinct))


def _mentions(expression: str, name: str) -> bool:
    return name in _words(expression)


def _words(expression: str) -> set[str]:
    return set("".join(c if c.isalnum() or c == "_" else " " for c in expression).split())
