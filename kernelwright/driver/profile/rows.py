"""A profile: what runs in one call of a model, how long it takes, and how long it would take at best."""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """Whose work something on the device is. `eager` is work outside of compiled graphs; nothing claims `other`."""

    GENERATED = "generated"
    LIBRARY = "library"
    EAGER = "eager"
    OTHER = "other"


@dataclass(frozen=True)
class Times:
    """Microseconds in one call of a model: the median over calls with its 95% interval."""

    us: float
    low: float
    high: float

    @classmethod
    def of(cls, samples: Sequence[float]) -> "Times":
        """The interval goes by ranks and asks nothing of the distribution; of fewer than six samples it is all."""
        ordered, count = sorted(samples), len(samples)
        below, cut = 0.0, 0
        while (below := below + math.comb(count, cut) / 2**count) <= 0.025:
            cut += 1
        cut = max(cut - 1, 0)
        return cls(statistics.median(ordered), ordered[cut], ordered[count - 1 - cut])


@dataclass(frozen=True)
class Row:
    """What runs under one name in a graph.

    `graph` counts aten graphs in the order of their compiles, -1 for what runs outside of them. `key` is that of a
    generated kernel, `runs` what runs for it, `why` the reason and `pick` the store's entry; see `torch_compile.Swap`.
    `form` is what Inductor calls this kind of kernel, and `detail` tells calls of one operation apart by shapes. All
    numbers are of all `calls` that one call of the model makes: times, `bytes` that must be moved, `flops` of products,
    and `floor_us`, which either takes at least on this device (0: not known), as `bound` says. `after` names the
    product whose result the kernel reads.
    """

    kind: Kind
    name: str
    graph: int
    backward: bool
    key: str
    runs: str
    why: str
    pick: str
    calls: int
    times: Times
    share: float
    bytes: int = 0
    flops: int = 0
    floor_us: float = 0.0
    bound: str = ""
    form: str = ""
    detail: str = ""
    after: str = ""

    @property
    def gain_us(self) -> float:
        """What a kernel at the floor would save; 0 where the floor is not known."""
        return max(self.times.us - self.floor_us, 0.0) if self.floor_us else 0.0


@dataclass(frozen=True)
class Profile:
    """One call of a model: its rows, longest first; `us`, all its device time; `wall_us`, the time of a call that is
    not profiled, until the device is idle; the share of device time that some row other than `other` has.

    Without a GPU there is no device: times are those of launches and operations on the host. `certificates` has what
    the store knows of the replacements, by `Row.pick`.
    """

    rows: tuple[Row, ...]
    us: Times
    wall_us: float
    accounted: float
    device: str
    calls: int
    certificates: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)

    def ranked(self) -> tuple[Row, ...]:
        """Generated kernels, each key once, by what they could gain, and then by their time; largest first."""
        keys = dict.fromkeys(row.key for row in self.rows if row.key)
        found = [row for key in keys if (row := self.of_key(key)) is not None]
        return tuple(sorted(found, key=lambda row: (-row.gain_us, -row.times.us)))

    def of_key(self, key: str) -> Row | None:
        """All launches of a kernel, in whatever graphs and under whatever names; named as the longest row is."""
        return _together([row for row in self.rows if row.key == key])

    def encode(self) -> dict[str, Any]:
        """As JSON."""
        return {**asdict(self), "rows": [{**asdict(row), "gain_us": row.gain_us} for row in self.rows]}


def _together(rows: Sequence[Row]) -> Row | None:
    if not rows:
        return None
    times = [row.times for row in rows]
    return replace(
        rows[0],
        calls=sum(row.calls for row in rows),
        times=Times(*(math.fsum(getattr(one, side) for one in times) for side in ("us", "low", "high"))),
        share=math.fsum(row.share for row in rows),
        bytes=sum(row.bytes for row in rows),
        flops=sum(row.flops for row in rows),
        floor_us=math.fsum(row.floor_us for row in rows) if all(row.floor_us for row in rows) else 0.0,
    )


def longest_first(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Rows by their time."""
    return tuple(sorted(rows, key=lambda row: -row.times.us))
