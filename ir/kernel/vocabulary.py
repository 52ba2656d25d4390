"""The kinds of operations, as tables: signatures of functions, effects, operators.

Source: signatures of `triton.language` 3.7; a test compares them with the installed Triton. Kinds that are no
function of the language: operators (`add`, `lt`, …), `scalar`, `tuple`, `getitem`, `attribute`, `method.*`, `python.*`,
`call`, `if`, `for`, `static_for`, `while`, `return`, `assert`, `opaque`.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from kernelwright.ir.dialect.tables import LANGUAGE_MATH, LIBDEVICE
from kernelwright.ir.kernel.values import Effect

_SIGNATURES = """
abs(x)
add(x, y, sanitize_overflow=True)
advance(base, offsets)
arange(start, end)
argmax(input, axis, tie_break_left=True, keep_dims=False)
argmin(input, axis, tie_break_left=True, keep_dims=False)
associative_scan(input, axis, combine_fn, reverse=False)
assume(cond)
atomic_add(pointer, val, mask=None, sem=None, scope=None)
atomic_and(pointer, val, mask=None, sem=None, scope=None)
atomic_cas(pointer, cmp, val, sem=None, scope=None)
atomic_max(pointer, val, mask=None, sem=None, scope=None)
atomic_min(pointer, val, mask=None, sem=None, scope=None)
atomic_or(pointer, val, mask=None, sem=None, scope=None)
atomic_xchg(pointer, val, mask=None, sem=None, scope=None)
atomic_xor(pointer, val, mask=None, sem=None, scope=None)
broadcast(input, other)
broadcast_to(input, *shape)
cast(input, dtype, fp_downcast_rounding=None, bitcast=False)
cat(input, other, can_reorder=False, dim=0)
cdiv(x, div)
ceil(x)
clamp(x, min, max, propagate_nan=tl.PropagateNan.NONE)
constexpr(value)
cos(x)
cumprod(input, axis=0, reverse=False)
cumsum(input, axis=0, reverse=False, dtype=None)
debug_barrier()
device_assert(cond, msg='', mask=None)
device_print(prefix, *args, hex=False)
div_rn(x, y)
dot(input, other, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None, out_dtype=tl.float32)
dot_scaled(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, fast_math=False, lhs_k_pack=True, \
rhs_k_pack=True, out_dtype=tl.float32)
erf(x)
exp(x)
exp2(x)
expand_dims(input, axis)
fdiv(x, y, ieee_rounding=False)
flip(x, dim=None)
floor(x)
fma(x, y, z)
full(shape, value, dtype)
gather(src, index, axis)
histogram(input, num_bins, mask=None)
interleave(a, b)
join(a, b)
load(pointer, mask=None, other=None, boundary_check=(), padding_option='', cache_modifier='', eviction_policy='', \
volatile=False)
load_tensor_descriptor(desc, offsets)
log(x)
log2(x)
make_block_ptr(base, shape, strides, offsets, block_shape, order)
make_tensor_descriptor(base, shape, strides, block_shape, padding_option='zero')
max(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False)
max_constancy(input, values)
max_contiguous(input, values)
maximum(x, y, propagate_nan=tl.PropagateNan.NONE)
min(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False)
minimum(x, y, propagate_nan=tl.PropagateNan.NONE)
mul(x, y, sanitize_overflow=True)
multiple_of(input, values)
num_programs(axis)
permute(input, *dims)
pointer_type(element_ty, address_space=1, const=False)
program_id(axis)
rand(seed, offset, n_rounds=10)
randint(seed, offset, n_rounds=10)
randn(seed, offset, n_rounds=10)
ravel(x, can_reorder=False)
reduce(input, axis, combine_fn, keep_dims=False)
reduce_or(input, axis, keep_dims=False)
reshape(input, *shape, can_reorder=False)
rsqrt(x)
sigmoid(x)
sin(x)
softmax(x, dim=None, keep_dims=False, ieee_rounding=False)
sort(x, dim=None, descending=0)
split(a)
sqrt(x)
sqrt_rn(x)
static_assert(cond, msg='')
static_print(*values, sep=' ', end='\\n', file=None, flush=False)
store(pointer, value, mask=None, boundary_check=(), cache_modifier='', eviction_policy='')
store_tensor_descriptor(desc, offsets, value)
sub(x, y, sanitize_overflow=True)
sum(input, axis=None, keep_dims=False, dtype=None)
swizzle2d(i, j, size_i, size_j, size_g)
topk(x, k, dim=None)
trans(input, *dims)
umulhi(x, y)
view(input, *shape)
where(condition, x, y)
xor_sum(input, axis=None, keep_dims=False)
zeros(shape, dtype)
zeros_like(input)
"""

_READS = {"load", "load_tensor_descriptor"}
_WRITES = {
    *(name.split("(")[0] for name in _SIGNATURES.split() if name.startswith("atomic_")),
    *("store", "store_tensor_descriptor", "debug_barrier", "device_assert", "device_print", "assume"),
    *("static_assert", "static_print"),
}


#: Kinds that give nothing.
NO_RESULT = frozenset(
    """store store_tensor_descriptor debug_barrier device_assert device_print assume static_assert static_print
    method.store method.scatter""".split()
)


@dataclass(frozen=True)
class Signature:
    """Parameters of a function in order, the text of their defaults, and the one that takes a list ("" for none)."""

    name: str
    parameters: tuple[str, ...]
    defaults: Mapping[str, str]
    variadic: str = ""
    effect: Effect = Effect.PURE


def _read(line: str) -> Signature:
    function = ast.parse(f"def {line}: pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    arguments = function.args
    plain = [argument.arg for argument in arguments.args]
    defaults = dict(zip(reversed(plain), map(ast.unparse, reversed(arguments.defaults)), strict=False))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        assert default is not None
        defaults[argument.arg] = ast.unparse(default)
    variadic = arguments.vararg.arg if arguments.vararg else ""
    names = [*plain, *([variadic] if variadic else []), *(argument.arg for argument in arguments.kwonlyargs)]
    effect = Effect.READ if function.name in _READS else Effect.WRITE if function.name in _WRITES else Effect.PURE
    return Signature(function.name, tuple(names), defaults, variadic, effect)


#: Functions of the language by name.
FUNCTIONS: Mapping[str, Signature] = {
    signature.name: signature for signature in map(_read, filter(None, _SIGNATURES.split("\n")))
}

#: Functions of `tl.math` that are the function of `tl` of the same name.
MATH = LANGUAGE_MATH & FUNCTIONS.keys()
DEVICE_FUNCTIONS = LIBDEVICE

#: Operators by the syntax tree's node.
BINARY: Mapping[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.BitAnd: "bitand", ast.BitOr: "bitor", ast.BitXor: "bitxor", ast.LShift: "shl",
    ast.RShift: "shr", ast.MatMult: "matmul",
}  # fmt: skip
COMPARISONS: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
    ast.Is: "is", ast.IsNot: "is_not", ast.In: "in", ast.NotIn: "not_in",
}  # fmt: skip
UNARY: Mapping[type[ast.unaryop], str] = {
    ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert", ast.Not: "not",
}  # fmt: skip

#: Operator's kind -> (its text, how tightly it binds).
OPERATORS: Mapping[str, tuple[str, int]] = {
    "or": ("or", 1), "and": ("and", 2), "not": ("not ", 3),
    "lt": ("<", 4), "le": ("<=", 4), "gt": (">", 4), "ge": (">=", 4), "eq": ("==", 4), "ne": ("!=", 4),
    "is": ("is", 4), "is_not": ("is not", 4), "in": ("in", 4), "not_in": ("not in", 4),
    "bitor": ("|", 5), "bitxor": ("^", 6), "bitand": ("&", 7), "shl": ("<<", 8), "shr": (">>", 8),
    "add": ("+", 9), "sub": ("-", 9), "mul": ("*", 10), "truediv": ("/", 10), "floordiv": ("//", 10),
    "mod": ("%", 10), "matmul": ("@", 10), "neg": ("-", 11), "pos": ("+", 11), "invert": ("~", 11), "pow": ("**", 12),
}  # fmt: skip
ARITHMETIC = frozenset(OPERATORS) - {"or", "and", "is", "is_not", "in", "not_in"}
COMPARING = frozenset(COMPARISONS.values()) | {"and", "or", "not"}

#: Kinds whose two operands may trade places, bit for bit.
COMMUTATIVE = frozenset({"add", "mul", "bitand", "bitor", "bitxor", "eq", "ne", "and", "or", "minimum", "maximum"})

#: Methods of descriptors and of tensors, whose meaning depends on what they are called on.
METHODS: Mapping[str, Effect] = {
    "load": Effect.READ, "gather": Effect.READ, "store": Effect.WRITE, "scatter": Effect.WRITE,
    "atomic_add": Effect.WRITE, "is_floating": Effect.PURE, "is_int": Effect.PURE, "is_fp16": Effect.PURE,
    "is_bf16": Effect.PURE, "is_fp32": Effect.PURE, "is_fp64": Effect.PURE, "is_ptr": Effect.PURE,
}  # fmt: skip
#: Methods whose function has another name.
RENAMED = {"to": "cast"}

#: Python's builtins that kernels may call, with their effect.
BUILTINS = frozenset({"min", "max", "abs", "len", "float", "int", "bool", "tuple", "isinstance"})

#: Attributes of values that name a type, those that are numbers known at compile time, and the transpose.
TYPE_ATTRIBUTES = frozenset({"dtype", "element_ty", "type"})

#: Functions that hang a fact on the operation that gave their operand, and give that operand back.
HINTS = frozenset({"multiple_of", "max_contiguous", "max_constancy"})

#: Functions written in Triton that do arithmetic: given what is known at compile time, their result is known too.
ARITHMETIC_FUNCTIONS = frozenset({"cdiv", "triton.cdiv", "triton.next_power_of_2", "swizzle2d"})

REGION_KINDS = frozenset({"if", "for", "static_for", "while"})
LOOPS = frozenset({"for", "static_for", "while"})
