"""Running the reference in a child: inputs, state, eager's outputs and the gold, for each draw of the values.

Header: `reference`, `device`, `seed` (the model is built from it), `draws`: a list of `Draw` as JSON, and `sketch`, a
`Sketching` where inputs are too large to travel, or null. Answer: `built`: the state as built, `init`, `sketched`,
`left_out` (kinds of draws that it does not take), `alike_in_eval` (it gives the same in evaluation mode), `held` (what
draws keep of each input), and `passes`, each {"draw": …, "inputs": …, "state": …, "eager": …, "gold": …, "kept": …,
"random": …, "tf32": …, "cut": …, "nudged": …, "respelled": …} with indices into the tensors. `tf32`: eager rounded
operands to it, and `cut` has its outputs with them cut off; elsewhere `nudged` has those of each run on values whose
last bits are noise, unless outputs are sketched. `respelled`: eager's outputs with operations spelled as kernels have
to, None where there are no such operations. `reordered`: eager's outputs with equal values in other orders. `left`: the
inputs and the state that the reference changes, by name, as eager and as the gold leave them. `shared`: of each output,
what it shares memory with (see `shared_with`). `autocast`: eager's outputs under autocast, None where they are the
same. `returns`: what eager gives, see `ir.structure`. `computed`: of each output, whether it is computed (see
`Computing`). `weight`: see `Expected`.

Where `sketched`, outputs are sketched, and for inputs there are only `digests`: whoever needs them draws them. They
travel after all, on one draw, where that does not do: they come out otherwise the second time, or outputs hold NaN or
infinity, whose places a sketch does not tell.
"""

import ast
import contextlib
import copy
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field

import torch
from torch import Tensor, nn

from kernelwright.backend.measure.turns import DeviceLock
from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.backend.reference.structure import taken_apart
from kernelwright.backend.reference.tf32 import Eager, permitted
from kernelwright.backend.tensors import Value, copy_of, shared_with
from kernelwright.evaluation.checks.correctness import differ
from kernelwright.evaluation.checks.ties import ORDERS, Reordered
from kernelwright.evaluation.child.computing import Computing
from kernelwright.evaluation.inputs.device_asserts import asserting
from kernelwright.evaluation.inputs.drawing import Drawing
from kernelwright.evaluation.inputs.draws import (
    ALIKE,
    ALONE,
    EVAL,
    LARGER,
    MIXTURES,
    OPPOSITES,
    SAME,
    SCALES,
    Draw,
    drawn,
)
from kernelwright.evaluation.inputs.functions import NoisyFunctions
from kernelwright.evaluation.inputs.literals import weight_error
from kernelwright.evaluation.inputs.spellings import Respelled
from kernelwright.evaluation.inputs.trial import REFUSALS, Trial
from kernelwright.evaluation.inputs.weights import FEW, FREE, NUDGES, NUDGES_OF_FEW, even_out, nudge, perturb
from kernelwright.evaluation.protocol.jobs import RunReference
from kernelwright.evaluation.protocol.sketch import Sketching, digests, snapshot
from kernelwright.evaluation.protocol.tensors import same_bits, to_raw
from kernelwright.evaluation.protocol.transport import Json, decode_reference
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

    def take(self, tensor: Tensor) -> int:
        """Take an output in; its index."""
        self.tensors.append(snapshot(tensor, self.sketching))
        return len(self.tensors) - 1

    def add(self, values: Collection[Value], turns: DeviceLock) -> list[int | None]:
        """Take tensors in as they are now, as models may change their state; their indices, None for other values."""
        tensors = [value for value in values if isinstance(value, Tensor)]
        places = iter(range(len(self.tensors), len(self.tensors) + len(tensors)))
        with _aside(turns, tensors):
            self.tensors += [to_raw(copy_of(one) if one.device.type == "cpu" else one) for one in tensors]
        return [next(places) if isinstance(value, Tensor) else None for value in values]


def run_reference(job: RunReference, tensors: Sequence[RawTensor], turns: DeviceLock) -> tuple[Json, list[RawTensor]]:
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
        state = program.state(_model(program, seed, device, turns))
        built = dict(zip(state, collected.add(state.values(), turns), strict=True))
        del state
        sketched = collected.sketching is not None
        drawing = None if sketched else Drawing.of(program, draws[0].inputs, device)
        wanted = [draw for draw in draws if drawing is None or drawing.applies(draw)]
        made = {draw: _one(program, draw, seed, device, collected, turns, drawing) for draw in wanted}
        weight = weight_error(program)
        passes = [one | {"weight": weight} for one in made.values() if one is not None]
    left_out = [draw.kind for draw, one in made.items() if one is None]
    answer: Json = {"passes": passes, "init": _literal(program), "built": built}
    alike, held = (drawing.contract.alike_in_eval, drawing.kept) if drawing is not None else (False, {})
    answer |= {"sketched": sketched, "left_out": left_out, "alike_in_eval": alike, "held": held}
    return answer, collected.tensors


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
    free: int | None = None,
) -> nn.Module:
    """The model as built from `seed`, changed as the draw says; `free`: see `perturb`."""
    with _aside(turns, [spec.tensor for spec in program.reference.state]):
        model = program.build(seed, device)
        if draw is not None and draw.weights is not None:
            perturb(model, draw.weights, free)
        if draw is not None and draw.kind == ALIKE:
            even_out(model)
        if draw is not None and draw.kind == EVAL:
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


def _one(
    program: ReferenceProgram,
    draw: Draw,
    seed: int,
    device: str,
    into: Collected,
    turns: DeviceLock,
    drawing: Drawing | None,
) -> Json | None:
    """A draw's pass; None where the program does not take it."""
    turns.pause()
    for free in (FREE.index(draw.kind), None) if draw.kind in FREE else (None,):
        model = _model(program, seed, device, turns, draw, free)
        inputs = _redrawn(program, model, draw, device) if drawing is None else drawing.inputs(model, draw)
        if inputs is not None:
            return _pass(program, model, inputs, draw, seed, device, into, turns)
        if not program.reference.state:
            break
    return None


def _redrawn(program: ReferenceProgram, model: nn.Module, draw: Draw, device: str) -> list[Value] | None:
    """Inputs that can be drawn again elsewhere without the program; None where it does not take them."""
    if draw.kind in (*MIXTURES, *SCALES, ALIKE, OPPOSITES, EVAL, LARGER, SAME, *ALONE):
        return None
    inputs = drawn(program, draw, device)
    if draw.kind != "given" and not any(isinstance(v, Tensor) and v.is_floating_point() for v in inputs):
        return None
    return inputs if Trial(program, device).takes(model, inputs) else None


def _pass(
    program: ReferenceProgram,
    model: nn.Module,
    inputs: list[Value],
    draw: Draw,
    seed: int,
    device: str,
    into: Collected,
    turns: DeviceLock,
) -> Json:
    state = program.state(model)
    answer: Json = {
        "draw": asdict(draw),
        "inputs": into.add(inputs, turns) if into.sketching is None else [None] * len(inputs),
        "digests": digests(inputs, into.sketching) if into.sketching is not None else [],
        "state": dict(zip(state, into.add(state.values(), turns), strict=True)),
    }
    with permitted("ieee", deterministic=True), asserting(device):
        gold = program.gold(model, inputs, seed)
    note, answer["gold"] = gold.note, [into.take(output) for output in gold.outputs]
    names = [spec.name for spec in program.reference.inputs]
    right = {**dict(zip(names, gold.inputs, strict=True)), **gold.state}
    del gold
    _free()
    twin = copy.deepcopy(model)
    before = {name: copy_of(value) for name, value in state.items()}
    used = [copy_of(value) if isinstance(value, Tensor) else value for value in inputs]
    torch.manual_seed(seed)
    with torch.no_grad(), Eager(program.reference.numerics) as mode:
        eager, answer["returns"] = taken_apart(model(*used))
    answer["tf32"] = mode.used
    answer["eager"] = [into.take(output) for output in eager]
    answer["cut"] = _cut_off(program, copy.deepcopy(twin), inputs, seed, into) if mode.used else None
    few = sum(value.numel() for value in eager) <= FEW
    # Noise in opposites leaves of large terms what is as large as the small ones, and says nothing about these.
    still = mode.used or into.sketching is not None or draw.kind == OPPOSITES
    times = 0 if still else NUDGES_OF_FEW if few else NUDGES
    runs = [_nudged(program, copy.deepcopy(twin), inputs, seed, into, 2 * number) for number in range(times)]
    answer["nudged"] = [run for run in runs if run is not None]
    answer["respelled"] = _respelled(program, copy.deepcopy(twin), inputs, seed, into)
    answer["autocast"] = _under_autocast(program, copy.deepcopy(twin), inputs, seed, into, eager)
    torch.manual_seed(seed + 1)
    answer["reordered"] = _reordered(program, twin, inputs, seed, into)
    with Eager(program.reference.numerics), Computing() as computing:
        again = program.run(twin, inputs)
    answer["computed"] = computing.computed(again)
    answer["random"] = any(_differ(first, second, turns) for first, second in zip(eager, again, strict=True))
    answer["kept"] = _kept(program, inputs, used) + [n for n in state if same_bits(before[n], state[n])]
    left = {**dict(zip(names, used, strict=True)), **state}
    answer["shared"] = shared_with(eager, {n: value for n, value in left.items() if isinstance(value, Tensor)})
    changed = [name for name in left if name not in answer["kept"]]
    answer["left"] = {
        name: [into.take(value) for side in (left, right) if isinstance(value := side[name], Tensor)]
        for name in changed
    }
    del again, eager, left, right
    _free()
    return answer | {"note": note}


def _cut_off(
    program: ReferenceProgram, model: nn.Module, inputs: Sequence[Value], seed: int, into: Collected
) -> list[int]:
    """Eager's outputs with the operands of TF32 products cut off."""
    torch.manual_seed(seed)
    with Eager(program.reference.numerics, cut=True):
        return [into.take(output) for output in program.run(model, inputs)]


def _nudged(
    program: ReferenceProgram, model: nn.Module, inputs: Sequence[Value], seed: int, into: Collected, noise: int
) -> list[int] | None:
    """Eager's outputs on inputs and weights whose last bits are noise, as are those of functions; None where the
    program refuses such inputs."""
    values = [copy_of(value) if isinstance(value, Tensor) else value for value in inputs]
    nudge([value for value in values if isinstance(value, Tensor)], seed + noise)
    nudge([*model.parameters(), *model.buffers()], seed + noise + 1)
    torch.manual_seed(seed)
    try:
        with Eager(program.reference.numerics), NoisyFunctions(seed + noise):
            outputs = program.run(model, values)
    except REFUSALS:
        return None
    return [into.take(output) for output in outputs]


def _respelled(
    program: ReferenceProgram, model: nn.Module, inputs: Sequence[Value], seed: int, into: Collected
) -> list[int] | None:
    """Eager's outputs with operations in another spelling; None where it has none of these."""
    if into.sketching is not None:
        return None
    torch.manual_seed(seed)
    with Eager(program.reference.numerics), Respelled() as mode:  # type: ignore[no-untyped-call]
        outputs = program.run(model, inputs)
    return [into.take(output) for output in outputs] if mode.used else None


def _under_autocast(
    program: ReferenceProgram,
    model: nn.Module,
    inputs: Sequence[Value],
    seed: int,
    into: Collected,
    eager: Sequence[Tensor],
) -> list[int] | None:
    """Eager's outputs under autocast to fp16; None where they are the same, or where it is refused."""
    if into.sketching is not None or into.alike_under_autocast:
        return None
    torch.manual_seed(seed)
    device = next((value.device.type for value in inputs if isinstance(value, Tensor)), "cpu")
    try:
        with Eager(program.reference.numerics), torch.autocast(device, torch.float16):
            outputs = program.run(model, inputs)
    except REFUSALS:
        return None
    same = len(outputs) == len(eager) and all(
        one.dtype == other.dtype and same_bits(one, other) for one, other in zip(outputs, eager, strict=True)
    )
    into.alike_under_autocast = same
    return None if same or len(outputs) != len(eager) else [into.take(output) for output in outputs]


def _reordered(
    program: ReferenceProgram, model: nn.Module, inputs: Sequence[Value], seed: int, into: Collected
) -> list[list[int]]:
    """Eager's outputs with equal values in other orders; nothing where that is no matter."""
    whole = [spec for spec in program.reference.outputs if not spec.dtype.startswith(("f", "bf"))]
    found: list[list[int]] = []
    for number in range(ORDERS) if whole and into.sketching is None else ():
        torch.manual_seed(seed)
        with Eager(program.reference.numerics), Reordered(number) as mode:
            outputs = program.run(copy.deepcopy(model), inputs)
        if not mode.used:
            continue
        found.append([into.take(output) for output in outputs])
    return found


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
