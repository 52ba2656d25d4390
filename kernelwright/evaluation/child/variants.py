"""A reference's runs in other ways than eager's own: how far these are off says how far a candidate may be."""

import copy
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from kernelwright.backend.measure.turns import DeviceLock
from kernelwright.backend.reference.eight_bits import as_specified
from kernelwright.backend.reference.program import ReferenceProgram, flatten_outputs
from kernelwright.backend.reference.tf32 import Eager
from kernelwright.backend.tensors import Value, copy_of
from kernelwright.evaluation.checks.expected import ORDERS, PLAIN
from kernelwright.evaluation.checks.ties import Reordered
from kernelwright.evaluation.child.collected import Collected
from kernelwright.evaluation.inputs.draws import OPPOSITES, Draw
from kernelwright.evaluation.inputs.functions import NoisyFunctions, NoisyNorms
from kernelwright.evaluation.inputs.kinds.compared import COMPARED, Swallowing
from kernelwright.evaluation.inputs.kinds.ties import TIES
from kernelwright.evaluation.inputs.literals import weights_of
from kernelwright.evaluation.inputs.spellings import Respelled
from kernelwright.evaluation.inputs.trial import REFUSALS
from kernelwright.evaluation.inputs.weights import FEW, NUDGED_BYTES, NUDGES, NUDGES_OF_FEW, nudge
from kernelwright.evaluation.protocol.decoding import Place
from kernelwright.evaluation.protocol.tensors import same_bits

#: The share of their size by which noise in what several norms are given may move outputs, or what the program changes,
#: in draws that are not ordinary: of more, rounding decides what is right. After one norm more is allowed for.
_MOVED, _SEVERAL = 2.0**-10, 2


@dataclass
class Variants:
    """The runs of a program on one draw's inputs, by which its outputs are told in other ways than `eager` has them.

    `changed` has the inputs and the state that the program changes, as eager leaves them; `left` what nudged runs make
    of these.
    """

    program: ReferenceProgram
    seed: int
    into: Collected
    turns: DeviceLock
    inputs: Sequence[Value]
    changed: Mapping[str, Tensor]
    left: dict[str, list[Place]] = field(default_factory=dict)

    def of(self, model: nn.Module, draw: Draw, eager: Sequence[Tensor], tf32: bool) -> dict[str, Any]:
        """`cut`, `nudged`, `respelled`, `autocast` and `reordered` of a `ReferencePass`; the model stays as it is."""
        few = sum(value.numel() for value in eager) <= FEW
        cut = self._cut_off(copy.deepcopy(model)) if tf32 else None
        # Noise in opposites leaves of large terms what is as large as the small ones, and says nothing about these.
        # Ties are exact.
        still = tf32 or self.into.sketching is not None or draw.kind in (OPPOSITES, TIES)
        times = 0 if still else NUDGES_OF_FEW if few else NUDGES
        runs = [self._nudged(copy.deepcopy(model), 2 * number) for number in range(times)]
        runs += [self._swallowing(copy.deepcopy(model), high) for high in (False, True) if draw.kind == COMPARED]
        return {
            "cut": cut,
            "nudged": tuple(run for run in runs if run is not None),
            "respelled": self._respelled(copy.deepcopy(model)),
            "autocast": self._under_autocast(copy.deepcopy(model), eager),
            "reordered": self._reordered(model, exact=draw.kind == TIES),
        }

    def _cut_off(self, model: nn.Module) -> tuple[Place, ...]:
        """Eager's outputs with the operands of TF32 products cut off."""
        torch.manual_seed(self.seed)
        with self._eager(cut=True):
            return self.into.take_all(self.program.run(model, self.inputs))

    def _nudged(self, model: nn.Module, noise: int) -> tuple[Place, ...] | None:
        """Eager's outputs on inputs and weights whose last bits are noise, as are those of functions; None where the
        program refuses such inputs."""
        seed = self.seed
        values = self._copies()
        nudge([value for value in values if isinstance(value, Tensor)], seed + noise)
        nudge([*model.parameters(), *model.buffers()], seed + noise + 1)
        made = self._noisy(model, values, NoisyFunctions(seed + noise, weights_of(self.program)))
        if made is None:
            return None
        outputs, changed = made
        if noise < 2 * NUDGES:
            self._take_left(changed)
        return self.into.take_all(outputs)

    def hang_on_rounding(self, model: nn.Module, eager: Sequence[Tensor]) -> bool:
        """Whether several norms make something else of noise in what they are given; the model stays as it is."""
        if self.into.few_norms or self.into.sketching is not None:
            return False
        norms = NoisyNorms(self.seed)
        made = self._noisy(copy.deepcopy(model), self._copies(), norms)
        self.into.few_norms = norms.count < _SEVERAL
        if made is None or self.into.few_norms:
            return False
        outputs, changed = made
        pairs = (*zip(eager, outputs, strict=False), *((self.changed[name], value) for name, value in changed.items()))
        return any(_is_moved(before, after) for before, after in pairs)

    def _copies(self) -> list[Value]:
        return [copy_of(value) if isinstance(value, Tensor) else value for value in self.inputs]

    def _noisy(
        self, model: nn.Module, values: Sequence[Value], noise: AbstractContextManager[object]
    ) -> tuple[tuple[Tensor, ...], dict[str, Tensor]] | None:
        """Outputs of a run with noise, and what it makes of what is `changed`; None where the program refuses that."""
        specs = self.program.reference.inputs
        values = as_specified(values, specs)
        torch.manual_seed(self.seed)
        try:
            with torch.no_grad(), self._eager(), noise:
                outputs = flatten_outputs(model(*values))
        except REFUSALS:
            return None
        left = {**dict(zip([spec.name for spec in specs], values, strict=True)), **self.program.state(model)}
        return outputs, {name: value for name in self.changed if isinstance(value := left[name], Tensor)}

    def _take_left(self, values: Mapping[str, Tensor]) -> None:
        for name, value in values.items():
            if value.is_floating_point() and value.nbytes <= NUDGED_BYTES:
                self.left.setdefault(name, []).append(self.into.take(value))

    def _swallowing(self, model: nn.Module, high: bool) -> tuple[Place, ...]:
        """Eager's outputs where maxima, minima and bounds leave NaN out."""
        torch.manual_seed(self.seed)
        with self._eager(), Swallowing(high):
            return self.into.take_all(self.program.run(model, self.inputs))

    def _respelled(self, model: nn.Module) -> tuple[Place, ...] | None:
        """Eager's outputs with operations in another spelling; None where it has none of these."""
        if self.into.sketching is not None:
            return None
        torch.manual_seed(self.seed)
        with self._eager(), Respelled() as mode:  # type: ignore[no-untyped-call]
            outputs = self.program.run(model, self.inputs)
        return self.into.take_all(outputs) if mode.used else None

    def _under_autocast(self, model: nn.Module, eager: Sequence[Tensor]) -> tuple[Place, ...] | None:
        """Eager's outputs under autocast to fp16; None where they are the same, or where it is refused."""
        if self.into.sketching is not None or self.into.alike_under_autocast:
            return None
        torch.manual_seed(self.seed)
        device = next((value.device.type for value in self.inputs if isinstance(value, Tensor)), "cpu")
        try:
            with self._eager(), torch.autocast(device, torch.float16):
                outputs = self.program.run(model, self.inputs)
        except REFUSALS:
            return None
        same = len(outputs) == len(eager) and all(
            one.dtype == other.dtype and same_bits(one, other) for one, other in zip(outputs, eager, strict=True)
        )
        self.into.alike_under_autocast = same
        return None if same or len(outputs) != len(eager) else self.into.take_all(outputs)

    def _reordered(self, model: nn.Module, exact: bool) -> tuple[tuple[Place, ...], ...]:
        """Eager's outputs with equal values in other orders; nothing where that is no matter. If numbers are `exact`,
        nothing is rounded otherwise either where nothing is sorted."""
        whole = [spec for spec in self.program.reference.outputs if not spec.dtype.startswith(("f", "bf"))]
        found: list[tuple[Place, ...]] = []
        for number in range(ORDERS) if whole and self.into.sketching is None else ():
            if exact and number == PLAIN and not found:
                break
            torch.manual_seed(self.seed)
            with self._eager(), Reordered(number) as mode:
                outputs = self.program.run(copy.deepcopy(model), self.inputs)
            if mode.used:
                found.append(self.into.take_all(outputs))
        return tuple(found)

    def _eager(self, *, cut: bool = False) -> Eager:
        """What a run is made under; those go first who wait to take times."""
        self.turns.pause()
        return Eager(self.program.reference.numerics, cut=cut)


def _is_moved(before: Tensor, after: Tensor) -> bool:
    """Whether fp32 numbers are others by more than a share of their size, but not by more than that: such are next to
    nothing, and any noise is right. What is not finite is not looked at."""
    if before.dtype != torch.float32 or before.shape != after.shape:
        return False
    known = before.isfinite() & after.isfinite()
    size, apart = (
        torch.linalg.vector_norm(torch.where(known, one, 0.0), dtype=torch.float64) for one in (before, after - before)
    )
    return bool(_MOVED * size < apart <= size)
