"""Passes as they are listed: what each reads, writes and takes."""

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kernelwright.ir.notebook import html_table
from kernelwright.ir.passes import Pass
from kernelwright.ir.spec import Option, pass_options


@dataclass(frozen=True)
class OptionInfo:
    """One option of a pass: the name of its type, and what it is where nothing is said."""

    type: str
    default: Option


@dataclass(frozen=True)
class PassInfo:
    """One pass: the levels that it reads and writes, what it does in one line, its options by name, and the top package
    that it comes from.

    `needs`, `changes` and `keeps` are the rule of a rewrite of kernels; "" for other passes.
    """

    name: str
    reads: str
    writes: str
    summary: str
    options: Mapping[str, OptionInfo]
    package: str
    needs: str = ""
    changes: str = ""
    keeps: str = ""

    @classmethod
    def of(cls, found: type[Pass]) -> "PassInfo":
        """What the class of a pass says of itself."""
        options = {name: OptionInfo(kind.__name__, default) for name, (kind, default) in pass_options(found).items()}
        summary = (inspect.getdoc(found) or "").partition("\n")[0]
        package = found.__module__.partition(".")[0]
        rule = (found.needs, found.changes, found.keeps.value if found.keeps is not None else "")
        return cls(found.name, str(found.reads), str(found.writes), summary, options, package, *rule)


class PassList(Mapping[str, PassInfo]):
    """Passes by name; a table in a notebook."""

    def __init__(self, passes: Mapping[str, PassInfo]) -> None:
        self._passes = dict(passes)

    def __getitem__(self, name: str) -> PassInfo:
        return self._passes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._passes)

    def __len__(self) -> int:
        return len(self._passes)

    def __repr__(self) -> str:
        return f"PassList({', '.join(self)})"

    def _repr_html_(self) -> str:
        rows: list[tuple[Any, ...]] = []
        for one in self.values():
            options = ", ".join(f"{name}={option.default}" for name, option in one.options.items())
            rows.append((one.name, f"{one.reads} -> {one.writes}", options, one.summary))
        return html_table(f"{len(self)} passes", ("pass", "levels", "options", "what it does"), rows)
