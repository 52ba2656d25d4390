"""Code written for CUDA, on machines without it."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode


class DeviceMode(TorchFunctionMode):
    """Lets host code written for CUDA run elsewhere: it sees `cuda` everywhere, and gets `device`."""

    def __init__(self, device: torch.device) -> None:
        super().__init__()
        self.device = device

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        name = getattr(func, "__self__", None)
        if name is Tensor.is_cuda:
            return True
        if name is Tensor.device:
            return torch.device("cuda", 0)
        if func is Tensor.cuda:
            return args[0]
        given = {key: self._here(value) for key, value in (kwargs or {}).items()}
        if func is Tensor.to:
            args = tuple(self._here(value) for value in args)
        return self.called(func, args, given, func(*args, **given))

    def called(self, func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Any) -> Any:
        """Hook for runtimes that watch host code; gives the call's result."""
        del func, args, kwargs
        return result

    def _here(self, value: Any) -> Any:
        if isinstance(value, torch.device):
            return self.device if value.type == "cuda" else value
        return self.device if isinstance(value, str) and value.split(":")[0] == "cuda" else value


def cuda_or_here() -> AbstractContextManager[Any]:
    """Around code that asks for tensors on a CUDA device: where there is none it gets them on the default one."""
    return nullcontext() if torch.cuda.is_available() else DeviceMode(torch.get_default_device())
