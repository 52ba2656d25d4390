"""What callers do with a module besides calling it: they build several, copy them, and ask for what they hold."""

import copy
import pickle
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn

from kernelwright.backend.reference.program import held_tensors
from kernelwright.evaluation.protocol.chance import chance

#: Modules that take longer to build, or hold more, are built twice and not copied.
_SECONDS, _BYTES = 0.1, 4 << 20
_spent = time.process_time
#: Layers of a deep model, and the most bytes that each may hold.
_LAYERS, _LAYER_BYTES = 16, 64 << 10
#: Numbers of instances that stand for the one that is in evaluation mode for good.
EVALUATED = (1, 4, 7, 10)
#: Methods that give tensors by name, or without one.
_GIVING = ("parameters", "buffers", "named_parameters", "named_buffers")


class ModuleError(TypeError):
    """A module does not do what callers of `torch.nn.Module` rely on."""


def earlier(make: Callable[[], Any]) -> list[Any]:
    """An instance built before the one that is judged; if it is small also copies of it, as processes get them.

    Raises ModuleError if a copy holds other weights.
    """
    began = _spent()
    first = make()
    small = isinstance(first, nn.Module) and sum(one.nbytes for _, one in held_tensors(first)) <= _BYTES
    return [first, *_copies(first)] if small and _spent() - began <= _SECONDS else [first]


def more(make: Callable[[], nn.Module]) -> list[nn.Module]:
    """The third instance, the fourth, and the last of a few more."""
    began, made = _spent(), [make()]
    for _ in range(chance.randrange(1, 12)):
        if _spent() - began > _SECONDS / 4:
            break
        made = [*made[:2], make()]
    return made


def layers(make: Callable[[], nn.Module]) -> list[nn.Module]:
    """So many instances as a deep model has, each with weights of its own; none if that takes long, or much memory."""
    began, made = _spent(), list[nn.Module]()
    while len(made) < _LAYERS and _spent() - began < _SECONDS / 4:
        made.append(make())
        if sum(one.nbytes for _, one in held_tensors(made[0])) > _LAYER_BYTES:
            return []
    return made


def _copies(first: nn.Module) -> Iterator[nn.Module]:
    with torch.no_grad():
        for tensor in nn.Module.parameters(first):
            if tensor.is_floating_point() and tensor.device.type == "cpu":
                tensor.add_(torch.rand_like(tensor))  # what no constructor gives
    made: Any = first
    for make, of in ((copy.deepcopy, first), (_pickled, first), (_pickled, None)):
        try:
            made = make(made if of is None else of)  # the last is a copy of a copy
        except Exception:  # noqa: BLE001 - a module may refuse to be copied
            continue
        known = dict(held_tensors(made)) if isinstance(made, nn.Module) else {}
        for path, tensor in nn.Module.named_parameters(first):
            if path not in known or not torch.equal(tensor, known[path]):
                raise ModuleError(f"a copy of ModelNew has lost its weight {path}; let torch.nn.Module copy it")
        yield made


def _pickled(one: Any) -> Any:
    return pickle.loads(pickle.dumps(one))


def check(model: nn.Module) -> None:
    """Raise ModuleError if a module's own methods do not give what it holds."""
    for name in _GIVING:
        given, base = getattr(model, name)(), getattr(nn.Module, name)(model)
        if [_identity(one) for one in given] != [_identity(one) for one in base]:
            raise ModuleError(f"ModelNew.{name}() does not give the tensors that the module holds; do not override it")
    saved = model.state_dict()
    for name, tensor in nn.Module.state_dict(model).items():
        if not isinstance(saved.get(name), torch.Tensor) or saved[name].data_ptr() != tensor.data_ptr():
            raise ModuleError(f"ModelNew.state_dict() does not give {name} as the module holds it; do not override it")


def _identity(one: Any) -> Any:
    return (one[0], id(one[1])) if isinstance(one, tuple) else id(one)


def hooked(model: nn.Module, call: Callable[[], Any]) -> Any:
    """What a call gives while hooks are registered. Raises ModuleError if they do not run."""
    ran: list[str] = []
    before = model.register_forward_pre_hook(lambda *_given: ran.append("forward_pre_hook"))
    after = model.register_forward_hook(lambda *_given: ran.append("forward_hook"))
    try:
        result = call()
    finally:
        before.remove()
        after.remove()
    for name in ("forward_pre_hook", "forward_hook"):
        if name not in ran:
            raise ModuleError(f"a {name} that is registered with ModelNew does not run; do not override __call__")
    return result
