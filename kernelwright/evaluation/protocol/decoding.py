"""Frozen values as JSON and back, by the types of their fields; what another process wrote is checked on the way."""

import functools
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, NewType, Union, get_args, get_origin, get_type_hints

#: The number of one of the tensors that travel with a value.
Place = NewType("Place", int)


#: Numbers of this size are none that anybody counts.
_LARGE = 1 << 64


class MalformedError(ValueError):
    """JSON that is no value of the type that is read; says where."""


def plain(value: Any) -> Any:
    """A value with its dataclasses as dictionaries."""
    if is_dataclass(value):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, tuple | list) else value


def decode(kind: Any, content: object, tensors: int = 0, where: str = "it") -> Any:
    """The value of this type that `plain` was given: a dataclass, a `Place` below `tensors`, a number, a text, or
    tuples, mappings and optional ones of these. MalformedError for anything else."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return content
    if origin in (UnionType, Union):
        if content is None and NoneType in arguments:
            return None
        (kind,) = (one for one in arguments if one is not NoneType)
        return decode(kind, content, tensors, where)
    if origin is tuple:
        items = _of(list, content, where)
        return tuple(decode(arguments[0], item, tensors, f"{where}[{n}]") for n, item in enumerate(items))
    if origin is not None and issubclass(origin, Mapping):
        found = _of(dict, content, where)
        return {key: decode(arguments[1], item, tensors, f"{where}.{key}") for key, item in found.items()}
    if is_dataclass(kind):
        return _dataclass(kind, _of(dict, content, where), tensors, where)
    return _single(kind, content, tensors, where)


def _dataclass(kind: Any, content: Mapping[str, Any], tensors: int, where: str) -> Any:
    known = {one.name: one for one in fields(kind)}
    if strange := sorted(content.keys() - known.keys()):
        raise MalformedError(f"{where} has {strange[0]!r:.80}, which is nothing of {kind.__name__}")
    given = {}
    for name, one in known.items():
        if name in content:
            given[name] = decode(_types(kind)[name], content[name], tensors, f"{where}.{name}")
        elif one.default is MISSING and one.default_factory is MISSING:
            raise MalformedError(f"{where} has no {name}")
    try:
        return kind(**given)
    except ValueError as error:
        raise MalformedError(f"{where}: {error}") from error


def _single(kind: Any, content: object, tensors: int, where: str) -> Any:
    """One text, number, or member of an enumeration."""
    if kind is Place:
        if type(content) is not int or not 0 <= content < tensors:
            raise MalformedError(f"{where} is no number of a tensor: {content!r:.80}")
        return content
    if type(content) is int and abs(content) >= _LARGE:
        raise MalformedError(f"{where} is a number of more than 64 bits")
    if kind is float:
        if not isinstance(content, int | float) or isinstance(content, bool):
            raise MalformedError(f"{where} is no number: {content!r:.80}")
        return float(content)
    if issubclass(kind, Enum):
        try:
            return kind(content)
        except ValueError as error:
            raise MalformedError(f"{where} is no {kind.__name__}: {content!r:.80}") from error
    return _of(kind, content, where)


def _of(kind: type, content: object, where: str) -> Any:
    if type(content) is not kind:
        raise MalformedError(f"{where} is {type(content).__name__} where {kind.__name__} is wanted")
    return content


@functools.cache
def _types(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)
