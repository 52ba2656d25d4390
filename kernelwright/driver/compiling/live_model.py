"""A live `nn.Module`: read as a program, and compared with itself on the weights and inputs that it really has."""

import inspect
from collections.abc import Sequence, Sized
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor, nn

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.backend.reference.program import ReferenceProgram, flatten_outputs
from kernelwright.backend.tensors import Value
from kernelwright.driver.compiling.running import open_run
from kernelwright.evaluation.checks.correctness import compare
from kernelwright.evaluation.checks.expected import Expected
from kernelwright.evaluation.judge.session import InterpretedCallError
from kernelwright.evaluation.protocol.tensors import to_raw
from kernelwright.evaluation.sandbox.parent import Limits
from kernelwright.frontend.importers import import_module, lifted_tensors
from kernelwright.frontend.problem import single_line
from kernelwright.ir.errors import LoweringError, UserError
from kernelwright.ir.values import KernelModule, Numerics

_OWN = "on the model's own weights and inputs"


@dataclass(frozen=True)
class LiveModel:
    """A model with the inputs that it is compiled for.

    Its parameters and buffers become inputs of the kernels, so that changed values are seen at each call. Everything
    else is fixed when it is read: the shapes, the dtypes, the numbers among the inputs, the training mode, and the way
    that forward's Python takes.
    """

    model: nn.Module = field(repr=False)
    inputs: tuple[Value, ...] = field(repr=False)

    @property
    def frozen(self) -> str:
        """What is fixed besides shapes and dtypes, in words."""
        numbers = [f"input {i} = {value!r}" for i, value in enumerate(self.inputs) if not isinstance(value, Tensor)]
        mode = "training mode" if self.model.training else "evaluation mode"
        return ", ".join([mode, *numbers])

    def read(self, name: str, numerics: Numerics) -> KernelModule:
        """The module of what it computes. Raises UserError for inputs that the model itself does not take, and
        LoweringError for what no fixed graph expresses: random numbers, writes to inputs or buffers, control flow that
        depends on values."""
        self._check_count(name)
        try:
            return import_module(self.model, self.inputs, name=name, numerics=numerics)
        except LoweringError:
            self._check_call(name)
            raise

    def _check_count(self, name: str) -> None:
        """UserError for too few or too many inputs."""
        try:
            signature = inspect.signature(self.model.forward)
        except (TypeError, ValueError):  # forward is no Python function
            return
        try:
            signature.bind(*self.inputs)
        except TypeError as error:
            wanted, count = ", ".join(signature.parameters), len(self.inputs)
            raise UserError(
                f"{name}: forward takes ({wanted}), and {count} input{'' if count == 1 else 's'} came after the model: "
                f"{error}; give them in forward's order"
            ) from None

    def _check_call(self, name: str) -> None:
        """UserError where the model itself fails with its inputs; it is called on copies of its state."""
        held = dict(self.model.named_parameters()) | dict(self.model.named_buffers())
        state = {key: value.detach().clone() for key, value in held.items()}
        try:
            with torch.no_grad():
                torch.func.functional_call(self.model, state, self.inputs)
        except Exception as error:  # noqa: BLE001 - the user's forward may raise anything
            reason = f"the model itself fails with these inputs: {single_line(error)}"
            raise UserError(f"{name}: {reason}; give inputs that the model takes") from None

    def lifted(self, inputs: Sequence[Value]) -> tuple[Tensor, ...]:
        """The kernels' inputs for a call: tensors, then parameters and buffers as they are now. Raises UserError where
        there are more or fewer inputs, or other numbers, than the model was compiled for."""
        if len(inputs) != len(self.inputs):
            raise UserError(f"the model was compiled for {len(self.inputs)} inputs, {len(inputs)} given")
        for place, (value, compiled) in enumerate(zip(inputs, self.inputs, strict=True)):
            numbers = not isinstance(compiled, Tensor)
            if numbers != (not isinstance(value, Tensor)) or (numbers and value != compiled):
                told = [type(one).__name__ if isinstance(one, Sized) else repr(one) for one in (compiled, value)]
                raise UserError(f"the model was compiled for input {place} = {told[0]}, {told[1]} given")
        return lifted_tensors(self.model, inputs)

    def judged(self, module: KernelModule, verdict: Verdict, limits: Limits) -> Verdict:
        """The verdict of random draws, completed by one call on the model's own weights and inputs.

        What the call gives is compared with the model itself in fp64, as far from it as eager may be. `errors` gets
        `own_rms` and `own_max`, relative to the gold's RMS. One that does not agree is a mismatch.
        """
        if not verdict.ok or module.launcher is None:
            return verdict
        rung = Rung.RUN if Rung.RUN in verdict.rungs else Rung.INTERPRET
        try:
            got = open_run(module, limits)(self.lifted(self.inputs), {})
        except InterpretedCallError as error:
            detail = f"{_OWN}: {error}"
            return replace(verdict, status=Status.RUNTIME_ERROR, rung=rung, detail=detail)
        program = ReferenceProgram.load(module.reference)
        eager = flatten_outputs(program.run(self.model, self.inputs))
        gold = program.gold(self.model, self.inputs)
        expected = [
            Expected(spec.name, to_raw(one), to_raw(exact))
            for spec, one, exact in zip(module.reference.outputs, eager, gold.outputs, strict=True)
        ]
        found = compare(expected, [to_raw(tensor) for tensor in got], module.reference.tolerance)
        errors = {**verdict.errors, "own_rms": found.rms, "own_max": found.max}
        if not found.mismatch:
            return replace(verdict, errors=errors)
        detail = f"{_OWN}: {found.mismatch}"
        return replace(verdict, status=Status.MISMATCH, rung=rung, detail=detail, errors=errors)
