"""What happened to tensors before a call: operations gave them, and they have gradients or hooks."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from kernelwright.evaluation.host.withheld import DeviceTensor, giving_the_first
from kernelwright.evaluation.protocol.chance import chance

#: Operations of users' models by name, each with a function of one floating-point tensor.
MAKERS: Mapping[str, Callable[[Any], Any]] = {
    "view": lambda x: x.view_as(x),
    "transposition": lambda x: x.transpose(0, -1).transpose(0, -1) if x.dim() > 1 else x.view_as(x),
    "product": lambda x: x * 3,
    "sum": lambda x: x + x,
    "difference": lambda x: x - 1,
    "quotient": lambda x: x / 2,
    "relu": torch.relu,
    "gelu": torch.nn.functional.gelu,
    "silu": torch.nn.functional.silu,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "softmax": lambda x: torch.softmax(x, -1),
    "clone": torch.clone,
    "matrix product": lambda x: torch.mm(x, x),
    "linear layer": lambda x: torch.addmm(x, x, x),
    "batched product": lambda x: torch.bmm(x, x),
    "normalization": lambda x: torch.native_layer_norm(x, x.shape[-1:], None, None, 1e-5)[0],
    "dropout": lambda x: torch.native_dropout(x, 0.5, True)[0],
    "embedding": lambda x: torch.embedding(x, x.detach()),
    "selection": lambda x: torch.where(x.detach(), x, x),
    "concatenation": lambda x: torch.cat((x, x)),
    "second half": lambda x: torch.unsafe_chunk(x, 2)[1],
    "third part": lambda x: torch.unsafe_split(x, 1)[2],
    "mean": lambda x: torch.var_mean(x, -1)[1],
}

_FREQUENT = ("product", "sum", "relu", "linear layer", "normalization", "second half")


def made_by(maker: str, value: Any) -> Any:
    """A tensor that wants gradients as the result of an operation; the content is that of the tensor itself."""
    if not (isinstance(value, DeviceTensor) and value.requires_grad):
        return value
    with torch.enable_grad(), giving_the_first():
        return MAKERS[maker](value)


def any_maker() -> str:
    """The name of some operation, which is often one that models are full of."""
    return chance.choice(_FREQUENT if chance.random() < 0.6 else tuple(MAKERS))


@contextlib.contextmanager
def with_gradients(tensors: Sequence[Tensor]) -> Iterator[None]:
    """With gradients of an earlier backward pass, at the tensors that want some and are no results of operations."""
    leaves = [one for one in tensors if one.requires_grad and one.is_leaf and one.grad is None]
    with torch.no_grad():
        given = [torch.zeros_like(one) for one in leaves]
    for one, gradient in zip(leaves, given, strict=True):
        one.grad = gradient
    try:
        yield
    finally:
        for one in leaves:
            one.grad = None


@contextlib.contextmanager
def noticed(tensors: Sequence[Tensor]) -> Iterator[None]:
    """With hooks for the gradients of tensors that want them, and with what operations gave keeping its own."""
    watched: list[Any] = [one for one in tensors if one.requires_grad]
    handles = [one.register_hook(lambda gradient: gradient) for one in watched]
    for one in watched:
        if not one.is_leaf:
            one.retain_grad()
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
