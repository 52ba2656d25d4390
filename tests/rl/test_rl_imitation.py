"""Good answers are kept, drawn by how good they were, and learnt by heart."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from test_rl_trainer import Toy, trainer

from kernelwright.agent.evaluator import Status
from kernelwright.agent.trajectory import Turn
from kernelwright.rl.algorithms.presets import preset
from kernelwright.rl.trainer.imitation import GoodAnswers
from kernelwright.rl.trainer.packing import Example
from kernelwright.rl.trainer.run_log import read_metrics
from kernelwright.rl.trainer.sft import likelihood_loss


def row(prompt: int, response: int) -> Example:
    return Example((1, prompt), (response, 2))


def test_only_what_was_better_than_its_group_is_kept() -> None:
    kept = GoodAnswers()
    kept.record([row(5, 5), row(5, 6), row(6, 6), row(7, 7)], [0.5, -0.5, 0.0, 1.0])
    assert set(kept.drawn(10, "seed")) == {row(5, 5), row(7, 7)}
    kept.record([row(5, 8), row(5, 5), row(7, 9)], [1.0, -1.0, 0.0])  # the latest good one to a prompt
    assert set(kept.drawn(10, "seed")) == {row(5, 8), row(7, 7)}


def test_there_is_one_answer_to_a_prompt_and_it_stays_where_it_comes_again() -> None:
    kept = GoodAnswers()
    kept.record([row(5, 5), row(5, 6), row(5, 6)], [1.0, 1.0, 1.0])
    assert kept.drawn(10, "seed") == [row(5, 6)]
    kept.record([row(5, 7), row(5, 7), row(5, 6)], [1.0, 1.0, 1.0])
    assert kept.drawn(10, "seed") == [row(5, 6)]
    kept.record([row(5, 7), row(5, 6)], [1.5, 1.0])  # unless another is better
    assert kept.drawn(10, "seed") == [row(5, 7)]


def test_better_ones_are_drawn_more_often_and_none_twice() -> None:
    kept = GoodAnswers()
    kept.record([row(place, place) for place in range(4)], [3.0, 1.0, 1.0, 1.0])
    first = Counter(kept.drawn(1, str(number))[0] for number in range(3000))
    assert first[row(0, 0)] / 3000 == pytest.approx(0.5, abs=0.03)
    assert len(set(kept.drawn(3, "x"))) == 3
    assert kept.drawn(2, "x") == kept.drawn(2, "x")


def test_the_oldest_prompts_go_first() -> None:
    kept = GoodAnswers(most=2)
    for place in (1, 2, 1, 3):
        kept.record([row(place, place)], [1.0])
    assert set(kept.drawn(9, "")) == {row(1, 1), row(3, 3)}


def test_they_are_in_checkpoints(tmp_path: Path) -> None:
    kept, other = GoodAnswers(), GoodAnswers()
    kept.record([row(5, 5), row(6, 6), row(7, 7)], [0.5, 0.25, 1.0])
    kept.save(tmp_path)
    other.load(tmp_path)
    assert other.drawn(3, "a") == kept.drawn(3, "a") and len(other.drawn(9, "a")) == 3
    other.load(tmp_path / "elsewhere")
    assert other.drawn(9, "a") == []


def test_imitation_learns_more_from_as_many_answers(tmp_path: Path) -> None:
    def learnt(imitate: int, seed: int) -> float:
        folder, changes = tmp_path / f"{imitate}-{seed}", {"imitate": imitate, "seed": seed, "save_every": 25}
        trainer(folder, Toy(n=4), preset("raft"), steps=25, lr=4e-3, **changes).run()
        rows = read_metrics(folder)
        assert all(("imitation_loss" in row) == bool(imitate) for row in rows[-6:])
        return sum(row["correct"] for row in rows[-6:]) / 6

    plain, imitating = (sum(learnt(imitate, seed) for seed in range(4)) / 4 for imitate in (0, 4))
    assert imitating > plain + 0.1


def test_what_is_solved_is_rehearsed_where_that_has_a_weight(tmp_path: Path) -> None:
    class Solved(Toy):
        """Answers to the first problem are all right, to others all wrong: no advantage is other than 0."""

        def _turn(self, problem: int, turn: int, generator: torch.Generator) -> Turn:
            made = super()._turn(problem, turn, generator)
            status, reward = (Status.OK, 1.0) if problem == 0 else (Status.MISMATCH, -1.0)
            return replace(made, verdict=replace(made.verdict, status=status), reward=reward)

    def losses(rehearsal: float) -> list[float]:
        folder = tmp_path / str(rehearsal)
        trainer(folder, Solved(), steps=6, imitate=8, rehearsal=rehearsal).run()
        return [row["imitation_loss"] for row in read_metrics(folder) if "imitation_loss" in row]

    assert losses(0.0) == []
    rehearsed = losses(0.5)
    assert len(rehearsed) == 5 and rehearsed[-1] < rehearsed[0]


def test_pairs_are_imitated_beside_and_not_forgotten(tmp_path: Path) -> None:
    pairs = [row(place, 3) for place in range(5, 9)]

    def unlikely(folder: Path, count: int) -> float:
        made = replace(trainer(folder, Toy(), steps=12, pairs=count), pairs=pairs)
        made.run()
        losses = [one.get("imitation_loss") for one in read_metrics(folder)]
        assert all((loss is not None) == bool(count) for loss in losses)
        return likelihood_loss(made.learner, pairs)

    assert unlikely(tmp_path / "with", 2) < unlikely(tmp_path / "without", 0) - 0.5


def test_the_pairs_of_an_update_follow_from_its_number(tmp_path: Path) -> None:
    pairs = [row(place, 3) for place in range(5, 25)]
    made = replace(trainer(tmp_path, Toy(), pairs=3), pairs=pairs)
    drawn = [made._updates._paired(f"0/{number}") for number in range(40)]
    assert drawn[0] == made._updates._paired("0/0") and all(len(set(rows)) == 3 for rows in drawn)
    assert {one for rows in drawn for one in rows} == set(pairs)
    assert len(replace(made, pairs=pairs[:2])._updates._paired("0/0")) == 2  # all there are
