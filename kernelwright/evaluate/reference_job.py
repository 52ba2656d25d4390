"""Running the reference in a child: inputs, state, eager's outputs and the gold, for each draw of the values.

Header: `reference`, `device`, `seed` (the model is built from it), `draws`: a list of `Draw` as JSON, and `sketch`, a
`Sketching` where inputs are too large to travel, or null. Answer: `built`: the state as built, `movement`: whether the
reference only moves data, `init`, `sketched`, and `passes`, each {"draw": …, "inputs": …, "state": …, "eager": …,
"gold": …, "kept": …, "random": …, "tf32": …, "cut": …} with indices into the tensors; `tf32`: eager rounded operands to
it, and `cut` has its outputs with them cut off. Where `sketched`, outputs are sketched, and for inputs there are only
`digests`: whoever needs them draws them. They travel after all, on one draw, where that does not do: they come out
otherwise the second time, or outputs hold NaN or infinity, whose places a sketch does not tell.
"""

import ast
import copy
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from kernelwright.backend.reference import ReferenceProgram, flatten_outputs
from kernelwright.backend.tensors import Value
from kernelwright.backend.tf32 import Eager, permitted
from kernelwright.evaluate import operators
from kernelwright.evaluate.correctness import differ
from kernelwright.evaluate.draws import Draw, drawn, perturb
from kernelwright.evaluate.sketch import Sketching, digests, snapshot
from kernelwright.evaluate.tensors import copy_of, same_bits, to_raw
from kernelwright.evaluate.transport import Json, decode_reference
from kernelwright.evaluate.wire import RawTensor


@dataclass
class Collected:
    """Tensors on their way into an answer."""

    tensors: list[RawTensor] = field(default_factory=list)
    sketching: Sketching | None = None

    def take(self, tensor: Tensor) -> int:
        """Take an output in; its index."""
        self.tensors.append(snapshot(tensor, self.sketching))
        return len(self.tensors) - 1

    def add(self, tensor: Tensor) -> int:
        """Take a tensor in as it is now, as models may change their state; its index."""
        self.tensors.append(to_raw(tensor.clone() if tensor.device.type == "cpu" else tensor))
        return len(self.tensors) - 1


def run_reference(header: Json, tensors: Sequence[RawTensor]) -> tuple[Json, list[RawTensor]]:
    """The job: one pass for each draw; one that the program cannot take is left out."""
    del tensors
    program = ReferenceProgram.load(decode_reference(header["reference"]))
    seed, device = int(header["seed"]), str(header["device"])
    draws = [Draw(**draw) for draw in header["draws"]]
    collected = Collected(sketching=Sketching.decode(header["sketch"]) if header.get("sketch") else None)
    if collected.sketching is not None and not _sketchable(program, draws[0], seed, device, collected.sketching):
        collected.sketching, draws = None, draws[:1]
    state = program.state(program.build(seed, device))
    built = {name: collected.add(value) for name, value in state.items()}
    passes = [one for draw in draws if (one := _one(program, draw, seed, device, collected))]
    movement = _only_moves(program, program.build(seed, device), program.inputs(draws[0].inputs, device))
    answer = {"passes": passes, "init": _literal(program), "built": built, "movement": movement}
    return answer | {"sketched": collected.sketching is not None}, collected.tensors


def _sketchable(program: ReferenceProgram, draw: Draw, seed: int, device: str, sketching: Sketching) -> bool:
    """Whether inputs can be drawn twice, and give nothing but numbers."""
    inputs = drawn(program, draw, device)
    first = digests(inputs, sketching)
    outputs = program.run(program.build(seed, device), inputs)
    finite = all(bool(torch.isfinite(output).all()) for output in outputs)
    del inputs, outputs
    _free()
    return finite and first == digests(drawn(program, draw, device), sketching)


class _Watch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes whether anything but views, copies and allocations runs."""

    computes = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = str(func)
        moves = name in operators.COPIES or name in operators.WRITES or name in operators.FACTORIES
        self.computes |= not (moves or func.is_view or name == "aten._unsafe_view.default")
        return func(*args, **(kwargs or {}))


def _only_moves(program: ReferenceProgram, model: nn.Module, inputs: Sequence[Value]) -> bool:
    """Whether the reference computes nothing, so that a candidate need not either."""
    with _Watch() as watch:  # type: ignore[no-untyped-call]
        program.run(model, inputs)
    return not watch.computes


def _literal(program: ReferenceProgram) -> str | None:
    """The init arguments as source text, or None where they are more than literals."""
    torch.manual_seed(0)
    text = repr(program.init_arguments())
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
    return text


def _one(program: ReferenceProgram, draw: Draw, seed: int, device: str, into: Collected) -> Json | None:
    model = program.build(seed, device)
    inputs = drawn(program, draw, device)
    if draw.weights is not None:
        perturb(model, draw.weights)
    if draw.kind == "given" and into.sketching is None:
        return _pass(program, model, inputs, draw, seed, into)
    if draw.kind != "given" and not any(isinstance(v, Tensor) and v.is_floating_point() for v in inputs):
        return None
    try:
        with torch.no_grad():
            outputs = program.run(copy.deepcopy(model), inputs)
    except (RuntimeError, ValueError, IndexError, AssertionError):
        return None  # the program is only defined on inputs such as its own
    if not all(bool(torch.isfinite(output).all()) for output in outputs):
        return None
    if draw.kind == "infinite" and _pointwise(program, model, inputs, outputs, draw):
        return None  # max(x, 0) and x * (x > 0) are the same but there
    del outputs
    return _pass(program, model, inputs, draw, seed, into)


def _pointwise(
    program: ReferenceProgram, model: nn.Module, inputs: Sequence[Value], outputs: Sequence[Tensor], draw: Draw
) -> bool:
    """Whether no output depends on an infinite element at another place than its own."""
    infinite = [v for v in inputs if isinstance(v, Tensor) and v.is_floating_point() and not torch.isfinite(v).all()]
    usual = program.inputs(draw.inputs, infinite[0].device if infinite else "cpu")
    with torch.no_grad():
        finite = program.run(copy.deepcopy(model), usual)
    for output, other in zip(outputs, finite, strict=True):
        places = [torch.isfinite(value) for value in infinite if value.shape == output.shape]
        if len(places) < len(infinite):
            return False
        same = output == other
        for place in places:
            same |= ~place
        if not bool(same.all()):
            return False
    return True


def _pass(
    program: ReferenceProgram, model: nn.Module, inputs: list[Value], draw: Draw, seed: int, into: Collected
) -> Json:
    state = program.state(model)
    answer: Json = {
        "draw": asdict(draw),
        "inputs": [into.add(v) if isinstance(v, Tensor) and into.sketching is None else None for v in inputs],
        "digests": digests(inputs, into.sketching) if into.sketching is not None else [],
        "state": {name: into.add(value) for name, value in state.items()},
    }
    with permitted("ieee", deterministic=True):
        gold = program.gold(model, inputs, seed)
    note, answer["gold"] = gold.note, [into.take(output) for output in gold.outputs]
    del gold
    _free()
    twin, third = copy.deepcopy(model), copy.deepcopy(model)
    before = {name: copy_of(value) for name, value in state.items()}
    used = [copy_of(value) if isinstance(value, Tensor) else value for value in inputs]
    torch.manual_seed(seed)
    with torch.no_grad(), Eager(program.reference.numerics) as mode:
        eager = flatten_outputs(model(*used))
    answer["tf32"] = mode.used
    answer["eager"] = [into.take(output) for output in eager]
    torch.manual_seed(seed + 1)
    with Eager(program.reference.numerics):
        again = program.run(twin, inputs)
    answer["random"] = any(_differ(first, second) for first, second in zip(eager, again, strict=True))
    answer["cut"] = _cut_off(program, third, inputs, seed, into) if mode.used else None
    answer["kept"] = _kept(program, inputs, used) + [n for n in state if same_bits(before[n], state[n])]
    del again, eager
    _free()
    return answer | {"note": note}


def _cut_off(
    program: ReferenceProgram, model: nn.Module, inputs: Sequence[Value], seed: int, into: Collected
) -> list[int]:
    """Eager's outputs with the operands of TF32 products cut off."""
    torch.manual_seed(seed)
    with Eager(program.reference.numerics, cut=True):
        return [into.take(output) for output in program.run(model, inputs)]


def _differ(first: Tensor, second: Tensor) -> bool:
    """Whether two runs differ by more than rounding; nearly always they are the same to the bit."""
    if first.shape == second.shape and first.dtype == second.dtype and same_bits(first, second):
        return False
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
