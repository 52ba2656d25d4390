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
    if mode == "parameter":
        return _with_parameters(call, values, model)
    with _MODES[mode]([value for value in values if isinstance(value, Tensor)]):
        return call([_result(value) for value in values] if mode == "activation" else values)


def _result(value: Any) -> Any:
    """A tensor that wants gradients as the result of an operation."""
    return value.view_as(value) if isinstance(value, Tensor) and value.requires_grad else value


def _with_parameters(call: Call, values: Values, model: nn.Module | None) -> Any:
    """With parameters for inputs. A module that keeps such an input holds it as one of its own, and would then take no
    plain tensor in its place: it gets the plain one back."""
    given = [nn.Parameter(v) if isinstance(v, Tensor) and v.is_floating_point() else v for v in values]
    plain = dict(zip(map(id, given), values, strict=True))
    try:
        with torch.enable_grad():
            return call(given)
    finally:
        for module in model.modules() if model is not None else ():
            for name, kept in list(module._parameters.items()):
                if id(kept) in plain:
                    del module._parameters[name]
                    module.__dict__[name] = plain[id(kept)]


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
    "settings": _settings,
    "rank": lambda _given: mock.patch.dict(os.environ, _SECOND_OF_TWO),
    "compiling": lambda _given: compiling(),
    "inference": lambda _given: torch.inference_mode(),
}
