"""Hydra: the configuration under `conf/` composed with overrides.

Configuration of other packages is found as well: that of packages which announce theirs by the entry-point group
`kernelwright.conf`, and that of `hydra.searchpath=[…]`.
"""

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import fields
from importlib.util import find_spec
from io import TextIOBase
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, cast

from hydra import compose, initialize_config_module
from hydra.conf import HydraConf
from hydra.core.config_search_path import ConfigSearchPath, SearchPathQuery
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.plugins import Plugins
from hydra.core.singleton import Singleton
from hydra.errors import ConfigCompositionException, MissingConfigException, OverrideParseException
from hydra.plugins.search_path_plugin import SearchPathPlugin
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import MarkedYAMLError, YAMLError  # type: ignore[import-untyped]

from kernelwright import conf
from kernelwright.driver.config.announced_options import AnnouncedOptions
from kernelwright.driver.config.arguments import quoted
from kernelwright.driver.config.checking import first_line, near, unknown_key
from kernelwright.driver.config.plain import PASSES_HINT, unknown_option
from kernelwright.driver.config.plugins import ENTRY_POINTS
from kernelwright.ir.errors import UserError
from kernelwright.ir.plugins import announced
from kernelwright.rl.algorithms.algorithm import Algorithm

CONFIG_MODULE = "kernelwright.conf"
#: What Hydra raises for bad overrides; ValueError for a group that is given a number.
COMPOSITION_ERRORS = (
    ConfigCompositionException,
    OverrideParseException,
    OmegaConfBaseException,
    YAMLError,
    ValueError,
)
_OVERRIDE = re.compile(r"(\+\+?)?[A-Za-z_][^=\s]*=.*|~[A-Za-z_][^=\s]*(=.*)?", re.DOTALL)
#: Keys whose values have names of the user's own.
_OPEN = re.compile(r"(policy\.|judge\.)?(adapters|template)[.=]")
#: Keys of paths and the like: their values are taken as they are, and are no expressions of Hydra's grammar.
_PATHS = re.compile(
    r"out|adapter|pairs|model|reference|candidate|batch|tokenizer|problems\.place|policy\.adapters\.[^.]+"
    r"|(policy|judge)\.(path|record|model|url)|hydra\.(run|sweep)\.dir"
)
#: What is said of a value that names a resolver or a key that is not there.
_RESOLVERS = "; ${KEY} is another key's value, ${now:%Y-%m-%d} the date, ${oc.env:NAME} an environment variable"
#: What is said of keys that the user's own configuration lacks.
_INSTEAD = "{}.yaml replaces the verb's configuration: begin it with `defaults: [config, _self_]`; \
for a verb other than compile, write the verb's name instead of config"
#: What is the name of no group's option.
_NO_NAME = re.compile(r"-?\d[\d.eE+-]*|[+-]?(nan|inf)|null|true|false|\[.*\]", re.DOTALL | re.IGNORECASE)
#: Keys of a verb's own that are lists without brackets, or pipelines.
_WHOLE = {
    "data": ("stage", "problems", "against", "rungs", "lower"),
    "evaluate": ("rungs",),
    "ablate": ("pipeline", "baseline"),
}

#: What the options of `conf/algorithm` begin with: the defaults stand at the fields, and each option says what differs.
ConfigStore.instance().store("_fields", {item.name: item.default for item in fields(Algorithm)}, group="algorithm")


class AnnouncedConfiguration(SearchPathPlugin):
    """Puts the configuration of installed packages on Hydra's search path, after ours, and that of `given` places."""

    given: ClassVar[tuple[str, ...]] = ()

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        """Called by Hydra whenever it makes a search path."""
        for place in self.given:
            search_path.prepend("given", place, SearchPathQuery(provider="schema"))
        for found in (point for points in announced(ENTRY_POINTS).values() for point in points):
            if folder := _folder(found.value):
                search_path.prepend(found.name, f"file://{folder}", SearchPathQuery(provider="schema"))
            else:
                package = f"the package {found.dist.name}" if found.dist else "a package"
                warnings.warn(f"{package} announces configuration in {found.value}, which does not exist", stacklevel=2)
        search_path.prepend("announced", f"{AnnouncedOptions.scheme()}://", SearchPathQuery(provider="schema"))


def _folder(package: str) -> Path | None:
    """Where a package lies; nothing of it is imported, so that one that is broken harms nobody."""
    top, *rest = package.split(".")
    spec = find_spec(top)
    places = [Path(place, *rest) for place in (spec.submodule_search_locations or ())] if spec else []
    return next((place for place in places if place.is_dir()), None)


def register_plugins(overrides: Sequence[str]) -> None:
    """Make Hydra, as it is now in this process, look where other packages' configuration is.

    What `hydra.searchpath` names is there from the start: Hydra itself looks there for no primary configuration.
    """
    AnnouncedConfiguration.given = tuple(place for item in overrides for place in _search_path(item))
    for plugin in (AnnouncedConfiguration, AnnouncedOptions):
        Plugins.instance().register(plugin)


def _search_path(override: str) -> list[str]:
    """The places that an override of `hydra.searchpath` names."""
    if not override.startswith("hydra.searchpath="):
        return []
    try:
        named = OverridesParser.create().parse_override(override).value()
    except OverrideParseException:  # which composing tells
        return []
    return [str(place) for place in named] if isinstance(named, list) else []


def opened(override: str) -> str:
    """An override that Hydra takes also where it adds a key, where the names of keys are the user's own."""
    return f"++{override}" if _OPEN.match(override) else override


def for_hydra(override: str, root: str, multirun: bool = False) -> str:
    """An override as Hydra's grammar has it, with a path quoted; in a multirun, paths with commas between are swept.

    Values that are quoted already, or null, stay as they are.
    """
    prefix, key, value = _parts(override)
    whole = key in _WHOLE.get(root, ())
    if not _is_whole(key, root) or value in ("", "null") or re.fullmatch(r"(['\"]).*\1", value, re.DOTALL):
        return override
    values = value.split(",") if multirun and not whole else [value]
    return f"{prefix}{key}={','.join(map(quoted, values))}"


def verbatim(override: str, root: str) -> str:
    """An override with its value as it was before `for_hydra` quoted it."""
    prefix, key, value = _parts(override)
    if not _is_whole(key, root) or not re.fullmatch(r"'.*'", value, re.DOTALL):
        return override
    inner = re.sub(r"(\\+)('|$)", lambda found: "\\" * (len(found[1]) // 2) + found[2], value[1:-1])
    return f"{prefix}{key}={inner}"


def _is_whole(key: str, root: str) -> bool:
    """Whether a key's value is taken as it is."""
    return key in _WHOLE.get(root, ()) or _PATHS.fullmatch(key) is not None


def _parts(override: str) -> tuple[str, str, str]:
    key, _, value = override.partition("=")
    name = key.lstrip("+~")
    return key[: len(key) - len(name)], name, value


def compose_config(
    overrides: Sequence[str] = (), missing: Mapping[str, str] = MappingProxyType({}), root: str = "config"
) -> DictConfig:
    """Compose and resolve one configuration; `missing` fills keys that are `???` and not overridden.

    A Hydra application that this runs inside stays as it was.
    """
    for override in overrides:
        if not _OVERRIDE.fullmatch(override):
            raise UserError(f"override `{override}` is not of the form key=value, +key=value or ~key")
    given = [for_hydra(opened(override), root) for override in overrides]
    _refuse_groups(overrides)
    outer = Singleton.get_state()
    GlobalHydra.instance().clear()
    try:
        register_plugins(given)
        with initialize_config_module(CONFIG_MODULE, version_base=None):
            try:
                config = compose(root, overrides=given)
                for key, value in missing.items():
                    if OmegaConf.is_missing(config, key):
                        config[key] = value
                _resolve(config)
                return config
            except COMPOSITION_ERRORS as error:
                raise UserError(explain(error, given, root)) from error
    finally:
        Singleton.set_state(outer)


def _resolve(config: DictConfig) -> None:
    """Fill in what values refer to. UserError, naming the key, for one that refers to nothing."""
    try:
        OmegaConf.resolve(config)
    except OmegaConfBaseException as error:
        for key in _keys(cast(dict[str, Any], OmegaConf.to_container(config, resolve=False))):
            try:
                OmegaConf.select(config, key)
            except OmegaConfBaseException as wrong:
                raise UserError(f"{key}: {first_line(wrong)}{_RESOLVERS}") from error
        raise


def options_of(group: str) -> list[str]:
    """The options of one of our configuration groups; none for what is no group."""
    folder = Path(conf.__path__[0], group)
    return (
        sorted(path.stem for path in folder.glob("*.yaml") if not path.stem.startswith("_"))
        if group.isidentifier()
        else []
    )


def _refuse_groups(overrides: Sequence[str]) -> None:
    """UserError for a group of ours that is given a number, a truth value or a list, of which Hydra names no key."""
    for override in overrides:
        key, _, value = override.lstrip("+").partition("=")
        if _NO_NAME.fullmatch(value) and (names := options_of(key)):
            raise UserError(f"{key}={value}: {key} takes a name (choose from {', '.join(names)}), or {key}.KEY=VALUE")


def explain(error: Exception, overrides: Sequence[str], root: str) -> str:
    """One line on a failed composition: which override, and what would be valid. Hydra must be initialised."""
    if isinstance(error, MissingConfigException) and error.missing_cfg_file and error.options:
        group, _, option = str(error.missing_cfg_file).rpartition("/")
        if group.startswith("hydra/"):
            return unknown_option(group, option, error.options)
        group, _, folder = group.partition("/")
        place = "; a file or a folder goes into problems.place" if folder and group == "problems" else ""
        return unknown_option(group, f"{folder}/{option}" if folder else option, error.options) + place
    if isinstance(error, OverrideParseException):
        if str(error.override).startswith("pipeline="):
            return f"{error.override} does not name a pipeline{PASSES_HINT}"
        return f"override `{error.override}` does not parse: {first_line(error)}"
    if isinstance(error, MarkedYAMLError) and (mark := error.problem_mark):
        return f"{mark.name}:{mark.line + 1}:{mark.column + 1}: not YAML: {error.problem}"
    if isinstance(error, UnicodeDecodeError) and (place := _not_text(error)):
        return f"{place} is not a text file; write it in UTF-8"
    said = first_line(error)
    if said.startswith("Error merging override") and isinstance(error.__cause__, Exception):
        return f"{said}: {first_line(error.__cause__)}{_RESOLVERS if '${' in said else ''}"
    own = Path(conf.__path__[0], f"{root}.yaml").is_file()
    if isinstance(error, MissingConfigException):
        if str(error.missing_cfg_file).removesuffix(".yaml") == root:
            return f"--config-name={root}: there is no {root}.yaml; give also --config-dir=FOLDER, which holds the file"
        return said if own else f"{said.rstrip('.')}; {_INSTEAD.format(root)}"
    if "group override must be a string" in said:
        return "a configuration group takes the name of one of its options; leave the group out for its default"
    if added := re.match(r"Could not append to config\. An item is already at '([^']+)'", said):
        return f"+{added[1]}: the key is there already; write {added[1]}=VALUE to change it"
    if added := re.match(r"Multiple values for ([^.]+)\. To override", said):
        return f"+{added[1]}={_of_key(overrides, added[1])}: the key is there already; write it without the +"
    if removed := re.match(r"Could not delete from config\. '([^']+)' does not exist", said):
        return f"~{removed[1]}: there is no such key{near(removed[1], _valid(overrides, removed[1], root))}"
    unknown = re.match(r"Could not override '([^']+)'", said)
    if unknown is None:
        hint = (
            "; give -m to run each, quote it, write a list as [a,b], or give a pipeline with -p"
            if said.startswith("Ambiguous")
            else ""
        )
        return f"{said}{hint}"
    valid = _valid(overrides, unknown[1], root)
    if unknown[1] in valid:
        return f"{unknown[1]!r} is a group: write {unknown[1]}=NAME, or {unknown[1]}.KEY=VALUE"
    if unknown[1].startswith("hydra."):
        known = cast(dict[str, Any], OmegaConf.to_container(OmegaConf.structured(HydraConf)))
        return unknown_key(unknown[1], _keys(known, "hydra."))
    return unknown_key(unknown[1], valid) + ("" if own else f"; {_INSTEAD.format(root)}")


def _not_text(error: BaseException) -> str:
    """The name of the file that was being read when an error was raised; "" where none was."""
    frame = error.__traceback__
    while frame is not None:
        for value in frame.tb_frame.f_locals.values():
            if isinstance(value, TextIOBase) and isinstance(name := getattr(value, "name", None), str):
                return name
        frame = frame.tb_next
    return ""


def _of_key(overrides: Sequence[str], key: str) -> str:
    """The value that a key is added with."""
    return next((item.partition("=")[2] for item in overrides if item.startswith(f"+{key}=")), "")


def _valid(overrides: Sequence[str], wrong: str, root: str) -> list[str]:
    """The keys of the configuration that there would be without the override that is wrong."""
    rest = [item for item in overrides if item.lstrip("+~").partition("=")[0] != wrong]
    for kept in (rest, [item for item in rest if item.startswith("hydra.searchpath=")]):
        try:
            return _keys(cast(dict[str, Any], OmegaConf.to_container(compose(root, overrides=kept))))
        except COMPOSITION_ERRORS:  # another override is wrong as well
            continue
    return []


def _keys(config: Mapping[Any, Any], prefix: str = "") -> list[str]:
    """Every key, dotted."""
    found = []
    for key, value in config.items():
        found.append(f"{prefix}{key}")
        if isinstance(value, Mapping):
            found += _keys(value, f"{prefix}{key}.")
    return found
