"""Turns on a GPU: sharers beside one another, one alone, and none of them waits for ever."""

import fcntl
import threading
import time
from types import SimpleNamespace

import pytest
import torch

from kernelwright.backend.measure import turns
from kernelwright.backend.measure.turns import DeviceLock


@pytest.fixture
def device(tmp_path, monkeypatch) -> torch.device:
    monkeypatch.setattr(turns, "_FOLDER", tmp_path)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _device: SimpleNamespace(uuid="of-a-test"))
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    return torch.device("cuda")


def wait_for_somebody_in_the_gate(folder) -> None:
    (gate,) = folder.glob("*-gate")
    with gate.open("rb+") as file:
        for _ in range(1000):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            fcntl.flock(file, fcntl.LOCK_UN)
            time.sleep(0.01)
    raise AssertionError("nobody waits")


def test_who_waits_to_be_alone_goes_before_who_comes_later_to_share(device, tmp_path) -> None:
    order = list[str]()

    def take(name: str, how: str) -> threading.Thread:
        def run() -> None:
            with getattr(DeviceLock(device), how)():
                order.append(name)

        thread = threading.Thread(target=run)
        thread.start()
        return thread

    with DeviceLock(device).shared():
        take("beside", "shared").join(30)
        assert order == ["beside"]
        waiting = take("alone", "alone")
        wait_for_somebody_in_the_gate(tmp_path)
        later = take("later", "shared")
        later.join(0.2)
        assert order == ["beside"]
    waiting.join(30)
    later.join(30)
    assert order == ["beside", "alone", "later"]


def test_sharers_that_want_to_be_alone_get_it_one_after_another(device) -> None:
    together, done = threading.Barrier(2, timeout=30), list[str]()

    def run() -> None:
        mine = DeviceLock(device)
        with mine.shared():
            together.wait()
            with mine.alone():
                done.append("in")
                time.sleep(0.05)
                done.append("out")

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert done == ["in", "out"] * 2


def test_a_turn_is_given_up_once_the_device_is_done(device, monkeypatch) -> None:
    log = list[str]()
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: log.append("done"))
    mine, other = DeviceLock(device), DeviceLock(device)
    with mine.shared():
        log[:] = ["queued"]
        with mine.given_up(), other.alone():  # which waits for ever for who has not given up
            log.append("other")
        assert log == ["queued", "done", "other", "done"]


def test_who_waits_to_be_alone_comes_in_a_pause_of_a_long_turn(device, tmp_path) -> None:
    mine, log = DeviceLock(device), list[str]()

    def time_something() -> None:
        with DeviceLock(device).alone():
            log.append("alone")

    with mine.shared():
        other = threading.Thread(target=time_something)
        other.start()
        wait_for_somebody_in_the_gate(tmp_path)
        mine.pause(1e6)
        log.append("one step")
        mine.pause(0.0)
        log.append("another")
    other.join(30)
    assert log == ["one step", "alone", "another"]


def test_who_waited_for_a_turn_keeps_it_for_as_long(device, tmp_path) -> None:
    mine, first, log = DeviceLock(device), DeviceLock(device), list[str]()

    def time_something() -> None:
        with DeviceLock(device).alone():
            log.append("alone")

    with first.alone():
        threading.Timer(0.5, first.close).start()
        with mine.shared():  # after half a second
            other = threading.Thread(target=time_something)
            other.start()
            wait_for_somebody_in_the_gate(tmp_path)
            mine.pause(0.0)
            log.append("one step")
            time.sleep(0.6)
            mine.pause(0.0)
            log.append("another")
    other.join(30)
    assert log == ["one step", "alone", "another"]


def test_who_has_the_device_alone_keeps_it_so(device) -> None:
    mine, log = DeviceLock(device), list[str]()

    def share() -> None:
        with DeviceLock(device).shared():
            log.append("shared")

    with mine.alone(), mine.at_least_shared():
        other = threading.Thread(target=share)
        other.start()
        other.join(0.2)
        assert log == []
    other.join(30)
    with mine.at_least_shared():
        share()
    assert log == ["shared", "shared"]
