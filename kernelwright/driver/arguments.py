"""Command-line arguments: flags, positional arguments, and configuration overrides `key=value`."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kernelwright.ir.errors import UserError


@dataclass(frozen=True)
class Flag:
    """A flag: its long name (`--emit`), a short one or "", and what its value is called ("" for a switch)."""

    name: str
    takes: str = ""
    short: str = ""


@dataclass(frozen=True)
class Arguments:
    """What stands after the verb. `flags` maps long names to values, "" for a switch that was given."""

    positional: tuple[str, ...] = ()
    overrides: tuple[str, ...] = ()
    flags: Mapping[str, str] = field(default_factory=dict)

    def path(self, what: str, verb: str) -> str:
        """The one positional argument; UserError for none or several."""
        if len(self.positional) != 1:
            found = f"got {' '.join(self.positional)}" if self.positional else "got none"
            raise UserError(f"{verb} takes one path to {what}, {found} (see `kernelwright {verb} --help`)")
        return self.positional[0]


def read_arguments(verb: str, given: Sequence[str], flags: Sequence[Flag], takes_path: bool = True) -> Arguments:
    """Sort arguments into kinds; where a path is taken, the first one without a dash is it even if it holds `=`."""
    known = {name: flag for flag in flags for name in (flag.name, flag.short) if name}
    positional: list[str] = []
    overrides: list[str] = []
    values: dict[str, str] = {}
    rest = list(given)
    while rest:
        item = rest.pop(0)
        if item.startswith("-") and len(item) > 1:
            name, equals, value = item.partition("=")
            flag = known.get(name)
            if flag is None:
                raise UserError(_unknown_flag(verb, name, known))
            if equals and not flag.takes:
                raise UserError(f"{verb}: {flag.name} takes no value, got {value!r}")
            if flag.takes and not equals:
                if not rest:
                    raise UserError(f"{verb}: {flag.name} needs a value: {flag.name}={flag.takes}")
                value = rest.pop(0)
            values[flag.name] = value
        elif (positional or not takes_path) and ("=" in item or item.startswith("~")):
            overrides.append(item)
        else:
            positional.append(item)
    return Arguments(tuple(positional), tuple(overrides), values)


def _unknown_flag(verb: str, name: str, known: Mapping[str, Flag]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    return f"{verb} has no flag {name}{hint} (flags: {', '.join(known) or 'none'}; `--help` explains)"
