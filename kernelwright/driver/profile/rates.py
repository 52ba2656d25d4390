"""How fast a device is at best, measured on it: how long it takes to move bytes, and to compute products.

Times of moving are those of an elementwise kernel over buffers that were just used. Small ones lie in the cache, as the
results of one kernel do for the next one; a kernel that moves nothing takes as long as the smallest of them.
"""

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import torch

from kernelwright.driver.profile.trace import mark, pieces, traced

#: Bytes that are moved, read and written ones together: 16 KiB to 1 GiB.
_SIZES = tuple(1 << power for power in range(14, 31))
#: How often each is measured; the median counts.
_REPEATS = 9
#: Sizes of the product by which a type's rate is measured: a Hopper takes 1 to 4 ms for it.
_SIDES = {"float32": 4096, "float64": 2048}
_SIDE = 8192


@dataclass(frozen=True)
class Rates:
    """`moves`: bytes with the microseconds that moving them takes, ascending; () where nothing is known of a device.
    `products`: FLOPs a microsecond by the type of the factors, such as `bfloat16`."""

    moves: tuple[tuple[int, float], ...] = ()
    products: Mapping[str, float] = field(default_factory=dict)

    def floor(self, moved: int, flops: int, dtype: str, cached: bool) -> tuple[float, str]:
        """The least time of one launch in microseconds, and what bounds it; (0, "") where it is not known.

        `cached`: what is moved may lie in the cache; otherwise it comes from memory, as weights do.
        """
        if not self.moves or not (moved or flops):
            return 0.0, ""
        memory = self._move_us(moved, cached)
        rate = self.products.get(dtype)
        compute = flops / rate if rate else 0.0
        return (compute, "compute") if compute > memory else (memory, "memory")

    @property
    def bandwidth_gb_s(self) -> float:
        """Of the memory: that of the largest move; 0 where it is not known."""
        return self.moves[-1][0] / self.moves[-1][1] / 1e3 if self.moves else 0.0

    def _move_us(self, moved: int, cached: bool) -> float:
        least = self.moves[0][1]
        if not cached or moved >= self.moves[-1][0]:
            return max(least, moved / (self.bandwidth_gb_s * 1e3))
        if moved <= self.moves[0][0]:
            return least
        (small, low), (large, high) = next(
            pair for pair in zip(self.moves, self.moves[1:], strict=False) if moved <= pair[1][0]
        )
        part = math.log(moved / small) / math.log(large / small)
        return low * math.exp(part * math.log(high / low))


def measured_rates(dtypes: Iterable[str]) -> Rates:
    """Those of the current CUDA device, with products of these types under torch's present settings; takes a second
    or two and 1 GiB, once in a process. Nothing is known without a GPU."""
    if not torch.cuda.is_available():
        return Rates()
    precision = torch.get_float32_matmul_precision()
    return Rates(_moves(), {dtype: _product_rate(dtype, precision) for dtype in dict.fromkeys(dtypes)})


@cache
def _moves() -> tuple[tuple[int, float], ...]:
    given, result = (torch.zeros(_SIZES[-1] // 4, dtype=torch.bfloat16, device="cuda") for _ in range(2))
    found = []
    for size in _SIZES:
        count = size // 4  # half of the bytes are read, and half are written
        found.append((size, _device_us(partial(torch.neg, given[:count], out=result[:count]))))
    return tuple(found)


@cache
def _product_rate(dtype: str, _precision: str) -> float:
    side = _SIDES.get(dtype, _SIDE)
    first, second = (torch.randn(side, side, device="cuda").to(getattr(torch, dtype)) for _ in range(2))
    return 2 * side**3 / _device_us(partial(torch.mm, first, second))


def _device_us(run: Callable[[], Any]) -> float:
    """The median time that the device takes for a run, which is one kernel or a few."""
    for _ in range(3):
        run()

    def repeated() -> None:
        with mark("call", 0):
            for place in range(_REPEATS):
                with mark("operation", place):
                    run()
            torch.cuda.synchronize()

    spent = defaultdict[str, float](float)
    for one in pieces(traced(repeated, device=True), device=True):
        spent[one.name] += one.us
    return float(statistics.median(spent.values()))
