"""Run a module in the interpreter as a function: one forked child a call, the parent unharmed by any of them."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from torch import Tensor

from kernelwright.backend.tensors import Value
from kernelwright.evaluation.judge.program import Program
from kernelwright.evaluation.judge.truth import Truth
from kernelwright.evaluation.protocol.answers import CandidateRan
from kernelwright.evaluation.protocol.jobs import Call
from kernelwright.evaluation.protocol.tensors import from_raw, to_raw
from kernelwright.evaluation.sandbox.parent import Limits, Sandbox
from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.values import DTYPES, KernelModule, TensorSpec


class InterpretedCallError(KernelwrightError):
    """A call of a module that was verified went wrong after all; says how."""


class InterpretedModule:
    """A verified module, called with its inputs in the reference's order and its state by name.

    Numbers among the inputs may be given or left out; the module's own are used either way. A class is built by seed 0
    at each call, and then given the state.
    """

    def __init__(self, module: KernelModule, sandbox: Sandbox, limits: Limits) -> None:
        self.module, self.sandbox, self.limits = module, sandbox, limits
        self._program = Program.of_module(module)
        self._values = [getattr(spec, "value", None) for spec in module.reference.inputs]

    def __call__(
        self, inputs: Sequence[Value], state: Mapping[str, Tensor] = MappingProxyType({})
    ) -> tuple[Tensor, ...]:
        """The outputs, as new tensors. Raises InterpretedCallError where the child gives none."""
        reference = self.module.reference
        given = [to_raw(value) for value in (*inputs, *state.values()) if isinstance(value, Tensor)]
        built = {name: to_raw(value) for name, value in state.items()} if self._program.form == "class" else {}
        places = iter(range(len(built), len(built) + len(given)))
        order = [next(places) if isinstance(spec, TensorSpec) else None for spec in reference.inputs]
        held = {name: next(places) for name in state}
        call = Call(tuple(order), tuple(self._values), held, fresh=True)
        job = self._program.job(
            Truth(built=built), 0, secrets.randbits(62), int(self.limits.memory_gb * 2**30), "cpu", [call]
        )
        room = sum(spec.numel * DTYPES[spec.dtype][2] + 4096 for spec in reference.outputs) + 65536
        answer = self.sandbox.run(job, [*built.values(), *given], room, replace(self.limits, device=False, host=True))
        ran = answer.content
        if not isinstance(ran, CandidateRan):
            raise InterpretedCallError(f"@{self.module.name}: {answer.why}")
        outputs = [from_raw(answer.tensors[place]) for place in ran.calls[0].outputs]
        return tuple(outputs)
