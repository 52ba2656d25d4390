"""Impulses for an input to which a program's outputs are proportional."""

import functools
from collections.abc import Sequence

from torch import Tensor, nn

from kernelwright.backend.tensors import Value
from kernelwright.evaluation.inputs.draws import Draw, apply_kind
from kernelwright.evaluation.inputs.trial import Trial, scales_to

#: By what an input is multiplied to see whether outputs are as well: rounding is the same for any power of two.
_PROPORTION = 2.0**20


def with_impulses(
    trial: Trial, model: nn.Module, draw: Draw, values: Sequence[Value], bound: Sequence[bool]
) -> list[Value] | None:
    """Inputs of which one, to which outputs are proportional, has impulses; None where there is no such input. Those
    that are `bound` stay as they are."""
    places = [place for place, one in enumerate(values) if isinstance(one, Tensor) and one.is_floating_point()]
    first = draw.inputs % len(places) if places else 0
    for place in (*places[first:], *places[:first]):
        made = apply_kind(values, draw.kind, draw.inputs + 1, only=place)
        one = made[place]
        assert isinstance(one, Tensor)
        plain = trial.run(model, made) if one.numel() and not bound[place] else None
        changed = [*made[:place], one * _PROPORTION, *made[place + 1 :]]
        scaled = trial.run(model, changed) if plain and all(bool(output.any()) for output in plain) else None
        scales = functools.partial(scales_to, _PROPORTION)
        if plain and scaled and trial.takes(model, made) and all(map(scales, plain, scaled)):
            return made
    return None
