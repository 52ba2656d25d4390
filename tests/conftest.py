"""What all tests share: the order of files, that interrupts are heard, and that evaluators' draws repeat."""

import importlib
import secrets
import signal
from collections.abc import Iterator
from random import Random

import pytest


def pytest_configure() -> None:
    """Tests interrupt processes; those of a shell's background job would inherit that interrupts are ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests first, else in their order; a file stays together: what its tests share is made once."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(autouse=True)
def _repeated_draws(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What evaluators draw in secret is the same in every run of a test: whether rounding is lucky, then, is too."""
    monkeypatch.setattr(secrets, "randbits", Random(request.node.nodeid).getrandbits)


@pytest.fixture
def offline_wandb(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Weights & Biases without the network: it writes files, as it does wherever it is told to."""
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    yield
    importlib.import_module("wandb").teardown()
