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


def _repeating(request: pytest.FixtureRequest) -> Iterator[None]:
    """What evaluators draw in secret is the same in every run: whether rounding is lucky, then, is too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "randbits", Random(request.node.nodeid).getrandbits)
        yield


#: For the evaluators that the tests of a file share, and for those that a test makes.
_repeated_in_a_file = pytest.fixture(autouse=True, scope="module")(_repeating)
_repeated_in_a_test = pytest.fixture(autouse=True)(_repeating)


@pytest.fixture
def offline_wandb(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Weights & Biases without the network: it writes files, as it does wherever it is told to."""
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    yield
    importlib.import_module("wandb").teardown()
