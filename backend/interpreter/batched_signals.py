"""Why a batch of programs cannot go on together. Raised and caught inside the interpreter, never seen outside."""

from typing import Any

from numpy.typing import NDArray


class BatchSignal(Exception):  # noqa: N818 (no error of the kernel's)
    """This batch must be taken back and run in another way."""


class Divergence(BatchSignal):
    """A condition or loop bound differs between the programs; `values` has one entry for each."""

    def __init__(self, values: NDArray[Any]) -> None:
        self.values = values
        super().__init__("programs diverge")


class TooLarge(BatchSignal):
    """The batch would take too much memory; at most that many programs fit."""

    def __init__(self, programs: int) -> None:
        self.programs = max(1, programs)
        super().__init__(f"no more than {self.programs} programs fit")


class Unfollowed(BatchSignal):
    """A storage that programs read is also written, and its reads were not followed; they have to be."""

    def __init__(self, storage: int) -> None:
        self.storage = storage
        super().__init__("reads were not followed")


class Meeting(BatchSignal):
    """Two programs may touch the same element, and which comes first matters."""
