"""Compile many programs, one after another, keeping every result as it comes.

Results are written after each program, so that a campaign that is stopped, or whose process dies on one
program, goes on where it was. No program's text is in the results.
"""

import json
import os
import platform
import re
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import torch
import triton
from rich.console import Console
from rich.progress import Progress, TimeElapsedColumn
from rich.text import Text

from kernelwright.backend.emit import emit_standalone
from kernelwright.driver.build import open_context, silent
from kernelwright.driver.compile import compile_module
from kernelwright.driver.settings import Settings
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


class OutOfTime(BaseException):
    """One program took longer than it may. Like KeyboardInterrupt, no handler of errors may swallow it."""


@dataclass(frozen=True)
class Program:
    """A KernelBench-format source; `labels` say which it is and are part of its result."""

    name: str
    source: str
    labels: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Campaign:
    """How to compile the programs, and the file that keeps the results.

    `timeout_s` bounds one program. `standalone`: also run the emitted file in a fresh process in which this
    package cannot be imported. `resume`: keep the results that the file has.
    """

    out: Path
    settings: Settings
    timeout_s: float = 300.0
    standalone: bool = False
    resume: bool = False

    def run(self, programs: Sequence[Program], console: Console) -> dict[str, Any]:
        """Compile all of them; the content of the file."""
        results = self._kept() if self.resume else {}
        with (
            ExitStack() as workers,
            Progress(*Progress.get_default_columns(), TimeElapsedColumn(), console=console) as progress,
        ):
            context: Context | None = None
            for program in progress.track(programs, description="compile"):
                before = results.get(program.name, {}).get("status")
                if before not in (None, "running"):
                    continue
                found: dict[str, Any] = {"status": "running"}
                results[program.name] = {**program.labels, "name": program.name, **found}
                self._write(results)
                if before == "running":  # the process died on it the last time
                    found = {"status": "crash", "cause": "the process died"}
                else:
                    context = context or workers.enter_context(open_context(self.settings, silent))
                    try:
                        found = self._one(program, context)
                    except KeyboardInterrupt:  # not the program's fault: it is due again
                        del results[program.name]
                        self._write(results)
                        raise
                results[program.name] |= found
                self._write(results)
                if found["status"] in ("timeout", "error"):  # its workers may be in any state
                    workers.close()
                    context = None
                if found["status"] != "ok":
                    line = Text(f"{program.name}: {found['status']}: {found.get('cause', '')}")
                    progress.print(line)
        return self._write(results)

    def _one(self, program: Program, context: Context) -> dict[str, Any]:
        """One program's result; whatever it raises becomes a status and a cause."""
        start = time.perf_counter()
        try:
            with _limit(self.timeout_s):
                found = self._compile(program, context)
        except LoweringError as error:
            found = {"status": "not_lowered", "cause": _brief(error)}
        except UserError as error:
            found = {"status": "not_imported", "cause": _brief(error)}
        except OutOfTime:
            found = {"status": "timeout", "cause": f"more than {self.timeout_s:.0f} s"}
        except Exception as error:  # noqa: BLE001 - one program must not end the campaign
            found = {"status": "error", "cause": _brief(error)}
        alone = found.get("standalone", {}).get("seconds", 0.0)
        return found | {"seconds": round(time.perf_counter() - start - alone, 3)}

    def _compile(self, program: Program, context: Context) -> dict[str, Any]:
        start = time.perf_counter()
        importing = self.settings.importing
        options = {} if importing.budget is None else {"budget": importing.budget}
        module = import_source(program.source, program.name, shrink=importing.shrink.value, **options)
        seconds = {"import": round(time.perf_counter() - start, 3)}
        result = compile_module(module, self.settings.pipeline, context)
        seconds |= {stage.spec: round(stage.seconds, 3) for stage in result.stages}
        final, verdict = result.module, result.verdict
        found: dict[str, Any] = {
            "status": str(verdict.status) if verdict else "unchanged",
            "shrunken": final.reference.shrunken,
            "rungs": [str(rung) for rung in verdict.rungs] if verdict else [],
            "errors": dict(verdict.errors) if verdict else {},
            "seconds_by_stage": seconds,
            "kernels": len(launched(final)),
            "externs": list(extern_ops(final)),
            "parses_back": _parses_back(final),
            "digest": final.digest,
        }
        if not result.ok:
            found["cause"] = " ".join((verdict.detail if verdict else "nothing lowered it").split())[:500]
        elif self.standalone and final.level is not Level.TORCH:
            began = time.perf_counter()
            alone = run_standalone(final, self.timeout_s)
            found["standalone"] = alone | {"seconds": round(time.perf_counter() - began, 3)}
        if verdict:
            found["caliber"] = dict(verdict.caliber)
        return found

    def _kept(self) -> dict[str, dict[str, Any]]:
        if not self.out.is_file():
            return {}
        content = json.loads(self.out.read_text("utf-8"))
        return {result["name"]: result for result in content["results"]}

    def _write(self, results: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
        content = {
            "command": shlex.join(["python", *sys.argv]),
            "pipeline": str(self.settings.pipeline),
            "caliber": machine(),
            "summary": summarize(list(results.values())),
            "results": list(results.values()),
        }
        self.out.parent.mkdir(parents=True, exist_ok=True)
        partial = self.out.with_suffix(".partial")
        partial.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        partial.replace(self.out)
        return content


def summarize(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Counts by status (and level, where there are levels), failures of the round trip, median seconds."""
    seconds = [result["seconds"] for result in results if "seconds" in result]
    verified = [result for result in results if result["status"] == "ok"]
    levels = Counter(str(result["level"]) for result in verified if "level" in result)
    alone = [result["standalone"] for result in results if "standalone" in result]
    return {
        "programs": len(results),
        "verified": len(verified),
        "shrunken": sum(bool(result.get("shrunken")) for result in results),
        "by_status": dict(Counter(result["status"] for result in results)),
        "verified_by_level": dict(levels),
        "parse_back": sum(bool(result.get("parses_back")) for result in results),
        "standalone_ran": f"{sum(found['ran'] for found in alone)} of {len(alone)}",
        "without_externs": sum(not result["externs"] for result in verified),
        "median_seconds": round(statistics.median(seconds), 3) if seconds else None,
        "total_seconds": round(sum(seconds), 1),
    }


def machine() -> dict[str, Any]:
    """What the campaign ran on."""
    return {
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "none: interpreted on the CPU",
        "cpus": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "triton": triton.__version__,
    }


def run_standalone(module: KernelModule, timeout_s: float) -> dict[str, Any]:
    """Emit one file and run it in a fresh process without this package: whether it ran, and the largest
    difference from eager that it prints."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "standalone.py")
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


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    """Raise OutOfTime in the body after so many seconds. Main thread only."""

    def expire(signum: int, frame: FrameType | None) -> None:
        del signum, frame
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
