"""What `optimize` runs: a live model in one mode, or one graph that Dynamo handed over."""

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.fx import GraphModule

from kernelwright.backend.tensors import Value
from kernelwright.backend.torch_private import tree_leaves
from kernelwright.driver.extraction.modes import EVAL, TRAIN
from kernelwright.driver.extraction.recording import compiled_for, kept, run_once
from kernelwright.frontend.swap.graphs import GraphRecorder

#: One call: its outputs, and the gradients where there are any.
Call = Callable[[], list[Tensor]]


class Subject(Protocol):
    """What is compiled and called again and again; it is left as it was."""

    @property
    def mode(self) -> str:
        """One of `extraction.modes.MODES`."""
        ...

    @property
    def device(self) -> str:
        """The kind of device that it runs on: `cuda` or `cpu`."""
        ...

    def opened(self, recorder: GraphRecorder) -> AbstractContextManager[Call]:
        """The call, as the recorder compiles it."""
        ...


@dataclass(frozen=True)
class Model:
    """A live model with inputs of its forward; with `dynamic`, compiled for sizes that may change from call to call."""

    model: nn.Module = field(repr=False)
    inputs: Sequence[Value] = field(repr=False)
    mode: str
    dynamic: bool = False

    @property
    def device(self) -> str:
        """Of its first input or parameter."""
        return _device([*tree_leaves(self.inputs), *self.model.parameters()])

    @contextmanager
    def opened(self, recorder: GraphRecorder) -> Iterator[Call]:
        """Modes of the model's parts, its buffers and gradients, and torch's random numbers are kept."""
        with compiled_for(self.model, recorder, self.mode, self.dynamic or None) as compiled:
            yield lambda: run_once(compiled, self.model, self.inputs, self.mode)


@dataclass(frozen=True)
class Graph:
    """A graph of Dynamo's with all that it is given: parameters, buffers and inputs. It works on copies of what may
    change and of what gets gradients."""

    graph: GraphModule = field(repr=False)
    inputs: Sequence[Any] = field(repr=False)

    @property
    def mode(self) -> str:
        """Whether its call now would be one with gradients."""
        wanted = any(isinstance(one, Tensor) and one.requires_grad for one in self.inputs)
        return TRAIN if torch.is_grad_enabled() and wanted else EVAL

    @property
    def device(self) -> str:
        """Of its first tensor."""
        return _device(self.inputs)

    @contextmanager
    def opened(self, recorder: GraphRecorder) -> Iterator[Call]:
        """Torch's random numbers are kept."""
        mode, given = self.mode, [_copied(one) for one in self.inputs]
        leaves = nn.ParameterList(one for one in given if isinstance(one, nn.Parameter))
        with kept(leaves), torch.set_grad_enabled(mode != EVAL):
            compiled = recorder(copy.deepcopy(self.graph), given)
            yield lambda: run_once(compiled, leaves, given, mode)


def _copied(value: Any) -> Any:
    if not isinstance(value, Tensor) or (isinstance(value, nn.Parameter) and not value.requires_grad):
        return value
    made = value.detach().clone()
    return nn.Parameter(made) if value.requires_grad else made


def _device(values: Sequence[Any]) -> str:
    return next((one.device.type for one in values if isinstance(one, Tensor)), "cpu")
