"""What a certificate says beside the admission: the errors of Inductor's own kernel, and what came of other sizes.

Where sizes may change from call to call, an admitted kernel is verified at others, and timed there by itself. At last
faulty variants of it are judged, as far as there is time: they show what its verdict is worth.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from kernelwright.agent.evaluator import Verdict
from kernelwright.backend.store.entry import Entry
from kernelwright.driver.extraction.filling import begun
from kernelwright.driver.extraction.ranges import Elsewhere, elsewhere, widened
from kernelwright.driver.optimize.answering import Answering, Question
from kernelwright.driver.optimize.ranking import Recording
from kernelwright.evaluation.mutation.mutants import mutants
from kernelwright.evaluation.mutation.score import INVALID
from kernelwright.frontend.swap.running import own_sizes
from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.values import KernelModule

#: How much longer than Inductor's kernel ours may take at another size: what one median is uncertain by.
SLACK = 1.02
#: The parts of a certificate that are added here.
SIZES, OWN_ERRORS, MUTANTS = "other sizes", "errors of Inductor's kernel", "mutants"
#: What became of a size at which ours is used, and what the verdict on Inductor's kernel at the first sizes is named.
RIGHT, _OWN = "right", "own"


@dataclass(frozen=True)
class Admitted:
    """A kernel's entry, how the kernel was recorded, and the sizes at which others were admitted."""

    key: str
    entry: Entry
    recording: Recording
    beside: Sequence[Mapping[str, int]] = ()

    @property
    def at_its_own(self) -> bool:
        """Whether it was recorded at the sizes that the entry was made at; at others it is known to be right."""
        return own_sizes(self.entry) == self.recording[0].numbers


@dataclass(eq=False)
class _Open:
    """An admitted kernel, the sizes at which it is tried, the verdicts that are asked for, and those that came."""

    kernel: Admitted
    others: Sequence[Elsewhere]
    asked: set[str]
    verdicts: dict[str, Verdict | None] = field(default_factory=dict)

    def completed(self) -> Entry:
        """The entry with what the verdicts say, and for the sizes at which they are good; others keep what they have
        of a certificate."""
        entry, verdicts = self.kernel.entry, {key: one for key, one in self.verdicts.items() if one is not None}
        known = [(one, *_judged(one, str(place), verdicts)) for place, one in enumerate(self.others)]
        tried = [(one.numbers, why, times) for one, why, times in known if why is not None]
        right = [numbers for numbers, why, _ in tried if not why]
        told: list[dict[str, Any]] = list(entry.certificate.get(SIZES, ()))
        told += [{"sizes": dict(numbers), "became": why or RIGHT, **times} for numbers, why, times in tried]
        wrong = [one["sizes"] for one in told if one["became"] != RIGHT]
        certificate: dict[str, Any] = {**entry.certificate, SIZES: told}
        if (own := verdicts.get(_OWN)) is not None:
            certificate[OWN_ERRORS] = dict(own.errors) if own.ok else str(own)
        return replace(widened(entry, right, [*wrong, *self.kernel.beside]), certificate=certificate)


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
        were admitted. The same entry where there was no time for any of it."""
        asked: dict[str, tuple[_Open, str]] = {}
        opened: list[_Open] = []
        for question, answer in self.answering.each(self._questions(admitted, opened, asked), self.late):
            one, name = asked[question.key]
            one.verdicts[name] = answer.verdict
            if one.verdicts.keys() == one.asked:
                opened.remove(one)
                yield one.kernel, one.completed()
        for one in opened:
            none = one.asked and not one.verdicts
            yield one.kernel, one.kernel.entry if none else one.completed()

    def _questions(
        self, admitted: Iterable[Admitted], opened: list[_Open], asked: dict[str, tuple[_Open, str]]
    ) -> Iterator[Question]:
        for kernel in admitted:
            told = [one["sizes"] for one in kernel.entry.certificate.get(SIZES, ())]
            tried = elsewhere(kernel.entry, parse_module(kernel.entry.module), *kernel.recording, self.target)
            others = [one for one in tried if dict(one.numbers) not in told]
            modules = dict(self._modules(kernel, others))
            if modules or others or SIZES not in kernel.entry.certificate:
                opened.append(one := _Open(kernel, others, set(modules)))
            for name, module in modules.items():
                key = f"{kernel.key} {name}"
                asked[key] = one, name
                yield Question(key, module, "", 0.0)

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

    def _modules(self, kernel: Admitted, others: Sequence[Elsewhere]) -> list[tuple[str, KernelModule]]:
        """What is judged, by name: Inductor's kernel, ours at other sizes, and Inductor's there where times count."""
        found = list[tuple[str, KernelModule]]()
        if OWN_ERRORS not in kernel.entry.certificate:
            with suppress(KernelwrightError):  # a kernel that is known from an earlier run may have no problem here
                own = begun(*kernel.recording, self.target)
                found += [(_OWN, own)] if own.launcher is not None else []
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
