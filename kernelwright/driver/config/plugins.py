"""What other packages bring, made as configuration says: an option that holds `_target_`."""

import inspect
import pkgutil
from collections.abc import Callable, Mapping
from typing import Any

from kernelwright.ir.errors import UserError

#: The key of an option that another package makes.
TARGET = "_target_"
#: Entry points of this group name packages that hold configuration, such as `mine = "mypackage.conf"`.
ENTRY_POINTS = "kernelwright.conf"
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
PLAIN = (bool, int, float, str, list, dict, type(None))


def make(group: str, options: Mapping[str, Any], fits: Callable[[Any], str], **hooks: Any) -> Any:
    """What an option's `_target_` makes of its other keys.

    `hooks` are values that configuration cannot spell, and those that every option of the group has; each is handed on
    where the class or function takes it. `fits` says what is wrong with the outcome, "" where nothing is. Raises
    UserError, naming group and target, for one that cannot be imported, refuses its keys, or makes something else.
    """
    from hydra.errors import InstantiationException  # late: settings are declared without Hydra
    from hydra.utils import instantiate

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
    plain = {key: value for key, value in given.items() if isinstance(value, PLAIN)}
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
