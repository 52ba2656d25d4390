"""What a verdict says that rewards, feedback and training read: correct, compiled, how much faster, covered by whom.

`Verdict.times_ms` holds medians under these names: `candidate`; `eager` and `inductor`, the reference by PyTorch, from
the time rung; `before`, the module that a pass was given, where it was timed in the same way; and `modelled_candidate`
and `modelled_before`, a cost model's estimates of the two. Nothing here makes up a time that is not there.
`Verdict.caliber["profile"]`, from the profile rung, holds `coverage` (the share of device time in kernels of the
candidate, 0 to 1) and `kernels`, a list of `{"name": str, "kind": str, "us": float, …}`; only those of the kind
`generated` are the candidate's, whatever the others are called. `Verdict.caliber["determinism"]`, from an evaluator
that repeats runs, holds `runs`, the runs on one input, and `equal`, how many of them gave the same bits as the first.
`Verdict.caliber["timing"]` has the time rung's spreads by side and mode, see `evaluation.checks.timing.report`.
"""

import math
from collections.abc import Mapping
from typing import Any

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.ir.errors import UserError, check_choice

#: Rungs that compare outputs. A verdict that stops below them says nothing about correctness.
CHECKING = frozenset({Rung.INTERPRET, Rung.RUN, Rung.TIME, Rung.PROFILE})
#: What a speedup may be taken against.
BASELINES = ("eager", "inductor", "before")


def is_correct(verdict: Verdict) -> bool:
    """Whether the outputs were compared and found right.

    Raises UserError for an ok verdict that no rung which compares outputs stands behind.
    """
    if not verdict.ok:
        return False
    if not CHECKING & {verdict.rung, *verdict.rungs}:
        raise UserError(
            f"a verdict that ends at rung {verdict.rung} does not say whether outputs are right; "
            "evaluate with the rung interpret, or with run on a GPU"
        )
    return True


def is_compiled(verdict: Verdict) -> bool:
    """Whether the kernels compiled, as far as was tried; where others do the work, that counts for nothing."""
    return verdict.status not in (Status.CHEAT, Status.HOST_COMPUTES) and (verdict.ok or Rung.COMPILE in verdict.rungs)


def speedup(verdict: Verdict, baseline: str = "eager") -> float | None:
    """t_baseline / t_candidate; None where either was not timed. Raises UserError for an unknown baseline."""
    check_choice("baseline", baseline, BASELINES)
    return _ratio(verdict.times_ms, baseline, "candidate")


def timed_speedup(verdict: Verdict, baseline: str, cap: float = math.inf) -> float:
    """The same, at most `cap`; UserError, saying what to do, where it was not timed."""
    found = speedup(verdict, baseline)
    if found is not None:
        return min(found, cap)
    missing = [name for name in ("candidate", baseline) if name not in verdict.times_ms]
    how = (
        "evaluate the given module by the same rungs first, and pass its verdict on"
        if missing == ["before"]
        else "evaluate with the rung time, which needs a GPU, or choose the reward cost_model or frontend"
    )
    raise UserError(f"this reward needs times of {' and '.join(missing)}, which the verdict lacks; {how}")


def modelled_speedup(verdict: Verdict) -> float | None:
    """Estimated t_before / t_candidate; None where either was not estimated."""
    return _ratio(verdict.times_ms, "modelled_before", "modelled_candidate")


def coverage(verdict: Verdict) -> float | None:
    """The share of device time that the candidate's own kernels take; None where nothing was profiled."""
    found = profile(verdict).get("coverage")
    return min(max(float(found), 0.0), 1.0) if isinstance(found, int | float) and math.isfinite(found) else None


def determinism(verdict: Verdict) -> float | None:
    """The share of repeated runs that gave the same bits as the first, 0 to 1; None where no run was repeated."""
    found = verdict.caliber.get("determinism")
    if not isinstance(found, Mapping) or int(found["runs"]) < 2:
        return None
    return (int(found["equal"]) - 1) / (int(found["runs"]) - 1)


def spread(verdict: Verdict) -> float | None:
    """The interquartile range of the candidate's timed runs over their median, at most 1; None where the time rung
    measured nothing."""
    timing = verdict.caliber.get("timing")
    modes = timing.get("modes", {}).get("candidate") if isinstance(timing, Mapping) else None
    if not modes:
        return None
    used = next(iter(timing["mode"].values()), "events") if isinstance(timing, Mapping) else "events"
    return min(1.0, float(modes[used]["iqr"]) / float(modes[used]["median"]))


def profile(verdict: Verdict) -> Mapping[str, Any]:
    """What the profile rung found; empty where nothing was profiled."""
    found = verdict.caliber.get("profile")
    return found if isinstance(found, Mapping) else {}


def _ratio(times: Mapping[str, float], above: str, below: str) -> float | None:
    if above not in times or below not in times:
        return None
    assert all(math.isfinite(times[name]) and times[name] > 0 for name in (above, below)), times
    return times[above] / times[below]
