"""Records what Inductor compiles for a model: each mode in turn, with the model's own inputs."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn

from kernelwright.backend.torch_private import tree_leaves
from kernelwright.driver.extraction.modes import AUTOCAST, EVAL
from kernelwright.frontend.swap.graphs import GraphRecorder, RecordedGraph


def record_model(model: nn.Module, inputs: Sequence[Any], mode: str) -> list[RecordedGraph]:
    """The graphs of one call: inference, a training step with its gradients, or one under autocast in bf16.

    The model computes as eager does, and is left as it was. Raises what the model raises.
    """
    recorder = GraphRecorder()
    with compiled_for(model, recorder, mode) as run:
        run_once(run, model, inputs, mode)
    return recorder.graphs


@contextmanager
def compiled_for(
    model: nn.Module, backend: Callable[..., Any], mode: str, dynamic: bool | None = None
) -> Iterator[Callable[..., Any]]:
    """The model in the state of a mode, compiled by a backend; `dynamic` as for `torch.compile`. The model is kept as
    it was, and `torch.compile` knows nothing before and after."""
    torch.compiler.reset()
    with kept(model):
        model.train(mode != EVAL)
        try:
            yield torch.compile(model, backend=backend, dynamic=dynamic)
        finally:
            torch.compiler.reset()


@contextmanager
def kept(model: nn.Module) -> Iterator[None]:
    """The modes of the model's parts, its buffers and gradients, and torch's random numbers, are as before afterwards;
    there are no gradients within it."""
    modes, gradients = [(one, one.training) for one in model.modules()], [(one, one.grad) for one in model.parameters()]
    buffers = [(one, one.detach().clone()) for one in model.buffers()]
    devices = sorted({one.device.index or 0 for one in model.parameters() if one.device.type == "cuda"})
    model.zero_grad(set_to_none=True)
    with torch.random.fork_rng(devices):
        try:
            yield
        finally:
            for part, mode in modes:
                part.training = mode
            with torch.no_grad():
                for buffer, value in buffers:
                    buffer.copy_(value)
            for parameter, gradient in gradients:
                parameter.grad = gradient


def run_once(call: Callable[..., Any], model: nn.Module, inputs: Sequence[Any], mode: str) -> list[Tensor]:
    """What a call gives: its floating outputs, and except for inference the gradients of the sum of their squares."""
    device = next((one.device.type for one in tree_leaves(inputs) if isinstance(one, Tensor)), "cpu")
    cast: AbstractContextManager[Any] = torch.autocast(device, torch.bfloat16) if mode == AUTOCAST else nullcontext()
    with torch.set_grad_enabled(mode != EVAL), cast:
        outputs = [one for one in tensors_of(call(*inputs)) if one.is_floating_point()]
    if mode == EVAL:
        return outputs
    if any(one.requires_grad for one in outputs):
        loss = torch.stack([one.float().square().mean() for one in outputs if one.requires_grad]).sum()
        torch.autograd.backward(loss)
    gradients = [one.grad for one in model.parameters() if one.grad is not None]
    for one in model.parameters():
        one.grad = None
    return [one.detach() for one in (*outputs, *gradients)]


def tensors_of(value: Any) -> list[Tensor]:
    """The tensors of a result, whatever holds them; those in objects of a library are found by its mapping."""
    if hasattr(value, "to_tuple"):
        value = value.to_tuple()
    return [one for one in tree_leaves(value) if isinstance(one, Tensor)]
