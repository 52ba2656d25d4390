"""What a search on a GPU tells of itself."""

import math
from typing import TYPE_CHECKING, Any

from kernelwright.agent.measures import BASELINES, is_correct, speedup
from kernelwright.midend.search.search_run import KEPT_PLAIN, TOLD, first_line, line_of
from kernelwright.midend.search.tuning import Entry

if TYPE_CHECKING:
    from kernelwright.midend.search.measured import MeasuredSearchRun

#: What a run that is timed comes after, by the state that its caches are in.
BEHIND = {"cold": "a flush of the cache", "hot": "another run of the same"}


def notes_of(run: "MeasuredSearchRun") -> dict[str, Any]:
    """What was tried and what came of it: microseconds, numbers of candidates, who was refused and why."""
    assert run.plain is not None and run.best is not None
    plain = [entry.us for entry in run.entries if entry.base is run.plain and math.isfinite(entry.us)]
    refused = {e.candidate.spec: line_of(e.measured.failure) for e in run.entries if e.measured.failure}
    specs = {entry.candidate.digest: entry.candidate.spec for entry in run.entries}
    refused |= {specs[d]: first_line(v) for d, v in run.verdicts.items() if not is_correct(v)}
    us = {
        e.candidate.spec: round(e.us, 3) for e in sorted(run.entries, key=lambda entry: entry.us) if math.isfinite(e.us)
    }
    told = {
        "best": run.best.candidate.spec,
        "us": us.get(run.best.candidate.spec),
        "plain": run.plain.spec,
        "plain_us": round(plain[0], 3) if plain else None,
        "plain_tuned_us": round(min(plain), 3) if plain else None,
        "obtained": f"measured: median of runs by events behind {BEHIND[run.cache]}, in the process that compared "
        "the outputs with the plain lowering's",
        "kept": _why(run),
        "made": run.space.made,
        "distinct": run.distinct,
        "pruned": run.pruned,
        "measured": len(us),
        "trials": run.trials,
        "processes_lost": run.replaced,
        "verified": sum(is_correct(verdict) for verdict in run.verdicts.values()),
        "refused": refused,
        "candidates_us": us,
        "curve": run.curve.told(),
        "seconds": {name: round(seconds, 1) for name, seconds in run.spent_s.items()},
    }
    if faster := _not_verified(run, run.best):
        told["not_verified"] = faster
    if run.space.failed:
        told["failed"] = {spec: line_of(why) for spec, why in list(run.space.failed.items())[:TOLD]}
    if run.stopped:
        told["stopped"] = run.stopped
    return told | _speedups(run)


def _not_verified(run: "MeasuredSearchRun", best: Entry) -> dict[str, float]:
    """Microseconds of what was faster than what is kept, and has no verdict: its verification did not end in time."""
    faster = [e for e in run.entries if e.us < best.us and e.candidate.digest not in run.verdicts]
    return {e.candidate.spec: round(e.us, 3) for e in sorted(faster, key=lambda entry: entry.us)[:TOLD]}


def _speedups(run: "MeasuredSearchRun") -> dict[str, Any]:
    """How the best did beside PyTorch, where that was measured."""
    if run.timing is None:
        return {}
    if not run.timing.ok:
        return {"timing": first_line(run.timing)}
    found = {name: speedup(run.timing, name) for name in BASELINES}
    times = {name: round(ratio, 3) for name, ratio in found.items() if ratio is not None}
    slower = [name for name, ratio in times.items() if ratio < 1]
    return {"speedups": times} | ({"slower_than": slower} if slower else {})


def _why(run: "MeasuredSearchRun") -> str:
    assert run.best is not None
    return "candidate" if run.best.candidate is not run.plain else KEPT_PLAIN
