"""What a launch of a replacement costs the host, beside a launch of Inductor's own kernel with the same arguments."""

import statistics
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

import torch

from kernelwright.frontend.swap.hooks import Launchable
from kernelwright.frontend.swap.live import Place, exchanged, own_kernel, places

#: Launches that are timed together, few enough that the device's queue does not fill; and how often each side has them.
TOGETHER, TURNS = (50, 40) if torch.cuda.is_available() else (1, 3)


@dataclass
class _Seen:
    """The launches of one place in a call: their number, and the last one's arguments."""

    place: Place
    launches: int = 0
    given: tuple[Any, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)

    def watched(self) -> Launchable:
        """The place's kernel, whose launches are noted."""
        kernel, seen = self.place.found, self

        class Noted:
            def run(self, *given: Any, **options: Any) -> Any:
                seen.launches, seen.given, seen.options = seen.launches + 1, given, options
                return kernel.run(*given, **options)

        return Noted()


def launch_us(call: Callable[[], Any], replaced: Collection[str]) -> dict[str, Any]:
    """Of the kernels with these keys that a call launches: their number, their launches in the call, and the
    microseconds that a launch takes the host, ours and Inductor's own. Medians; the two take turns."""
    seen = [_Seen(place) for place in places() if place.key in replaced]
    with exchanged([(one.place, one.watched()) for one in seen]):
        call()
    seen = [one for one in seen if one.launches]
    times = [_in_turn(one) for one in seen]
    added = [ours - theirs for ours, theirs in times]
    return {
        "kernels": len(seen),
        "launches": sum(one.launches for one in seen),
        "ours": round(statistics.median([ours for ours, _ in times]), 2) if times else None,
        "inductor": round(statistics.median([theirs for _, theirs in times]), 2) if times else None,
        "added_at_most": round(max(added), 2) if times else None,
    }


def _in_turn(seen: _Seen) -> tuple[float, float]:
    """Ours, Inductor's."""
    sides = (seen.place.found, own_kernel(seen.place))
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(TURNS + 1):
        for kernel, some in zip(sides, times, strict=True):
            run, given, options = kernel.run, seen.given, seen.options
            _sync()
            began = time.perf_counter()
            for _ in range(TOGETHER):
                run(*given, **options)
            if turn:  # the first one warms up
                some.append(1e6 * (time.perf_counter() - began) / TOGETHER)
    _sync()
    return statistics.median(times[0]), statistics.median(times[1])


def _sync() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()
