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

_Kind = TypeVar("_Kind", Child, Children)
_lock = threading.Lock()
#: Those that nobody has at the moment, each with its surroundings, by what they were started with.
_idle: dict[tuple[Any, ...], list[tuple[Any, Child | Children]]] = {}


@contextmanager
def lent_children(count: int, modules: tuple[str, ...], environment: Mapping[str, str]) -> Iterator[Children]:
    """Children as `Children` makes them. None of them is at a task when they are lent."""
    key = Children, count, modules, tuple(sorted(environment.items()))
    with _lent(key, lambda: Children(count, modules, environment)) as children:
        yield children
        children.settle()


@contextmanager
def lent_child(*modules: str) -> Iterator[Child]:
    """A child that has imported these modules, or imports them now."""
    with _lent((Child, modules), lambda: Child(modules)) as child:
        yield child


@contextmanager
def _lent(key: tuple[Any, ...], start: Callable[[], _Kind]) -> Iterator[_Kind]:
    """What is kept once the work is done, and ended where an exception ends it."""
    place = Path().stat()
    surroundings = os.getpid(), dict(os.environ), place.st_dev, place.st_ino
    found: Any = None
    with _lock:
        for given, one in _idle.pop(key, []):
            if found is None and given == surroundings:
                found = one
            elif given[0] == os.getpid():  # else it is the process's that this one was forked from
                one.close()
    one = found or start()
    try:
        yield one
    except BaseException:
        one.close()
        raise
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
