"""Registries of named things, which come from this package, from a session, or from other installed packages.

A `Registry` holds the things of one kind by name. Ours and those of a session are added to it; other packages announce
theirs by an entry point of the registry's group, in their `pyproject.toml`:

    [project.entry-points."kernelwright.rewards"]
    short = "mypackage.rewards:ShortReward"

An announced thing is imported when its name is first used, and never before. So a broken or slow package costs nothing
unless it is used.
"""

import difflib
from collections.abc import Callable, Iterator, MutableMapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeVar

from kernelwright.ir.errors import UserError

T = TypeVar("T")


class Registry(MutableMapping[str, T]):
    """Things of one kind by name.

    `kind` is the word for a thing in messages, and `group` is the entry-point group in which packages announce things.
    `complaint` returns the fault of a thing that a package announces, or "". Looking a name up imports an announced
    thing. Iteration gives the things that are imported by then; `names` gives all names.
    """

    def __init__(self, kind: str, group: str, complaint: Callable[[str, Any], str]) -> None:
        self.kind, self.group, self._complaint = kind, group, complaint
        self._known: dict[str, T] = {}
        self._loaded: set[str] = set()

    def add(self, name: str, thing: T, settled: bool = False) -> None:
        """Make a thing known. Raises UserError where another one has the name; the same one, made anew, takes it.

        A `settled` one counts whatever packages announce by its name, and none of them is imported for it.
        """
        before = self._known.get(name)
        if before is not None and _origin(before) != _origin(thing):
            raise UserError(f"{self.kind} {name!r} is taken by {_origin(before)}; give {_origin(thing)} another name")
        self._known[name] = thing
        if settled:
            self._loaded.add(name)

    def find(self, name: str) -> T:
        """The thing of that name. For an unknown name it raises UserError, which lists the known names."""
        if name not in self:
            look_again()
        if name in self:
            return self[name]
        names = sorted(self.names())
        close = difflib.get_close_matches(name, names, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise UserError(f"unknown {self.kind} {name!r}{hint} ({self.kind}s: {', '.join(names)})")

    def names(self) -> set[str]:
        """Every name, also of things that are announced and not yet imported."""
        return {*self._known, *announced(self.group)}

    def load_all(self, complain: Callable[[str], object]) -> dict[str, T]:
        """Bring in all that is announced; everything by name, in order of names.

        `complain` is told in one line of each announced thing that cannot be used. Its name is left out.
        """
        unusable = set()
        for name in sorted(announced(self.group)):
            try:
                self._load(name)
            except UserError as error:
                unusable.add(name)
                complain(str(error))
        return {name: thing for name, thing in sorted(self._known.items()) if name not in unusable}

    def _load(self, name: str) -> None:
        """Bring in what is announced by that name. Raises UserError for one that does not load or fit."""
        found = announced(self.group).get(name, ())
        if name in self._loaded or not found:
            return
        if len(found) > 1:
            packages = " and ".join(_package(point) for point in found)
            raise UserError(f"{self.kind} {name!r} is announced by {packages}: uninstall one of them, or rename it")
        thing = load_entry_point(self.kind, found[0])
        if before := self._known.get(name):
            if _origin(before) != _origin(thing):
                raise UserError(f"{_described(self.kind, found[0])} has a name that is taken by {_origin(before)}")
        elif complaint := self._complaint(name, thing):
            raise UserError(f"{_described(self.kind, found[0])} cannot be used: {complaint}")
        self._loaded.add(name)
        self._known[name] = thing

    def __getitem__(self, name: str) -> T:
        self._load(name)
        return self._known[name]

    def __contains__(self, name: object) -> bool:
        return name in self._known or (isinstance(name, str) and name in announced(self.group))

    def __setitem__(self, name: str, thing: T) -> None:
        self._known[name] = thing

    def __delitem__(self, name: str) -> None:
        del self._known[name]
        self._loaded.discard(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


@cache
def announced(group: str) -> dict[str, tuple[EntryPoint, ...]]:
    """The entry points of a group by name, as the packages that are installed have them; none is imported.

    A package that is found twice on the path, as an editable one may be, counts once.
    """
    found: dict[str, dict[tuple[str, str], EntryPoint]] = {}
    for point in _installed().select(group=group):
        found.setdefault(point.name, {}).setdefault((_package(point), point.value), point)
    return {name: tuple(points.values()) for name, points in found.items()}


@cache
def _installed() -> Any:
    """Every entry point that there is: to read those of one group takes as long."""
    return entry_points()


def look_again() -> None:
    """Read anew what is installed, as after `pip install` in a running session."""
    _installed.cache_clear()
    announced.cache_clear()


def load_entry_point(kind: str, point: EntryPoint) -> Any:
    """What an entry point names. Raises UserError, naming the package and the entry point, where it does not load."""
    try:
        return point.load()
    except (Exception, SystemExit) as error:  # importing runs the package's own code, which may raise anything
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise UserError(f"{_described(kind, point)} does not load: {said}") from error


def _described(kind: str, point: EntryPoint) -> str:
    return f"{kind} {point.name!r} of {_package(point)} (entry point {point.name} = {point.value} in {point.group})"


def _package(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else "a package without a name"


def _origin(thing: Any) -> str:
    """Where a thing is defined; two of one origin are the same, made anew."""
    name = getattr(thing, "__qualname__", None)
    return f"{thing.__module__}.{name}" if name else repr(thing)
