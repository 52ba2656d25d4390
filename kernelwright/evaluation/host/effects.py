"""What a call leaves behind in the process besides its results: other parts of a user's program rely on it."""

import os
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

#: Where functions are that any program calls.
_SHARED = {"torch": torch, "torch.nn.functional": torch.nn.functional, "torch.Tensor": torch.Tensor}


class EffectError(RuntimeError):
    """A call leaves something changed that other parts of a program rely on."""


def leaving_all(call: Callable[[], Any], model: nn.Module | None = None, given: Sequence[Any] = ()) -> Any:
    """What a call gives. Raises EffectError if it leaves gradients, seeds, the environment or a function changed, or
    the mode of a module, or whether a weight or an input wants gradients."""
    before, functions = _state(), {name: dict(vars(shared)) for name, shared in _SHARED.items()}
    owned = list(_owned(model, given))
    result = call()
    for what, one, name, was in owned:
        if getattr(one, name) is not was:
            raise EffectError(f"a call leaves {name} of {what} changed, which belongs to the caller")
    changed = [name for name, value in _state().items() if value != before[name]]
    for place, known in functions.items():
        now = vars(_SHARED[place])
        changed += [
            f"{place}.{name}" for name, value in known.items() if callable(value) and now.get(name) is not value
        ]
    changed += [f"torch.Tensor.{name}" for name in vars(torch.Tensor).keys() - functions["torch.Tensor"].keys()]
    if changed:
        raise EffectError(f"a call leaves {changed[0]} changed, which the whole process shares")
    return result


def _state() -> dict[str, Any]:
    return {
        "torch's gradient mode": torch.is_grad_enabled(),
        "the seed of torch's generator": torch.initial_seed(),
        "the state of Python's generator": random.getstate(),
        "torch's default dtype": torch.get_default_dtype(),
        "the number of torch's threads": torch.get_num_threads(),
        "the environment": dict(os.environ),
        "the working folder": os.getcwd(),  # noqa: PTH109 - quick
    }


def _owned(model: nn.Module | None, given: Sequence[Any]) -> Iterator[tuple[str, Any, str, Any]]:
    """What callers set, and calls are to leave: what has it, that itself, its attribute and the value of that."""
    tensors = [(f"input {place}", value) for place, value in enumerate(given) if isinstance(value, Tensor)]
    for what, tensor in tensors:
        yield what, tensor, "requires_grad", tensor.requires_grad
    if model is not None:
        for path, module in model.named_modules():
            yield f"self.{path}".rstrip("."), module, "training", module.training
        held = [(f"self.{path}", value) for path, value in nn.Module.named_parameters(model)]
        for what, weight in held:
            if weight.requires_grad:  # those of a user do; here they do in some calls
                yield what, weight, "requires_grad", True
        tensors += held
    for what, tensor in tensors:
        if tensor.is_leaf:
            yield what, tensor, "grad", tensor.grad


def check_gradients(outputs: Sequence[Any], enabled: bool) -> None:
    """Raise EffectError if an output wants gradients though they are off, or though no operation gave it."""
    for index, output in enumerate(outputs):
        if isinstance(output, Tensor) and output.requires_grad and (output.is_leaf or not enabled):
            raise EffectError(f"output {index} wants gradients, and nothing it was made from does; return it as it is")
