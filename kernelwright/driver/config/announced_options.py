"""The options of configuration groups that other packages announce by entry points alone."""

import inspect
from dataclasses import asdict
from typing import Any

from hydra.core.object_type import ObjectType
from hydra.plugins.config_source import ConfigLoadError, ConfigResult, ConfigSource
from omegaconf import OmegaConf

from kernelwright.driver.config.plugins import ANNOUNCED, PLAIN, TARGET
from kernelwright.ir.errors import UserError
from kernelwright.ir.plugins import announced, load_entry_point


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
        from kernelwright.rl.algorithms.presets import preset

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
    plain = {key: value for key, value in defaults.items() if isinstance(value, PLAIN)}
    return {TARGET: points[0].value.replace(":", ".")} | plain
