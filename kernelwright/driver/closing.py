"""The closing sentence of a verb that is stopped: what it keeps, and where."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def closing_with(kept: Callable[[], str]) -> Iterator[None]:
    """Tell an interrupt that passes what is kept, in one line, unless whoever raised it has told it already.

    `kept` is called after the block has put its files in order.
    """
    try:
        yield
    except KeyboardInterrupt as stop:
        if not stop.args:
            stop.args = (kept(),)
        raise
