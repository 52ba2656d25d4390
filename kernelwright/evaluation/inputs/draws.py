"""How values to check a candidate on are drawn: inputs of several distributions, weights that are not trivial."""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from kernelwright.backend.reference.eight_bits import as_specified, with_wide
from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.backend.tensors import Value, copy_of, each_once
from kernelwright.evaluation.inputs.impulses import impulses
from kernelwright.evaluation.inputs.kinds.infinite import any_of, infinite, not_numbers, padded
from kernelwright.evaluation.inputs.kinds.lines import columns, mixed_rows, ordered
from kernelwright.evaluation.inputs.kinds.near import beyond, literals, near_literals
from kernelwright.evaluation.inputs.kinds.spikes import SPIKES, spiked
from kernelwright.evaluation.inputs.not_finite import EXTREME, extreme
from kernelwright.evaluation.inputs.patchwork.integers import FEW, few_integers, patched_integers, patched_switches
from kernelwright.evaluation.inputs.patchwork.rows import LEAST, OF_ROWS, PATCHES, patched, within
from kernelwright.evaluation.inputs.patterns import degenerate
from kernelwright.evaluation.inputs.traits import NO_TRAIT, Trait, integers, kept, shares_with_zeros


@dataclass(frozen=True)
class Draw:
    """One pass's values: `inputs` seeds `get_inputs()`, `kind` says what is made of floating inputs.

    `weights` seeds the perturbation of the weights; None leaves them as the model draws them. Inputs of the kind
    `named` lie around `numbers`. Without `training` the model is in evaluation mode.
    """

    inputs: int
    kind: str = "given"
    weights: int | None = None
    numbers: tuple[float, ...] = ()
    training: bool = True

    @property
    def name(self) -> str:
        """The kind, and the mode of others than `EVAL`."""
        return self.kind if self.training or self.kind == EVAL else f"{self.kind} in evaluation mode"

    @classmethod
    def decode(cls, content: Mapping[str, Any]) -> "Draw":
        """A draw that was JSON."""
        return cls(**{**content, "numbers": tuple(content.get("numbers", ()))})


def rms(value: Tensor) -> float:
    """The root of its mean square, and 1 where that is 0."""
    return float(value.double().square_().mean().sqrt()) or 1.0


def _normal(value: Tensor) -> Tensor:
    return torch.randn(value.shape, dtype=torch.float64, device=value.device).mul_(rms(value))


def _negative(value: Tensor) -> Tensor:
    """Numbers below zero, in every other row farther out: where functions of a tail are small."""
    size = rms(value)
    below = -value.double().abs() - 0.05 * size
    if below.ndim > 1:
        lines = below.reshape(-1, below.shape[-1])
        lines[1::2] -= 2.5 * size
        below = lines.reshape(below.shape)
    return below


def _shifted(value: Tensor) -> Tensor:
    return value.double() + 3.0 * rms(value)


def _integers(value: Tensor) -> Tensor:
    return torch.randint(-3, 4, value.shape, device=value.device).double()


def _outside(value: Tensor, sizes: Sequence[float], sign: float) -> Tensor:
    """Of no more than twice the first size, all of one sign."""
    return sign * sizes[0] * (1.0 + 0.9 * value.double().abs().clamp(max=1.0))


def _unit(value: Tensor) -> Tensor:
    finite = value[torch.isfinite(value)]
    return value.double() * 2.0 ** -round(math.log2(rms(finite) if finite.numel() else 1.0))


def _scaled(value: Tensor, by: float) -> Tensor:
    return value.double() * by


#: The kind for programs that give something else in evaluation mode: inputs as given, in that mode.
EVAL = "eval"
#: The kind for programs with large inputs: all inputs of about the size of 1, so that none hides what another gives.
UNIT = "unit"
#: The kind whose inputs lie around numbers that one candidate names; see `thresholds`.
NAMED = "named"
#: The kind for programs whose outputs are proportional to an input; see `impulses`.
IMPULSES = "impulses"
#: The kind in which two inputs are the same, and the one in which inputs depend on each other; see `relations`.
SAME, RELATED = "same", "related"
#: Kinds of rows with a structure, and for programs that check their inputs; see `patterns`.
STRUCTURED, SPECIAL_CASES = "structured", "special cases"
#: The kinds in which all elements of an input are one number, and the one for what programs do along columns.
ZERO, ONE, COLUMNS = "zero", "one", "columns"
#: Kinds beyond what stands for an infinity, all inputs of one sign; and sizes, of which the first is taken that the
#: program takes: where squares are finite, and within int32.
LOWEST, HIGHEST = "lowest", "highest"
BEYOND_MASKS = (1.05e17, 1.05e9)
#: The kinds in which one input alone is not zero.
ALONE = ("alone", "another alone")
#: The kind of the one draw at larger sizes: rows of several sizes if the program takes them, else as given.
LARGER = "larger"
#: Kinds of many values of the size that inputs have.
ORDINARY = ("given", "normal", "negative", "shifted", UNIT)
#: The kinds whose saved buffers and weights, with inputs in the same places, hold what they never begin with, and hold
#: infinities; see `kinds.loaded`, `kinds.special` and `kinds.infinite_weights`.
LOADED, INFINITE_WEIGHTS = "loaded", "infinite weights"
#: The kind for programs that compute in 16 bits.
ALIKE = "alike"
#: The kind for programs whose outputs have 16 bits; see `opposites`.
OPPOSITES = "opposites"
#: How much nearer to a halfway point of rounding the sums of a row come with each term: see `_one_sided`. Large steps
#: show in sums of few terms, small ones in sums of many, where what large ones give cancels; every two rows have both.
_STEPS = tuple(0.93 * 2.0**-step for step in (3, 6, 4, 7, 3, 5, 4, 8))


def _one_sided(value: Tensor) -> Tensor:
    """Each row one number a little above 1, another for each: added up in 16 bits its terms are rounded to one side,
    so that the error grows with their number instead of hiding in chance."""
    first = 2 * int(torch.randint(0, len(_STEPS) // 2, ()))
    steps = torch.tensor(_STEPS, dtype=torch.float64, device=value.device).roll(first)
    rows = value.shape[0] if value.ndim > 1 else 1
    numbers = 1.0 + steps[torch.arange(rows, device=value.device) % len(steps)]
    return numbers.reshape((rows, *(1,) * (value.ndim - 1))[: value.ndim]).expand(value.shape).clone()


def level(tensor: Tensor) -> Tensor:
    """All elements one power of two near their size: products with it are exact."""
    return torch.full_like(tensor, 2.0 ** round(math.log2(rms(tensor))))


#: Kinds far out, for programs that compute element by element: beyond int32, where numbers have no fractions, where
#: squares overflow, and near the end, where what right kernels make on their way is finite yet. Each draw has one size:
#: beside the largest size, the others would not matter.
FAR_OUT: Mapping[str, float] = {"1e10": 1e10, "1e17": 1e17, "1e25": 1e25, "1e36": 1e36}
#: The size of them for programs that add numbers up as well.
SUMMED = FAR_OUT["1e25"]


def _far_out(value: Tensor, numbers: Sequence[float]) -> Tensor:
    """Some elements are so large, of either sign, and every fourth row has such below zero alone."""
    signed = any_of([sign * number for number in numbers for sign in (1.0, -1.0)], value)
    result = torch.where(torch.rand(value.shape, device=value.device) < 1 / 8, signed, value.double())
    if result.ndim > 1:
        lines = result.reshape(-1, result.shape[-1])
        lines[1::4] = -signed.abs().reshape(lines.shape)[1::4]
        result = lines.reshape(result.shape)
    return result


def _offset(value: Tensor) -> Tensor:
    """Far from zero compared to how much they differ: a hundred times, or as much as leaves the differences of 16-bit
    numbers a few bits. Farther out, right sums of squared differences are worse in fp32 than eager's are in fp64."""
    return value.double() + min(1e2, 2.0**-4 / torch.finfo(value.dtype).eps) * rms(value)


#: Kinds for programs that answer inputs so many times as large with outputs so many times as large, to the bit.
SCALES: Mapping[str, float] = {"huge": 2.0**80, "tiny": 2.0**-80}
#: Kinds far from the size that inputs have, for programs that are as well conditioned there.
FAR: Mapping[str, float] = {"minute": 1e-6, "vast": 1e6}
_SIZES: Mapping[str, float] = {"small": 1e-2, "large": 1e2, **SCALES, **FAR}
#: What may be made of floating inputs; a program that cannot take one of them is not checked on it.
KINDS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "normal": _normal,
    "negative": _negative,
    "shifted": _shifted,
    "offset": _offset,
    UNIT: _unit,
    "integers": _integers,
    ZERO: torch.zeros_like,
    ONE: torch.ones_like,
    **{kind: functools.partial(_scaled, by=scale) for kind, scale in _SIZES.items()},
    ALIKE: _one_sided,
}
#: The same for those that are made of several things, of which a program may take some alone.
MIXTURES: Mapping[str, Callable[[Tensor, Sequence[Any]], Tensor]] = {
    "infinite": infinite,
    "literals": literals,
    NAMED: beyond,
    "rows": mixed_rows,
    COLUMNS: columns,
    STRUCTURED: mixed_rows,
    SPECIAL_CASES: degenerate,
    LOWEST: functools.partial(_outside, sign=-1.0),
    HIGHEST: functools.partial(_outside, sign=1.0),
    "nan": not_numbers,
    EXTREME: extreme,
    "orders": ordered,
    IMPULSES: lambda value, _: impulses(value),
    **dict.fromkeys(FAR_OUT, _far_out),
    SPIKES: spiked,
    **{kind: functools.partial(patched, sizes=sizes) for kind, sizes in OF_ROWS.items()},
}
#: Kinds in which integers and truth values come as they were given, and those in which integers leave their range.
_AS_GIVEN, _OUTSIDE = (
    ("infinite", "literals", NAMED, "nan", ALIKE, ZERO, ONE, LOWEST, HIGHEST, LEAST, SPIKES, *FAR_OUT, *SCALES, *FAR),
    ("negative", "large", "integers", "rows", COLUMNS),
)
#: Kinds in which integers of few elements leave their range on one side.
_ENDS = {"negative": -1, "large": 1}
#: Kinds in which all elements of a mask are the one or the other of its values, if the program takes that.
_ALL_ONE_VALUE = {"small": 0, "shifted": 1}
#: Kinds that inputs without floating numbers are drawn of.
WHOLE_KINDS = ("negative", "rows", "orders", "normal", *PATCHES)


def apply_kind(
    values: Sequence[Value],
    kind: str,
    seed: int,
    traits: Sequence[Trait] = (),
    parts: Sequence[Any] = (),
    outside: bool = False,
    only: int | None = None,
    whole: bool = True,
) -> list[Value]:
    """Inputs changed as a kind says, each where it lies. `parts` are what is mixed in.

    With `traits`, what holds of inputs is kept, and if `whole` integers and truth values change too. `outside` lets
    integers leave their range and masks be all one value, where that is of the kind, and infinities begin rows. `only`
    one floating input changes then.
    """
    drawn: list[Value] = []
    later = False  # whether there was a floating input before
    for index, value in enumerate(values):
        torch.manual_seed(seed + index)
        if not isinstance(value, Tensor) or not value.numel() or (only is not None and only != index):
            drawn.append(value)
            continue
        trait = traits[index] if traits else NO_TRAIT
        changed = copy_of(value)
        once = each_once(changed)
        constant = _ALL_ONE_VALUE.get(kind) if traits and whole and outside else None
        if constant is not None and (value.dtype == torch.bool or trait.two):
            once.fill_(trait.two[constant] if trait.two else constant)
            later |= value.is_floating_point()
        elif value.is_floating_point():
            new = MIXTURES[kind](once, parts) if kind in MIXTURES else KINDS[kind](once)
            new = level(once) if kind == ALIKE and later else new
            new = within(new, trait) if kind in OF_ROWS else new
            new = padded(new) if kind == "infinite" and outside and -math.inf in parts else new
            later = True
            if kind == ZERO and trait.sums_to_one:
                once.copy_(shares_with_zeros(once))
            else:
                once.copy_(kept(new, trait) if once is changed else new)
        elif kind == "literals" and whole and value.dtype != torch.bool:
            once.copy_(near_literals(once, trait, parts))
        elif traits and whole and kind not in _AS_GIVEN:
            once.copy_(_whole(once, trait, kind, parts, outside and kind in _OUTSIDE))
        drawn.append(changed)
    return drawn


def _whole(value: Tensor, trait: Trait, kind: str, parts: Sequence[Any], outside: bool) -> Tensor:
    """Truth values or integers for a kind: in `rows` those of some rows are all alike, in `orders` others too."""
    if kind in PATCHES:
        return patched_switches(value) if value.dtype == torch.bool else patched_integers(value, trait, kind)
    if value.dtype != torch.bool and value.numel() < FEW and kind not in _OUTSIDE and not trait.counted:
        return few_integers(value, trait)
    if value.dtype != torch.bool:
        drawn = integers(value, trait, outside=outside, end=_ENDS.get(kind, 0), highest=kind == "normal")
        least = min(trait.taken, default=trait.low)
        if kind == "rows" and outside and value.ndim > 1 and not trait.kept and least < trait.low:
            drawn.reshape(-1, drawn.shape[-1])[1::4] = least
        plain = kind == "orders" and value.ndim and not (trait.permutation or trait.counted)
        names = ["alike"] if value.ndim == 1 else ["rising", "falling", "alike"]
        return kept(ordered(drawn, names), trait) if plain else drawn
    drawn = torch.rand(value.shape, device=value.device) < 0.5
    if kind == "orders" and value.ndim and value.shape[-1] > 1:  # padding on the left, and on the right
        lines = (value.shape[0], *(1,) * (value.ndim - 1)) if value.ndim > 1 else ()
        middle = torch.randint(1, value.shape[-1], lines, device=value.device)  # of each row its own
        places = torch.arange(value.shape[-1], device=value.device).expand(value.shape) >= middle
        drawn = places ^ (
            torch.arange(value.shape[0], device=value.device).reshape(-1, *(1,) * (value.ndim - 1)) % 2 > 0
        )
    if kind in ("rows", EXTREME) and value.ndim > 1:
        number = torch.arange(value.shape[0], device=value.device).reshape(-1, *(1,) * (value.ndim - 1)) % 4
        drawn = (drawn | (number == 1)) & ~((number == 3) & ("zeros" in parts or kind != "rows"))
    return drawn


def drawn(program: ReferenceProgram, draw: Draw, device: torch.device | str) -> list[Value]:
    """A draw's inputs, the same in every process on one kind of device; those of kinds that are mixed as given."""
    values = program.inputs(draw.inputs, device)
    if draw.kind not in KINDS:
        return values
    return as_specified(apply_kind(with_wide(values), draw.kind, draw.inputs + 1), program.reference.inputs)
