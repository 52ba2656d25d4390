"""What users call programs under: any Python can ask for it, so calls are made in worlds that differ in it."""

import contextlib
import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from unittest import mock

import torch
from torch import Tensor, nn

from kernelwright.backend.torch_private import compiling
from kernelwright.evaluation.host.callers import DEPTHS, THREADS, below, handling, in_event_loop, in_thread
from kernelwright.evaluation.host.dressings import DRESSINGS, MOVES, check_result, dressed
from kernelwright.evaluation.host.histories import any_maker, made_by, noticed, with_gradients
from kernelwright.evaluation.host.settings import SETTINGS
from kernelwright.evaluation.protocol.chance import chance

Values = list[Any]
Call = Callable[[Values], Any]
Around = contextlib.AbstractContextManager[Any]
#: What gradients a world may have; inputs want them in `training` alone.
_GRADIENTS = ("", "grad", "training", "training", "inference")
_AUTOCAST = (None, torch.float16, torch.bfloat16)
#: Processes of a distributed run: which one, of how many; each machine has four of them.
_RANKS = ((1, 2), (0, 2), (0, 8), (5, 8))
_EACH = 4


@dataclass(frozen=True)
class World:
    """What a call is made under.

    `inputs` "activation": results of `makers`; "parameter"; "new": tensor objects that no call had before.
    `rank`: which process of a distributed run this is, and of how many. `settings` are names of global settings.
    `thread`: which kind of thread calls, "" for the main one. `weights`: 1 if weights want gradients too, 2 if every
    second one does.
    `instance`: 0 for the module that is judged, other numbers for others. `hooks`: whether hooks are registered with
    it. `depth`: how many modules are around it. `loop`: whether an event loop runs. `by_name`: how many of the last
    inputs are passed by name. `backward`: whether tensors have gradients already; `noticed`: whether they have hooks.
    `alone`: the number of the one tensor that wants gradients, and `part` of the one module that evaluates, 0 for all.
    `handling`: whether the caller handles an exception. `dressings` are around the module, and `move` says how its
    weights are put into other tensors (see `host.dressings`).
    """

    gradients: str = ""
    inputs: str = ""
    autocast: torch.dtype | None = None
    rank: tuple[int, int] | None = None
    settings: frozenset[str] = field(default_factory=frozenset)
    thread: str = ""
    compiling: bool = False
    evaluating: bool = False
    weights: int = 0
    instance: int = 0
    hooks: bool = False
    makers: tuple[str, ...] = ("view",)
    depth: int = 0
    loop: bool = False
    by_name: int = 0
    backward: bool = False
    noticed: bool = False
    alone: int = 0
    part: int = 0
    handling: bool = False
    dressings: frozenset[str] = field(default_factory=frozenset)
    move: str = ""


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
    "thread": World(thread="own"),
    "eval": World(evaluating=True),
    "hooks": World(hooks=True),
    "inference": World("inference"),
}

#: The worlds of calls of these modes in the dialect, whose host code can ask whether a tensor wants gradients and
#: whether a module trains, and names its parameters.
_IN_THE_DIALECT: Mapping[str, World] = {
    "grad": World("grad", weights=1),
    "autocast": World(by_name=99, evaluating=True),
    "training": World("training"),
    "compiling": World("grad", weights=1, alone=1, evaluating=True, part=1),
    "thread": World(by_name=1, evaluating=True, part=2),
    "mixed": World("training", alone=1),
    "activation": World("training", alone=2),
    "parameter": World("training", weights=1),
    "settings": World(evaluating=True, part=3),
    "hooks": World(by_name=99, evaluating=True, part=4),
    "eval": World(evaluating=True),
}
_PLAIN = World()
#: As training calls a program, with new tensors each time.
STEADY = World("training", "new")


def drawn_world(may_evaluate: bool, may_autocast: bool) -> World:
    """A world whose properties are drawn one by one, so that all pairs of them come about."""
    gradients = chance.choice(_GRADIENTS)
    inputs = {"training": ("", "new", "activation", "activation", "activation"), "grad": ("", "new", "parameter")}.get(
        gradients, ("", "new")
    )
    return World(
        gradients,
        chance.choice(inputs),
        chance.choice(_AUTOCAST) if may_autocast else None,
        chance.choice(_RANKS) if chance.random() < 0.4 else None,
        frozenset(name for name, setting in SETTINGS.items() if chance.random() < setting.share),
        chance.choice(THREADS) if chance.random() < 0.5 else "",
        chance.random() < 0.3,
        may_evaluate and chance.random() < 0.5,
        chance.choice((0, 0, 1, 2)),
        chance.randrange(1, 12) if chance.random() < 0.4 else 0,
        chance.random() < 0.2,
        tuple(any_maker() for _ in range(4)),
        chance.choice(DEPTHS),
        chance.random() < 0.1,
        chance.choice((1, 99)) if chance.random() < 0.15 else 0,
        chance.random() < 0.7,  # few draws have inputs that may have a gradient
        chance.random() < 0.4,
        chance.randrange(1, 8) if chance.random() < 0.3 else 0,
        chance.randrange(1, 8) if chance.random() < 0.3 else 0,
        chance.random() < 0.2,
        frozenset(name for name, dressing in DRESSINGS.items() if chance.random() < dressing.share),
        chance.choice((*MOVES, *[""] * 12)),
    )


def world_in_the_dialect(mode: str, text: str, may_evaluate: bool) -> World:
    """The world of a call of this mode, without what the program's text does not ask for."""
    world = _IN_THE_DIALECT.get(mode, _PLAIN)
    if "requires_grad" not in text:
        world = replace(world, gradients="", weights=False)
    return world if may_evaluate and "training" in text else replace(world, evaluating=False)


def called(world: World, call: Call, values: Values, around: Callable[[], Around], model: nn.Module | None) -> Any:
    """What a call gives in a world. `around` makes what has to be entered in each thread that runs host code."""

    def work() -> Any:
        with around() if world.thread else contextlib.nullcontext():
            return in_event_loop(quiet) if world.loop else quiet()

    def quiet() -> Any:
        return handling(made) if world.handling else made()

    def made() -> Any:
        return _called(world, call, values, model)

    return in_thread(world.thread, work)


def _called(world: World, call: Call, values: Values, model: nn.Module | None) -> Any:
    if world == _PLAIN:
        return call(values)
    with contextlib.ExitStack() as stack:
        _enter_settings(world, stack, model)
        if world.inputs == "parameter":
            return _with_parameters(lambda given: below(world.depth, lambda: call(given)), values, model)
        wanting = [value for value in values if isinstance(value, Tensor)] if world.gradients == "training" else []
        if world.gradients != "inference" and world.weights and model is not None:
            wanting += list(nn.Module.parameters(model))[:: world.weights]
        stack.enter_context(_wanting_gradients(wanting, world.alone))
        makers = itertools.cycle(world.makers)
        given = [made_by(next(makers), value) for value in values] if world.inputs == "activation" else values
        if world.backward:
            stack.enter_context(with_gradients(wanting))
        if world.noticed:
            stack.enter_context(noticed([value for value in (*given, *wanting) if isinstance(value, Tensor)]))
        if world.autocast is not None:
            stack.enter_context(_autocast(world.autocast))
        result = below(world.depth, lambda: call(given))
        if world.move and model is not None:
            check_result(result, model)
        return result


def _enter_settings(world: World, stack: contextlib.ExitStack, model: nn.Module | None) -> None:
    """Enter what a world has for all of the process."""
    if world.rank is not None:
        stack.enter_context(mock.patch.dict(os.environ, _environment(*world.rank)))
    if model is not None and (world.dressings or world.move):
        stack.enter_context(dressed(model, world.dressings, world.move))
    for name, setting in SETTINGS.items():
        if name in world.settings:
            stack.enter_context(setting.entered())
    if world.evaluating:
        stack.enter_context(evaluating(model, world.part))
    if world.compiling:
        stack.enter_context(compiling())
    if world.gradients:
        stack.enter_context(_GRADIENT_MODES[world.gradients]())


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


def _environment(rank: int, world_size: int) -> dict[str, str]:
    """What tells processes of a distributed run apart."""
    own, size = str(rank % _EACH), str(min(world_size, _EACH))
    group = str(rank // _EACH)
    return {
        "RANK": str(rank),
        "WORLD_SIZE": str(world_size),
        "LOCAL_RANK": own,
        "LOCAL_WORLD_SIZE": size,
        "GROUP_RANK": group,
    }


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
def evaluating(model: nn.Module | None, part: int = 0) -> Iterator[None]:
    """With this model in evaluation mode, or one module of it alone."""
    modes = [(module, module.training) for module in model.modules()] if model is not None else []
    try:
        if part and modes:
            modes[part % len(modes)][0].training = False
        elif model is not None and model.training:  # nobody calls eval() twice
            model.eval()
        yield
    finally:
        for module, training in modes:
            module.training = training


@contextlib.contextmanager
def _wanting_gradients(given: list[Tensor], alone: int) -> Iterator[None]:
    floating = [value for value in given if value.is_floating_point() and not value.requires_grad]
    if alone and floating:
        floating = [floating[(alone - 1) % len(floating)]]
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
