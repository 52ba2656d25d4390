"""What users call programs under: any Python can ask for it, so calls are made in worlds that differ in it."""

import contextlib
import os
import random
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from kernelwright.backend.torch_private import TorchDispatchMode, compiling

#: A module whose attributes are set through properties, which type checkers do not see.
_deterministic: Any = torch.utils.deterministic
_cudnn: Any = torch.backends.cudnn
Values = list[Any]
Call = Callable[[Values], Any]
Around = contextlib.AbstractContextManager[Any]
#: What gradients a world may have; inputs want them in `training` alone.
_GRADIENTS = ("", "grad", "training", "inference")
_AUTOCAST = (None, torch.float16, torch.bfloat16)
#: Processes of a distributed run: which one, of how many.
_RANKS = ((1, 2), (0, 2), (0, 8), (5, 8))


@dataclass(frozen=True)
class World:
    """What a call is made under.

    `inputs` "activation": results of operations; "parameter"; "new": tensor objects that no call had before. `rank`:
    which process of a distributed run this is, and of how many. `settings` are names of torch's global settings.
    `weights`: whether weights want gradients too, where they are on. `instance`: 0 for the module that is judged, other
    numbers for others. `hooks`: whether hooks are registered with it.
    """

    gradients: str = ""
    inputs: str = ""
    autocast: torch.dtype | None = None
    rank: tuple[int, int] | None = None
    settings: frozenset[str] = field(default_factory=frozenset)
    thread: bool = False
    compiling: bool = False
    evaluating: bool = False
    weights: bool = False
    instance: int = 0
    hooks: bool = False


#: Worlds with one property each, and a few with two; calls are made in these in turn.
NAMED: Mapping[str, World] = {
    "": World(),
    "grad": World("grad"),
    "autocast": World(autocast=torch.float16),
    "training": World("training"),
    "mixed": World("training", autocast=torch.float16),
    "activation": World("training", "activation"),
    "parameter": World("grad", "parameter"),
    "settings": World(settings=frozenset(("repeatable", "high products"))),
    "rank": World(rank=(1, 2)),
    "compiling": World(compiling=True),
    "thread": World(thread=True),
    "eval": World(evaluating=True),
    "hooks": World(hooks=True),
    "inference": World("inference"),
}

_PLAIN = World()
#: As training calls a program, with new tensors each time.
STEADY = World("training", "new")


def drawn_world(draw: random.Random, may_evaluate: bool, may_autocast: bool) -> World:
    """A world whose properties are drawn one by one, so that all pairs of them come about."""
    gradients = draw.choice(_GRADIENTS)
    inputs = {"training": ("", "new", "activation"), "grad": ("", "new", "parameter")}.get(gradients, ("", "new"))
    return World(
        gradients,
        draw.choice(inputs),
        draw.choice(_AUTOCAST) if may_autocast else None,
        draw.choice(_RANKS) if draw.random() < 0.4 else None,
        frozenset(name for name, setting in _SETTINGS.items() if draw.random() < setting.share),
        draw.random() < 0.3,
        draw.random() < 0.3,
        may_evaluate and draw.random() < 0.5,
        draw.random() < 0.5,
        draw.randrange(1, 12) if draw.random() < 0.4 else 0,
        draw.random() < 0.2,
    )


def called(world: World, call: Call, values: Values, around: Callable[[], Around], model: nn.Module | None) -> Any:
    """What a call gives in a world. `around` makes what has to be entered in each thread that runs host code."""
    return (
        _in_thread(lambda: _called(world, call, values, model), around)
        if world.thread
        else _called(world, call, values, model)
    )


def _called(world: World, call: Call, values: Values, model: nn.Module | None) -> Any:
    if world == _PLAIN:
        return call(values)
    with contextlib.ExitStack() as stack:
        if world.rank is not None:
            stack.enter_context(mock.patch.dict(os.environ, _environment(*world.rank)))
        for name, setting in _SETTINGS.items():
            if name in world.settings:
                stack.enter_context(setting.entered())
        if world.evaluating:
            stack.enter_context(evaluating(model))
        if world.compiling:
            stack.enter_context(compiling())
        if world.autocast is not None:
            stack.enter_context(_autocast(world.autocast))
        if world.inputs == "parameter":
            return _with_parameters(call, values, model)
        if world.gradients:
            stack.enter_context(_GRADIENT_MODES[world.gradients]())
        wanting = [value for value in values if isinstance(value, Tensor)] if world.gradients == "training" else []
        if world.gradients in ("grad", "training") and world.weights and model is not None:
            wanting += nn.Module.parameters(model)
        stack.enter_context(_wanting_gradients(wanting))
        return call([_result(value) for value in values] if world.inputs == "activation" else values)


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


def _environment(rank: int, world_size: int) -> dict[str, str]:
    """What tells processes of a distributed run apart."""
    own, size = str(rank), str(world_size)
    return {"RANK": own, "LOCAL_RANK": own, "WORLD_SIZE": size, "LOCAL_WORLD_SIZE": size, "GROUP_RANK": "0"}


@contextlib.contextmanager
def _autocast(dtype: torch.dtype) -> Iterator[None]:
    """As within `torch.autocast("cuda", dtype)`, which a machine without CUDA would not enter."""
    before = torch.get_autocast_dtype("cuda")
    torch.set_autocast_dtype("cuda", dtype)
    torch.set_autocast_enabled("cuda", True)
    try:
        yield
    finally:
        torch.set_autocast_enabled("cuda", False)
        torch.set_autocast_dtype("cuda", before)


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
def _wanting_gradients(given: list[Tensor]) -> Iterator[None]:
    floating = [value for value in given if value.is_floating_point() and not value.requires_grad]
    try:
        for value in floating:
            value.requires_grad_()
        yield
    finally:
        for value in floating:
            value.requires_grad_(False)


_GRADIENT_MODES: Mapping[str, Callable[[], Around]] = {
    "grad": torch.enable_grad,
    "training": torch.enable_grad,
    "inference": torch.inference_mode,
}


@contextlib.contextmanager
def _repeatable() -> Iterator[None]:
    filled, before = _deterministic.fill_uninitialized_memory, torch.are_deterministic_algorithms_enabled()
    try:
        _deterministic.fill_uninitialized_memory = False  # host code holds no memory that could be filled
        torch.use_deterministic_algorithms(True, warn_only=True)
        yield
    finally:
        torch.use_deterministic_algorithms(before)
        _deterministic.fill_uninitialized_memory = filled


@contextlib.contextmanager
def _products(precision: str) -> Iterator[None]:
    before = torch.get_float32_matmul_precision()
    try:
        torch.set_float32_matmul_precision(precision)
        yield
    finally:
        torch.set_float32_matmul_precision(before)


@contextlib.contextmanager
def _seeded() -> Iterator[None]:
    """With torch's random numbers as a program has them that set a seed."""
    before = torch.get_rng_state()
    try:
        torch.manual_seed(random.getrandbits(32))
        yield
    finally:
        torch.set_rng_state(before)


class _Watching(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """A mode as those that count operations are."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


class _Overriding(TorchFunctionMode):
    """A mode as that of `torch.set_default_device` is."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


@dataclass(frozen=True)
class _Setting:
    """A global setting: what enters it, and the share of drawn worlds that have it."""

    entered: Callable[[], Around]
    share: float = 0.25


#: Torch's global settings by name.
_SETTINGS: Mapping[str, _Setting] = {
    "repeatable": _Setting(_repeatable),
    "high products": _Setting(lambda: _products("high")),
    "medium products": _Setting(lambda: _products("medium")),
    "cudnn.benchmark": _Setting(lambda: mock.patch.object(_cudnn, "benchmark", True)),
    "cudnn.deterministic": _Setting(lambda: mock.patch.object(_cudnn, "deterministic", True)),
    "anomalies": _Setting(lambda: torch.autograd.set_detect_anomaly(True)),
    "seed": _Setting(_seeded, 0.05),
    "dispatch mode": _Setting(_Watching),
    "function mode": _Setting(_Overriding),
    "profiler": _Setting(lambda: torch.autograd.profiler.profile(use_kineto=False), 0.05),
}
