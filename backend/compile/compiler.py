"""Compile kernels for a target offline, GPU or not. The one place that touches Triton's compiler interface.

`versions.TRIED` has the releases that it was tried with.

A launch is specialised as Triton's own JIT would: by dtype, by divisibility by 16,
and with integers equal to 1 as constants. Results are kept in memory and on disk (`compiled`).
"""

import hashlib
import json
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import triton
import triton.language as tl

from kernelwright.backend.compile.compiled import Compiled, read_compiled, write_compiled
from kernelwright.backend.compile.stub_driver import compiling_for
from kernelwright.backend.launch.execute import Launch, trace_launches
from kernelwright.backend.launch.jit import load_kernels, needed_kernels
from kernelwright.backend.targets import Target
from kernelwright.backend.tensors import INNER_TORCH_DTYPES
from kernelwright.backend.versions import adapting, parameters
from kernelwright.ir.errors import KernelwrightError, UnsupportedVersionError, UserError
from kernelwright.ir.values import INNER_DTYPES, KernelModule, Resources, Scalar, TensorSpec

with adapting("offline compilation", "triton"):
    from triton import knobs
    from triton._C.libtriton import ir, passes
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource, CompilationError, make_backend
    from triton.compiler.compiler import CompiledKernel

    CompiledKernel._init_handles, knobs.nvidia.cuobjdump  # noqa: B018
    parameters(ASTSource, "fn", "signature", "constexprs", "attrs")
    parameters(triton.compile, "src", "target", "options")
    parameters(triton.JITFunction.warmup, "grid")

#: Part of every cache key; raise it when `Compiled` or the specialisation changes.
_SCHEMA = 2
#: What Triton counts spills in.
_SPILL_BYTES = 4
_memory: dict[str, Compiled] = {}
_MEMORY_ENTRIES = 1024


class CompileFailureError(KernelwrightError):
    """Triton rejects a kernel. `line` is 1-based in the kernel's source, 0 where Triton names none."""

    def __init__(self, kernel: str, message: str, line: int = 0) -> None:
        self.kernel, self.message, self.line = kernel, message, line
        where = f", line {line}" if line else ""
        super().__init__(f"kernel @{kernel}{where}: {message}")


@dataclass(frozen=True)
class Specialisation:
    """What Triton's compiler is given besides the function: types by name, a tuple's as a tuple of them.

    A place is a parameter's index, and behind it the index within a tuple. `constants` are values by place, and
    `attributes` the places of multiples of 16.
    """

    signature: Mapping[str, Any]
    constants: Mapping["Place", Any]
    attributes: tuple["Place", ...]


Place = tuple[int, ...]


def compile_module(m: KernelModule, target: Target) -> dict[str, Compiled]:
    """Every launched kernel compiled, by symbol; `symbol@2` for a second launch of it that compiles differently.

    Raises CompileFailureError for a kernel that Triton rejects or that takes more shared memory than the target
    has, UserError for a target or process that cannot compile.
    """
    compiled: dict[str, list[Compiled]] = {}
    for launch in trace_launches(m):
        result = compile_launch(m, launch, target)
        variants = compiled.setdefault(launch.symbol, [])
        if result not in variants:
            variants.append(result)
    return {
        f"{symbol}@{number}" if number > 1 else symbol: variant
        for symbol, variants in compiled.items()
        for number, variant in enumerate(variants, 1)
    }


def compile_launch(m: KernelModule, launch: Launch, target: Target) -> Compiled:
    """The kernel of one launch, compiled for exactly its arguments. Raises as `compile_module` does."""
    symbols = _symbols(m, launch)
    kernels = load_kernels(m, *symbols)
    sources = [*(kernel.source for kernel in needed_kernels(m, *symbols)), *m.constants]
    return compile_jit(kernels[launch.symbol], launch, target, kernels, sources)


def _symbols(m: KernelModule, launch: Launch) -> list[str]:
    """The kernel that is launched, and those that are handed to it."""
    given = {getattr(value, "__name__", "") for value in launch.constexprs.values()}
    return [launch.symbol, *(kernel.symbol for kernel in m.kernels if kernel.symbol in given - {launch.symbol})]


def compile_jit(
    kernel: Any, launch: Launch, target: Target, kernels: Mapping[str, Any], sources: Sequence[str]
) -> Compiled:
    """A `JITFunction` compiled for a launch; raises as `compile_module` does.

    `kernels` are those that its arguments may name, `sources` is all the text that it depends on, for the cache.
    """
    if not target.is_gpu:
        gpus = "a100, h100, h200, b200, l40s or rtx4090"
        raise UserError(f"target {target.name!r} compiles nothing; name a GPU: {gpus}")
    special = specialise(kernel, launch, kernels)
    key = _cache_key(launch, special, target, sources)
    result = _memory.get(key) or read_compiled(key)
    if result is None:
        result = _compile(kernel, launch, special, target)
        write_compiled(key, result)
    if len(_memory) >= _MEMORY_ENTRIES:
        del _memory[next(iter(_memory))]
    _memory[key] = result
    limit = target.shared_kb_per_block * 1024
    if result.resources.shared_bytes > limit:
        needs = f"needs {result.resources.shared_bytes} bytes of shared memory a program"
        raise CompileFailureError(
            launch.symbol, f"{needs}, {target.name} has {limit}; use smaller blocks or fewer stages"
        )
    return result


def specialise(kernel: Any, launch: Launch, kernels: Mapping[str, Any]) -> Specialisation:
    """Types, constants and divisible arguments of a launch, as Triton's JIT derives them."""
    given = {**dict(launch.args), **launch.constexprs}
    signature: dict[str, Any] = {}
    constants: dict[Place, Any] = {}
    attributes: list[Place] = []
    for index, parameter in enumerate(kernel.params):
        name, value = parameter.name, given[parameter.name]
        if parameter.is_constexpr:
            name_of_function = getattr(value, "__name__", None)
            value = kernels.get(name_of_function, value) if name_of_function else value
            signature[name] = "constexpr"
            constants[index,] = value.value if isinstance(value, tl.constexpr) else value
            continue
        kinds = []
        for place, one in _placed(value, (index,)):
            aligned = name not in launch.misaligned
            kind, divisible = _runtime_type(launch.symbol, name, one, aligned, not parameter.do_not_specialize)
            if parameter.annotation_type and kind not in ("constexpr",) and not isinstance(value, TensorSpec | tuple):
                kind = parameter.annotation_type
                divisible = divisible and kind != "u1" and kind[:2] not in ("fp", "bf")
            kinds.append(kind)
            if kind == "constexpr":
                constants[place] = one
            elif divisible and not parameter.do_not_specialize and not parameter.do_not_specialize_on_alignment:
                attributes.append(place)
        signature[name] = tuple(kinds) if isinstance(value, tuple) else kinds[0]
    return Specialisation(signature, constants, tuple(attributes))


def _placed(value: TensorSpec | Scalar | tuple[Scalar, ...], place: Place) -> list[tuple[Place, TensorSpec | Scalar]]:
    """An argument at its place; a tuple's elements each at theirs."""
    if not isinstance(value, tuple):
        return [(place, value)]
    return [((*place, number), one) for number, one in enumerate(value)]


def _runtime_type(
    symbol: str, name: str, value: TensorSpec | Scalar, aligned: bool, specialised: bool
) -> tuple[str, bool]:
    """Triton's name for an argument's type, and whether the argument is known to be a multiple of 16."""
    if isinstance(value, TensorSpec):
        return f"*{INNER_DTYPES[value.dtype][1]}", aligned
    if value is None:
        return "constexpr", False
    if isinstance(value, bool):
        return "u1", False
    if isinstance(value, int):
        if value == 1 and specialised:
            return "constexpr", False
        kind = "i32" if -(2**31) <= value < 2**31 else "i64" if value < 2**63 else "u64"
        return kind, value % 16 == 0
    if isinstance(value, float):
        return "fp32", False
    raise CompileFailureError(symbol, f"argument {name!r} is {type(value).__name__}, which no kernel can take")


def _compile(kernel: Any, launch: Launch, special: Specialisation, target: Target) -> Compiled:
    source = ASTSource(kernel, dict(special.signature), dict(special.constants), _attributes(kernel, special))
    try:
        with compiling_for(target.capability):
            built = triton.compile(
                source, target=GPUTarget("cuda", target.capability, 32), options=dict(launch.options)
            )
    except Exception as error:  # Triton raises anything; this is the boundary to it
        raise _rejected(kernel, launch.symbol, error) from error
    return _as_compiled(built, *_usage(built.asm["cubin"]))


def _attributes(kernel: Any, special: Specialisation) -> dict[Place, list[Any]]:
    """Attributes as Triton's JIT spells them, which its cache goes by: empty ones are listed too, from 3.7 on those of
    constants as well."""
    constants = tuple(map(int, triton.__version__.split(".")[:2])) >= (3, 7)
    found: dict[Place, list[Any]] = {}
    for index, parameter in enumerate(kernel.params):
        for place, kind in _placed(special.signature[parameter.name], (index,)):
            assert isinstance(kind, str)
            specialised = not parameter.do_not_specialize and (kind[0] == "*" or (kind[1:].isdigit() and kind != "u1"))
            if place in special.attributes:
                found[place] = [["tt.divisibility", 16]]
            elif constants if kind == "constexpr" else specialised:
                found[place] = []
    return found


def warm_launch(m: KernelModule, launch: Launch, target: Target) -> None:
    """Compile the kernel of a launch into Triton's own cache, where a launch on such a GPU will look for it.

    Where `compile_launch` was there before, all that is left to do is to find that out. Raises CompileFailureError.
    """
    kernels = load_kernels(m, *_symbols(m, launch))
    given: dict[str, Any] = dict(launch.args)
    for name, value in launch.args:
        if isinstance(value, TensorSpec):
            given[name] = _Placeholder(INNER_TORCH_DTYPES[value.dtype], 8 if name in launch.misaligned else 0)
    for name, value in launch.constexprs.items():
        given[name] = kernels.get(getattr(value, "__name__", ""), value)
    kernel = kernels[launch.symbol]
    try:
        with compiling_for(target.capability):
            kernel.warmup(grid=(1, 1, 1), **given, **launch.options)
    except Exception as error:  # Triton raises anything; this is the boundary to it
        raise _rejected(kernel, launch.symbol, error) from error


def lower_launch(m: KernelModule, launch: Launch, target: Target) -> str:
    """TTIR of one launch after inlining, canonicalisation and CSE, without locations.

    That is what the kernel says, whatever its spelling (`ttir_form` compares two of them); no machine code is made.
    Raises CompileFailureError for a kernel that Triton rejects.
    """
    kernels = load_kernels(m, *_symbols(m, launch))
    kernel = kernels[launch.symbol]
    special = specialise(kernel, launch, kernels)
    source = ASTSource(kernel, dict(special.signature), dict(special.constants), _attributes(kernel, special))
    gpu = GPUTarget("cuda", target.capability, 32)
    try:
        with compiling_for(target.capability):
            compiler = make_backend(gpu)
            options = compiler.parse_options(dict(launch.options))
            context = ir.context()
            ir.load_dialects(context)
            compiler.load_dialects(context)
            module_map = compiler.get_module_map()
            lowered = source.make_ir(gpu, options, compiler.get_codegen_implementation(options), module_map, context)
            steps = ir.pass_manager(context)
            for step in (passes.common.add_inliner, *(passes.common.add_canonicalizer, passes.common.add_cse) * 2):
                step(steps)
            steps.run(lowered, "lower_launch")
            return str(lowered.str_nodebug())
    except Exception as error:  # Triton raises anything; this is the boundary to it
        raise _rejected(kernel, launch.symbol, error) from error


@dataclass(frozen=True)
class _Placeholder:
    """What Triton's JIT asks of a tensor: its dtype and its address."""

    dtype: torch.dtype
    address: int

    def data_ptr(self) -> int:
        """Where it would lie."""
        return self.address


def _as_compiled(built: Any, registers: int, spilled: int) -> Compiled:
    """What Triton's compiler gave; its name is the one that the machine code has it under."""
    return Compiled(
        symbol=built.metadata.name,
        capability=built.metadata.target.arch,
        ttir=built.asm["ttir"],
        ttgir=built.asm["ttgir"],
        llir=built.asm["llir"],
        ptx=built.asm["ptx"],
        cubin=built.asm["cubin"],
        resources=Resources(registers, spilled, built.metadata.shared),
        num_warps=built.metadata.num_warps,
    )


def compile_for_device(kernel: Any, arguments: Mapping[str, Any]) -> Compiled:
    """Compile a `JITFunction` for the GPU that is there and a launch with these arguments, and load it.

    Raises CompileFailureError, also for more shared memory than the GPU has.
    """
    try:
        built = kernel.warmup(grid=(1, 1, 1), **arguments)
        built._init_handles()
    except Exception as error:  # Triton raises anything; this is the boundary to it
        raise _rejected(kernel, kernel.__name__, error) from error
    return _as_compiled(built, built.n_regs, _SPILL_BYTES * built.n_spills)


def _rejected(kernel: Any, symbol: str, error: Exception) -> CompileFailureError:
    """Triton's complaint, cut to what matters: its innermost cause, and where the kernel led to it."""
    if not isinstance(error, CompilationError):
        return CompileFailureError(symbol, _essence(str(error)) or type(error).__name__)
    innermost: BaseException = error
    while innermost.__cause__ is not None:
        innermost = innermost.__cause__
    message = _essence(getattr(innermost, "error_message", None) or str(innermost)) or type(innermost).__name__
    callee = re.match(r"def (\w+)", getattr(innermost, "src", None) or "")
    if callee is not None and callee[1] != symbol:
        message = f"in @{callee[1]}, line {innermost.node.lineno}: {message}"  # type: ignore[attr-defined]
    decorators = "".join(kernel.raw_src).split(f"def {symbol}")[0].count("\n")
    line = error.node.lineno + decorators if error.node is not None else 0
    return CompileFailureError(symbol, message, line)


def _essence(message: str) -> str:
    """The first lines that say something, without the source excerpts and repro commands around them."""
    lines = [line.strip() for line in message.splitlines()]
    kept = [line for line in lines if line and not line.startswith(("at ", "Repro command", "^"))]
    return " ".join(kept[:3])[:600]


def _usage(cubin: bytes) -> tuple[int, int]:
    """Registers and stack bytes (where spills go) a thread, read from the machine code by Triton's cuobjdump."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        command = [knobs.nvidia.cuobjdump.path, "-res-usage", file.name]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"REG:(\d+) STACK:(\d+).*?LOCAL:(\d+)", answer.stdout)
    if found is None:
        raise UnsupportedVersionError(
            f"cuobjdump of Triton {triton.__version__} prints no resource usage: {answer.stdout}{answer.stderr}"
        )
    return int(found[1]), int(found[2]) + int(found[3])


def _cache_key(launch: Launch, special: Specialisation, target: Target, sources: Sequence[str]) -> str:
    constants = [(place, getattr(v, "__name__", None) or repr(v)) for place, v in special.constants.items()]
    content = [_SCHEMA, triton.__version__, target.capability, launch.symbol, list(sources)]
    content += [list(special.signature.items()), constants, special.attributes, sorted(launch.options.items())]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
