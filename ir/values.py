"""The values of the IR: a reference, the kernels that compute it, and their provenance.

Everything is frozen; a pass returns a new `KernelModule` made with `dataclasses.replace`.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Any, Literal

from kernelwright.ir.layout import span

Scalar = bool | int | float | str | None

#: What of a reference's fp32 work may round its operands to TF32: `ieee` nothing, `torch` convolutions, as PyTorch's
#: defaults have it on a GPU, `tf32` matrix products as well. `bf16`: weights and inputs are bf16.
Numerics = Literal["ieee", "torch", "tf32", "bf16"]
NUMERICS: tuple[Numerics, ...] = ("ieee", "torch", "tf32", "bf16")

#: Short dtype name -> (torch name, Triton pointer element name, bytes per element).
DTYPES: Mapping[str, tuple[str, str, int]] = {
    "f64": ("float64", "fp64", 8),
    "f32": ("float32", "fp32", 4),
    "f16": ("float16", "fp16", 2),
    "bf16": ("bfloat16", "bf16", 2),
    "i64": ("int64", "i64", 8),
    "i32": ("int32", "i32", 4),
    "i16": ("int16", "i16", 2),
    "i8": ("int8", "i8", 1),
    "u8": ("uint8", "u8", 1),
    "b1": ("bool", "i1", 1),
    "f8e4m3": ("float8_e4m3fn", "fp8e4nv", 1),
    "f8e5m2": ("float8_e5m2", "fp8e5", 1),
}
#: The same, and what tensors may have besides that a program makes for itself: no input, weight or output has it.
INNER_DTYPES: Mapping[str, tuple[str, str, int]] = {
    **DTYPES,
    "u64": ("uint64", "u64", 8),
    "u32": ("uint32", "u32", 4),
    "u16": ("uint16", "u16", 2),
}
#: Dtypes that inputs may have, but no weight and no output.
INPUT_DTYPES = frozenset(("f8e4m3", "f8e5m2"))


class Level(IntEnum):
    """How far a module has come: only a reference, Triton kernels, kernels fitted to a target."""

    TORCH = 0
    TRITON = 1
    TUNED = 2

    def __str__(self) -> str:
        return self.name.lower()


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Row-major strides, in elements, of a tensor of this shape (a size of zero counts as one)."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


_ANNOTATION = re.compile(r"(?P<dtype>\w+)\[(?P<shape>[\d, ]*)\](?:@\[(?P<strides>[\d, ]*)\])?")


def _ints(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(",") if part.strip())


@dataclass(frozen=True)
class TensorSpec:
    """A tensor's name, dtype (a key of `DTYPES`), shape and strides in elements.

    Prints as an annotation: `f32[16, 64]`, or `f32[16, 64]@[1, 16]` where it is not contiguous.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @classmethod
    def contiguous(cls, name: str, dtype: str, shape: tuple[int, ...]) -> "TensorSpec":
        """A row-major tensor."""
        return cls(name, dtype, shape, contiguous_strides(shape))

    @classmethod
    def parse(cls, name: str, annotation: str) -> "TensorSpec":
        """Read an annotation; raises ValueError for anything else."""
        match = _ANNOTATION.fullmatch(annotation.strip())
        if match is None or match["dtype"] not in DTYPES:
            raise ValueError(f"{name}: {annotation!r} is not a tensor type such as 'f32[16, 64]'")
        shape = _ints(match["shape"])
        strides = contiguous_strides(shape) if match["strides"] is None else _ints(match["strides"])
        if len(shape) != len(strides):
            raise ValueError(f"{name}: {annotation!r} has {len(shape)} sizes but {len(strides)} strides")
        return cls(name, match["dtype"], shape, strides)

    @property
    def annotation(self) -> str:
        """The text form without the name."""
        text = f"{self.dtype}[{', '.join(map(str, self.shape))}]"
        if self.strides != contiguous_strides(self.shape):
            text += f"@[{', '.join(map(str, self.strides))}]"
        return text

    @property
    def numel(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def extent(self) -> int:
        """Elements from the first to the last, gaps counted."""
        return span(self.shape, self.strides)

    @property
    def nbytes(self) -> int:
        """Bytes of the elements, gaps between them not counted."""
        return self.numel * INNER_DTYPES[self.dtype][2]


@dataclass(frozen=True)
class ScalarSpec:
    """A Python number (or None) among the inputs; the program is specialised to its value."""

    name: str
    value: bool | int | float | None


@dataclass(frozen=True)
class StateSpec:
    """A parameter, buffer or tensor attribute that the reference's model holds at `path`, e.g. `conv.weight`."""

    tensor: TensorSpec
    path: str


@dataclass(frozen=True)
class Tolerance:
    """The largest error that counts as right.

    `gold`: error against fp64 at most max(factor x eager's own error, a floor by dtype); `allclose`: torch's allclose
    with rtol and atol.
    """

    kind: Literal["gold", "allclose"] = "gold"
    factor: float = 16.0
    rtol: float = 1e-2
    atol: float = 1e-2


@dataclass(frozen=True)
class Reference:
    """The computation to perform. No pass may change it.

    `source` is a Python file in KernelBench's format: a class named `entry` whose forward takes `inputs`,
    `get_inputs()` and `get_init_inputs()`. `returns` tells whether forward gives one tensor, a sequence or something
    that holds tensors, see `ir.host.structure`. `shrunken` is True where the importer made the problem's sizes smaller
    than the user's. `numerics` is what eager, its baselines and candidates may do.
    """

    source: str
    entry: str
    inputs: tuple[TensorSpec | ScalarSpec, ...]
    state: tuple[StateSpec, ...]
    outputs: tuple[TensorSpec, ...]
    returns: str = "tensor"
    tolerance: Tolerance = Tolerance()
    shrunken: bool = False
    numerics: Numerics = "ieee"

    @property
    def tensors(self) -> tuple[TensorSpec, ...]:
        """Every tensor that a launcher may take by name: inputs, then state."""
        inputs = tuple(spec for spec in self.inputs if isinstance(spec, TensorSpec))
        return inputs + tuple(spec.tensor for spec in self.state)


@dataclass(frozen=True)
class Kernel:
    """One `@triton.jit` function.

    `source` is exactly the function's text, decorators included, with no blank line or comment after it.
    `meta` holds launch options in order: constexpr block sizes, num_warps, num_stages. It prints as
    `<symbol>_meta = {...}` below the kernel and launches expand it: `k[grid](x, **k_meta)`. A kernel
    with no meta prints no such line. `covers` names the aten operations it computes.
    """

    symbol: str
    source: str
    meta: tuple[tuple[str, Scalar], ...] = ()
    covers: tuple[str, ...] = ()

    @property
    def meta_name(self) -> str:
        """The name under which `meta` prints."""
        return f"{self.symbol}_meta"


@dataclass(frozen=True)
class Resources:
    """The resources of one compiled kernel: registers and spilled bytes a thread, shared memory bytes a program."""

    registers: int
    spill_bytes: int
    shared_bytes: int


@dataclass(frozen=True)
class Launcher:
    """The host code: helper functions, then the entry.

    Native form: `entry` is a function whose parameters are names of the reference's tensors (any subset,
    in any order), annotated with their types, and which returns the output or a tuple of outputs.
    KernelBench form: `entry` is a class such as `ModelNew`.
    """

    source: str
    entry: str = "forward"
    form: Literal["function", "class"] = "function"


@dataclass(frozen=True)
class Record:
    """One provenance entry: which pass, on what, how long, by whom and with what verdict.

    `notes`: further facts about how the pass came to its result, as JSON values.
    """

    pass_spec: str
    parent: str
    seconds: float = 0.0
    policy: str = ""
    seed: int | None = None
    verdict: str = ""
    notes: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class KernelModule:
    """The one value that flows through a pipeline.

    `constants` are module-level assignments (source lines such as `BLOCK = 128`) that kernels or host code
    use. `target` names the target the module was fitted to, or None.
    """

    name: str
    reference: Reference
    kernels: tuple[Kernel, ...] = ()
    launcher: Launcher | None = None
    target: str | None = None
    provenance: tuple[Record, ...] = ()
    constants: tuple[str, ...] = field(default=())

    @property
    def level(self) -> Level:
        """`torch` without a launcher, `tuned` once fitted to a target, else `triton`."""
        if self.launcher is None:
            return Level.TORCH
        return Level.TRITON if self.target is None else Level.TUNED

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of everything but the provenance."""
        content = {key: value for key, value in asdict(self).items() if key != "provenance"}
        if self.reference.numerics == "ieee":  # the text form leaves it out as well
            del content["reference"]["numerics"]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def kernel(self, symbol: str) -> Kernel:
        """The kernel of that name; KeyError if there is none."""
        for kernel in self.kernels:
            if kernel.symbol == symbol:
                return kernel
        raise KeyError(f"@{self.name} has no kernel @{symbol}")
