"""Finds the passes, one in a file, without a list of them; torch is not imported."""

import importlib
import warnings
from functools import cache
from pathlib import Path
from types import ModuleType

from kernelwright import backend, conf, frontend, midend
from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import REGISTRY, Pass
from kernelwright.ir.pipeline import Pipeline, parse_pipeline

STAGES: tuple[ModuleType, ...] = (frontend, midend, backend)


@cache
def discover() -> None:
    """Import every module of a stage that registers a pass, so that a new pass needs no list to be in.

    A module counts if its text holds the decorator `@register`; others, some of which are heavy or only
    for child processes, are left alone.
    """
    for stage in STAGES:
        for place in map(Path, stage.__path__):
            for path in sorted(place.rglob("*.py")):
                if "\n@register\n" in path.read_text("utf-8"):
                    name = ".".join(path.relative_to(place).with_suffix("").parts)
                    importlib.import_module(f"{stage.__name__}.{name}")


def registered_passes() -> dict[str, type[Pass]]:
    """Every pass by name, in order of name. One that a package announces and that is of no use is left out, with a
    warning."""
    discover()
    return REGISTRY.load_all(lambda line: warnings.warn(line, stacklevel=3))


def read_pipeline(text: str) -> Pipeline:
    """A pipeline's text, of the passes that there are.

    Raises SpecError with a caret under the bad part, and UserError for the name of a configured pipeline.
    """
    discover()
    if text not in REGISTRY and Path(conf.__path__[0], "pipeline", f"{text}.yaml").is_file():
        raise UserError(f"{text} is a configured pipeline, not a pass; give the override pipeline={text} instead")
    return parse_pipeline(text)
