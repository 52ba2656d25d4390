"""How two programs are compared on a GPU: in turns, by what the device takes, whatever the host is busy with."""

from collections.abc import Callable, Sequence

import pytest

from kernelwright.backend.measure.clock import HostClock
from kernelwright.driver.compiling.measure import FEWEST, ROUNDS, RUNS, WARM_UP, interleaved, rounds_ms
from kernelwright.frontend.importers import import_source
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline


class Scripted(HostClock):
    """A device that takes what it is told, once in a while ten times as long."""

    def __init__(self) -> None:
        self.took, self.rounds = 0.0, list[int]()

    def time(self, run: Callable[[], object]) -> tuple[float, float]:
        run()
        return self.took, self.took

    def queued(
        self, prepares: Sequence[Callable[[], object]], run: Callable[[], object], busy_ms: float = 0.0
    ) -> list[float]:
        del busy_ms
        found = []
        for number, prepare in enumerate(prepares):
            prepare()
            run()
            found.append(self.took * (10 if number % 7 == 0 else 1))
        self.rounds.append(len(found))
        return found


def test_slow_programs_run_less_often() -> None:
    clock = Scripted()

    def run() -> None:
        clock.took = 1e3

    assert interleaved({"eager": run}, clock, rounds=2) == {"eager": 1e3}
    assert clock.rounds == [FEWEST] * 2


def test_sides_take_turns_and_disturbances_do_not_count() -> None:
    clock, order = Scripted(), list[str]()

    def side(name: str, ms: float) -> Callable[[], None]:
        def run() -> None:
            order.append(name)
            clock.took = ms

        return run

    found = interleaved({"eager": side("eager", 0.5), "candidate": side("candidate", 0.25)}, clock, rounds=3)
    assert found == pytest.approx({"eager": 0.5, "candidate": 0.25})
    assert order == ([*["eager"] * (WARM_UP + RUNS), *["candidate"] * (WARM_UP + RUNS)] * 3)
    assert clock.rounds == [RUNS] * 6


def test_modules_of_one_reference_are_timed_beside_its_eager_call() -> None:
    source = (
        "import torch\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return torch.sigmoid(x)\n\n"
    )
    source += "def get_inputs():\n    return [torch.randn(8, 32)]\n"
    module = parse_pipeline("lower-inductor").run(import_source(source, "one"), Context(lowering_device="meta"))
    found = rounds_ms({"before": module, "after": module}, device="cpu")
    assert list(found) == ["eager", "before", "after"]
    assert all(len(side) == ROUNDS and all(FEWEST <= len(one) <= RUNS for one in side) for side in found.values())
