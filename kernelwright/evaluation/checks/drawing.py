"""Which inputs a program is checked on: of each kind as much as it takes.

A program takes what it neither raises on nor answers with NaN, infinity or another shape.
"""

import copy
import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.backend.tensors import UNFILLED, Value, copy_of
from kernelwright.backend.torch_private import TorchDispatchMode
from kernelwright.evaluation.checks.draws import (
    ALIKE,
    EVAL,
    FAR,
    FAR_OUT,
    IMPULSES,
    KINDS,
    MIXTURES,
    NAMED,
    ORDERS,
    ROWS,
    SAME,
    SCALES,
    SPECIAL,
    UNIT,
    WHOLE_KINDS,
    Draw,
    apply_kind,
)
from kernelwright.evaluation.checks.literals import named, numbers_of
from kernelwright.evaluation.checks.traits import Trait, find_traits, probes
from kernelwright.evaluation.checks.uses import PlacesWatch
from kernelwright.evaluation.checks.weights import nudge, perturb
from kernelwright.evaluation.protocol import operators
from kernelwright.evaluation.protocol.tensors import same_bits
from kernelwright.ir.values import TensorSpec

#: What a program raises on inputs that it is not defined on.
REFUSALS = (RuntimeError, ValueError, IndexError, AssertionError)
#: Draws that traits are found in, and bytes of a program's tensors above which nothing is tried out.
_SAMPLES, _TRIED_BYTES = 3, 64 << 20
#: Inputs beyond the first are drawn in the size of 1 as well; sums of squares of numbers beyond the second overflow.
_LARGE, _LARGEST_SUMMED = 64.0, 1e16
#: By what an input is multiplied to see whether outputs are as well: rounding is the same for any power of two.
_PROPORTION = 2.0**20
#: By how many units in the last place outputs may change where inputs change by one.
_UNSTEADY = 256.0


class _NotFiniteWatch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes whether an operation gives NaN, and whether it gives an infinity. Memory without content, and views of it,
    may hold NaN by chance."""

    nan = infinite = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if func.is_view or func.overloadpacket.__name__ in UNFILLED:
            return result
        found = result if isinstance(result, tuple | list) else (result,)
        for value in found:
            if isinstance(value, Tensor) and value.is_floating_point():
                self.nan |= bool(torch.isnan(value).any())
                self.infinite |= bool(torch.isinf(value).any())
        return result


#: Operations besides that compute nothing, or nothing but maxima and minima.
_STILL = frozenset(
    f"aten.{name}"
    for name in "empty.memory_format empty_strided.default detach.default amax.default amin.default".split()
)


class _ElementwiseWatch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes whether `only` operations on elements run, copies, and maxima and minima."""

    only = True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = str(func)
        moves = name in _STILL or operators.moves(name)
        self.only &= moves or func.is_view or torch.Tag.pointwise in func.tags
        return func(*args, **(kwargs or {}))


@dataclass(frozen=True)
class Drawing:
    """Draws for one program. `numbers` are those that its source and what builds it name, `nan_aware` and `inf_aware`
    whether it speaks of NaN and of infinities; `scales`: the kinds of `SCALES` that it takes; `elementwise`: it
    computes element by element; `modes`: it gives something else in evaluation mode; `alike_in_eval`: it does not."""

    program: ReferenceProgram
    device: str
    traits: tuple[Trait, ...]
    numbers: tuple[float, ...]
    nan_aware: bool
    inf_aware: bool = False
    scales: frozenset[str] = frozenset()
    elementwise: bool = False
    modes: bool = False
    alike_in_eval: bool = False

    @classmethod
    def of(cls, program: ReferenceProgram, seed: int, device: str) -> "Drawing":
        """Find out what holds of a program's inputs and what integers it takes, on the CPU."""
        samples = [program.inputs(seed + number) for number in range(_SAMPLES)]
        reference = program.reference
        small = sum(spec.nbytes for spec in reference.tensors) <= _TRIED_BYTES
        _, nan_aware, inf_aware = named(reference.source, reference.entry)
        numbers = numbers_of(program)
        found = cls(program, "cpu", find_traits(samples), numbers, nan_aware, inf_aware)
        if small:
            model = program.build(seed)
            found = replace(found, traits=found._without_orders(model, samples[0]))
            traits = [found._probed(model, samples[0], place) for place in range(len(samples[0]))]
            found = replace(found, traits=tuple(traits))
            traits = [found._with_numbers_between(model, samples[0], place) for place in range(len(samples[0]))]
            found = replace(found, traits=tuple(traits))
            scales, elementwise = found._scales(model, samples[0])
            modes = found._modes(seed, samples[0])
            found = replace(
                found, scales=scales, elementwise=elementwise, modes=bool(modes), alike_in_eval=modes is False
            )
        return replace(found, device=device)

    def _without_orders(self, model: nn.Module, values: Sequence[Value]) -> tuple[Trait, ...]:
        """The traits, but for orders of inputs that are nothing but places, which the program does not need."""
        orderly = [
            place
            for place, (value, trait) in enumerate(zip(values, self.traits, strict=True))
            if _is_integer(value) and (trait.ordered or trait.permutation)
        ]
        if not orderly:
            return self.traits
        given = [copy_of(value) if isinstance(value, Tensor) else value for value in values]
        with torch.no_grad(), PlacesWatch({place: given[place] for place in orderly}) as watch:
            try:
                copy.deepcopy(model)(*given)
            except REFUSALS:
                return self.traits
        free = watch.used - watch.others
        return tuple(
            replace(trait, ordered=False, permutation=False, ends=()) if place in free else trait
            for place, trait in enumerate(self.traits)
        )

    @property
    def kept(self) -> dict[str, list[str]]:
        """What draws keep of each input, by its name."""
        pairs = zip(self.program.reference.inputs, self.traits, strict=True)
        return {spec.name: list(trait.kept) for spec, trait in pairs if trait.kept}

    def _probed(self, model: nn.Module, values: Sequence[Value], place: int) -> Trait:
        """An input's trait with the integers that one of its elements may be besides."""
        value, trait = values[place], self.traits[place]
        if not (isinstance(value, Tensor) and _is_integer(value) and value.numel()):
            return trait
        taken = []
        for number in probes(value, trait):
            changed = value.clone()
            changed.flatten()[0] = number
            changed.view(-1)[-1] = number
            if self.takes(model, [*values[:place], changed, *values[place + 1 :]]):
                taken.append(number)
        return replace(trait, taken=tuple(taken))

    def _with_numbers_between(self, model: nn.Module, values: Sequence[Value], place: int) -> Trait:
        """A trait of two values, with the numbers between them if the program computes with these: not if it compares,
        as then numbers on one side of the middle give the same outputs."""
        value, trait = values[place], self.traits[place]
        if not (isinstance(value, Tensor) and trait.two and all(map(math.isfinite, trait.two))):
            return trait
        found: list[tuple[Tensor, ...] | None] = []
        for number, start in enumerate((0.0, 0.0, 0.5, 0.5)):
            torch.manual_seed(number)
            share = start + torch.rand(value.shape, dtype=torch.float64) / 2
            between = (trait.two[0] + share * (trait.two[1] - trait.two[0])).to(value)
            given = [*values[:place], between, *values[place + 1 :]]
            found.append(self._run(model, given) if self._steady(model, given, place) else None)
        computes = None not in found and not any(_alike(found[at], found[at + 1]) for at in (0, 2))
        return replace(trait, between=computes)

    def _scales(self, model: nn.Module, values: Sequence[Value]) -> tuple[frozenset[str], bool]:
        """Which of `SCALES` scale the outputs of a program as well, to the bit, and whether it computes elementwise
        alone. It has to: sums of squares overflow in a kernel sooner than in eager code, which has fp64 for some of
        them on a CPU."""
        floating = [v for v in values if isinstance(v, Tensor) and v.is_floating_point()]
        with _ElementwiseWatch() as watch:  # type: ignore[no-untyped-call]
            plain = self._run(model, values) if floating else None
        if plain is None or not watch.only:
            return frozenset(), False
        found = set()
        for kind, scale in SCALES.items():
            scaled = apply_kind(values, kind, 0)
            outputs = self._run(model, scaled) if all(map(_is_finite, scaled)) else None
            if outputs is not None and all(map(functools.partial(_scales_to, scale), plain, outputs)):
                found.add(kind)
        return frozenset(found), True

    def _modes(self, seed: int, values: Sequence[Value]) -> bool | None:
        """Whether a model that is in training mode gives, or leaves, something else in evaluation mode; None where that
        is unknown."""
        model = self.program.build(seed)
        if not model.training or (len(list(model.modules())) == 1 and "training" not in self.program.reference.source):
            return False
        perturb(model, seed + 1)  # statistics as they are built may be those of the inputs
        left = []
        for one in (model, copy.deepcopy(model).eval()):
            torch.manual_seed(seed)
            try:
                outputs = self.program.run(one, values)
            except REFUSALS:
                return None
            left.append([*outputs, *self.program.state(one).values()])
        alike = [[value.shape for value in one] for one in left]
        return not all(map(same_bits, *left)) if alike[0] == alike[1] else None

    def inputs(self, model: nn.Module, draw: Draw) -> list[Value] | None:
        """A draw's inputs; None where the program takes nothing of that kind."""
        values = self.program.inputs(draw.inputs, self.device)
        if draw.kind in ("given", EVAL):
            return values
        if draw.kind == IMPULSES:
            return self._impulses(model, draw, values)
        if draw.kind == SAME:
            alike = _with_one_twice(values, [bool(trait.kept) for trait in self.traits])
            return alike if alike is not None and self._steady(model, alike, draw.inputs) else None
        accepts = functools.partial(self._accepts, model, draw)
        for variant in self._variants(draw, values, accepts):
            if accepts(variant):
                return variant
        return None

    def applies(self, draw: Draw) -> bool:
        """Whether there is anything of a kind to draw; which does not say that the program takes it."""
        specs = self.program.reference.inputs
        dtypes = [getattr(spec, "dtype", "") for spec in specs]
        if draw.kind in ("given", EVAL):
            return draw.kind == "given" or self.modes
        if not any(dtype.startswith(("f", "bf")) for dtype in dtypes):
            around = draw.kind == "literals" and any(trait.low < trait.high for trait in self.traits)
            return any(dtypes) and (draw.kind in WHOLE_KINDS or (around and bool(self.numbers)))
        if draw.kind in SCALES:
            return draw.kind in self.scales
        if draw.kind in FAR_OUT:
            return self.elementwise and (not self._whole_outputs or (FAR_OUT[draw.kind] < 2**62 and self._long_outputs))
        if draw.kind == UNIT:
            return any(max(-one.low, one.high) > _LARGE for one in self.traits)
        if draw.kind in (*FAR, NAMED) and self._whole_outputs:
            return self.elementwise  # of numbers that are all but equal, rounding decides which is the largest
        if draw.kind == SAME:
            return len(self.traits) > 1
        if draw.kind == IMPULSES:
            return not self._whole_outputs and all(spec.dtype in ("f32", "f64") for spec in self._floating)
        if draw.kind == ALIKE:
            return any(dtype in ("f16", "bf16") for dtype in dtypes)
        return self.nan_aware if draw.kind == "nan" else draw.kind in KINDS or draw.kind in MIXTURES

    def _parts(self, draw: Draw) -> tuple[Any, ...]:
        parts = {"rows": tuple(ROWS), "literals": (*self.numbers, *SPECIAL), "infinite": (-math.inf, math.inf)}
        parts |= {kind: (size,) for kind, size in FAR_OUT.items()}
        around = tuple(number for number in draw.numbers if self.elementwise or number <= _LARGEST_SUMMED)
        return {**parts, "orders": tuple(ORDERS), NAMED: around}.get(draw.kind, ())

    def _variants(
        self, draw: Draw, values: Sequence[Value], accepts: Callable[[list[Value]], bool]
    ) -> Iterator[list[Value]]:
        """From the most that a kind has to the least."""

        def made(
            parts: Sequence[Any], *, outside: bool = False, whole: bool = True, only: int | None = None
        ) -> list[Value]:
            return apply_kind(values, draw.kind, draw.inputs + 1, self.traits, parts, outside, only, whole)

        parts = self._parts(draw)
        floating = [place for place, one in enumerate(values) if isinstance(one, Tensor) and one.is_floating_point()]
        if not parts and draw.kind in MIXTURES:
            return
        yield made(parts, outside=True)
        yield made(parts)
        if draw.kind in MIXTURES:
            some = [part for part in parts if accepts(made([part]))]
            takers = [place for place in floating if accepts(made(parts, only=place))] if len(floating) > 1 else []
            every, parts = parts, tuple(some) if len(some) < len(parts) else parts[:1]
            if takers:  # all of it for the inputs that take it alone, and for the others what all inputs take
                rest = made(parts) if parts else list(values)
                yield [made(every, only=place)[place] if place in takers else rest[place] for place in range(len(rest))]
            if not parts:
                return
            yield made(parts, outside=True)
            yield made(parts)
        yield made(parts, whole=False)
        if len(floating) > 1:  # what one input cannot take another may
            first = draw.inputs % len(floating)
            yield from (made(parts, only=place) for place in (*floating[first:], *floating[:first]))

    def _impulses(self, model: nn.Module, draw: Draw, values: Sequence[Value]) -> list[Value] | None:
        """Inputs of which one, to which outputs are proportional, has impulses; None where there is no such input."""
        places = [place for place, one in enumerate(values) if isinstance(one, Tensor) and one.is_floating_point()]
        first = draw.inputs % len(places) if places else 0
        for place in (*places[first:], *places[:first]):
            made = apply_kind(values, draw.kind, draw.inputs + 1, only=place)
            one = made[place]
            assert isinstance(one, Tensor)
            plain = self._run(model, made) if one.numel() and not self.traits[place].kept else None
            changed = [*made[:place], one * _PROPORTION, *made[place + 1 :]]
            scaled = self._run(model, changed) if plain and all(bool(output.any()) for output in plain) else None
            scales = functools.partial(_scales_to, _PROPORTION)
            if plain and scaled and self.takes(model, made) and all(map(scales, plain, scaled)):
                return made
        return None

    def _accepts(self, model: nn.Module, draw: Draw, inputs: Sequence[Value]) -> bool:
        if draw.kind in FAR_OUT and self._whole_outputs and not self._stays_inside(model, inputs):
            return False
        if draw.kind in (*FAR, NAMED):
            return all(map(_is_finite, inputs)) and self._steady(model, inputs, draw.inputs)
        if draw.kind == "offset" and not self._keeps_its_size(model, inputs, draw):
            return False
        if draw.kind != "infinite" and draw.kind not in FAR_OUT and (self.nan_aware or not self._whole_outputs):
            return self.takes(model, inputs)
        with _NotFiniteWatch() as watch:  # type: ignore[no-untyped-call]
            taken = self.takes(model, inputs)
        if draw.kind in FAR_OUT and watch.infinite:
            return False  # an overflow inside, which a kernel that multiplies by zero makes NaN
        if draw.kind != "infinite":
            return taken and not watch.nan  # what NaN is as a whole number is nobody's rule
        # max(x, 0) and x * (x > 0) are the same but where inputs are infinite
        return taken and not watch.nan and (self.inf_aware or not self._pointwise(model, inputs, draw))

    def _stays_inside(self, model: nn.Module, inputs: Sequence[Value]) -> bool:
        """Whether whole numbers among the outputs stay in the range of i64: what others become is nobody's rule."""
        outputs = self._run(model, inputs) or ()
        whole = [output for output in outputs if not output.is_floating_point() and output.numel()]
        return bool(outputs) and all(int(one.min()) > -(2**62) and int(one.max()) < 2**62 for one in whole)

    @property
    def _long_outputs(self) -> bool:
        """Whether outputs of whole numbers all have 64 bits."""
        dtypes = [spec.dtype for spec in self.program.reference.outputs]
        return all(dtype == "i64" or dtype.startswith(("f", "bf")) for dtype in dtypes)

    @property
    def _floating(self) -> list[TensorSpec]:
        """All tensors of floating numbers that a program has to do with."""
        return [spec for spec in self.program.reference.tensors if spec.dtype.startswith(("f", "bf"))]

    @property
    def _whole_outputs(self) -> bool:
        """Whether any output is of whole numbers or truth values."""
        return not all(spec.dtype.startswith(("f", "bf")) for spec in self.program.reference.outputs)

    def takes(self, model: nn.Module, inputs: Sequence[Value]) -> bool:
        """Whether outputs are numbers, and of the shapes that they always have."""
        outputs = self._run(model, inputs)
        shapes = [spec.shape for spec in self.program.reference.outputs]
        if outputs is None or [tuple(output.shape) for output in outputs] != shapes:
            return False
        return all(bool(torch.isfinite(output).all()) for output in outputs)

    def _keeps_its_size(self, model: nn.Module, inputs: Sequence[Value], draw: Draw) -> bool:
        """Whether outputs are not next to nothing beside those of inputs as given: of what is left where all but equal
        numbers are subtracted, rounding decides."""
        given = self._run(model, self.program.inputs(draw.inputs, self.device))
        changed = self._run(model, inputs)
        if given is None or changed is None:
            return False
        sizes = ((_size(before), _size(after)) for before, after in zip(given, changed, strict=True))
        return all(after >= 2.0**-12 * before for before, after in sizes)

    def _steady(self, model: nn.Module, inputs: Sequence[Value], seed: int) -> bool:
        """Whether noise in the last bits of inputs changes outputs but little: else rounding decides what is right."""
        noisy = [copy_of(value) if isinstance(value, Tensor) else value for value in inputs]
        nudge([value for value in noisy if isinstance(value, Tensor)], seed)
        plain, other = self._run(model, inputs), self._run(model, noisy)
        if plain is None or other is None or not all(map(_is_finite, plain)):
            return False
        return all(
            first.shape == second.shape and _near(first, second) for first, second in zip(plain, other, strict=True)
        )

    def _run(self, model: nn.Module, inputs: Sequence[Value]) -> tuple[Tensor, ...] | None:
        try:
            with torch.no_grad():
                return self.program.run(copy.deepcopy(model), inputs)
        except REFUSALS:
            return None  # the program is only defined on inputs such as its own

    def _pointwise(self, model: nn.Module, inputs: Sequence[Value], draw: Draw) -> bool:
        """Whether no output depends on an infinite element at another place than its own."""
        floating = [v for v in inputs if isinstance(v, Tensor) and v.is_floating_point()]
        infinite = [value for value in floating if not torch.isfinite(value).all()]
        if not infinite:  # too few elements for one to be drawn: the inputs are as given
            return True
        outputs = self._run(model, inputs)
        finite = self._run(model, self.program.inputs(draw.inputs, self.device))
        assert outputs is not None and finite is not None, "it took them"
        for output, other in zip(outputs, finite, strict=True):
            places = [torch.isfinite(value) for value in infinite if value.shape == output.shape]
            if len(places) < len(infinite):
                return False
            same = output == other
            for place in places:
                same |= ~place
            if not bool(same.all()):
                return False
        return True


def _with_one_twice(values: Sequence[Value], bound: Sequence[bool]) -> list[Value] | None:
    """Inputs of which two, the first that can, are the same; None where all differ in kind. Those that are `bound` have
    something that draws keep, and stay as they are."""
    known: dict[Any, Tensor] = {}
    for index, one in enumerate(values):
        if isinstance(one, Tensor) and one.is_floating_point() and one.numel() and not bound[index]:
            other = known.setdefault((one.dtype, one.shape, one.stride()), one)
            if other is not one:
                return [*values[:index], copy_of(other), *values[index + 1 :]]
    return None


def _is_finite(value: Value) -> bool:
    return not isinstance(value, Tensor) or bool(torch.isfinite(value).all())


def _near(first: Tensor, second: Tensor) -> bool:
    if not first.is_floating_point():
        return torch.equal(first, second)
    apart, size = (first.double() - second.double()).norm(), second.double().norm()
    return bool(apart <= _UNSTEADY * torch.finfo(first.dtype).eps * size)


def _scales_to(scale: float, plain: Tensor, scaled: Tensor) -> bool:
    return plain.is_floating_point() and plain.shape == scaled.shape and torch.equal(plain * scale, scaled)


def _is_integer(value: Value) -> bool:
    return isinstance(value, Tensor) and not (
        value.is_floating_point() or value.is_complex() or value.dtype == torch.bool
    )


def _alike(first: Sequence[Tensor] | None, second: Sequence[Tensor] | None) -> bool:
    """Whether all outputs are the same."""
    return first is not None and second is not None and all(map(torch.equal, first, second))


def _size(output: Tensor) -> float:
    """The root of an output's mean square."""
    return float(output.double().square().mean().sqrt()) if output.numel() else 0.0
