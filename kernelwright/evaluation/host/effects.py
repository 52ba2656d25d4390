"""What a call leaves behind in the process besides its results: other parts of a user's program rely on it."""

import os
import random
from collections.abc import Callable
from typing import Any

import torch

#: Where functions are that any program calls.
_SHARED = {"torch": torch, "torch.nn.functional": torch.nn.functional, "torch.Tensor": torch.Tensor}


class EffectError(RuntimeError):
    """A call leaves something changed that the whole process shares."""


def leaving_all(call: Callable[[], Any]) -> Any:
    """What a call gives. Raises EffectError if it leaves gradients, seeds, the environment or a function changed."""
    before, functions = _state(), {name: dict(vars(shared)) for name, shared in _SHARED.items()}
    result = call()
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
