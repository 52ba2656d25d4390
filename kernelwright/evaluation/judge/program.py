"""What is judged: a module of the IR, or a candidate's text as it stands."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

from kernelwright.backend.launch.execute import module_code
from kernelwright.backend.torch_private import is_composite
from kernelwright.evaluation.judge.truth import Truth
from kernelwright.evaluation.protocol.jobs import Call, Held, HostProgram, RunCandidate
from kernelwright.evaluation.protocol.kernel_text import undecorated
from kernelwright.evaluation.protocol.operators import base
from kernelwright.ir.host.nesting import takes_of, takes_text
from kernelwright.ir.values import KernelModule, Reference
from kernelwright.ir.verifier import extern_ops


@dataclass(frozen=True)
class Program:
    """Python whose `entry` is called with the reference's inputs; `module` where it is one of the IR.

    `form` "function": the entry takes inputs and state of the reference by name. `bare`: the text has no imports, its
    names are given. `externs`: aten operators (`aten.mm`) that its host code may compute with; None allows all.
    """

    text: str
    reference: Reference
    name: str = "candidate"
    entry: str = "ModelNew"
    form: str = "class"
    bare: bool = False
    externs: frozenset[str] | None = frozenset()
    module: KernelModule | None = None

    @classmethod
    def of_module(cls, module: KernelModule) -> "Program":
        """A module; its text may compute with the extern operators that it names."""
        assert module.launcher is not None, f"@{module.name} has no launcher"
        externs = frozenset(extern_ops(module)) or None
        return cls(
            text=module_code(module),
            reference=module.reference,
            name=module.name,
            entry=module.launcher.entry,
            form=module.launcher.form,
            bare=True,
            externs=frozenset() if externs is None else _expanded(externs),
            module=module,
        )

    def job(
        self, truth: Truth, seed: int, chance: int, memory_bytes: int, device: str, calls: Sequence[Call]
    ) -> RunCandidate:
        """A job that makes these calls; tensors begin with those of `truth.built`. The model is built from `seed`. What
        its processes draw follows from `chance`, which is secret."""
        paths = {spec.tensor.name: spec.path for spec in self.reference.state}
        return RunCandidate(
            self._told(truth, seed, chance),
            tuple(Held(name, paths.get(name, name), place) for place, name in enumerate(truth.built)),
            self.reference.numerics,
            None if self.module is None else _sources(self.module),
            memory_bytes,
            device,
            tuple(calls),
            module={} if self.form != "class" else dict(truth.module),
            **truth.drawing(self.reference),
        )

    def _told(self, truth: Truth, seed: int, chance: int) -> HostProgram:
        """What its host process is told: of the reference, no more than building its class takes."""
        init = self.reference.source if truth.init is None else f"def get_init_inputs():\n    return {truth.init}\n"
        return HostProgram(
            self.text,
            self.entry,
            self.form,
            self.bare,
            init if self.form == "class" else "",
            seed,
            self.reference.numerics == "bf16",
            tuple(spec.name for spec in self.reference.inputs),
            None if self.externs is None else tuple(sorted(self.externs)),
            chance,
            takes_text(takes_of(self.reference.source)),
        )


def _sources(module: KernelModule) -> dict[str, str]:
    """The kernels as they are judged; one that does not parse fails where it is loaded."""
    found = {}
    for kernel in module.kernels:
        with contextlib.suppress(SyntaxError):
            found[kernel.symbol] = undecorated(kernel.source)
    return found


def _expanded(externs: frozenset[str]) -> frozenset[str] | None:
    """Operators that torch takes apart before they reach a device stand for whatever they become: None."""
    import torch

    for name in externs:
        _, operation, *overload = name.split(".")
        packet = getattr(torch.ops.aten, operation, None)
        found = getattr(packet, overload[0] if overload else packet.overloads()[0], None) if packet else None
        if found is None:  # calling it fails in the candidate, which is a verdict
            continue
        if is_composite(found.name()):
            return None
    return frozenset(map(base, externs))
