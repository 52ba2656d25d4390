"""What `torch.compile(..., options={...})` may say beside Inductor's own options."""

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from kernelwright.backend.targets import get_target
from kernelwright.frontend.inductor.plain import BackendOptionError, Inductor, has_option
from kernelwright.ir.errors import UserError


@dataclass(frozen=True)
class Options:
    """Ours.

    store: the folder of the replacements; without one, the user's. lock: a file of picks, written where there is
    none, that makes every rank and every later run choose the same. deterministic: choose among several
    replacements without looking at when or how fast they were measured, here and in Inductor. target: replace only
    kernels for this target; auto is any. search: look for faster kernels for so many seconds in a graph's first
    call. hot: look for them in a process of its own, while Inductor's kernels run. mode: what
    `torch.compile(mode=…)` means, for use beside options.
    """

    target: str = "auto"
    store: Path | None = None
    lock: Path | None = None
    deterministic: bool = False
    search: float = 0.0
    hot: bool = False


@dataclass(frozen=True)
class Request:
    """Options as they were given, checked: ours, and Inductor with its own."""

    options: Options
    inductor: Inductor

    @classmethod
    def read(cls, given: Mapping[str, Any] | None, mode: str | None) -> "Request":
        """Raises BackendOptionError, a ValueError, for what is not known here or to Inductor."""
        own = {"mode", *(field.name for field in fields(Options))}
        passed = {name: value for name, value in (given or {}).items() if name not in own or _is_both(name)}
        ours = {name: value for name, value in (given or {}).items() if name in own}
        for name in ("deterministic", "hot"):
            if type(ours.get(name, False)) is not bool:
                raise BackendOptionError(f"{name}={ours[name]!r}: give True or False")
        seconds = ours.get("search", 0.0)
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds < math.inf:
            raise BackendOptionError(f"search={seconds!r}: give a number of seconds")
        inductor = Inductor(_text(ours, "mode") or mode, passed, tuple(sorted(own)))
        options = Options(
            _target(_text(ours, "target") or "auto"),
            _path(ours, "store"),
            _path(ours, "lock"),
            bool(ours.get("deterministic")),
            float(seconds),
            bool(ours.get("hot")),
        )
        return cls(options, inductor)


def _is_both(name: str) -> bool:
    """Newer releases of Inductor have `deterministic` too, and it means the same there."""
    return name == "deterministic" and has_option(name)


def _text(options: Mapping[str, Any], name: str) -> str | None:
    value = options.get(name)
    if value is not None and not isinstance(value, str):
        raise BackendOptionError(f"{name}={value!r}: give text")
    return value


def _path(options: Mapping[str, Any], name: str) -> Path | None:
    value = options.get(name)
    if value is None:
        return None
    if not isinstance(value, str | os.PathLike) or not str(value):
        raise BackendOptionError(f"{name}={value!r}: give a path")
    return Path(value).expanduser()


def _target(name: str) -> str:
    """A target as the store names it."""
    if name in ("auto", "interpreter") or re.fullmatch(r"sm_\d+", name):
        return name
    try:
        return f"sm_{get_target(name).capability}"
    except UserError as error:
        raise BackendOptionError(str(error)) from error
