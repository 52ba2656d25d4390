"""The releases that the adapters of private interfaces were tried with, and what is said of others.

An adapter is the one module that touches some private names of torch or Triton. It looks for all that it needs in
`adapting`, so that a release without them fails there, with one line, and not in the middle of work.
"""

import importlib
import inspect
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from kernelwright.ir.errors import UnsupportedVersionError

#: The smoke suite passes with the first and last of them, and with those that CI installs.
TRIED = {"torch": ("2.11", "2.13", "2.14", "2.15"), "triton": ("3.6", "3.7", "3.8", "3.9")}
#: Set once a release was warned of: processes that this one starts say nothing more.
SAID = "KERNELWRIGHT_UNTRIED"


@contextmanager
def adapting(feature: str, *libraries: str) -> Iterator[None]:
    """Around the imports and look-ups of an adapter: warns of releases that were not tried.

    Raises UnsupportedVersionError, which says that the feature is off, for a name or parameter that is missing.
    """
    for library in libraries:
        warn_untried(library)
    try:
        yield
    except (ImportError, AttributeError) as error:
        raise UnsupportedVersionError(f"{feature} is off with {_named(libraries)}: {error}") from error


def parameters(function: Callable[..., Any], *names: str) -> None:
    """Raise AttributeError where a function lacks one of these parameters."""
    known = inspect.signature(function).parameters
    missing = [name for name in names if name not in known]
    if missing:
        raise AttributeError(f"{function.__qualname__} has no parameter {missing[0]}")


@cache
def warn_untried(library: str) -> None:
    """Warn, once for a process and those that it starts, of a release that no adapter was tried with."""
    version = _version(library)
    said = os.environ.get(SAID, "").split(",")
    if ".".join(version.split(".")[:2]) in TRIED[library] or library in said:
        return
    os.environ[SAID] = ",".join([*filter(None, said), library])
    tried = ", ".join(TRIED[library])
    warnings.warn(
        f"{library} {version} was not tested with Kernelwright; the tested releases are {tried}", stacklevel=2
    )


def _named(libraries: tuple[str, ...]) -> str:
    return " and ".join(f"{library} {_version(library)} (tried: {', '.join(TRIED[library])})" for library in libraries)


def _version(library: str) -> str:
    return str(importlib.import_module(library).__version__)
