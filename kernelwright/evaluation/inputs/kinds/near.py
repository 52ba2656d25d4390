"""Elements near numbers: those that a program names, and those that one candidate compares with."""

from collections.abc import Sequence

import torch
from torch import Tensor

from kernelwright.evaluation.inputs.traits import Trait, kept

#: Of so many whole numbers that a program names its integers are drawn.
_FEW_LITERALS = 3
#: What is drawn around besides the literals of a program: both zeros, what rounding to whole numbers leaves to a rule,
#: and a number below the normal ones.
SPECIAL = (0.0, -0.0, 0.5, 1.5, 2.5, 1e-40)


def literals(value: Tensor, numbers: Sequence[float]) -> Tensor:
    """A quarter of the elements are near one of the numbers: the number itself and its neighbours, what lies a little
    or far beside it, and its negative. All of these come as often, each number itself first where room is short. In
    every fourth row half of the places hold few of the numbers, so that these rows have each of them: what is computed
    of two such elements may be a number as well."""
    kind = torch.finfo(value.dtype)
    fitting = [number for number in numbers if 4 * abs(number) < kind.max] or [0.0]
    base = torch.tensor(fitting, dtype=torch.float64, device=value.device)
    step = (kind.eps * base.abs()).clamp_min(kind.tiny)
    near = torch.stack(
        [base, base + step, base - step, base * 1.01, base * 0.99, base + 0.5, base - 0.5, 2 * base, -base]
    )
    near = torch.cat([_shuffled(near[0]), _shuffled(near[1:].flatten())])
    chosen = torch.rand(value.shape, device=value.device) < 1 / 4
    count = int(chosen.sum())
    result = value.to(torch.float64, copy=True)
    result[chosen] = _shuffled(near[torch.arange(count, device=value.device) % len(near)])
    if value.ndim > 1:
        lines = result.reshape(-1, value.shape[-1])
        fourth = lines[2::4].clone()
        few = -(-len(base) // len(fourth)) if len(fourth) else 1
        which = torch.arange(len(fourth), device=value.device)[:, None]
        which = which + len(fourth) * torch.randint(0, few, fourth.shape, device=value.device)
        lines[2::4] = torch.where(torch.rand_like(fourth) < 1 / 2, _shuffled(base)[which % len(base)], fourth)
        result = lines.reshape(value.shape)
    return result


def beyond(value: Tensor, numbers: Sequence[float]) -> Tensor:
    """Elements near numbers as in `literals`, and of every four rows one beyond a number above zero and one beyond it
    below. A row has one sign and one number, and rows take numbers in turn: its maximum and its mean lie beyond that
    number as well, between once and twice its size."""
    near = literals(value, numbers)
    if value.ndim < 2:
        return near
    lines = near.reshape(-1, value.shape[-1])
    beyond = 1 + torch.rand(lines.shape, dtype=torch.float64, device=value.device)
    sizes = [number for number in numbers if 4 * number < torch.finfo(value.dtype).max] or [1.0]
    taken = torch.tensor(sizes, dtype=torch.float64, device=value.device).roll(int(torch.randint(0, len(sizes), ())))
    beyond *= taken[torch.arange(len(lines), device=value.device) // 4 % len(sizes), None]
    lines[1::4], lines[3::4] = -beyond[1::4], beyond[3::4]
    return lines.reshape(value.shape)


def _shuffled(values: Tensor) -> Tensor:
    return values[torch.randperm(len(values), device=values.device)]


def near_literals(value: Tensor, trait: Trait, numbers: Sequence[float]) -> Tensor:
    """Integers of which a quarter, or more where there are few, are the first that the program names, each of them, or
    beside these; none leaves the range of an input. Every third row has one of these numbers in half of its places, as
    padding has, so that much changes if what is compared with the number is in another place."""
    whole = [int(number) for number in numbers if number.is_integer() and trait.low <= number <= trait.high]
    near = [number + step for step in (0, -1, 0, 1) for number in whole[:_FEW_LITERALS]]
    inside = [number for number in near if trait.low <= number <= trait.high]
    if not inside or trait.counted or trait.permutation:
        return value
    count = min(value.numel(), max(value.numel() // 4, len(inside)))
    drawn = torch.tensor(inside, device=value.device).to(value.dtype)
    result = value.flatten().clone()
    result[torch.randperm(value.numel(), device=value.device)[:count]] = drawn[torch.arange(count) % len(inside)]
    named = whole[:_FEW_LITERALS]
    for number, line in enumerate(result.reshape(-1, value.shape[-1])[1::3] if value.ndim > 1 else ()):
        line[torch.randperm(len(line), device=value.device)[: len(line) // 2]] = named[number % len(named)]
    return kept(result.reshape(value.shape), trait)
