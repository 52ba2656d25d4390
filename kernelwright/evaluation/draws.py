"""How values to check a candidate on are drawn: inputs of several distributions, weights that are not trivial."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from kernelwright.backend.reference import ReferenceProgram
from kernelwright.backend.tensors import Value, copy_of, each_once


@dataclass(frozen=True)
class Draw:
    """One pass's values: `inputs` seeds `get_inputs()`, `kind` says what is made of floating inputs.

    `weights` seeds the perturbation of the weights; None leaves them as the model draws them.
    """

    inputs: int
    kind: str = "given"
    weights: int | None = None


#: Times that eager runs on values whose last bits are noise.
NUDGES = 2


def _rms(value: Tensor) -> float:
    return float(value.double().square_().mean().sqrt()) or 1.0


def _normal(value: Tensor) -> Tensor:
    return torch.randn(value.shape, dtype=torch.float64, device=value.device).mul_(_rms(value))


def _negative(value: Tensor) -> Tensor:
    return -value.double().abs() - 0.05 * _rms(value)


def _shifted(value: Tensor) -> Tensor:
    return value.double() + 3.0 * _rms(value)


def _small(value: Tensor) -> Tensor:
    return value.double() * 1e-2


def _large(value: Tensor) -> Tensor:
    return value.double() * 1e2


def _integers(value: Tensor) -> Tensor:
    return torch.randint(-3, 4, value.shape, device=value.device).double()


def _infinite(value: Tensor) -> Tensor:
    """Some elements are -inf, but none that is the first along a dimension: a running maximum that starts from -inf,
    as in online softmax, is a number after its first step."""
    chosen = torch.rand(value.shape, device=value.device) < 1 / 16
    for dimension, size in enumerate(value.shape):
        if size > 1:
            chosen.narrow(dimension, 0, 1).fill_(False)
    return torch.where(chosen, -torch.inf, value.double())


#: What may be made of floating inputs; a program that cannot take one of them is not checked on it.
KINDS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "normal": _normal,
    "negative": _negative,
    "shifted": _shifted,
    "small": _small,
    "large": _large,
    "integers": _integers,
    "infinite": _infinite,
}


def apply_kind(values: Sequence[Value], kind: str, seed: int) -> list[Value]:
    """Floating inputs changed as a kind says, each where it lies; others as they are."""
    drawn: list[Value] = []
    for index, value in enumerate(values):
        if isinstance(value, Tensor) and value.is_floating_point() and value.numel():
            torch.manual_seed(seed + index)
            changed = copy_of(value)
            each_once(changed).copy_(KINDS[kind](each_once(value)))
            drawn.append(changed)
        else:
            drawn.append(value)
    return drawn


def drawn(program: ReferenceProgram, draw: Draw, device: torch.device | str) -> list[Value]:
    """A draw's inputs, the same in every process on one kind of device."""
    values = program.inputs(draw.inputs, device)
    return values if draw.kind == "given" else apply_kind(values, draw.kind, draw.inputs + 1)


class _Generators(dict[torch.device, torch.Generator]):
    """One a device, made when asked for."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._seed = seed

    def __missing__(self, device: torch.device) -> torch.Generator:
        self[device] = torch.Generator(device).manual_seed(self._seed)
        return self[device]


def perturb(model: nn.Module, seed: int) -> None:
    """Change parameters, and buffers that hold nothing but zeros or ones, in place.

    Zeros become numbers around zero, ones positive numbers around one (a running variance stays one), all others
    change by a tenth. A kernel that leaves out a bias, a gain or a running mean then gives something else. Numbers are
    drawn where the tensors are, as a billion of them take half a minute on a CPU: the same on one kind of device.
    """
    generators = _Generators(seed)
    parameters = {id(parameter) for parameter in model.parameters()}
    with torch.no_grad():
        for held in [*model.parameters(), *model.buffers()]:
            tensor = each_once(held)
            if not tensor.is_floating_point() or not tensor.numel():
                continue
            first = tensor.flatten()[0]
            constant = bool((tensor == first).all())
            if not constant and id(held) not in parameters:
                continue
            device = tensor.device
            noise = torch.randn(tensor.shape, generator=generators[device], dtype=torch.float64, device=device)
            if constant and float(first) == 0.0:
                tensor.copy_(0.3 * noise)
            elif constant:
                tensor.copy_(tensor.double() * torch.exp(0.3 * noise))
            else:
                tensor.copy_(tensor.double() * (1 + 0.1 * noise))


def nudge(tensors: Iterable[Tensor], seed: int) -> None:
    """Change floating tensors in place by at most a unit in the last place; zeros and infinities stay."""
    generators = _Generators(seed)
    with torch.no_grad():
        for tensor in map(each_once, tensors):
            if tensor.is_floating_point():
                device = tensor.device
                noise = torch.rand(tensor.shape, generator=generators[device], dtype=torch.float64, device=device)
                noise.mul_(2).sub_(1).mul_(torch.finfo(tensor.dtype).eps)
                tensor.copy_(tensor.double() * (1 + noise))
