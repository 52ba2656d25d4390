"""Which launch options of a kernel may change, and to what."""

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from kernelwright.backend.targets import MOST_REGISTERS, Target
from kernelwright.backend.tuning.blocks import KernelBlocks
from kernelwright.ir.values import Kernel, KernelModule, Scalar

Meta = tuple[tuple[str, Scalar], ...]

#: Largest block sizes by name: Inductor's kernels leave masks out up to these. Other names: LARGEST.
LIMITS = {"XBLOCK": 4096, "YBLOCK": 1024, "ZBLOCK": 1024, "R0_BLOCK": 4096, "R1_BLOCK": 2048}
LARGEST = 8192
#: The largest step of a loop that runs over a multiple of it, or masks what it loads.
LONGEST_STEP = 16384
WARPS = (1, 2, 4, 8, 16, 32)
STAGES = (1, 2, 3, 4, 5)
#: Elements of a tile and of a thread outside which nothing is tried.
LARGEST_TILE, PER_THREAD = 16384, (1, 64)
#: Elements of a thread below which as many warps as there can be are not tried.
MANY_WARPS_PER_THREAD = 8
#: How many times larger or smaller than given a block size of another name may become, as powers of two.
SHIFTS = range(-3, 5)
#: Elements a thread, and programs a multiprocessor, to try first; a thread's elements of a product's accumulator.
GOOD_PER_THREAD, GOOD_PROGRAMS, GOOD_ACCUMULATOR = 8, 4, 64
#: The launch option that caps a thread's registers, and programs a multiprocessor for which a product's may be capped.
CAP, RESIDENT = "maxnreg", (2, 3, 4)
#: What to try before all else, by the names of the blocks: those that Inductor chooses from (its
#: runtime/triton_heuristics.py) and for wide sums some with more in flight; the values of these blocks, and warps.
USUAL: Mapping[tuple[str, ...], tuple[tuple[int, ...], ...]] = {
    ("XBLOCK",): ((1024, 4), (512, 8), (256, 4), (512, 4), (2048, 8)),
    ("XBLOCK", "YBLOCK"): ((32, 32, 4), (64, 64, 8), (256, 16, 8), (16, 256, 8), (1024, 1, 4), (1, 1024, 4)),
    ("R0_BLOCK", "XBLOCK"): (
        *((4, 128, 4), (8, 64, 4), (2, 256, 4), (4, 64, 8), (16, 128, 8), (8, 256, 8)),  # neighbours lie along x
        *((2048, 1, 16), (1024, 1, 8), (4096, 1, 16), (1024, 2, 8)),  # neighbours lie along the sum
        *((8192, 1, 16), (16384, 1, 32)),  # few rows at a time, which the second loop finds in the cache
        *((64, 64, 16), (512, 8, 16)),
    ),
}
#: Rows that a program holds whole, and elements that they come to at most.
USUAL_ROWS, USUAL_HELD = (1, 8, 32, 128), 4096


@dataclass(frozen=True)
class ConfigSpace:
    """The options of one kernel: the given ones, and for each that may change the values to try. What differs in one of
    these has no cap of registers."""

    start: Meta
    choices: tuple[tuple[str, tuple[int, ...]], ...]
    grid_keys: frozenset[str]
    tile_keys: frozenset[str]
    fixed_tile: int
    programs: int
    products: bool

    def all(self) -> Iterator[Meta]:
        """Every sensible combination but the given one."""
        names = [name for name, _ in self.choices]
        for values in itertools.product(*(values for _, values in self.choices)):
            meta = self._with(dict(zip(names, values, strict=True)))
            if meta != self.start and self._sensible(meta):
                yield meta

    def usual(self) -> list[Meta]:
        """What kernels with blocks of these names are often fastest with, what changes least first."""
        free = dict(self.choices)
        blocks = tuple(sorted(self.tile_keys & set(free)))
        given = () if self.products else USUAL.get(blocks, ())
        held = self._tile(self.start) // math.prod(_int(dict(self.start)[name]) for name in blocks)
        if blocks == ("XBLOCK",) and held > 1:
            rows = (x for x in USUAL_ROWS if x * held <= max(USUAL_HELD, held))
            given = tuple((x, min(max(x * held // 128, 2), 8)) for x in rows)
        found = []
        for values in given:
            changes = {name: value for name, value in zip((*blocks, "num_warps"), values, strict=True) if name in free}
            if all(value in free[name] for name, value in changes.items()) and self._sensible(self._with(changes)):
                found.append(self._with(changes))
        return sorted(dict.fromkeys(meta for meta in found if meta != self.start), key=self._changed)

    def promising(self, target: Target) -> list[Meta]:
        """Every sensible combination but the given one: first the usual ones, then those nearest to what is good."""
        return list(dict.fromkeys([*self.usual(), *self.by_distance(self.all(), target)]))

    def by_distance(self, metas: Iterable[Meta], target: Target) -> list[Meta]:
        """The nearest to what is usually good first."""
        return sorted(metas, key=lambda meta: (self.distance(meta, target), str(meta)))

    def steps(self, meta: Meta, target: Target) -> list[Meta]:
        """What to try next where these are the best: caps of a product's registers, then what is near."""
        return [*self._capped(meta, target), *self.by_distance(self.near(meta), target)]

    def _capped(self, meta: Meta, target: Target) -> Iterator[Meta]:
        """The options with registers capped such that a multiprocessor has room for more programs."""
        values = dict(meta)
        if not self.products or CAP in values:
            return
        for programs in RESIDENT:
            threads = 32 * _int(values.get("num_warps", 4))
            registers = target.registers_per_sm // (programs * threads) // 8 * 8
            if MOST_REGISTERS // 8 < registers < MOST_REGISTERS:
                yield (*meta, (CAP, registers))

    def near(self, meta: Meta) -> Iterator[Meta]:
        """Sensible combinations in which at most two options differ, by one step each."""
        steps = [(name, values, values.index(_int(dict(meta)[name]))) for name, values in self.choices]
        moved = [(name, values[at + d]) for name, values, at in steps for d in (-1, 1) if 0 <= at + d < len(values)]
        singles = [dict([move]) for move in moved]
        pairs = [{a[0]: a[1], b[0]: b[1]} for a, b in itertools.combinations(moved, 2) if a[0] != b[0]]
        for changes in singles + pairs:
            near = self._with({**{name: values[at] for name, values, at in steps}, **changes})
            if self._sensible(near):
                yield near

    def distance(self, meta: Meta, target: Target) -> float:
        """How far the options are from what is usually good, in powers of two."""
        values, given = dict(meta), dict(self.start)
        scale = math.prod(_int(given[name]) / _int(values[name]) for name in self.grid_keys)
        per_thread = self._tile(meta) / (32 * _int(values.get("num_warps", 4)))
        wanted = GOOD_PROGRAMS * target.sm_count
        few = max(math.log2(wanted / max(self.programs * scale, 1)), 0.0)
        good = GOOD_ACCUMULATOR if self.products else GOOD_PER_THREAD
        return abs(math.log2(per_thread / good)) + few + 0.25 * self._changed(meta)

    def _changed(self, meta: Meta) -> float:
        """How far the options are from the given ones, in powers of two."""
        values, given = dict(meta), dict(self.start)
        return sum(abs(math.log2(_int(values[name]) / _int(given[name]))) for name, _ in self.choices)

    def _with(self, changes: dict[str, int]) -> Meta:
        return tuple((name, changes.get(name, value)) for name, value in self.start)

    def _tile(self, meta: Meta) -> int:
        return max(math.prod(_int(value) for name, value in meta if name in self.tile_keys), 1) * self.fixed_tile

    def _sensible(self, meta: Meta) -> bool:
        tile = self._tile(meta)
        warps = _int(dict(meta).get("num_warps", 4))
        per_thread = tile / (32 * warps)
        smallest = MANY_WARPS_PER_THREAD if warps == WARPS[-1] else min(PER_THREAD[0], self._tile(self.start) / 32)
        most = PER_THREAD[1] * (2 if self.products else 1)
        return tile <= max(LARGEST_TILE, self._tile(self.start)) and smallest <= per_thread <= most


def _int(value: Scalar) -> int:
    assert isinstance(value, int), value
    return value


def space_of(module: KernelModule, symbol: str, programs: int, keep: frozenset[str]) -> ConfigSpace:
    """The space of one kernel that is launched with so many programs; `keep` names options that stay."""
    kernel = module.kernel(symbol)
    assert module.launcher is not None
    in_grid = frozenset(name for name, _ in kernel.meta if _mentions(module.launcher.source, kernel, name))
    read = KernelBlocks(module, symbol)
    looped = read.steps
    choices: list[tuple[str, tuple[int, ...]]] = []
    for name, value in kernel.meta:
        if name in keep or type(value) is not int:
            continue
        if name == "num_warps" and value in WARPS:
            choices.append((name, WARPS))
        elif name == "num_stages" and value in STAGES and read.products:
            choices.append((name, STAGES))
        elif not _is_tritons(name) and value > 0 and value & (value - 1) == 0 and name in in_grid | looped:
            choices.append((name, _sizes(name, value, read)))
    products = read.products
    blocks = frozenset(name for name, value in kernel.meta if type(value) is int and not _is_tritons(name))
    # A product's tile is its accumulator: the blocks by which the grid is cut.
    tile = in_grid & blocks if products else blocks
    grid_keys = in_grid & {name for name, _ in choices}
    return ConfigSpace(kernel.meta, tuple(choices), grid_keys, tile, read.fixed_tile, programs, products)


def _is_tritons(name: str) -> bool:
    """Whether an option is Triton's own, and no block size."""
    return name.startswith("num_") or name == CAP


def _mentions(host: str, kernel: Kernel, name: str) -> bool:
    """Whether host code, so far as it can be seen, derives the grid from this option."""
    return re.search(rf"""{kernel.meta_name}\[["']{name}["']\]""", host) is not None


def _sizes(name: str, value: int, read: KernelBlocks) -> tuple[int, ...]:
    """Powers of two: all where the name says how many there may be, or around the given size.

    Operands of `tl.dot` are 16 wide at least.
    """
    products = read.products
    least = min(16, value) if products else 1
    most = max(LONGEST_STEP if read.takes_any_step(name, LONGEST_STEP) else LIMITS.get(name, LARGEST), value)
    if name in LIMITS and not products:
        return tuple(1 << shift for shift in range(most.bit_length()))
    sizes = [int(value * 2.0**shift) for shift in SHIFTS if value * 2.0**shift >= least]
    return tuple(size for size in sizes if size <= most)
