"""Calls of programs that keep memory from call to call: each weight changes alone, and other calls run meanwhile."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from kernelwright.evaluation.protocol.jobs import Beside, Call
from kernelwright.evaluation.protocol.link import Json, TensorRef
from kernelwright.evaluation.protocol.tensors import from_raw

if TYPE_CHECKING:
    from kernelwright.evaluation.device.candidate_job import Calls

#: Numbers of stores of inputs of calls that run beside others, above all others: so many for each call.
_BESIDE, _BLOCK = 3 << 31, 1 << 16
#: What is added to a call's number for the memory of the inputs of a training step.
_STEPS = 1 << 12
#: How far results may lie apart that are the same but for the order of sums: beside an element, and beside their RMS;
#: in 16 bits it is more.
_APART, _APART_IN_16_BITS = (1e-3, 1e-4), (0.05, 0.02)


class OverwrittenError(Exception):
    """A call wrote to what an earlier one had returned."""


class StaleError(OverwrittenError):
    """A call goes on with what was made of other weights."""


def call_before(calls: "Calls", number: int, call: Call, mode: str) -> None:
    """Call a program just before a part of its state changes alone."""
    assert call.apart is not None
    other = replace(call, state={**call.state, **call.apart.was})
    asked = calls.request(number, other, *calls.placed(number, other), mode)
    calls.ask(asked | {"passing": True})


def changed_alone(calls: "Calls", call: Call) -> Json:
    """What the host is to change before the call itself: that part, and what a call changes."""
    assert call.apart is not None
    alone = [one.tensor.store for one in calls.bound if one.name in call.apart.was]
    others = [one.tensor.store for one in calls.bound if one.name in call.left]
    others = [one for one in others if one not in alone]
    assigned = alone if call.apart.manner == "assigned" else []
    return {"bump": others if assigned else [*others, *alone], "assigned": assigned}


def told(call: Call) -> str:
    """What changes before a call, in words."""
    if call.apart is None:
        return "while another thread calls another instance"
    names = " and ".join(sorted(call.apart.was)[:3])
    return {
        "written": f"after a call in which only {names} had other values",
        "assigned": f"after other tensors were assigned to {names}",
    }[call.apart.manner]


def call_beside(calls: "Calls", number: int, call: Call, given: Mapping[str, TensorRef], launches: int) -> Json:
    """What the host is told of a call that runs meanwhile: numbers that are no floating ones are the call's own."""
    beside = call.beside
    assert isinstance(beside, Beside)
    memory, found = calls.server.memory, dict(given)
    for place, (name, index) in enumerate(zip(calls.job.program.inputs, beside.inputs, strict=True)):
        value = None if index is None else from_raw(calls.tensors[index], memory.device)
        if value is not None and value.is_floating_point() and name not in call.same:
            found[name] = memory.place(_BESIDE + _BLOCK * number + place, value)
    launch = 2 + beside.turn % (launches - 1)
    inputs = calls.encoded(call, found)
    return {"inputs": inputs, "launch": launch, "inner": beside.inner}


def check_settled(calls: "Calls", number: int, call: Call) -> None:
    """Raise StaleError if a program gives something else after a training step in evaluation mode than it does once
    its whole state is loaded anew, as it is."""
    assert call.step is not None
    step = replace(call, inputs=call.step, training=True, fresh=True, same={})
    asked = calls.request(number, call, *calls.placed(number, call), "")
    calls.ask(asked | {"passing": True})
    placed = calls.placed(number + _STEPS, step, state=False)
    calls.ask(calls.request(number, step, *placed, "") | {"passing": True, "bump": False})
    for ref in placed[0].values():
        calls.server.memory.free(ref.store)
    results = []
    for bump in (False, True):
        asked = calls.request(number, call, *calls.placed(number, call, state=False), "")
        answer = calls.ask(asked | {"passing": True, "bump": bump})
        refs = [TensorRef.decode(ref) for ref in answer["outputs"]]
        results.append([calls.server.memory.tensor(ref).clone() for ref in refs])
    for index, (first, second) in enumerate(zip(*results, strict=True)):
        if first.shape == second.shape and _are_apart(first, second):
            told = "in evaluation mode is of the state before a training step, which a kernel changed"
            raise StaleError(f"output {index} {told}; prepare what is kept anew after each training step")


def _are_apart(first: Tensor, second: Tensor) -> bool:
    """Whether results differ by more than the order of sums does."""
    both = torch.isfinite(first) & torch.isfinite(second)
    if not bool(both.any()):
        return False
    share, least = _APART_IN_16_BITS if first.dtype.itemsize == 2 else _APART
    one, other = first[both].double(), second[both].double()
    allowed = share * other.abs() + least * other.square().mean().sqrt()
    return bool(((one - other).abs() > allowed).any())
