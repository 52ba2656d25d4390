"""Run a module's code: on CUDA, in the interpreter, or only to record its launches."""

import ast
import math
import typing
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from types import CodeType, SimpleNamespace
from typing import Any, Protocol

import torch
import triton
import triton.language as tl
from torch import Tensor
from triton.language.extra.cuda import libdevice

from kernelwright.backend.launch.binding import BoundLaunch, Grid, JitNamespace, KernelHandle
from kernelwright.backend.reference.device_mode import DeviceMode
from kernelwright.backend.reference.program import ReferenceProgram, flatten_outputs, init_call, tensor_at
from kernelwright.backend.tensors import TORCH_DTYPES, Value, inner_spec, register_source
from kernelwright.ir.dialect.tables import TYPING_NAMES
from kernelwright.ir.errors import UserError
from kernelwright.ir.host.nesting import arguments_of, takes_of
from kernelwright.ir.values import KernelModule, Scalar, ScalarSpec, TensorSpec

Loaded = Callable[[Sequence[Value], Mapping[str, Tensor]], tuple[Tensor, ...]]


class Runtime(Protocol):
    """Where kernels go: `triton` is what that name means in the code, `device` where tensors live."""

    @property
    def triton(self) -> Any: ...

    @property
    def device(self) -> torch.device: ...

    def host_mode(self) -> Any:
        """Context manager under which host code runs."""
        ...


@dataclass(frozen=True)
class CudaRuntime:
    """Kernels compiled and launched by Triton; autotuning is real."""

    device: torch.device = field(default_factory=lambda: torch.device("cuda"))
    triton: Any = triton

    def host_mode(self) -> Any:
        """Host code's default device is this one."""
        return torch.cuda.device(self.device)


@dataclass(frozen=True)
class Launch:
    """One kernel launch as host code made it.

    `args` are the run-time arguments in the kernel's order, tensors as specs; `constexprs` the
    compile-time ones; `options` num_warps and the like, only those given.
    `misaligned` names tensors that do not start on a 16-byte boundary.
    """

    symbol: str
    grid: Grid
    args: tuple[tuple[str, TensorSpec | Scalar], ...]
    constexprs: Mapping[str, Any]
    options: Mapping[str, Any]
    misaligned: frozenset[str] = frozenset()


class RecordingRuntime:
    """Runs host code on meta tensors and notes each launch; no kernel runs."""

    def __init__(self) -> None:
        self.device = torch.device("meta")
        self.launches: list[Launch] = []
        self.triton = JitNamespace(self._record, KernelHandle)

    def host_mode(self) -> Any:
        """Host code sees CUDA and gets meta tensors."""
        return DeviceMode(self.device)

    def _record(self, handle: KernelHandle, bound: BoundLaunch) -> None:
        runtime = {name: v for name, v in bound.arguments.items() if name not in bound.constexprs}
        tensors = {name: value for name, value in runtime.items() if isinstance(value, Tensor)}
        args = tuple((name, inner_spec(name, v) if name in tensors else v) for name, v in runtime.items())
        constexprs = {name: v for name, v in bound.arguments.items() if name in bound.constexprs}
        uneven = (name for name, t in tensors.items() if t.storage_offset() * t.element_size() % 16)
        self.launches.append(
            Launch(handle.__name__, bound.grid, args, constexprs, dict(bound.options), frozenset(uneven))
        )


def cuda_elsewhere() -> SimpleNamespace:
    """`torch.cuda` as host code finds it without a device: one H100, and contexts that change nothing."""
    properties = SimpleNamespace(
        name="NVIDIA H100 80GB HBM3",
        major=9,
        minor=0,
        total_memory=80 << 30,
        multi_processor_count=132,
        warp_size=32,
        L2_cache_size=50 << 20,
        max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=65536,
        shared_memory_per_block=49152,
        shared_memory_per_block_optin=232448,
        shared_memory_per_multiprocessor=233472,
    )
    return SimpleNamespace(
        is_available=lambda: True,
        current_device=lambda: 0,
        device_count=lambda: 1,
        synchronize=lambda *_device: None,
        empty_cache=lambda: None,
        set_device=lambda _device: None,
        get_device_properties=lambda *_device: properties,
        get_device_capability=lambda *_device: (properties.major, properties.minor),
        get_device_name=lambda *_device: properties.name,
        device=lambda _device: nullcontext(),
        device_of=lambda _tensor: nullcontext(),
    )


class _TorchElsewhere:
    """What `torch` means in host code that runs where CUDA is only told of."""

    cuda = cuda_elsewhere()

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)


#: What the imports at the top of a printed module bind; `triton` is what each runtime makes of it.
GIVEN_NAMES: Mapping[str, Any] = {
    "torch": torch,
    "nn": torch.nn,
    "F": torch.nn.functional,
    "Tensor": Tensor,
    "aten": torch.ops.aten,
    "triton": triton,
    "tl": tl,
    "libdevice": libdevice,
    "math": math,
    **{name: getattr(typing, name) for name in TYPING_NAMES},
}


def module_code(m: KernelModule) -> str:
    """The part of a module's text that runs: constants, kernels with their metas, launcher; no imports."""
    assert m.launcher is not None, f"@{m.name} has no launcher"
    parts = ["\n".join(m.constants)] if m.constants else []
    for kernel in m.kernels:
        parts.append(kernel.source.rstrip("\n"))
        if kernel.meta:
            parts.append(f"{kernel.meta_name} = {dict(kernel.meta)!r}")
    parts.append(m.launcher.source.rstrip("\n"))
    return "\n\n\n".join(parts) + "\n"


def _compile(text: str, filename: str) -> CodeType:
    """Compile without the imports at the top: their names are bound by us."""
    tree = ast.parse(text, filename)
    tree.body = [node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]
    return compile(tree, filename, "exec")


def host_namespace(m: KernelModule, runtime: Runtime) -> dict[str, Any]:
    text = module_code(m)
    filename = register_source(text, m.name)
    space = {"__name__": filename, **GIVEN_NAMES, "triton": runtime.triton}
    if runtime.device.type != "cuda":
        space["torch"] = _TorchElsewhere()
    exec(_compile(text, filename), space)
    return space


def bind(m: KernelModule, inputs: Sequence[Value], state: Mapping[str, Tensor]) -> dict[str, Value]:
    """Every value that the entry may ask for by name: inputs in the reference's order, then state."""
    if len(inputs) != len(m.reference.inputs):
        raise UserError(f"@{m.name} takes {len(m.reference.inputs)} inputs, {len(inputs)} given")
    named = {spec.name: value for spec, value in zip(m.reference.inputs, inputs, strict=True)}
    return {**named, **state}


def load_module(m: KernelModule, runtime: Runtime, seed: int = 0) -> Loaded:
    """The module as a function of the reference's inputs and its state by name, giving the outputs in order.

    A class is built once, here, from the reference's init arguments after `torch.manual_seed(seed)`; at each
    call, what state it shares with the reference by path and shape is copied in. Raises UserError where the
    entry is missing.
    """
    space = host_namespace(m, runtime)
    assert m.launcher is not None
    entry = space.get(m.launcher.entry)
    if entry is None:
        raise UserError(f"@{m.name}: the launcher defines no {m.launcher.entry!r}")
    run = _function(m, entry) if m.launcher.form == "function" else _class(m, entry, runtime, seed)

    def call(inputs: Sequence[Value], state: Mapping[str, Tensor]) -> tuple[Tensor, ...]:
        with torch.no_grad(), runtime.host_mode():
            result = run(inputs, state)
        return flatten_outputs(result)

    return call


def _function(m: KernelModule, entry: Callable[..., Any]) -> Callable[..., Any]:
    names = entry.__code__.co_varnames[: entry.__code__.co_argcount]

    def run(inputs: Sequence[Value], state: Mapping[str, Tensor]) -> Any:
        values = bind(m, inputs, state)
        if unknown := [name for name in names if name not in values]:
            raise UserError(f"@{m.name}: parameter {unknown[0]!r} names no input or state of the reference")
        return entry(*(values[name] for name in names))

    return run


def _class(m: KernelModule, entry: type[torch.nn.Module], runtime: Runtime, seed: int) -> Callable[..., Any]:
    program = ReferenceProgram.load(m.reference)
    torch.manual_seed(seed)
    arguments, keywords = init_call(program.init_arguments())
    torch.manual_seed(seed)
    with runtime.host_mode():
        model = entry(*arguments, **keywords)
    model = model.to(runtime.device)
    paths = {spec.tensor.name: spec.path for spec in m.reference.state}
    takes = takes_of(m.reference.source)

    def run(inputs: Sequence[Value], state: Mapping[str, Tensor]) -> Any:
        for name, value in state.items():
            held = tensor_at(model, paths.get(name, name))
            if held is not None and held.shape == value.shape:
                held.copy_(value)
        return model(*arguments_of(takes, inputs))

    return run


def meta_arguments(m: KernelModule) -> tuple[list[Value], dict[str, Tensor]]:
    """Inputs and state on the meta device, as the reference's specs have them."""

    def empty(spec: TensorSpec) -> Tensor:
        return torch.empty_strided(spec.shape, spec.strides, dtype=TORCH_DTYPES[spec.dtype], device="meta")

    inputs = [s.value if isinstance(s, ScalarSpec) else empty(s) for s in m.reference.inputs]
    return inputs, {s.tensor.name: empty(s.tensor) for s in m.reference.state}


def trace_launches(m: KernelModule) -> tuple[Launch, ...]:
    """The launches of one call, in order, found without running a kernel.

    Raises UserError where host code looks at a tensor's values, which only a run has.
    """
    runtime = RecordingRuntime()
    inputs, state = meta_arguments(m)
    try:
        load_module(m, runtime)(inputs, state)
    except (NotImplementedError, RuntimeError) as error:
        if "meta" not in str(error).lower():
            raise
        raise UserError(f"@{m.name}: host code depends on tensor values, but tracing has none: {error}") from error
    return tuple(runtime.launches)
