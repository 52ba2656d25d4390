"""Running the reference in a child: inputs, state, eager's outputs and the gold, for each draw of the values.

Header: `reference`, `device`, `draws`: a list of {"weights": seed, "inputs": seed, "normal": seed or null}.
Answer: `passes`, each {"inputs": …, "state": …, "eager": …, "gold": …, "kept": …, "random": …} with indices into the
tensors.
"""

import ast
import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from kernelwright.backend.reference import ReferenceProgram, flatten_outputs
from kernelwright.backend.tensors import Value
from kernelwright.evaluate.correctness import differ
from kernelwright.evaluate.tensors import copy_of, same_bits, to_raw
from kernelwright.evaluate.transport import Json, decode_reference
from kernelwright.evaluate.wire import RawTensor


@dataclass
class Collected:
    """Tensors on their way into an answer."""

    tensors: list[RawTensor] = field(default_factory=list)

    def add(self, tensor: Tensor) -> int:
        """Take a tensor in; its index."""
        self.tensors.append(to_raw(tensor))
        return len(self.tensors) - 1


def run_reference(header: Json, tensors: Sequence[RawTensor]) -> tuple[Json, list[RawTensor]]:
    """The job: one pass for each draw; a normal draw that the program cannot take is left out."""
    del tensors
    program = ReferenceProgram.load(decode_reference(header["reference"]))
    collected = Collected()
    passes = [one for draw in header["draws"] if (one := _one(program, draw, header["device"], collected))]
    return {"passes": passes, "init": _literal(program)}, collected.tensors


def _literal(program: ReferenceProgram) -> str | None:
    """The init arguments as source text, or None where they are more than literals."""
    torch.manual_seed(0)
    text = repr(program.init_arguments())
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
    return text


def _one(program: ReferenceProgram, draw: Mapping[str, Any], device: str, into: Collected) -> Json | None:
    model = program.build(draw["weights"], device)
    inputs = program.inputs(draw["inputs"], device)
    if draw["normal"] is None:
        return _pass(program, model, inputs, draw, into)
    if not any(isinstance(v, Tensor) and v.is_floating_point() for v in inputs):
        return None
    inputs = _normal(inputs, draw["normal"])
    try:
        with torch.no_grad():
            outputs = program.run(copy.deepcopy(model), inputs)
    except (RuntimeError, ValueError, IndexError, AssertionError):
        return None  # the program is only defined on inputs such as its own
    if not all(bool(torch.isfinite(output).all()) for output in outputs):
        return None
    return _pass(program, model, inputs, draw, into)


def _normal(inputs: Sequence[Value], seed: int) -> list[Value]:
    """Floating inputs replaced by standard normal values times the RMS of the given ones."""
    drawn: list[Value] = []
    for value in inputs:
        if isinstance(value, Tensor) and value.is_floating_point() and value.numel():
            rms = float(value.double().square_().mean().sqrt())
            torch.manual_seed(seed + len(drawn))
            noise = torch.randn(value.shape, dtype=torch.float64, device=value.device).mul_(rms or 1.0)
            filled = copy_of(value)
            drawn.append(filled.copy_(noise))
        else:
            drawn.append(value)
    return drawn


def _pass(
    program: ReferenceProgram, model: nn.Module, inputs: list[Value], draw: Mapping[str, Any], into: Collected
) -> Json:
    seed = int(draw["weights"])
    state = program.state(model)
    answer: Json = {
        "weights": seed,
        "inputs": [into.add(value) if isinstance(value, Tensor) else None for value in inputs],
        "state": {name: into.add(value) for name, value in state.items()},
    }
    gold = program.gold(model, inputs, seed)
    note, answer["gold"] = gold.note, [into.add(output) for output in gold.outputs]
    del gold
    _free()
    twin = copy.deepcopy(model)
    before = {name: copy_of(value) for name, value in state.items()}
    used = [copy_of(value) if isinstance(value, Tensor) else value for value in inputs]
    torch.manual_seed(seed)
    with torch.no_grad():
        eager = flatten_outputs(model(*used))
    answer["eager"] = [into.add(output) for output in eager]
    torch.manual_seed(seed + 1)
    again = program.run(twin, inputs)
    answer["random"] = any(_differ(first, second) for first, second in zip(eager, again, strict=True))
    answer["kept"] = _kept(program, inputs, used) + [n for n in state if same_bits(before[n], state[n])]
    del again, eager
    _free()
    return answer | {"note": note}


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
