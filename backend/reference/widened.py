"""Running a program in a wider floating dtype than it asks for, whatever it casts to."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch
from torch import Tensor

from kernelwright.backend.torch_private import TorchDispatchMode, tree_map

#: Operators with a switch that says whether 16-bit operands give an fp32 result, and its place.
_SWITCHES = {"aten::_softmax": 2, "aten::_log_softmax": 2}


class Widened(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Around a run: casts, factories and constants of the usual dtypes give `dtype` instead, and so every operation
    computes in it. Casts to 8 bits stay, as they are meant to round."""

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        narrow = [torch.float16, torch.bfloat16, *([torch.float32] if dtype == torch.float64 else [])]
        self._wide: dict[torch.dtype, torch.dtype] = dict.fromkeys(narrow, dtype)
        if dtype == torch.float64:
            self._wide[torch.complex64] = torch.complex128

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        written = {id(value) for value in self._written(func, args, kwargs or {})}

        def widened(value: Any) -> Any:
            if isinstance(value, torch.dtype):
                return self._wide.get(value, value)
            if isinstance(value, Tensor) and value.dtype in self._wide and id(value) not in written:
                return value.to(self._wide[value.dtype])
            return value

        given, named = tree_map(widened, (tuple(args), dict(kwargs or {})))
        switch = _SWITCHES.get(func._schema.name)
        if switch is not None:
            given = (*given[:switch], False, *given[switch + 1 :])
        return func(*given, **named)

    def _written(self, func: Any, args: Any, kwargs: Any) -> Iterator[Any]:
        """The arguments that an operation writes to, which have to stay the tensors that they are."""
        for index, argument in enumerate(func._schema.arguments):
            if argument.alias_info is not None and argument.alias_info.is_write:
                yield args[index] if index < len(args) else kwargs.get(argument.name)


#: Comparisons of tensors with a number.
_COMPARISONS = frozenset(f"aten.{name}.Scalar" for name in ("eq", "ne", "lt", "le", "gt", "ge"))


class _Compared(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Compares tensors with numbers as fp32 has them, so that an element which is such a number takes the branch that
    it takes in eager code."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if str(func) in _COMPARISONS and isinstance(args[1], float) and args[0].dtype == torch.float64:
            args = (args[0], torch.tensor(args[1], dtype=torch.float32).item(), *args[2:])
        return func(*args, **(kwargs or {}))


def as_compared() -> AbstractContextManager[Any]:
    """Around a run in fp64 of a program in fp32: comparisons with numbers are those of fp32."""
    return _Compared()  # type: ignore[no-untyped-call]


@contextmanager
def widened(dtype: torch.dtype) -> Iterator[None]:
    """Everything in the block computes in `dtype`, new tensors without one too."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        with Widened(dtype):
            yield
    finally:
        torch.set_default_dtype(before)
