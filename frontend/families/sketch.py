"""A program under way: a family says line by line what it does, and every line is run as it is said."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from kernelwright.frontend.program_text import model_text
from kernelwright.frontend.proposals import is_sane

#: Elements that a value may have: the interpreter goes through them one block at a time.
LARGEST = 8192
#: Elements that an output may have, times what is summed for each of them.
MOST_WORK = 1 << 17
T = TypeVar("T")


class NotSaneError(Exception):
    """A draft that is no program to learn from: it does not run, or its values are not finite, large or noise."""


class Sketch:
    """Inputs, layers and lines so far. Values are named by texts, which stand in expressions as they are."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self._model = nn.Module()
        self._namespace: dict[str, Any] = {"torch": torch, "F": F, "self": self._model}
        self._inputs: dict[str, str] = {}
        self._held: dict[str, str] = {}
        self._lines: list[str] = []
        self._result = ""

    # ---- draws

    def one(self, *options: T) -> T:
        """One of several things."""
        return self.random.choice(options)

    def chance(self, share: float) -> bool:
        """True in this share of cases."""
        return self.random.random() < share

    def number(self, low: float, high: float) -> float:
        """A constant of two digits after the point."""
        return round(self.random.uniform(low, high), 2)

    def size(self, *sizes: int) -> int:
        """A size of one axis, odd ones and powers of two alike."""
        return self.random.choice(sizes or (5, 7, 8, 12, 16, 17, 24, 32, 33))

    def axis(self, value: str, first: int = 0) -> int:
        """An axis of a value, counted from either end, none before the `first`."""
        count = len(self.shape(value))
        place = self.random.randrange(first, count)
        return place - count if self.chance(0.5) else place

    # ---- parts

    def input(self, *shape: int, made: str = "torch.randn({})") -> str:
        """A further input; `made` says how, with `{}` for the shape."""
        name = f"x{len(self._inputs)}" if self._inputs else "x"
        self._inputs[name] = made.format(", ".join(map(str, shape)))
        self._namespace[name] = self._run(self._inputs[name])
        return name

    def weight(self, *shape: int, scale: float = 1.0) -> str:
        """A parameter."""
        factor = "" if scale == 1.0 else f" * {scale:.3f}"
        return self.layer(f"torch.nn.Parameter(torch.randn({', '.join(map(str, shape))}){factor})", "weight")

    def layer(self, made: str, name: str = "layer") -> str:
        """A module, parameter or buffer that the model holds, as `self.layer`."""
        count = sum(one.rstrip("0123456789") == name for one in self._held)
        name = f"{name}{count}" if count else name
        self._held[name] = made
        setattr(self._model, name, self._run(made))
        return f"self.{name}"

    def let(self, expression: str) -> str:
        """A line of the program; gives the name of its value."""
        value = self._run(expression)
        if not isinstance(value, Tensor) or not is_sane(value, LARGEST):
            raise NotSaneError(expression)
        name = f"y{len(self._lines)}" if self._lines else "y"
        self._lines.append(f"{name} = {expression}")
        self._namespace[name] = value
        self._result = name
        return name

    def _run(self, expression: str) -> Any:
        try:
            return eval(expression, self._namespace)
        except (RuntimeError, ValueError, IndexError, TypeError) as error:
            raise NotSaneError(expression) from error

    # ---- what there is

    def shape(self, value: str) -> tuple[int, ...]:
        """The shape of an input or a value."""
        return tuple(self._namespace[value].shape)

    def work(self, outputs: Sequence[int], summed: Sequence[int]) -> None:
        """Give the draft up where its outputs sum more than the interpreter goes through in short time."""
        if torch.Size(outputs).numel() * torch.Size(summed).numel() > MOST_WORK:
            raise NotSaneError("too much work")

    def text(self) -> str:
        """The program's source, which returns the last value."""
        if not self._result or not self._namespace[self._result].is_floating_point():
            raise NotSaneError("no result, or one of whole numbers")
        return model_text(self._inputs, self._held, self._lines, [self._result])


#: One step of a program: from the name of a value to that of the next.
Step = Callable[[Sketch, str], str]
