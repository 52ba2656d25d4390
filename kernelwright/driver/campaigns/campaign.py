"""Compile many programs, keeping every result as it comes.

Each runs in a process beside this one, so that a program that takes too long, or its process with it, costs no more
than itself. Results are written after each, so that a campaign that is stopped goes on where it was.
"""

import json
import os
import platform
import shlex
import statistics
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
import triton
from rich.console import Console

from kernelwright.driver.campaigns.programs import Program, compile_program
from kernelwright.driver.config.settings import Settings
from kernelwright.driver.run.activity import Activity
from kernelwright.driver.run.workers import Worker, answers
from kernelwright.ir.errors import UserError


@dataclass
class Campaign:
    """How to compile the programs, and the file that keeps the results.

    `timeout_s` bounds one program. `standalone`: also run the emitted file in a fresh process in which this
    package cannot be imported. `resume`: keep the results that the file has, but for those whose status is in `again`.
    `jobs` programs are compiled at a time.
    """

    out: Path
    settings: Settings
    timeout_s: float = 300.0
    standalone: bool = False
    resume: bool = False
    jobs: int = 1
    again: frozenset[str] = frozenset()

    def run(self, programs: Sequence[Program], console: Console) -> dict[str, Any]:
        """Compile all programs, and return the content of the file. Raises UserError if no process starts, or if the
        file that is there does not hold a campaign's results."""
        results = self._kept() if self.resume else {}
        due = [program for program in programs if program.name not in results]
        answer = partial(compile_program, standalone=self.standalone)
        workers = [Worker(self.settings, answer, self.timeout_s) for _ in range(self.jobs)]
        activity = Activity(console, "compiling", len(programs), len(programs) - len(due))
        with activity, closing(answers(due, workers)) as found_so_far:
            for program, found in found_so_far:
                results[program.name] = {**program.labels, "name": program.name, **found}
                self._write(results, programs)
                activity.advance()
                if found["status"] != "ok":
                    activity.say(f"{program.name}: {found['status']}: {found.get('cause', '')}")
        return self._write(results, programs)

    def _kept(self) -> dict[str, dict[str, Any]]:
        if not self.out.is_file():
            return {}
        try:
            results = json.loads(self.out.read_text("utf-8"))["results"]
            return {result["name"]: result for result in results if result["status"] not in self.again}
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise UserError(
                f"{self.out} is not a campaign's file of results, or it is damaged; give another --out, or move this "
                "file away"
            ) from error

    def _write(self, results: Mapping[str, dict[str, Any]], programs: Sequence[Program]) -> dict[str, Any]:
        order = {program.name: place for place, program in enumerate(programs)}
        rows = sorted(results.values(), key=lambda row: order.get(row["name"], -1))
        content = {
            "command": shlex.join(["python", *sys.argv]),
            "pipeline": str(self.settings.pipeline),
            "caliber": machine(),
            "summary": summarize(rows),
            "results": rows,
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
