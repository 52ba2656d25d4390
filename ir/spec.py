"""The spellings of a sequence of passes: text, `lower-inductor,tune{trials=64}`, and configuration lists,
`["lower-inductor", {"tune": {"trials": 64}}]`, which is what YAML holds. Errors point at the bad part."""

import difflib
import json
import math
import re
import typing
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from kernelwright.ir.errors import SpecError, UserError
from kernelwright.ir.passes import REGISTRY, Pass

Option = bool | int | float | str

_NAME = re.compile(r"[A-Za-z_][\w-]*")
_BARE = re.compile(r"[^\s,{}=\"']+")
_TYPE_NAMES = {bool: "true or false", int: "an integer", float: "a number", str: "a string"}


@dataclass(frozen=True)
class _Value:
    """An option's value as spelt: `bare` text still to be read by the option's type, or a typed value."""

    value: Any
    position: int
    bare: bool = False


@dataclass(frozen=True)
class _Entry:
    """One pass as spelt: its name and options, each with its position in the spec."""

    name: str
    position: int
    options: tuple[tuple[str, int, _Value], ...] = ()


def read_text(text: str) -> tuple[Pass, ...]:
    """Read the text spelling; raises SpecError with a caret under the bad part."""
    return _build(text, _Reader(text).read())


def read_config(config: Sequence[Any]) -> tuple[Pass, ...]:
    """Read a list of pass names or `{name: {option: value}}`; raises SpecError on anything else."""
    return _build(*_read_config(config))


def pass_config(pass_: Pass) -> str | dict[str, dict[str, Option]]:
    """The configuration spelling of one pass; options at their default are left out."""
    return {pass_.name: options} if (options := _changed_options(pass_)) else pass_.name


def pass_spec(pass_: Pass) -> str:
    """The text spelling of one pass, e.g. `tune{trials=64}`."""
    options = ",".join(f"{key}={_spell(value)}" for key, value in _changed_options(pass_).items())
    return f"{pass_.name}{{{options}}}" if options else pass_.name


def pass_options(cls: type[Pass]) -> dict[str, tuple[type, Option]]:
    """A pass's options: name -> (type, default)."""
    types = typing.get_type_hints(cls)
    return {option.name: (types[option.name], typing.cast(Option, option.default)) for option in fields(cls)}


def _changed_options(pass_: Pass) -> dict[str, Option]:
    defaults = pass_options(type(pass_))
    values = {name: getattr(pass_, name) for name in defaults}
    return {name: value for name, value in values.items() if value != defaults[name][1]}


def _spell(value: Option) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value if _BARE.fullmatch(value) else json.dumps(value)
    return repr(value)


def _error(spec: str, position: int, message: str) -> SpecError:
    return SpecError(re.sub(r"\s", " ", spec), position, message)


class _Reader:
    """Reads the text spelling into entries; knows the grammar but no pass."""

    def __init__(self, text: str) -> None:
        self.text, self.position = text, 0

    def read(self) -> tuple[_Entry, ...]:
        entries = [self._entry()]
        while self._take(","):
            entries.append(self._entry())
        if self.position < len(self.text):
            raise self._error("expected `,` between passes")
        return tuple(entries)

    def _error(self, message: str, position: int | None = None) -> SpecError:
        return _error(self.text, self.position if position is None else position, message)

    def _skip(self) -> None:
        while self.position < len(self.text) and self.text[self.position].isspace():
            self.position += 1

    def _take(self, symbol: str) -> bool:
        self._skip()
        found = self.text.startswith(symbol, self.position)
        self.position += len(symbol) * found
        return found

    def _match(self, pattern: re.Pattern[str], what: str) -> tuple[str, int]:
        self._skip()
        match = pattern.match(self.text, self.position)
        if match is None:
            raise self._error(f"expected {what}")
        start, self.position = self.position, match.end()
        return match.group(), start

    def _entry(self) -> _Entry:
        name, position = self._match(_NAME, "the name of a pass")
        if not self._take("{"):
            return _Entry(name, position)
        opening = self.position - 1
        options: list[tuple[str, int, _Value]] = []
        while not self._take("}"):
            if options and not self._take(","):
                raise self._error(f"expected `,` or `}}` (the `{{` at column {opening} is open)")
            key, key_position = self._match(_NAME, f"an option of {name} or `}}`")
            if not self._take("="):
                raise self._error(f"expected `=` and a value for option {key}")
            options.append((key, key_position, self._value(key)))
        return _Entry(name, position, tuple(options))

    def _value(self, key: str) -> _Value:
        self._skip()
        start = self.position
        if not self.text.startswith('"', start):
            text, start = self._match(_BARE, f'a value for option {key} (put special characters in "…")')
            return _Value(text, start, bare=True)
        try:
            value, self.position = json.JSONDecoder().raw_decode(self.text, start)
        except json.JSONDecodeError as error:
            raise self._error(f"a quoted string that does not end: {error.msg}", start) from error
        return _Value(value, start)


def _read_config(config: Sequence[Any]) -> tuple[str, tuple[_Entry, ...]]:
    """Spell a configuration list as text, noting where each part falls, so that errors can point at it."""
    text, entries = "", []
    if isinstance(config, str) or not isinstance(config, Sequence) or not config:
        raise _error(str(config), 0, "a pipeline is a list with at least one pass")
    for item in config:
        text += "," if text else ""
        start = len(text)
        named = {item: None} if isinstance(item, str) else item
        if not isinstance(named, Mapping) or len(named) != 1:
            raise _error(f"{text}{item}", start, "expected the name of a pass or {name: {option: value}}")
        (name, given), options = next(iter(named.items())), []
        if not isinstance(given or {}, Mapping):
            raise _error(f"{text}{name}{{{given}}}", start + len(str(name)), "options are {option: value}")
        text += str(name) + ("{" if given else "")
        for index, (key, value) in enumerate((given or {}).items()):
            text += "," if index else ""
            key_position, value_position = len(text), len(text) + len(f"{key}=")
            text += f"{key}={_spell(value)}"
            options.append((str(key), key_position, _Value(value, value_position)))
        text += "}" if given else ""
        entries.append(_Entry(str(name), start, tuple(options)))
    return text, tuple(entries)


def _build(spec: str, entries: Sequence[_Entry]) -> tuple[Pass, ...]:
    return tuple(_build_pass(spec, entry) for entry in entries)


def _build_pass(spec: str, entry: _Entry) -> Pass:
    if entry.name not in REGISTRY:
        raise _error(spec, entry.position, f"unknown pass {entry.name!r}{_suggest(entry.name, REGISTRY.names())}")
    try:
        cls = REGISTRY[entry.name]
    except UserError as error:  # of a package that announces it
        raise _error(spec, entry.position, str(error)) from error
    known, values = pass_options(cls), {}
    for key, position, value in entry.options:
        if key not in known:
            valid = ", ".join(known) or "it has none"
            raise _error(spec, position, f"pass {entry.name} has no option {key!r} (options: {valid})")
        if key in values:
            raise _error(spec, position, f"option {key!r} is given twice")
        values[key] = _convert(spec, key, value, known[key][0])
    try:
        return cls(**values)
    except ValueError as error:  # a pass refuses values outside its range in __post_init__
        raise _error(spec, entry.position, f"pass {entry.name}: {error}") from error


def _suggest(name: str, known: Collection[str]) -> str:
    """The passes of nearly that name, of which several may be as near, such as those that end with it; and all."""
    near = [one for one in known if len(name) > 2 and {name} & {one.partition("-")[0], one.partition("-")[2]}]
    near = near or difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {' or '.join(map(repr, sorted(near)))}?" if near else ""
    return f"{hint} (passes: {', '.join(sorted(known)) or 'none are registered'})"


def _convert(spec: str, key: str, given: _Value, wanted: type) -> Option:
    value = given.value
    if given.bare and wanted is not str:
        value = _read_bare(value)
    if wanted is float and type(value) is int:
        value = float(value)
    if type(value) is not wanted or (isinstance(value, float) and math.isnan(value)):
        shown = repr(value) if isinstance(value, str) else _spell(value)
        raise _error(spec, given.position, f"option {key} takes {_TYPE_NAMES[wanted]}, not {shown}")
    return typing.cast(Option, value)


def _read_bare(text: str) -> Option:
    """Read unquoted text as a boolean or number, else leave it as a string."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
