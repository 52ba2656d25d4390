"""All admitted kernels together: the model's time decides which of them stay."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from kernelwright.driver.optimize.admission import Comparison, largest_that_holds
from kernelwright.driver.optimize.outcomes import NOTHING, Outcomes
from kernelwright.driver.optimize.running import Running
from kernelwright.frontend.swap.hooks import Launchable


def kept_together(
    running: Running, outcomes: Outcomes, ours: Mapping[str, Launchable], seconds: float, say: Callable[[str], None]
) -> Comparison | None:
    """How the model's time compares with all admitted kernels, within so many seconds; those without which it is
    shorter are dropped. None where none is left."""
    ranked = sorted(outcomes.admitted, key=lambda key: -outcomes.kernels[key].saved_us)
    compared_as: dict[tuple[str, ...], Comparison] = {}
    ends = time.monotonic() + seconds

    def holds(keys: Sequence[str]) -> bool:
        say(f"timing the model with {len(keys)} kernels")
        some = {key: ours[key] for key in keys}
        times = running.compared(running.models_in_turn(some), ends - time.monotonic())
        compared_as[tuple(keys)] = times
        return times.wins

    kept = largest_that_holds(ranked, holds)
    for key in ranked[len(kept) :]:
        kernel, entry = outcomes.kernels[key], outcomes.entry(key)
        if entry is not None and entry.digest == kernel.digest:
            outcomes.given_up(key, "the whole model is not faster with it there")
        whole = next(times for keys, times in compared_as.items() if key in keys)
        dropped = replace(kernel, became="dropped", why=f"the model: {whole} with it and {len(ranked)} in all")
        outcomes.noted(dropped, {"entry": json.loads(entry.text)} if entry else NOTHING)
    return compared_as.get(tuple(kept))
