"""Inputs and weights to tell a mutant from its module by: as the reference makes them, and varied."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.backend.tensors import Value, copy_of, each_once
from kernelwright.ir.values import Reference

#: What may come of running a reference or a mutant in this process: anything, `sys.exit` included.
FAILURES = (Exception, SystemExit)

#: Draws with inputs and weights as the reference makes them, before the others.
GIVEN_DRAWS = 12

_FROM_THE_END = "indices from the end"


@dataclass(frozen=True)
class Sample:
    """What a module is run on."""

    name: str
    seed: int
    inputs: tuple[Value, ...]
    state: Mapping[str, Tensor]


def _normal(like: Tensor, scale: float = 1.0) -> Tensor:
    return torch.randn(like.shape, dtype=torch.float64) * scale


def _sprinkled(values: Tensor, *specials: float) -> Tensor:
    """Every fourth element or so replaced by one of the specials."""
    chosen = torch.tensor(specials, dtype=torch.float64)[torch.randint(len(specials), values.shape)]
    return torch.where(torch.rand(values.shape) < 0.25, chosen, values)


#: Kinds of draws: what becomes of floating values, given in fp64. The seed is set before.
VARIATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "normal": _normal,
    "negated": lambda v: -v,
    "scaled by 1e-2": lambda v: v * 1e-2,
    "scaled by 1e-4": lambda v: v * 1e-4,
    "scaled by 1e2": lambda v: v * 1e2,
    "shifted by 10": lambda v: v + 10,
    "shifted by -10": lambda v: v - 10,
    "shifted by 200": lambda v: v + 200,
    "shifted by -200": lambda v: v - 200,
    "nearly constant": lambda v: 3 + _normal(v, 1e-4),
    "tiny and nearly constant": lambda v: 1e-2 + _normal(v, 1e-3),
    "ones": torch.ones_like,
    "zeros": torch.zeros_like,
    "small integers": lambda v: torch.randint(-4, 5, v.shape).double(),
    "sixteenths": lambda v: torch.round(_normal(v) * 16) / 16,
    "wide": lambda v: _normal(v) * torch.pow(10.0, torch.empty_like(v).uniform_(-6, 3)),
    "special finite": lambda v: _sprinkled(
        v, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 3.0, -3.0, 6.0, 20.0, 1e-30, 80.0, -80.0
    ),
    "infinite": lambda v: _sprinkled(v, math.inf, -math.inf),
    "NaN": lambda v: _sprinkled(v, math.nan),
}


_NAMES = ["given"] * GIVEN_DRAWS + [name for name in VARIATIONS for _ in range(2)] + [_FROM_THE_END]
#: The places of the first draws, among which is each kind.
EACH_KIND = range(len(_NAMES))


def draws(reference: Reference, places: range = EACH_KIND) -> Iterator[Sample]:
    """Draws as given; then each variation of the floating inputs, once with weights as given and once with others and
    every second boolean another; at last, integers counted from the end where the reference takes them so, as
    indices. Other integers stay as given. Then all this again with other seeds, without end: the draws in some `places`
    are given. Draws on which the reference fails to give inputs are left out."""
    try:
        program = ReferenceProgram.load(reference)
    except FAILURES:
        return
    for seed in places:
        try:
            with torch.random.fork_rng(devices=[]):
                draw = _draw(program, _NAMES[seed % len(_NAMES)], seed)
        except FAILURES:
            continue
        yield draw


def _draw(program: ReferenceProgram, name: str, seed: int) -> Sample:
    model = program.build(seed)
    inputs, state = program.inputs(seed), program.state(model)
    torch.manual_seed(seed)
    if name == _FROM_THE_END:
        inputs = [_from_the_end(value) for value in inputs]
        program.run(model, inputs)  # fails where these are no indices
    if name in VARIATIONS:
        inputs = [_changed(value, VARIATIONS[name]) if isinstance(value, Tensor) else value for value in inputs]
        if seed % 2 == 1:
            name = f"{name}, other weights"
            inputs = [_flipped(value) for value in inputs]
            state = {key: _changed(value, _other_weights) for key, value in state.items()}
    return Sample(name, seed, tuple(inputs), state)


def _from_the_end(value: Value) -> Value:
    integer = isinstance(value, Tensor) and not value.is_floating_point() and value.dtype != torch.bool
    return -1 - value if integer else value  # type: ignore[operator]


def _flipped(value: Value) -> Value:
    """Booleans, every second one another; other values as they are."""
    if isinstance(value, Tensor) and value.dtype == torch.bool:
        return value ^ (torch.rand(value.shape) < 0.5)
    return value


def _changed(value: Tensor, variation: Callable[[Tensor], Tensor]) -> Tensor:
    if not value.is_floating_point() or not value.numel():
        return value
    changed = copy_of(value)
    once = each_once(changed)
    once.copy_(variation(once.double()))
    return changed


def _other_weights(value: Tensor) -> Tensor:
    """Weights that are no longer all ones or zeros; what was never negative (a variance, say) stays so."""
    if not bool(value.any()):
        return _normal(value, 0.5)
    spread = value * torch.empty_like(value).uniform_(0.5, 1.5)
    return spread if bool((value >= 0).all()) else spread + 0.1 * _normal(value)
