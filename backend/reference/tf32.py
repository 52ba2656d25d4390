"""Which fp32 work of torch takes its operands as TF32 (ten bits after the point), as a reference's numerics say.

Tensor cores look at the upper 19 bits of an operand, which cuts the others off; cuDNN rounds before. Either is TF32.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from kernelwright.backend.torch_private import TorchDispatchMode
from kernelwright.ir.values import Numerics

#: Operators that use TF32 where they may, with the places of the operands that are rounded. cuDNN computes recurrent
#: layers as well, under the flag that its convolutions have.
_CONVOLUTIONS: Mapping[str, Sequence[int]] = {"aten::convolution": (0, 1), "aten::_cudnn_rnn": ()}
_PRODUCTS: Mapping[str, Sequence[int]] = {
    **dict.fromkeys(("aten::mm", "aten::bmm"), (0, 1)),
    **dict.fromkeys(("aten::addmm", "aten::baddbmm", "aten::addbmm", "aten::_addmm_activation"), (1, 2)),
    **dict.fromkeys(
        (
            "aten::_scaled_dot_product_flash_attention_for_cpu",
            "aten::_scaled_dot_product_efficient_attention",
        ),
        (0, 1, 2),
    ),
    **dict.fromkeys(
        ("aten::_transformer_encoder_layer_fwd", "aten::_native_multi_head_attention", "aten::_euclidean_dist"), ()
    ),
}
#: The function that joins two values, for each running operator (sums and products of all values up to each).
_RUNNING: Mapping[Any, Callable[[Tensor, Tensor], Tensor]] = {
    torch.ops.aten.cumsum.default: torch.add,
    torch.ops.aten.cumprod.default: torch.mul,
}
#: The first compute capability whose tensor cores take TF32.
_FIRST_WITH_TF32 = (8, 0)


@contextlib.contextmanager
def permitted(numerics: Numerics, *, deterministic: bool) -> Iterator[None]:
    """torch's flags in this process as `numerics` have them; as they were, after the block.

    `deterministic`: of cuDNN's algorithms only those that give the same bits each time, which PyTorch's default does
    not ask for.
    """
    cudnn, products = torch.backends.cudnn, torch.backends.cuda.matmul
    before = cudnn.allow_tf32, products.allow_tf32, cudnn.deterministic
    cudnn.allow_tf32, products.allow_tf32 = numerics != "ieee", numerics == "tf32"
    cudnn.deterministic = deterministic
    try:
        yield
    finally:
        cudnn.allow_tf32, products.allow_tf32, cudnn.deterministic = before


class Eager(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Around eager's runs: `used` tells whether anything ran that may use TF32.

    Operands are rounded here, or cut off, on every device: a CPU has no TF32, and cuDNN has algorithms that do without,
    by the shape. What a reference's numerics permit would hang on both. Running sums and products of fp32 numbers are
    fp32 at each step: a CPU keeps them in fp64, so that its errors would be smaller than any kernel's.
    """

    def __init__(self, numerics: Numerics, *, cut: bool = False) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.used, self._cut = False, cut
        self._operands = {} if numerics == "ieee" else dict(_CONVOLUTIONS)
        self._operands |= _PRODUCTS if numerics == "tf32" else {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        joined = _RUNNING.get(func)
        if joined is not None and args[0].dtype == torch.float32 and args[0].ndim and not kwargs:
            return _running(joined, *args)
        places = self._operands.get(func._schema.name)
        if places is not None and _takes_tf32(func._schema.name, args):
            self.used = True
            args = [to_tf32(value, cut=self._cut) if at in places else value for at, value in enumerate(args)]
        return func(*args, **(kwargs or {}))


def _running(joined: Callable[[Tensor, Tensor], Tensor], values: Tensor, dim: int) -> Tensor:
    """Values joined with all before them along a dimension, two and two as programs of a GPU do."""
    size, step = values.shape[dim], 1
    while step < size:
        later = joined(values.narrow(dim, step, size - step), values.narrow(dim, 0, size - step))
        values, step = torch.cat([values.narrow(dim, 0, step), later], dim), 2 * step
    return values.clone() if size < 2 else values


def _takes_tf32(name: str, args: Sequence[Any]) -> bool:
    """Whether a call has fp32 operands, and a device that computes it in TF32."""
    first: Tensor = args[0]
    if first.dtype != torch.float32:
        return False
    if name == "aten::convolution" and _is_depthwise(first, *args[1:]):
        return False
    return first.device.type != "cuda" or torch.cuda.get_device_capability(first.device) >= _FIRST_WITH_TF32


def _is_depthwise(x: Tensor, weight: Tensor, *rest: Any) -> bool:
    """Whether torch has a kernel of its own for a convolution, which is no product."""
    transposed, groups = rest[4], rest[6]
    return not transposed and groups > 1 and x.shape[1] == groups and weight.shape[0] % groups == 0


def to_tf32(values: Tensor, *, cut: bool = False) -> Tensor:
    """fp32 numbers rounded to the nearest that TF32 has, ties to even, or cut off as by tensor cores; infinities and
    NaN as they are."""
    bits = values.view(torch.int32)
    found = (bits if cut else bits + 0xFFF + ((bits >> 13) & 1)) & ~0x1FFF
    return torch.where(torch.isfinite(values), found.view(torch.float32), values)
