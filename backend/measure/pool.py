"""Children that outlive the work they were started for: the next work in this process goes on with them.

They are started with what was imported, and in the surroundings that hold at the time; where those have changed since,
others take their places.
"""

import atexit
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from kernelwright.backend.measure.children import Child, Children
from kernelwright.backend.versions import SAID

#: The module that a child imports to measure.
BENCH = "kernelwright.backend.measure.bench"
#: What torch and this package set in their own environment, which is no change of surroundings.
_OUR_OWN = {"CUDA_MODULE_LOADING", "PYTORCH_NVML_BASED_CUDA_CHECK", "TORCHINDUCTOR_CACHE_DIR", SAID}
_Kind = TypeVar("_Kind", Child, Children)
_lock = threading.Lock()
#: Those that nobody has at the moment, each with its surroundings, by what they were started with.
_idle: dict[tuple[Any, ...], list[tuple[Any, Child | Children]]] = {}


@contextmanager
def lent_children(count: int, modules: tuple[str, ...], environment: Mapping[str, str]) -> Iterator[Children]:
    """Children as `Children` makes them. None of them is at a task when they are lent."""
    with _lent(*_several(count, modules, environment)) as children:
        yield children
        children.settle()


@contextmanager
def lent_child(*modules: str) -> Iterator[Child]:
    """A child that has imported these modules, or imports them now."""
    with _lent(*_single(modules)) as child:
        yield child


def begin(count: int, modules: tuple[str, ...], environment: Mapping[str, str], single: str) -> None:
    """Start children like these, and a child with the module `single`, for who will want them; returns at once."""
    for key, start in (_several(count, modules, environment), _single((single,))):
        _keep(key, _surroundings(), _waiting(key) or start())


def _several(
    count: int, modules: tuple[str, ...], environment: Mapping[str, str]
) -> tuple[tuple[Any, ...], Callable[[], Children]]:
    key = Children, count, modules, tuple(sorted(environment.items()))
    return key, lambda: Children(count, modules, environment)


def _single(modules: tuple[str, ...]) -> tuple[tuple[Any, ...], Callable[[], Child]]:
    return (Child, modules), lambda: Child(modules)


@contextmanager
def _lent(key: tuple[Any, ...], start: Callable[[], _Kind]) -> Iterator[_Kind]:
    """What is kept once the work is done, and ended where an exception ends it."""
    surroundings = _surroundings()
    one: Any = _waiting(key) or start()
    try:
        yield one
    except BaseException:
        one.close()
        raise
    _keep(key, surroundings, one)


def _surroundings() -> tuple[Any, ...]:
    place = Path().stat()
    environment = {name: value for name, value in os.environ.items() if name not in _OUR_OWN}
    return os.getpid(), environment, place.st_dev, place.st_ino


def _waiting(key: tuple[Any, ...]) -> Child | Children | None:
    """One that nobody has, and that was started in the surroundings of now; others of its kind are ended."""
    surroundings, found = _surroundings(), None
    with _lock:
        for given, one in _idle.pop(key, []):
            if found is None and given == surroundings:
                found = one
            elif given[0] == os.getpid():  # else it is the process's that this one was forked from
                one.close()
    return found


def _keep(key: tuple[Any, ...], surroundings: tuple[Any, ...], one: Child | Children) -> None:
    with _lock:
        _idle.setdefault(key, []).append((surroundings, one))


@atexit.register
def end_idle() -> None:
    """End those that nobody has."""
    with _lock:
        kept = [entry for entries in _idle.values() for entry in entries]
        _idle.clear()
    for (owner, *_), one in kept:
        if owner == os.getpid():
            one.close()
