"""What `torch.compile(model, backend="kernelwright")` finds: the backend, or plain Inductor where it cannot work."""

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from types import ModuleType
from typing import Any

import torch

from kernelwright.ir.errors import UnsupportedVersionError


class Kernelwright:
    """The backend, as `driver.torch_compile` has it. With a torch or Triton whose kernels it cannot swap, it warns once
    and is Inductor."""

    __name__ = "kernelwright"

    def __call__(
        self,
        graph: torch.fx.GraphModule,
        example_inputs: Sequence[Any],
        *,
        options: Mapping[str, Any] | None = None,
        mode: str | None = None,
    ) -> Callable[..., Any]:
        """What runs a graph. Raises ValueError for options that neither Kernelwright nor Inductor has."""
        from kernelwright.driver.torch_compile.options import Request

        if (backend := _backend()) is not None:
            backend.hear_of_resets(self)
            compiled = partial(backend.compile_graph, graph, example_inputs, options, mode)
            asked = Request.read(options, mode) if options and {"search", "hot"} & options.keys() else None
            if asked is None or os.environ.get("KERNELWRIGHT_DISABLE") == "1":
                run: Callable[..., Any] = compiled()
                return run
            return _searched(graph, asked, compiled)
        return Request.read(options, mode).inductor.alone(graph, example_inputs)

    def reset(self) -> None:
        """What `torch.compiler.reset()` asks of a backend."""
        if (backend := _backend()) is not None:
            backend.reset()


def _searched(graph: torch.fx.GraphModule, asked: Any, compiled: Callable[[], Any]) -> Callable[..., Any]:
    """What runs a graph, with a search for faster kernels if options ask for one."""
    if asked.options.hot:
        from kernelwright.driver.optimize.hot import served  # late: few compiles search

        return served(graph, asked, compiled)
    if asked.options.search:
        from kernelwright.driver.optimize.in_compile import searched

        return searched(graph, asked.options, compiled)
    run: Callable[..., Any] = compiled()
    return run


kernelwright = Kernelwright()


@cache
def _backend() -> ModuleType | None:
    """The module that compiles, or None where a release of torch or Triton lacks what it needs."""
    try:
        from kernelwright.driver.torch_compile import backend
    except UnsupportedVersionError as error:
        warnings.warn(f"{error}; torch.compile runs plain Inductor", stacklevel=2)
        return None
    return backend
