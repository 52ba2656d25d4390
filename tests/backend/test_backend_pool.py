"""Children that go on with the next work: the same processes, unless something has changed or gone wrong."""

import importlib
import os
import time
from pathlib import Path

import pytest

from kernelwright.backend.measure import pool
from kernelwright.backend.measure.children import OFF_GPU, Child, Children
from kernelwright.backend.measure.pool import end_idle, lent_child, lent_children

HERE = {**OFF_GPU, "PYTHONPATH": os.pathsep.join(map(str, Path(__file__).parents[:2]))}


@pytest.fixture(autouse=True)
def _nobody_waits():
    end_idle()
    yield
    end_idle()


def identities(count: int = 2) -> set[int]:
    with lent_children(count, (), HERE) as children:
        found = [outcome.value for _, outcome in children.each([(os.getpid, ())] * count, 60)]
    return set(found)


def test_the_next_work_gets_the_same_children():
    first = identities(1)
    assert identities(1) == first
    assert identities(1).isdisjoint({os.getpid()})


def test_a_child_that_is_still_at_something_is_replaced():
    with lent_children(1, (), HERE) as children:
        assert list(children.each([(time.sleep, (600,))], 900, time.monotonic() + 2)) == []
    with lent_children(1, (), HERE) as children:
        ((_, outcome),) = children.each([(os.getpid, ())], 60)
    assert outcome.value


def test_children_end_with_work_that_fails_and_with_other_surroundings(monkeypatch):
    with lent_child() as child:
        first = child.pid
    with pytest.raises(KeyboardInterrupt), lent_child() as child:
        assert child.pid == first
        raise KeyboardInterrupt
    with lent_child() as child:
        second = child.pid
    monkeypatch.setenv("CUDA_MODULE_LOADING", "LAZY")  # as torch does when it begins CUDA
    with lent_child() as child:
        assert child.pid == second
    monkeypatch.setenv("KERNELWRIGHT_SURROUNDINGS", "other")
    with lent_child() as child:
        assert len({first, second, child.pid}) == 3
    assert not Path(f"/proc/{second}").exists()


def test_who_comes_later_gets_what_was_begun(monkeypatch):
    assert importlib.import_module(pool.BENCH).open_bench
    started = []
    monkeypatch.setattr(pool, "Child", lambda *given: started.append(given) or Child(*given))
    monkeypatch.setattr(pool, "Children", lambda *given: started.append(given) or Children(*given))
    for _ in range(2):
        pool.begin(1, (), HERE, "os")
    with lent_children(1, (), HERE) as children, lent_child("os") as child:
        ((_, outcome),) = children.each([(os.getpid, ())], 60)
        assert outcome.value != child.do((os.getpid, ()), 60).value
    assert started == [(1, (), HERE), (("os",),)]
