"""Integers and truth values of which each row has a shape and a size of its own."""

import math

import torch
from torch import Tensor

from kernelwright.evaluation.inputs.patchwork.rows import FAINT, LOUD, OF_ALL_SIZES, segments, some_places
from kernelwright.evaluation.inputs.traits import Trait, kept

#: Integers that a program takes up to this size are numbers to compute with; smaller ones may be places.
_NUMBERS = 1 << 12
#: Fewer integers are lengths, steps and the like: small ones come as often as large ones, up to a number by kind.
FEW = 5
SMALL = 1 << 10
MOST = {FAINT: SMALL, OF_ALL_SIZES: 1 << 16, LOUD: 1 << 40}
#: So many places hold nearly all one number in one draw: 16 bits do not count them.
_COUNTED = 1 << 11
#: By how many bits numbers are moved up whose low bits are all zero.
_MOVED = 16
#: Up to which size, in bits, numbers lie beside powers of two where few are drawn: fp32 holds no larger whole numbers.
_EXACT_BITS = 24


def patched_integers(value: Tensor, trait: Trait, kind: str) -> Tensor:
    """Integers in the range of an input. Where the program takes numbers far outside of it, each row has a size of its
    own up to these: of one number, near one number, of the ends alone, of low bits that are zero, beside powers of two,
    squares and sums of 1 to n, or of any sizes."""
    if trait.counted or trait.permutation or trait.ends:
        return value
    low, high = int(trait.low), int(trait.high)
    far_low, far_high = min([low, *trait.taken]), max([high, *trait.taken])
    if value.numel() < FEW:
        return few_integers(value, trait, MOST[kind])
    lines = value.reshape(-1, value.shape[-1]) if value.ndim > 1 else segments(value)
    wide = max(abs(far_low), far_high) >= _NUMBERS
    drawn = _numbers(lines, far_low, far_high) if wide else _places(lines, low, high)
    if kind == LOUD and not wide and value.numel() > _COUNTED:
        often = torch.rand(drawn.shape, device=value.device) < 7 / 8
        drawn = torch.where(often, int(torch.randint(low, high + 1, ())), drawn)
    return kept(drawn.to(value.dtype).reshape(value.shape), trait)


def _places(lines: Tensor, low: int, high: int) -> Tensor:
    """Rows of one number, of two, of a few beside each other, and of any."""
    device, rows = lines.device, len(lines)
    drawn = torch.randint(low, high + 1, lines.shape, device=device)
    first, last = drawn[:, :1], drawn[:, -1:]
    near = (first + torch.randint(0, 3, lines.shape, device=device)).clamp(low, high)
    kinds = [drawn, first.expand(lines.shape), torch.where(some_places(lines), first, last), near]
    return _each_of(kinds, rows)


def few_integers(value: Tensor, trait: Trait, most: int = SMALL) -> Tensor:
    """Numbers from what an input may be up to a size; one in four is below zero, where it may be that."""
    near = [number for number in trait.taken if abs(number) <= most]
    low, high = min([int(trait.low), *near]), max([int(trait.high), *near])
    sizes = torch.rand(value.shape, dtype=torch.float64, device=value.device)
    least = max(low, 0)
    drawn = least + float(high - least + 2) ** sizes - 1
    below = torch.rand(value.shape, device=value.device) < 1 / 4
    signed = torch.where(below & (low < 0), -(float(abs(low) + 1) ** sizes), drawn)
    if most > SMALL and high > SMALL:  # just beyond a power of two, low bits alone are a small number
        bits = math.log2(min(high, 1 << _EXACT_BITS))
        power = 2.0 ** (bits * (1 + torch.rand(value.shape, dtype=torch.float64, device=value.device)) / 2).floor()
        beyond = power + torch.randint(0, 8, value.shape, device=value.device)
        signed = torch.where(torch.rand(value.shape, device=value.device) < 3 / 4, beyond, signed)
    return kept(signed.floor().clamp(low, high).to(value.dtype), trait)


def _numbers(lines: Tensor, low: int, high: int) -> Tensor:
    """Rows of numbers, each of a size of its own or all of one, near one number, with low bits that are zero, beside
    what roots and logarithms round, and of the ends."""
    device, rows = lines.device, len(lines)
    below = torch.rand(lines.shape, device=device) < (0.5 if low < 0 else 0.0)
    most, least = math.log2(max(high, 2)), math.log2(max(-low, 2))

    def sizes(shape: tuple[int, ...]) -> Tensor:
        """Of both signs, each up to its end."""
        share = torch.rand(shape, dtype=torch.float64, device=device)
        return torch.where(below, -(2.0 ** (least * share)), 2.0 ** (most * share)).floor()

    each, same = sizes(lines.shape), sizes((rows, 1))
    noise = torch.rand(lines.shape, dtype=torch.float64, device=device)
    kinds = [one.clamp(low, high).long() for one in (each, same * noise, same[:, :1].abs() + (8 * noise).floor(), same)]
    moved = kinds[0] >> _MOVED << _MOVED if high >= 1 << _MOVED else kinds[0]
    beside = _beside_rounding(2.0 ** (most * (1 + torch.rand_like(noise)) / 2)).clamp(low, high)
    ends = torch.tensor([low, high], dtype=torch.int64, device=device)
    alike = ends[torch.randint(0, 2, (rows, 1), device=device)].expand(lines.shape)
    either = ends[torch.randint(0, 2, lines.shape, device=device)]
    return _each_of([*kinds, moved, beside, alike, either], rows)


def _beside_rounding(size: Tensor) -> Tensor:
    """The power of two, the square, or the sum of 1 to n that is near a number, or one less: where a root or a
    logarithm in fp32 is rounded up to the next whole number."""
    root, sum_root = size.sqrt().floor().long(), (2 * size + 0.25).sqrt().sub(0.5).floor().long()
    power = torch.ones_like(root) << size.log2().floor().long().clamp(0, 62)
    near = torch.stack([power, root * root, sum_root * (sum_root + 1) // 2])
    which = torch.randint(0, len(near), size.shape, device=size.device)
    return near.gather(0, which[None])[0] - torch.randint(0, 2, size.shape, device=size.device)


def patched_switches(value: Tensor) -> Tensor:
    """Truth values: few of a row, all but few, or those from one place to another, and all others in every third."""
    if not value.ndim:
        return torch.rand((), device=value.device) < 0.5
    lines = value.reshape(-1, value.shape[-1])
    size = lines.shape[-1]
    ends = torch.rand(len(lines), 2, device=value.device).mul(size + 1).long().sort(-1).values
    place = torch.arange(size, device=value.device)
    run = (place >= ends[:, :1]) & (place < ends[:, 1:])
    return _each_of([some_places(lines), some_places(lines), run, ~run], len(lines)).reshape(value.shape)


def _each_of(kinds: list[Tensor], rows: int) -> Tensor:
    """For each row one of the kinds."""
    which = torch.randint(0, len(kinds), (rows, 1), device=kinds[0].device)
    result = kinds[0]
    for number, one in enumerate(kinds):
        result = torch.where(which == number, one, result)
    return result
