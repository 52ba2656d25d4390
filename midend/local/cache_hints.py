"""`cache-hints`: keep in the L2 cache what every program reads."""

from dataclasses import dataclass
from typing import ClassVar

from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.analysis.programs import varying_values
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.values import Constant, Function
from kernelwright.ir.passes import Declined, Keeps, register
from kernelwright.midend.kernel_pass import KernelPass


@register
@dataclass(frozen=True)
class CacheHints(KernelPass):
    """Mark loads whose address is the same in every program as `evict_last`.

    Legal everywhere: a hint changes no value. Loads that carry a policy already keep it.
    """

    name: ClassVar[str] = "cache-hints"
    needs: ClassVar[str] = "a kernel of several programs, and a load whose address is the same in all of them"
    changes: ClassVar[str] = "the load's eviction policy"
    keeps: ClassVar[Keeps | None] = Keeps.EXACT
    explore = Exploration(Phase.FINISH, after=("strength-reduce",), estimated=False)

    def rewrite(self, function: Function, launches: Launches | None) -> Function | Declined:  # noqa: ARG002
        """The kernel with hints."""
        varying = varying_values(function)
        loads = [one for one in function.walk() if one.kind == "load" and one.get("eviction_policy") is None]
        shared = [load for load in loads if load.get("pointer") not in varying]
        if not any(one.kind == "program_id" for one in function.walk()):
            return Declined("all of its programs do the same work")
        if not shared:
            return Declined("each load without an eviction policy has a different address in each program")
        edits = Rewriting(function)
        for load in shared:
            edits.change(load, eviction_policy=Constant("'evict_last'"))
        return edits.done()
