"""`torch.library` as host code finds it: an operator that it registers is the function that it registers."""

from collections.abc import Callable
from typing import Any

import torch


class _OwnOperator:
    """What `custom_op` and `triton_op` give: calls its function; what is registered besides is for other uses."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.__name__, self.__doc__ = getattr(function, "__name__", "operator"), function.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def _registered(self, *given: Any, **_options: Any) -> Any:
        """A function as it is; or, where only options are given, what decorates one."""
        functions = [value for value in given if callable(value)]
        return functions[0] if functions else lambda function: function

    register_fake = register_kernel = register_autograd = register_vmap = register_torch_dispatch = _registered


def _own(_name: str, fn: Callable[..., Any] | None = None, /, **_options: Any) -> Any:
    return _OwnOperator if fn is None else _OwnOperator(fn)


def install() -> None:
    """Replace what registers operators: a launch inside of one is a launch, and anything else is judged as it is."""
    library: Any = torch.library
    library.custom_op = library.triton_op = _own
    library.wrap_triton = lambda kernel: kernel
