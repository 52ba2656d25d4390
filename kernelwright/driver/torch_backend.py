"""What `torch.compile(model, backend="kernelwright")` finds: the backend, or plain Inductor where it cannot work."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any

import torch

from kernelwright.ir.errors import UnsupportedVersionError


def kernelwright(
    graph: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    mode: str | None = None,
) -> Callable[..., Any]:
    """The backend, as `driver.dynamo` has it; with a torch or Triton that it cannot work with, warns once and leaves
    every graph to Inductor."""
    dynamo = _dynamo()
    if dynamo is not None:
        run: Callable[..., Any] = dynamo.kernelwright(graph, example_inputs, options=options, mode=mode)
        return run
    from kernelwright.frontend.inductor.plain import compile_with_inductor

    return compile_with_inductor(graph, example_inputs)


@cache
def _dynamo() -> ModuleType | None:
    """The module that compiles, or None where a release of torch or Triton lacks what it needs."""
    try:
        from kernelwright.backend.interpreter import language  # noqa: F401  (what kernels are verified by)
        from kernelwright.driver import dynamo
        from kernelwright.frontend.inductor import capture  # noqa: F401  (what graphs are lowered by)
    except UnsupportedVersionError as error:
        warnings.warn(f"{error}; torch.compile runs plain Inductor", stacklevel=2)
        return None
    return dynamo
