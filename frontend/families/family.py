"""What a family of problems is, and the registry of them."""

from collections.abc import Callable
from typing import Any

from kernelwright.frontend.families.sketch import Sketch
from kernelwright.ir.plugins import Registry

#: Grows a program from nothing to the value that it returns.
Family = Callable[[Sketch], None]


def _complaint(_name: str, thing: Any) -> str:
    return "" if callable(thing) else f"it is a {type(thing).__name__}, not a function of a Sketch"


REGISTRY: Registry[Family] = Registry("family", "kernelwright.families", _complaint)


def family(name: str) -> Callable[[Family], Family]:
    """Registers a family under a name."""

    def add(grow: Family) -> Family:
        REGISTRY.add(name, grow)
        return grow

    return add
