"""An admitted kernel at other sizes, where sizes may change from call to call: verified there, and timed alone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from kernelwright.agent.evaluator import Verdict
from kernelwright.backend.store.entry import Entry
from kernelwright.driver.extraction.ranges import Elsewhere, elsewhere, widened
from kernelwright.driver.optimize.answering import Answering, Question
from kernelwright.driver.optimize.ranking import Recording
from kernelwright.ir.parser import parse_module
from kernelwright.ir.values import KernelModule

#: How much longer than Inductor's kernel ours may take at another size: what one median is uncertain by.
SLACK = 1.02
#: The part of a certificate that says what came of other sizes.
TRIED = "other sizes"


@dataclass(frozen=True)
class Widening:
    """Verifies kernels at sizes around those that they were made at, until it is late."""

    answering: Answering
    target: str
    late: Callable[[], bool]

    def widened(self, entry: Entry, recording: Recording) -> Entry:
        """The entry for all sizes at which it is right and no slower than Inductor's kernel by itself; its certificate
        says what came of each. The same entry where no size was tried in time."""
        module = parse_module(entry.module)
        others = list(elsewhere(entry, module, *recording, self.target))
        questions = {f"{kind} {place}": made for place, one in enumerate(others) for kind, made in self._asked(one)}
        asked = (Question(key, made, "", 0.0) for key, made in questions.items())
        verdicts = {question.key: answer.verdict for question, answer in self.answering.each(asked, self.late)}
        known = [(one, *_judged(one, place, verdicts)) for place, one in enumerate(others)]
        if not known or self.late():
            return entry
        right = [one.numbers for one, why, _ in known if not why]
        made = widened(entry, right, [one.numbers for one, why, _ in known if why])
        told = [{"sizes": dict(one.numbers), "became": why or "right"} | times for one, why, times in known]
        return replace(made, certificate={**made.certificate, TRIED: told})

    def _asked(self, one: Elsewhere) -> list[tuple[str, KernelModule]]:
        """What is judged at some sizes; Inductor's kernel for its time alone."""
        if one.ours is None:
            return []
        return [("ours", one.ours)] + [("own", one.own)] * (self.target != "interpreter")


def _judged(one: Elsewhere, place: int, verdicts: Mapping[str, Verdict | None]) -> tuple[str, dict[str, float]]:
    """Why a kernel is not used at some sizes, "" where it is; and Inductor's time over ours, where both are timed."""
    ours, own = verdicts.get(f"ours {place}"), verdicts.get(f"own {place}")
    if one.ours is None:
        return "the kernel's text is another one there", {}
    if ours is None or not ours.ok:
        return f"it is not verified there: {ours or 'no answer'}", {}
    times = [verdict.times_ms.get("candidate") if verdict else None for verdict in (own, ours)]
    if times[0] is None or times[1] is None:
        return "", {}
    ratio = {"alone": round(times[0] / times[1], 3)}
    return ("it is slower than Inductor's there" if times[1] > SLACK * times[0] else ""), ratio
