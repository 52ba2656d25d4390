"""Which torch operators host code may apply to tensors whose content is withheld from it.

Views and metadata need no memory. Data movement is done by the device. Everything else computes; extern operators
do so by permission of the configuration, and with `dialect=off` some do so on weights alone. The rest is refused.
"""

#: Out-of-place: the result is new memory filled by copying.
COPIES = frozenset(
    "aten.clone.default aten._to_copy.default aten.cat.default aten.stack.default aten.constant_pad_nd.default "
    "aten.repeat.default aten.flip.default aten.roll.default".split()
)
#: In place: the first argument is overwritten by copies or by one value.
WRITES = frozenset("aten.copy_.default aten.fill_.Scalar aten.fill_.Tensor aten.zero_.default".split())
#: New memory whose content depends on no tensor's content.
FACTORIES = frozenset(
    "aten.empty_like.default aten.zeros_like.default aten.ones_like.default aten.full_like.default "
    "aten.new_empty.default aten.new_empty_strided.default aten.new_zeros.default aten.new_ones.default "
    "aten.new_full.default aten.rand_like.default aten.randn_like.default".split()
)
#: Factories whose memory has no content yet.
UNFILLED = frozenset("aten.empty_like.default aten.new_empty.default aten.new_empty_strided.default".split())
#: By `base`: computed without rounding, so that any kernel gives the same bits.
EXACT = frozenset(
    f"aten.{name}"
    for name in (
        "round floor ceil trunc frac sign sgn abs neg relu threshold clamp clamp_min clamp_max hardtanh heaviside "
        "maximum minimum fmax fmin max min amax amin aminmax cummax cummin max_pool2d_with_indices where masked_fill "
        "gather index index_select embedding masked_select take_along_dim tril triu scatter kthvalue median"
    ).split()
)

#: By `base`, and in place: what host code prepares weights with. None draws random numbers, none resizes.
PREPARING = EXACT | frozenset(
    f"aten.{name}"
    for name in (
        "add sub rsub mul div neg reciprocal square sqrt rsqrt pow exp exp2 expm1 log log2 log10 log1p sin cos tan "
        "asin acos atan atan2 sinh cosh tanh sigmoid logit erf erfc erfinv softplus silu gelu fmod remainder "
        "floor_divide copysign ldexp lerp addcmul addcdiv nan_to_num isnan isinf isfinite eq ne lt le gt ge "
        "logical_and logical_or logical_not logical_xor bitwise_and bitwise_or bitwise_xor bitwise_not "
        "bitwise_left_shift bitwise_right_shift __lshift__ __rshift__ __and__ __or__ __xor__ "
        "sum mean prod var std var_mean std_mean norm linalg_vector_norm logsumexp _softmax _log_softmax any all "
        "argmax argmin cumsum cumprod logcumsumexp sort argsort topk bucketize searchsorted "
        "index_add index_copy index_fill index_put scatter_add scatter_reduce diag_embed repeat_interleave "
        "reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d upsample_nearest1d upsample_nearest2d "
        "upsample_linear1d upsample_bilinear2d upsample_bicubic2d "
        "mm bmm mv dot addmm baddbmm addmv addbmm convolution linalg_inv_ex linalg_cholesky_ex linalg_qr "
        "native_layer_norm native_group_norm trace cross linalg_cross _unsafe_view"
    ).split()
)


def base(name: str) -> str:
    """An operator without its overload: `aten.mm` for `aten.mm.out`."""
    return ".".join(name.split(".")[:2])


def moves(name: str) -> bool:
    """Whether an operator copies, overwrites or makes memory, and computes nothing."""
    return name in COPIES or name in WRITES or name in FACTORIES


def permitted(name: str, externs: frozenset[str] | None) -> bool:
    """Whether an operator may be applied to withheld content: it moves data, or is among `externs` (None: any)."""
    return name in COPIES or name in WRITES or externs is None or base(name) in externs


def prepares(name: str) -> bool:
    """Whether host code may compute with an operator on what holds nothing of inputs; into new memory, or in place."""
    operation = base(name)
    return not name.endswith("out") and (operation in PREPARING or operation.removesuffix("_") in PREPARING)
