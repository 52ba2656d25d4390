"""A call in a thread of its own, whose outcome may be asked for."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

_Value = TypeVar("_Value")


def beside(call: Callable[[], _Value]) -> Future[_Value]:
    """The outcome of a call in a thread of its own, which ends with Python, and for which nobody waits unasked."""
    outcome: Future[_Value] = Future()

    def run() -> None:
        try:
            outcome.set_result(call())
        except BaseException as error:  # noqa: BLE001 - whoever asks is told
            outcome.set_exception(error)

    Thread(target=run, daemon=True).start()
    return outcome
