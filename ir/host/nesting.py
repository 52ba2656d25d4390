"""Inputs that are lists, tuples and dictionaries of tensors: the text that takes them apart, so that forward takes each
tensor by a name of its own."""

import ast
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

#: How the line begins that says how inputs are nested: a dictionary with the names of forward's own arguments, and
#: `...` where tensors are, or arguments that are not taken apart.
_BEGIN = "_TAKES_OF_KERNELWRIGHT = "
#: The text below a program. `names` are those of what is left when inputs are taken apart.
_APPENDIX = """

# What holds tensors among the inputs is taken apart.
{begin}{takes}


def _inputs_together(shape, values):
    if shape is ...:
        return next(values)
    if isinstance(shape, dict):
        return {{key: _inputs_together(one, values) for key, one in shape.items()}}
    if isinstance(shape, (list, tuple)):
        return type(shape)([_inputs_together(one, values) for one in shape])
    return shape


def _inputs_apart(shape, value):
    if shape is ...:
        return [value]
    if isinstance(shape, (list, tuple)):
        return [one for part, inner in zip(shape, value) for one in _inputs_apart(part, inner)]
    return [one for key in shape for one in _inputs_apart(shape[key], value[key])] if isinstance(shape, dict) else []


class {entry}({entry}):
    def forward(self, {names}):
        values = iter(({names},))
        return super().forward(*(_inputs_together(one, values) for one in _TAKES_OF_KERNELWRIGHT.values()))


def get_inputs(_nested=get_inputs):
    return _inputs_apart(tuple(_TAKES_OF_KERNELWRIGHT.values()), _nested())
"""


class Open:
    """What is left open, written `...`."""

    def __repr__(self) -> str:
        return "..."


def appendix(entry: str, takes: Mapping[str, Any]) -> str | None:
    """The text that takes a program's inputs apart; None if names of what is left are none, or the same."""
    names = [name for argument, shape in takes.items() for name in _names(argument, shape)]
    if len(set(names)) < len(names) or not all(map(str.isidentifier, names)):
        return None
    return _APPENDIX.format(begin=_BEGIN, entry=entry, names=", ".join(names), takes=takes_text(takes))


def takes_text(takes: Mapping[str, Any]) -> str:
    """The same as a literal on one line."""
    return repr(filled_in(dict(takes), itertools.repeat(Open())))


def takes_of(source: str) -> dict[str, Any]:
    """How the inputs of a program are nested that `appendix` stands below; empty without one."""
    _, found, rest = source.rpartition(f"\n{_BEGIN}")
    takes: dict[str, Any] = ast.literal_eval(rest.partition("\n")[0]) if found else {}
    return takes


def takes_line(source: str) -> str:
    """The line of a program that `takes_of` reads; empty without one."""
    takes = takes_of(source)
    return f"\n{_BEGIN}{takes_text(takes)}\n" if takes else ""


def arguments_of(takes: Mapping[str, Any], values: Sequence[Any]) -> list[Any]:
    """Forward's own arguments, made of what inputs were taken apart to; these themselves if nothing was."""
    left = iter(values)
    return [filled_in(shape, left) for shape in takes.values()] if takes else list(values)


def filled_in(shape: Any, values: Iterator[Any]) -> Any:
    """Lists, tuples and dictionaries of a shape, with the next value at each `...`."""
    if isinstance(shape, dict):
        return {key: filled_in(one, values) for key, one in shape.items()}
    if isinstance(shape, list | tuple):
        return type(shape)([filled_in(one, values) for one in shape])
    return next(values) if shape is ... else shape


def _names(name: str, shape: Any) -> Iterator[str]:
    if isinstance(shape, dict | list | tuple):
        for key, one in shape.items() if isinstance(shape, dict) else enumerate(shape):
            yield from _names(f"{name}_{key}" if str(key).isalnum() else f"{name}_of", one)
    elif shape is ...:
        yield name
