"""What changes between the calls of any Python that keeps memory: each weight alone, and calls that run at once."""

import random
from collections.abc import Sequence
from dataclasses import replace

from kernelwright.evaluation.judge.truth import Truth
from kernelwright.evaluation.protocol.jobs import Apart, Beside, Call
from kernelwright.evaluation.protocol.wire import RawTensor
from kernelwright.ir.values import Reference, TensorSpec

#: How many calls come after one in which a single weight was another, how many run beside others, and how many more
#: there are in evaluation mode.
_APART, _BESIDE, _EVALUATING = 8, 4, 8
#: How a weight changes: where there are few weights each changes in all manners, else in one of them.
_MANNERS, _FEW = ("written", "assigned"), 3
_OF_MANY = ("written", "written", "assigned")


class Changes:
    """Chooses what changes before which calls of a reference's `truth`; `tensors` are those that calls name."""

    def __init__(self, reference: Reference, truth: Truth, tensors: Sequence[RawTensor], chance: random.Random) -> None:
        self._truth, self._tensors = truth, tensors
        names = [spec.tensor.name for spec in reference.state if _is_floating(spec.tensor)]
        self._names = chance.sample(names, len(names))
        self._floating = any(isinstance(one, TensorSpec) and _is_floating(one) for one in reference.inputs)
        self._aparts, self._besides = 0, 0

    def added(self, calls: Sequence[Call]) -> list[Call]:
        """The calls with these changes, and more calls on the same after some of them."""
        found: list[Call] = []
        alike = len(calls) - 2 if self._truth.alike_in_eval else -1
        evaluating = next((number for number, call in enumerate(calls) if number and not call.training), -1)
        for number, call in enumerate(calls):
            before = calls[number - 1]
            free = 1 < number < len(calls) - 1
            if free and number == evaluating:
                call = self._apart(call, before, self._names)
            elif free and number % 2 == 0 and self._aparts < _APART:
                call, self._aparts = self._one_apart(call, before, self._aparts), self._aparts + 1
            elif free and self._besides < _BESIDE and not call.left:
                call = self._beside(call, before)
            found.append(call)
            if number > 0 and number in (evaluating, alike) and not call.left:
                found += self._evaluating(call, before, "" if number == evaluating else "eval")
        return found

    def _one_apart(self, call: Call, before: Call, place: int) -> Call:
        """With one weight that was as before another call; places differ in the weight and in how it changes."""
        names = self._names
        few = len(names) <= _FEW
        manner = _MANNERS[place // max(1, len(names)) % 2] if few else _OF_MANY[place % len(_OF_MANY)]
        return self._apart(call, before, [names[place % len(names)]] if names else [], manner)

    def _apart(self, call: Call, before: Call, names: Sequence[str], manner: str = _MANNERS[0]) -> Call:
        """With these weights as before another call, as far as they were others."""
        known = [name for name in names if name in call.state and name in before.state]
        content = {name: [bytes(self._tensors[one.state[name]].data) for one in (before, call)] for name in known}
        was = {name: before.state[name] for name, (one, other) in content.items() if one != other}
        return replace(call, apart=Apart(was, manner)) if was else call

    def _beside(self, call: Call, before: Call) -> Call:
        """With a call on the inputs of another one."""
        if not self._floating:
            return call
        turn, self._besides = self._besides, self._besides + 1
        return replace(call, beside=Beside(before.inputs, turn, turn == 2))

    def _evaluating(self, call: Call, before: Call, mode: str) -> list[Call]:
        """The same in evaluation mode, after calls in it in which each weight alone was another."""
        again = replace(call, mode=mode, again=True, apart=None, beside=None)
        count = min(_EVALUATING, len(_MANNERS) * len(self._names))
        made = [self._one_apart(again, before, place) for place in range(count)]
        if mode:
            return [one for one in made if one != again]
        made += [self._beside(again, before), replace(again, step=before.inputs)]
        return [*(one for one in made if one != again), again]


def _is_floating(spec: TensorSpec) -> bool:
    return spec.dtype.startswith(("f", "bf"))
