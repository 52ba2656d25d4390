"""What a certificate says beside the admission: the errors of Inductor's own kernel, and what came of other sizes.

Where sizes may change from call to call, an admitted kernel is verified at others, and timed there by itself. At last
faulty variants of it are judged, as far as there is time: they show what its verdict is worth.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from kernelwright.agent.evaluator import Verdict
from kernelwright.backend.store.entry import Entry
from kernelwright.driver.extraction.filling import begun
from kernelwright.driver.extraction.ranges import Elsewhere, elsewhere, widened
from kernelwright.driver.optimize.answering import Answering, Question
from kernelwright.driver.optimize.ranking import Recording
from kernelwright.evaluation.mutation.mutants import mutants
from kernelwright.evaluation.mutation.score import INVALID
from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.values import KernelModule

#: How much longer than Inductor's kernel ours may take at another size: what one median is uncertain by.
SLACK = 1.02
#: The parts of a certificate that are added here.
SIZES, OWN_ERRORS, MUTANTS = "other sizes", "errors of Inductor's kernel", "mutants"


@dataclass(frozen=True)
class Certifying:
    """Completes certificates of admitted kernels until it is late."""

    answering: Answering
    target: str
    late: Callable[[], bool]

    def completed(self, entry: Entry, recording: Recording, beside: Sequence[Mapping[str, int]] = ()) -> Entry:
        """The entry for all sizes at which it is right and no slower than Inductor's kernel by itself; its certificate
        says what came of each that was tried in time, and how exact Inductor's kernel is. Its range ends before the
        sizes at which others were admitted, `beside` it. The same entry where there was no time for any of it."""
        others = list(elsewhere(entry, parse_module(entry.module), *recording, self.target))
        modules = dict(self._modules(recording, others))
        asked = (Question(key, module, "", 0.0) for key, module in modules.items())
        answers = {question.key: answer.verdict for question, answer in self.answering.each(asked, self.late)}
        if modules and not answers:
            return entry
        verdicts = {key: verdict for key, verdict in answers.items() if verdict is not None}
        known = [(one, *_judged(one, str(place), verdicts)) for place, one in enumerate(others)]
        tried = [(one.numbers, why, times) for one, why, times in known if why is not None]
        right, wrong = ([numbers for numbers, why, _ in tried if bool(why) == bad] for bad in (False, True))
        told = [{"sizes": dict(numbers), "became": why or "right"} | times for numbers, why, times in tried]
        certificate: dict[str, Any] = {**entry.certificate, SIZES: told}
        if (own := verdicts.get("own")) is not None:
            certificate[OWN_ERRORS] = dict(own.errors) if own.ok else str(own)
        return replace(widened(entry, right, [*wrong, *beside]), certificate=certificate)

    def with_mutants(self, entry: Entry, count: int) -> Entry:
        """The entry, whose certificate has what became of so many mutants of its module, or of those that were judged
        in time: how many, how many the checks killed, and which passed. One that passes may compute the same. The same
        entry where none was judged."""
        some = {f"{entry.digest} {one.module.digest}": one for one in mutants(parse_module(entry.module), count)}
        asked = (Question(key, one.module, "", 0.0) for key, one in some.items())
        answers = {question.key: answer.verdict for question, answer in self.answering.each(asked, self.late)}
        known = [(one, answers.get(key)) for key, one in some.items()]
        judged = [(one, verdict) for one, verdict in known if verdict is not None and verdict.status not in INVALID]
        if not judged:
            return entry
        passed = [f"{one.kind}, line {one.line}: {one.description}" for one, verdict in judged if verdict.ok]
        told = {"judged": len(judged), "killed": len(judged) - len(passed), "passed": passed}
        return replace(entry, certificate={**entry.certificate, MUTANTS: told})

    def _modules(self, recording: Recording, others: Sequence[Elsewhere]) -> list[tuple[str, KernelModule]]:
        """What is judged, by name: Inductor's kernel, ours at other sizes, and Inductor's there where times count."""
        found = list[tuple[str, KernelModule]]()
        with suppress(KernelwrightError):  # a kernel that is known from an earlier run may have no problem here
            own = begun(*recording, self.target)
            found += [("own", own)] if own.launcher is not None else []
        for place, one in enumerate(others):
            if one.ours is not None:
                found += [(f"ours {place}", one.ours)] + [(f"own {place}", one.own)] * (self.target != "interpreter")
        return found


def _judged(one: Elsewhere, place: str, verdicts: Mapping[str, Verdict]) -> tuple[str | None, dict[str, float]]:
    """Why a kernel is not used at some sizes, "" where it is, None where that is not known; and Inductor's time over
    ours, where both are timed."""
    if one.ours is None:
        return "the kernel's text is another one there", {}
    if (ours := verdicts.get(f"ours {place}")) is None:
        return None, {}
    if not ours.ok:
        return f"it is not verified there: {ours}", {}
    own = verdicts.get(f"own {place}")
    times = [verdict.times_ms.get("candidate") if verdict else None for verdict in (own, ours)]
    if times[0] is None or times[1] is None:
        return "", {}
    ratio = {"alone": round(times[0] / times[1], 3)}
    return ("it is slower than Inductor's there" if times[1] > SLACK * times[0] else ""), ratio
