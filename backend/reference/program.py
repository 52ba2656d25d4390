"""Build and run the program that says what to compute."""

import contextlib
import copy
import inspect
import keyword
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from kernelwright.backend.reference.convolutions import FastConvolutions
from kernelwright.backend.reference.device_mode import cuda_or_here
from kernelwright.backend.reference.eight_bits import as_specified, in_eight_bits
from kernelwright.backend.reference.structure import taken_apart
from kernelwright.backend.reference.widened import as_compared, widened
from kernelwright.backend.tensors import Value, copy_of, register_source, spec_of
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import INPUT_DTYPES, Reference, ScalarSpec, StateSpec, TensorSpec

#: Bytes of weights from which on they are drawn where they are needed.
MANY_BYTES = 1 << 26


@dataclass(frozen=True)
class Gold:
    """Outputs computed in fp64, and inputs and state as the program leaves them. `note` says where that was not
    possible, else it is empty."""

    outputs: tuple[Tensor, ...]
    inputs: tuple[Value, ...]
    state: Mapping[str, Tensor]
    note: str = ""


@dataclass(frozen=True)
class Description:
    """What running a model once shows of it: the fields of a `Reference`."""

    inputs: tuple[TensorSpec | ScalarSpec, ...]
    state: tuple[StateSpec, ...]
    outputs: tuple[TensorSpec, ...]
    returns: str


def init_call(given: Any) -> tuple[list[Any], dict[str, Any]]:
    """The arguments and keywords that a class is built from: a list; a dictionary; or, as KernelBook has it, one of
    each in a list."""
    if isinstance(given, dict):
        return [], given
    if len(given) == 2 and isinstance(given[0], list) and isinstance(given[1], dict):
        return given[0], given[1]
    return list(given), {}


def held_tensors(model: nn.Module) -> Iterator[tuple[str, Tensor]]:
    """Parameters, buffers and plain tensor attributes with their dotted paths, each tensor once."""
    seen: set[int] = set()
    for prefix, module in model.named_modules():
        own = [*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)]
        plain = [(name, value) for name, value in vars(module).items() if isinstance(value, Tensor)]
        for name, tensor in own + plain:
            if id(tensor) not in seen:
                seen.add(id(tensor))
                yield (f"{prefix}.{name}" if prefix else name), tensor


def tensor_at(model: nn.Module, path: str) -> Tensor | None:
    """The tensor a model holds at a dotted path, or None."""
    value: Any = model
    for part in path.split("."):
        value = getattr(value, part, None)
    return value if isinstance(value, Tensor) else None


def flatten_outputs(result: Any) -> tuple[Tensor, ...]:
    """The tensors of a result in order; raises UserError as `taken_apart` does."""
    return taken_apart(result)[0]


@dataclass(frozen=True)
class ReferenceProgram:
    """A reference's source, executed. Models stay in training mode and run without gradients."""

    reference: Reference
    namespace: Mapping[str, Any]

    @classmethod
    def load(cls, reference: Reference) -> "ReferenceProgram":
        """Execute the source; raises UserError where it lacks the entry or `get_inputs`."""
        filename = register_source(reference.source, "reference")
        namespace: dict[str, Any] = {"__name__": filename}
        exec(compile(reference.source, filename, "exec"), namespace)
        for name in (reference.entry, "get_inputs"):
            if not callable(namespace.get(name)):
                raise UserError(f"the reference's source defines no {name}; see KernelBench's format")
        return cls(reference, namespace)

    def init_arguments(self) -> Any:
        """What `get_init_inputs` gives, as `init_call` reads it; empty without one."""
        maker: Callable[[], Any] | None = self.namespace.get("get_init_inputs")
        return maker() if maker else []

    def build(self, seed: int, device: torch.device | str = "cpu") -> nn.Module:
        """The model with the weights of this seed, the same on every device."""
        torch.manual_seed(seed)
        arguments, keywords = init_call(self.init_arguments())
        torch.manual_seed(seed)
        with cuda_or_here():
            model: nn.Module = self.namespace[self.reference.entry](*arguments, **keywords).to(device)
        for module in model.modules():
            for name, value in vars(module).items():
                if isinstance(value, Tensor):
                    setattr(module, name, value.to(device))
        return model

    def draws_there(self, device: torch.device | str) -> bool:
        """Whether `build_there` draws on the device, if that works: the weights are many."""
        many = sum(spec.tensor.nbytes for spec in self.reference.state) > MANY_BYTES
        return many and torch.device(device).type != "cpu"

    def build_there(self, seed: int, device: torch.device | str) -> nn.Module:
        """The model with weights that are drawn on the device where they are many and that works: a billion of them
        take seconds elsewhere. They are the same on one kind of device, and others than those of `build`, as are the
        numbers that the model draws besides. Raises OutOfMemoryError."""
        if self.draws_there(device):
            try:
                with torch.device(device):
                    return self.build(seed, device)
            except torch.OutOfMemoryError:
                raise  # says nothing about the program
            except (RuntimeError, TypeError, ValueError, AssertionError):  # such as NumPy, which takes no such tensor
                pass
        return self.build(seed, device)

    def inputs(self, seed: int, device: torch.device | str = "cpu") -> list[Value]:
        """forward's arguments for this seed, drawn on the device where that works: gigabytes are slow elsewhere."""
        torch.manual_seed(seed)
        try:
            with torch.device(device), cuda_or_here():
                values = list(self.namespace["get_inputs"]())
        except RuntimeError:
            torch.manual_seed(seed)
            with cuda_or_here():
                values = list(self.namespace["get_inputs"]())
        return [_on(value, device) for value in values]

    def state(self, model: nn.Module) -> dict[str, Tensor]:
        """The model's tensors by their names in the reference; they are the model's own, not copies."""
        found = {}
        for spec in self.reference.state:
            tensor = tensor_at(model, spec.path)
            if tensor is None:
                raise UserError(f"the reference's model holds no tensor at {spec.path!r}")
            found[spec.tensor.name] = tensor.detach()
        return found

    def run(self, model: nn.Module, inputs: Sequence[Value]) -> tuple[Tensor, ...]:
        """forward's outputs. Inputs are cloned, and rounded where the program takes them in fp8; buffers change as
        training mode changes them."""
        with torch.no_grad():
            return flatten_outputs(model(*map(_clone, as_specified(inputs, self.reference.inputs))))

    def gold(self, model: nn.Module, inputs: Sequence[Value], seed: int = 0) -> Gold:
        """The same in fp64, on copies of model and inputs.

        Where operations refuse that, since the program casts some of their operands, its casts give fp64 as well; where
        they refuse that too, fp32, and at last the program's own dtypes. Where outputs have 16 bits, what the program
        casts to is a matter of precision alone, and its casts give fp64 at once; so they do where inputs are in fp8,
        which stay what they are.
        """
        reasons = []
        plain, wide, half_wide = (torch.float64, False), (torch.float64, True), (torch.float32, True)
        narrow = any(spec.dtype in ("f16", "bf16") for spec in self.reference.outputs)
        narrow |= any(spec.dtype in INPUT_DTYPES for spec in self.reference.tensors)
        for dtype, casts in (wide, plain, half_wide) if narrow else (plain, wide, half_wide):
            around = widened(dtype) if casts else contextlib.nullcontext() if self._halves else as_compared()
            try:
                values = [_widen(value, dtype) for value in inputs]
                wide_model = _widen_model(copy.deepcopy(model), dtype)
                with around:
                    gold = self._gold(wide_model, values, seed)
            except torch.OutOfMemoryError:
                raise  # says nothing about the program
            except (RuntimeError, TypeError, NotImplementedError, ValueError) as error:
                reasons.append(str(error).splitlines()[0] if str(error) else type(error).__name__)
                continue
            left = [output.dtype for output in gold.outputs if output.is_floating_point() and output.dtype != dtype]
            if left and left[0].itemsize > 1:
                reasons.append(f"an output is {left[0]}")
                continue
            note = f"gold in fp32; fp64 refused: {reasons[0]}" if dtype == torch.float32 else ""
            return replace(gold, note=note)
        gold = self._gold(copy.deepcopy(model), inputs, seed)
        return replace(gold, note=f"gold in the program's own dtype; fp64 refused: {reasons[0]}")

    @property
    def _halves(self) -> bool:
        """Whether anything of the program's is in 16 bits, or in 64."""
        dtypes = {getattr(spec, "dtype", "f32") for spec in (*self.reference.tensors, *self.reference.outputs)}
        return bool(dtypes & {"f16", "bf16", "f64"})

    def _gold(self, model: nn.Module, inputs: Sequence[Value], seed: int) -> Gold:
        used = [_clone(value) for value in inputs]
        torch.manual_seed(seed)
        with torch.no_grad(), FastConvolutions():
            outputs = flatten_outputs(model(*used))
        return Gold(outputs, tuple(used), self.state(model))


def _on(value: Value, device: torch.device | str) -> Value:
    """A value on a device, where it lies in memory as it did."""
    if not isinstance(value, Tensor) or value.device.type == torch.device(device).type:
        return value
    return copy_of(value, device)


def _clone(value: Value) -> Value:
    return copy_of(value) if isinstance(value, Tensor) else value


def _widen(value: Value, dtype: torch.dtype) -> Value:
    narrower = isinstance(value, Tensor) and value.is_floating_point() and value.itemsize > 1
    return value.to(dtype) if isinstance(value, Tensor) and narrower else value


def _widen_model(model: nn.Module, dtype: torch.dtype) -> nn.Module:
    model.to(dtype)
    for module in model.modules():
        for name, value in vars(module).items():
            if isinstance(value, Tensor):
                setattr(module, name, _widen(value, dtype))
    return model


def _identifier(path: str, taken: set[str]) -> str:
    """A free, valid Python name for a dotted path; the name is then taken."""
    base = re.sub(r"\W", "_", path)
    if not base.isidentifier() or keyword.iskeyword(base):
        base = f"t_{base}"
    name, count = base, 1
    while name in taken:
        count += 1
        name = f"{base}_{count}"
    taken.add(name)
    return name


def _input_names(model: nn.Module, count: int, taken: set[str]) -> list[str]:
    """forward's parameter names; those collected by `*args` are numbered."""
    names: list[str] = []
    for parameter in inspect.signature(model.forward).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            names += [f"{parameter.name}_{i}" for i in range(count - len(names))]
        elif parameter.kind is not parameter.VAR_KEYWORD:
            names.append(parameter.name)
    if len(names) < count:
        takes = f"{len(names)} argument{'' if len(names) == 1 else 's'} ({', '.join(names)})"
        raise UserError(
            f"forward() takes {takes}, but get_inputs() returns {count}; return one value for each argument"
        )
    return [_identifier(name, taken) for name in names[:count]]


def _input_spec(name: str, value: Any) -> TensorSpec | ScalarSpec:
    if isinstance(value, Tensor):
        return spec_of(name, value)
    if value is None or isinstance(value, bool | int | float):
        return ScalarSpec(name, value)
    raise UserError(f"input {name!r} is {type(value).__name__}; inputs are tensors, numbers or None")


def _wide_spec(name: str, tensor: Tensor, instead: str) -> TensorSpec:
    if in_eight_bits(tensor):
        raise UserError(f"{name}: {tensor.dtype} is supported for inputs alone; {instead}")
    return spec_of(name, tensor)


#: What to write instead of weights and outputs in fp8.
_NO_WEIGHT, _NO_OUTPUT = (
    "make it an input, or hold its bits in a buffer, as `.view(torch.uint8)` gives them",
    "return it in a wider dtype, or its bits, as `.view(torch.uint8)` gives them",
)


def describe(model: nn.Module, inputs: Sequence[Any]) -> Description:
    """Run a copy of the model once and write down its inputs, state and outputs as specs.

    Raises UserError for inputs that are neither tensors nor numbers, and for outputs as `taken_apart` does.
    Weights and outputs in fp8 are refused, too.
    """
    taken: set[str] = set()
    input_names = _input_names(model, len(inputs), taken)
    input_specs = tuple(_input_spec(name, value) for name, value in zip(input_names, inputs, strict=True))
    state = tuple(
        StateSpec(_wide_spec(_identifier(path, taken), tensor, _NO_WEIGHT), path)
        for path, tensor in held_tensors(model)
    )
    with torch.no_grad():
        result = copy.deepcopy(model)(*map(_clone, inputs))
    outputs, returns = taken_apart(result)
    names = ["out"] if len(outputs) == 1 else [f"out{i}" for i in range(len(outputs))]
    output_specs = tuple(_wide_spec(n, t, _NO_OUTPUT) for n, t in zip(names, outputs, strict=True))
    return Description(input_specs, state, output_specs, returns)
