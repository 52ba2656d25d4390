"""What loading, building and calling leave behind in the process: other parts of a user's program rely on it."""

import builtins
import gc
import logging
import os
import random
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from kernelwright.backend.torch_private import hooks_of_all_modules

_cuda: Any = torch.backends.cuda
_cudnn: Any = torch.backends.cudnn


class EffectError(RuntimeError):
    """A call leaves something changed that other parts of a program rely on."""


def leaving_all(call: Callable[[], Any], model: nn.Module | None = None, given: Sequence[Any] = ()) -> Any:
    """What a call gives. Raises EffectError if it leaves gradients, seeds or the environment changed, or the mode of a
    module, or whether a weight or an input wants gradients."""
    before, owned = _state(), list(_owned(model, given))
    result = call()
    for what, one, name, was in owned:
        if getattr(one, name) is not was:
            raise EffectError(f"a call leaves {name} of {what} changed, which belongs to the caller")
    _compare(before, _state(), "a call")
    return result


def _compare(before: Mapping[str, Any], after: Mapping[str, Any], who: str) -> None:
    for name, value in after.items():
        if name in before and value != before[name]:
            raise EffectError(f"{who} leaves {name} changed, which the whole process shares")


def _state() -> dict[str, Any]:
    return {
        "torch's gradient mode": torch.is_grad_enabled(),
        "torch's autocast": (torch.is_autocast_enabled("cuda"), torch.is_autocast_enabled("cpu")),
        "the seed of torch's generator": torch.initial_seed(),
        "the state of Python's generator": random.getstate(),
        "torch's default dtype": torch.get_default_dtype(),
        "the number of torch's threads": torch.get_num_threads(),
        "the environment": dict(os.environ),
        "the working folder": os.getcwd(),  # noqa: PTH109 - quick
    }


def _numpy() -> dict[str, Any]:
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return {}
    _, key, *place = numpy.random.get_state()
    return {"the state of NumPy's generator": (bytes(key), *place)}


class Building:
    """Constructors of one class, one after another. `effect`: what they leave behind, "" for nothing. They may draw
    random numbers; one that seeds them leaves the same whatever was before."""

    def __init__(self) -> None:
        self.effect = ""
        self._left: dict[str, Any] = {}

    def made(self, make: Callable[[], Any]) -> Any:
        """What a constructor gives."""
        random.random()  # so that one which seeds does not leave what was there
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.random()
        seeds, before = self._seeds(), _settings()
        made = make()
        after = self._seeds()
        seeded = [name for name, one in after.items() if one == self._left.get(name) and one != seeds.get(name)]
        try:
            _compare(before | dict.fromkeys(seeded), _settings() | dict.fromkeys(seeded, True), "the constructor")
        except EffectError as error:
            self.effect = str(error)
        self._left = after
        return made

    def _seeds(self) -> dict[str, Any]:
        torch_s = bytes(torch.get_rng_state().numpy().data)
        return {"the state of Python's generator": random.getstate(), "torch's generator": torch_s} | _numpy()


def _settings() -> dict[str, Any]:
    return {
        "torch's default dtype": torch.get_default_dtype(),
        "the environment": dict(os.environ),
        "the collector of garbage": (gc.isenabled(), gc.get_threshold()),
        "which warnings are shown": (warnings.showwarning, *filter(None, map(_of_all, warnings.filters))),
        "which messages are logged": (logging.root.level, logging.root.manager.disable),
        "the precision of torch's products": _precision(),
        "torch's choice of algorithms": (
            torch.get_deterministic_debug_mode(),
            *(_cudnn.enabled, _cudnn.benchmark, _cudnn.deterministic),
            *(_cuda.flash_sdp_enabled(), _cuda.mem_efficient_sdp_enabled(), _cuda.math_sdp_enabled()),
        ),
        "torch's checks": (torch.is_anomaly_enabled(), torch.is_warn_always_enabled()),
        "the hooks of all modules": hooks_of_all_modules(),
        "what watches Python": (sys.gettrace(), sys.getprofile(), sys.excepthook, threading.excepthook),
        "Python's limits": (sys.getrecursionlimit(), sys.getswitchinterval()),
        "where modules are found": tuple(sys.path),
        "the standard streams": (id(sys.stdin), id(sys.stdout), id(sys.stderr)),
    }


def _of_all(one: Any) -> Any:
    """A filter of warnings if it is for all texts and modules; libraries add others while they are loaded."""
    action, text, category, module, _ = one
    return (action, category) if text is None and module is None else None


def _precision() -> Any:
    try:
        allowed = _cuda.matmul.allow_tf32, _cudnn.allow_tf32
    except RuntimeError:  # set by torch's newer names, which the older ones refuse to tell
        allowed = "mixed", "mixed"
    halves = _cuda.matmul.allow_fp16_reduced_precision_reduction, _cuda.matmul.allow_bf16_reduced_precision_reduction
    return torch.get_float32_matmul_precision(), *allowed, *halves


class Shared:
    """Functions and classes that any program uses as they are now, and settings as they are when one is built."""

    def __init__(self) -> None:
        self._known = {name: (one, dict(vars(one))) for name, one in _namespaces()}
        self._settings: dict[str, Any] = {}

    def settle(self) -> None:
        """Take down the settings."""
        self._settings = _settings() | _numpy()

    def check(self) -> None:
        """Raise EffectError if a setting is another one, or if a function was replaced."""
        _compare(self._settings, _settings() | _numpy(), "a call")
        for place, (one, known) in self._known.items():
            now = vars(one)
            for name, value in known.items():
                if callable(value) and now.get(name) is not value:
                    raise EffectError(f"a call leaves {place}.{name} changed, which the whole process shares")
        if more := vars(torch.Tensor).keys() - self._known["torch.Tensor"][1].keys() - {"__slotnames__"}:
            raise EffectError(f"a call leaves torch.Tensor.{min(more)} changed, which the whole process shares")


def _namespaces() -> Iterator[tuple[str, Any]]:
    yield from (("torch", torch), ("torch.nn.functional", nn.functional), ("torch.Tensor", Tensor))
    yield from (
        ("builtins", builtins),
        ("torch.nn", nn),
        ("torch.nn.init", nn.init),
        ("torch.autograd", torch.autograd),
    )
    for space, base in ((nn, nn.Module), (torch.optim, torch.optim.Optimizer)):
        classes = {one for one in vars(space).values() if isinstance(one, type) and issubclass(one, base)}
        yield from ((f"{space.__name__}.{one.__name__}", one) for one in classes)


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
