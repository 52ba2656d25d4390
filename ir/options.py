"""Options of settings: what a field may hold stands at the field, in the error, and in the reference.

    gamma: float = option(1.0, "how much a later turn's reward counts", at_least=0, at_most=1)

`check_options` reads the declarations of a whole tree of dataclasses; `listed` gives them as text.
"""

import difflib
import math
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, cast, get_args, get_origin

from kernelwright.ir.errors import UserError

_KEY = "kernelwright"


@dataclass(frozen=True)
class Bounds:
    """What a number may be: `at_least` and `at_most` with the bound, `above` and `below` without it."""

    at_least: float | None = None
    at_most: float | None = None
    above: float | None = None
    below: float | None = None

    def hold(self, value: float) -> bool:
        """Whether a number lies within."""
        return (
            (self.at_least is None or value >= self.at_least)
            and (self.at_most is None or value <= self.at_most)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
        )

    def __str__(self) -> str:
        if self.at_least is not None and self.at_most is not None:
            return f"{self.at_least} to {self.at_most}"
        parts = {"at least": self.at_least, "above": self.above, "at most": self.at_most, "below": self.below}
        return ", ".join(f"{word} {bound}" for word, bound in parts.items() if bound is not None) or "a finite number"


@dataclass(frozen=True)
class Option:
    """What a field declares: its meaning in a line, its bounds (of each number, where it holds several), choices."""

    meaning: str = ""
    bounds: Bounds = field(default_factory=Bounds)
    choices: tuple[Any, ...] = ()


def option(
    default: Any,
    meaning: str = "",
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    above: float | None = None,
    below: float | None = None,
    choices: Sequence[Any] = (),
) -> Any:
    """A dataclass field with its declaration; a list or a mapping as default is copied for each instance."""
    said = {_KEY: Option(meaning, Bounds(at_least, at_most, above, below), tuple(choices))}
    if isinstance(default, list | dict):
        return field(default_factory=lambda: type(default)(default), metadata=said)
    return field(default=default, metadata=said)


def declared(item: "Field[Any]") -> Option:
    """What a field declares; choices of a Literal or an enumeration are declared by the type."""
    said = cast(Option, item.metadata.get(_KEY, Option()))
    return Option(said.meaning, said.bounds, said.choices or _choices(item.type))


def check_options(settings: Any, prefix: str = "") -> None:
    """UserError for the first value, here or in dataclasses held, that its field's declaration does not allow."""
    for item in fields(settings):
        value = getattr(settings, item.name)
        if is_dataclass(value) and not isinstance(value, type):
            check_options(value, f"{prefix}{item.name}.")
        elif value is not None:
            _check(f"{prefix}{item.name}", value, declared(item), item.type)


def _check(key: str, value: Any, said: Option, kind: Any) -> None:
    if said.choices:
        chosen = list(value) if isinstance(value, list | tuple) else [value]
        wrong = [one for one in chosen if (one.value if isinstance(one, Enum) else one) not in said.choices]
        if wrong or not chosen:
            close = difflib.get_close_matches(str(wrong[0]), list(map(str, said.choices)), n=1) if wrong else []
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise UserError(f"{key}={_spelt(value)}: {hint}choose from {', '.join(map(str, said.choices))}")
        return
    if kind is bool and not isinstance(value, bool):
        raise UserError(f"{key}={value}: true or false is expected")
    for number in value if isinstance(value, list | tuple) else [value]:
        wanted = _numbers(kind)
        if wanted and (isinstance(number, bool) or not isinstance(number, int | float)):
            raise UserError(f"{key}={value}: a number is expected")
        if wanted == {int} and isinstance(number, float):
            raise UserError(f"{key}={value}: a whole number is expected")
        if isinstance(number, float) and not math.isfinite(number):
            raise UserError(f"{key}={_spelt(value)}: a finite number is expected")
        if isinstance(number, int | float) and not isinstance(number, bool) and not said.bounds.hold(number):
            raise UserError(f"{key}={_spelt(value)}: out of range, {said.bounds}")


def _numbers(kind: Any) -> set[type]:
    """The kinds of number that an annotation stands for, also in a list, a tuple or a union; none for other types."""
    if get_origin(kind) in (UnionType, typing.Union, list, tuple):
        inner = [_numbers(part) for part in get_args(kind) if part not in (NoneType, Ellipsis)]
        return set().union(*inner) if inner and all(inner) else set()
    return {kind} if kind in (int, float) else set()


def number_of(kind: Any) -> type | None:
    """`int` or `float` where an annotation stands for one number, or for one or None; else None."""
    parts = [part for part in get_args(kind) if part is not NoneType] if _is_union(kind) else [kind]
    return float if set(parts) == {int, float} else parts[0] if len(parts) == 1 and parts[0] in (int, float) else None


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (UnionType, typing.Union)


def _choices(kind: Any) -> tuple[Any, ...]:
    if get_origin(kind) is Literal:
        return get_args(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return tuple(member.value for member in kind)
    return ()


def _spelt(value: Any) -> str:
    return "[" + ",".join(map(str, value)) + "]" if isinstance(value, list | tuple) else str(value)


@dataclass(frozen=True)
class Listed:
    """One option as a reference shows it; `allowed` is its range or its choices as text, "" for any value."""

    key: str
    kind: str
    default: Any
    allowed: str
    meaning: str


def listed(schema: Any, prefix: str = "", meanings: Mapping[str, str] | None = None) -> Iterator[Listed]:
    """Every option of a schema, dotted; `meanings` by key serve where a field has none of its own."""
    known = meanings or {}
    for item in fields(schema):
        key, said = f"{prefix}{item.name}", declared(item)
        if isinstance(item.type, type) and is_dataclass(item.type):
            yield from listed(item.type, f"{key}.", known)
            continue
        default = item.default if item.default_factory is MISSING else item.default_factory()
        allowed = ", ".join(map(str, said.choices)) if said.choices else _range(said.bounds)
        yield Listed(key, _kind(item.type), _shown(default), allowed, said.meaning or known.get(key, ""))


def _range(bounds: Bounds) -> str:
    return "" if bounds == Bounds() else str(bounds)


def _shown(default: Any) -> Any:
    return default.value if isinstance(default, Enum) else default


def _kind(kind: Any) -> str:
    """A type in words."""
    if get_origin(kind) in (UnionType, typing.Union):
        parts = [_kind(part) for part in get_args(kind) if part is not NoneType]
        return " or ".join([*parts, *(["null"] if NoneType in get_args(kind) else [])])
    if _choices(kind) or kind is str:
        return "word" if _choices(kind) else "text"
    if get_origin(kind) in (list, tuple):
        inner = {_kind(part) for part in get_args(kind) if part is not Ellipsis}
        return f"list of {'/'.join(sorted(inner))}"
    if get_origin(kind) is dict or kind is dict:
        return "keys of its own"
    return {bool: "true or false", int: "whole number", float: "number"}.get(kind, "any")
