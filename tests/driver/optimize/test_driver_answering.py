"""Processes that search beside a model: which question each of them gets when."""

import threading
import time
from dataclasses import replace
from typing import Any, ClassVar, cast

import pytest

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.agent.services import AgentServices
from kernelwright.driver.config.settings import read_settings
from kernelwright.driver.optimize import answering
from kernelwright.driver.optimize.answering import Answer, Beside, Question, answered
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.evaluation.judge.strengths import STRENGTHS
from kernelwright.frontend.importers import import_source
from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.values import KernelModule, Record

PROGRAM = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1
def get_inputs():
    return [torch.randn(4)]
def get_init_inputs():
    return []
"""
#: How long anything here may take, in seconds.
LIMIT_S = 60.0


class Told:
    """In the place of a process: says which questions it has begun, and ends each once it is told to."""

    begun: ClassVar[list[str]]
    came: ClassVar[threading.Condition]

    def __init__(self, *_given: Any) -> None:
        self.ended = False

    def ask(self, question: Question | int) -> dict[str, Any]:
        if isinstance(question, int):
            return {"status": "ok"}
        with Told.came:
            Told.begun.append(question.key)
            Told.came.notify_all()
        return {"status": "ok", "answer": Answer(why=question.key)}

    def end(self) -> None:
        self.ended = True


def begun(count: int) -> list[str]:
    """The questions that were begun, once there are so many."""
    with Told.came:
        assert Told.came.wait_for(lambda: len(Told.begun) >= count, LIMIT_S), Told.begun
        return list(Told.begun)


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> Beside:
    Told.begun, Told.came = [], threading.Condition()
    monkeypatch.setattr(answering, "Worker", Told)
    return Beside(read_settings("model", ["target=h100"]), 1, 1, LIMIT_S)


def questions(count: int) -> list[Question]:
    module = import_source(PROGRAM, "plus_one")
    return [Question(str(number), module, "", 1.0) for number in range(count)]


def test_nobody_waits_while_an_answer_is_used(beside: Beside) -> None:
    with beside as answers:
        found = answers.each(questions(6), bool)
        first, answer = next(found)
        assert answer.why == first.key == "0"
        assert begun(3) == ["0", "1", "2"]  # while this answer is used, the next two are looked for
        rest = [question.key for question, _ in found]
        assert [first.key, *rest] == [str(number) for number in range(6)] == begun(6)
        again = [question.key for question, _ in answers.each(questions(2), bool)]
        assert again == ["0", "1"]
    assert all(worker.ended for worker in beside.workers)


@pytest.mark.parametrize(
    ("notes", "why"),
    [
        ({}, "nothing faster was found"),
        ({"measured": 3, "plain_us": 9.5}, "nothing faster was found among 3 that were measured"),
        (
            {"measured": 3, "plain_us": 9.5, "not_verified": {"given,fold": 4.0}},
            "what takes 4.0 us alone, of 9.5 us, had no verdict in time: given,fold",
        ),
    ],
)
def test_a_search_without_a_winner_says_what_it_looked_at(notes: dict[str, Any], why: str) -> None:
    module = questions(1)[0].module
    made = replace(module, provenance=(Record("search", "", notes=notes),))
    told, found = Answer(made).without_winner
    assert found == why and told == notes


def test_once_it_is_late_nothing_more_is_asked_and_what_is_answered_is_told(beside: Beside) -> None:
    with beside as answers:
        assert list(answers.each(questions(9), lambda: True)) == [] == Told.begun
        told = list[str]()
        found = answers.each(questions(9), lambda: bool(told))
        told.append(next(found)[0].key)
        begun(3)  # while this answer is used, two more are answered
        while not all(future.done() for future in beside._running):
            time.sleep(0.01)
        told += [question.key for question, _ in found]
        assert told == begun(3) == ["0", "1", "2"]
        assert [question.key for question, _ in answers.each(questions(2), bool)] == ["0", "1"]


def test_once_it_is_late_what_is_not_begun_is_taken_back_and_no_later_question_gets_its_answer(
    beside: Beside, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, asks = threading.Event(), Told.ask

    def ask(self: Told, question: Question | int) -> dict[str, Any]:
        found = asks(self, question)
        assert isinstance(question, int) or go_on.wait(LIMIT_S)
        return found

    monkeypatch.setattr(Told, "ask", ask)
    with beside as answers:
        assert list(answers.each(questions(9), lambda: bool(Told.begun))) == [] and begun(1) == ["0"]
        assert list(answers.each([], bool)) == []  # which waits for nobody
        found = answers.each([replace(one, key=f"later {one.key}") for one in questions(3)], bool)
        go_on.set()
        later = ["later 0", "later 1", "later 2"]
        assert [question.key for question, _ in found] == later and begun(4) == ["0", *later]


def test_a_question_is_asked_as_it_is_once_somebody_is_free(beside: Beside) -> None:
    first, second, third = questions(3)
    shorter = replace(second, key="shorter")
    with beside as answers:
        asked = [replace(first, renewed=lambda: None), replace(second, renewed=lambda: shorter), third]
        assert [question for question, _ in answers.each(asked, bool)] == [shorter, third]
        assert begun(2) == ["shorter", third.key]


class Right:
    """An evaluator that finds everything right, and keeps what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[KernelModule] = []

    def evaluate(self, module: KernelModule, _rungs: Any = None) -> Verdict:
        self.asked.append(module)
        return Verdict(Status.OK, Rung.RUN)


class Asks:
    """In the place of a pipeline: the plain lowering, as the evaluator is asked for it."""

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        made = parse_pipeline("lower-inductor").run(module, ctx)
        evaluate = ctx.service(AgentServices).evaluate
        assert evaluate is not None
        list(evaluate([made], None))
        return made


@pytest.mark.parametrize(
    ("program", "fits"),
    [
        ("x + 1", True),
        ("x.exp().sum()", False),
        ("torch.zeros(4, device=x.device).index_add(0, torch.arange(4, device=x.device), x[:4])", False),
    ],
)
def test_nobody_judges_what_would_not_run_in_the_place_of_one_launch(
    program: str, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering, "parse_pipeline", lambda _spec: Asks())
    source = PROGRAM.replace("x + 1", program).replace("randn(4)", "randn(1 << 20)")
    module, evaluator = import_source(source, "one", shrink="never"), Right()
    found = answered(Question("key", module, "asks", 5.0), Context("h100", cast(Any, evaluator)))
    assert found.verdict is not None and found.verdict.ok == fits
    assert len(evaluator.asked) == fits


class Local(LocalEvaluator):
    """In the place of one of this machine's, which `fewer` is with other kinds of inputs."""

    def __init__(self, fewer: Right) -> None:
        self.fewer, self.asked = fewer, list[KernelModule]()

    def evaluate(self, module: KernelModule, *_rest: Any) -> Verdict:
        return Right.evaluate(cast(Any, self), module)

    def checking(self, strength: str, samples: int = 0) -> LocalEvaluator:
        assert strength in STRENGTHS and samples > 0
        return cast(Any, self.fewer)


def test_with_fewer_kinds_of_inputs_another_evaluator_judges_and_inductors_kernel_too() -> None:
    (module,) = (question.module for question in questions(1))
    made, fewer = replace(module, name="made"), Right()
    evaluator = Local(fewer)
    context = Context("interpreter", evaluator)
    found = answered(Question("key", made, fewer=True, own=module), context)
    assert fewer.asked == [made, module] and evaluator.asked == [] and found.own == found.verdict
    assert answered(Question("key", made), context).own is None and evaluator.asked == [made]


def test_an_error_in_judging_inductors_kernel_leaves_the_verdict_on_ours() -> None:
    class Fails(Right):
        def evaluate(self, module: KernelModule, rungs: Any = None) -> Verdict:
            found = super().evaluate(module, rungs)
            if module.name == "wrong":
                return replace(found, status=Status.MISMATCH)
            if len(self.asked) > 1:
                raise KernelwrightError("broken")
            return found

    (module,) = (question.module for question in questions(1))
    for name, asked in (("right", 2), ("wrong", 1)):
        made, evaluator = replace(module, name=name), Fails()
        question = Question("key", made, own=module)
        found = answered(question, Context("interpreter", cast(Any, evaluator)))
        assert found.verdict is not None and found.own is None and len(evaluator.asked) == asked


def test_an_answer_tells_what_was_found_of_the_kernel_that_a_search_began_with(monkeypatch: pytest.MonkeyPatch) -> None:
    class Compares:
        """In the place of a pipeline: judges what it is given."""

        def run(self, module: KernelModule, ctx: Context) -> KernelModule:
            evaluate = ctx.service(AgentServices).evaluate
            assert evaluate is not None
            list(evaluate([module], None))
            return replace(module, name="faster")

    monkeypatch.setattr(answering, "parse_pipeline", lambda _spec: Compares())
    own = parse_pipeline("lower-inductor").run(questions(1)[0].module, Context("interpreter"))
    found = answered(Question("key", own, "compares", 5.0), Context("interpreter", cast(Any, Right())))
    assert found.own is not None and found.own.ok and found.module is not None and found.module.name == "faster"
