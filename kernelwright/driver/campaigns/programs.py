"""Compiling one program of a campaign: whatever comes of it is a result."""

import gc
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch

from kernelwright.backend.emit import emit_standalone
from kernelwright.backend.scratch import Scratch
from kernelwright.driver.compiling.program import compile_module
from kernelwright.driver.compiling.stages import CompileResult
from kernelwright.driver.config.settings import ImportSettings, Settings
from kernelwright.frontend.importers import import_source
from kernelwright.ir.errors import DialectError, LoweringError, UserError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import KernelModule, Level
from kernelwright.ir.verifier import extern_ops, launched

RUN_ALONE = """\
import runpy, sys
sys.modules["kernelwright"] = None  # importing it fails
runpy.run_path(sys.argv[1], run_name="__main__")
"""
_STANDALONE_SECONDS = 300.0


@dataclass(frozen=True)
class Program:
    """A KernelBench-format source; `labels` say which it is and are part of its result."""

    name: str
    source: str
    labels: Mapping[str, Any] = field(default_factory=dict)

    @property
    def module_name(self) -> str:
        """The name as one of a module."""
        return "".join(letter if letter.isalnum() else "_" for letter in self.name)


def compile_program(program: Program, settings: Settings, context: Context, standalone: bool) -> dict[str, Any]:
    """One program's result; whatever it raises becomes a status and a cause. No program's text is in it."""
    return attempt(partial(_compile, program, settings, context, standalone))


def attempt(compiling: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What compiling gives, with the seconds that it took; a status and a cause where it raises."""
    start = time.perf_counter()
    try:
        found = compiling()
    except LoweringError as error:
        found = {"status": "not_lowered", "cause": _brief(error)}
    except UserError as error:
        found = {"status": "not_imported", "cause": _brief(error)}
    except Exception as error:  # noqa: BLE001 - one program must not end the campaign
        found = {"status": "error", "cause": _brief(error)}
    if torch.cuda.is_available():
        gc.collect()
        torch.cuda.empty_cache()  # the evaluator's processes want it, also what a program that failed has left
    alone = found.get("standalone", {}).get("seconds", 0.0)
    return found | {"seconds": round(time.perf_counter() - start - alone, 3)}


def _compile(program: Program, settings: Settings, context: Context, standalone: bool) -> dict[str, Any]:
    start = time.perf_counter()
    module = read_module(program, settings.importing)
    seconds = {"import": round(time.perf_counter() - start, 3)}
    result = compile_module(module, settings.pipeline, context)
    found, final, verdict = outcome(result), result.module, result.verdict
    found["seconds_by_stage"] = seconds | found["seconds_by_stage"]
    found["parses_back"] = _parses_back(final)
    if result.ok and standalone and final.level is not Level.TORCH:
        began = time.perf_counter()
        alone = run_standalone(final, _STANDALONE_SECONDS)
        found["standalone"] = alone | {"seconds": round(time.perf_counter() - began, 3)}
    if verdict:
        found["caliber"] = dict(verdict.caliber)
    return found


def read_module(program: Program, importing: ImportSettings) -> KernelModule:
    """The module of a program, at level torch. Raises UserError."""
    return import_source(program.source, program.module_name, shrink=importing.shrink.value, **importing.options)


def outcome(result: CompileResult) -> dict[str, Any]:
    """What became of a program as JSON values, with a cause where it is not verified."""
    final, verdict = result.module, result.verdict
    found: dict[str, Any] = {
        "status": str(verdict.status) if verdict else "unchanged",
        "shrunken": final.reference.shrunken,
        "rungs": [str(rung) for rung in verdict.rungs] if verdict else [],
        "errors": dict(verdict.errors) if verdict else {},
        "seconds_by_stage": {stage.spec: round(stage.seconds, 3) for stage in result.stages},
        "kernels": len(launched(final)),
        "externs": list(extern_ops(final)),
        "digest": final.digest,
    }
    if not result.ok:
        found["cause"] = " ".join((verdict.detail if verdict else "nothing lowered it").split())[:500]
    return found


def run_standalone(module: KernelModule, timeout_s: float) -> dict[str, Any]:
    """Emit one file and run it in a fresh process without this package: whether it ran, and the largest
    difference from eager that it prints."""
    with Scratch("standalone") as folder:
        path = folder / "standalone.py"
        path.write_text(emit_standalone(module), encoding="utf-8")
        environment = dict(os.environ)
        if not torch.cuda.is_available():
            environment["TRITON_INTERPRET"] = "1"
        command = [sys.executable, "-c", RUN_ALONE, str(path)]
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, timeout=timeout_s, check=False
            )
        except subprocess.TimeoutExpired:
            return {"ran": False, "cause": "timeout"}
    differences = [float(text) for text in re.findall(r"largest difference from eager (\S+)", done.stdout)]
    if done.returncode or not differences:
        last = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
        return {"ran": False, "cause": last[:300]}
    return {"ran": True, "largest_difference": max(differences)}


def _parses_back(module: KernelModule) -> bool:
    try:
        return parse_module(print_module(module)) == module
    except DialectError:
        return False


def _brief(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:500]
