"""Command-line arguments: flags, positional arguments, and configuration overrides `key=value`."""

import difflib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType

from kernelwright.ir.errors import UserError


@dataclass(frozen=True)
class Flag:
    """A flag: its long name (`--emit`), a short one or "", and what its value is called ("" for a switch).

    With `choices` the value is one of them; where it is `optional` and not given, it is the first.
    """

    name: str
    takes: str = ""
    short: str = ""
    choices: tuple[str, ...] = ()
    optional: bool = False


INFO = ("all", "config", "defaults", "defaults-tree", "plugins", "searchpath")
#: Hydra's flags, which every verb that composes a configuration takes.
HYDRA_FLAGS = (
    Flag("--multirun", "", "-m"),
    Flag("--cfg", "WHAT", "-c", ("job", "hydra", "all")),
    Flag("--resolve"),
    Flag("--package", "KEY", "-p"),
    Flag("--info", "WHAT", "-i", INFO, optional=True),
    Flag("--config-dir", "FOLDER", "-cd"),
    Flag("--config-name", "NAME", "-cn"),
    Flag("--shell-completion", "", "-sc"),
    Flag("--hydra-help"),
)
#: Those of them that ask Hydra for something else than a run.
ASKING = ("--cfg", "--info", "--shell-completion", "--hydra-help")


@dataclass(frozen=True)
class Arguments:
    """What stands after the verb. `flags` maps long names to values, "" for a switch that was given."""

    positional: tuple[str, ...] = ()
    overrides: tuple[str, ...] = ()
    flags: Mapping[str, str] = field(default_factory=dict)

    def path(self, what: str, verb: str) -> str:
        """The one positional argument; UserError for none or several."""
        if len(self.positional) != 1:
            hints = [hint for word in self.positional[1:] if (hint := group_hint(word))]
            found = f"got {' '.join(self.positional)}" if self.positional else "got none"
            way_out = f"write {' '.join(hints)}" if hints else f"see `kernelwright {verb} --help`"
            raise UserError(f"{verb} takes one path to {what}, {found}; {way_out}")
        return self.positional[0]

    def keys(self, verb: str, known: Mapping[str, str]) -> dict[str, str]:
        """What is `known`, keys with what they are where nothing is said, with what was given; UserError for others."""
        asked = dict(known)
        for override in self.overrides:
            key, _, value = override.partition("=")
            if key not in asked or not value:
                raise UserError(f"{verb} takes {', '.join(f'{one}=…' for one in known)}, got {override}")
            asked[key] = value
        return asked

    def only_overrides(self, verb: str, example: str) -> None:
        """UserError for a positional argument, where a verb takes none."""
        if self.positional:
            hints = [hint for word in self.positional if (hint := group_hint(word))]
            raise UserError(
                f"{verb} takes key=value only, got {' '.join(self.positional)}; write {' '.join(hints) or example}"
            )

    @property
    def composed(self) -> tuple[str, ...]:
        """The overrides with what `--config-dir` adds to Hydra's search path."""
        if "--config-dir" not in self.flags:
            return self.overrides
        folder = Path(self.flags["--config-dir"]).absolute()
        if not folder.is_dir():
            raise UserError(f"--config-dir={self.flags['--config-dir']}: there is no such folder")
        added, key = quoted(f"file://{folder}"), "hydra.searchpath=["
        for index, item in enumerate(self.overrides):
            if item.startswith(key):
                own = f"{key}{added},{item.removeprefix(key)}"
                return (*self.overrides[:index], own, *self.overrides[index + 1 :])
        return (*self.overrides, f"{key}{added}]")

    def root(self, name: str) -> str:
        """The configuration that is composed: a verb's own, or that of `--config-name`, which is the user's."""
        chosen = self.flags.get("--config-name", name).removesuffix(".yaml")
        from kernelwright import conf

        if chosen != name and Path(conf.__path__[0], f"{chosen}.yaml").is_file():
            raise UserError(f"--config-name={chosen} is another verb's configuration; name one of your own")
        return chosen

    def with_overrides(self, overrides: Sequence[str]) -> "Arguments":
        """The same with other overrides, and without what has been done with Hydra's flags."""
        kept = {name: value for name, value in self.flags.items() if name not in ("--multirun", "--config-dir")}
        return replace(self, overrides=tuple(overrides), flags=kept)


def check_program(path: str) -> None:
    """UserError where there is no file."""
    if not Path(path).is_file():
        raise UserError(f"{path}: no such file; give a *.py file with Model and get_inputs")


def whole_number(key: str, text: str, least: int = 0) -> int:
    """The value of a key; UserError for what is no whole number, or is less."""
    if not text.isdecimal() or int(text) < least:
        raise UserError(f"{key}={text}: give a whole number{f', at least {least}' if least else ''}")
    return int(text)


def root_of(verb: ModuleType, arguments: Arguments) -> str:
    """The configuration of a verb: its `ROOT`, or what `ROOTS` has for the first word after it; "" for none."""
    roots: Mapping[str, str] = getattr(verb, "ROOTS", {})
    return roots.get(arguments.positional[0] if arguments.positional else "", getattr(verb, "ROOT", ""))


def quoted(text: str) -> str:
    """Text as a quoted string of Hydra's grammar, which takes whatever stands in it as it is."""
    parts = text.split("'")
    escaped = [part + "\\" * (len(part) - len(part.rstrip("\\"))) for part in parts]
    return "'" + "\\'".join(escaped) + "'"


def group_hint(word: str) -> str:
    """`target=h100` for h100: how an option of a configuration group is chosen; "" for what is none."""
    from kernelwright import conf

    found = sorted(path.parent.name for path in Path(conf.__path__[0]).glob("*/*.yaml") if path.stem == word)
    return f"{found[0]}={word}" if found else ""


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
            value = _value(verb, flag, value if equals else None, rest)
            if values.setdefault(flag.name, value) != value:
                raise UserError(f"{flag.name} is given twice, as {values[flag.name]!r} and {value!r}; give it once")
        elif (positional or not takes_path) and ("=" in item or item.startswith("~")):
            overrides.append(item)
        else:
            positional.append(item)
    _tell_of_overridden(overrides)
    return Arguments(tuple(positional), tuple(overrides), values)


def _tell_of_overridden(overrides: Sequence[str]) -> None:
    """A line for a key that is given twice with different values: as in Hydra, the last one counts.

    `+key` and `++key` name the same key.
    """
    given: dict[str, str] = {}
    for override in overrides:
        key, _, value = override.lstrip("+").partition("=")
        if given.get(key, value) != value and sys.stderr is not None:
            sys.stderr.write(f"kernelwright: {key}={value} takes the place of {key}={given[key]}\n")
        given[key] = value


def _value(verb: str, flag: Flag, given: str | None, rest: list[str]) -> str:
    """The value of a flag, taken from the arguments that follow where it was not given with `=`."""
    if not flag.takes:
        if given is not None:
            raise UserError(f"{verb}: {flag.name} takes no value, got {given!r}")
        return ""
    if given is None and flag.optional and not (rest and rest[0] in flag.choices):
        return flag.choices[0]
    if given is None:
        if not rest:
            raise UserError(f"{verb}: {flag.name} needs a value: {flag.name}={'|'.join(flag.choices) or flag.takes}")
        given = rest.pop(0)
    if flag.choices and given not in flag.choices:
        raise UserError(f"{verb}: {flag.name}={given!r}: choose from {', '.join(flag.choices)}")
    return given


def _unknown_flag(verb: str, name: str, known: Mapping[str, Flag]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    key = name.lstrip("-").replace("-", "_")
    key_hint = f"; a key has no dashes before it: {key}=VALUE" if key.isidentifier() and len(key) > 1 else ""
    if Path(name).is_file():
        key_hint = f"; for the file write ./{name}"
    hint = f"; did you mean {close[0]}?" if close else key_hint
    names = [name for name in known if name.startswith("--")]
    return f"{verb} has no flag {name}{hint} (flags: {', '.join(names) or 'none'}; `--help` explains)"
