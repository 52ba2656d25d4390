"""What other packages bring, made as configuration says: an option that holds `_target_`, and the options that packages
announce by entry points alone."""

import inspect
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from hydra.core.object_type import ObjectType
from hydra.errors import InstantiationException
from hydra.plugins.config_source import ConfigLoadError, ConfigResult, ConfigSource
from hydra.utils import instantiate
from omegaconf import OmegaConf

from kernelwright.ir.errors import UserError
from kernelwright.ir.plugins import announced, load_entry_point

#: The key of an option that another package makes.
TARGET = "_target_"
#: Groups of the configuration -> the entry-point groups whose names are options of theirs.
ANNOUNCED: Mapping[str, str] = {
    "reward": "kernelwright.rewards",
    "algorithm": "kernelwright.algorithms",
    "target": "kernelwright.targets",
    "policy": "kernelwright.policies",
    "judge": "kernelwright.policies",
    "problems": "kernelwright.problems",
}
#: What every function and class can be given, and configuration can spell.
_PLAIN = (bool, int, float, str, list, dict, type(None))


def make(group: str, options: Mapping[str, Any], fits: Callable[[Any], str], **hooks: Any) -> Any:
    """What an option's `_target_` makes of its other keys.

    `hooks` are values that configuration cannot spell, and those that every option of the group has; each is handed on
    where the class or function takes it. `fits` says what is wrong with the outcome, "" where nothing is. Raises
    UserError, naming group and target, for one that cannot be imported, refuses its keys, or makes something else.
    """
    path = str(options[TARGET])
    where = f"{group}: {TARGET}={path}"
    try:
        maker = pkgutil.resolve_name(path)
    except Exception as error:  # importing runs the package's own code, which may raise anything
        reason = " ".join(str(error).split())
        hint = "install its package, or set PYTHONPATH to the folder that it lies in"
        raise UserError(f"{where} cannot be imported: {reason}; {hint}") from error
    taken = _parameters(maker)
    given = {key: value for key, value in options.items() if key not in hooks or key in taken}
    given |= {key: value for key, value in hooks.items() if key in taken and key not in given and value is not None}
    plain = {key: value for key, value in given.items() if isinstance(value, _PLAIN)}
    live = {key: value for key, value in given.items() if key not in plain}
    try:
        made = instantiate(plain, **live, _convert_="all")
    except InstantiationException as error:
        reason = " ".join(str(error.__cause__ or error).split())
        raise UserError(f"{where}: {reason}") from error
    if complaint := fits(made):
        raise UserError(f"{where}: {complaint}")
    return made


def _parameters(maker: Any) -> frozenset[str]:
    """The names that a class or function takes."""
    try:
        return frozenset(inspect.signature(maker).parameters)
    except (TypeError, ValueError):  # not callable, which instantiating tells, or without a signature
        return frozenset()


class AnnouncedOptions(ConfigSource):
    """Hydra's view of what packages announce: each is an option of its group, with its own defaults as keys.

    A package is imported when its option is chosen.
    """

    @staticmethod
    def scheme() -> str:
        """What search paths call it."""
        return "announced"

    def available(self) -> bool:
        """It always is."""
        return True

    def is_group(self, config_path: str) -> bool:
        """Whether packages can announce options of a group."""
        return config_path in ANNOUNCED

    def is_config(self, config_path: str) -> bool:
        """Whether a package announces that option."""
        group, _, name = config_path.removesuffix(".yaml").rpartition("/")
        return group in ANNOUNCED and name in announced(ANNOUNCED[group])

    def load_config(self, config_path: str) -> ConfigResult:
        """The option's keys."""
        group, _, name = config_path.removesuffix(".yaml").rpartition("/")
        if not self.is_config(config_path):
            raise ConfigLoadError(f"no package announces {config_path}")
        return ConfigResult(self.provider, self.full_path(), OmegaConf.create(_keys(group, name)), {"package": None})

    def list(self, config_path: str, results_filter: ObjectType | None) -> list[str]:
        """The options of a group."""
        if results_filter is ObjectType.GROUP or config_path not in ANNOUNCED:
            return []
        return sorted(announced(ANNOUNCED[config_path]))


def _keys(group: str, name: str) -> dict[str, Any]:
    # Imported where they are wanted: some need torch, and arguments are checked without it.
    if group == "reward":
        from kernelwright.agent.rewards import reward_options

        return {"name": name} | reward_options(name)
    if group == "algorithm":
        from kernelwright.rl.presets import preset

        return {"name": name} | asdict(preset(name))
    if group == "target":
        return {"name": name}
    points = announced(ANNOUNCED[group])[name]
    if len(points) > 1:
        raise UserError(f"{group} {name!r} is announced by more than one package: uninstall one of them")
    maker = load_entry_point(group, points[0])
    if not callable(maker):
        raise UserError(f"{group} {name!r} (entry point {points[0].value}) is neither a class nor a function")
    defaults = {key: one.default for key, one in inspect.signature(maker).parameters.items()}
    plain = {key: value for key, value in defaults.items() if isinstance(value, _PLAIN)}
    return {TARGET: points[0].value.replace(":", ".")} | plain
