"""The adapter for what a backend of `torch.compile` asks of Dynamo and Inductor: compiling, and errors that go through.

`versions.TRIED` has the releases that it was tried with.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from kernelwright.backend.versions import adapting, parameters

with adapting("backend kernelwright", "torch"):
    from torch._dynamo.exc import ShortenTraceback
    from torch._inductor.compile_fx import compile_fx

    parameters(ShortenTraceback, "first_useful_frame")
    parameters(compile_fx, "model_", "example_inputs_")


class BackendOptionError(ShortenTraceback, ValueError):
    """A wrong option of a `torch.compile` backend; Dynamo lets this kind through to the caller as it is."""

    def __init__(self, message: str) -> None:
        super().__init__(message, first_useful_frame=None)


def compile_with_inductor(graph: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    """What `torch.compile` does with a graph when no other backend is asked for."""
    compiled = compile_fx(graph, list(inputs))
    assert callable(compiled)
    return compiled
