"""Calls without effect before one that counts: a program may ask what it runs under, and count its calls."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor

from kernelwright.backend.reference.structure import taken_apart
from kernelwright.evaluation.host.containers import check_container
from kernelwright.evaluation.host.effects import EffectError, check_gradients
from kernelwright.evaluation.host.instances import ModuleError
from kernelwright.evaluation.host.modes import STEADY, World, drawn_world
from kernelwright.evaluation.host.session import Session
from kernelwright.evaluation.host.traces import Trace
from kernelwright.evaluation.host.withheld import DeviceTensor, reference_to
from kernelwright.evaluation.protocol.chance import chance
from kernelwright.evaluation.protocol.link import Json, LinkError, TensorRef
from kernelwright.ir.values import contiguous_strides

#: Time for calls without effect: of the processor, and by the clock. Calls in drawn worlds take most of it: after so
#: much only quick ones are made, of which there are to be as many as wanted.
_SECONDS, _WALL_SECONDS, _SECONDS_DRAWN = 2.0, 10.0, 1.2
#: Before the last call one rehearsal of so many is in a drawn world: those take longer.
_DRAWN_EVERY = 8
#: Rehearsals before one call that may write what the program keeps.
_LASTING = 32
#: The share of calls that are made in the first drawn world.
_BOLD = 1 / 3
#: The clocks as they were before any candidate ran.
_now, _spent = time.monotonic, time.process_time


@dataclass(frozen=True)
class Wanted:
    """How often a program is rehearsed before a call, whether the call is the `last` one, and whether it may be made in
    evaluation mode, and under autocast. `backwards`: see the function of this name."""

    rehearsals: int
    last: bool
    may_evaluate: bool
    may_autocast: bool
    backwards: Mapping[int, TensorRef | None]


@dataclass(frozen=True)
class Made:
    """What a call gave: its outputs, as they are and as the device knows them, and what they were in."""

    outputs: list[Any]
    described: list[list[Any]]
    kind: str

    @classmethod
    def of(cls, result: Any) -> "Made":
        """What a program returned. Raises TypeError for what is no tensor of the device."""
        outputs, kind = _outputs(result)
        return cls(outputs, [_described(index, output) for index, output in enumerate(outputs)], kind)


class Rehearsals:
    """Makes the calls of a program: `run` calls it in a world, and each is known by what it asks of the device."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: set[str] = set()

    def call(
        self,
        run: Callable[[World], Any],
        world: World,
        names: Mapping[int, str],
        wanted: Wanted,
        layers: Iterable[Callable[[], Any]],
    ) -> Made:
        """Make a call in a world, or in another in which the program asks for other things; `names` are the stores that
        it is given. `layers` are called before, without effect."""
        key, made = "", None
        if wanted.rehearsals:
            if wanted.backwards and self._session.may_read_twice:  # what it makes of them is not what the call needs
                with self._session.backwards(wanted.backwards):
                    self._steady(run, World())
            with self._session.replaying():
                for layer in layers:
                    self._steady(lambda _world, layer=layer: layer(), World())  # type: ignore[misc]
                world, key, made = self._rehearsed(run, world, names, wanted)
        if made is None:
            key, made = self._traced(run, world, names)
        self._known.add(key)
        return made

    def _rehearsed(
        self, run: Callable[[World], Any], world: World, names: Mapping[int, str], wanted: Wanted
    ) -> tuple[World, str, Made | None]:
        """Rehearse as far as there is time: the world to call the program in, and if a rehearsal is to count what the
        program asked for and gave.

        A rehearsal in a drawn world counts if the program asked for other things than ever before, and one time in
        three if it is the first: what a program keeps then is as calls before left it. The last call is not made before
        the program was called as often as wanted.
        """
        bold = chance.random() < _BOLD
        began, latest, known = _spent(), _now() + _WALL_SECONDS, set(self._known)
        lasting = 0
        for number in range(wanted.rehearsals):
            spent = _spent() - began
            if spent > _SECONDS or _now() > latest or lasting >= _LASTING:
                break
            if wanted.last and (number % _DRAWN_EVERY or spent > _SECONDS_DRAWN):
                lasting += self._steady(run, STEADY if 2 * number < wanted.rehearsals else World())
                continue
            drawn = drawn_world(wanted.may_evaluate, wanted.may_autocast)
            if wanted.last:  # where weights move, a program always asks for something new; the last one new is taken
                drawn = replace(drawn, move="")
            with self._session.rehearsal() as rehearsal:
                try:
                    key, gave = self._traced(run, drawn, names)
                except (LinkError, ModuleError, EffectError):
                    raise
                except Exception:  # noqa: BLE001 - a program may say that it is not made for such a world
                    continue
                new = key not in known
                rehearsal.counts = (new or (bold and not number)) and rehearsal.whole and not wanted.last
                made = gave if rehearsal.counts else None
                del gave  # what nobody holds is no memory that the program keeps
            if rehearsal.counts:
                return drawn, key, made
            lasting += rehearsal.lasting > 0
            if new:
                known.add(key)
                world = drawn
                if not wanted.last:
                    break
        return world, "", None

    def _steady(self, run: Callable[[World], Any], world: World) -> bool:
        """Call the program quickly, without looking at what it asks for; whether it wrote what it keeps."""
        with self._session.rehearsal(traced=False) as rehearsal:
            try:
                run(world)
            except LinkError:
                raise
            except Exception:  # noqa: BLE001 - as above
                pass
        return rehearsal.lasting > 0

    def _traced(self, run: Callable[[World], Any], world: World, names: Mapping[int, str]) -> tuple[str, Made]:
        """A call, and what it asks the device for, as a key."""
        trace = self._session.trace = Trace(names)
        try:
            made = Made.of(run(world))
        finally:
            self._session.trace = None
        if world.inputs != "parameter":  # one of those may be returned
            check_gradients(made.outputs, world.gradients in ("grad", "training"))
        return trace.key(made.kind, made.described), made


def _outputs(result: Any) -> tuple[list[Any], str]:
    """What a program returned, as a list, and what that is: a type's name, or the structure of what holds tensors."""
    if isinstance(result, tuple | list | dict) and not all(isinstance(one, Tensor) for one in result):
        tensors, kind = taken_apart(result)
        check_container(result)
        return list(tensors), kind
    check_container(result)
    outputs = list(result) if isinstance(result, tuple | list) else [result]
    return outputs, "tensor" if type(result) is DeviceTensor else type(result).__name__


def _described(index: int, output: Any) -> list[Any]:
    if isinstance(output, DeviceTensor):
        output.store.publish()
        return reference_to(output).encode()
    if isinstance(output, Tensor):
        raise TypeError(f"output {index} is a tensor on {output.device}; return it on the device")
    raise TypeError(f"output {index} is {type(output).__name__}, not a tensor")


def given_names(request: Json, held: Mapping[int, Any]) -> dict[int, str]:
    """What the stores are that a call is given, by number."""
    encoded = {**dict(enumerate(request["inputs"])), **request["state"]}
    given = {value["tensor"][0]: f"given {name}" for name, value in encoded.items() if "tensor" in value}
    return {number: f"held {number}" for number in held} | given


def backwards(request: Json) -> dict[int, TensorRef | None]:
    """Inputs of integers and truth values by their stores, with their tensors if their rows may come in another order
    before a call: all of them or one alone do. Nothing where there is none."""
    encoded = [TensorRef.decode(one["tensor"]) for one in request["inputs"] if "tensor" in one]
    whole = [one for one in encoded if one.dtype.startswith(("i", "u", "b1"))]
    free = [one for one in whole if one.store in request["free"] and _has_order(one)]
    chosen = request["number"] % (len(free) + 1)
    some = free[chosen - 1 : chosen] if chosen and len(free) > 1 else free
    return {one.store: one if one in some else None for one in whole} if some else {}


def _has_order(one: TensorRef) -> bool:
    """Whether a tensor has several rows, and no gaps."""
    return one.strides == contiguous_strides(one.shape) and one.numel > 0 and one.shape[:1] > (1,)
