"""Compile one program: run a pipeline, verify every stage, and keep what happened."""

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from kernelwright.driver.compiling.compiled import Compiled
from kernelwright.driver.compiling.folder import compile_folder, what_is_kept, write_report
from kernelwright.driver.compiling.live_model import LiveModel
from kernelwright.driver.compiling.measure import find_speedup
from kernelwright.driver.compiling.one_by_one import one_by_one
from kernelwright.driver.compiling.report import make_failure_report, make_report
from kernelwright.driver.compiling.stages import CompileResult, StageLog
from kernelwright.driver.config.settings import Settings
from kernelwright.driver.run.build import check_checking, import_program, open_context, silent
from kernelwright.driver.run.closing import closing_with
from kernelwright.evaluation.sandbox.parent import Limits
from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.instruments import Dump, Instrument, Reproducer, VerificationFailed, Verify
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import Pipeline
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import KernelModule


def compile_module(
    module: KernelModule, pipeline: Pipeline, ctx: Context, instruments: Sequence[Instrument] = ()
) -> CompileResult:
    """Run a pipeline on a module, judging each change with the context's evaluator.

    `instruments` come after verification and see stamped modules. A module that is refused ends the run
    and is in the result; whatever else a pass raises is raised (LoweringError, UserError, PassError).
    """
    start = time.perf_counter()
    verify = Verify(ctx.evaluator)
    log = StageLog(verify)
    try:
        final = pipeline.run(module, ctx, (verify, log, *instruments))
        verdict = verify.verdicts.get(final.digest)
    except VerificationFailed as refusal:
        final, verdict = refusal.module, refusal.verdict
    return CompileResult(final, verdict, tuple(log.stages), time.perf_counter() - start)


def compile_program(
    program: Path | KernelModule,
    settings: Settings,
    progress: Callable[[str], None] = silent,
    instruments: Sequence[Instrument] = (),
    context: Context | None = None,
    live: LiveModel | None = None,
    keep: bool = True,
) -> Compiled:
    """Import a program (or take a module), compile it, and write the run folder that `settings.out` names.

    `live` is the model that a module was read from, which the result is compared with on its own weights and inputs.
    Without `keep` nothing is written.

    A `context` that is given serves several programs, its evaluator's workers staying warm; else one is
    opened for this program alone.

    The folder gets each stage as it is done, `module.py`, `report.json`, and a reproducer where a pass fails;
    a run that is interrupted or fails leaves what was done and a report that says so.
    """
    progress("import")
    module = program if isinstance(program, KernelModule) else import_program(program, settings)
    settings.pipeline.check(module)
    check_checking(module.reference, module.name, settings.evaluator)
    with compile_folder(settings) if keep else nullcontext() as folder, closing_with(lambda: what_is_kept(folder)):
        return _compiled(module, settings, progress, instruments, context, live, folder)


def _compiled(
    module: KernelModule,
    settings: Settings,
    progress: Callable[[str], None],
    instruments: Sequence[Instrument],
    context: Context | None,
    live: LiveModel | None,
    folder: Path | None,
) -> Compiled:
    limits = Limits(timeout_s=settings.evaluator.timeout_s, memory_gb=settings.evaluator.memory_gb)
    writers = (Dump(folder), Reproducer(folder, settings.overrides)) if folder else ()
    with nullcontext(context) if context else open_context(settings, progress) as context:
        try:
            result = compile_module(module, settings.pipeline, context, (*writers, *instruments))
            if live is not None and result.verdict is not None:
                result = replace(result, verdict=live.judged(result.module, result.verdict, limits))
            result = one_by_one(result, settings.kernel_by_kernel, context, progress)
        except (KernelwrightError, KeyboardInterrupt) as error:
            if folder:
                write_report(folder, make_failure_report(module, context.target, error))
            raise
    progress("measuring")
    report = make_report(result, context.target, find_speedup(result, context.target))
    report["pipeline"] = str(settings.pipeline)
    if folder:
        (folder / "module.py").write_text(print_module(result.module), encoding="utf-8")
        write_report(folder, report)
    return Compiled(result, report, folder, live, limits)
