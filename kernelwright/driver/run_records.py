"""Runs of `compile`, `train`, `sft` and `ablate` as frozen values, read from their folders."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from kernelwright.driver.ablation.table import summary_html
from kernelwright.driver.compiling.emit import check_emit, emit
from kernelwright.driver.compiling.report import report_html, summary_line
from kernelwright.driver.run.provenance import read_starts
from kernelwright.driver.run.set_aside import SET_ASIDE
from kernelwright.frontend.problem import single_line
from kernelwright.ir.errors import DialectError, UserError
from kernelwright.ir.notebook import html_table
from kernelwright.ir.parser import parse_module
from kernelwright.ir.values import KernelModule
from kernelwright.rl.data.rows import read_lines
from kernelwright.rl.trainer.run_log import METRICS, read_metrics
from kernelwright.rl.trainer.step_lines import HELD_OUT, TRAJECTORIES, read_step_lines

#: Metrics that a training run's table shows, where the run has them.
_SHOWN = ("reward", "correct", "held_out/correct", "loss", "held_out_loss", "mismatch", "tokens_per_s")
_MOST_ROWS = 10
_AGAIN = "run the command that wrote it again, with the same out=…"


@dataclass(frozen=True)
class CompileRun:
    """A run of `compile`. `report` is `report.json`; `stages` are the files of the stages by name, in order."""

    folder: Path
    report: Mapping[str, Any] = field(repr=False)
    stages: Mapping[str, Path] = field(repr=False)

    @property
    def ok(self) -> bool:
        """Whether the result was judged and found right."""
        return bool(self.report["status"] == "ok")

    @cached_property
    def module(self) -> KernelModule:
        """The final module; for a stopped run, its last stage. Raises UserError for a file that does not parse."""
        return self.stage("module")

    def stage(self, name: str) -> KernelModule:
        """The module after a stage, by its file's name without the suffix: `01-lower-inductor`."""
        path = self.folder / f"{name}.py"
        if name == "module" and not path.is_file() and self.stages:
            path = list(self.stages.values())[-1]
        elif name not in (*self.stages, "module") or not path.is_file():
            raise UserError(f"{self.folder} has no stage {name!r} (stages: {', '.join(self.stages) or 'none'})")
        try:
            return parse_module(path.read_text("utf-8"))
        except DialectError as error:
            raise UserError(f"{path} does not parse as a module: {error.first}") from error

    def emit(self, what: str = "triton") -> str:
        """The final module's text in a form that `kernelwright compile --emit` takes."""
        return emit(self.module, check_emit(what), self.report["target"])

    def __str__(self) -> str:
        return f"{self.folder}: @{self.report['name']}, {summary_line(self.report)}"

    def _repr_html_(self) -> str:
        return report_html(self.report)


@dataclass(frozen=True)
class TrainingRun:
    """A run of `train` or `sft`.

    `metrics` has a mapping for each step: `step`, `seconds` since the run began, and the measurements. `config` is
    what the run may only go on with. `checkpoints` are folders in order of their steps; `adapter` is the folder of the
    current LoRA adapter, or None if no step has ended.
    """

    folder: Path
    metrics: tuple[Mapping[str, Any], ...] = field(repr=False)
    config: Mapping[str, Any] = field(repr=False)
    checkpoints: tuple[Path, ...]
    adapter: Path | None

    @property
    def last(self) -> Mapping[str, Any]:
        """The metrics of the last step; empty if no step has ended."""
        return self.metrics[-1] if self.metrics else {}

    @cached_property
    def starts(self) -> tuple[Mapping[str, Any], ...]:
        """Each time that the run began or went on: time, command, code, versions, device, the whole configuration."""
        return tuple(read_starts(self.folder))

    @cached_property
    def trajectories(self) -> tuple[Mapping[str, Any], ...]:
        """Some trajectories of each step: `step`, `problem`, and `turns` with prompt, answer, verdict and reward."""
        return tuple(read_step_lines(self.folder / TRAJECTORIES))

    @cached_property
    def held_out(self) -> tuple[Mapping[str, Any], ...]:
        """What held-out problems came to, after as many steps as `step` says."""
        return tuple(read_step_lines(self.folder / HELD_OUT))

    @cached_property
    def set_aside(self) -> tuple[Mapping[str, Any], ...]:
        """Problems that the run could not work on: `name`, `why` and `cause`."""
        path = self.folder / SET_ASIDE
        return tuple(row for _, row in read_lines(path)) if path.is_file() else ()

    def _repr_html_(self) -> str:
        shown = [name for name in _SHOWN if any(name in row for row in self.metrics)]
        rows = [(row["step"], *(row.get(name) for name in shown)) for row in self.metrics[-_MOST_ROWS:]]
        notes = [f"the last {len(rows)} of {len(self.metrics)} steps, measured by the run", f"adapter: {self.adapter}"]
        return html_table(str(self.folder), ("step", *shown), rows, notes)


@dataclass(frozen=True)
class AblationRun:
    """A run of `ablate`. `rows` has one mapping for each arm, seed and problem; `summary` is `summary.json`."""

    folder: Path
    rows: tuple[Mapping[str, Any], ...] = field(repr=False)
    summary: Mapping[str, Any] = field(repr=False)

    def _repr_html_(self) -> str:
        return summary_html(self.summary)


Run = CompileRun | TrainingRun | AblationRun


def load_run(folder: Path) -> Run:
    """Read the run of a run folder. Raises UserError for a folder that no run has written."""
    if not folder.is_dir():
        reason = "not a folder" if folder.is_file() else "no such folder"
        raise UserError(f"{folder}: {reason}; give the run folder of compile, train, sft or ablate")
    if (folder / "report.json").is_file():
        found = sorted(path for path in folder.glob("[0-9][0-9]*-*.py"))
        return CompileRun(folder, _json(folder / "report.json"), {path.stem: path for path in found})
    if (folder / "summary.json").is_file():
        return AblationRun(folder, _table(folder / "table.jsonl"), _json(folder / "summary.json"))
    if (folder / "config.json").is_file() or (folder / METRICS).is_file():
        config = _json(folder / "config.json") if (folder / "config.json").is_file() else {}
        kept = (path for path in (folder / "checkpoints").glob("*") if path.is_dir() and path.suffix != ".partial")
        adapter = folder / "adapter"
        metrics = tuple(read_metrics(folder))
        return TrainingRun(folder, metrics, config, tuple(sorted(kept)), adapter if adapter.is_dir() else None)
    raise UserError(f"{folder} holds no report.json, summary.json, config.json or {METRICS}: no run has written it")


def _json(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read ({error}); {_AGAIN}") from error
    if not isinstance(found, dict):
        raise UserError(f"{path} is not a JSON object; {_AGAIN}")
    return found


def _table(path: Path) -> tuple[dict[str, Any], ...]:
    """The rows of an ablation's table, of each id the last."""
    try:
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()[1:]]
        return tuple({str(row["id"]): row for row in rows}.values())
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} cannot be read ({single_line(error)}); {_AGAIN}") from error
