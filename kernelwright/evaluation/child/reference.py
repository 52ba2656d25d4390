"""Running the reference in a child: inputs, state, eager's outputs and the gold, for each draw of the values.

Where outputs are sketched, inputs have only `digests`: whoever needs them draws them. They travel after all, on one
draw, where that does not do: they come out otherwise the second time, or outputs hold NaN or infinity, whose places a
sketch does not tell.
"""

import ast
import contextlib
import copy
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from kernelwright.backend.measure.turns import DeviceLock
from kernelwright.backend.reference.holdings import holdings, sets
from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.backend.reference.structure import taken_apart
from kernelwright.backend.reference.tf32 import Eager, permitted
from kernelwright.backend.tensors import Value, copy_of, shared_with
from kernelwright.evaluation.checks.correctness import differ
from kernelwright.evaluation.checks.expected import ORDERS, PLAIN
from kernelwright.evaluation.checks.ties import Reordered
from kernelwright.evaluation.child.computing import Computing
from kernelwright.evaluation.inputs.device_asserts import asserting
from kernelwright.evaluation.inputs.drawing import Drawing
from kernelwright.evaluation.inputs.draws import (
    ALIKE,
    KINDS,
    OPPOSITES,
    SCALES,
    Draw,
    drawn,
)
from kernelwright.evaluation.inputs.functions import NoisyFunctions
from kernelwright.evaluation.inputs.kinds.compared import COMPARED, Swallowing
from kernelwright.evaluation.inputs.kinds.ties import TIES
from kernelwright.evaluation.inputs.literals import weight_error, weights_of
from kernelwright.evaluation.inputs.patchwork.rows import PATCHES
from kernelwright.evaluation.inputs.spellings import Respelled
from kernelwright.evaluation.inputs.trial import REFUSALS, Trial
from kernelwright.evaluation.inputs.weights import FEW, FREE, NUDGES, NUDGES_OF_FEW, even_out, nudge, perturb
from kernelwright.evaluation.protocol.answers import LeftBehind, ReferencePass, ReferenceRan
from kernelwright.evaluation.protocol.decoding import Place
from kernelwright.evaluation.protocol.jobs import RunReference
from kernelwright.evaluation.protocol.sketch import Sketching, digests, snapshot
from kernelwright.evaluation.protocol.tensors import same_bits, to_raw
from kernelwright.evaluation.protocol.transport import decode_reference
from kernelwright.evaluation.protocol.wire import RawTensor
from kernelwright.ir.values import TensorSpec

#: Bytes that the host draws or copies in about the time that a turn on the device is waited for.
_LONG_BYTES = 64 << 20


@dataclass
class Collected:
    """Tensors on their way into an answer."""

    tensors: list[RawTensor] = field(default_factory=list)
    sketching: Sketching | None = None
    #: Whether a pass gave the same under autocast; then no other is tried under it.
    alike_under_autocast: bool = False

    def take(self, tensor: Tensor) -> Place:
        """Take an output in; its index."""
        self.tensors.append(snapshot(tensor, self.sketching))
        return Place(len(self.tensors) - 1)

    def take_all(self, tensors: Iterable[Tensor]) -> tuple[Place, ...]:
        """Take outputs in; their indices."""
        return tuple(self.take(tensor) for tensor in tensors)

    def add(self, values: Collection[Value], turns: DeviceLock) -> tuple[Place | None, ...]:
        """Take tensors in as they are now, as models may change their state; their indices, None for other values."""
        tensors = [value for value in values if isinstance(value, Tensor)]
        places = iter(range(len(self.tensors), len(self.tensors) + len(tensors)))
        with _aside(turns, tensors):
            self.tensors += [to_raw(copy_of(one) if one.device.type == "cpu" else one) for one in tensors]
        return tuple(Place(next(places)) if isinstance(value, Tensor) else None for value in values)

    def named(self, values: Mapping[str, Tensor], turns: DeviceLock) -> dict[str, Place]:
        """The same by name."""
        places = self.add(values.values(), turns)
        return {name: place for name, place in zip(values, places, strict=True) if place is not None}


def run_reference(
    job: RunReference, tensors: Sequence[RawTensor], turns: DeviceLock
) -> tuple[ReferenceRan, list[RawTensor]]:
    """The job: one pass for each draw; one that the program cannot take is left out.

    All in a shared turn on the device, which is given up between draws and while the host draws, or copies, a lot.
    """
    del tensors
    program = ReferenceProgram.load(decode_reference(job.reference))
    seed, device = job.seed, job.device
    draws = [Draw.decode(draw) for draw in job.draws]
    collected = Collected(sketching=Sketching.decode(job.sketch) if job.sketch else None)
    with turns.shared():
        sketching = collected.sketching
        if sketching is not None and not _sketchable(program, draws[0], seed, device, sketching, turns):
            collected.sketching, draws = None, draws[:1]
        model = _model(program, seed, device, turns)
        state, module = program.state(model), holdings(model) | {"sets": sets(program.reference.source)}
        built = collected.named(state, turns)
        del model, state
        sketched = collected.sketching is not None
        drawing = None if sketched else Drawing.of(program, draws[0].inputs, device, job.within)
        wanted = [draw for draw in draws if drawing is None or drawing.applies(draw)]
        running = ReferenceRuns(program, seed, device, collected, turns)
        made = _made(wanted, program, lambda draw: running.one(draws.index(draw), draw, drawing))
    answer = ReferenceRan(
        passes=tuple(one for one in made.values() if one is not None),
        built=built,
        init=_literal(program),
        sketched=sketched,
        left_out=tuple(draw.name for draw, one in made.items() if one is None),
        alike_in_eval=drawing is not None and drawing.contract.alike_in_eval,
        held={} if drawing is None else {name: tuple(kept) for name, kept in drawing.kept.items()},
        weight=weight_error(program),
        module=module,
    )
    return answer, collected.tensors


def _made(
    draws: Sequence[Draw], program: ReferenceProgram, run: Callable[[Draw], ReferencePass | None]
) -> dict[Draw, ReferencePass | None]:
    """The draws' passes in their order, without those whose faults others show as well: large numbers, where much
    larger ones are taken and no integers take their ends in between."""
    floating = all(spec.dtype.startswith(("f", "bf")) for spec in program.reference.inputs if hasattr(spec, "dtype"))
    made = {draw: run(draw) for draw in draws if draw.kind != "large"}
    vast = floating and any(draw.kind == "vast" and one is not None for draw, one in made.items())
    made |= {} if vast else {draw: run(draw) for draw in draws if draw.kind == "large"}
    return {draw: made[draw] for draw in draws if draw in made}


def _sketchable(
    program: ReferenceProgram, draw: Draw, seed: int, device: str, sketching: Sketching, turns: DeviceLock
) -> bool:
    """Whether inputs can be drawn twice, and give nothing but numbers."""
    inputs = drawn(program, draw, device)
    first = digests(inputs, sketching)
    with asserting(device):
        outputs = program.run(_model(program, seed, device, turns), inputs)
    finite = all(bool(torch.isfinite(output).all()) for output in outputs)
    del inputs, outputs
    _free()
    return finite and first == digests(drawn(program, draw, device), sketching)


def _aside(turns: DeviceLock, tensors: Iterable[Tensor | TensorSpec]) -> contextlib.AbstractContextManager[None]:
    """Around what the host does with these: others may have the device where that takes long."""
    long = sum(tensor.nbytes for tensor in tensors) > _LONG_BYTES
    return turns.given_up() if long else contextlib.nullcontext()


def _model(
    program: ReferenceProgram,
    seed: int,
    device: str,
    turns: DeviceLock,
    draw: Draw | None = None,
    kind: str | None = None,
    counted: bool = False,
) -> nn.Module:
    """The model as built from `seed`, changed as the draw says; `kind` and `counted`: see `perturb`."""
    with _aside(turns, [spec.tensor for spec in program.reference.state]):
        model = program.build(seed, device)
        if draw is not None and draw.weights is not None:
            perturb(model, draw.weights, kind, counted)
        if draw is not None and draw.kind == ALIKE:
            even_out(model)
        if draw is not None and not draw.training:
            model.eval()
    return model


def _literal(program: ReferenceProgram) -> str | None:
    """The init arguments as source text, or None where they are more than literals."""
    torch.manual_seed(0)
    text = repr(program.init_arguments())
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
    return text


@dataclass(frozen=True)
class ReferenceRuns:
    """A reference that runs on draws, one after another, and whose tensors are collected."""

    program: ReferenceProgram
    seed: int
    device: str
    into: Collected
    turns: DeviceLock

    def one(self, number: int, draw: Draw, drawing: Drawing | None) -> ReferencePass | None:
        """A draw's pass; None where the program does not take it."""
        program, device = self.program, self.device
        self.turns.pause()
        whole = any(not spec.tensor.dtype.startswith(("f", "bf")) for spec in program.reference.state)
        counting = [(draw.kind, True)] * (whole or draw.kind in PATCHES)
        ways = [*counting, (draw.kind, False)] if draw.kind in (*FREE, *PATCHES) else []
        for kind, counted in (*ways, (None, False)):
            model = _model(program, self.seed, device, self.turns, draw, kind, counted)
            inputs = _redrawn(program, model, draw, device) if drawing is None else drawing.inputs(model, draw)
            if inputs is not None:
                return self._pass(number, model, inputs, draw)
            if not program.reference.state:
                break
        return None

    def _pass(self, number: int, model: nn.Module, inputs: list[Value], draw: Draw) -> ReferencePass:
        """What the program makes of inputs. Tensors are taken as soon as they are there, and let go: the largest
        programs need nearly all memory."""
        program, into = self.program, self.into
        state = program.state(model)
        sketching = into.sketching
        travel = into.add(inputs, self.turns) if sketching is None else (None,) * len(inputs)
        held = into.named(state, self.turns)
        names = [spec.name for spec in program.reference.inputs]
        right, gold, note = self._gold(names, model, inputs)
        twin = copy.deepcopy(model)
        before = {name: copy_of(value) for name, value in state.items()}
        used = [copy_of(value) if isinstance(value, Tensor) else value for value in inputs]
        torch.manual_seed(self.seed)
        with torch.no_grad(), Eager(program.reference.numerics) as mode:
            eager, returns = taken_apart(model(*used))
        places = into.take_all(eager)
        variants = self._variants(twin, inputs, mode.used, draw, eager)
        torch.manual_seed(self.seed + 1)
        reordered = self._reordered(twin, inputs, exact=draw.kind == TIES)
        with Eager(program.reference.numerics), Computing(inputs) as computing:
            again = program.run(twin, inputs)
        kept = _kept(program, inputs, used) + [n for n in state if same_bits(before[n], state[n])]
        left = {**dict(zip(names, used, strict=True)), **state}
        made = ReferencePass(
            number=number,
            inputs=travel,
            digests=() if sketching is None else tuple(digests(inputs, sketching)),
            state=held,
            eager=places,
            gold=gold,
            note=note,
            **variants,
            reordered=reordered,
            computed=tuple(computing.computed(again)),
            of_inputs=tuple(computing.of_inputs(again)),
            random=self._differ(eager, again) and self._is_random(twin, inputs),
            tf32=mode.used,
            kept=tuple(kept),
            shared=tuple(
                map(tuple, shared_with(eager, {n: value for n, value in left.items() if isinstance(value, Tensor)}))
            ),
            returns=returns,
            left=self._left(left, right, kept),
        )
        del again, eager, left, right
        _free()
        return made

    def _is_random(self, model: nn.Module, inputs: list[Value]) -> bool:
        """Whether two runs on the same inputs differ by their seeds. Some of cuDNN's algorithms give other bits each
        time, which is none of the program's doing; those that do not take up to ten times as long."""
        with permitted(self.program.reference.numerics, deterministic=True):
            runs: list[tuple[Tensor, ...]] = []
            for twin in (copy.deepcopy(model), model):
                torch.manual_seed(self.seed + len(runs))
                with Eager(self.program.reference.numerics):
                    runs.append(self.program.run(twin, inputs))
        return self._differ(*runs)

    def _differ(self, outputs: Iterable[Tensor], others: Iterable[Tensor]) -> bool:
        return any(_differ(first, second, self.turns) for first, second in zip(outputs, others, strict=True))

    def _left(
        self, eager: Mapping[str, Value], gold: Mapping[str, Value], kept: Collection[str]
    ) -> dict[str, LeftBehind]:
        """The inputs and state that are not `kept`, as both runs leave them."""
        pairs = {name: (eager[name], gold[name]) for name in eager if name not in kept}
        take = self.into.take
        return {
            name: LeftBehind(take(first), take(second))
            for name, (first, second) in pairs.items()
            if isinstance(first, Tensor) and isinstance(second, Tensor)
        }

    def _gold(
        self, names: Sequence[str], model: nn.Module, inputs: list[Value]
    ) -> tuple[dict[str, Value], tuple[Place, ...], str]:
        """The gold's inputs and state by name, as it leaves them; its outputs, and what is to be said of it."""
        with permitted("ieee", deterministic=True), asserting(self.device):
            gold = self.program.gold(model, inputs, self.seed)
        outputs, note = self.into.take_all(gold.outputs), gold.note
        right = {**dict(zip(names, gold.inputs, strict=True)), **gold.state}
        del gold
        _free()
        return right, outputs, note

    def _variants(
        self, twin: nn.Module, inputs: Sequence[Value], tf32: bool, draw: Draw, eager: Sequence[Tensor]
    ) -> dict[str, Any]:
        """Outputs in other ways than `eager` has them: `cut`, `nudged`, `respelled`, `autocast` of `ReferencePass`."""
        few = sum(value.numel() for value in eager) <= FEW
        cut = self._cut_off(copy.deepcopy(twin), inputs) if tf32 else None
        # Noise in opposites leaves of large terms what is as large as the small ones, and says nothing about these.
        # Ties are exact.
        still = tf32 or self.into.sketching is not None or draw.kind in (OPPOSITES, TIES)
        times = 0 if still else NUDGES_OF_FEW if few else NUDGES
        runs = [self._nudged(copy.deepcopy(twin), inputs, 2 * number) for number in range(times)]
        runs += [self._swallowing(copy.deepcopy(twin), inputs, high) for high in (False, True) if draw.kind == COMPARED]
        nudged = tuple(run for run in runs if run is not None)
        respelled = self._respelled(copy.deepcopy(twin), inputs)
        autocast = self._under_autocast(copy.deepcopy(twin), inputs, eager)
        return {"cut": cut, "nudged": nudged, "respelled": respelled, "autocast": autocast}

    def _cut_off(self, model: nn.Module, inputs: Sequence[Value]) -> tuple[Place, ...]:
        """Eager's outputs with the operands of TF32 products cut off."""
        torch.manual_seed(self.seed)
        with Eager(self.program.reference.numerics, cut=True):
            return self.into.take_all(self.program.run(model, inputs))

    def _nudged(self, model: nn.Module, inputs: Sequence[Value], noise: int) -> tuple[Place, ...] | None:
        """Eager's outputs on inputs and weights whose last bits are noise, as are those of functions; None where the
        program refuses such inputs."""
        seed = self.seed
        values = [copy_of(value) if isinstance(value, Tensor) else value for value in inputs]
        nudge([value for value in values if isinstance(value, Tensor)], seed + noise)
        nudge([*model.parameters(), *model.buffers()], seed + noise + 1)
        torch.manual_seed(seed)
        try:
            with Eager(self.program.reference.numerics), NoisyFunctions(seed + noise, weights_of(self.program)):
                outputs = self.program.run(model, values)
        except REFUSALS:
            return None
        return self.into.take_all(outputs)

    def _swallowing(self, model: nn.Module, inputs: Sequence[Value], high: bool) -> tuple[Place, ...]:
        """Eager's outputs where maxima, minima and bounds leave NaN out."""
        torch.manual_seed(self.seed)
        with Eager(self.program.reference.numerics), Swallowing(high):
            return self.into.take_all(self.program.run(model, inputs))

    def _respelled(self, model: nn.Module, inputs: Sequence[Value]) -> tuple[Place, ...] | None:
        """Eager's outputs with operations in another spelling; None where it has none of these."""
        if self.into.sketching is not None:
            return None
        torch.manual_seed(self.seed)
        with Eager(self.program.reference.numerics), Respelled() as mode:  # type: ignore[no-untyped-call]
            outputs = self.program.run(model, inputs)
        return self.into.take_all(outputs) if mode.used else None

    def _under_autocast(
        self, model: nn.Module, inputs: Sequence[Value], eager: Sequence[Tensor]
    ) -> tuple[Place, ...] | None:
        """Eager's outputs under autocast to fp16; None where they are the same, or where it is refused."""
        if self.into.sketching is not None or self.into.alike_under_autocast:
            return None
        torch.manual_seed(self.seed)
        device = next((value.device.type for value in inputs if isinstance(value, Tensor)), "cpu")
        try:
            with Eager(self.program.reference.numerics), torch.autocast(device, torch.float16):
                outputs = self.program.run(model, inputs)
        except REFUSALS:
            return None
        same = len(outputs) == len(eager) and all(
            one.dtype == other.dtype and same_bits(one, other) for one, other in zip(outputs, eager, strict=True)
        )
        self.into.alike_under_autocast = same
        return None if same or len(outputs) != len(eager) else self.into.take_all(outputs)

    def _reordered(self, model: nn.Module, inputs: Sequence[Value], exact: bool) -> tuple[tuple[Place, ...], ...]:
        """Eager's outputs with equal values in other orders; nothing where that is no matter. If numbers are `exact`,
        nothing is rounded otherwise either where nothing is sorted."""
        whole = [spec for spec in self.program.reference.outputs if not spec.dtype.startswith(("f", "bf"))]
        found: list[tuple[Place, ...]] = []
        for number in range(ORDERS) if whole and self.into.sketching is None else ():
            if exact and number == PLAIN and not found:
                break
            torch.manual_seed(self.seed)
            with Eager(self.program.reference.numerics), Reordered(number) as mode:
                outputs = self.program.run(copy.deepcopy(model), inputs)
            if mode.used:
                found.append(self.into.take_all(outputs))
        return tuple(found)


def _redrawn(program: ReferenceProgram, model: nn.Module, draw: Draw, device: str) -> list[Value] | None:
    """Inputs that can be drawn again elsewhere without the program; None where it does not take them."""
    if draw.kind != "given" and (draw.kind not in KINDS or draw.kind in (*SCALES, ALIKE)):
        return None
    inputs = drawn(program, draw, device)
    if draw.kind != "given" and not any(isinstance(v, Tensor) and v.is_floating_point() for v in inputs):
        return None
    return inputs if Trial(program, device).takes(model, inputs) else None


def _differ(first: Tensor, second: Tensor, turns: DeviceLock) -> bool:
    """Whether two runs differ by more than rounding; nearly always they are the same to the bit."""
    if first.shape == second.shape and first.dtype == second.dtype and same_bits(first, second):
        return False
    with _aside(turns, [first, second]):
        return differ(to_raw(first), to_raw(second))


def _free() -> None:
    """Give back what the GPU's allocator holds on to: the largest programs need nearly all there is."""
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def _kept(program: ReferenceProgram, inputs: Sequence[Value], used: Sequence[Value]) -> list[str]:
    """Names of the inputs that the program left as they were."""
    kept = []
    for spec, before, after in zip(program.reference.inputs, inputs, used, strict=True):
        if not (isinstance(before, Tensor) and isinstance(after, Tensor)) or same_bits(before, after):
            kept.append(spec.name)
    return kept
