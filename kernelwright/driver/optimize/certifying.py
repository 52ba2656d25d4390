"""What a certificate says beside the admission: the errors of Inductor's own kernel, and what came of other sizes.

Where sizes may change from call to call, an admitted kernel is verified at others, and timed there by itself. At last
faulty variants of it are judged, as far as there is time: they show what its verdict is worth.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from kernelwright.agent.evaluator import Verdict
from kernelwright.backend.store.entry import OTHER_SIZES, Entry
from kernelwright.driver.extraction.filling import begun
from kernelwright.driver.extraction.ranges import Elsewhere, elsewhere, widened
from kernelwright.driver.optimize.answering import Answer, Answering, Question
from kernelwright.driver.optimize.ranking import Recording
from kernelwright.evaluation.mutation.mutants import mutants
from kernelwright.evaluation.mutation.score import INVALID
from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.parser import parse_module

#: How much longer than Inductor's kernel ours may take at another size: what one median is uncertain by.
SLACK = 1.02
#: The parts of a certificate that are added here, beside `OTHER_SIZES`.
OWN_ERRORS, MUTANTS = "errors of Inductor's kernel", "mutants"
#: What a certificate says of a kernel that was searched for its own sizes, and is tried at no others.
ALONE = "for these sizes alone"
#: What became of a size at which ours is used, and of others.
RIGHT, SLOWER, NOT_VERIFIED = "right", "it is slower than Inductor's there", "it is not verified there"


@dataclass(frozen=True)
class Admitted:
    """A kernel's entry, how the kernel was recorded, and the sizes at which others were admitted."""

    key: str
    entry: Entry
    recording: Recording
    beside: Sequence[Mapping[str, int]] = ()

    @property
    def at_its_own(self) -> bool:
        """Whether it was recorded at the sizes that the entry was made at; others lie in its range."""
        return self.entry.own_sizes == self.recording[0].numbers


@dataclass(eq=False)
class _Open:
    """An admitted kernel, the sizes at which it is tried, what is asked of it by name, and the answers that came."""

    kernel: Admitted
    others: Sequence[Elsewhere]
    questions: Mapping[str, Question]
    answers: dict[str, Answer] = field(default_factory=dict)

    def completed(self) -> Entry:
        """The entry with what the answers say, and for the sizes at which it is good; others keep what they have of a
        certificate."""
        entry = self.kernel.entry
        told: list[dict[str, Any]] = list(entry.certificate.get(OTHER_SIZES, ()))
        right = list[Mapping[str, int]]()
        for place, one in enumerate(self.others):
            key = f"{self.kernel.key} {place}"
            timed = key in self.questions and self.questions[key].own is not None
            why, found = _judged(one, self.answers.get(key), timed)
            told += [{"sizes": dict(one.numbers), "became": why or RIGHT, **found}] if why is not None else []
            right += [one.numbers] if why == "" else []
        wrong = [one["sizes"] for one in told if one["became"] != RIGHT]
        own = self.answers.get(f"{self.kernel.key} own", Answer()).verdict
        entry = replace(entry, certificate={**entry.certificate, OTHER_SIZES: told})
        return widened(with_own(entry, own), right, [*wrong, *self.kernel.beside])


def with_own(entry: Entry, verdict: Verdict | None) -> Entry:
    """The entry, whose certificate has the errors of Inductor's own kernel by its verdict, if there is one."""
    if verdict is None:
        return entry
    told: Any = dict(verdict.errors) if verdict.ok else str(verdict)
    return replace(entry, certificate={**entry.certificate, OWN_ERRORS: told})


def for_own_sizes(entry: Entry) -> Entry:
    """The entry of a kernel that was searched for its own sizes alone."""
    return replace(entry, certificate={**entry.certificate, ALONE: True, OTHER_SIZES: []})


@dataclass(frozen=True)
class Certifying:
    """Completes certificates of admitted kernels until it is late."""

    answering: Answering
    target: str
    late: Callable[[], bool]

    def completed(self, admitted: Iterable[Admitted]) -> Iterator[tuple[Admitted, Entry]]:
        """Each kernel with its entry for all sizes at which it is right and no slower than Inductor's kernel by itself,
        as soon as all is known of it. The certificate says what came of each size that was tried in time, and how exact
        Inductor's kernel is; what it says already is not asked again. A range ends before the sizes at which others
        were admitted. A kernel of which nothing was answered is not given."""
        opened: dict[str, _Open] = {}
        for question, answer in self.answering.each(self._questions(admitted, opened), self.late):
            one = opened[question.key]
            one.answers[question.key] = answer
            if one.answers.keys() == one.questions.keys():
                yield one.kernel, one.completed()
        for one in dict.fromkeys(opened.values()):
            if not one.questions or 0 < len(one.answers) < len(one.questions):
                yield one.kernel, one.completed()

    def _questions(self, admitted: Iterable[Admitted], opened: dict[str, _Open]) -> Iterator[Question]:
        """What is asked; `opened` gets the kernel of each question, and one that needs none by its own key."""
        for kernel in admitted:
            others = list(self._others(kernel))
            questions = {one.key: one for one in self._asked(kernel, others)}
            one = _Open(kernel, others, questions)
            if questions or others or OTHER_SIZES not in kernel.entry.certificate:
                opened |= dict.fromkeys(questions or [kernel.key], one)
            yield from questions.values()

    def _others(self, kernel: Admitted) -> Iterator[Elsewhere]:
        """The sizes at which a kernel was not tried yet."""
        entry = kernel.entry
        told = [one["sizes"] for one in entry.certificate.get(OTHER_SIZES, ())]
        if ALONE not in entry.certificate:
            for one in elsewhere(entry, parse_module(entry.module), *kernel.recording, self.target):
                if dict(one.numbers) not in told:
                    yield one

    def with_mutants(self, entry: Entry, count: int) -> Entry:
        """The entry, whose certificate has what became of so many mutants of its module, or of those that were judged
        in time: how many, how many the checks killed, and which passed. One that passes may compute the same. The same
        entry where none was judged."""
        some = {f"{entry.digest} {one.module.digest}": one for one in mutants(parse_module(entry.module), count)}
        asked = (Question(key, one.module) for key, one in some.items())
        answers = {question.key: answer.verdict for question, answer in self.answering.each(asked, self.late)}
        known = [(one, answers.get(key)) for key, one in some.items()]
        judged = [(one, verdict) for one, verdict in known if verdict is not None and verdict.status not in INVALID]
        if not judged:
            return entry
        passed = [f"{one.kind}, line {one.line}: {one.description}" for one, verdict in judged if verdict.ok]
        told = {"judged": len(judged), "killed": len(judged) - len(passed), "passed": passed}
        return replace(entry, certificate={**entry.certificate, MUTANTS: told})

    def _asked(self, kernel: Admitted, others: Sequence[Elsewhere]) -> Iterator[Question]:
        """Inductor's kernel is judged, and ours at other sizes, with Inductor's beside it where times count."""
        if OWN_ERRORS not in kernel.entry.certificate:
            with suppress(KernelwrightError):  # a kernel that is known from an earlier run may have no problem here
                own = begun(*kernel.recording, self.target)
                if own.launcher is not None:
                    yield Question(f"{kernel.key} own", own)
        for place, one in enumerate(others):
            if one.ours is not None:
                timed = self.target != "interpreter" and one.own.launcher is not None
                beside = one.own if timed else None
                yield Question(f"{kernel.key} {place}", one.ours, fewer=True, own=beside)


def _judged(one: Elsewhere, answer: Answer | None, timed: bool) -> tuple[str | None, dict[str, Any]]:
    """Why a kernel is not used at some sizes, "" where it is, None where that is not known; and with which kinds of
    inputs it was judged, and Inductor's time over ours, where both are timed."""
    if one.ours is None:
        return "the kernel's text is another one there", {}
    if answer is None or (ours := answer.verdict) is None:
        return None, {}
    found: dict[str, Any] = {"checks": ours.caliber["checks"]} if "checks" in ours.caliber else {}
    if not ours.ok:
        return f"{NOT_VERIFIED}: {ours}", found
    times = [verdict.times_ms.get("candidate") if verdict else None for verdict in (answer.own, ours)]
    if times[0] is None or times[1] is None:
        return (None, {}) if timed else ("", found)
    slower = times[1] > SLACK * times[0]
    return SLOWER if slower else "", found | {"alone": round(times[0] / times[1], 3)}
