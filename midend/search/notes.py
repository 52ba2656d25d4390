"""What a search on a GPU tells of itself."""

import math
from typing import TYPE_CHECKING, Any

from kernelwright.agent.measures import BASELINES, is_correct, speedup
from kernelwright.midend.search.race import KEPT_PLAIN, TOLD, first_line, line_of

if TYPE_CHECKING:
    from kernelwright.midend.search.measured import MeasuredRace


def notes_of(race: "MeasuredRace") -> dict[str, Any]:
    """What was tried and what came of it: microseconds, numbers of candidates, who was refused and why."""
    assert race.plain is not None and race.best is not None
    plain = [entry.us for entry in race.entries if entry.base is race.plain and math.isfinite(entry.us)]
    refused = {e.candidate.spec: line_of(e.measured.failure) for e in race.entries if e.measured.failure}
    specs = {entry.candidate.digest: entry.candidate.spec for entry in race.entries}
    refused |= {specs[d]: first_line(v) for d, v in race.verdicts.items() if not is_correct(v)}
    us = {
        e.candidate.spec: round(e.us, 3)
        for e in sorted(race.entries, key=lambda entry: entry.us)
        if math.isfinite(e.us)
    }
    told = {
        "best": race.best.candidate.spec,
        "us": us.get(race.best.candidate.spec),
        "plain": race.plain.spec,
        "plain_us": round(plain[0], 3) if plain else None,
        "plain_tuned_us": round(min(plain), 3) if plain else None,
        "obtained": "measured: median of runs by events behind a flush of the cache, in the process that compared "
        "the outputs with the plain lowering's",
        "kept": _why(race),
        "made": race.space.made,
        "distinct": race.distinct,
        "pruned": race.pruned,
        "measured": len(us),
        "trials": race.trials,
        "processes_lost": race.replaced,
        "verified": sum(is_correct(verdict) for verdict in race.verdicts.values()),
        "refused": refused,
        "candidates_us": us,
        "curve": race.curve.told(),
        "seconds": {name: round(seconds, 1) for name, seconds in race.spent_s.items()},
    }
    if race.space.failed:
        told["failed"] = {spec: line_of(why) for spec, why in list(race.space.failed.items())[:TOLD]}
    if race.stopped:
        told["stopped"] = race.stopped
    return told | _speedups(race)


def _speedups(race: "MeasuredRace") -> dict[str, Any]:
    """How the best did beside PyTorch, where that was measured."""
    if race.timing is None:
        return {}
    if not race.timing.ok:
        return {"timing": first_line(race.timing)}
    found = {name: speedup(race.timing, name) for name in BASELINES}
    times = {name: round(ratio, 3) for name, ratio in found.items() if ratio is not None}
    slower = [name for name, ratio in times.items() if ratio < 1]
    return {"speedups": times} | ({"slower_than": slower} if slower else {})


def _why(race: "MeasuredRace") -> str:
    assert race.best is not None
    return "candidate" if race.best.candidate is not race.plain else KEPT_PLAIN
