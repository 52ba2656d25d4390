"""What came of optimising a model."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from kernelwright.driver.optimize.admission import Comparison

#: admitted: ours runs from now on. slower: ours was verified, and does not win in the running model. dropped: it wins
#: by itself, and the model's time does not show it. refused: no kernel was verified, or it does not run in the model.
#: unimproved: the search found nothing faster. wrong: Inductor's own kernel is. left out: there is no problem to
#: search, or too little to gain. not reached: the budget was spent before.
Became = Literal["admitted", "slower", "dropped", "refused", "unimproved", "wrong", "left out", "not reached"]


@dataclass(frozen=True)
class Kernel:
    """One of Inductor's kernels: how many launches a call of the model has, the microseconds of all of them, the most
    that ours could save, and what became of it after how many seconds of search."""

    key: str
    name: str
    became: Became
    why: str = ""
    launches: int = 0
    us: float = 0.0
    gain_us: float = 0.0
    seconds: float = 0.0
    graph: Comparison | None = None
    digest: str = ""

    @property
    def saved_us(self) -> float:
        """What ours saves, where it is admitted."""
        return self.us * (1 - 1 / self.graph.ratio) if self.graph is not None and self.became == "admitted" else 0.0

    @property
    def left_us(self) -> float:
        """What could be saved yet."""
        return max(0.0, self.gain_us - self.saved_us)

    def told(self) -> dict[str, Any]:
        """As JSON."""
        graph = {"graph": self.graph.told()} if self.graph else {"graph": None}
        rounded = {name: round(getattr(self, name), 3) for name in ("us", "gain_us", "seconds")}
        return asdict(self) | rounded | graph

    def __str__(self) -> str:
        return f"{self.name}: {self.became}" + (f", {self.why}" if self.why else "")

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "Kernel":
        """What `told` gave."""
        known = {name: told[name] for name in cls.__dataclass_fields__ if name in told}
        return cls(**known | {"graph": Comparison.read(told["graph"]) if told.get("graph") else None})


@dataclass(frozen=True)
class Optimized:
    """A model in one mode: its kernels, those with most to gain first; how the model's time on the device compares with
    all admitted kernels in place, where there are any; and why the work stopped early, where it did."""

    mode: str
    device: str
    kernels: tuple[Kernel, ...]
    model_us: float
    whole: Comparison | None
    seconds: float
    stopped: str = ""

    @property
    def admitted(self) -> tuple[Kernel, ...]:
        """The kernels that run in the place of Inductor's."""
        return tuple(one for one in self.kernels if one.became == "admitted")

    @property
    def counts(self) -> dict[str, int]:
        """How many kernels became what."""
        return dict(Counter(one.became for one in self.kernels))

    def told(self) -> dict[str, Any]:
        """As JSON."""
        rest = {"mode": self.mode, "device": self.device, "model_us": round(self.model_us, 1), "stopped": self.stopped}
        rest |= {"seconds": round(self.seconds, 1), "whole": self.whole.told() if self.whole else None}
        return rest | {"counts": self.counts, "kernels": [one.told() for one in self.kernels]}

    def __str__(self) -> str:
        counted = ", ".join(f"{count} {became}" for became, count in self.counts.items()) or "no kernel"
        if self.whole is not None:
            speed = f"the model runs {self.whole} as fast on the device"
        elif self.admitted:
            speed = "the model was not timed with them"
        else:
            speed = "the model runs as Inductor compiled it"
        return f"{self.mode}: {counted}; {speed}"
