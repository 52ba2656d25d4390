"""Inputs with NaN for programs that compare: what a comparison makes of NaN is a number, and the same in any kernel."""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from kernelwright.backend.reference.eight_bits import wide
from kernelwright.backend.tensors import Value, copy_of
from kernelwright.backend.torch_private import TorchDispatchMode
from kernelwright.evaluation.inputs.draws import rms
from kernelwright.evaluation.inputs.kinds.free import is_free
from kernelwright.evaluation.inputs.trial import Trial
from kernelwright.evaluation.inputs.watches import COMPARISONS, word_of

#: The kind, the share of elements, and how many times as large as its input a number is that stands for either side of
#: all thresholds.
COMPARED, _SHARE, _BEYOND = "compared with NaN", 1 / 16, 64.0
#: Operations for which NaN has a place in an order, or that swallow NaN inside.
_ORDERS = frozenset(
    "sort topk kthvalue amax amin max min median nanmedian mode cummax cummin aminmax histc fmax fmin sign sgn "
    "heaviside logcumsumexp hardtanh hardsigmoid hardswish hardshrink softshrink threshold max_pool2d_with_indices "
    "max_pool3d_with_indices adaptive_max_pool2d adaptive_max_pool3d unique_consecutive".split()
)


def with_nan(trial: Trial, model: nn.Module, values: Sequence[Value], bound: Sequence[bool]) -> list[Value] | None:
    """Inputs of which some elements are NaN, all inputs or one alone; None where no comparison makes numbers of them
    that differ from those of other elements. Inputs that are `bound` stay as they are."""
    free = [place for place, value in enumerate(values) if not bound[place] and is_free(value)]
    masks = {place: _places(value) for place in free if isinstance(value := values[place], Tensor)}
    for chosen in (free, *([place] for place in free if len(free) > 1)):
        made = _filled(values, {place: masks[place] for place in chosen}, math.nan)
        plain = _compared(trial, model, made) if chosen else None
        if plain is None:
            continue
        known = [~one.isnan() for one in plain]
        for high in (False, True):
            with Swallowing(high):
                known = _alike(known, plain, trial.run(model, made))
        sides = [_filled(values, {place: masks[place] for place in chosen}, sign * _BEYOND) for sign in (-1.0, 1.0)]
        same = [_alike(known, plain, trial.run(model, side)) for side in (values, *sides)]
        if any(bool((before & ~after).any()) for one in same for before, after in zip(known, one, strict=True)):
            return made
    return None


def _places(value: Tensor) -> Tensor:
    """Some elements of every second row, or of all there is."""
    size = value.shape[-1] if value.ndim else 1
    lines = torch.rand(value.numel() // size, size, device=value.device) < _SHARE
    lines.scatter_(1, torch.randint(0, size, (len(lines), 1), device=value.device), True)
    if len(lines) > 1:
        lines[::2] = False
    return lines.reshape(value.shape)


def _filled(values: Sequence[Value], masks: dict[int, Tensor], number: float) -> list[Value]:
    """Inputs with NaN, or with a number of so many times their size, at some places."""
    result = list(values)
    for place, mask in masks.items():
        value = result[place]
        assert isinstance(value, Tensor)
        result[place] = copy_of(value).copy_(value.masked_fill(mask, number * rms(value)))
    return result


def _compared(trial: Trial, model: nn.Module, values: Sequence[Value]) -> tuple[Tensor, ...] | None:
    """Outputs, if a comparison is given NaN and nothing is that puts numbers in order."""
    with NanWatch() as watch:  # type: ignore[no-untyped-call]
        outputs = trial.run(model, values)
    shapes = [spec.shape for spec in trial.program.reference.outputs]
    fits = outputs is not None and [tuple(output.shape) for output in outputs] == shapes
    return outputs if fits and watch.compared and not watch.ordered else None


def _alike(known: Sequence[Tensor], plain: Sequence[Tensor], other: Sequence[Tensor] | None) -> list[Tensor]:
    """Which known elements are the same in another run."""
    if other is None or any(first.shape != second.shape for first, second in zip(plain, other, strict=True)):
        return [torch.zeros_like(one) for one in known]
    return [one & (first == second) for one, first, second in zip(known, plain, other, strict=True)]


def _has_nan(values: Sequence[Any]) -> bool:
    floating = (one for one in values if isinstance(one, Tensor) and one.is_floating_point())
    return any(bool(wide(one).isnan().any()) for one in floating)


class NanWatch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes whether an operation `compared` NaN; and whether one `ordered` it, or made whole numbers of it."""

    compared = ordered = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = False if func.is_view else _has_nan(args)
        name = word_of(func)
        result = func(*args, **(kwargs or {}))
        if given:
            found = result if isinstance(result, tuple | list) else (result,)
            tensors = [one for one in found if isinstance(one, Tensor)]
            whole = any(not one.is_floating_point() and one.dtype != torch.bool for one in tensors)
            self.compared |= name in COMPARISONS
            self.ordered |= name in _ORDERS or whole
        return result


class Swallowing(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Computes maxima and minima of two, and bounds, as Triton does, which leave NaN out: of two bounds NaN becomes the
    lower one, or the upper one if `high`."""

    def __init__(self, high: bool) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._high = high

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        swallowed = _swallowed(name.rstrip("_"), args, kwargs or {}, self._high)
        result = func(*args, **(kwargs or {}))
        if swallowed is None or not isinstance(result, Tensor):
            return result
        new = torch.where(result.isnan(), swallowed.to(result.dtype), result)
        return result.copy_(new) if name.endswith("_") else new


def _swallowed(name: str, args: Any, kwargs: Any, high: bool) -> Tensor | None:
    """What stands in place of NaN in an operation's result; None where it stays."""
    if name == "relu":
        return torch.zeros_like(args[0])
    if name.startswith("clamp"):
        named = ("max",) if name == "clamp_max" else ("min", "max")
        bounds = {**dict(zip(named, args[1:], strict=False)), **kwargs}
        given = [bounds[end] for end in ("min", "max") if bounds.get(end) is not None]
        zeros: Tensor = torch.zeros_like(args[0])
        zeros += given[-1 if high else 0]
        return zeros
    if name in ("maximum", "minimum"):
        number: Tensor = (torch.fmax if name == "maximum" else torch.fmin)(args[0], args[1])
        return number
    return None
