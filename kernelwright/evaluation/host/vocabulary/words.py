"""The words that host code has a use for, by what they mean: modules, their names, builtins, and attributes."""

import functools
import inspect
import types
from collections.abc import Iterable, Mapping
from typing import Any


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Why a word is refused although torch's tensors or torch itself have it.
GUARDED: Mapping[str, str] = {
    name: why
    for why, names in {
        "asks how autograd made a tensor": """grad grad_fn is_leaf retains_grad output_nr retain_grad register_hook
        grad_dtype register_post_accumulate_grad_hook backward volatile reinforce""",
        "asks under what mode a caller is": """is_inference is_grad_enabled is_inference_mode_enabled is_anomaly_enabled
        is_anomaly_check_nan_enabled is_tracing is_scripting is_compiling is_autocast_cache_enabled""",
        "asks how a tensor's memory came to be": """untyped_storage storage storage_type is_set_to is_shared is_pinned
        share_memory_ pin_memory from_file set_ resize_ resize_as_ resize resize_as set_data record_stream""",
        "asks what kind of tensor a caller passes": """is_distributed is_meta is_nested is_quantized is_mkldnn is_sparse
        is_sparse_csr is_coalesced rename rename_ refine_names align_as align_to has_names is_neg is_conj
        resolve_neg resolve_conj is_vulkan_available as_subclass qscheme""",
        "asks for a state of the process": """initial_seed get_rng_state set_rng_state get_num_threads
        set_num_threads init_num_threads is_initialized default_generator get_default_dtype get_default_device
        hash_tensor
        cudnn_is_acceptable""",
        "asks how often a tensor was written": "_version",
        "asks where a tensor lies": "data_ptr const_data_ptr",
        "asks what a module is made of or who watches it": """modules named_modules named_parameters named_buffers
        named_children children buffers state_dict load_state_dict get_parameter get_buffer get_submodule
        get_extra_state apply_ map_ map2_ module_load""",
    }.items()
    for name in names.split()
}

#: Python's own names that host code may use; those of `DIRECTLY` only where they are called.
BUILTINS = _words(
    """abs all any bool callable complex dict divmod enumerate filter float frozenset int iter len list map max min next
    object pow property range reversed round set slice sorted staticmethod classmethod sum tuple zip True False None
    NotImplemented Ellipsis isinstance getattr hasattr setattr print super str"""
)
DIRECTLY = _words("isinstance getattr hasattr setattr print super str")
#: What `isinstance` may ask, besides for classes of the program's own, of torch's modules, and torch.Tensor.
KINDS = _words("int float bool str tuple list dict set frozenset complex range slice")
TORCH_KINDS = _words("torch.Tensor torch.dtype torch.device torch.Size numbers.Number numbers.Integral numbers.Real")

#: Special methods that classes may have.
METHODS = _words(
    """__init__ __post_init__ __call__ __len__ __getitem__ __setitem__ __contains__ __iter__ __next__ __repr__
    __eq__ __hash__ __lt__ __le__ __gt__ __ge__ __add__ __sub__ __mul__ __bool__"""
)
#: Bases of classes, besides torch's modules and classes of the program's own.
BASES = _words(
    """object torch.autograd.Function torch.nn.Module typing.NamedTuple typing.Protocol typing.Generic typing.TypedDict
    abc.ABC enum.Enum enum.IntEnum enum.Flag enum.IntFlag triton.KernelInterface triton.runtime.jit.KernelInterface"""
)
#: Methods of torch's modules that a class may define.
OVERRIDDEN = _words("__init__ forward extra_repr")

#: Names of modules by the module's path, where not all of them are allowed by a rule of `names_of`.
_NAMES: Mapping[str, frozenset[str]] = {
    "__future__": _words("annotations"),
    "abc": _words("ABC abstractmethod"),
    "collections": _words("namedtuple OrderedDict defaultdict deque Counter ChainMap"),
    "collections.abc": _words("Callable Iterable Iterator Mapping MutableMapping Sequence Generator Hashable"),
    "contextlib": _words("nullcontext contextmanager"),
    "copy": _words("copy deepcopy"),
    "dataclasses": _words("dataclass field replace astuple asdict"),
    "enum": _words("Enum IntEnum Flag IntFlag auto unique"),
    "functools": _words("cache lru_cache partial wraps reduce cached_property"),
    "numpy": _words(
        """prod sqrt log log2 exp ceil floor pi inf float16 float32 float64 int32 int64 array asarray arange ndarray
        linspace cos sin"""
    ),
    "numbers": _words("Number Integral Real"),
    "operator": _words("add sub mul floordiv truediv mod neg lt le gt ge eq ne and_ or_ xor itemgetter getitem index"),
    "threading": _words("Lock RLock"),
    "torch.amp": _words("autocast custom_fwd custom_bwd"),
    "torch.cuda.amp": _words("autocast custom_fwd custom_bwd"),
    "torch.autograd": _words("Function"),
    "torch.autograd.function": _words("Function FunctionCtx once_differentiable"),
    "torch.compiler": _words("disable allow_in_graph"),
    "torch.cuda": _words(
        """current_device get_device_properties get_device_capability is_available device synchronize get_device_name
        device_of is_bf16_supported"""
    ),
    "torch.library": _words("custom_op triton_op wrap_triton register_fake"),
    "torch.nn.parameter": _words("Parameter Buffer UninitializedParameter"),
    "torch.nn.modules": frozenset(),
    "torch.nn.modules.utils": _words("_single _pair _triple _quadruple _ntuple"),
    "torch.ops": frozenset(),
    "torch.ops.aten": frozenset(),
    "triton": _words(
        """jit autotune heuristics Config cdiv next_power_of_2 constexpr set_allocator JITFunction KernelInterface
        TensorWrapper reinterpret"""
    ),
    "triton.compiler": frozenset(),
    "triton.language.extra": _words("libdevice"),
    "triton.runtime": _words("JITFunction Autotuner Config jit autotune heuristics"),
    "triton.runtime.driver": frozenset(),
    "triton.runtime.jit": _words("JITFunction KernelInterface jit"),
    "triton.runtime.driver.active": _words("get_current_device get_current_target get_active_torch_device"),
    "triton.runtime.driver.active.utils": _words("get_device_properties"),
    "triton.testing": _words("do_bench perf_report Benchmark assert_close"),
    "triton.tools": frozenset(),
    "triton.tools.tensor_descriptor": _words("TensorDescriptor"),
    "triton.language.extra.cuda": _words("libdevice num_threads num_warps gdc_wait gdc_launch_dependents"),
}
#: Modules all of whose public names compute, describe or annotate.
_WHOLE = _words(
    """math itertools typing typing_extensions torch.nn torch.nn.functional torch.nn.init torch.special torch.linalg
    torch.fft triton.language triton.language.math triton.language.extra.libdevice
    triton.language.extra.cuda.libdevice"""
)
#: Private names that programs use as if they were public.
_PRIVATE: Mapping[str, frozenset[str]] = {
    "torch.nn.init": _words("_calculate_fan_in_and_fan_out _calculate_correct_fan")
}
#: How names begin that ask and set instead of computing.
_ASKING = ("has_", "handle_", "get_", "set_", "is_", "boolean_dispatch")
_LEFT_OUT: Mapping[str, frozenset[str]] = {
    "typing": _words("get_type_hints ForwardRef runtime_checkable"),
    "typing_extensions": _words("get_type_hints ForwardRef runtime_checkable"),
}
#: What torch has besides operations on tensors, dtypes and formats.
_TORCH = _words(
    """Tensor Size device dtype finfo iinfo memory_format Generator no_grad enable_grad inference_mode
    set_grad_enabled autocast
    is_tensor is_floating_point is_complex numel tensor as_tensor manual_seed is_autocast_enabled get_autocast_dtype
    get_autocast_gpu_dtype are_deterministic_algorithms_enabled broadcast_shapes LongTensor FloatTensor IntTensor
    BoolTensor HalfTensor SymInt strided pi e inf nan newaxis"""
)

#: Facts of tensors, and ways to make one of another, that are no operations of torch's namespace.
_TENSORS = _words(
    """shape size dim ndim ndimension dtype device stride storage_offset data is_contiguous is_cuda is_cpu element_size
    itemsize nbytes nelement numel requires_grad requires_grad_ contiguous to view view_as reshape_as expand expand_as
    repeat new new_empty new_empty_strided new_full new_ones new_tensor new_zeros cpu cuda bool byte char double float
    half bfloat16 int long short cfloat cdouble item tolist numpy type_as T H mT mH unique index sum_to_size copy_
    normal_ uniform_ random_ exponential_ bernoulli_ fill_diagonal_ get_device is_same_size unfold values indices"""
)
#: Of modules, of contexts of autograd functions, of kernels and launches, of devices, dtypes and functions.
_OBJECTS = _words(
    """training register_buffer register_parameter add_module register_module parameters forward eval
    reset_parameters extra_repr weight bias save_for_backward saved_tensors needs_input_grad mark_dirty
    mark_non_differentiable set_materialize_grads apply setup_context backward register_fake register_kernel
    register_autograd default run warmup grid kwargs num_warps num_stages num_ctas maxnreg pre_hook best_config
    nargs n_regs n_spills n_max_threads shared metadata constexpr multi_processor_count major minor total_memory
    warp_size max_threads_per_multi_processor shared_memory_per_block shared_memory_per_block_optin
    shared_memory_per_multiprocessor regs_per_multiprocessor L2_cache_size arch backend type index min max eps tiny
    smallest_normal bits resolution is_floating_point is_complex is_signed cache_clear cache_info setter getter real
    imag numerator denominator bit_length bit_count is_integer hex value primitive_bitwidth scalar element_ty
    from_tensor func args keywords block_shape base strides padding _replace _asdict _fields _init_handles"""
)
#: Parameters and buffers of torch's modules; those of recurrent ones have the number of the layer, too.
_HELD = _words(
    """weight bias running_mean running_var num_batches_tracked weight_ih weight_hh bias_ih bias_hh in_proj_weight
    in_proj_bias out_proj q_proj_weight k_proj_weight v_proj_weight bias_k bias_v linear1 linear2 norm1 norm2 norm3
    self_attn multihead_attn"""
) | {
    f"{name}_l{layer}{way}"
    for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")
    for layer in range(8)
    for way in ("", "_reverse")
}
_TEXT_LEFT_OUT = _words("format format_map translate maketrans encode decode to_bytes from_bytes")
#: Attributes of kernels that give their Python function: a program that has such names of its own may call that, so its
#: kernels are read as host code, too.
OF_KERNELS = _words("fn base_fn src raw_src jit_function device_caches cache_key used_global_vals __wrapped__")
#: What modes remember of their caller, what abstract classes are told, and what the judge's tensors have.
_OF_OTHERS = _words("prev prev_idx prev_cache_enabled prev_fastdtype fast_dtype register store stale")


def is_module(path: str) -> bool:
    """Whether a path names a module of the vocabulary, or a folder of such modules."""
    return path in _NAMES or path in _WHOLE or path == "torch"


@functools.cache
def names_of(path: str) -> frozenset[str]:
    """The names that host code may use of a module of the vocabulary."""
    import importlib

    if path == "torch":
        return _of_torch()
    if path in _NAMES:
        return _NAMES[path]
    try:
        module = importlib.import_module(path)
    except ImportError:  # another name in another release
        return frozenset()
    shown = {name for name, value in vars(module).items() if _is_shown(name, value)}
    if path.partition(".")[0] in ("torch", "triton"):
        shown = {name for name in shown if not name.startswith(_ASKING)}
    return frozenset(shown - GUARDED.keys() - _LEFT_OUT.get(path, frozenset())) | _PRIVATE.get(path, frozenset())


def _is_shown(name: str, value: object) -> bool:
    return not name.startswith("_") and not isinstance(value, types.ModuleType)


@functools.cache
def operations() -> frozenset[str]:
    """The names of torch's operations on tensors."""
    from kernelwright.backend.torch_private import names_of_operations

    return _public_of(names_of_operations()) - GUARDED.keys()


def _of_torch() -> frozenset[str]:
    import torch

    constants = {name for name, value in vars(torch).items() if isinstance(value, torch.dtype | torch.memory_format)}
    return frozenset((operations() & vars(torch).keys()) | constants | _TORCH)


@functools.cache
def module_classes() -> frozenset[str]:
    """The paths of torch's classes of modules, as programs write them."""
    from torch import nn

    found = {name for name, value in vars(nn).items() if isinstance(value, type) and issubclass(value, nn.Module)}
    return frozenset(f"torch.nn.{name}" for name in found)


@functools.cache
def attributes() -> frozenset[str]:
    """The attributes that host code may use of whatever it has."""
    import torch
    from torch import nn

    tensors = _public(torch.Tensor)
    ours = {name for name in tensors if name in operations() or name.removesuffix("_") in operations()}
    plain = frozenset().union(*(_public(kind) for kind in (list, dict, tuple, set, str, int, float)))
    containers = _public(nn.ModuleList, nn.ModuleDict, nn.ParameterList, nn.Sequential) - _public(nn.Module)
    fields: set[str] = set()
    for path in module_classes():
        one: Any = getattr(nn, path.removeprefix("torch.nn."))
        fields |= {*getattr(one, "__annotations__", ()), *getattr(one, "__constants__", ())}
        fields |= inspect.signature(one).parameters.keys()
    found = ours | _TENSORS | _OBJECTS | _HELD | (plain - _TEXT_LEFT_OUT) | containers | _public_of(fields)
    return frozenset((found - GUARDED.keys()) | {"to", "float", "half", "double", "bfloat16", "cuda", "cpu"})


@functools.cache
def foreign() -> frozenset[str]:
    """The attributes that something else than an object of the program has: its own may not have these names, unless
    they are in the vocabulary."""
    import torch
    from torch import nn

    kinds = (torch.Tensor, types.FunctionType, types.CodeType, types.FrameType, types.MethodType, types.GeneratorType)
    made = frozenset().union(*(frozenset(dir(kind)) for kind in (*kinds, types.TracebackType)))
    named = {"name", "names", "layout"}  # facts that no caller's tensors differ in, and good names for much else
    return (made - named) | methods_of_modules() | vars(nn.Module()).keys() | GUARDED.keys() | _OF_OTHERS


@functools.cache
def methods_of_modules() -> frozenset[str]:
    """What every torch.nn.Module has."""
    from torch import nn

    return frozenset(dir(nn.Module)) | vars(nn.Module()).keys()


def _public(*kinds: object) -> frozenset[str]:
    return _public_of(name for kind in kinds for name in dir(kind))


def _public_of(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name for name in names if not name.startswith("_"))
