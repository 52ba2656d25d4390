"""What holds a program's results: a tuple, a list or a dictionary that gives each part wherever callers ask for it."""

from typing import Any

import torch

#: What callers ask tuples and lists by; a class of its own that answers otherwise is no such thing.
_ASKED = ("__getitem__", "__iter__", "__len__", "__contains__", "__reversed__", "__add__", "__eq__")


def check_container(result: Any) -> None:
    """Raise TypeError for a container of a class of its own that gives other parts than it holds."""
    bases: tuple[Any, ...] = (tuple, list, dict)
    for base in bases:
        if isinstance(result, base):
            if type(result) not in (base, torch.Size):
                _check(result, base)
            for part in dict.values(result) if base is dict else base.__iter__(result):
                check_container(part)


def _check(result: Any, base: Any) -> None:
    name = type(result).__name__
    if base is dict:
        if [(key, id(result[key])) for key in result] != [(key, id(value)) for key, value in dict.items(result)]:
            raise TypeError(f"the result, a {name}, gives other parts by key than it holds; return a plain dict")
        return
    if any(getattr(type(result), asked, None) is not getattr(base, asked, None) for asked in _ASKED):
        raise TypeError(f"the result, a {name}, has a way of its own to give its parts; return a plain {base.__name__}")
    for place, field in enumerate(getattr(result, "_fields", ())):
        if getattr(result, field) is not result[place]:
            raise TypeError(f"the result, a {name}, gives another part as {field} than it holds there")
