"""Inputs of which a program rounds numbers that lie just between two whole ones, or compares equal ones.

Only ties that are exact in any right order of the computation say what is right: a number is the element of an input
times a power of two, and perhaps something is added. So weights and saved buffers become powers of two, such as a step,
and so does what a row is divided by, such as the 127th part of its largest element.
"""

import copy
import math
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from kernelwright.backend.tensors import Value, copy_of, each_once
from kernelwright.backend.torch_private import TorchDispatchMode
from kernelwright.evaluation.inputs.draws import rms
from kernelwright.evaluation.inputs.kinds.free import is_free
from kernelwright.evaluation.inputs.trial import Trial
from kernelwright.evaluation.inputs.watches import rounds, word_of

#: The kind; how many numbers that a program names are tried as parts of a row; and how far, beside its size, a number
#: that is no tie has to lie from one.
TIES, _MOST_NUMBERS, _APART = "ties", 4, 2.0**-14
#: Operations that make a difference between equal numbers and others.
_COMPARISONS = frozenset("gt ge lt le".split())

#: What was seen of a run: numbers, and the fraction at which rounding goes to another number. It is None for
#: differences of what is compared.
_Seen = list[tuple[float | None, Tensor]]


def with_ties(
    trial: Trial, model: nn.Module, values: Sequence[Value], bound: Sequence[bool], numbers: Sequence[float]
) -> list[Value] | None:
    """Inputs with ties, for a model whose tensors become powers of two; None where the program takes none. `numbers`
    are those that it names. Inputs that are `bound` stay as they are."""
    free = [place for place, value in enumerate(values) if not bound[place] and is_free(value)]
    seen = _seen(trial, model, values, free) if free else []
    if not seen:
        return None
    with torch.no_grad():
        for tensor in model.state_dict(keep_vars=True).values():
            if tensor.is_floating_point():
                once = each_once(tensor)
                once.copy_(torch.where(once == 0, once, once.sign() * once.abs().log2().round().exp2()))
    rounded = any(fraction is not None for fraction, _ in seen)
    for place in free:
        value = values[place]
        assert isinstance(value, Tensor)
        parted = _parted(value, numbers) if rounded and value.device.type == "cpu" else ()  # a GPU's `/` is not exact
        for given in (value, *parted):
            made = _tied(trial, model, [*values[:place], given, *values[place + 1 :]], place)
            if made is not None:
                return made
    return None


def _parted(value: Tensor, numbers: Sequence[float]) -> Iterator[Tensor]:
    """An input whose rows, or all of it, have a largest size, or a distance of the least from the largest, of a power
    of two times a number that the program names: the product with its reciprocal is exact."""
    exact = [one for one in numbers if one > 2 and one.is_integer() and float(torch.tensor(1 / one) * one) == 1.0]
    for number in exact[:_MOST_NUMBERS]:
        ends = [(-number, number), (-math.ceil(number / 2), math.floor(number / 2))]
        for size in dict.fromkeys((value.shape[-1] if value.ndim else 1, value.numel())):
            lines = value.double().reshape(-1, size)
            for low, high in ends if size > 2 else ():
                unit = 2.0 ** (lines.abs().amax(1, keepdim=True) / number).log2().round()
                inside = lines.clamp(0.9 * low * unit, 0.9 * high * unit)
                inside.scatter_(1, lines.argmax(1, keepdim=True), high * unit)
                inside.scatter_(1, lines.argmin(1, keepdim=True), low * unit)
                yield copy_of(value).copy_(inside.reshape(value.shape))


def _tied(trial: Trial, model: nn.Module, values: list[Value], place: int) -> list[Value] | None:
    """Inputs with ties in one of them; None where there are none, or where rounding decides of other elements."""
    value = values[place]
    assert isinstance(value, Tensor)
    wide, inner = [_wide(one) for one in values], _inner(value)
    exact = copy.deepcopy(model).double()
    step = torch.where(inner, 2.0 ** round(math.log2(rms(value)) - 8), 0.0)
    before, after = (
        _seen(trial, exact, [*wide[:place], one, *wide[place + 1 :]], [place])
        for one in (value.double(), value.double() + step)
    )
    for number, (fraction, first) in enumerate(before if len(before) == len(after) else ()):
        second = after[number][1]
        if first.shape != value.shape or second.shape != value.shape:
            continue
        slope = torch.where(inner, (second - first) / step, 0.0)
        power = slope.sign() * slope.abs().log2().round().exp2()
        known = (
            inner
            & (power != 0)
            & ((slope - power).abs() <= 1e-6 * power.abs())
            & ((slope.abs() != 1) | (fraction is not None))
        )
        goal = torch.zeros_like(first) if fraction is None else (first - fraction).round() + fraction
        wanted = torch.where(known, value.double() + (goal - first) / power, value.double())
        made = _kept(trial, model, values, place, (wanted.to(value.dtype), number))
        if made is not None:
            return made
    return None


def _kept(
    trial: Trial, model: nn.Module, values: list[Value], place: int, wanted: tuple[Tensor, int]
) -> list[Value] | None:
    """Inputs with those of the wanted elements of one that are ties, of the number seen that `wanted` says."""
    value, (changed, number) = values[place], wanted
    assert isinstance(value, Tensor)
    for _ in range(2):
        made = [*values[:place], copy_of(value).copy_(changed), *values[place + 1 :]]
        ties = _ties(trial, model, made, place)
        if number >= len(ties):
            return None
        tied = ties[number][0].reshape(value.shape)
        if not bool((tied & (changed != value)).any()):
            return None
        if all(bool((tie | apart).all()) for tie, apart in ties):
            return made if trial.takes(model, made) else None
        changed = torch.where(tied, changed, value)
    return None


def _ties(trial: Trial, model: nn.Module, values: list[Value], place: int) -> list[tuple[Tensor, Tensor]]:
    """For each number seen of a run, where it is a tie both as it is computed and in fp64, and where it is far from
    one; nothing where the runs are not alike."""
    plain = _seen(trial, model, values, [place])
    exact = _seen(trial, copy.deepcopy(model).double(), list(map(_wide, values)), [place])
    found = []
    for (fraction, first), (_, second) in zip(plain, exact, strict=False):
        if first.shape != second.shape:
            return []
        away = [one if fraction is None else (one - fraction) - (one - fraction).round() for one in (first, second)]
        apart = away[1].abs() > _APART * (1 + second.abs())
        found.append(((away[0] == 0) & (away[1] == 0), apart | ~second.isfinite()))
    return found if len(plain) == len(exact) else []


def _inner(value: Tensor) -> Tensor:
    """All elements but the largest and the least of each row, and those of the largest size."""
    lines = value.reshape(-1, value.shape[-1] if value.ndim else 1)
    inner = torch.ones_like(lines, dtype=torch.bool)
    for one in (lines, -lines, lines.abs()):
        inner &= one < one.amax(1, keepdim=True)
    return inner.reshape(value.shape)


def _wide(value: Value) -> Value:
    return value.double() if isinstance(value, Tensor) and value.is_floating_point() else value


def _seen(trial: Trial, model: nn.Module, values: Sequence[Value], places: Sequence[int]) -> _Seen:
    """What a run rounds or compares that has as many elements as an input at one of some places has."""
    sizes = {value.numel() for place in places if isinstance(value := values[place], Tensor)}
    with _RoundingWatch() as watch:
        outputs = trial.run(model, values)
    return watch.seen if outputs is not None and any(one.numel() in sizes for _, one in watch.seen) else []


class _RoundingWatch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes the numbers that operations round, and the differences of those that they compare."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.seen: _Seen = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = word_of(func)
        floating = bool(args) and isinstance(args[0], Tensor) and args[0].is_floating_point()
        if floating and name in _COMPARISONS:
            self.seen.append((None, args[0].double() - args[1]))
        elif floating and rounds(func, kwargs):
            number = args[0].to(torch.float64, copy=True)
            number = number / args[1] if name in ("div", "floor_divide") else number
            self.seen.append((0.5 if name == "round" else 0.0, number))
        return func(*args, **(kwargs or {}))
