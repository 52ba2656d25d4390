"""The work of `optimize`: each kernel of a running model is searched, verified, and admitted if it wins there.

What was admitted is in the store at once, and every outcome in a journal: a run that is killed loses the kernel that it
was at, and the next one goes on behind it.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from kernelwright.backend.store.store import Store
from kernelwright.driver.extraction.filling import begun
from kernelwright.driver.optimize.admission import Comparison
from kernelwright.driver.optimize.answering import Answer, Answering, Question
from kernelwright.driver.optimize.asking import LEAST_S, Wanted, searching, share_s
from kernelwright.driver.optimize.certifying import MUTANTS, Admitted, Certifying, for_own_sizes, with_own
from kernelwright.driver.optimize.outcomes import NOTHING, OFFERED, SEARCHED_TWICE, Kept, Outcomes, journal_of
from kernelwright.driver.optimize.ranking import Recording, fits_in_cache, hope, ranked, recordings
from kernelwright.driver.optimize.repro import write_repros
from kernelwright.driver.optimize.result import Kernel, Optimized
from kernelwright.driver.optimize.running import DoesNotRunError, OutputsChangeError, Running
from kernelwright.driver.optimize.subjects import Subject
from kernelwright.driver.optimize.trying import MUCH, Trying, of_both
from kernelwright.driver.optimize.whole import kept_together
from kernelwright.frontend.swap.graphs import RecordedGraph
from kernelwright.frontend.swap.hooks import Launchable
from kernelwright.frontend.swap.problem import problem
from kernelwright.frontend.swap.recorded import Recorded
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.ir.passes import Context
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import KernelModule

#: Shares of the budget: what is kept for the comparison of the whole model, and what one kernel's admission may take.
WHOLE_SHARE, ADMISSION_SHARE = 0.05, 0.03
#: The share that is kept for completing certificates, and where sizes may change from call to call.
CERTIFICATE_SHARE, SIZES_SHARE = 0.04, 0.3
#: Kernels that could not save this share of the model's time are not searched.
WORTH = 0.001
#: Kernels of which this became are searched twice, where first searches leave time and much is to be gained yet.
TWICE = ("admitted", "slower", "unimproved", "refused")


@dataclass
class Optimizing:
    """A model in one mode, or a graph, within a budget in seconds that counts from when this is made.

    `context` has the evaluator and the target. `pipeline` gives the passes for a target and for what is
    wanted of a search. `say` takes short lines on what goes on, `done` each kernel as it is decided. `folder` is where
    journals are; None for `optimize` in the cache folder.
    """

    subject: Subject
    budget: float
    store: Store
    context: Context
    answering: Answering
    say: Callable[[str], None] = lambda _line: None
    done: Callable[[Kernel], None] = lambda _kernel: None
    pipeline: Callable[[str, Wanted], str] = searching
    #: How many kernels are searched at a time.
    at_once: int = 1
    #: How many faulty variants of each admitted kernel are judged at the end, if there is time.
    mutants: int = 0
    folder: Path | None = None
    #: Where a folder is written for each kernel that was made and not admitted.
    repro: Path | None = None
    running: Callable[[Subject], Running] = field(default_factory=lambda: Running)
    began: float = field(default_factory=time.monotonic)
    _ours: dict[str, Launchable] = field(default_factory=dict)
    #: What this run asked, by key, and the digests of modules that it tried in the model.
    _asked: dict[str, Question] = field(default_factory=dict)
    _tried: set[str] = field(default_factory=set)
    _model_us: float = 0.0
    #: Whether there are, or will be, kernels to try at other sizes: admitted ones whose sizes may change.
    _changing: bool = False
    #: What an answer takes beyond its search, in seconds: verifying.
    _beyond_s: float = 5.0

    def run(self) -> Optimized:
        """Spend the budget. An interrupt ends it early, and what was admitted is kept.

        Raises UserError for a model that `torch.compile` cannot take, and where Inductor writes no Triton kernels.
        """
        self.say("compiling the model")
        with ExitStack() as stack:
            running = stack.enter_context(self.running(self.subject))
            if not running.places:
                raise UserError("Inductor writes no Triton kernel for this model here; optimize needs a CUDA device")
            self.say("timing the model's kernels")
            target = self.context.target
            found, self._model_us = ranked(running, target)
            journal = journal_of(list(running.places), self.subject.mode, target, self.store, self.folder)
            kept = stack.enter_context(journal)
            outcomes = Outcomes(found, self.store, kept, target, self.done, recordings(running.graphs))
            stopped, whole = "", None
            try:
                self._search_all(running, outcomes)
                self._certify_all(outcomes)
                whole_s = max(self._left_s, WHOLE_SHARE * self.budget)
                whole = kept_together(running, outcomes, self._ours, whole_s, self.say)
                self._examine_all(outcomes)
            except KeyboardInterrupt:
                stopped = "interrupted"
            kernels = tuple(found.values())
            if self.repro is not None:
                write_repros(self.repro, kernels, journal.results)
            if not stopped and any(one.became == "not reached" for one in kernels):
                stopped = "out of time"
            return Optimized(
                self.subject.mode,
                self.subject.device,
                kernels,
                self._model_us,
                whole,
                time.monotonic() - self.began,
                stopped,
            )

    # Searching -----------------------------------------------------------------------------------------------------

    def _search_all(self, running: Running, outcomes: Outcomes) -> None:
        recorded = outcomes.recorded
        self._changing = any(kernel.numbers for kernel, _ in recorded.values())
        for twice, questions in enumerate((self._questions(running, outcomes, recorded), self._again(outcomes))):
            for question, answer in self.answering.each(questions, lambda: self._search_s <= 0):
                if self._left_s <= WHOLE_SHARE * self.budget:
                    break
                before = outcomes.kernels[question.key]
                self.say(f"{before.name}: searched, {self._left_s:.0f} s left")
                self._beyond_s = max(0.8 * self._beyond_s, answer.seconds - question.seconds)
                known, kept = self._became(running, outcomes, question, answer, recorded)
                had, offered_s = outcomes.journal.results.get(question.key, {}), question.seconds
                if twice:
                    known, kept = of_both(before, had, known, kept)
                    offered_s = max(offered_s, had.get(OFFERED, 0.0))
                kept = {**kept, OFFERED: offered_s, SEARCHED_TWICE: bool(twice)}
                outcomes.noted(replace(known, seconds=before.seconds + answer.seconds), kept)
            self._changing = any(recorded[key][0].numbers for key in outcomes.admitted)

    def _questions(self, running: Running, outcomes: Outcomes, recorded: Mapping[str, Recording]) -> Iterator[Question]:
        """The kernels that are worth a search, those with most to gain first; what becomes of others is decided."""
        found = outcomes.kernels
        hoped_us = [one.gain_us * hope(recorded[one.key][0]) for one in found.values()]
        for number, key in enumerate(list(found)):
            seconds = share_s(hoped_us[number:], self.at_once * self._search_s)
            known = self._known(running, outcomes, found[key], seconds) or self._not_worth(found[key], recorded[key])
            if known is not None:
                outcomes.decided(known)
                continue
            left_s = self._search_s - self._beyond_s
            if left_s < LEAST_S:
                continue  # what comes later may be known
            try:
                module = self._begun(*recorded[key])
            except KernelwrightError as error:
                outcomes.decided(replace(found[key], became="left out", why=str(error)))
                continue
            self.say(f"{found[key].name} ({number + 1} of {len(found)}, {self._left_s:.0f} s left)")
            yield self._question(key, module, recorded[key][0], min(seconds, left_s))

    def _question(
        self, key: str, module: KernelModule, kernel: Recorded, seconds: float, wide: bool = False, alone: bool = False
    ) -> Question:
        target = self.context.target
        wanted = Wanted(seconds, bool(kernel.numbers) and not alone, fits_in_cache(kernel, target), wide)

        def renewed() -> Question | None:
            left_s = self._search_s - self._beyond_s
            if left_s >= seconds:
                return question
            return self._question(key, module, kernel, left_s, wide, alone) if left_s >= LEAST_S else None

        question = Question(key, module, self.pipeline(target, wanted), seconds, alone, renewed=renewed)
        self._asked[key] = question
        return question

    def _again(self, outcomes: Outcomes) -> Iterator[Question]:
        """Second searches, of more candidates, for kernels with much to gain yet: first ones, of this run or of earlier
        ones, may end before their time is over, and leave theirs. Those that would be the same again are not made.
        Where nothing was admitted for sizes that may change, the second search is for the kernel's own sizes alone."""
        recorded, before = outcomes.recorded, outcomes.journal.results
        searched = [one for one in outcomes.kernels.values() if one.became in TWICE]
        searched = [one for one in searched if not before.get(one.key, {}).get(SEARCHED_TWICE)]
        left_us = {one.key: one.left_us * hope(recorded[one.key][0]) for one in searched}
        much = [one for one in searched if left_us[one.key] >= MUCH * self._model_us]
        much.sort(key=lambda one: -left_us[one.key])
        for number, kernel in enumerate(much):
            left_s = self._search_s - self._beyond_s
            if left_s < LEAST_S:
                return
            own = recorded[kernel.key][0]
            seconds = min(share_s([left_us[one.key] for one in much[number:]], self.at_once * left_s), left_s)
            alone = bool(own.numbers) and kernel.became != "admitted"
            try:
                first = self._asked.get(kernel.key) or self._question(
                    kernel.key, self._begun(*recorded[kernel.key]), own, seconds
                )
            except KernelwrightError:  # it is known from a run in which there was a problem
                continue
            question = self._question(kernel.key, first.module, own, seconds, wide=True, alone=alone)
            if question.pipeline != first.pipeline:
                self.say(f"{kernel.name} once more ({self._left_s:.0f} s left)")
                yield question

    def _begun(self, kernel: Recorded, graph: RecordedGraph) -> KernelModule:
        """What a search begins with: Inductor's own kernel, but where Triton is interpreted and nothing is faster."""
        bare = self._interprets and not kernel.numbers
        return problem(kernel, graph.spreads) if bare else begun(kernel, graph, self.context.target)

    @property
    def _interprets(self) -> bool:
        return self.context.target == "interpreter"

    def _known(self, running: Running, outcomes: Outcomes, kernel: Kernel, seconds: float) -> Kernel | None:
        """What became of a kernel before, where that still holds."""
        entry = outcomes.entry(kernel.key)
        if entry is not None and entry.kind == "wrong":
            return replace(kernel, became="wrong", why=entry.operation)
        if entry is not None and "graph" in entry.certificate:
            try:
                self._ours[kernel.key] = running.replacing(kernel.key, entry)
            except OutputsChangeError as error:
                self.say(f"{kernel.name}: what the store has is given up: {error}")
                outcomes.given_up(kernel.key, str(error))
                return None
            except DoesNotRunError as error:
                return replace(kernel, became="refused", why=str(error))
            graph = Comparison.read(entry.certificate["graph"])
            why = f"{graph} in the model when it was admitted"
            return replace(kernel, became="admitted", why=why, graph=graph, digest=entry.digest)
        return outcomes.before(kernel, seconds)

    def _not_worth(self, kernel: Kernel, recording: Recording) -> Kernel | None:
        """A kernel that is left out, and why."""
        if (why := recording[0].why_not) or recording[0].graph is None:
            return replace(kernel, became="left out", why=why)
        if kernel.gain_us < WORTH * self._model_us:
            share = f"{100 * kernel.gain_us / self._model_us:.2f}%"
            return replace(kernel, became="left out", why=f"it could save {share} of the model's time at most")
        return None

    def _became(
        self,
        running: Running,
        outcomes: Outcomes,
        question: Question,
        answer: Answer,
        recorded: Mapping[str, Recording],
    ) -> tuple[Kernel, Kept]:
        """What becomes of a kernel for which there is an answer, and the entry of what was verified and is refused, or
        the module of what was not verified."""
        kernel = outcomes.kernels[question.key]
        if answer.module is None or answer.verdict is None or not answer.verdict.ok:
            failed = {"module": print_module(answer.module)} if answer.module is not None else NOTHING
            return replace(kernel, became="refused", why=answer.why), failed
        own = question.module.digest if question.module.launcher is not None else ""
        offered = ((answer.module, answer.verdict), *answer.rivals)
        verified = [one for one in offered if one[0].kernels and one[0].digest not in {own, *self._tried}]
        if not verified:
            told, why = answer.without_winner
            return replace(kernel, became="unimproved", why=why), {"search": told} if told else NOTHING
        admission_s = ADMISSION_SHARE * self.budget
        trying = Trying(running, self.context.target, self._model_us, admission_s, self.say, self._tried)
        made = trying.best(kernel, recorded[kernel.key], verified, question.pipeline, answer.notes)
        others: Kept = {"others": list(made.others)} if made.others else NOTHING
        if not made.beats(kernel) or made.entry is None or made.ours is None:
            return made.kernel, {**made.kept, **others}
        earlier = outcomes.entry(kernel.key) if kernel.became == "admitted" else None
        entry = with_own(made.entry, answer.own)
        entry = for_own_sizes(entry) if question.alone else entry
        if not self.store.put(entry):
            return replace(made.kernel, became="refused", why=self.store.trouble), {**made.kept, **others}
        if earlier is not None:
            if earlier.own_sizes == entry.own_sizes:
                self.store.remove(earlier)
            others = {"others": [{"why": kernel.why, "entry": json.loads(earlier.text)}, *made.others]}
        self._ours[kernel.key] = made.ours
        return replace(made.kernel, became="admitted", digest=entry.digest), others

    def _certify_all(self, outcomes: Outcomes) -> None:
        """Complete the certificates of admitted kernels, and try those whose sizes may change at other sizes."""
        certify = Certifying(self.answering, self.context.target, lambda: self._left_s <= WHOLE_SHARE * self.budget)
        admitted = [
            Admitted(key, entry, outcomes.recorded[key], outcomes.beside(entry))
            for key in outcomes.admitted
            if (entry := outcomes.entry(key)) is not None
        ]
        for kernel, made in certify.completed(one for one in admitted if one.at_its_own):
            self.say(f"{outcomes.kernels[kernel.key].name}: its certificate is done, {self._left_s:.0f} s left")
            outcomes.certified(kernel.entry, made)

    def _examine_all(self, outcomes: Outcomes) -> None:
        """Have faulty variants of admitted kernels judged in what is left of the time: what verdicts are worth."""
        certify = Certifying(self.answering, self.context.target, lambda: self._left_s <= 0)
        for key in outcomes.admitted if self.mutants else ():
            entry = outcomes.entry(key)
            if entry is None or MUTANTS in entry.certificate or certify.late():
                continue
            self.say(f"{outcomes.kernels[key].name}: judging faulty variants")
            outcomes.certified(entry, certify.with_mutants(entry, self.mutants))

    # Time ----------------------------------------------------------------------------------------------------------

    @property
    def _left_s(self) -> float:
        return max(0.0, self.began + self.budget - time.monotonic())

    @property
    def _search_s(self) -> float:
        """What is left but for certificates and the comparison of the whole model."""
        kept = WHOLE_SHARE + (SIZES_SHARE if self._changing else CERTIFICATE_SHARE)
        return self._left_s - kept * self.budget
