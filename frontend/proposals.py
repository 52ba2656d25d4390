"""A random program while it grows: its values, the draws that it is made by, and what is proposed next."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from torch import Tensor

#: Sizes of an axis, odd ones and powers of two alike.
SIZES = (2, 3, 4, 5, 7, 8, 11, 16, 17, 31, 32, 33)
#: Elements that a value may have, and its largest and smallest root mean square.
LARGEST_VALUE = 4096
_LARGEST_RMS, _SMALLEST_RMS = 30.0, 0.02


@dataclass(frozen=True)
class Value:
    """A value of the program. `exact`: only moved or compared, never rounded; `distinct`: no two elements of it
    are copies of one another."""

    name: str
    tensor: Tensor
    exact: bool = False
    distinct: bool = False

    @property
    def is_float(self) -> bool:
        return self.tensor.is_floating_point()

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.tensor.shape)

    @property
    def ndim(self) -> int:
        return self.tensor.ndim


@dataclass(frozen=True)
class Proposal:
    """An expression, what it needs, and what is known of its result.

    `held` maps attribute names of self, and `inputs` names of further inputs, to expressions that make them.
    """

    expression: str
    held: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    exact: bool = False
    distinct: bool = False


@dataclass
class ProgramSampler:
    """The state of a program under way, and random choices from it."""

    random: Random
    values: list[Value]
    sizes: tuple[int, ...] = SIZES
    serial: int = 0

    def fresh(self, prefix: str) -> str:
        """A name not used before."""
        self.serial += 1
        return f"{prefix}{self.serial}"

    def value(self, accept: Callable[[Value], bool]) -> Value | None:
        """A value that is acceptable, later ones more often; None if there is none."""
        found = [value for value in self.values if accept(value)]
        weights = [1 + 2 * index for index in range(len(found))]
        return self.random.choices(found, weights)[0] if found else None

    def floats(self, ndim: int = 0) -> Value | None:
        """A float value of at least that many axes."""
        return self.value(lambda value: value.is_float and value.ndim >= ndim)

    def size(self) -> int:
        """A size of one axis."""
        return self.random.choice(self.sizes)

    def dim(self, value: Value) -> int:
        """An axis of the value, counted from either end."""
        return self.random.randrange(-value.ndim, value.ndim)


#: Proposes the next expression, or None where there is nothing that it applies to.
Operation = Callable[[ProgramSampler], Proposal | None]


def is_sane(result: Tensor, largest: int = LARGEST_VALUE) -> bool:
    """Whether a value is finite, not too large in size or content, and not so small that it may be noise."""
    if not 1 <= result.numel() <= largest:
        return False
    if not result.is_floating_point():
        return True
    rms = result.double().square().mean().sqrt().item()
    return _SMALLEST_RMS <= rms <= _LARGEST_RMS
