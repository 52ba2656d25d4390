"""The base class of passes, and the registry that gives passes their names."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from inspect import isabstract
from typing import Any, ClassVar, TypeVar

from kernelwright.ir.exploration import Exploration
from kernelwright.ir.plugins import Registry
from kernelwright.ir.values import KernelModule, Level

Service = TypeVar("Service")


@dataclass(frozen=True)
class Declined:
    """Why a pass left a kernel as it was, in one plain line.

    `kernel` is its symbol, or `first, second` for two kernels that are not made one, or "" for the whole module.
    """

    reason: str
    kernel: str = ""


@dataclass(frozen=True)
class Context:
    """The objects that a pass may use besides the module.

    `target` is a target's name; `evaluator` implements `kernelwright.agent.evaluator.Evaluator`; `seed` seeds
    whatever is random; `progress` takes one short line about work under way. `declined` takes the reason
    why a pass left a kernel as it was. `lowering_device` is where lowerings run
    a program: a device of torch, `meta` for nowhere (by shapes alone), or `auto`. `services` hold what only some passes
    want, each in a frozen dataclass of its own with a default for every field.
    """

    target: str = "interpreter"
    evaluator: Any = None
    seed: int = 0
    progress: Callable[[str], None] = lambda _line: None
    declined: Callable[[Declined], None] = lambda _why: None
    lowering_device: str = "auto"
    services: tuple[object, ...] = ()

    def service(self, kind: type[Service]) -> Service:
        """The service of that class; its defaults where the context carries none."""
        return next((one for one in self.services if isinstance(one, kind)), None) or kind()

    def having(self, *given: object) -> "Context":
        """The context with these services, each in the place of the one of its class."""
        kept = (one for one in self.services if type(one) not in map(type, given))
        return replace(self, services=(*kept, *given))


class Keeps(Enum):
    """What a rewrite keeps of the numbers that a kernel computes."""

    EXACT = "every value, bit for bit"
    REASSOCIATED = "every value, sums taken in another order"
    CONTRACTED = "every value, products and sums rounded once in place of twice"
    ROUNDED = "every value to a few units in its last place"


@dataclass(frozen=True)
class Pass(ABC):
    """A named rewrite KernelModule -> KernelModule; its fields are its options.

    Fields have a default and are bool, int, float or str. The first line of the docstring is what
    `kernelwright passes` shows. A pass neither prints, times nor stamps: instruments do. `explore` says how search and
    agents try the pass; None keeps them from it. A rewrite of kernels also says what it `needs` of a kernel, what it
    `changes`, and what it `keeps` of the numbers; other passes leave these empty.
    """

    name: ClassVar[str]
    reads: ClassVar[Level]
    writes: ClassVar[Level]
    explore: ClassVar[Exploration | None] = Exploration()
    needs: ClassVar[str] = ""
    changes: ClassVar[str] = ""
    keeps: ClassVar[Keeps | None] = None

    @abstractmethod
    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The rewritten module; the same object where nothing changed."""


def exploration(cls: type[Pass]) -> Exploration:
    """How search and agents try a pass; the defaults of one that keeps itself from them."""
    return cls.explore or Exploration()


PassType = TypeVar("PassType", bound=type[Pass])


def _complaint(name: str, found: object) -> str:
    """What is wrong with a pass that a package announces."""
    if not isinstance(found, type) or not issubclass(found, Pass) or isabstract(found):
        return "it is not a subclass of kernelwright.ir.passes.Pass with a method run"
    missing = [key for key in ("name", "reads", "writes") if not hasattr(found, key)]
    if missing:
        return f"its class does not say `{missing[0]}`"
    return "" if found.name == name else f"its class calls it {found.name!r}"


REGISTRY: Registry[type[Pass]] = Registry("pass", "kernelwright.passes", _complaint)


def register(cls: PassType) -> PassType:
    """Class decorator: make a pass known by its `name`. Raises UserError where another pass has it."""
    REGISTRY.add(cls.name, cls)
    return cls
