"""What a program should take in eager PyTorch on a target: one library kernel for each operation, by the cost model.

Eager PyTorch runs an operation at a time, so that the trace of a program's operations on the meta device is the list
of its kernels. Each takes a launch and the longer of its bytes and its FLOPs (`cost.extern_us_of`). The time that the
host takes to dispatch an operation is not in it: eager PyTorch takes at least what is estimated where the host is slow.
`python -m benchmarks.cost.eager_cost` compares the estimate with measurements.
"""

import torch

from kernelwright.backend.cost.extern import ExternTrace
from kernelwright.backend.cost.model import extern_us_of
from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.backend.targets import Target
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import Reference


def estimate_eager_us(reference: Reference, target: Target) -> float:
    """Microseconds of one call of the reference in eager PyTorch.

    Raises UserError where the target is no GPU, and where the program looks at values, which the meta device lacks.
    """
    if not target.is_gpu:
        raise UserError(f"target {target.name!r} has no cost model; choose a GPU such as h100")
    program = ReferenceProgram.load(reference)
    try:
        model, inputs = program.build(0, "meta"), program.inputs(0, "meta")
        with torch.no_grad(), ExternTrace() as trace:
            model(*inputs)
    except (NotImplementedError, RuntimeError) as error:
        raise UserError(f"eager PyTorch is not estimated for this program: {error}") from error
    return sum(extern_us_of(trace.calls, target))
