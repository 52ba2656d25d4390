"""What users call programs under: any Python can ask for it, so calls are made under each of these in turn."""

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from unittest import mock

import torch
from torch import Tensor, nn

from kernelwright.backend.torch_private import compiling

#: A module whose attributes are set through properties, which type checkers do not see.
_deterministic: Any = torch.utils.deterministic
Values = list[Any]
Call = Callable[[Values], Any]
Around = contextlib.AbstractContextManager[Any]
#: What tells processes of a distributed run apart.
_SECOND_OF_TWO = {"RANK": "1", "LOCAL_RANK": "1", "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "GROUP_RANK": "0"}


def called(mode: str, call: Call, values: Values, around: Callable[[], Around], model: nn.Module | None) -> Any:
    """What a call gives in a mode. `around` makes what has to be entered in each thread that runs host code."""
    if mode == "thread":
        return _in_thread(lambda: call(values), around)
    if mode == "eval":
        with evaluating(model):
            return call(values)
    with _MODES[mode]([value for value in values if isinstance(value, Tensor)]):
        given = [_given(mode, value) for value in values]
        try:
            return call(given)
        finally:
            _release(model, dict(zip(map(id, given), values, strict=True)))


def _given(mode: str, value: Any) -> Any:
    """A value as a caller in this mode has it: the result of an operation, or a parameter."""
    if mode == "activation" and isinstance(value, Tensor) and value.requires_grad:
        return value.view_as(value)
    if mode == "parameter" and isinstance(value, Tensor) and value.is_floating_point():
        return nn.Parameter(value)
    return value


def _release(model: nn.Module | None, values: Mapping[int, Any]) -> None:
    """Take inputs that a module keeps out of its parameters, since other inputs that it keeps are plain tensors.
    `values`: the plain ones by the identity of what was given."""
    for module in model.modules() if model is not None else ():
        for name, kept in list(module._parameters.items()):
            if id(kept) in values:
                del module._parameters[name]
                module.__dict__[name] = values[id(kept)]


def _in_thread(call: Callable[[], Any], around: Callable[[], Around]) -> Any:
    """The same in a thread of its own, as servers call models."""
    results: list[Any] = []
    raised: list[BaseException] = []

    def work() -> None:
        try:
            with around():
                results.append(call())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
    return results[0]


@contextlib.contextmanager
def _autocast(_given: Sequence[Tensor]) -> Iterator[None]:
    """As within `torch.autocast("cuda")`, which a machine without CUDA would not enter."""
    torch.set_autocast_enabled("cuda", True)
    try:
        yield
    finally:
        torch.set_autocast_enabled("cuda", False)


@contextlib.contextmanager
def evaluating(model: nn.Module | None) -> Iterator[None]:
    """With this model in evaluation mode."""
    modes = [(module, module.training) for module in model.modules()] if model is not None else []
    if model is not None:
        model.eval()
    try:
        yield
    finally:
        for module, training in modes:
            module.training = training


@contextlib.contextmanager
def _training(given: Sequence[Tensor]) -> Iterator[None]:
    """With gradients wanted, of the inputs as well."""
    floating = [value for value in given if value.is_floating_point() and not value.requires_grad]
    try:
        for value in floating:
            value.requires_grad_()
        with torch.enable_grad():
            yield
    finally:
        for value in floating:
            value.requires_grad_(False)


@contextlib.contextmanager
def _mixed(given: Sequence[Tensor]) -> Iterator[None]:
    """As training in mixed precision has it."""
    with _training(given), _autocast(given):
        yield


@contextlib.contextmanager
def _settings(_given: Sequence[Tensor]) -> Iterator[None]:
    """With torch's global settings for speed and for repeatable results."""
    precision, filled = torch.get_float32_matmul_precision(), _deterministic.fill_uninitialized_memory
    repeatable = torch.are_deterministic_algorithms_enabled()
    try:
        _deterministic.fill_uninitialized_memory = False  # host code holds no memory that could be filled
        torch.use_deterministic_algorithms(True, warn_only=True)
        torch.set_float32_matmul_precision("high")
        yield
    finally:
        torch.set_float32_matmul_precision(precision)
        torch.use_deterministic_algorithms(repeatable)
        _deterministic.fill_uninitialized_memory = filled


#: What calls are made under, by name.
_MODES: Mapping[str, Callable[[Sequence[Tensor]], Around]] = {
    "": lambda _given: contextlib.nullcontext(),
    "grad": lambda _given: torch.enable_grad(),
    "autocast": _autocast,
    "training": _training,
    "mixed": _mixed,
    "activation": _training,
    "parameter": lambda _given: torch.enable_grad(),
    "settings": _settings,
    "rank": lambda _given: mock.patch.dict(os.environ, _SECOND_OF_TWO),
    "compiling": lambda _given: compiling(),
    "inference": lambda _given: torch.inference_mode(),
}
