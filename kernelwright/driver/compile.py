"""Compile one program: run a pipeline, verify every stage, and keep what happened."""

import json
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from kernelwright.driver.build import import_program, open_context, silent
from kernelwright.driver.compiled import Compiled
from kernelwright.driver.live_model import LiveModel
from kernelwright.driver.measure import find_speedup
from kernelwright.driver.report import make_failure_report, make_report
from kernelwright.driver.settings import Settings
from kernelwright.driver.stages import CompileResult, StageLog
from kernelwright.evaluation.sandbox import Limits
from kernelwright.ir.errors import KernelwrightError, UserError
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
    limits = Limits(timeout_s=settings.evaluator.timeout_s, memory_gb=settings.evaluator.memory_gb)
    folder = _make_folder(settings) if keep else None
    writers = (Dump(folder), Reproducer(folder, settings.overrides)) if folder else ()
    with nullcontext(context) if context else open_context(settings, progress) as context:
        try:
            result = compile_module(module, settings.pipeline, context, (*writers, *instruments))
            if live is not None and result.verdict is not None:
                result = replace(result, verdict=live.judged(result.module, result.verdict, limits))
        except (KernelwrightError, KeyboardInterrupt) as error:
            if folder:
                _write_report(folder, make_failure_report(module, context.target, error))
            raise
    progress("measuring")
    report = make_report(result, context.target, find_speedup(result, context.target))
    report["pipeline"] = str(settings.pipeline)
    if folder:
        (folder / "module.py").write_text(print_module(result.module), encoding="utf-8")
        _write_report(folder, report)
    return Compiled(result, report, folder, live, limits)


def _make_folder(settings: Settings) -> Path:
    """The run folder; one that the user did not name is new."""
    named = any(override.startswith("out=") for override in settings.overrides)
    folder, number = Path(settings.out), 1
    while not named and folder.exists():
        number += 1
        folder = Path(f"{settings.out}-{number}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot make the run folder {folder}: {error.strerror} (set out=FOLDER)") from error
    return folder


def _write_report(folder: Path, report: dict[str, Any]) -> None:
    (folder / "report.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
