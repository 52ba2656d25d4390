"""What operations do that a program runs: whether their results and the sums of squares of norms are numbers, whether
they compute by element, whether they make floating numbers of large whole ones, and how large scores are."""

from typing import Any

import torch
from torch import Tensor

from kernelwright.backend.reference.eight_bits import wide
from kernelwright.backend.tensors import UNFILLED
from kernelwright.backend.torch_private import TorchDispatchMode, tree_leaves
from kernelwright.evaluation.inputs.traits import has_integers_from
from kernelwright.evaluation.inputs.uses import PLACES
from kernelwright.evaluation.protocol import operators


def word_of(func: Any) -> str:
    """An operation's name as users write it, without the mark of one that works in place."""
    return str(func.overloadpacket.__name__).rstrip("_")


class NotFiniteWatch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes whether an operation gives NaN or an infinity; whether one that is given such `converted` numbers to whole
    ones; and whether that was a `cast`, which places of maxima are not. Memory without content, and views of it, may
    hold NaN by chance."""

    nan = infinite = converted = cast = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if func.is_view or func.overloadpacket.__name__ in UNFILLED:
            return result
        found = result if isinstance(result, tuple | list) else (result,)
        given = [wide(value) for value in args if isinstance(value, Tensor) and value.is_floating_point()]
        for value in found:
            if isinstance(value, Tensor) and not value.is_floating_point() and value.dtype != torch.bool:
                wrong = not all(bool(one.isfinite().all()) for one in given)
                self.converted |= wrong
                self.cast |= wrong and func.overloadpacket.__name__ == "_to_copy"
            if isinstance(value, Tensor) and value.is_floating_point():
                self.nan |= bool(wide(value).isnan().any())
                self.infinite |= bool(wide(value).isinf().any())
        return result


_NORMS = "native_batch_norm cudnn_batch_norm native_layer_norm native_group_norm var var_mean std std_mean"
#: Operations, by `operators.base`, that subtract means, and such as add squares up.
NORMS = frozenset(f"aten.{name}" for name in _NORMS.split())
_SQUARING = NORMS | {"aten.linalg_vector_norm", "aten.norm"}
_LARGEST = torch.finfo(torch.float32).max


class SquaresWatch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes whether the squares of what a norm or a variance is given are `too_large` to add up in fp32. Eager may have
    a result that is finite, where another right order of the same sum has none."""

    too_large = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if operators.base(str(func)) in _SQUARING and args[0].is_floating_point():
            self.too_large |= not bool(args[0].double().square().sum() <= _LARGEST)
        return func(*args, **(kwargs or {}))


#: Operations besides that compute nothing, or nothing but maxima and minima.
_STILL = frozenset(
    f"aten.{name}"
    for name in "empty.memory_format empty_strided.default detach.default amax.default amin.default".split()
)


#: Operations, by `operators.base`, that look for the least of something, or for the most of its opposite.
_LEAST = "min amin argmin aminmax minimum fmin cummin sort argsort topk kthvalue median nanmedian neg rsub"
_MINIMA = frozenset(f"aten.{name}" for name in _LEAST.split())
_POWERS = ("aten.exp", "aten.exp2")
#: What other operations that compute exponentials have in their names.
_EXPONENTIALS = ("softmax", "attention", "logsumexp", "logaddexp")


#: Operations, by their names, that compare numbers, and those that round them to whole ones.
COMPARISONS = frozenset("gt ge lt le eq ne isnan nan_to_num".split())
_ROUNDINGS = frozenset("round floor ceil trunc floor_divide".split())


def rounds(func: Any, kwargs: Any) -> bool:
    """Whether an operation rounds numbers, or a quotient, to whole ones."""
    name, dtype = word_of(func), (kwargs or {}).get("dtype")
    if name == "_to_copy":
        return dtype is not None and dtype != torch.bool and not (dtype.is_floating_point or dtype.is_complex)
    return name in _ROUNDINGS or (name == "div" and func._overloadname.endswith("_mode"))


class ElementwiseWatch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes whether `only` operations on elements run, copies, and maxima and minima; whether any looks for
    `minima`, whether any computes `exponentials`, and whether any `compares` floating numbers, or `rounds` them."""

    only, minima, exponentials, compares, rounds = True, False, False, False, False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = str(func)
        self.minima |= operators.base(name) in _MINIMA
        self.exponentials |= operators.base(name) in _POWERS or any(part in name for part in _EXPONENTIALS)
        word = word_of(func)
        floating = bool(args) and isinstance(args[0], Tensor) and args[0].is_floating_point()
        self.compares |= floating and word in COMPARISONS
        self.rounds |= floating and rounds(func, kwargs)
        moves = name in _STILL or operators.moves(name)
        self.only &= moves or func.is_view or torch.Tag.pointwise in func.tags
        return func(*args, **(kwargs or {}))


class ConvertedWatch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes whether floating numbers are `made` of whole ones of a size or more, other than by where they point."""

    def __init__(self, size: float) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._size = size
        self.made = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if not func.is_view and any(isinstance(one, Tensor) and one.is_floating_point() for one in tree_leaves(result)):
            places = PLACES.get(str(func), ())
            given = [value for position, value in enumerate(args) if position not in places]
            self.made |= any(has_integers_from(one, self._size) for one in tree_leaves([given, kwargs or {}]))
        return result


#: Operations, by `operators.base`, that compute scores.
_PRODUCTS = frozenset(f"aten.{name}" for name in "mm bmm addmm baddbmm".split())
#: Kernels write numbers such as -1e6 for masked scores, beside which larger ones are not masked. Exponents of two are
#: 1.44 times as large.
_MASKED = 2.0**19


class ScoresWatch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes whether a softmax follows a product that is beyond the numbers that stand for -inf in masks: scores of an
    attention are `too_large` then. Where they are infinite, an operator may have a rule of its own."""

    too_large = _beyond = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result, name = func(*args, **(kwargs or {})), operators.base(str(func))
        if name in _PRODUCTS and result.is_floating_point():
            self._beyond |= bool((result.abs() >= _MASKED).any())
        self.too_large |= self._beyond and (name in _POWERS or "softmax" in name)
        return result
