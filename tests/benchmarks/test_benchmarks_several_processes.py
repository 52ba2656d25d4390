"""Tasks of several processes: the answers that are kept where one task fails, and where time is over."""

import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from benchmarks.several_processes import Processes, TimeIsOverError, answer_in, journal_for


def _answer(number: int) -> dict[str, Any]:
    if number < 0:
        raise ValueError(f"{number} is below zero")
    return {"root": number**0.5}


def _never() -> dict[str, Any]:
    time.sleep(600)
    return {}


def test_answers_are_kept_though_a_task_before_them_fails(tmp_path: Path) -> None:
    tasks = {str(number): partial(_answer, number) for number in (-1, 4, -9, 16)}
    with journal_for(tmp_path / "kept.jsonl", {"code": "a"}) as journal, Processes(1, 300) as processes:
        with pytest.raises(ValueError, match="-1 is below zero"):
            processes.answers_kept(journal, tasks)
        assert {name: answer_in(journal, name) for name in journal.results} == {"4": {"root": 2}, "16": {"root": 4}}
        processes.answers_kept(journal, {"4": tasks["4"], "25": partial(_answer, 25)})
        assert list(journal.results) == ["4", "16", "25"]


def test_time_is_over_while_a_task_takes_long(tmp_path: Path) -> None:
    with journal_for(tmp_path / "kept.jsonl", {"code": "a"}) as journal, Processes(1, 0.0) as processes:
        with pytest.raises(TimeIsOverError):
            processes.answers_kept(journal, {"long": _never})
        assert not journal.results
