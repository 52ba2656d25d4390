"""The adapter for Triton's interpreter, second half: the language patched to use our builder.

What is private there is touched here and in the modules that `guarded.py` names, which looks for all of it.
"""

import builtins
import functools
import math
import operator
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import Any, NoReturn

import numpy as np
import torch
import triton.language as tl
from numpy.typing import NDArray
from triton import JITFunction
from triton.language import semantic
from triton.language.extra.cuda import libdevice
from triton.runtime import interpreter as upstream

from kernelwright.backend.interpreter import hints, numerics, rewrite
from kernelwright.backend.interpreter import types as interp_types
from kernelwright.backend.interpreter.batched import BatchedBuilder
from kernelwright.backend.interpreter.batched_signals import Divergence
from kernelwright.backend.interpreter.guarded import ELEMENTS, Handle, np_dtype, pack_exact, values_of

#: Of a loop of so many rounds, the numbers of those that run.
Rounds = Callable[[int], Iterable[int]]


class Language:
    """`triton.language` as the interpreter wants it: changes made before a launch and undone after.

    `helper` turns a jit function's Python function into what calls it inside a kernel.
    """

    def __init__(self, helper: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        self.builder = BatchedBuilder()
        self.semantic = semantic.TritonSemantic(self.builder)
        self._helper = helper
        #: Which rounds of a loop run, by the frame that it is in.
        self.chosen: Callable[[FrameType | None], Rounds] = lambda _frame: builtins.range
        self._changes: dict[int, tuple[Any, dict[str, Any]]] = {}
        self._helpers: dict[int, Any] = {}
        #: What the language had in the places of the changes, while it is patched.
        self._saved: list[dict[str, Any]] | None = None
        for module in (tl, tl.core, tl.math, tl.standard, tl.random, libdevice):
            self._adopt(module, vars(module))
        self._adopt(tl.tensor, self._methods())
        self._adopt(tl.core.tensor_descriptor_base, vars(tl.core.tensor_descriptor_base))
        self.set_attr(upstream, "_get_np_dtype", np_dtype)
        upstream._patch_lang_tensor(tl.tensor, self)
        self.set_attr(tl.tensor, "__index__", lambda tensor: int(self.builder.agreed(tensor.handle.data)))
        self.set_attr(tl.tensor, "__bool__", lambda tensor: self._decide(tensor, sys._getframe(1)))
        self.set_attr(tl.tensor, "T", property(lambda tensor: self.semantic.permute(tensor, (1, 0))))
        for module in (tl, tl.core):
            upstream._patch_lang_core(module, self)
        for target, name, value in interp_types.changes():
            self.set_attr(target, name, value)
        # Ours come last: Triton 3.7 sets reduce and scan on both modules whichever it is asked to patch.
        for module in (tl, tl.core):
            self._replace(module)

    def set_attr(self, target: Any, name: str, value: Any) -> None:
        """Note one change; also what Triton's own patches call."""
        self._changes.setdefault(id(target), (target, {}))[1][name] = value

    def _methods(self) -> dict[str, Any]:
        """The methods of `tl.tensor`; those that forward to a jit function, as that function."""
        standard = {name: value for name, value in vars(tl.standard).items() if _jit_body(value)}
        methods = {name: value for name, value in vars(tl.tensor).items() if callable(value)}
        return {name: standard.get(name, value) for name, value in methods.items()}

    def _adopt(self, target: Any, members: Mapping[str, Any]) -> None:
        for name, member in list(members.items()):
            if tl.core.is_builtin(member):
                self.set_attr(target, name, self._builtin(member))
            elif body := _jit_body(member):
                helper = self._helpers.setdefault(id(member), self._helper(body))
                method = not isinstance(target, ModuleType)
                self.set_attr(target, name, _as_method(helper) if method else helper)

    def _builtin(self, member: Callable[..., Any]) -> Callable[..., Any]:
        inner = getattr(member, "__wrapped__", member)  # without the check that it runs inside a kernel

        def call(*args: Any, **kwargs: Any) -> Any:
            kwargs["_semantic"] = self.semantic
            return inner(*args, **kwargs)

        return call

    def _replace(self, module: ModuleType) -> None:
        """What Triton's interpreter does slowly, wrongly or not at all."""
        replacements = {
            "reduce": self._reduce,
            "associative_scan": self._scan,
            "range": self.range,
            "map_elementwise": _unsupported("map_elementwise"),
            "dot_scaled": _unsupported("dot_scaled"),
            "inline_asm_elementwise": _unsupported("inline_asm_elementwise"),
            "static_print": lambda *_values, **_options: None,
            "multiple_of": hints.multiple_of,
            "max_contiguous": hints.max_contiguous,
            "max_constancy": hints.max_constancy,
            "assume": hints.assume,
        }
        for name, value in replacements.items():
            self.set_attr(module, name, value)

    @contextmanager
    def active(self) -> Iterator[None]:
        """The language patched, for the whole process; whoever has it patched already waits for no second time."""
        if self._saved is not None:
            yield
            return
        try:
            self._patch()
            yield
        finally:
            self._restore()

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """The language as Triton has it, also while it is active."""
        if self._saved is None:
            yield
            return
        self._restore()
        try:
            yield
        finally:
            self._patch()

    def _patch(self) -> None:
        self._saved = [_those_of(target, new) for target, new in self._changes.values()]
        for target, new in self._changes.values():
            _set_all(target, new)

    def _restore(self) -> None:
        saved, self._saved = self._saved, None
        assert saved is not None, "the language is not patched"
        for (target, new), old in zip(self._changes.values(), saved, strict=True):
            for name in new.keys() - old.keys() if len(old) < len(new) else ():
                if name in vars(target):
                    delattr(target, name)
            _set_all(target, old)

    # values

    def argument(self, value: Any, dtype: Any = None) -> Any:
        """A launch's scalar argument as the tensor a kernel sees; other values unchanged."""
        if isinstance(value, tl.constexpr):
            return value.value
        if isinstance(value, bool | int | float):
            kind = dtype or _scalar_type(value)
            return tl.tensor(pack_exact(np.array([value]), kind), kind)
        if isinstance(value, tuple | list):
            return tl.tuple([self.argument(item) for item in value])
        return value

    def pointer(self, address: int, dtype: torch.dtype) -> Any:
        """A scalar pointer to elements of a torch dtype."""
        kind = tl.pointer_type(ELEMENTS[dtype])
        return tl.tensor(Handle(np.array([address], dtype=np.uint64), kind), kind)

    def _decide(self, tensor: Any, asking: FrameType) -> bool:
        data = tensor.handle.data
        if math.prod(data.shape[1:]) > 1:
            return True
        if asking.f_globals is vars(semantic):
            return True  # it asks whether an optional operand is there, such as `other`, which may be zero
        return bool(self.builder.agreed(data.astype(np.bool_)))

    def value(self, value: Any) -> Any:
        """What an assignment makes of a value: numbers become tensors."""
        if isinstance(value, tuple):
            return type(value)(map(self.value, value)) if type(value) is tuple else value
        return self.semantic.to_tensor(value, False)

    def range(self, *bounds: Any, **options: Any) -> Iterator[Any]:
        """`range` and `tl.range`; counters are tensors, as they are when compiled."""
        if "step" in options:
            bounds = (*((0, *bounds) if len(bounds) == 1 else bounds), options["step"])
        wide = any(isinstance(bound, tl.tensor) and bound.dtype == tl.int64 for bound in bounds)
        kind = tl.int64 if wide else tl.int32
        numbers = np.dtype(np.int64) if self.builder.exact else np_dtype(kind)
        for count in _counts([_bound(bound) for bound in bounds], self.chosen(sys._getframe(1))):
            yield tl.tensor(Handle(count.astype(numbers), kind), kind)

    def _fewest(self, choose: Callable[..., Any], combine: Callable[..., Any]) -> Callable[..., Any]:
        """`min` and `max`: Python's own on compile-time values, else elementwise."""

        def call(*args: Any, **options: Any) -> Any:
            if not any(isinstance(arg, tl.tensor) for arg in args):
                return choose(*map(_plain, args), **options)
            return functools.reduce(combine, args)

        return call

    def bindings(self) -> dict[str, Any]:
        """The names that rewritten kernels use."""
        return {
            rewrite.VALUE: self.value,
            rewrite.AND: lambda left, right: _logical(left, right, "logical_and", lambda truth: not truth),
            rewrite.OR: lambda left, right: _logical(left, right, "logical_or", bool),
            rewrite.NOT: lambda value: value.__not__() if isinstance(value, tl.tensor) else not value,
            rewrite.TRUTH: _truth,
            rewrite.AGAIN: self._again,
            rewrite.DISCARD: self._discard,
        }

    def _again(self, value: Any) -> bool:
        """The truth of a loop's condition."""
        memory, truth = self.builder.memory, _truth(value)
        if truth and memory is not None and memory.watch is not None:
            frame, programs = sys._getframe(1), memory.programs
            memory.watch.again((int(programs[0]), id(frame), frame.f_lineno), programs.size > 1)
        return truth

    def _discard(self, exchange: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call an exchange whose old value nothing uses."""
        self.builder.discards = True
        try:
            return exchange(*args, **kwargs)
        finally:
            self.builder.discards = False

    def builtins(self) -> dict[str, Any]:
        """Python's names that mean something else in kernels, unless a kernel's module defines them."""
        return {
            "range": self.range,
            "min": self._fewest(builtins.min, lambda a, b: tl.minimum(a, b)),
            "max": self._fewest(builtins.max, lambda a, b: tl.maximum(a, b)),
        }

    # folds

    def _fold(self, inputs: Any, axis: int, combine: Any, how: Callable[..., Any], flip: bool) -> list[Any]:
        """Apply `how` (numerics.fold or scan) along an axis of the arrays, with handles' raw data."""
        kinds = [tensor.dtype for tensor in inputs]
        count = max(tensor.handle.data.shape[0] for tensor in inputs)

        def joined(left: numerics.Arrays, right: numerics.Arrays) -> numerics.Arrays:
            operands = [_tensor(a, kind) for part in (left, right) for a, kind in zip(part, kinds, strict=True)]
            result = combine(*operands)
            items = result if isinstance(result, tuple | tl.tuple) else (result,)
            return [np.broadcast_to(item.handle.data, left[0].shape) for item in items]

        self._meet(inputs[0].handle.data, axis)
        arrays = [np.broadcast_to(t.handle.data, (count, *t.handle.data.shape[1:])) for t in inputs]
        arrays = [np.flip(a, axis) for a in arrays] if flip else arrays
        return list(how(arrays, joined, axis))

    def _meet(self, data: NDArray[Any], axis: int) -> None:
        """Threads that fold wait for each other, unless those of one warp have all that is folded: up to as many
        neighbours as it has threads."""
        if axis < data.ndim - 1 or data.shape[axis] > _WARP:
            self.builder.synchronised()

    def _reduce(self, input: Any, axis: Any, combine_fn: Any, keep_dims: Any = False, **_context: Any) -> Any:
        inputs, single = _operands(input)
        axis, keep = _plain(axis), _plain(keep_dims)
        rank = len(inputs[0].shape)
        if axis is None:
            flat = [_tensor(t.handle.data.reshape(t.handle.data.shape[0], -1), t.dtype) for t in inputs]
            arrays = self._reduced(flat, 1, combine_fn)
            arrays = [a.reshape(-1, *(1,) * rank) for a in arrays] if keep else arrays
        else:
            axis = axis % rank + 1
            arrays = self._reduced(inputs, axis, combine_fn)
            arrays = [np.expand_dims(a, axis) for a in arrays] if keep else arrays
        results = [_tensor(a, tensor.dtype) for a, tensor in zip(arrays, inputs, strict=True)]
        return results[0] if single else tl.tuple(results)

    def _reduced(self, inputs: Any, axis: int, combine_fn: Any) -> list[Any]:
        fast = _FAST_REDUCE.get(getattr(combine_fn, "fn", None))
        if fast is None or len(inputs) > 1 or inputs[0].dtype == tl.int1:
            turned = self.builder.memory is not None and self.builder.memory.turned
            how = functools.partial(numerics.fold_by_threads, threads=_THREADS) if turned else numerics.fold
            return self._fold(inputs, axis, combine_fn, how, False)
        self._meet(inputs[0].handle.data, axis)
        if inputs[0].dtype == tl.float16 and combine_fn.fn is _SUM:
            return [numerics.fold_in_turn(inputs[0].handle.data, axis, _THREADS)]
        # One layout, so that the order of additions depends on nothing else.
        values = np.ascontiguousarray(values_of(inputs[0].handle))
        result = fast(inputs[0].dtype.is_floating())(values, axis=axis)
        return [pack_exact(result, inputs[0].dtype).data]

    def _scan(self, input: Any, axis: Any, combine_fn: Any, reverse: Any = False, **_context: Any) -> Any:
        inputs, single = _operands(input)
        axis, flip = _plain(axis) % len(inputs[0].shape) + 1, bool(_plain(reverse))
        arrays = self._fold(inputs, axis, combine_fn, numerics.scan, flip)
        arrays = [np.flip(a, axis) if flip else a for a in arrays]
        results = [_tensor(np.ascontiguousarray(a), t.dtype) for a, t in zip(arrays, inputs, strict=True)]
        return results[0] if single else tl.tuple(results)


def _those_of(target: Any, names: Iterable[str]) -> dict[str, Any]:
    """What a module or a class itself has under these names."""
    members = vars(target)
    return {name: members[name] for name in names if name in members}


def _set_all(target: Any, values: Mapping[str, Any]) -> None:
    """Set attributes; those of a module, of which there are hundreds, at once."""
    if isinstance(target, ModuleType):
        vars(target).update(values)
        return
    for name, value in values.items():
        setattr(target, name, value)


def _jit_body(member: Any) -> Callable[..., Any] | None:
    """The Python function of a jit function, however Triton was started."""
    if isinstance(member, JITFunction | upstream.InterpretedFunction):
        body: Callable[..., Any] = member.fn
        return body
    return None


_SUM = _jit_body(tl.standard._sum_combine)
#: Threads of a warp, and threads that share a reduction, of four warps.
_WARP, _THREADS = 32, 128

_FAST_REDUCE: Mapping[Any, Callable[[bool], Callable[..., Any]]] = {
    _jit_body(tl.standard._sum_combine): lambda _floating: np.sum,
    _jit_body(tl.standard._elementwise_max): lambda floating: (np.fmax if floating else np.maximum).reduce,
    _jit_body(tl.standard._elementwise_min): lambda floating: (np.fmin if floating else np.minimum).reduce,
}


def _scalar_type(value: bool | int | float) -> Any:
    """The type a compiled kernel has for a number among its arguments; raises OverflowError past 64 bits."""
    if isinstance(value, bool | float):
        return tl.int1 if isinstance(value, bool) else tl.float32
    for kind in (tl.int32, tl.uint32, tl.int64, tl.uint64):
        limits = np.iinfo(np_dtype(kind))
        if limits.min <= value <= limits.max:
            return kind
    raise OverflowError(f"{value} does not fit in 64 bits")


def _as_method(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **kwargs: function(*args, **kwargs)


def _unsupported(name: str) -> Callable[..., Any]:
    def refuse(*_args: Any, **_kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"Triton's interpreter has no {name}")

    return refuse


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, tl.constexpr) else value


def _bound(value: Any) -> NDArray[np.int64]:
    """A loop's bound, for each program or for all."""
    if isinstance(value, tl.tensor) and value.handle.data.size > 1:
        data: NDArray[Any] = value.handle.data
        if data.ndim > 1:
            raise ValueError(f"a block of shape {value.shape} is no loop bound")
        return data.astype(np.int64)
    return np.array([operator.index(_plain(value))], dtype=np.int64)


def _counts(bounds: list[NDArray[np.int64]], chosen: Rounds) -> Iterator[NDArray[np.int64]]:
    """What `range` counts in each program in the rounds that run, where all count equally often; raises Divergence."""
    start, stop = (np.zeros(1, np.int64), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
    step = bounds[2] if len(bounds) > 2 else np.ones(1, np.int64)
    if not step.all():
        raise ValueError("range() arg 3 must not be zero")
    rounds = np.maximum(-((start - stop) // step), 0)
    if (rounds != rounds[0]).any():
        raise Divergence(rounds)
    for number in chosen(int(rounds[0])):
        yield start + number * step


def _operands(value: Any) -> tuple[list[Any], bool]:
    """The operands of a fold, and whether there was one outside a tuple."""
    if isinstance(value, tuple | list | tl.tuple):
        return list(value), False
    return [value], True


def _tensor(data: NDArray[Any], dtype: Any) -> Any:
    """A tensor, or a scalar where the programs are the only axis."""
    return tl.tensor(Handle(data, dtype), tl.block_type(dtype, list(data.shape[1:])) if data.ndim > 1 else dtype)


def _logical(left: Any, right: Callable[[], Any], method: str, decides: Callable[[bool], bool]) -> Any:
    """`and` and `or`: elementwise on tensors, Python's own on compile-time values."""
    if not isinstance(left, tl.tensor):
        return left if decides(bool(left)) else right()
    other = right()
    if not isinstance(other, tl.tensor):
        return other if decides(bool(other)) else left
    return getattr(left, method)(other)


def _truth(value: Any) -> bool:
    if isinstance(value, tl.tensor) and math.prod(value.handle.data.shape[1:]) > 1:
        raise ValueError(f"a block of shape {value.shape} is no condition; use tl.where")
    return bool(value)
