"""A reference lowered by Inductor as options say, and its text normalised into a module."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

import torch

from kernelwright.backend.reference.program import ReferenceProgram, tensor_at
from kernelwright.backend.targets import get_target
from kernelwright.frontend.algebra import (
    count_constants,
    divide_as_eager,
    drop_places,
    fill_empty,
    outgrow_symbols,
    reassociate,
    start_at_zero,
    write_out_products,
)
from kernelwright.frontend.inductor.capture import capture, keep_places_as_numbers
from kernelwright.frontend.inductor.module_text import ModuleBuilder
from kernelwright.frontend.inductor.refusals import too_large
from kernelwright.ir.errors import LoweringError
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule, Reference


def builder(
    module: KernelModule,
    ctx: Context,
    options: Mapping[str, Any],
    device: str,
    *,
    averages_first: bool = False,
    written_out: bool = False,
    choice: int = 0,
) -> ModuleBuilder:
    """A builder of the lowered module, which has captured Inductor's program at the reference's shapes.

    `options` are Inductor's. `averages_first` reassociates the graph before, and with `written_out` products and
    convolutions are plain sums in it. `choice` is that of the pass. `device` is where, or auto. Raises LoweringError
    for what cannot be expressed.
    """
    cuda = torch.cuda.is_available() and ctx.target != "interpreter"
    asked = (one for one in (device, ctx.lowering_device) if one != "auto")
    device = next(asked, "cuda" if cuda else "cpu")
    program = ReferenceProgram.load(module.reference)
    rewritten = partial(_rewritten, averages_first=averages_first, written_out=written_out)
    before = {"post_grad_custom_pre_pass": rewritten}
    with _within_memory(module.name):
        with torch.device("meta") if device == "meta" else nullcontext():
            model = program.build(ctx.seed, device)
        inputs = program.inputs(ctx.seed, device)
        tensors = _named_tensors(module.reference, model, inputs)
        captured = capture(model, inputs, tensors, {**options, **before})
    return ModuleBuilder(module, captured, get_target(ctx.target), choice)


@contextmanager
def _within_memory(name: str) -> Iterator[None]:
    """LoweringError where the program, which runs once here, finds too little memory."""
    try:
        yield
    except RuntimeError as error:  # of which PyTorch's errors about memory are
        if refused := too_large(error, name):
            raise refused from error
        raise


def _rewritten(graph: torch.fx.Graph, averages_first: bool, written_out: bool) -> None:
    drop_places(graph)
    fill_empty(graph)
    divide_as_eager(graph)
    count_constants(graph)
    start_at_zero(graph)
    if averages_first and not reassociate(graph):
        raise LoweringError(
            "nothing to reassociate: the program takes no average after a product or a convolution, "
            "and no average together with a variance"
        )
    if written_out:
        write_out_products(graph)
    if outgrow_symbols(graph):
        keep_places_as_numbers()


def _named_tensors(reference: Reference, model: torch.nn.Module, inputs: list[Any]) -> dict[str, torch.Tensor]:
    values = zip(reference.inputs, inputs, strict=True)
    named = {spec.name: value for spec, value in values if isinstance(value, torch.Tensor)}
    held = {spec.tensor.name: tensor_at(model, spec.path) for spec in reference.state}
    return named | {name: tensor for name, tensor in held.items() if tensor is not None}
