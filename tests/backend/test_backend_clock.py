"""Times of queued runs hold the device's work, however long the host takes to queue it."""

import time
from dataclasses import dataclass
from functools import partial

import pytest
import torch

from kernelwright.backend.measure import clock
from kernelwright.backend.measure.clock import CudaClock, HostClock


@dataclass
class FakeDevice:
    """A device that takes what is queued in turn; host and device times in ms."""

    host_ms: float = 0.0
    free_ms: float = 0.0

    def queue(self, host_ms: float, device_ms: float) -> None:
        self.host_ms += host_ms
        self.free_ms = max(self.free_ms, self.host_ms) + device_ms

    def synchronize(self) -> None:
        self.host_ms = max(self.host_ms, self.free_ms)


@dataclass
class FakeEvent:
    device: FakeDevice
    enable_timing: bool = False
    at_ms: float = 0.0

    def record(self) -> None:
        self.device.queue(0.005, 0.0)
        self.at_ms = self.device.free_ms

    def query(self) -> bool:
        return self.device.host_ms >= self.at_ms

    def elapsed_time(self, other: "FakeEvent") -> float:
        return other.at_ms - self.at_ms


class FakeClock(CudaClock):
    def __init__(self, device: FakeDevice) -> None:
        self._flush_ms = 0.06
        self._device = device

    def flush(self) -> None:
        self._device.queue(0.006, self._flush_ms)


@pytest.mark.parametrize("host_ms", [0.01, 0.1, 0.5])
def test_the_device_never_waits_for_the_host_inside_what_is_timed(
    host_ms: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = FakeDevice()
    monkeypatch.setattr(clock, "_Event", partial(FakeEvent, device))
    monkeypatch.setattr(clock, "_synchronize", device.synchronize)
    prepared = []

    def run() -> None:
        device.queue(host_ms, 0.004)
        device.queue(host_ms, 0.004)

    found = FakeClock(device).queued([lambda: prepared.append(1)] * 5, run)
    assert found == pytest.approx([0.008] * 5)
    assert len(prepared) >= 6  # once more for a run that is not timed, and before each that is taken again


def test_runs_that_no_flush_covers_are_timed_with_their_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    device = FakeDevice()
    monkeypatch.setattr(clock, "_Event", partial(FakeEvent, device))
    monkeypatch.setattr(clock, "_synchronize", device.synchronize)
    found = FakeClock(device).queued([lambda: None] * 3, lambda: device.queue(10.0, 0.004))
    assert len(found) == 3 and min(found) > 5


def test_a_warm_run_is_timed_right_behind_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run behind a flush takes 0.05 ms longer than one behind a run; neither time holds waiting for the host."""
    device, cold = FakeDevice(), [True]
    monkeypatch.setattr(clock, "_Event", partial(FakeEvent, device))
    monkeypatch.setattr(clock, "_synchronize", device.synchronize)

    class Flushing(FakeClock):
        def flush(self) -> None:
            cold[0] = True
            super().flush()

    def run() -> None:
        device.queue(0.2, 0.004 + 0.05 * cold[0])
        cold[0] = False

    own = Flushing(device)
    assert own.queued([lambda: None] * 5, run) == pytest.approx([0.054] * 5)
    assert own.queued([lambda: None] * 5, run, warm=True) == pytest.approx([0.004] * 5)
    calls: list[str] = []
    host = HostClock()
    host.queued([lambda: calls.append("prepare")], lambda: calls.append("run"), warm=True)
    assert calls == ["prepare", "run", "run"]


@pytest.mark.gpu
def test_a_slow_host_does_not_show_on_a_gpu() -> None:
    small, own = torch.zeros(1024, device="cuda"), CudaClock()

    def run(pause_s: float) -> None:
        small.add_(1)
        until = time.perf_counter() + pause_s
        while time.perf_counter() < until:
            pass
        small.add_(1)

    at_once, late = (sorted(own.queued([lambda: None] * 15, partial(run, pause_s)))[7] for pause_s in (0.0, 4e-4))
    assert late < at_once + 0.02, f"{at_once} and {late} ms"
