"""A configuration checked against a dataclass; OmegaConf is imported when that is done.

A group's option that holds `_target_` is a plug-in: its keys are its own, and `check_config` hands them on as they are.
"""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, cast

from kernelwright.driver.config.plugins import TARGET
from kernelwright.ir.errors import UserError
from kernelwright.ir.options import check_options

if TYPE_CHECKING:
    from omegaconf import DictConfig

T = TypeVar("T")
#: How OmegaConf says that a value is of another kind than its field.
_OTHER_KIND = (
    r"Value '(?P<given>.*?)'(?: of type '.*')? could not be converted to (?P<kind>Integer|Float)",
    r"Value '(?P<given>.*?)' is not a valid (?P<kind>bool)",
    r"Cannot convert '\w+' to (?P<kind>string): '(?P<given>.*)'",
    r"Incompatible value '(?P<given>None)' for field of type '(?P<kind>int|float|bool|str)'",
)
#: What to give, by OmegaConf's names of kinds.
_WANTED = {"bool": "true or false", "str": "a text", "string": "a text"}
_WANTED |= dict.fromkeys(("int", "Integer"), "a whole number") | dict.fromkeys(("float", "Float"), "a number")


def check_config(schema: type[T], config: "DictConfig | Mapping[str, Any]", prefix: str = "") -> T:
    """The configuration as an instance of a dataclass; UserError for a value of the wrong type or out of its range.

    A group that holds `_target_` keeps its keys in the field `plugin` of the group's schema; keys that the schema has
    as well mean what they mean for our options.
    """
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    shape = OmegaConf.structured(schema)
    given = {str(key): _as_plugin(value, shape.get(key)) for key, value in cast(dict[str, Any], config).items()}
    for key, value in given.items():
        if OmegaConf.is_dict(shape.get(key)) and not isinstance(value, Mapping):
            raise UserError(f"{prefix}{key}={value}: it has keys of its own; give {prefix}{key}.KEY=VALUE")
    try:
        settings = cast(T, OmegaConf.to_object(OmegaConf.merge(shape, given)))
    except OmegaConfBaseException as error:
        where = f"{prefix}{error.full_key or error.key or ''}"
        raise UserError(_reason(where, first_line(error), shape, prefix)) from error
    check_options(settings, prefix)
    return settings


def _reason(key: str, said: str, shape: "DictConfig", prefix: str) -> str:
    """What OmegaConf says of a key, in words about the command line."""
    from omegaconf import OmegaConf

    if "is not a ListConfig" in said:
        return f"configuration key {key!r}: write a list, such as [a,b]"
    for pattern in _OTHER_KIND:
        if refused := re.match(pattern, said, re.DOTALL):
            given = "null" if refused["given"] == "None" else refused["given"]
            return f"{key}={given}: give {_WANTED[refused['kind']]}"
    if re.match(r"Key '.*' not in ", said):
        above = key.rpartition(".")[0]
        inner = f"{above}.".removeprefix(prefix).rstrip(".")
        parent = OmegaConf.select(shape, inner) if inner else shape
        beside = [f"{above}.{name!s}".lstrip(".") for name in parent] if OmegaConf.is_dict(parent) else []
        return unknown_key(key, beside) if beside else f"unknown configuration key {key!r}"
    return f"configuration key {key!r}: {said}"


def not_a_number(key: str, given: str, wanted: type) -> str:
    """The message about a value in the place of a number, `int` or `float`."""
    return f"{key}={given}: give a {'whole ' if wanted is int else ''}number"


def is_plugin(value: object) -> bool:
    """Whether a group's value comes from a package of the user's own."""
    return isinstance(value, Mapping) and TARGET in value


def _as_plugin(value: Any, shape: Any) -> Any:
    """A plug-in's keys moved out of the schema's way; anything else as it is."""
    from omegaconf import OmegaConf

    if not is_plugin(value) or not OmegaConf.is_dict(shape) or "plugin" not in shape:
        return value
    keys: Any = OmegaConf.to_container(value, resolve=True) if OmegaConf.is_config(value) else dict(value)
    return {key: kept for key, kept in keys.items() if key in shape} | {"plugin": keys}


def check_values(settings: object, rules: Mapping[str, tuple[bool, str]], prefix: str = "") -> None:
    """UserError for the first value that is of the right type and does not fit.

    `rules` are by key, dotted as in the configuration: whether its value fits, and what to give instead.
    """
    for key, (fits, hint) in rules.items():
        if not fits:
            raise UserError(f"{prefix}{key}={attrgetter(key)(settings)}: {hint}")


def without(config: "DictConfig", names: Sequence[str]) -> "DictConfig":
    """The configuration without some of its keys."""
    from omegaconf import OmegaConf

    return OmegaConf.masked_copy(config, [str(key) for key in config if key not in names])


def first_line(error: Exception) -> str:
    """What an error says, without what it adds below."""
    return str(error).splitlines()[0]


def unknown_key(key: str, valid: Iterable[str]) -> str:
    """The message for a key that does not exist."""
    return f"unknown configuration key {key!r}{near(key, valid)}"


def near(key: str, valid: Iterable[str]) -> str:
    """The valid key that is most like a wrong one, and the keys beside it."""
    known = sorted(valid)
    inner = [name for name in known if name.endswith(f".{key}")]  # a key without the groups that it stands in
    close = inner[:1] or [name for name in difflib.get_close_matches(key, known, n=1) if _alike(key, name)]
    hint = f"; did you mean {close[0]!r}?" if close else ""
    group = (close[0] if close else key).rpartition(".")[0]
    beside = [name for name in known if name.rpartition(".")[0] == group] or [name for name in known if "." not in name]
    return f"{hint} (valid keys: {', '.join(beside)})"


def _alike(key: str, known: str) -> bool:
    """Whether two dotted keys are alike in more than the group that they begin with."""
    (group, _, name), (other, _, known_name) = key.rpartition("."), known.rpartition(".")
    return group != other or bool(difflib.get_close_matches(name, [known_name]))
