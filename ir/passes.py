"""What a pass is, and the registry that gives passes their names."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

from kernelwright.ir.values import KernelModule, Level


@dataclass(frozen=True)
class Context:
    """What a pass may use besides the module.

    `target` is a target's name; `evaluator` implements `kernelwright.agent.evaluator.Evaluator`; `seed` seeds
    whatever is random; `progress` takes one short line about work under way.
    """

    target: str = "interpreter"
    evaluator: Any = None
    seed: int = 0
    progress: Callable[[str], None] = lambda _line: None
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class Pass(ABC):
    """A named rewrite KernelModule -> KernelModule; its fields are its options.

    Fields have a default and are bool, int, float or str. The first line of the docstring is what
    `kernelwright passes` shows. A pass neither prints, times nor stamps: instruments do.
    """

    name: ClassVar[str]
    reads: ClassVar[Level]
    writes: ClassVar[Level]

    @abstractmethod
    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The rewritten module; the same object where nothing changed."""


PassType = TypeVar("PassType", bound=type[Pass])

REGISTRY: dict[str, type[Pass]] = {}


def register(cls: PassType) -> PassType:
    """Class decorator: make a pass known by its `name`."""
    assert cls.name not in REGISTRY or REGISTRY[cls.name].__qualname__ == cls.__qualname__, cls.name
    REGISTRY[cls.name] = cls
    return cls
