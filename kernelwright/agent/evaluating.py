"""How many candidates are judged at once, and what is put around whoever judges them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain, tee

from kernelwright.agent.evaluator import Evaluator, Rung, Status, Verdict
from kernelwright.agent.measures import speedup
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.ir.values import KernelModule

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


def confirmed(evaluate: Evaluate, above: float = 3.0, baseline: str = "eager") -> Evaluate:
    """The same, but a verdict with a speedup over `above` is given a second time, and the second counts."""

    def twice(modules: Iterable[KernelModule], rungs: Rungs) -> Iterator[Verdict | BaseException]:
        kept, given = tee(modules)
        for module, verdict in zip(kept, evaluate(given, rungs), strict=True):
            high = isinstance(verdict, Verdict) and verdict.ok and (speedup(verdict, baseline) or 0.0) > above
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
