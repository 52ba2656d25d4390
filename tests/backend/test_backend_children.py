"""Tasks in child processes: results and complaints come back, and what dies or hangs is replaced."""

import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from processes import children as children_of
from processes import descendants, environment, is_running, wait_until_gone

from kernelwright.backend.measure import processes
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


def parent_and_loads() -> tuple[int, str]:
    return os.getppid(), Path(os.environ["LOADED_IN"]).read_text()


def wait_for_a_signal() -> None:
    signal.pause()


#: This module is imported by children under its own name.
HERE = {"PYTHONPATH": os.pathsep.join(map(str, Path(__file__).parents[:2]))}
FORKED = {**HERE, **OFF_GPU}


@pytest.fixture(scope="module", params=[{"CUDA_VISIBLE_DEVICES": ""}, OFF_GPU], ids=["fresh", "forked"])
def child(request: pytest.FixtureRequest) -> Iterator[Child]:
    with Child((), {**HERE, **request.param}) as child:
        assert isinstance(child._process, processes.Forked) == (request.param is OFF_GPU)
        yield child


@pytest.fixture
def counted(tmp_path: Path) -> tuple[str, dict[str, str]]:
    """A module that takes note of each process that imports it, and the environment in which it can be imported."""
    (tmp_path / "noted.py").write_text(
        "import os\nwith open(os.environ['LOADED_IN'], 'a') as file:\n    file.write(f'{os.getpid()} ')\n"
        "def prepare():\n    with open(os.environ['LOADED_IN'], 'a') as file:\n        file.write('prepared ')\n"
    )
    path = os.pathsep.join([str(tmp_path), HERE["PYTHONPATH"]])
    return "noted:prepare", {**OFF_GPU, "PYTHONPATH": path, "LOADED_IN": str(tmp_path / "loads")}


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
    with Children(2, (), FORKED) as children:
        tasks = [(square, (number,)) for number in range(5)] + [(leave, (1,))]
        found = dict(children.each(tasks, 30))
        assert [found[number].value for number in range(5)] == [0, 1, 4, 9, 16]
        assert found[5].lost
        assert list(children.each([(hang, ()), (hang, ())], 3.0, time.monotonic() + 1.0)) == []
        assert [outcome.value for _, outcome in children.each([(square, (4,))], 30)] == [16]
        ends = [math.inf]
        coming = children.each([(square, (4,)), (square, (5,))], 30, lambda: ends[0])
        assert next(coming)[1].value in (16, 25)
        ends[0] = 0.0
        assert list(coming) == []


def test_those_that_see_no_gpu_are_forked_from_one_process_that_imports_once(
    counted: tuple[str, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    module, given = counted
    parents = set[int]()
    for _ in range(2):
        with Children(3, (module,), given) as children:
            children.wait_ready(60)
            assert any(child.ready for child in children._all)
            found = [child.do((parent_and_loads, ()), 30).value for child in children._all]
            pids = {child.pid for child in children._all}
        assert len(pids) == 3 and not any(map(is_running, pids))
        parents |= {parent for parent, _ in found}
        assert {loads for _, loads in found} == {f"{next(iter(parents))} prepared "}
    assert len(parents) == 1 and os.getpid() not in parents
    # What is set in this process is set in its children; the other process ends, as it has no forks.
    monkeypatch.setenv("SET_LATER", "1")
    with Child((module,), given) as child:
        assert child.do((os.getenv, ("SET_LATER",)), 30).value == "1"
        assert child.do((os.getppid, ()), 30).value not in parents
    wait_until_gone(parents)


def test_a_fork_that_is_killed_is_replaced_and_so_is_its_origin() -> None:
    with Child((), FORKED) as child:
        origin = child.do((os.getppid, ()), 30).value
        for victim in (child.pid, origin):
            before = child.pid
            child.begin((wait_for_a_signal, ()), 60)
            os.kill(victim, signal.SIGKILL)
            found = child.outcome(60)
            assert found is not None and found.lost and found.failure == "its process was ended by SIGKILL"
            wait_until_gone([before])
            assert child.do((square, (5,)), 60).value == 25
        assert child.do((os.getppid, ()), 30).value != origin
    child.close()


def test_what_keeps_forks_from_starting_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Children(2, ("no_such_module",), FORKED) as children:
        children.wait_ready(60)
        for _, found in children.each([(square, (1,)), (square, (2,))], 30):
            assert found.lost
            assert "exit status 1 (ModuleNotFoundError: No module named 'no_such_module')" in found.failure
    monkeypatch.setattr(processes, "START_SECONDS", 1.0)
    monkeypatch.setattr("kernelwright.backend.measure.children.START_SECONDS", 1.5)
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(600)\n")
    with Child(("slow",), {**OFF_GPU, "PYTHONPATH": str(tmp_path)}) as child:
        with pytest.raises(ProcessLookupError):
            assert child.pid
        (origin,) = (pid for pid in children_of(os.getpid()) if b"slow" in Path(f"/proc/{pid}/cmdline").read_bytes())
        found = child.do((square, (1,)), 30)
        assert found.lost and found.failure == "its process did not start"
        assert not is_running(origin)


def test_a_fork_that_fails_is_told_with_its_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    def fork() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    def ask(_modules: object, _given: object, fds: list[int]) -> SimpleNamespace:
        assert processes._fork([os.dup(fd) for fd in fds], [], []) is None
        return SimpleNamespace(process=SimpleNamespace(poll=lambda: None))

    monkeypatch.setattr(os, "fork", fork)
    monkeypatch.setattr(processes, "_ask", ask)
    with Child((), FORKED) as child:
        found = child.do((square, (1,)), 30)
    assert found.lost and "exit status 1 (it could not be forked: [Errno 11] Resource temporarily" in found.failure


@pytest.mark.parametrize("end", ["raise SystemExit", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_nothing_outlives_the_process_that_wanted_children(end: str) -> None:
    program = f"""
import os, signal, sys
from test_backend_children import FORKED, hang, square
from kernelwright.backend.measure.children import Children
children = Children(2, (), FORKED)
assert len(list(children.each([(square, (1,))] * 2, 60))) == 2
for child in children._all:
    child.begin((hang, ()), 600)
print("busy", flush=True)
sys.stdin.readline()
{end}
"""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", program], env=environment(), **pipes) as owner:  # type: ignore[call-overload]
        assert owner.stdout.readline() == b"busy\n"
        below = descendants(owner.pid)
        assert len(below) == 3
        owner.communicate(b"\n", 60)
    wait_until_gone(below)
