"""What runs in a compiled model and why, kernel by kernel, as text."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from kernelwright.driver.profile.ceilings import Ceilings
from kernelwright.driver.profile.rows import Kind, Profile, Row

#: How people are told what runs; in this order.
RUNS = {"kernelwright": "ours", "inductor": "Inductor's", "library": "library", "eager": "eager", "other": "unknown"}
HEADINGS = ("share", "time", "floor", "moves", "launches", "runs", "what")
#: So many of the columns are figures.
FIGURES = 5


@dataclass(frozen=True)
class Explanation:
    """A profile of a model in a mode, for people: `str()` is text, and a notebook shows a page."""

    name: str
    mode: str
    profile: Profile

    @property
    def ceilings(self) -> Ceilings | None:
        """What faster kernels could bring at most; None without a GPU."""
        return Ceilings.of(self.profile)

    def json(self) -> str:
        """All of it, as JSON: the fields of `Profile`, and those of `Ceilings` in `ceilings`."""
        ceilings = self.ceilings
        told = {"name": self.name, "mode": self.mode, "ceilings": None if ceilings is None else asdict(ceilings)}
        return json.dumps({**told, **self.profile.encode()}, indent=1) + "\n"

    def summary(self) -> list[str]:
        """The whole in a few lines."""
        profile, shares = self.profile, self.shares()
        if not profile.calls:
            kernels, ours = len(profile.rows), sum(row.runs == "kernelwright" for row in profile.rows)
            return [
                f"{self.name}, {self.mode}: nothing ran, as there is no GPU; these are the kernels that Inductor "
                f"writes, those that move most bytes first; the store has {ours} of {kernels}"
            ]
        lines = [
            f"{self.name}, {self.mode}, on {profile.device}: {told_us(profile.us.us)} of work "
            f"[{told_us(profile.us.low)}, {told_us(profile.us.high)}] in a call of {told_us(profile.wall_us)}; "
            f"{profile.calls} calls; {profile.accounted:.1%} of the work is accounted for",
            ", ".join(f"{RUNS[runs]} {share:.1%}" for runs, share in shares.items()),
        ]
        if (ceilings := self.ceilings) is not None:
            lines.append(
                f"at most {ceilings.generated:.2f}x faster with every generated kernel at its floor, "
                f"{ceilings.products:.2f}x if elementwise kernels behind matrix products become part of them, "
                f"{ceilings.convolutions:.2f}x if those behind convolutions do, too"
            )
        return lines

    def shares(self) -> dict[str, float]:
        """Of the time, by what runs."""
        found = {runs: sum(row.share for row in self.profile.rows if row.runs == runs) for runs in RUNS}
        return {runs: share for runs, share in found.items() if share}

    def __str__(self) -> str:
        table = [HEADINGS, *map(cells, self.profile.rows)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [" ".join(_aligned(row, widths)).rstrip() for row in table]
        return "\n".join([*self.summary(), "", *lines, "", *self._reasons()])

    def _reasons(self) -> Iterable[str]:
        """Why kernels run that are not ours, each reason once; and what is known of ours."""
        reasons: dict[tuple[str, str], list[Row]] = {}
        for row in self.profile.rows:
            if row.kind is Kind.GENERATED:
                reasons.setdefault((row.runs, row.pick or row.why), []).append(row)
        for (runs, _), rows in reasons.items():
            names = rows[0].name if len(rows) == 1 else f"{len(rows)} kernels"
            share = f" ({sum(row.share for row in rows):.1%})" if self.profile.calls else ""
            yield f"{RUNS[runs]}: {names}{share}: {rows[0].why}"

    def _repr_html_(self) -> str:
        from kernelwright.driver.explaining.page import framed  # late: it imports this module

        return framed(self)


def cells(row: Row) -> tuple[str, ...]:
    """A row of the table, as texts; - for what is not known."""
    share = f"{row.share:.1%}" if row.share else "-"
    figures = share, told_us(row.times.us), told_us(row.floor_us), _told_bytes(row.bytes), str(row.calls)
    return *figures, RUNS[row.runs], f"{row.name} {more(row)}"


def more(row: Row) -> str:
    """What a row's name leaves open."""
    if row.kind is not Kind.GENERATED:
        return row.detail
    return ", ".join(filter(None, [row.form, f"after {row.after}" if row.after else "", row.detail]))


def told_us(us: float) -> str:
    """A time with its unit, from microseconds."""
    if not us:
        return "-"
    return f"{us / 1e6:.3g} s" if us >= 1e6 else f"{us / 1e3:.3g} ms" if us >= 1e3 else f"{us:.3g} us"


def _told_bytes(count: int) -> str:
    if not count:
        return "-"
    unit, name = next((unit, name) for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1, "B")) if count >= unit)
    return f"{count / unit:.3g} {name}"


def _aligned(row: Sequence[str], widths: Sequence[int]) -> Iterable[Any]:
    for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
        yield cell.rjust(width) if place < FIGURES else cell.ljust(width)
