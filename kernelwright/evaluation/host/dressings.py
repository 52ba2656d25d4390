"""What users put around a module and its weights while they call it: hooks, marks, other weights, and more state."""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules import module as modules

from kernelwright.backend.torch_private import tree_leaves
from kernelwright.evaluation.host.withheld import DeviceTensor, marked

Around = contextlib.AbstractContextManager[Any]
#: Attributes that libraries for training and serving set on modules.
_MARKS = (
    "_hf_hook",
    "_old_forward",
    "_is_fsdp_managed_module",
    "_is_hf_initialized",
    "_ddp_params_and_buffers_to_ignore",
)
_nothing: Callable[..., None] = lambda *_given: None  # noqa: E731


@contextlib.contextmanager
def _registered(*registers: Callable[..., Any]) -> Iterator[None]:
    """With a hook that does nothing at each of these places."""
    handles = [register(_nothing) for register in registers]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


@contextlib.contextmanager
def _marked(model: nn.Module) -> Iterator[None]:
    marks = [name for name in _MARKS if name not in vars(model)]
    vars(model).update(dict.fromkeys(marks, True))
    try:
        yield
    finally:
        for name in marks:
            vars(model).pop(name, None)


def _places(model: nn.Module) -> list[tuple[nn.Module, str, DeviceTensor]]:
    """Where floating-point parameters are: a tied one is at several places."""
    held: list[tuple[nn.Module, str, Any]] = [
        (module, name, weight) for module in model.modules() for name, weight in module._parameters.items()
    ]
    return [one for one in held if isinstance(one[2], DeviceTensor) and one[2].is_floating_point() and one[2].numel()]


@contextlib.contextmanager
def _moved(model: nn.Module, put: Callable[[nn.Module, str, Tensor], Callable[[], None]]) -> Iterator[None]:
    """With the weights' values in new tensors, which `put` puts in their places; what it gives takes them out again.
    The old tensors hold NaN meanwhile."""
    places = _places(model)
    old = {id(weight): weight for _, _, weight in places}
    with torch.no_grad():
        new = {number: weight.detach().clone() for number, weight in old.items()}
        for weight in old.values():
            weight.detach().fill_(float("nan"))
    undo = [put(module, name, new[id(weight)]) for module, name, weight in places]
    try:
        yield
    finally:
        for one in reversed(undo):
            one()
        with torch.no_grad():
            for number, weight in old.items():
                weight.detach().copy_(new[number])


def _as_parameters() -> Callable[[nn.Module, str, Tensor], Callable[[], None]]:
    """As `module.weight = nn.Parameter(…)` does; what was one parameter stays one."""
    made: dict[int, nn.Parameter] = {}

    def put(module: nn.Module, name: str, value: Tensor) -> Callable[[], None]:
        was = module._parameters[name]
        wants = was is not None and was.requires_grad
        module._parameters[name] = made.setdefault(id(value), nn.Parameter(value, requires_grad=wants))
        return lambda: module._parameters.update({name: was})

    return put


def _as_tensors(module: nn.Module, name: str, value: Tensor) -> Callable[[], None]:
    """As `torch.func.functional_call` does."""
    was = module._parameters[name]
    module._parameters[name] = value  # type: ignore[assignment]
    return lambda: module._parameters.update({name: was})


class _Original(nn.Module):
    """Holds the weight that parametrizations start from."""

    def __init__(self, original: nn.Parameter | None) -> None:
        super().__init__()
        self.register_parameter("original", original)


def _parametrized(module: nn.Module, name: str, value: Tensor) -> Callable[[], None]:
    """As `torch.nn.utils.parametrize` does: the weight in use is a property of a class made for it."""
    kept, made, plain = dict(module._parameters), "parametrizations" not in module._modules, type(module)
    if made:
        module.parametrizations = nn.ModuleDict()
    lists: Any = module.parametrizations
    lists[name] = _Original(module._parameters.pop(name))
    lists.train(module.training)
    module.__class__ = type(f"Parametrized{plain.__name__}", (plain,), {name: property(lambda _self: value)})

    def undo() -> None:
        module.__class__ = plain
        del lists[name]
        if made:
            del module.parametrizations
        module._parameters[name] = kept[name]
        _reorder(module._parameters, kept)

    return undo


def _pruned(module: nn.Module, name: str, value: Tensor) -> Callable[[], None]:
    """As `torch.nn.utils.prune` does: the weight in use is an attribute that a hook sets."""
    kept = dict(module._parameters)
    module._parameters[f"{name}_orig"] = module._parameters.pop(name)
    module.register_buffer(f"{name}_mask", torch.ones_like(value))
    setattr(module, name, value)

    def undo() -> None:
        delattr(module, name)
        del module._buffers[f"{name}_mask"], module._parameters[f"{name}_orig"]
        module._parameters[name] = kept[name]
        _reorder(module._parameters, kept)

    return undo


def _reorder(found: dict[str, Any], order: Mapping[str, Any]) -> None:
    """Bring the names of a dictionary into this order."""
    items = {name: found[name] for name in order if name in found}
    found.clear()
    found.update(items)


@contextlib.contextmanager
def _with_more(model: nn.Module) -> Iterator[None]:
    """With a parameter and a buffer of the user's own, before and after the others."""
    kept = dict(model._parameters)
    like = next((one for one in kept.values() if one is not None), None)
    more = torch.zeros(1, device="cuda") if like is None else torch.zeros_like(like)
    model._parameters.clear()
    model._parameters.update({"of_the_user": nn.Parameter(more, requires_grad=False), **kept})
    model.register_buffer("kept_by_the_user", more)
    try:
        yield
    finally:
        del model._parameters["of_the_user"], model._buffers["kept_by_the_user"]


@dataclass(frozen=True)
class Dressing:
    """What enters it for a module, and the share of drawn worlds that have it."""

    entered: Callable[[nn.Module], Around]
    share: float = 0.15


#: By name. At most one of those that move weights is drawn.
DRESSINGS: Mapping[str, Dressing] = {
    "backward hooks": Dressing(lambda m: _registered(m.register_full_backward_hook, m.register_full_backward_pre_hook)),
    "hooks of states": Dressing(lambda m: _registered(m.register_state_dict_pre_hook, m.register_state_dict_post_hook)),
    "hooks of loading": Dressing(
        lambda m: _registered(m.register_load_state_dict_pre_hook, m.register_load_state_dict_post_hook)
    ),
    "hooks of all": Dressing(
        lambda _m: _registered(modules.register_module_forward_hook, modules.register_module_forward_pre_hook)
    ),
    "backward hooks of all": Dressing(lambda _m: _registered(modules.register_module_full_backward_hook)),
    "marks": Dressing(_marked),
    "marked weights": Dressing(lambda m: marked([weight for _, _, weight in _places(m)])),
    "more state": Dressing(_with_more),
}
MOVES: Mapping[str, Callable[[nn.Module], Around]] = {
    "replaced": lambda m: _moved(m, _as_parameters()),
    "functional": lambda m: _moved(m, _as_tensors),
    "parametrized": lambda m: _moved(m, _parametrized),
    "pruned": lambda m: _moved(m, _pruned),
}


def dressed(model: nn.Module, names: frozenset[str], move: str) -> Around:
    """With a module in these, and with its weights moved in this way, "" for none."""
    with contextlib.ExitStack() as stack:
        if move:
            stack.enter_context(MOVES[move](model))
        for name, one in DRESSINGS.items():
            if name in names:
                stack.enter_context(one.entered(model))
        return stack.pop_all()


def check_result(result: Any, model: nn.Module) -> None:
    """Raise ValueError if a result is a weight itself: one that was moved is another tensor than callers know."""
    weights = {weight.store.number for _, _, weight in _places(model)}
    if any(isinstance(one, DeviceTensor) and one.store.number in weights for one in tree_leaves(result)):
        raise ValueError("a result is a weight")
