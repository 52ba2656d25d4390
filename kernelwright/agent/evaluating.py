"""How many candidates are judged at once, and what is put around whoever judges them."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, tee

from kernelwright.agent.evaluator import Evaluator, Rung, Status, Verdict
from kernelwright.agent.measures import speedup
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.ir.values import KernelModule, Reference

Rungs = tuple[Rung, ...] | None

#: Judges modules by the given rungs (None: all there are) and gives, in order, a verdict or the error in its place.
#: Modules are taken as they come and as there is room for them: later ones may not have been written yet.
Evaluate = Callable[[Iterable[KernelModule], Rungs], Iterable[Verdict | BaseException]]


def one_by_one(evaluator: Evaluator) -> Evaluate:
    """An evaluator as such a function; one module after another, as each verdict is asked for."""

    def evaluate(modules: Iterable[KernelModule], rungs: Rungs) -> Iterator[Verdict | BaseException]:
        for module in modules:
            try:
                yield evaluator.evaluate(module, rungs)
            except KernelwrightError as error:
                yield error

    return evaluate


#: A speedup above this is measured a second time (Dr. Kernel).
SUSPICIOUS = 3.0


def confirmed(
    evaluate: Evaluate,
    above: float = SUSPICIOUS,
    baseline: str = "eager",
    given: Sequence[tuple[KernelModule, Verdict]] = (),
) -> Evaluate:
    """The same, but a verdict with a speedup over `above` is given a second time, and the second counts.

    For the baseline `before`, `given` are the modules that candidates are made from, with their verdicts. Of several
    with one reference the slowest is compared with: more is measured twice then, and nothing too little.
    """
    before: dict[Reference, float] = {}
    for one, verdict in given:
        before[one.reference] = max(verdict.times_ms.get("candidate", 0.0), before.get(one.reference, 0.0))

    def ratio(module: KernelModule, verdict: Verdict) -> float:
        if baseline != "before":
            return speedup(verdict, baseline) or 0.0
        return before.get(module.reference, 0.0) / verdict.times_ms.get("candidate", math.inf)

    def twice(modules: Iterable[KernelModule], rungs: Rungs) -> Iterator[Verdict | BaseException]:
        kept, asked = tee(modules)
        for module, verdict in zip(kept, evaluate(asked, rungs), strict=True):
            high = isinstance(verdict, Verdict) and verdict.ok and ratio(module, verdict) > above
            yield from evaluate([module], rungs) if high else (verdict,)

    return twice


def judge_all(modules: Iterable[KernelModule], evaluate: Evaluate, rungs: Rungs = None) -> list[Verdict]:
    """A verdict for each module, equal ones judged once; a fault of the framework is a verdict too (`fault`).

    Modules may come one after another: the first are judged while others are awaited. Raises UserError, as for rungs
    that this machine does not have, and whatever is no KernelwrightError.
    """
    digests: list[str] = []
    seen: set[str] = set()

    def distinct() -> Iterator[KernelModule]:
        for module in modules:
            digests.append(module.digest)
            if module.digest not in seen:
                seen.add(module.digest)
                yield module

    coming = distinct()
    first = next(coming, None)
    verdicts: list[Verdict] = []
    try:
        for outcome in evaluate(chain([first], coming), rungs) if first is not None else ():
            verdicts.append(_verdict(outcome))
    except KernelwrightError as error:  # the stream broke: what it gave so far counts
        broken = _verdict(error)
        list(coming)
        verdicts += [broken] * (len(seen) - len(verdicts))
    order = dict.fromkeys(digests)
    assert len(verdicts) == len(order), f"{len(verdicts)} verdicts for {len(order)} modules"
    by_digest = dict(zip(order, verdicts, strict=True))
    return [by_digest[digest] for digest in digests]


def fault(verdict: Verdict) -> str:
    """What failed in the framework, so that there is no real verdict; "" for a real one."""
    return str(verdict.caliber.get("fault", ""))


def faulty(verdict: Verdict, error: KernelwrightError) -> Verdict:
    """A verdict that is none, because of an error."""
    reason = f"{type(error).__name__}: {error}"
    return replace(verdict, status=Status.UNSUPPORTED, detail=reason, caliber={**verdict.caliber, "fault": reason})


def _verdict(outcome: Verdict | BaseException) -> Verdict:
    if isinstance(outcome, Verdict):
        return outcome
    if isinstance(outcome, UserError) or not isinstance(outcome, KernelwrightError):
        raise outcome
    return faulty(Verdict(Status.UNSUPPORTED, Rung.PARSE), outcome)
