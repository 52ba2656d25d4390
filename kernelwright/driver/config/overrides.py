"""Settings as Python has them, as the overrides that the command line takes."""

import os
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum

from hydra.core.override_parser.types import Quote, QuotedString

from kernelwright.ir.errors import UserError

#: `["trainer.steps=2"]` as on the command line, or `{"trainer": {"steps": 2}}`, whose keys may be dotted as well.
Overrides = Sequence[str] | Mapping[str, object]


def as_overrides(given: Overrides) -> list[str]:
    """The overrides as texts. Raises UserError for a value that configuration cannot spell."""
    if isinstance(given, str):
        raise UserError(f"overrides={given!r}: give a list of texts, such as [{given!r}], or a mapping")
    if isinstance(given, Mapping):
        return list(_flat(given, ""))
    if wrong := [item for item in given if not isinstance(item, str)]:
        raise UserError(f"overrides={list(given)!r}: {wrong[0]!r} is not a text; write KEY=VALUE")
    return list(given)


def _flat(given: Mapping[str, object], prefix: str) -> Iterator[str]:
    for key, value in given.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}={_spelt(value, f'{prefix}{key}')}"


def _spelt(value: object, key: str) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case Enum():
            return _spelt(value.value, key)
        case int() | float():
            return repr(value)
        case str() | os.PathLike():
            return QuotedString(os.fspath(value), Quote.single).with_quotes()
        case list() | tuple():
            return f"[{','.join(_spelt(item, key) for item in value)}]"
    raise UserError(f"{key}={value!r}: configuration takes numbers, words, lists and mappings of them")
