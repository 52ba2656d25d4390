"""Hydra: the configuration under `conf/` composed with overrides, and checked against a schema."""

import difflib
import re
from collections.abc import Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType
from typing import Any, TypeVar, cast

from hydra import compose, initialize_config_module
from hydra.core.global_hydra import GlobalHydra
from hydra.core.singleton import Singleton
from hydra.errors import ConfigCompositionException, MissingConfigException, OverrideParseException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from kernelwright.ir.errors import UserError

CONFIG_MODULE = "kernelwright.conf"
#: What Hydra raises for bad overrides; ValueError for a group that is given a number.
_COMPOSITION_ERRORS = (
    ConfigCompositionException,
    OverrideParseException,
    OmegaConfBaseException,
    ValueError,
)
_OVERRIDE = re.compile(r"[A-Za-z_][\w.]*=.*", re.DOTALL)
#: Keys whose values have names of the user's own.
_OPEN = re.compile(r"policy\.adapters[.=]")

T = TypeVar("T")


def check_config(schema: type[T], config: DictConfig, prefix: str = "") -> T:
    """The configuration as an instance of a dataclass; UserError for a value of the wrong type."""
    shape = OmegaConf.structured(schema)
    for key, value in cast(dict[str, Any], config).items():
        if OmegaConf.is_dict(shape.get(key)) and not OmegaConf.is_dict(value):
            raise UserError(f"{prefix}{key}={value}: it has keys of its own; give {prefix}{key}.KEY=VALUE")
    try:
        return cast(T, OmegaConf.to_object(OmegaConf.merge(shape, config)))
    except OmegaConfBaseException as error:
        where = f"{prefix}{error.full_key or error.key or ''}"
        reason = "write a list, as [a,b]" if "is not a ListConfig" in str(error) else _first_line(error)
        raise UserError(f"configuration key {where!r}: {reason}") from error


def check_values(settings: object, rules: Mapping[str, tuple[bool, str]], prefix: str = "") -> None:
    """UserError for the first value that is of the right type and does not fit.

    `rules` are by key, dotted as in the configuration: whether its value fits, and what to give instead.
    """
    for key, (fits, hint) in rules.items():
        if not fits:
            raise UserError(f"{prefix}{key}={attrgetter(key)(settings)}: {hint}")


def compose_config(
    overrides: Sequence[str] = (), missing: Mapping[str, str] = MappingProxyType({}), root: str = "config"
) -> DictConfig:
    """Compose and resolve one configuration; `missing` fills keys that are `???` and not overridden.

    A Hydra application that this runs inside stays as it was.
    """
    for override in overrides:
        if not _OVERRIDE.fullmatch(override) or override.startswith("hydra."):
            raise UserError(f"override `{override}` is not of the form key=value")
    given = [f"++{override}" if _OPEN.match(override) else override for override in overrides]
    outer = Singleton.get_state()
    GlobalHydra.instance().clear()
    try:
        with initialize_config_module(CONFIG_MODULE, version_base=None):
            try:
                config = compose(root, overrides=given)
                for key, value in missing.items():
                    if OmegaConf.is_missing(config, key):
                        config[key] = value
                OmegaConf.resolve(config)
                return config
            except _COMPOSITION_ERRORS as error:
                raise UserError(_explain(error, compose(root))) from error
    finally:
        Singleton.set_state(outer)


def _explain(error: Exception, defaults: DictConfig) -> str:
    """One line on a failed composition: which override, and what would be valid."""
    if isinstance(error, MissingConfigException) and error.missing_cfg_file and error.options:
        group, _, option = str(error.missing_cfg_file).rpartition("/")
        return f"unknown {group} {option!r} (choose from {', '.join(error.options)})"
    if isinstance(error, OverrideParseException):
        return f"override `{error.override}` does not parse: {_first_line(error)}"
    if "group override must be a string" in str(error):
        return "a configuration group takes the name of one of its options: leave it out for what it is by default"
    unknown = re.match(r"Could not override '([^']+)'", str(error))
    if unknown is None:
        ambiguous = str(error).startswith("Ambiguous value")
        hint = "; quote it, write a list as [a,b], or give a pipeline with -p" if ambiguous else ""
        return f"{_first_line(error)}{hint}"
    valid = _keys(cast(dict[str, Any], OmegaConf.to_container(defaults)))
    if unknown[1] in valid:
        return f"{unknown[1]!r} is a group: write {unknown[1]}=NAME, or {unknown[1]}.KEY=VALUE"
    close = difflib.get_close_matches(unknown[1], valid, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return f"unknown configuration key {unknown[1]!r}{hint} (valid keys: {', '.join(valid)})"


def _keys(config: Mapping[Any, Any], prefix: str = "") -> list[str]:
    """Every key, dotted."""
    found = []
    for key, value in config.items():
        found.append(f"{prefix}{key}")
        if isinstance(value, Mapping):
            found += _keys(value, f"{prefix}{key}.")
    return found


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
