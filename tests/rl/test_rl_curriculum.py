"""Which problems a step works on: new ones in the cursor's order, and again those that teach something."""

from collections import Counter
from itertools import chain

import pytest
from test_rl_trainer import MODULES, PROMPT

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.agent.policy import Completion
from kernelwright.agent.trajectory import Trajectory, Turn
from kernelwright.ir.errors import UserError
from kernelwright.rl.data.curriculum import Curriculum
from kernelwright.rl.data.rows import Cursor

#: Share of a problem's answers that are right, by place modulo 4.
RIGHT = (0.0, 0.5, 0.125, 1.0)
ANSWERS = 8


def answered(batch: list[int], valid: bool = True) -> list[Trajectory]:
    def turn(place: int, number: int) -> Turn:
        right = number < ANSWERS * RIGHT[place % 4]
        verdict = Verdict(Status.OK if right else Status.MISMATCH, Rung.INTERPRET)
        return Turn(PROMPT, Completion("", "stop", "toy"), None, verdict, float(right), valid)

    numbered = [(index, turn(place, number)) for index, place in enumerate(batch) for number in range(ANSWERS)]
    return [Trajectory(index, MODULES[0], (one,)) for index, one in numbered]


def steps(curriculum: Curriculum, count: int, valid: bool = True) -> list[list[int]]:
    """The batches of a run, each recorded before the next is asked for."""
    first, found = curriculum.state["step"], list[list[int]]()
    for step in range(first, first + count):
        found.append(curriculum.batch_of(step))
        curriculum.record(found[-1], answered(found[-1], valid))
    return found


def test_without_replay_batches_are_those_of_a_cursor() -> None:
    cursor = Cursor(range(10), 4, seed=3)
    assert steps(Curriculum(10, 4, 0.0, seed=3), 7) == [list(cursor.batch_of(step)) for step in range(7)]


def test_new_problems_go_on_in_the_cursors_order_and_others_come_again() -> None:
    batches = steps(Curriculum(1000, 8, 0.5, seed=0), 40)
    assert all(len(batch) == 8 for batch in batches)
    order = [Cursor(range(1000), 1, 0).batch_of(place)[0] for place in range(1000)]
    assert batches[0] + batches[1] == order[:16]  # nothing is known of any before the third
    seen = list(dict.fromkeys(chain(*batches)))
    assert seen == order[: len(seen)]
    assert all(set(batch[:4]).isdisjoint(chain(*batches[:step])) for step, batch in enumerate(batches))
    again = [place for step, batch in enumerate(batches) for place in batch if place in set(chain(*batches[:step]))]
    assert len(again) > 4 * 30
    assert {place % 4 for place in again} == {1, 2}  # a solved one and one out of reach teach nothing


def test_they_come_by_the_variance_of_their_rewards() -> None:
    """p (1 - p) is 0.25 for every second right, 0.109 for every eighth."""
    curriculum = Curriculum(400, 400, 0.0, seed=0)
    steps(curriculum, 2)
    state, drawn = curriculum.state, Counter[int]()
    for seed in range(300):
        one = Curriculum(400, 40, 0.25, seed)
        one.restore({**state, "step": 2, "new": 0})
        again = one.batch_of(2)[30:]
        assert len(set(again)) == 10
        drawn.update(place % 4 for place in again)
    assert drawn[1] / drawn[2] == pytest.approx(0.25 / 0.109375, rel=0.15)
    assert set(drawn) == {1, 2}


@pytest.mark.parametrize("ahead", [1, 2, 3])
def test_a_batch_does_not_depend_on_the_steps_that_it_is_ahead_of(ahead: int) -> None:
    """It may be drawn while those are learnt from."""
    after, beside = Curriculum(100, 8, 0.5, 1, ahead), Curriculum(100, 8, 0.5, 1, ahead)
    wanted, found = steps(after, 12), [beside.batch_of(step) for step in range(ahead)]
    for step in range(12):
        found.append(beside.batch_of(step + ahead))
        beside.record(found[step], answered(found[step]))
    assert found[:12] == wanted


def test_a_batch_follows_from_what_is_known_when_it_is_begun() -> None:
    """One ahead, batch 3 is drawn by what became of steps 0 and 1; two ahead, by step 0 alone."""
    for ahead, count in ((1, 2), (2, 1)):
        curriculum = Curriculum(100, 8, 0.5, 1, ahead)
        before = steps(curriculum, 3)
        known = {place for place in chain(*before[:count]) if place % 4 in (1, 2)}
        again = set(curriculum.batch_of(3)) & set(chain(*before))
        assert again <= known
        assert len(again) == min(4, len(known))


@pytest.mark.parametrize("ahead", [1, 2])
@pytest.mark.parametrize("done", [1, 6])
def test_what_was_drawn_and_not_recorded_is_drawn_again(ahead: int, done: int) -> None:
    curriculum = Curriculum(100, 8, 0.5, 1, ahead)
    steps(curriculum, done)
    due = range(done, done + ahead + 1)
    wanted = [curriculum.batch_of(step) for step in due]
    other = Curriculum(100, 8, 0.5, 1, ahead)
    other.restore(curriculum.state)
    assert [other.batch_of(step) for step in due] == wanted


def test_where_problems_are_others_it_does_not_go_on() -> None:
    curriculum = Curriculum(100, 8, 0.5, seed=1)
    with pytest.raises(UserError, match="had 100 problems, but now there are 99"):
        Curriculum(99, 8, 0.5, seed=1).restore(curriculum.state)


def test_lost_answers_leave_what_was_known_of_a_problem() -> None:
    curriculum = Curriculum(8, 8, 0.0, seed=0)
    steps(curriculum, 1)
    known = curriculum.state["latest"]
    steps(curriculum, 2, valid=False)
    assert [curriculum.state["known"]] == known and curriculum.state["latest"] == [[]]


def test_a_problem_whose_answers_were_all_lost_is_not_known() -> None:
    curriculum = Curriculum(100, 8, 0.5, seed=1)
    batches = steps(curriculum, 6, valid=False)
    assert len({place for batch in batches for place in batch}) == 48
