"""Rollouts: a policy's answers over turns, judged and paid. Compiling and training both go through here."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from kernelwright.agent.answer_cache import AnswerCache
from kernelwright.agent.drawing import drawn
from kernelwright.agent.evaluating import Evaluate, Rungs, fault, faulty, judge_all
from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.agent.policy import Answer, Completion, Policy, PolicyError, Prompt, PromptTooLongError, Sampling
from kernelwright.agent.trajectory import Agent, Trajectory, Turn
from kernelwright.ir.errors import Diagnostic, KernelwrightError, UserError
from kernelwright.ir.values import KernelModule

#: Seeds of consecutive turns are this far apart, so that those of a turn's many answers do not meet.
_SEED_STEP = 1_000_003
DEFAULT_SAMPLING = Sampling()

#: What an answer is read as: the candidate, or the verdict on one that is none.
Found = KernelModule | Verdict
#: Begins to read an answer about a module; what it gives waits for the end.
Begin = Callable[[str, KernelModule], Callable[[], Found]]
#: Told of a module whose prompt was too long: its name, and what was said of the prompt.
TooLong = Callable[[str, str], None]


@dataclass(frozen=True)
class Request:
    """One prompt to be: a module, which of its batch it is, the turns that came before, the verdict it came with."""

    problem: int
    module: KernelModule
    history: tuple[Turn, ...] = ()
    given: Verdict | None = None

    def after(self, turn: Turn) -> "Request":
        """The request for the turn after this one."""
        return replace(self, history=(*self.history, turn))


@dataclass
class Reading:
    """The answers of a turn as they are read; a policy that is sure of itself says the same again and again."""

    _begin: Begin
    cache: AnswerCache
    _begun: dict[tuple[str, str], Callable[[], Found]] = field(default_factory=dict)

    def begin(self, text: str, module: KernelModule) -> None:
        """See to it that an answer is read; any thread may ask."""
        key = (module.digest, text)
        if key not in self._begun and self.cache.reading(*key) is None:
            self._begun[key] = self._begin(text, module)

    def read(self, text: str, module: KernelModule) -> Found:
        """What an answer is read as."""
        key = (module.digest, text)
        found = self.cache.reading(*key)
        if found is None:
            found = (self._begun.get(key) or self._begin(text, module))()
            self.cache.read(*key, found)
        return found


def _nothing() -> None:
    """Nobody asks when the policy is done."""


@dataclass(frozen=True)
class Roller:
    """Takes turns: renders, samples, reads, judges and pays. Answers are judged as they end, others being drawn yet.

    `begin` begins to read an answer elsewhere; None: each is read here, when its turn to be judged has come. Requests
    with a prompt that is too long get no turns where `too_long` takes their names; else PromptTooLongError is raised.
    """

    agent: Agent
    policy: Policy
    evaluate: Evaluate
    sampling: Sampling
    adapter: str | None = None
    rungs: Rungs = None
    progress: Callable[[str], None] | None = None
    cache: AnswerCache | None = None
    begin: Begin | None = None
    too_long: TooLong | None = None

    def turn(
        self, requests: Sequence[Request], n: int, number: int, over: Callable[[], None] = _nothing
    ) -> list[list[Turn]]:
        """`n` answers to each request, as turns. `number` counts turns, from 0, and moves the seed.

        `over` is called when the policy has given its last answer. Raises PolicyError and UserError.
        """
        prompts = [self.agent.render(request.module, request.history) for request in requests]
        left = list(range(len(requests)))
        while left:
            try:
                made = self._turn([requests[at] for at in left], [prompts[at] for at in left], n, number, over)
            except PromptTooLongError as error:
                if self.too_long is None or not error.places:
                    raise
                for place in error.places:
                    self.too_long(requests[left[place]].module.name, f"turn {number + 1}: {error}")
                left = [at for place, at in enumerate(left) if place not in error.places]
                continue
            found = dict(zip(left, made, strict=True))
            return [found.get(at, []) for at in range(len(requests))]
        over()
        return [[] for _ in requests]

    def _turn(
        self, requests: Sequence[Request], prompts: Sequence[Prompt], n: int, number: int, over: Callable[[], None]
    ) -> list[list[Turn]]:
        """The same for prompts that may be asked."""
        seed = None if self.sampling.seed is None else self.sampling.seed + _SEED_STEP * number
        cache = AnswerCache() if self.cache is None else self.cache
        reading = Reading(self.begin or partial(_begin_here, self.agent), cache)
        modules = [request.module for request in requests]
        answers = drawn(
            self.policy,
            prompts,
            replace(self.sampling, n=n, seed=seed),
            self.adapter,
            over,
            lambda answer: reading.begin(answer[2].text, modules[answer[0]]),
        )
        turns = self._judged(requests, prompts, answers, reading)
        if self.progress is not None:
            right = sum(turn.verified for turn in turns)
            self.progress(f"turn {number + 1}: {right} of {len(turns)} answers verified")
        return [turns[start : start + n] for start in range(0, len(turns), n)]

    def _judged(
        self, requests: Sequence[Request], prompts: Sequence[Prompt], answers: Iterator[Answer], reading: Reading
    ) -> list[Turn]:
        """Turns in the order of requests and, of each, of its answers' numbers."""
        cache = reading.cache
        came: list[tuple[Answer, Found, Verdict | None]] = []
        failed: list[PolicyError] = []

        def candidates() -> Iterator[KernelModule]:
            try:
                for index, number, answer in answers:
                    found = reading.read(answer.text, requests[index].module)
                    known = cache.verdict(found.digest) if isinstance(found, KernelModule) else found
                    came.append(((index, number, answer), found, known))
                    if isinstance(found, KernelModule) and known is None:
                        yield found
            except PolicyError as error:  # what is raised in here is else taken for the evaluator's
                failed.append(error)

        verdicts = iter(judge_all(candidates(), self.evaluate, self.rungs))
        if failed:
            raise failed[0]
        turns = {}
        for (index, number, answer), found, known in came:
            candidate, verdict = found if isinstance(found, KernelModule) else None, known
            if verdict is None:
                assert candidate is not None, "an answer that is not read has its verdict"
                verdict = next(verdicts)
                cache.judged(candidate.digest, verdict)
            request, verdict = requests[index], with_given(verdict, requests[index].given)
            turns[index, number] = self._paid(request, prompts[index], answer, candidate, verdict)
        return [turns[place] for place in sorted(turns)]

    def _paid(
        self, request: Request, prompt: Prompt, answer: Completion, candidate: KernelModule | None, verdict: Verdict
    ) -> Turn:
        """The turn with its reward; without one where the framework failed or could not tell."""
        if verdict.status is not Status.UNSUPPORTED:
            try:
                reward = self.agent.reward(request.module, candidate, verdict)
                return Turn(prompt, answer, candidate, verdict, reward)
            except UserError:
                raise
            except KernelwrightError as error:
                verdict = faulty(verdict, error)
        return Turn(prompt, answer, candidate, verdict, 0.0, valid=False)


def roll_out(
    agent: Agent,
    modules: Sequence[KernelModule],
    policy: Policy,
    evaluate: Evaluate,
    *,
    n: int = 1,
    turns: int = 1,
    sampling: Sampling = DEFAULT_SAMPLING,
    adapter: str | None = None,
    rungs: Rungs = None,
    given: Sequence[Verdict] = (),
    stop: Callable[[Turn], bool] | None = None,
    progress: Callable[[str], None] | None = None,
    over: Callable[[], None] = _nothing,
    cache: AnswerCache | None = None,
    begin: Begin | None = None,
    too_long: TooLong | None = None,
) -> list[Trajectory]:
    """`n` trajectories of up to `turns` turns for each module; those of a module stand together, in order.

    All prompts of a turn are one call of the policy, all candidates of a turn one call of `evaluate`, where equal ones
    are judged once; a policy that streams has its first answers judged while it draws the others. Answers that cannot
    be read are Verdict(UNPARSED) and are not evaluated. A turn is not valid where the framework failed (an error in
    place of a verdict, a judge without an answer), which also ends its trajectory, or where the verdict is
    `unsupported`, which says nothing about the answer. `given` are verdicts of the modules as they are, from the same
    rungs: their times become `before`. `stop` ends a trajectory after a turn for which it holds. `over` is called when
    nothing more is asked of the policy; answers may still be judged then. With a `cache`, what was read and judged in
    earlier turns, of this agent and by these rungs, is not read or judged again. `begin` reads answers elsewhere, from
    the moment that they are drawn, and gives what `read_answer` would. With a `sampling.seed`, a policy and
    an evaluator that repeat themselves give the same again; `sampling.n` is not looked at. `too_long` is told of
    modules whose prompt has no room: at the first turn they are left out, at a later one their trajectory ends.

    Raises PolicyError, and UserError for what is configured wrongly.
    """
    if n < 1 or turns < 1:
        raise UserError(f"n={n}, turns={turns}: at least one of each is needed")
    assert not given or len(given) == len(modules), "one verdict for each module"
    roller = Roller(agent, policy, evaluate, sampling, adapter, rungs, progress, cache, begin, too_long)
    first = [Request(index, module, (), given[index] if given else None) for index, module in enumerate(modules)]
    begun = roller.turn(first, n, 0, over if turns == 1 else _nothing)
    tracks = [request.after(turn) for request, some in zip(first, begun, strict=True) for turn in some]
    ended = set[int]()
    for number in range(1, turns):
        going = [at for at, track in enumerate(tracks) if at not in ended and goes_on(track.history[-1], stop)]
        last = over if number == turns - 1 else _nothing
        for at, took in zip(going, roller.turn([tracks[at] for at in going], 1, number, last), strict=True):
            if took:
                tracks[at] = tracks[at].after(took[0])
            else:
                ended.add(at)
    return [Trajectory(track.problem, track.module, track.history) for track in tracks]


def goes_on(last: Turn, stop: Callable[[Turn], bool] | None) -> bool:
    """Whether a trajectory continues after a turn."""
    return not fault(last.verdict) and not (stop is not None and stop(last))


def with_given(verdict: Verdict, given: Verdict | None) -> Verdict:
    """A verdict with the times of the module that the candidate was made from, as `before`."""
    if given is None or not verdict.ok:
        return verdict
    names = {"before": "candidate", "modelled_before": "modelled_candidate"}
    times = {new: given.times_ms[old] for new, old in names.items() if old in given.times_ms}
    return replace(verdict, times_ms={**verdict.times_ms, **times})


def _begin_here(agent: Agent, text: str, module: KernelModule) -> Callable[[], Found]:
    return partial(read_answer, agent, text, module)


def read_answer(agent: Agent, text: str, module: KernelModule) -> Found:
    """The candidate, or the verdict on an answer that is none."""
    try:
        found = agent.parse(text, module)
    except UserError:
        raise
    except KernelwrightError as error:
        return faulty(Verdict(Status.UNSUPPORTED, Rung.PARSE), error)
    if isinstance(found, KernelModule):
        return found
    return unparsed(found, module)


def unparsed(diagnostics: tuple[Diagnostic, ...], module: KernelModule) -> Verdict:
    """The verdict on an answer outside the dialect."""
    assert diagnostics, "an answer that is not read has a diagnostic"
    more = f" (and {len(diagnostics) - 1} more)" if len(diagnostics) > 1 else ""
    detail = f"{diagnostics[0]}{more}"
    shrunken = module.reference.shrunken
    return Verdict(Status.UNPARSED, Rung.PARSE, detail, diagnostics=diagnostics, shrunken=shrunken)
