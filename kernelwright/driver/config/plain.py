"""Plain overrides, checked before Hydra is imported, which alone takes longer than to tell what is wrong with them.

An override is plain where it is `key=value` with a word or a number as value. What is refused here is certainly wrong,
and told in the words of the full check. Anything else is left to Hydra. All is left to it where it is imported already,
and where packages bring configuration of their own.
"""

import difflib
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, is_dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, cast

from kernelwright import conf
from kernelwright.driver.config.checking import check_config, not_a_number, unknown_key
from kernelwright.driver.config.plugins import ANNOUNCED, ENTRY_POINTS
from kernelwright.ir.errors import UserError
from kernelwright.ir.options import listed, number_of
from kernelwright.ir.plugins import announced

_KEY = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)
_WORD = re.compile(r"(?!(null|true|false|inf|nan)$)[A-Za-z_][\w-]*", re.ASCII | re.IGNORECASE)
_INTEGER = re.compile(r"-?(0|[1-9]\d*)", re.ASCII)
_FLOAT = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?", re.ASCII)

#: What is said to who gives passes where the name of a pipeline is wanted.
PASSES_HINT = "; passes are given with -p, as in -p 'lower-inductor,tune{trials=8}'"

Found = Literal["value", "group", "unknown", "other", "doubt"]


@dataclass(frozen=True)
class Shape:
    """What the configurations `roots` hold.

    `schemas` are dataclasses by the key that they stand at, "" for the whole. `groups` are chosen without such a key,
    `others` are keys that no dataclass has, and `hidden` tells keys that depend on the options that are chosen. Values
    below a key of `checks` are checked by its function, others as their dataclass says.
    """

    roots: tuple[str, ...]
    schemas: Mapping[str, type]
    groups: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    hidden: Callable[[], Iterable[str]] = tuple
    checks: Mapping[str, Callable[[Mapping[str, Any]], object]] = field(default_factory=dict)

    def keys(self) -> set[str]:
        """Every key, dotted."""
        found = set(self.others)
        for prefix, schema in self.schemas.items():
            for one in listed(schema, f"{prefix}." if prefix else ""):
                parts = one.key.split(".")
                found |= {".".join(parts[:end]) for end in range(1, len(parts) + 1) if "plugin" not in parts}
        return found

    def find(self, key: str) -> Found:
        """What a key stands for; `other` and `doubt` are for Hydra to know, and for `doubt` other keys depend on it."""
        top, _, rest = key.partition(".")
        folder = Path(conf.__path__[0], top)
        if not rest and (top in self.schemas or top in self.groups):
            return "group"
        if top in self.others or key in self.others:
            return "other"
        if rest and top in self.schemas:
            return _walk(self.schemas[top], rest.split("."))
        if folder.is_dir() and _walk(self.schemas[""], [top]) == "unknown":
            return "other"  # a group without keys here
        found = _walk(self.schemas[""], key.split("."))
        return "group" if found == "doubt" and not rest and folder.is_dir() else found


def _field(schema: type, parts: Sequence[str]) -> "Field[Any]":
    """The field that a dotted key of a dataclass stands for."""
    found = next(item for item in fields(schema) if item.name == parts[0])
    return _field(cast(type, found.type), parts[1:]) if parts[1:] else found


def _walk(schema: type, parts: Sequence[str]) -> Found:
    """What a key stands for in a dataclass."""
    kinds = {item.name: item.type for item in fields(schema)}
    if parts[0] not in kinds:
        return "unknown"
    kind = kinds[parts[0]]
    if not (isinstance(kind, type) and is_dataclass(kind)):
        return "doubt" if parts[0] == "plugin" else "other" if parts[1:] else "value"
    return _walk(kind, parts[1:]) if parts[1:] else "doubt"


def refuse(overrides: Sequence[str], root: str, shape: Shape) -> None:
    """UserError for plain overrides that are certainly wrong."""
    if "hydra" in sys.modules or root not in shape.roots:
        return
    try:
        _refuse(overrides, shape)
    except UserError:
        if not _others_bring_configuration():
            raise


def _refuse(overrides: Sequence[str], shape: Shape) -> None:
    given = {}
    for override in overrides:
        key, equals, text = override.partition("=")
        if not equals or not _KEY.fullmatch(key) or key.startswith("hydra."):
            return
        given[key] = text  # the last one counts
    found = {key: shape.find(key) for key in given}
    groups = {key: given[key] for key, what in found.items() if what == "group"}
    if "doubt" in found.values() or not all(map(_WORD.fullmatch, groups.values())):
        return
    for group, option in groups.items():
        known = [path.stem for path in Path(conf.__path__[0], group).glob("*.yaml")]
        if option not in known:
            raise UserError(unknown_option(group, option, known))
    for key, what in found.items():
        if what == "unknown":
            _refuse_key(key, shape)
    _check_values({key: given[key] for key, what in found.items() if what == "value"}, shape)


def _refuse_key(key: str, shape: Shape) -> None:
    """UserError for a key that there is not, unless what is like it depends on options."""
    valid, hidden = shape.keys(), set(shape.hidden())
    if not set(difflib.get_close_matches(key, valid | hidden, n=1)) & (hidden - valid):
        raise UserError(unknown_key(key, valid))


def _check_values(given: Mapping[str, str], shape: Shape) -> None:
    """UserError for plain values that their dataclasses refuse."""
    nested: dict[str, dict[str, Any]] = {}
    for key, text in given.items():
        value = _value(text)
        if value is None:
            continue
        top, _, rest = key.partition(".")
        at, parts = (top, rest.split(".")) if top in shape.schemas else ("", key.split("."))
        place = nested.setdefault(at, {})
        for part in parts[:-1]:
            place = place.setdefault(part, {})
        place[parts[-1]] = value
        if isinstance(value, str):
            _refuse_word(key, value, _field(shape.schemas[at], parts))
    for at, values in nested.items():
        if at in shape.checks:
            shape.checks[at](values)
        else:
            schema = shape.schemas[at]
            asked = {item.name: "" for item in fields(schema) if item.default == "???"}
            check_config(schema, asked | values, f"{at}." if at else "")


def _refuse_word(key: str, word: str, item: "Field[Any]") -> None:
    """UserError for a word where one number is wanted. OmegaConf, which says the same, is imported in longer time."""
    wanted = number_of(item.type)
    if wanted is not None:
        raise UserError(not_a_number(key, word, wanted))


def _value(text: str) -> int | float | str | None:
    """A word or a number as Hydra reads it, None for anything else."""
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text if _WORD.fullmatch(text) else None


def _others_bring_configuration() -> bool:
    """Whether an installed package may add to the configuration, by its entry points or as a plug-in of Hydra's."""
    announcing = any(announced(group) for group in (ENTRY_POINTS, *ANNOUNCED.values()))
    return announcing or find_spec("hydra_plugins") is not None


def unknown_option(group: str, option: str, known: Iterable[str]) -> str:
    """What is said of an option that a group does not have."""
    hint = PASSES_HINT if group == "pipeline" else ""
    named = ", ".join(sorted(name for name in known if not name.startswith("_")))
    return f"unknown {group} {option!r} (choose from {named}){hint}"
