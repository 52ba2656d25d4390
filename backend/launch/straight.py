"""Host code made straight: what a launcher does for the reference's shapes, written statement by statement.

Rewrites of several kernels read host code that runs from top to bottom. A class, helper functions, branches on shapes
and grids as functions say the same for the shapes of a reference, which no pass changes.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import torch
import triton
from torch import Tensor

from kernelwright.backend.launch.binding import BoundLaunch, JitNamespace, KernelHandle
from kernelwright.backend.launch.execute import RecordingRuntime, bind, host_namespace, meta_arguments
from kernelwright.backend.reference.program import ReferenceProgram, init_call, tensor_at
from kernelwright.backend.tensors import SHORT_DTYPES, UNFILLED, spec_of
from kernelwright.backend.torch_private import TorchDispatchMode
from kernelwright.ir.errors import UserError
from kernelwright.ir.host.nesting import arguments_of, takes_of
from kernelwright.ir.kernel.canonical import canonical
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.text.expressions import literal
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.kernel.text.printing import with_functions
from kernelwright.ir.kernel.values import Constant, Function
from kernelwright.ir.values import DTYPES, KernelModule, Launcher, Scalar, TensorSpec

#: Torch's functions that give memory with one number everywhere, and the number; None where it is an argument.
_FILLED: Mapping[str, float | None] = {
    "zeros": 0.0, "zeros_like": 0.0, "new_zeros": 0.0, "ones": 1.0, "ones_like": 1.0, "new_ones": 1.0,
    "full": None, "full_like": None, "new_full": None,
}  # fmt: skip
#: Block sizes at which a grid that is a function is asked, to see what it divides by what.
_PROBES = (1, 3, 16, 40, 1000)
#: A block that is longer than anything.
_HUGE = 1 << 62


class NotStraightError(Exception):
    """Host code that does more than make tensors, view them, launch kernels and return tensors."""


def straightened(module: KernelModule) -> KernelModule:
    """The module with such host code; the same module where it does more than that, or looks at values of tensors."""
    if module.launcher is None:
        return module
    with suppress(NotStraightError, NotImplementedError, RuntimeError, UserError):
        return _Straight(module).module()
    return module


@dataclass(frozen=True)
class _Made:
    """A tensor that host code makes; `fill`: the number that it is full of, None where that is open."""

    name: str
    tensor: Tensor
    fill: float | None


@dataclass(frozen=True)
class _Launched:
    bound: BoundLaunch
    grid: Any


class _Handle(KernelHandle):
    """A kernel that remembers the grid as host code gave it."""

    asked: Any = None

    @property
    def is_plain(self) -> bool:
        """Whether no decorator chooses anything."""
        return not self._resolvers

    def bind(self, grid: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> BoundLaunch:
        self.asked = grid
        return super().bind(grid, args, kwargs)


class _Runtime(RecordingRuntime):
    def __init__(self, note: Callable[[_Handle, BoundLaunch], None]) -> None:
        super().__init__()
        self.triton = JitNamespace(note, _Handle)  # type: ignore[arg-type]


class _Watch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Tells of every operator that gives tensors."""

    def __init__(self, note: Callable[[Any, Sequence[Any], Any], None]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._note = note

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        self._note(func, args, result)
        return result


class _Straight:
    """One run of host code on meta tensors."""

    def __init__(self, module: KernelModule) -> None:
        self.original = module
        self.functions = kernel_functions(module)
        self.steps: list[_Made | _Launched] = []
        self.roots: dict[int, tuple[str, Tensor]] = {}
        self._alive: list[object] = []  # so that no other storage gets an id that is known
        self.taken = {spec.name for spec in module.reference.tensors} | set(self.functions) | {"torch", "triton"}
        self.taken |= {kernel.meta_name for kernel in module.kernels}

    def module(self) -> KernelModule:
        result = self._run()
        given = result if isinstance(result, tuple | list) else (result,)
        returned = [self._text(value, exact=True) for value in given]
        launches = [step for step in self.steps if isinstance(step, _Launched)]
        module = self._with_kernels(launches)
        lines = [self._line(step, module) for step in self.steps]
        value = f"({', '.join(returned)})" if isinstance(result, tuple | list) and len(given) > 1 else returned[0]
        used = [s for s in self._specs() if any(_mentions(line, s.name) for line in [*lines, value])]
        used = used or [*self._specs()][:1]
        head = f"def forward({', '.join(f'{spec.name}: {spec.annotation!r}' for spec in used)}):".replace("'", '"')
        text = "\n".join([head, *(f"    {line}" for line in [*lines, f"return {value}"])])
        return replace(module, launcher=Launcher(text.replace(_DEVICE, used[0].name)))

    def _specs(self) -> list[TensorSpec]:
        return list(self.original.reference.tensors)

    def _run(self) -> Any:
        module, runtime = self.original, _Runtime(self._launched)
        assert module.launcher is not None
        space = host_namespace(module, runtime)
        entry = space.get(module.launcher.entry)
        inputs, state = meta_arguments(module)
        if entry is None or not self._specs():
            raise NotStraightError("no entry, or no tensor to take the device of")
        for spec, value in zip(module.reference.inputs, inputs, strict=True):
            if isinstance(value, Tensor):
                self._know(spec.name, value)
        with torch.no_grad(), runtime.host_mode():
            if module.launcher.form == "class":
                model = self._model(entry, state)
                with _Watch(self._operator):
                    return model(*arguments_of(takes_of(module.reference.source), inputs))
            for name, value in state.items():
                self._know(name, value)
            names = entry.__code__.co_varnames[: entry.__code__.co_argcount]
            values = bind(module, inputs, state)
            with _Watch(self._operator):
                return entry(*(values[name] for name in names))

    def _model(self, entry: Any, state: Mapping[str, Tensor]) -> Any:
        """The launcher's class, whose tensors are those of the reference's state where paths and shapes are."""
        program = ReferenceProgram.load(self.original.reference)
        torch.manual_seed(0)
        arguments, keywords = init_call(program.init_arguments())
        model = entry(*arguments, **keywords).to(torch.device("meta"))
        paths = {spec.tensor.name: spec.path for spec in self.original.reference.state}
        for name, value in state.items():
            held = tensor_at(model, paths.get(name, name))
            if held is not None and (held.shape, held.stride(), held.dtype) == (
                value.shape,
                value.stride(),
                value.dtype,
            ):
                self._know(name, held)
        return model

    def _know(self, name: str, tensor: Tensor) -> None:
        self.roots.setdefault(_storage(tensor), (name, tensor))
        self._alive.append(tensor.untyped_storage())

    def _operator(self, func: Any, args: Sequence[Any], result: Any) -> None:
        made = [one for one in (result if isinstance(result, tuple | list) else [result]) if isinstance(one, Tensor)]
        name = func.overloadpacket.__name__
        if func._schema.is_mutable:
            raise NotStraightError(f"{name} changes a tensor")
        fill = _FILLED.get(name)
        if name in _FILLED and fill is None:
            fill = next((one for one in reversed(args) if isinstance(one, int | float)), None)
            if fill is None:
                raise NotStraightError(f"{name} of an unknown number")
        for tensor in made:
            if _storage(tensor) in self.roots:
                continue
            if (name not in UNFILLED and fill is None) or tensor.dtype not in SHORT_DTYPES:
                raise NotStraightError(f"{name} computes")
            if fill is not None and not tensor.is_contiguous():
                raise NotStraightError(f"{name} of another layout")
            fresh = self._fresh()
            self._know(fresh, tensor)
            self.steps.append(_Made(fresh, tensor, fill))

    def _fresh(self) -> str:
        number = sum(isinstance(step, _Made) for step in self.steps)
        while f"buf{number}" in self.taken:
            number += 1
        self.taken.add(f"buf{number}")
        return f"buf{number}"

    def _launched(self, handle: _Handle, bound: BoundLaunch) -> None:
        function = self.functions.get(bound.symbol)
        if not handle.is_plain or function is None or function.decorators != ("triton.jit",):
            raise NotStraightError(f"@{bound.symbol} is launched by what its decorators choose")
        self.steps.append(_Launched(bound, handle.asked))

    def _with_kernels(self, launches: Sequence[_Launched]) -> KernelModule:
        """The module whose kernels have block sizes as options, by their last parameters, and no other constants."""
        options: dict[str, tuple[tuple[str, Scalar], ...]] = {}
        for launch in launches:
            known = _options(launch.bound)
            if options.setdefault(launch.bound.symbol, known) != known:
                raise NotStraightError(f"@{launch.bound.symbol} is launched with different constants")
        changed: dict[str, Function] = {}
        for symbol, given in options.items():
            function, names = self.functions[symbol], {one.name for one in self.functions[symbol].parameters}
            fixed = {name: value for name, value in given if name in names and not _is_block(value)}
            made = _constants_last(_with_constants(function, fixed))
            options[symbol] = tuple(pair for pair in given if pair[0] not in fixed)
            changed |= {symbol: made} if made is not function else {}
        module = with_functions(self.original, changed)
        kernels = tuple(replace(k, meta=options.get(k.symbol, k.meta)) for k in module.kernels)
        return replace(module, kernels=kernels)

    def _text(self, value: Any, *, exact: bool) -> str:
        """An argument or a result; `exact`: of that shape, not only at that place in memory."""
        if not isinstance(value, Tensor):
            if isinstance(value, torch.dtype | torch.device) or (value is not None and type(value) not in _PLAIN):
                raise NotStraightError(f"{value!r} is given to a kernel")
            return _number(value)
        known = self.roots.get(_storage(value))
        if known is None or known[1].dtype != value.dtype:
            raise NotStraightError("a tensor of unknown origin")
        name, root = known
        same = (root.shape, root.stride()) == (value.shape, value.stride()) or not exact
        if same and root.storage_offset() == value.storage_offset():
            return name
        place = f"{tuple(value.shape)}, {tuple(value.stride())}, {value.storage_offset()}"
        return f"{name}.as_strided({place})"

    def _line(self, step: _Made | _Launched, module: KernelModule) -> str:
        if isinstance(step, _Launched):
            return self._launch_line(step, module)
        spec = spec_of(step.name, step.tensor)
        rest = f"device={_DEVICE}.device, dtype=torch.{DTYPES[spec.dtype][0]})"
        if step.fill is None:
            return f"{step.name} = torch.empty_strided({spec.shape}, {spec.strides}, {rest}"
        if step.fill == 0:
            return f"{step.name} = torch.zeros({spec.shape}, {rest}"
        return f"{step.name} = torch.full({spec.shape}, {_number(step.fill)}, {rest}"

    def _launch_line(self, launch: _Launched, module: KernelModule) -> str:
        bound = launch.bound
        kernel = module.kernel(bound.symbol)
        given = [self._text(v, exact=False) for name, v in bound.arguments.items() if name not in bound.constexprs]
        grid = [_size(launch, axis, dict(kernel.meta), kernel.meta_name) for axis in range(3)]
        while len(grid) > 1 and grid[-1] == "1":
            grid.pop()
        options = [f"**{kernel.meta_name}"] if kernel.meta else []
        return f"{kernel.symbol}[({', '.join(grid)},)]({', '.join([*given, *options])})"


_DEVICE = "__tensor__"
_PLAIN = (bool, int, float, str)


def _storage(tensor: Tensor) -> int:
    return id(tensor.untyped_storage())


def _mentions(line: str, name: str) -> bool:
    return name in line.replace(_DEVICE, "").translate(_SPLIT).split()


_SPLIT = str.maketrans(dict.fromkeys("()[],.=*'\"{}", " "))


def _number(value: Any) -> str:
    """A number as text that gives it again."""
    text = repr(value)
    return f"float({text!r})" if text in ("inf", "-inf", "nan") else text


def _options(bound: BoundLaunch) -> tuple[tuple[str, Scalar], ...]:
    found = [(name, v) for name, v in bound.arguments.items() if name in bound.constexprs] + [*bound.options.items()]
    plain = [(name, getattr(value, "value", value)) for name, value in found]
    if any(type(value) not in _PLAIN for _, value in plain):
        raise NotStraightError(f"@{bound.symbol} has a constant that is no number")
    return tuple(plain)


def _is_block(value: Scalar) -> bool:
    """Whether a constant may be a block size, to be tuned."""
    return type(value) is int and value > 1 and value & (value - 1) == 0


def _with_constants(function: Function, values: Mapping[str, Scalar]) -> Function:
    """The function with numbers in place of parameters."""
    edits = Rewriting(function)
    for name, value in values.items():
        edits.replace(function.argument(name), Constant(literal(value)))
        edits.drop(name)
    return edits.done()


def _constants_last(function: Function) -> Function:
    """The function with parameters for constants after the others."""
    pairs = list(zip(function.parameters, function.body.arguments, strict=True))
    if any(one.keyword_only for one, _ in pairs):
        raise NotStraightError(f"@{function.symbol} has parameters by name only")
    order = [pair for pair in pairs if not pair[0].is_constexpr] + [pair for pair in pairs if pair[0].is_constexpr]
    if order == pairs and not any(one.default for one, _ in pairs):
        return function
    parameters = tuple(replace(one, default="") for one, _ in order)
    body = replace(function.body, arguments=tuple(value for _, value in order))
    return canonical(replace(function, parameters=parameters, body=body))


def _size(launch: _Launched, axis: int, meta: Mapping[str, Scalar], meta_name: str) -> str:
    """Programs along an axis: what a grid that is a function divides by which launch options, else the number."""
    size = launch.bound.grid[axis]
    given = {n: v for n, v in meta.items() if n in launch.bound.constexprs and type(v) is int}
    if not callable(launch.grid) or not given:
        return str(size)
    probes = [given, *(dict.fromkeys(given, block) for block in _PROBES)]
    probes += [given | {name: block} for name in given for block in _PROBES]
    with suppress(ArithmeticError, ValueError):
        totals = {name: _asked(launch, axis, dict.fromkeys(given, _HUGE) | {name: 1}) for name in given}
        totals = {name: total for name, total in totals.items() if total > 1}
        if all(_asked(launch, axis, p) == prod(triton.cdiv(t, p[n]) for n, t in totals.items()) for p in probes):
            parts = [f"triton.cdiv({total}, {meta_name}[{name!r}])" for name, total in totals.items()]
            return " * ".join(parts) or str(size)
    return str(size)


def _asked(launch: _Launched, axis: int, options: Mapping[str, int]) -> int:
    """Programs along an axis were options these."""
    sizes = tuple(launch.grid({**launch.bound.arguments, **launch.bound.options, **options}))
    return int(sizes[axis]) if axis < len(sizes) else 1
