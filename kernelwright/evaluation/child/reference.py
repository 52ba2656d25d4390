"""Running the reference in a child: inputs, state, eager's outputs and the gold, for each draw of the values.

Where outputs are sketched, inputs have only `digests`: whoever needs them draws them. They travel after all, on one
draw, where that does not do: they come out otherwise the second time, or outputs hold NaN or infinity, whose places a
sketch does not tell.
"""

import ast
import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from kernelwright.backend.measure.turns import DeviceLock
from kernelwright.backend.reference.holdings import holdings, sets
from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.backend.reference.structure import taken_apart
from kernelwright.backend.reference.tf32 import Eager, permitted
from kernelwright.backend.tensors import Value, copy_of, shared_with
from kernelwright.evaluation.checks.correctness import differ
from kernelwright.evaluation.child.collected import Collected, aside
from kernelwright.evaluation.child.computing import Computing
from kernelwright.evaluation.child.variants import Variants
from kernelwright.evaluation.inputs.device_asserts import asserting
from kernelwright.evaluation.inputs.drawing import Drawing
from kernelwright.evaluation.inputs.draws import ALIKE, KINDS, ORDINARY, SCALES, Draw, drawn
from kernelwright.evaluation.inputs.literals import weight_error
from kernelwright.evaluation.inputs.patchwork.rows import PATCHES
from kernelwright.evaluation.inputs.trial import Trial
from kernelwright.evaluation.inputs.weights import FREE, even_out, perturb
from kernelwright.evaluation.protocol.answers import LeftBehind, ReferencePass, ReferenceRan
from kernelwright.evaluation.protocol.decoding import Place
from kernelwright.evaluation.protocol.jobs import RunReference
from kernelwright.evaluation.protocol.sketch import Sketching, digests
from kernelwright.evaluation.protocol.tensors import same_bits, to_raw
from kernelwright.evaluation.protocol.transport import decode_reference
from kernelwright.evaluation.protocol.wire import RawTensor


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
        with aside(turns, [spec.tensor for spec in program.reference.state]):
            model = program.build(seed, device)  # as a candidate's own is, whose tensors are found by their content
        state, module = program.state(model), holdings(model) | {"sets": sets(program.reference.source)}
        built = collected.named(state, turns)
        del model, state
        sketched = collected.sketching is not None
        drawing = None if sketched else Drawing.of(program, draws[0].inputs, device, job.within, turns)
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


def _model(
    program: ReferenceProgram,
    seed: int,
    device: str,
    turns: DeviceLock,
    draw: Draw | None = None,
    kind: str | None = None,
    counted: bool = False,
) -> nn.Module:
    """The model with weights drawn for `seed`, changed as the draw says; `kind` and `counted`: see `perturb`. A device
    that draws many is busy, and the turn is kept."""
    drawn = () if program.draws_there(device) else program.reference.state
    with aside(turns, [spec.tensor for spec in drawn]):
        model = program.build_there(seed, device)
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
            inputs = (
                _redrawn(program, model, draw, device, self.turns) if drawing is None else drawing.inputs(model, draw)
            )
            if inputs is not None:
                return self._pass(number, model, inputs, draw)
            if not program.reference.state:
                break
        return None

    def _pass(self, number: int, model: nn.Module, inputs: list[Value], draw: Draw) -> ReferencePass | None:
        """What the program makes of inputs; None where rounding decides that. Tensors are taken as soon as they are
        there, and let go: the largest programs need nearly all memory."""
        program, into = self.program, self.into
        first, state = len(into.tensors), program.state(model)
        sketching = into.sketching
        travel = into.add(inputs, self.turns) if sketching is None else (None,) * len(inputs)
        held = into.named(state, self.turns)
        names = [spec.name for spec in program.reference.inputs]
        right, gold, note = self._gold(names, model, inputs)
        self.turns.pause()
        twin = copy.deepcopy(model)
        before = {name: copy_of(value) for name, value in state.items()}
        used = [copy_of(value) if isinstance(value, Tensor) else value for value in inputs]
        torch.manual_seed(self.seed)
        with torch.no_grad(), Eager(program.reference.numerics) as mode:
            eager, returns = taken_apart(model(*used))
        places = into.take_all(eager)
        kept = _kept(program, inputs, used) + [n for n in state if same_bits(before[n], state[n])]
        left = {**dict(zip(names, used, strict=True)), **state}
        changed = {name: value for name, value in left.items() if name not in kept and isinstance(value, Tensor)}
        variants = Variants(program, self.seed, into, self.turns, inputs, changed)
        if draw.kind not in ORDINARY and variants.hang_on_rounding(twin, eager):
            del into.tensors[first:]
            return None
        others = variants.of(twin, draw, eager, mode.used)
        torch.manual_seed(self.seed + 1)
        with Eager(program.reference.numerics), Computing(inputs) as computing:
            again = program.run(twin, inputs)
        made = ReferencePass(
            number=number,
            inputs=travel,
            digests=() if sketching is None else tuple(digests(inputs, sketching)),
            state=held,
            eager=places,
            gold=gold,
            note=note,
            **others,
            computed=tuple(computing.computed(again)),
            of_inputs=tuple(computing.of_inputs(again)),
            random=self._differ(eager, again) and self._is_random(twin, inputs),
            tf32=mode.used,
            kept=tuple(kept),
            shared=tuple(
                map(tuple, shared_with(eager, {n: value for n, value in left.items() if isinstance(value, Tensor)}))
            ),
            returns=returns,
            left=self._left(left, right, variants),
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

    def _left(self, eager: Mapping[str, Value], gold: Mapping[str, Value], variants: Variants) -> dict[str, LeftBehind]:
        """The inputs and state that the program changes, as all runs leave them."""
        pairs = {name: (eager[name], gold[name]) for name in variants.changed}
        take = self.into.take
        return {
            name: LeftBehind(take(first), take(second), tuple(variants.left.get(name, ())))
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


def _redrawn(
    program: ReferenceProgram, model: nn.Module, draw: Draw, device: str, turns: DeviceLock
) -> list[Value] | None:
    """Inputs that can be drawn again elsewhere without the program; None where it does not take them."""
    if draw.kind != "given" and (draw.kind not in KINDS or draw.kind in (*SCALES, ALIKE)):
        return None
    inputs = drawn(program, draw, device)
    if draw.kind != "given" and not any(isinstance(v, Tensor) and v.is_floating_point() for v in inputs):
        return None
    return inputs if Trial(program, device, turns=turns).takes(model, inputs) else None


def _differ(first: Tensor, second: Tensor, turns: DeviceLock) -> bool:
    """Whether two runs differ by more than rounding; nearly always they are the same to the bit."""
    if first.shape == second.shape and first.dtype == second.dtype and same_bits(first, second):
        return False
    with aside(turns, [first, second]):
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
