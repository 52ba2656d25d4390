"""Random PyTorch programs in KernelBench's format: test cases and training data.

A program is grown value by value. Each step proposes an expression (`operations`), runs it, and keeps it if
it works, stays small and is numerically sane.
"""

import math
from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from kernelwright.frontend.operations import FAMILIES, Draw, Proposal, Value

#: Elements that a value may have, and its largest root mean square.
LARGEST_VALUE = 4096
_LARGEST_RMS, _SMALLEST_RMS = 30.0, 0.02
_ATTEMPTS = 200


def generate_program(seed: int) -> str:
    """A program's source, the same for the same seed (and version of torch). Finite, deterministic, small."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        with torch.no_grad():
            return _Program(Random(seed)).grow().text()


class _Program:
    """A program under way: the values it has, and the lines that made them."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.model = nn.Module()
        self.namespace: dict[str, Any] = {"torch": torch, "F": F, "self": self.model}
        self.draw = Draw(random, [])
        self.inputs: dict[str, str] = {}
        self.held: dict[str, str] = {}
        self.lines: list[str] = []
        self.used: set[str] = set()

    def grow(self) -> "_Program":
        """Inputs, then between two and eight operations."""
        shape = self._shape()
        for _ in range(self.random.choice([1, 1, 2, 2, 3])):
            kept = [size if self.random.random() < 0.8 else 1 for size in shape]
            name = self.draw.fresh("x")
            made = f"torch.randn({', '.join(map(str, kept))})"
            self.inputs[name] = made
            self._add(name, eval(made, self.namespace), exact=True, distinct=True)
        wanted = self.random.randint(2, 8)
        for _ in range(_ATTEMPTS):
            if len(self.lines) == wanted:
                break
            family = self.random.choices(list(FAMILIES), list(FAMILIES.values()))[0]
            proposal = family(self.draw)
            if proposal is not None:
                self._try(proposal)
        return self

    def text(self) -> str:
        """The source. Every input is read; one value that nothing else reads is returned, and maybe more."""
        results = [value for value in self.draw.values if value.name not in self.inputs]
        last = results[-1]
        others = [v for v in results[:-1] if v.name not in self.used or self.random.random() < 0.15]
        names = [value.name for value in [last, *others[:3]]]
        init = [f"        self.{name} = {made}" for name, made in self.held.items()]
        makers = ", ".join(self.inputs.values())
        constructor = ["    def __init__(self):", "        super().__init__()", *init, ""] if init else []
        lines = [
            "import torch",
            "import torch.nn.functional as F",
            "",
            "",
            "class Model(torch.nn.Module):",
            *constructor,
            f"    def forward(self, {', '.join(self.inputs)}):",
            *(f"        {line}" for line in self.lines),
            f"        return {', '.join(names)}",
            "",
            "",
            "def get_inputs():",
            f"    return [{makers}]",
            "",
            "",
            "def get_init_inputs():",
            "    return []",
        ]
        return "\n".join(lines) + "\n"

    def _shape(self) -> list[int]:
        """A shape of one to four axes that is not too large."""
        while True:
            shape = [self.draw.size() for _ in range(self.random.choice([1, 2, 2, 3, 3, 4, 4]))]
            if math.prod(shape) <= LARGEST_VALUE // 2:
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
        if not isinstance(result, Tensor) or not is_sane(result):
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
    words = "".join(c if c.isalnum() or c == "_" else " " for c in expression).split()
    return name in words


def is_sane(result: Tensor) -> bool:
    """Whether a value is finite, not too large in size or content, and not so small that it may be noise."""
    if not 1 <= result.numel() <= LARGEST_VALUE:
        return False
    if not result.is_floating_point():
        return True
    rms = result.double().square().mean().sqrt().item()
    return _SMALLEST_RMS <= rms <= _LARGEST_RMS
