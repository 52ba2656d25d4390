"""Run a module in the interpreter as a function: one forked child a call, the parent unharmed by any of them."""

from collections.abc import Sequence
from dataclasses import replace

from torch import Tensor

from kernelwright.evaluation.program import Program
from kernelwright.evaluation.sandbox import Limits, Sandbox
from kernelwright.evaluation.tensors import from_raw, to_raw
from kernelwright.evaluation.truth import Truth
from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.values import DTYPES, KernelModule, TensorSpec


class InterpretedCallError(KernelwrightError):
    """A call of a module that was verified went wrong after all; says how."""


class InterpretedModule:
    """A verified module whose reference holds no state, called with its tensors in the reference's order."""

    def __init__(self, module: KernelModule, sandbox: Sandbox, limits: Limits) -> None:
        assert not module.reference.state, f"@{module.name} holds state"
        self.module, self.sandbox, self.limits = module, sandbox, limits
        self._job = Program.of_module(module).job(Truth(), 0, int(limits.memory_gb * 2**30))
        self._values = [getattr(spec, "value", None) for spec in module.reference.inputs]

    def __call__(self, inputs: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """The outputs, as new tensors. Raises InterpretedCallError where the child gives none."""
        reference = self.module.reference
        given = [to_raw(tensor) for tensor in inputs]
        places = iter(range(len(given)))
        order = [next(places) if isinstance(spec, TensorSpec) else None for spec in reference.inputs]
        job = self._job | {
            "kind": "candidate",
            "device": "cpu",
            "timing": None,
            "calls": [{"inputs": order, "values": self._values, "state": {}, "fresh": True}],
        }
        room = sum(spec.numel * DTYPES[spec.dtype][2] + 4096 for spec in reference.outputs) + 65536
        answer = self.sandbox.run(job, given, room, replace(self.limits, device=False, host=True))
        if answer.failure or answer.header.get("status") != "ok":
            detail = answer.detail or answer.header.get("detail", "no answer")
            raise InterpretedCallError(f"@{self.module.name}: {detail}")
        outputs = [from_raw(answer.tensors[place]) for place in answer.header["calls"][0]["outputs"]]
        return tuple(outputs)
