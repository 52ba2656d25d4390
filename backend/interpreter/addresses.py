"""The addresses that a kernel sees when it makes integers of pointers: such as a GPU's allocator gives."""

import random
from bisect import bisect_right

_ALIGNMENT = 512
_SEGMENT = 1 << 21
_SEGMENTS_BETWEEN = 32
#: Addresses have bit 46, as a process's own do; the bits below it, down to a segment's, are random.
_TOP, _BITS = 1 << 46, 25


class Addresses:
    """Places of storages, in the order in which kernels first get them.

    They differ from one object to the next. By `number`, storages follow one another or stand apart as if others had
    been freed between them, upwards or downwards; each second number has all random bits as the one before had not.
    """

    def __init__(self, number: int = 0, secret: int | None = None) -> None:
        bits = random.Random(secret).getrandbits(_BITS)
        self._next = _TOP + (bits ^ ((1 << _BITS) - 1) if number % 2 else bits) * _SEGMENT
        self._apart, self._down = number % 4 in (1, 2), number % 4 in (2, 3)
        self._random = random.Random(bits + number)
        self._places: dict[tuple[int, int], int] = {}

    def place(self, storage: int, size: int) -> int:
        """The address of a storage, told by where its bytes are and how many."""
        key = storage, size
        if key not in self._places:
            room = (-(-size // _ALIGNMENT) + 1) * _ALIGNMENT  # what is beside a tensor is not the next one
            gap = self._random.randint(1, _SEGMENTS_BETWEEN) * _SEGMENT if self._apart else 0
            if self._down:
                self._next -= room + gap
                self._places[key] = self._next
            else:
                self._places[key] = self._next + gap
                self._next += room + gap
        return self._places[key]


def nearest(places: list[int], address: int) -> int:
    """The number of the last of ascending places that is not above an address; the first where all are."""
    return max(0, bisect_right(places, address) - 1)
