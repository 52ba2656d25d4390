"""Tasks in child processes: results and complaints come back, and what dies or hangs is replaced."""

import os
import time
from collections.abc import Iterator

import pytest

from kernelwright.backend.measure.children import OFF_GPU, WAITS, WORKS, Child, Children, LastWordError, tell


def square(number: int) -> int:
    return number * number


def leave(status: int) -> None:
    os._exit(status)


def hang() -> None:
    time.sleep(600)


def spoil() -> None:
    raise LastWordError("the device is gone")


def wait_for_a_turn() -> str:
    tell(WAITS)
    time.sleep(4)
    tell(WORKS)
    return "had it"


def seen() -> tuple[int, str]:
    return os.getpid(), os.environ["CUDA_VISIBLE_DEVICES"]


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    # This module is imported by the child under its own name.
    folder = os.path.dirname(__file__)  # noqa: PTH120
    with Child((), {"PYTHONPATH": folder, **OFF_GPU}) as child:
        yield child


def test_results_and_complaints_come_back(child: Child) -> None:
    assert child.do((square, (7,)), 30).value == 49
    failed = child.do((square, ("a",)), 30)
    assert failed.failure.startswith("TypeError") and not failed.lost
    pid, devices = child.do((seen, ()), 30).value
    assert (pid, devices) == (child.pid, "")


def test_what_dies_or_hangs_is_replaced(child: Child) -> None:
    leaves, hangs, spoils = ((leave, (3,)), "exit status 3"), ((hang, ()), "too long"), ((spoil, ()), "device is gone")
    for (task, why), seconds in ((leaves, 30), (hangs, 1), (spoils, 30)):
        before = child.pid
        found = child.do(task, seconds)
        assert found.lost and why in found.failure
        assert child.pid != before
        with pytest.raises(ProcessLookupError):
            os.kill(before, 0)
    assert child.do((square, (3,)), 30).value == 9


def test_waiting_for_a_turn_is_no_work(child: Child) -> None:
    assert child.do((wait_for_a_turn, ()), 3.0).value == "had it"


def test_several_share_out_tasks_and_what_is_late_is_dropped() -> None:
    folder = os.path.dirname(__file__)  # noqa: PTH120
    with Children(2, (), {"PYTHONPATH": folder}) as children:
        tasks = [(square, (number,)) for number in range(5)] + [(leave, (1,))]
        found = dict(children.each(tasks, 30))
        assert [found[number].value for number in range(5)] == [0, 1, 4, 9, 16]
        assert found[5].lost
        assert list(children.each([(hang, ()), (hang, ())], 3.0, time.monotonic() + 1.0)) == []
        assert [outcome.value for _, outcome in children.each([(square, (4,))], 30)] == [16]
