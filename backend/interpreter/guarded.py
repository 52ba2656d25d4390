"""The adapter for Triton's interpreter, first half: its builder, over guarded memory.

What is private there is touched here, in `batched.py` (shapes), `types.py` (types) and `language.py` (the
patches that make the language interpretable) alone; `versions.TRIED` has the releases that they were tried with.
"""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np
import torch
import triton.language as tl
from numpy.typing import NDArray

from kernelwright.backend.interpreter import numerics
from kernelwright.backend.interpreter.memory import AddressSpace
from kernelwright.backend.versions import adapting, parameters
from kernelwright.ir.values import INNER_DTYPES, INPUT_DTYPES

with adapting("the interpreter", "triton"):
    from triton.language.semantic import TritonSemantic
    from triton.runtime import interpreter as upstream

    _PADDING, _OP, _SEM = upstream._ir.PADDING_OPTION, upstream._ir.ATOMIC_OP, upstream._ir.MEM_SEMANTIC
    _SCOPE = upstream._ir.MEM_SYNC_SCOPE
    upstream.InterpretedFunction, upstream._ir.PROPAGATE_NAN, upstream._ir.INPUT_PRECISION  # noqa: B018
    parameters(TritonSemantic, "builder")
    parameters(upstream.TensorHandle, "data", "dtype")
    parameters(upstream.InterpreterOptions, "sanitize_overflow")
    parameters(upstream._get_np_dtype, "tt_dtype")
    parameters(upstream._patch_lang_tensor, "tensor", "scope")
    parameters(upstream._patch_lang_core, "lang", "scope")
    parameters(upstream.InterpreterBuilder.create_dot, "a", "b", "d")
    tl.core.is_builtin, tl.core.tensor_descriptor_base, tl.standard._sum_combine  # noqa: B018
    tl.standard._elementwise_max, tl.standard._elementwise_min  # noqa: B018

_upstream_np_dtype: Callable[[Any], np.dtype] = upstream._get_np_dtype
_NP_DTYPES: dict[str, np.dtype] = {}
_POINTER = np.dtype(np.uint64)
Handle = upstream.TensorHandle

#: What a pointer to a tensor of that dtype points to.
ELEMENTS: Mapping[torch.dtype, Any] = {
    torch.bool: tl.int1,
    torch.float8_e4m3fn: tl.float8e4nv,
    torch.float8_e5m2: tl.float8e5,
    **{
        getattr(torch, name): getattr(tl, name)
        for key, (name, _, _) in INNER_DTYPES.items()
        if key != "b1" and key not in INPUT_DTYPES
    },
}


def np_dtype(dtype: Any) -> np.dtype:
    """Numpy's dtype for a scalar, block or pointer type, remembered by name (upstream looks it up slowly)."""
    element = dtype.scalar
    if isinstance(element, tl.pointer_type):
        return _POINTER
    if element.name not in _NP_DTYPES:
        _NP_DTYPES[element.name] = _upstream_np_dtype(element)
    return _NP_DTYPES[element.name]


def _is_bf16(handle: Any) -> bool:
    return bool(handle.dtype.scalar == tl.bfloat16)


def _is_signed(handle: Any) -> bool:
    """Whether it holds integers of 32 bits with a sign; comparisons, whose type is the same, hold truth values."""
    return bool(handle.dtype.scalar == tl.int32) and handle.data.dtype.kind == "i"


def values_of(handle: Any) -> NDArray[Any]:
    """A handle's numbers; bfloat16 as fp32."""
    data: NDArray[Any] = handle.data
    name = handle.dtype.scalar.name
    if name in numerics.FP8:
        return numerics.fp8_to_f32(data, name)
    return numerics.bf16_to_f32(data) if _is_bf16(handle) else data


def _pack(values: NDArray[Any], dtype: Any) -> Any:
    """A handle of that dtype; comparisons keep their truth values."""
    if values.dtype == np.bool_:
        return Handle(values, dtype)
    if dtype == tl.bfloat16:
        return Handle(numerics.f32_to_bf16(values), dtype)
    return Handle(values.astype(np_dtype(dtype), copy=False), dtype)


@functools.lru_cache(64)
def _unset(dtype: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    """What lanes that are off hold where a load names no `other`: nothing that a program may count on. Sums find NaN,
    maxima and minima, which pass over it, numbers that are far out to either side."""
    kind = np_dtype(dtype)
    if isinstance(dtype, tl.pointer_type):
        return np.zeros(1, kind)
    if dtype.is_floating():
        large = {8: 400.0, 16: 3e4}.get(dtype.primitive_bitwidth, 1e30)
        some = pack_exact(np.array([large, -0.5 * large, np.nan], np.float32), dtype).data
    elif kind == np.bool_:
        some = np.array([True, False, True])
    else:
        limits = np.iinfo(kind)
        some = np.array([limits.max // 3, limits.min // 2 or limits.max // 2, limits.max // 3 + 1], kind)
    return np.resize(some, shape)


def _atomic_add(old: Any, new: Any) -> Any:
    return old + new


def _unsigned(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def apply(old: Any, new: Any) -> Any:
        kind = np.dtype(f"u{old.dtype.itemsize}")
        return function(old.view(kind), new.view(kind)).view(old.dtype)

    return apply


_COMBINE: Mapping[Any, Callable[[Any, Any], Any]] = {
    _OP.ADD: _atomic_add,
    _OP.FADD: _atomic_add,
    _OP.MIN: np.minimum,
    _OP.MAX: np.maximum,
    _OP.UMIN: _unsigned(np.minimum),
    _OP.UMAX: _unsigned(np.maximum),
    _OP.AND: np.bitwise_and,
    _OP.OR: np.bitwise_or,
    _OP.XOR: np.bitwise_xor,
    _OP.XCHG: lambda _old, new: new,
}


class GuardedBuilder(upstream.InterpreterBuilder):  # type: ignore[misc]
    """Triton's numpy builder with memory of our own, and the arithmetic that it gets wrong put right."""

    def __init__(self) -> None:
        super().__init__()
        self.options = upstream.InterpreterOptions(sanitize_overflow=False)
        self.memory: AddressSpace | None = None
        #: Whether nothing uses what an exchange finds: it is a store then.
        self.discards = False
        #: Whether integers of 32 bits keep all bits that arithmetic gives them: what a kernel means to compute.
        self.exact = False

    def __getattr__(self, name: str) -> NoReturn:
        raise NotImplementedError(f"Triton's interpreter has no {name.removeprefix('create_')}")

    def get_all_ones_value(self, type: Any) -> Any:
        """Of any integer type: numpy has no -1 of those without a sign."""
        return Handle(~self.get_null_value(type).data, type.scalar)

    # memory

    def create_load(self, ptr: Any, *hints: Any) -> Any:
        return self._load(ptr, None, None, bool(hints[-1]) if hints else False)

    def create_masked_load(self, ptrs: Any, mask: Any, other: Any, *hints: Any, **_named: Any) -> Any:
        assert self.memory is not None
        if other is None and not self.memory.zeros:
            element = ptrs.get_element_ty()
            other = Handle(_unset(element, ptrs.data.shape), element)
        return self._load(ptrs, mask, other, bool(hints[-1]) if hints else False)

    def _load(self, ptrs: Any, mask: Any, other: Any, volatile: bool = False) -> Any:
        assert self.memory is not None
        element = ptrs.get_element_ty()
        value = self.memory.load(ptrs.data, _data(mask), _data(other), np_dtype(element), volatile)
        return Handle(value, element)

    def load_padded(self, ptrs: Any, mask: Any, padding: Any) -> Any:
        """Load, with zeros or NaN where the mask is off."""
        nan = _pack(np.full(1, np.nan, np.float32), ptrs.get_element_ty()) if padding == _PADDING.PAD_NAN else None
        return self._load(ptrs, mask, nan)

    def create_store(self, ptr: Any, val: Any, *_hints: Any) -> Any:
        return self.create_masked_store(ptr, val, None)

    def create_masked_store(self, ptrs: Any, value: Any, mask: Any, *_hints: Any, **_named: Any) -> None:
        assert self.memory is not None
        data = value.data.astype(np_dtype(ptrs.get_element_ty()), copy=False)
        self.memory.store(ptrs.data, _data(mask), data)

    def create_barrier(self) -> None:
        self.synchronised()

    def synchronised(self) -> None:
        """What follows comes after all that the threads of a program have done: an operation waits for them."""
        if self.memory is not None:
            self.memory.barrier()

    def create_atomic_rmw(self, op: Any, ptr: Any, val: Any, mask: Any, *order: Any) -> Any:
        assert self.memory is not None
        combine = _COMBINE[op]
        bf16 = _is_bf16(val)

        def rounded(old: Any, new: Any) -> Any:
            return numerics.f32_to_bf16(combine(numerics.bf16_to_f32(old), numerics.bf16_to_f32(new)))

        self.synchronised()
        how = rounded if bf16 else combine
        old = self.memory.update(ptr.data, _data(mask), val.data, how, *_orders(order), reads=not self.discards)
        return Handle(old, val.dtype.scalar)

    def create_atomic_cas(self, ptr: Any, cmp: Any, val: Any, *order: Any) -> Any:
        assert self.memory is not None
        expected = cmp.data.reshape(-1)[0] if cmp.data.size == 1 else None
        if expected is None and len(np.unique(ptr.data)) < ptr.data.size:
            raise NotImplementedError(
                "atomic_cas with repeated addresses and a block of expected values is not supported"
            )
        wanted = np.broadcast_to(cmp.data, ptr.data.shape).reshape(-1)

        def swap(old: Any, new: Any) -> Any:
            return np.where(old == (wanted if expected is None else expected), new, old)

        self.synchronised()
        return Handle(self.memory.update(ptr.data, None, val.data, swap, *_orders(order)), cmp.dtype.scalar)

    def create_ptr_to_int(self, val: Any, dst_type: Any) -> Any:
        data = val.data if self.memory is None else self.memory.seen(val.data)
        return super().create_ptr_to_int(Handle(data, val.dtype), dst_type)

    def create_int_to_ptr(self, val: Any, dst_type: Any) -> Any:
        data = val.data.astype(np.int64).view(np.uint64) if val.data.dtype.kind == "i" else val.data.astype(np.uint64)
        return Handle(data if self.memory is None else self.memory.meant(data), dst_type.scalar)

    # numbers

    def get_bf16(self, value: float) -> Any:
        return _pack(np.array([value], dtype=np.float32), tl.bfloat16)

    def cast_impl(self, src: Any, dst_type: Any) -> Any:
        return pack_exact(values_of(src), dst_type.scalar)

    def create_bitcast(self, src: Any, dst_type: Any) -> Any:
        data = src.data.astype(np.int32) if self.exact and _is_signed(src) else src.data
        return super().create_bitcast(Handle(data, src.dtype), dst_type)

    def binary_op(self, lhs: Any, rhs: Any, op: Any) -> Any:
        if self.exact and _is_signed(lhs) and _is_signed(rhs):
            return Handle(op(lhs.data.astype(np.int64), rhs.data.astype(np.int64)), tl.int32)
        return _pack(op(values_of(lhs), values_of(rhs)), lhs.dtype.scalar)

    def unary_op(self, arg: Any, op: Any) -> Any:
        return _pack(op(values_of(arg)), arg.dtype.scalar)

    def create_minnumf(self, lhs: Any, rhs: Any) -> Any:
        return self.binary_op(lhs, rhs, np.fmin)

    def create_maxnumf(self, lhs: Any, rhs: Any) -> Any:
        return self.binary_op(lhs, rhs, np.fmax)

    def create_clampf(self, arg: Any, low: Any, high: Any, propagate_nans: Any) -> Any:
        value, lowest, highest = values_of(arg), values_of(low), values_of(high)
        if propagate_nans == upstream._ir.PROPAGATE_NAN.ALL:
            return _pack(np.clip(value, lowest, highest), arg.dtype.scalar)
        return _pack(np.fmin(np.fmax(value, lowest), highest), arg.dtype.scalar)

    def create_fma(self, x: Any, y: Any, z: Any) -> Any:
        return _pack(numerics.fused(*map(values_of, (x, y, z))), z.dtype.scalar)

    def create_umulhi(self, lhs: Any, rhs: Any) -> Any:
        return Handle(numerics.high_half(*np.broadcast_arrays(lhs.data, rhs.data)), lhs.dtype.scalar)

    def create_fp_to_fp(self, src: Any, dst_type: Any, rounding_mode: Any) -> Any:
        kinds = {src.dtype.scalar.name, dst_type.scalar.name}
        if not kinds & numerics.FP8.keys() or rounding_mode == upstream._ir.ROUNDING_MODE.RTZ:
            return super().create_fp_to_fp(src, dst_type, rounding_mode)
        return pack_exact(values_of(src), dst_type.scalar)

    def create_sqrt(self, arg: Any) -> Any:
        return self.unary_op(arg, numerics.sqrt)

    def create_rsqrt(self, arg: Any) -> Any:
        return self.unary_op(arg, numerics.rsqrt)

    def create_exp2(self, arg: Any) -> Any:
        return self.unary_op(arg, numerics.exp2)

    def create_erf(self, arg: Any) -> Any:
        return self.unary_op(arg, numerics.erf)

    def create_dot(self, a: Any, b: Any, d: Any, input_precision: Any, _max_num_imprecise_acc: Any) -> Any:
        self.synchronised()
        # Products of 8-bit integers are exact in fp64, and only floating products are fast in numpy.
        wide = np.float64 if a.data.dtype.itemsize == 8 or a.dtype.scalar.is_int() else np.float32
        left, right, start = (values_of(handle).astype(wide, copy=False) for handle in (a, b, d))
        if a.dtype.scalar == tl.float32 and input_precision == upstream._ir.INPUT_PRECISION.TF32:
            left, right = numerics.cut_to_tf32(left), numerics.cut_to_tf32(right)
        if d.dtype.scalar == tl.float16:
            return _pack(_in_half(left, right, start), d.dtype.scalar)
        return _pack(np.matmul(left, right) + start, d.dtype.scalar)

    def create_extern_elementwise(
        self, _library: str, _path: str, symbol: str, arguments: Sequence[Any], result: Any, _pure: bool
    ) -> Any:
        function = numerics.libdevice(symbol)
        if function is None:
            raise NotImplementedError(f"Triton's interpreter has no libdevice function {symbol}")
        return _pack(function(*map(values_of, arguments)), result.scalar)

    def create_print(self, *_arguments: Any) -> None:
        """Prints are dropped: whoever judges a kernel reads nothing it says."""


@contextmanager
def exactly(builder: GuardedBuilder) -> Iterator[None]:
    """Let integers of 32 bits keep all bits, though handles of Triton's refuse numbers that are too long."""
    check = vars(Handle).get("__post_init__")
    builder.exact = True
    Handle.__post_init__ = lambda _handle: None
    try:
        yield
    finally:
        builder.exact = False
        if check is None:
            del Handle.__post_init__
        else:
            Handle.__post_init__ = check


#: Terms that a tensor core adds before it rounds to an accumulator of 16 bits.
_HALF_STEP = 16


def _in_half(left: NDArray[Any], right: NDArray[Any], start: NDArray[Any]) -> NDArray[Any]:
    """A product whose accumulator is fp16."""
    total = start.astype(np.float16)
    for first in range(0, left.shape[-1], _HALF_STEP):
        terms = slice(first, first + _HALF_STEP)
        total = (total.astype(np.float32) + np.matmul(left[..., terms], right[..., terms, :])).astype(np.float16)
    return total


def _orders(order: Sequence[Any]) -> tuple[bool, bool, bool]:
    """Whether an atomic acquires and releases, by its memory semantics, and whether it is one to its program alone."""
    sem = order[0] if order else _SEM.ACQUIRE_RELEASE
    return sem in (_SEM.ACQUIRE, _SEM.ACQUIRE_RELEASE), sem in (_SEM.RELEASE, _SEM.ACQUIRE_RELEASE), is_narrow(order)


def is_narrow(order: Sequence[Any]) -> bool:
    """Whether an atomic's scope, which comes after its semantics, is its own program."""
    return len(order) > 1 and bool(order[1] == _SCOPE.CTA)


def pack_exact(values: NDArray[Any], dtype: Any) -> Any:
    """Convert to exactly that dtype, truth values too."""
    if dtype == tl.bfloat16:
        return Handle(numerics.f32_to_bf16(values.astype(np.float32)), dtype)
    if dtype.name in numerics.FP8:
        return Handle(numerics.f32_to_fp8(values, dtype.name), dtype)
    if values.dtype.kind == "f" and np_dtype(dtype).kind in "iu" and dtype != tl.int1:
        return Handle(numerics.to_integers(values, np_dtype(dtype)), dtype)
    return Handle(values.astype(np_dtype(dtype)), dtype)


def _data(handle: Any) -> Any:
    return None if handle is None else handle.data
