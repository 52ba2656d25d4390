"""The published algorithms, and those of other packages, by name. Ours are the files of `conf/algorithm`, each of which
says what differs from the defaults."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any, cast

from omegaconf import OmegaConf

from kernelwright import conf
from kernelwright.ir.errors import UserError
from kernelwright.ir.plugins import Registry
from kernelwright.rl.algorithms.algorithm import Algorithm


def _complaint(_name: str, found: object) -> str:
    """What is wrong with an algorithm that a package announces."""
    return "" if isinstance(found, Algorithm) else f"it is not a {Algorithm.__module__}.Algorithm"


#: Algorithms by the names under which configuration knows them.
PRESETS: Registry[Algorithm] = Registry("algorithm", "kernelwright.algorithms", _complaint)
for _path in sorted((Path(conf.__path__[0]) / "algorithm").glob("*.yaml")):
    _options = cast(dict[str, Any], OmegaConf.to_container(OmegaConf.load(_path)))
    PRESETS.add(_path.stem, Algorithm(**{key: _options[key] for key in _options if key not in ("defaults", "name")}))


def preset(name: str, **changes: Any) -> Algorithm:
    """A published algorithm with some of its fields changed. Raises UserError for an unknown name or field."""
    found = PRESETS.find(name)
    unknown = sorted(set(changes) - {item.name for item in fields(Algorithm)})
    if unknown:
        raise UserError(f"algorithm {name}: no field {', '.join(unknown)}")
    return replace(found, **changes)
