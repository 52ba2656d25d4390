"""What holds of a program's inputs, which others it takes besides, and what it does with them: found by trying."""

import copy
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from kernelwright.backend.measure.turns import NO_TURNS, DeviceLock
from kernelwright.backend.reference.eight_bits import as_specified, with_wide
from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.backend.tensors import Value, copy_of
from kernelwright.evaluation.inputs.draws import SCALES, ZERO, apply_kind, rms
from kernelwright.evaluation.inputs.literals import named, numbers_of
from kernelwright.evaluation.inputs.traits import Trait, find_traits, is_integer, probes
from kernelwright.evaluation.inputs.trial import REFUSALS, Trial, is_finite, scales_to
from kernelwright.evaluation.inputs.uses import PlacesWatch
from kernelwright.evaluation.inputs.watches import ElementwiseWatch
from kernelwright.evaluation.inputs.weights import perturb
from kernelwright.evaluation.protocol.tensors import same_bits

#: Draws that traits are found in, and bytes of a program's tensors above which nothing is tried out.
_SAMPLES, _TRIED_BYTES = 3, 64 << 20


@dataclass(frozen=True)
class Contract:
    """`traits`: what holds of each input. `numbers` are those that the program's source and what builds it name,
    `nan_aware` and `inf_aware` whether it speaks of NaN and of infinities; `scales`: the kinds of `SCALES` that it
    takes; `elementwise`: it computes element by element; `minima`: it may look for the least of something;
    `exponentials`: it computes some, and not by element alone; `modes`: it gives something else in evaluation mode;
    `alike_in_eval`: it does not; `normal`: inputs as given are as those of the kind of this name; `checks`: it raises
    on zeros; `compares` and `rounds`: see `ElementwiseWatch`; `infinities`: see `Trial`."""

    traits: tuple[Trait, ...]
    numbers: tuple[float, ...]
    nan_aware: bool
    inf_aware: bool
    scales: frozenset[str] = frozenset()
    elementwise: bool = False
    minima: bool = False
    exponentials: bool = False
    normal: bool = False
    modes: bool = False
    alike_in_eval: bool = False
    checks: bool = False
    compares: bool = False
    rounds: bool = False
    infinities: tuple[float, ...] = ()


def find_contract(
    program: ReferenceProgram, seed: int, device: str, within: bool = False, turns: DeviceLock = NO_TURNS
) -> Contract:
    """Try a program on a device, as a CPU takes seconds for what a GPU does in milliseconds; a large one is not tried,
    and only its inputs tell. `within`: integers that it does not give are not tried. `turns`: see `Trial`."""
    samples = [with_wide(program.inputs(seed + number, device)) for number in range(_SAMPLES)]
    reference = program.reference
    _, nan_aware, inf_aware = named(reference.source, reference.entry)
    found = Contract(find_traits(samples), numbers_of(program), nan_aware, inf_aware)
    if sum(spec.nbytes for spec in reference.tensors) > _TRIED_BYTES:
        return found
    model, values = program.build(seed, device), samples[0]
    infinities = _infinities(Trial(program, device, turns=turns), model, values)
    trial = Trial(program, device, infinities, turns)
    traits = _without_orders(program, model, values, found.traits)
    for find in (_with_numbers_between,) if within else (_probed, _with_numbers_between):
        traits = tuple(find(trial, model, values, place, trait, found.numbers) for place, trait in enumerate(traits))
    scales, elementwise, watch = _scales(trial, model, values)
    modes = _modes(trial, seed, values)
    return replace(
        found,
        traits=traits,
        scales=scales,
        elementwise=elementwise,
        minima=watch.minima,
        exponentials=watch.exponentials and not elementwise,
        normal=all(map(_is_normal, values)),
        modes=bool(modes),
        alike_in_eval=modes is False,
        checks=trial.run(model, apply_kind(values, ZERO, 0)) is None,
        infinities=infinities,
        compares=watch.compares,
        rounds=watch.rounds,
    )


def _infinities(trial: Trial, model: nn.Module, values: Sequence[Value]) -> tuple[float, ...]:
    """Those among the outputs on inputs as given; none where some are NaN."""
    floating = [one for one in trial.run(model, values) or () if one.is_floating_point()]
    if any(bool(one.isnan().any()) for one in floating):
        return ()
    return tuple(number for number in (-math.inf, math.inf) if any(bool((one == number).any()) for one in floating))


def _without_orders(
    program: ReferenceProgram, model: nn.Module, values: Sequence[Value], traits: tuple[Trait, ...]
) -> tuple[Trait, ...]:
    """The traits, but for orders of inputs that are nothing but places, which the program does not need."""
    orderly = [
        place
        for place, (value, trait) in enumerate(zip(values, traits, strict=True))
        if is_integer(value) and (trait.ordered or trait.permutation)
    ]
    if not orderly:
        return traits
    given = as_specified(values, program.reference.inputs)
    given = [copy_of(value) if isinstance(value, Tensor) else value for value in given]
    with torch.no_grad(), PlacesWatch({place: given[place] for place in orderly}) as watch:
        try:
            copy.deepcopy(model)(*given)
        except REFUSALS:
            return traits
    free = watch.used - watch.others
    return tuple(
        replace(trait, ordered=False, permutation=False, ends=()) if place in free else trait
        for place, trait in enumerate(traits)
    )


def _probed(
    trial: Trial, model: nn.Module, values: Sequence[Value], place: int, trait: Trait, numbers: Sequence[float]
) -> Trait:
    """An input's trait with the integers that one of its elements may be besides."""
    value = values[place]
    if not (isinstance(value, Tensor) and is_integer(value) and value.numel()):
        return trait
    taken = []
    for number in probes(value, trait, numbers):
        changed = value.clone()
        changed.flatten()[0] = number
        changed.view(-1)[-1] = number
        if trial.takes(model, [*values[:place], changed, *values[place + 1 :]]):
            taken.append(number)
    return replace(trait, taken=tuple(taken))


def _with_numbers_between(
    trial: Trial, model: nn.Module, values: Sequence[Value], place: int, trait: Trait, _numbers: Sequence[float]
) -> Trait:
    """A trait of two values, with the numbers between them if the program computes with these: not if it compares,
    as then numbers on one side of the middle give the same outputs."""
    value = values[place]
    if not (isinstance(value, Tensor) and trait.two and all(map(math.isfinite, trait.two))):
        return trait
    found: list[tuple[Tensor, ...] | None] = []
    for number, start in enumerate((0.0, 0.0, 0.5, 0.5)):
        torch.manual_seed(number)
        share = start + torch.rand(value.shape, dtype=torch.float64) / 2
        between = (trait.two[0] + share * (trait.two[1] - trait.two[0])).to(value)
        given = [*values[:place], between, *values[place + 1 :]]
        found.append(trial.run(model, given) if trial.steady(model, given, place) else None)
    computes = None not in found and not any(_alike(found[at], found[at + 1]) for at in (0, 2))
    return replace(trait, between=computes)


def _scales(trial: Trial, model: nn.Module, values: Sequence[Value]) -> tuple[frozenset[str], bool, ElementwiseWatch]:
    """Which of `SCALES` scale the outputs of a program as well, to the bit, whether it computes elementwise alone, and
    what else was seen of it. Nothing scales that is not elementwise: sums of squares overflow in a kernel sooner than
    in eager code, which has fp64 for some of them on a CPU."""
    floating = [v for v in values if isinstance(v, Tensor) and v.is_floating_point()]
    with ElementwiseWatch() as watch:  # type: ignore[no-untyped-call]
        plain = trial.run(model, values) if floating else None
    if plain is None or not watch.only:
        return frozenset(), False, watch
    found = set()
    for kind, scale in SCALES.items():
        scaled = apply_kind(values, kind, 0)
        outputs = trial.run(model, scaled) if all(map(is_finite, scaled)) else None
        if outputs is not None and all(map(functools.partial(scales_to, scale), plain, outputs)):
            found.add(kind)
    return frozenset(found), True, watch


def _modes(trial: Trial, seed: int, values: Sequence[Value]) -> bool | None:
    """Whether a model that is in training mode gives, or leaves, something else in evaluation mode, on inputs as given
    or on large ones; None where that is unknown."""
    program = trial.program
    model = program.build(seed, trial.device)
    if not model.training or (len(list(model.modules())) == 1 and "training" not in program.reference.source):
        return False
    perturb(model, seed + 1)  # statistics as they are built may be those of the inputs
    for given in (values, apply_kind(values, "large", seed)):
        left = []
        for one in (copy.deepcopy(model), copy.deepcopy(model).eval()):
            torch.manual_seed(seed)
            trial.turns.pause()
            try:
                outputs = program.run(one, given)
            except REFUSALS:
                return None if given is values else False
            left.append([*outputs, *program.state(one).values()])
        alike = [[value.shape for value in one] for one in left]
        if alike[0] != alike[1] or not all(map(same_bits, *left)):
            return True
    return False


def _is_normal(value: Value) -> bool:
    """Whether numbers of both signs are far out, as among normal ones."""
    if not (isinstance(value, Tensor) and value.is_floating_point() and value.numel()):
        return False
    size = 2 * rms(value)
    return bool(value.max() > size) and bool(value.min() < -size)


def _alike(first: Sequence[Tensor] | None, second: Sequence[Tensor] | None) -> bool:
    """Whether all outputs are the same."""
    return first is not None and second is not None and all(map(torch.equal, first, second))
