import json
import signal
from pathlib import Path
from typing import NoReturn

from kernelwright.driver.run.journal import Journal, _difference, first_difference

_MADE_WITH = {"seeds": [0]}


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def test_an_interrupt_leaves_what_is_known_and_what_is_kept_the_same(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGALRM, _interrupt)
    try:
        for number in range(60):  # at that many moments: without care about half of them part the two
            path = tmp_path / f"{number}.jsonl"
            with Journal(path, _MADE_WITH) as journal:
                try:
                    signal.setitimer(signal.ITIMER_REAL, 0.001 + 1e-5 * number)
                    for row in range(10**9):
                        journal.add(str(row), {"value": "x" * 50})
                except KeyboardInterrupt:
                    pass
            assert [json.loads(line) for line in path.read_text("utf-8").splitlines()] == [
                {"journal": _MADE_WITH},
                *journal.results.values(),
            ]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_of_settings_that_differ_the_one_key_is_named() -> None:
    before = {"journal": {"policy": {"kind": "openai", "model": "m"}}}
    assert _difference(before, {"journal": {"policy": {"kind": "replay", "model": "m"}}}) == (
        "made with policy.kind=openai, now it is replay"
    )


def test_a_key_that_only_one_of_two_configurations_has_is_told_as_that() -> None:
    assert first_difference({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}) == "a.c is new, 2"
    assert first_difference({"a": {"b": 1}}, {"a": {}}) == "a.b was 1, and is no key now"
