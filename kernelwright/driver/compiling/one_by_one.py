"""The kernels of a compiled program, judged one by one after the program as a whole."""

from collections.abc import Callable
from dataclasses import replace

import torch

from kernelwright.agent.evaluator import Evaluator, Rung, Verdict
from kernelwright.driver.compiling.kernel_by_kernel import (
    KernelVerdicts,
    in_16_bits,
    judge_kernels,
    pieces_of,
    told_apart,
)
from kernelwright.driver.compiling.stages import CompileResult
from kernelwright.driver.config.settings import KernelByKernel
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.errors import LoweringError
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline

#: The rungs that compare results; the other rungs say nothing new of kernels that were judged together.
_COMPARING = (Rung.PARSE, Rung.INTERPRET, Rung.RUN)


def one_by_one(result: CompileResult, asked: KernelByKernel, ctx: Context, say: Callable[[str], None]) -> CompileResult:
    """The result with the verdicts on the kernels alone, if they are asked for and the program as a whole is ok.

    A wrong kernel makes the verdict of the result, and of the module's last record.
    """
    whole = result.verdict
    if whole is None or not whole.ok or asked is KernelByKernel.never:
        return result
    if asked is KernelByKernel.auto and not in_16_bits(result.module):
        return result
    alone = _verdicts(result, whole, ctx, say)
    verdict, module = told_apart(whole, alone), result.module
    if not verdict.ok:
        last = replace(module.provenance[-1], verdict=str(verdict))
        module = replace(module, provenance=(*module.provenance[:-1], last))
    seconds = result.seconds + alone.seconds
    return replace(result, module=module, verdict=verdict, seconds=seconds, alone=alone)


def _verdicts(result: CompileResult, whole: Verdict, ctx: Context, say: Callable[[str], None]) -> KernelVerdicts:
    lowering = _lowering(result)
    if lowering is None:
        return KernelVerdicts(why_not="kernels not judged alone: no pass lower-inductor made them")
    rungs = tuple(rung for rung in whole.rungs if rung in _COMPARING)
    evaluator: Evaluator = ctx.evaluator
    say("taking the program apart")
    try:
        return judge_kernels(result.module, pieces_of(result.module, lowering, ctx), evaluator, rungs, say)
    except (LoweringError, torch.OutOfMemoryError) as error:
        return KernelVerdicts(why_not=f"kernels not judged alone: {error}")


def _lowering(result: CompileResult) -> LowerInductor | None:
    """The pass that made the kernels, with its options; None if Inductor did not make them."""
    made = [stage.spec for stage in result.stages if stage.name == LowerInductor.name and stage.changed]
    passes = parse_pipeline(made[-1]).passes if made else ()
    found = next((one for one in passes if isinstance(one, LowerInductor)), None)
    # Inputs of the kernels are drawn like values of the program, which shapes alone do not give.
    return replace(found, device="auto") if found is not None and found.device == "meta" else found
