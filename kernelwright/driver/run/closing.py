"""The closing sentence of a verb that is stopped: what it keeps, and where."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

GOES_ON = "the same command resumes from there"


@contextmanager
def closing_with(kept: Callable[[], str], also: bool = False) -> Iterator[None]:
    """Tell an interrupt that passes what is kept, in one line; `also` after what it was told in the block.

    `kept` is called when the block has put its files in order.
    """
    try:
        yield
    except KeyboardInterrupt as stop:
        if also or not stop.args:
            stop.args = (*stop.args, kept())
        raise
