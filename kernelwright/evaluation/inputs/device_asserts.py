"""Operations that end a GPU's context over an argument that a CPU refuses: tried on the CPU before."""

import contextlib
from typing import Any

import torch
from torch import Tensor

from kernelwright.backend.torch_private import TorchDispatchMode, tree_map_only

#: Operations that assert that whole numbers lie in a range: they are places or classes.
_PLACES = frozenset(
    """embedding embedding_renorm_ _embedding_bag _embedding_bag_forward_only gather index index_add index_add_
    index_copy index_copy_ index_fill index_fill_ index_put index_put_ _index_put_impl_ index_reduce
    index_reduce_ index_select max_unpool2d max_unpool3d multi_margin_loss multilabel_margin_loss_forward
    nll_loss2d_forward nll_loss_forward put put_ scatter scatter_ scatter_add scatter_add_ scatter_reduce
    scatter_reduce_ take _unsafe_index _unsafe_index_put""".split()
)
#: Bytes of an operation's tensors above which it is not tried: a CPU takes long, and memory may not do.
_TRIED_BYTES = 512 << 20
#: Operations that assert something of any number: that it is a probability, a count or true.
_NUMBERS = frozenset("_assert_async bernoulli bernoulli_ binary_cross_entropy multinomial repeat_interleave".split())


def asserting(device: torch.device | str) -> contextlib.AbstractContextManager[object]:
    """Around what runs on a device: on a GPU, what it would assert is asserted on the CPU first."""
    on_gpu = torch.device(device).type == "cuda"
    return AssertsOnCPU() if on_gpu else contextlib.nullcontext()  # type: ignore[no-untyped-call]


class AssertsOnCPU(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Makes such operations raise what they raise on a CPU. A device-side assertion would leave the process without its
    GPU. Floating numbers that are not asserted about are ones in the trial: a table's values do not matter."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        named, name = kwargs or {}, func.overloadpacket.__name__
        if (name in _PLACES or name in _NUMBERS) and _nbytes(args, named) <= _TRIED_BYTES:
            plain = name in _PLACES

            def on_cpu(value: Tensor) -> Tensor:
                if not (plain and value.is_floating_point()):
                    return value.to("cpu", copy=True)
                one = torch.ones((), dtype=value.dtype)
                return one.new_ones(value.shape) if func._schema.is_mutable else one.expand(value.shape)

            given, others = tree_map_only(Tensor, on_cpu, (args, {k: v for k, v in named.items() if k != "device"}))
            with contextlib.suppress(NotImplementedError), torch.random.fork_rng(devices=()):
                others = {key: None if key == "generator" else value for key, value in others.items()}
                func(*given, **others)
        return func(*args, **named)


def _nbytes(*given: Any) -> int:
    found: list[int] = []
    tree_map_only(Tensor, lambda value: found.append(value.nbytes), given)
    return sum(found)
