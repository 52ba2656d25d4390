"""The dialect as data: what a program text may say. The checkers beside this file apply the tables.

Two languages share a file. *Kernels* are `@triton.jit` functions in the Triton language (`kernel_dialect`). *Host
code* allocates, views, computes sizes and launches (`host_dialect`); tensor arithmetic there is refused, extern
`aten` operations excepted. Only the syntax tree is looked at; nothing is executed.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Dialect:
    """Options of the dialect. `externs`: the aten operations that host code may call; None allows all."""

    externs: frozenset[str] | None = None

    def allows(self, operation: str) -> bool:
        """Whether `aten.<op>[.<overload>]` may be called; `aten.mm` in `externs` allows every overload."""
        base = ".".join(operation.split(".")[:2])
        return base not in EXTERNS_REFUSED and (self.externs is None or bool({operation, base} & self.externs))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Operations that reach past their arguments or read a tensor's content; no configuration allows them.
EXTERNS_REFUSED = frozenset(
    f"aten.{name}"
    for name in """from_file set_ set_data data resize_ resize_as_ _local_scalar_dense item record_stream requires_grad_
    retain_grad _backward rename_ _print print swap_tensors""".split()
)

#: Names of dtypes in `torch` and in `tl`.
TORCH_DTYPES = _words(
    """float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool float half double long int
    float8_e4m3fn float8_e5m2 uint16 uint32 uint64"""
)
LANGUAGE_DTYPES = _words(
    "int1 int8 int16 int32 int64 uint8 uint16 uint32 uint64 float8e4nv float8e5 float16 bfloat16 float32 float64"
)

#: `tl.<name>` in kernels.
LANGUAGE = LANGUAGE_DTYPES | _words(
    """abs add advance arange argmax argmin associative_scan assume atomic_add atomic_and atomic_cas atomic_max
    atomic_min atomic_or atomic_xchg atomic_xor broadcast broadcast_to cast cat cdiv ceil clamp constexpr cos
    cumprod cumsum debug_barrier device_assert device_print div_rn dot dot_scaled dtype erf exp exp2 expand_dims
    fdiv flip floor fma full gather histogram interleave join load load_tensor_descriptor log log2 make_block_ptr
    make_tensor_descriptor max max_constancy max_contiguous maximum min minimum mul multiple_of num_programs permute
    pointer_type program_id PropagateNan rand randint randn range ravel reduce reduce_or reshape rsqrt sigmoid sin
    softmax sort split sqrt sqrt_rn static_assert static_print static_range store store_tensor_descriptor
    sub sum swizzle2d tensor topk trans umulhi view where xor_sum zeros zeros_like"""
)

#: `tl.math.<name>` in kernels.
LANGUAGE_MATH = _words("abs ceil cos div_rn erf exp exp2 fdiv floor fma log log2 rsqrt sin sqrt sqrt_rn umulhi")

#: `libdevice.<name>` in kernels: CUDA's accurate functions.
LIBDEVICE = _words(
    """abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 erf erfc
    erfcx erfinv exp exp10 exp2 expm1 fdim floor fma fmod hypot ilogb isinf isnan j0 j1 ldexp lgamma log log10 log1p
    log2 nearbyint nextafter normcdf pow rcbrt rint round rsqrt signbit sin sinh sinpi sqrt tan tanh trunc y0 y1"""
)

#: Methods and attributes of values in kernels.
KERNEL_ATTRIBUTES = LANGUAGE_DTYPES | _words(
    """T abs advance argmax argmin broadcast_to cast cdiv ceil cos cumprod cumsum dtype element_ty erf exp exp2
    expand_dims flip floor fma load log log2 max min numel permute ravel reduce reshape rsqrt shape sigmoid sin softmax
    sort split sqrt sqrt_rn store sum to trans type value view xor_sum is_floating is_int is_fp16 is_bf16 is_fp32
    is_fp64 is_ptr primitive_bitwidth gather scatter atomic_add"""
)

KERNEL_BUILTINS = _words("range min max abs len float int bool tuple isinstance")

EXCEPTIONS = _words("ValueError TypeError AssertionError RuntimeError NotImplementedError IndexError")
HOST_BUILTINS = EXCEPTIONS | _words(
    """range len min max abs int float bool str tuple list dict isinstance sum sorted zip enumerate reversed divmod pow
    round all any slice map"""
)

#: Builtins that read the content of a tensor given to them.
CONTENT_BUILTINS = _words("sum abs max min round float int bool any all sorted range pow divmod str list tuple")

#: `torch.<name>` in host code: allocation, views and copies, dtypes and what describes them.
TORCH_ALLOCATION = _words("empty empty_like empty_strided zeros zeros_like ones ones_like full full_like tensor")
#: `torch.<name>(x, ...)` where `x.<name>(...)` would do, and what joins tensors: no element changes its value.
TORCH_MOVES = _words(
    """transpose reshape permute unsqueeze squeeze flatten unflatten t movedim moveaxis swapaxes narrow select chunk
    split unbind ravel broadcast_to clone cat concat stack flip roll detach"""
)
TORCH_NAMES = (
    TORCH_ALLOCATION
    | TORCH_DTYPES
    | TORCH_MOVES
    | _words(
        """as_strided Tensor device dtype Size finfo iinfo promote_types is_tensor channels_last channels_last_3d
        contiguous_format preserve_format strided numel is_floating_point broadcast_shapes"""
    )
)

#: Methods of tensors that give a view or a copy.
TENSOR_METHODS = _words(
    """as_strided clone contiguous copy_ detach expand expand_as fill_ flatten movedim narrow new_empty
    new_empty_strided new_full new_ones new_tensor new_zeros permute ravel reshape select squeeze swapaxes t to
    transpose type_as unflatten unsqueeze view view_as zero_ chunk split unbind broadcast_to moveaxis repeat tile flip
    roll unfold diagonal cuda float half bfloat16 double long int bool short"""
)
TENSOR_VIEWS = _words("T mT H data")

#: Every other method of values in host code: metadata of tensors; shapes, lists and dictionaries.
HOST_METHODS = TENSOR_METHODS | _words(
    """dim element_size get_device is_contiguous is_floating_point ndimension nelement numel size stride type
    append extend insert index count get items keys values format is_complex is_signed bit_length"""
)
HOST_ATTRIBUTES = HOST_METHODS | TENSOR_VIEWS | _words("device dtype is_cuda layout nbytes ndim requires_grad shape")

#: `torch.cuda.<name>`: what there is to know of the device, and waiting for it. No streams, graphs or events.
CUDA_NAMES = _words(
    """is_available current_device synchronize get_device_properties get_device_capability get_device_name set_device
    empty_cache"""
)
#: What `torch.cuda.get_device_properties` tells.
DEVICE_ATTRIBUTES = _words(
    """multi_processor_count name major minor total_memory warp_size L2_cache_size max_threads_per_multi_processor
    shared_memory_per_block shared_memory_per_block_optin shared_memory_per_multiprocessor regs_per_multiprocessor"""
)
#: Contexts of `with`, and decorators: gradients are off already and there is one device, so they change nothing.
CONTEXTS = _words("torch.no_grad torch.inference_mode torch.cuda.device")
HOST_DECORATORS = _words("torch.no_grad torch.inference_mode")

#: Numbers of a dtype; on tensors the same names compute, so they are never called.
NUMBERS_OF_DTYPES = _words("eps tiny max min bits itemsize is_signed start stop step")

#: What modules hold: weights, and the numbers that they were built with.
MODULE_ATTRIBUTES = _words(
    """weight bias running_mean running_var num_batches_tracked in_proj_weight in_proj_bias out_proj stride padding
    dilation groups kernel_size output_padding padding_mode ceil_mode in_channels out_channels in_features out_features
    num_features num_groups num_channels num_heads embed_dim head_dim normalized_shape momentum negative_slope alpha p
    num_embeddings embedding_dim hidden_size input_size num_layers eps weight_ih_l0 weight_hh_l0 bias_ih_l0
    bias_hh_l0 weight_ih weight_hh bias_ih bias_hh training affine"""
)
WEIGHTS = _words(
    """weight bias running_mean running_var in_proj_weight in_proj_bias weight_ih_l0 weight_hh_l0 bias_ih_l0
    bias_hh_l0 weight_ih weight_hh bias_ih bias_hh"""
)

#: Methods that change what they are called on; those of lists alone.
LIST_MUTATORS = _words("append extend insert")
MUTATORS = LIST_MUTATORS | _words("copy_ fill_ zero_")

TRITON_NAMES = _words("cdiv next_power_of_2")

#: Launch keywords that are no parameters of the kernel: launch options, and what cooperative launches need.
LAUNCH_OPTIONS = _words("num_warps num_stages num_ctas maxnreg")
LAUNCH_KEYWORDS = LAUNCH_OPTIONS | _words("enable_fp_fusion launch_cooperative_grid launch_pdl")

#: Names of `typing` that annotations may use.
TYPING_NAMES = _words("Any Callable Dict Iterable List Literal Optional Sequence Tuple Type Union")

#: Import statement -> the bindings that it may make. Any other spelling would not survive printing.
IMPORTS: Mapping[str, str] = {
    "torch": "torch",
    "torch.nn": "nn",
    "torch.nn.functional": "F",
    "triton": "triton",
    "triton.language": "tl",
    "math": "math",
}
FROM_IMPORTS: Mapping[str, frozenset[str]] = {
    "torch": frozenset({"nn", "Tensor"}),
    "torch.nn": frozenset({"functional as F"}),
    "triton": frozenset({"language as tl"}),
    "triton.language.extra": frozenset({"libdevice"}),
    "triton.language.extra.cuda": frozenset({"libdevice"}),
    "typing": TYPING_NAMES,
    "__future__": frozenset({"annotations"}),
}

#: Names that mean modules wherever they stand; nothing else may be bound to them.
MODULES = _words("torch triton tl aten nn math")

#: What an `__init__` may take from torch and call on modules and weights, besides what host code may.
#: There tables of numbers are computed, as `torch.outer(positions, frequencies).cos()`: of no input.
INIT_COMPUTES = _words(
    """outer log log2 log1p exp exp2 expm1 pow sqrt rsqrt square reciprocal cos sin tan tanh sigmoid abs neg sign floor
    ceil round clamp minimum maximum where tril triu cumsum cumprod add sub mul div sum mean"""
)
INIT_TORCH = TORCH_ALLOCATION | INIT_COMPUTES | _words("randn rand randint arange linspace logspace eye meshgrid")
INIT_METHODS = INIT_COMPUTES | _words(
    """register_buffer register_parameter normal_ uniform_ requires_grad_ eval half bfloat16 float double apply modules
    repeat_interleave masked_fill zero_ fill_ mul_ add_ div_"""
)
INIT_NN_REFUSED = _words("functional utils modules parallel quantized")

#: Names in annotations, and what may stand behind a dot there.
ANNOTATION_NAMES = HOST_BUILTINS | TYPING_NAMES | _words("torch tl nn Tensor")
ANNOTATION_ATTRIBUTES = LANGUAGE_DTYPES | TORCH_DTYPES | _words("Tensor device dtype Size constexpr tensor Module nn")

#: Decorators of kernels -> the keywords that they take.
KERNEL_DECORATORS: Mapping[str, frozenset[str]] = {
    "triton.jit": _words("do_not_specialize do_not_specialize_on_alignment noinline debug"),
    "triton.autotune": _words("configs key reset_to_zero restore_value warmup rep use_cuda_graph prune_configs_by"),
    "triton.heuristics": _words("values"),
}

#: What module-level values and decorator arguments may call, and the keywords refused there.
CONSTANT_CALLS = _words(
    """tl.constexpr triton.Config triton.cdiv triton.next_power_of_2 dict float int range min max len tuple list
    math.sqrt math.log math.log2 math.ceil math.prod math.pow math.exp"""
)
CONSTANT_ATTRIBUTES = frozenset(
    {f"torch.{name}" for name in TORCH_DTYPES}
    | {f"tl.{name}" for name in LANGUAGE_DTYPES}
    | {f"math.{name}" for name in ("pi", "e", "inf", "tau")}
)
CONSTANT_KEYWORDS_REFUSED = _words("pre_hook ir_override")

DESCRIPTOR_HINT = (
    "pass the tensor, and make its descriptor in the kernel: tl.make_tensor_descriptor(ptr, shape=[M, N], "
    "strides=[N, 1], block_shape=[BM, BN])"
)

PROGRAMS_HINT = "take torch.cuda.get_device_properties(x.device).multi_processor_count programs, or a fixed number"

#: Hints for names that programs outside the dialect use.
NAME_HINTS: Mapping[str, str] = {
    **dict.fromkeys("eval exec compile __import__".split(), "write the code itself; nothing is executed from strings"),
    **dict.fromkeys("getattr setattr hasattr vars globals locals dir".split(), "name the attribute: `x.shape`"),
    **dict.fromkeys("open input".split(), "a program reads its arguments alone"),
    "print": "remove it; programs do not print",
    **dict.fromkeys(
        "libdevice tl.extra tl.libdevice".split(),
        "write `from triton.language.extra import libdevice` at the top and libdevice.<function>(...)",
    ),
    "tl.inline_asm_elementwise": "write it with tl.exp, tl.where, `x << 3` and the like; assembly is outside the "
    "dialect",
    **dict.fromkeys(
        "tl.tanh tl.log1p tl.expm1 tl.pow tl.tan tl.math.tanh tl.math.pow tl.math.log1p tl.math.expm1".split(),
        "Triton has no such function; write it with tl.exp, tl.log and tl.where, or import libdevice",
    ),
    "type": "use isinstance, or compare `x.dtype`",
    "TensorDescriptor": DESCRIPTOR_HINT,
    "driver": PROGRAMS_HINT,
    "contextlib": "write the body alone, or `with torch.cuda.device(x.device):`",
    "Model": "the reference is not part of the program; write kernels for what it computes",
}

#: Hints for attributes of values in host code.
ATTRIBUTE_HINTS: Mapping[str, str] = {
    **dict.fromkeys("numpy cpu untyped_storage".split(), "pass the tensor to a kernel"),
    **dict.fromkeys(
        "item tolist".split(),
        "pass the tensor to a kernel, which loads the number and masks by it; take the grid from shapes",
    ),
    "data_ptr": "pass the tensor to a kernel, of several tensors one a launch; Triton looks at alignment itself",
    "storage_offset": "pass the tensor to a kernel; where it begins in its memory is of use in as_strided(...) alone",
    "warmup": f"launch it, and {PROGRAMS_HINT}",
    "_version": "keep no state between calls, so that no version needs comparing",
}

#: Attributes that read content or an address.
CONTENT_ATTRIBUTES = _words("item tolist data_ptr numpy cpu untyped_storage")
#: What `torch.<name>()` tells of a mode that it is called in.
MODE_QUESTIONS = _words(
    """is_autocast_enabled get_autocast_dtype get_autocast_gpu_dtype is_autocast_cache_enabled is_grad_enabled
    are_deterministic_algorithms_enabled is_inference_mode_enabled"""
)

STATEMENTS = (
    ast.FunctionDef, ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.While, ast.If, ast.Expr,
    ast.Assert, ast.Raise, ast.Pass, ast.Delete, ast.Break, ast.Continue, ast.With,
)  # fmt: skip

_IMPORT_HINT = "import at the top of the file, and only torch, triton, triton.language or math"
SYNTAX_HINTS: Mapping[type[ast.AST], str] = {
    ast.Try: "check the condition with `if` or `assert` instead",
    ast.Import: _IMPORT_HINT,
    ast.ImportFrom: _IMPORT_HINT,
    ast.Global: "pass the value as an argument; nothing outlives a call",
    ast.Nonlocal: "pass the value as an argument; nothing outlives a call",
    ast.ClassDef: "define functions at the top level",
    ast.NamedExpr: "assign on a line of its own",
    ast.Await: "write plain functions",
    ast.Yield: "return the outputs",
    ast.YieldFrom: "return the outputs",
}
REFUSED_EXPRESSIONS = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
