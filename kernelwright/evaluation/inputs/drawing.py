"""Which inputs a program is checked on: of each kind as much as it takes.

A program takes what it neither raises on nor answers with NaN, infinity or another shape.
"""

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from kernelwright.backend.measure.turns import NO_TURNS, DeviceLock
from kernelwright.backend.reference.eight_bits import as_specified, with_wide
from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.backend.tensors import Value, copy_of
from kernelwright.evaluation.inputs.contract import Contract, find_contract
from kernelwright.evaluation.inputs.draws import (
    ALONE,
    BEYOND_MASKS,
    EVAL,
    FAR,
    FAR_OUT,
    HIGHEST,
    IMPULSES,
    INFINITE_WEIGHTS,
    LARGER,
    LOADED,
    LOWEST,
    MIXTURES,
    NAMED,
    ONE,
    OPPOSITES,
    RELATED,
    SAME,
    ZERO,
    Draw,
    apply_kind,
)
from kernelwright.evaluation.inputs.held import at_thresholds, held_numbers
from kernelwright.evaluation.inputs.kinds.compared import COMPARED, with_nan
from kernelwright.evaluation.inputs.kinds.drift import DRIFT, drifting
from kernelwright.evaluation.inputs.kinds.infinite_weights import put_infinities
from kernelwright.evaluation.inputs.kinds.lines import ROWS
from kernelwright.evaluation.inputs.kinds.loaded import load
from kernelwright.evaluation.inputs.kinds.numbers import NUMBERS, other_numbers
from kernelwright.evaluation.inputs.kinds.parts import parts_of
from kernelwright.evaluation.inputs.kinds.proportional import with_impulses
from kernelwright.evaluation.inputs.kinds.special import make_special
from kernelwright.evaluation.inputs.kinds.spikes import SPIKES
from kernelwright.evaluation.inputs.kinds.ties import TIES, with_ties
from kernelwright.evaluation.inputs.kinds.unread import with_infinities
from kernelwright.evaluation.inputs.kinds.wanted import is_wanted
from kernelwright.evaluation.inputs.not_finite import EXTREME
from kernelwright.evaluation.inputs.opposites import make_alike, places_of, put_opposites
from kernelwright.evaluation.inputs.patchwork.rows import OF_ROWS
from kernelwright.evaluation.inputs.relations import one_alone, related, with_one_twice
from kernelwright.evaluation.inputs.traits import Trait, near_alone
from kernelwright.evaluation.inputs.trial import Trial, is_finite
from kernelwright.evaluation.inputs.watches import NotFiniteWatch

#: So often whole numbers have to be the same for noise in the last bits of inputs.
_STEADY_TIMES = 3


@dataclass(frozen=True)
class Drawing:
    """Draws for one program, as its contract lets them be."""

    program: ReferenceProgram
    device: str
    contract: Contract
    turns: DeviceLock = NO_TURNS

    @classmethod
    def of(
        cls, program: ReferenceProgram, seed: int, device: str, within: bool = False, turns: DeviceLock = NO_TURNS
    ) -> "Drawing":
        """Draws on a device, for what is found out of the program there; `within`: see `find_contract`; `turns`: see
        `Trial`."""
        return cls(program, device, find_contract(program, seed, device, within, turns), turns)

    @property
    def kept(self) -> dict[str, list[str]]:
        """What draws keep of each input, by its name."""
        pairs = zip(self.program.reference.inputs, self.contract.traits, strict=True)
        return {spec.name: list(trait.kept) for spec, trait in pairs if trait.kept}

    @property
    def _trial(self) -> Trial:
        return Trial(self.program, self.device, self.contract.infinities, self.turns)

    def inputs(self, model: nn.Module, draw: Draw) -> list[Value] | None:
        """A draw's inputs; None where the program takes nothing of that kind. Inputs in fp8 are drawn in fp32."""
        drawn = self._drawn(model, draw, with_wide(self.program.inputs(draw.inputs, self.device)))
        return None if drawn is None else as_specified(drawn, self.program.reference.inputs)

    def _drawn(self, model: nn.Module, draw: Draw, values: list[Value]) -> list[Value] | None:
        if draw.kind == "given":
            return values
        if draw.kind in (EVAL, LARGER):
            mixed = apply_kind(values, "rows", draw.inputs + 1, self.contract.traits, tuple(ROWS))
            return mixed if self._trial.takes(model, mixed) else values
        if draw.kind == IMPULSES:
            return with_impulses(self._trial, model, draw, values, self._bound)
        if draw.kind == OPPOSITES:
            return self._opposites(model, draw, values)
        if draw.kind in ALONE:
            alone = one_alone(values, ALONE.index(draw.kind), self._bound)
            return alone if self._trial.takes(model, alone) else None
        if draw.kind == EXTREME:
            return self._extreme(model, draw, values)
        if draw.kind == SAME:
            alike = with_one_twice(values, self._bound)
            return alike if alike is not None and self._trial.steady(model, alike, draw.inputs) else None
        if draw.kind == RELATED:
            made = related(values, self.contract.traits)
            return made if made is not None and self._trial.steady(model, made, draw.inputs) else None
        if draw.kind == NUMBERS:
            others = other_numbers(self.program.reference.inputs, values, draw.inputs)
            return others if self._trial.takes(model, others) else None
        if draw.kind == DRIFT:
            made = drifting(values, self._bound)
            return made if made is not None and self._trial.steady(model, made, draw.inputs) else None
        if draw.kind == TIES:
            return with_ties(self._trial, model, values, self._bound, self.contract.numbers)
        if draw.kind == COMPARED:
            return with_nan(self._trial, model, values, self._bound)
        if draw.kind in (LOADED, INFINITE_WEIGHTS):
            return self._with_weights(model, draw, values)
        if draw.kind == "infinite":
            return self._infinite(model, draw, values)
        if draw.kind == "literals":
            draw = replace(draw, numbers=held_numbers(model))
        return self._taken(model, draw, values)

    def _infinite(self, model: nn.Module, draw: Draw, values: list[Value]) -> list[Value] | None:
        """Inputs with infinities; None where the program takes none. max(x, 0) and x * (x > 0) are the same but where
        inputs are infinite: a program that computes by element and names no infinities gets them at elements alone that
        it does not read."""
        by_element, aware = self.contract.elementwise, self.contract.inf_aware
        taken = (self._taken(model, draw, values) if aware or not by_element else None) or values
        torch.manual_seed(draw.inputs)
        more = with_infinities(self._trial, model, taken, self._bound, by_element and aware)
        return None if all(map(is_finite, more)) else more

    def _with_weights(self, model: nn.Module, draw: Draw, values: list[Value]) -> list[Value] | None:
        """Inputs for a model whose tensors are changed as well; None where it takes nothing of the kind."""
        torch.manual_seed(draw.inputs)
        if draw.kind == INFINITE_WEIGHTS:
            return values if put_infinities(self._trial, model, values) else None
        loaded = load(self._trial, model, values)
        special = make_special(self._trial, model, values, self._bound)
        return special if special is not None else values if loaded else None

    def _taken(self, model: nn.Module, draw: Draw, values: Sequence[Value]) -> list[Value] | None:
        """As much of a kind as the program takes; None where that is nothing."""
        accepts = functools.partial(self._accepts, model, draw)
        beyond = [(size,) for size in BEYOND_MASKS]
        for parts in beyond if draw.kind in (LOWEST, HIGHEST) else [parts_of(draw, self.contract)]:
            for variant in self._variants(draw, values, accepts, parts):
                more = [self._at_thresholds(model, variant)] if draw.kind == "literals" else []
                if (taken := next(filter(accepts, [*more, variant]), None)) is not None:
                    return taken
        return None

    def applies(self, draw: Draw) -> bool:
        """Whether there is anything of a kind to draw; which does not say that the program takes it."""
        return is_wanted(draw, self._trial, self.contract)

    def _extreme(self, model: nn.Module, draw: Draw, values: Sequence[Value]) -> list[Value] | None:
        """Inputs of the kind, or of which one is; None where all is finite that comes of them, or nearly all NaN."""
        more = (math.nan,) if self.contract.nan_aware else ()
        made = apply_kind(values, draw.kind, draw.inputs + 1, self.contract.traits, more)
        made = [old if bound else new for old, new, bound in zip(values, made, self._bound, strict=True)]
        places = [place for place, one in enumerate(values) if isinstance(one, Tensor) and one.is_floating_point()]
        alone = [[*values[:place], made[place], *values[place + 1 :]] for place in places if len(places) > 1]
        tried = (one for one in (made, *alone) if self._trial.told_by_places(model, one))
        return next(tried, None)

    @property
    def _bound(self) -> list[bool]:
        """Which inputs have something that draws keep."""
        return [bool(trait.kept) for trait in self.contract.traits]

    def _at_thresholds(self, model: nn.Module, values: list[Value]) -> list[Value]:
        """See `at_thresholds`; inputs of which draws keep something stay as they are."""
        pairs = zip(values, at_thresholds(values, model), self._bound, strict=True)
        return [old if bound else new for old, new, bound in pairs]

    def _variants(
        self, draw: Draw, values: Sequence[Value], accepts: Callable[[list[Value]], bool], parts: tuple[Any, ...]
    ) -> Iterator[list[Value]]:
        """From the most that a kind has to the least."""

        def made(
            parts: Sequence[Any],
            *,
            outside: bool = False,
            whole: bool = True,
            only: int | None = None,
            traits: Sequence[Trait] = self.contract.traits,
        ) -> list[Value]:
            return apply_kind(values, draw.kind, draw.inputs + 1, traits, parts, outside, only, whole)

        def most(parts: Sequence[Any]) -> Iterator[list[Value]]:
            yield made(parts, outside=True)
            near = tuple(map(near_alone, self.contract.traits))
            if near != self.contract.traits:  # very large integers may be taken alone, and not in sums
                yield made(parts, outside=True, traits=near)
            yield made(parts)

        floating = [place for place, one in enumerate(values) if isinstance(one, Tensor) and one.is_floating_point()]
        if not parts and draw.kind in MIXTURES:
            return
        yield from most(parts)
        if draw.kind in MIXTURES:
            some = [part for part in parts if accepts(made([part]))]
            takers = [place for place in floating if accepts(made(parts, only=place))] if len(floating) > 1 else []
            every, parts = parts, tuple(some) if len(some) < len(parts) else parts[:1]
            if takers:  # all of it for the inputs that take it alone, and for the others what all inputs take
                rest = made(parts) if parts else list(values)
                yield [made(every, only=place)[place] if place in takers else rest[place] for place in range(len(rest))]
            if not parts:
                return
            yield from most(parts)
        yield made(parts, whole=False)
        if len(floating) > 1:  # what one input cannot take another may
            first = draw.inputs % len(floating)
            for place in (*floating[first:], *floating[:first]):
                yield made(parts, only=place, outside=True)
                yield made(parts, only=place)

    def _opposites(self, model: nn.Module, draw: Draw, values: Sequence[Value]) -> list[Value] | None:
        """Inputs in which large elements cancel out in sums; None where there are no such. The model changes as well:
        its weights have the opposites if no input can."""
        inputs = [copy_of(one) if isinstance(one, Tensor) else one for one in values]
        weights = model.state_dict(keep_vars=True).values()
        with torch.no_grad():
            make_alike([*(one for one in inputs if isinstance(one, Tensor)), *weights])
            pairs = zip(inputs, self.contract.traits, strict=True)
            free = [one for one, trait in pairs if isinstance(one, Tensor) and not trait.kept]
            for tensor, dimension in places_of(free, [*model.parameters()], draw.inputs):
                if put_opposites(tensor, dimension, lambda: self._trial.run(model, inputs)):
                    return inputs if self._trial.takes(model, inputs) else None
        return None

    def _is_steady(self, model: nn.Module, draw: Draw, inputs: Sequence[Value]) -> bool:
        times = _STEADY_TIMES if self._trial.whole_outputs else 1
        seeds = range(draw.inputs, draw.inputs + times)
        return all(map(is_finite, inputs)) and all(self._trial.steady(model, inputs, seed) for seed in seeds)

    def _accepts(self, model: nn.Module, draw: Draw, inputs: Sequence[Value]) -> bool:
        if not self._trial.steady_in_integers(model, inputs, draw.inputs):
            return False
        if draw.kind in FAR_OUT and self._trial.whole_outputs and not self._trial.stays_inside(model, inputs):
            return False
        added = draw.kind == SPIKES or (draw.kind in FAR_OUT and not self.contract.elementwise)
        far = added or draw.kind in (LOWEST, HIGHEST, *FAR, NAMED, *OF_ROWS)
        if far and self.contract.exponentials and not self._trial.has_small_scores(model, inputs):
            return False
        if (added or draw.kind in (LOWEST, HIGHEST)) and not self._trial.adds_up(model, inputs, finite=added):
            return False
        if far:
            return self._is_steady(model, draw, inputs)
        if draw.kind in ("offset", ZERO, ONE):
            zero = draw.kind != "offset"
            if not self._trial.keeps_its_size(model, inputs, draw.inputs, may_be_zero=zero):
                return False
        if draw.kind == "infinite":
            return self._trial.takes_plainly(model, inputs)
        if draw.kind not in FAR_OUT and (self.contract.nan_aware or not self._trial.whole_outputs):
            return self._trial.takes(model, inputs)
        with NotFiniteWatch() as watch:  # type: ignore[no-untyped-call]
            taken = self._trial.takes(model, inputs)
        if draw.kind in FAR_OUT and watch.infinite:
            return False  # an overflow inside, which a kernel that multiplies by zero makes NaN
        return taken and not watch.nan  # what NaN is as a whole number is nobody's rule
