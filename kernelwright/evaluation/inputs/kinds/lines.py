"""What may be made of rows and columns."""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from kernelwright.evaluation.inputs.not_finite import lines_of
from kernelwright.evaluation.inputs.patterns import PATTERNS

#: What may be made of a row. The exponentials of very negative ones are all zero in fp32. The least are below what
#: norms are divided by at least.
ROWS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "zeros": torch.zeros_like,
    "constant": lambda value: torch.full_like(value, 2.0),
    "very negative": lambda value: -128.0 * (value.abs() + 1.0),
    "very positive": lambda value: 128.0 * (value.abs() + 1.0),
    "small": lambda value: value * 1e-6,
    "large": lambda value: value * 1e2,
    "smaller": lambda value: value * 1e-10,
    "least": lambda value: value * 1e-14,
}


def _of_one(value: Tensor) -> Tensor:
    """Rows of one number each, such that sums of it are exact: else what rounding leaves of its mean would count. Only
    zero becomes zero, of which many programs make the same."""
    first = value[..., :1]
    if value.is_floating_point():
        eighths = first.mul(8).round().div(8)
        first = torch.where((eighths == 0) & (first != 0), first.sign().div(8), eighths)
    return first.expand(value.shape)


#: In which order a row may be.
ORDERS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "rising": lambda value: value.sort(-1).values,
    "falling": lambda value: value.sort(-1, descending=True).values,
    "alike": _of_one,
    "steps": lambda value: value.sort(-1).values.mul(2).round().div(2),
}


def ordered(value: Tensor, names: Sequence[str]) -> Tensor:
    """The rows one after another in what order the names say; of one dimension, all of it in the first one."""
    wide = value.double() if value.is_floating_point() else value
    if not wide.ndim:
        return wide
    lines = wide.reshape(-1, wide.shape[-1])
    result, first = lines.clone(), int(torch.randint(0, len(names), ()))
    for number in range(len(names)):
        result[number :: len(names)] = ORDERS[names[(first + number) % len(names)]](lines[number :: len(names)])
    return result.reshape(wide.shape)


_LINES = {**ROWS, **ORDERS, **PATTERNS}


def mixed_rows(value: Tensor, names: Sequence[str]) -> Tensor:
    """Every third row is as it was, the others one after another what the names say; of one dimension, elements."""
    wide = value.double()
    lines = lines_of(wide)
    number = torch.arange(len(lines), device=value.device) + 3 * int(torch.randint(0, len(names), ()))
    changed = [lines, *(_LINES[name](lines) for name in names)]
    kind = torch.where(number % 3 == 0, 0, (number - number // 3 - 1) % len(names) + 1)
    result = lines.clone()
    for index, version in enumerate(changed):
        result = torch.where((kind == index)[:, None], version, result)
    return result.reshape(wide.shape)


#: What may be made of a column: of any five in turn one rises and one falls.
COLUMN_KINDS = tuple(
    name
    for first, second in zip(tuple(ROWS)[::2], tuple(ROWS)[1::2], strict=True)
    for name in (first, "rising", "falling", second)
)


def columns(value: Tensor, names: Sequence[str]) -> Tensor:
    """The same along the second dimension of several, or the first of two, as programs reduce along these too."""
    if value.ndim < 2:
        return value.double()
    turned = value.movedim(0 if value.ndim == 2 else 1, -1)
    return mixed_rows(turned, names).movedim(-1, 0 if value.ndim == 2 else 1)
