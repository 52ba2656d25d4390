"""What a compilation reports: the JSON of `report.json`, and the table a person sees."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from kernelwright.backend.cost.model import estimate
from kernelwright.backend.targets import get_target
from kernelwright.driver.compiling.kernel_by_kernel import WHOLE
from kernelwright.driver.compiling.stages import CompileResult, Stage
from kernelwright.driver.run.tables import print_line, print_rows
from kernelwright.ir.notebook import html_table
from kernelwright.ir.values import KernelModule, Level, Resources
from kernelwright.ir.verifier import extern_ops, launched

UNVERIFIED = "unverified"
#: Columns of the table of stages.
HEADINGS = ("stage", "verdict", "kernels", "extern", "regs", "spill", "shared", "est.µs", "s")


def make_report(result: CompileResult, target: str, speedup: Mapping[str, Any]) -> dict[str, Any]:
    """Everything about one compilation as JSON values.

    `status` is the verdict's, or `unverified` where nothing was judged. Times are in seconds (`seconds`),
    milliseconds (`times_ms`) and microseconds (`estimated_us`); resources by kernel as in `Resources`. If there is a
    fault, `found_by` says where it showed: in the whole model, or in kernels that were judged alone. `kernels_alone`
    has the verdicts on kernels one by one; null if they were not asked for.
    """
    verdict = result.verdict
    return {
        "name": result.module.name,
        "status": str(verdict.status) if verdict else UNVERIFIED,
        "detail": verdict.detail if verdict else "no pass changed the module, so nothing was judged",
        "found_by": verdict.caliber.get("found_by", WHOLE) if verdict and not verdict.ok else None,
        "kernels_alone": result.alone.report() if result.alone else None,
        "level": str(result.module.level),
        "rungs": [str(rung) for rung in verdict.rungs] if verdict else [],
        "shrunken": result.module.reference.shrunken,
        "target": target,
        "digest": result.module.digest,
        "seconds": round(result.seconds, 3),
        "stages": [_stage(stage, target) for stage in result.stages],
        "errors": dict(verdict.errors) if verdict else {},
        "times_ms": dict(verdict.times_ms) if verdict else {},
        "speedup": dict(speedup),
        "caliber": dict(verdict.caliber) if verdict else {},
    }


def make_failure_report(module: KernelModule, target: str, error: BaseException) -> dict[str, Any]:
    """The report of a run that stopped: an error, or an interruption."""
    stopped = isinstance(error, KeyboardInterrupt)
    return {
        "name": module.name,
        "status": "interrupted" if stopped else "error",
        "detail": "" if stopped else str(error),
        "target": target,
        "shrunken": module.reference.shrunken,
    }


def _stage(stage: Stage, target: str) -> dict[str, Any]:
    resources = stage.verdict.resources if stage.verdict else {}
    return {
        "name": stage.name,
        "spec": stage.spec,
        "seconds": round(stage.seconds, 3),
        "changed": stage.changed,
        "level": str(stage.module.level),
        "verdict": str(stage.verdict) if stage.verdict else None,
        "kernels": list(launched(stage.module)),
        "externs": list(extern_ops(stage.module)),
        "resources": {symbol: _resources(found) for symbol, found in resources.items()},
        "estimated_us": estimated_us(stage, target),
        "notes": notes_of(stage),
    }


def notes_of(stage: Stage) -> dict[str, Any]:
    """What the pass noted of how it came to its result; empty where it changed nothing."""
    return dict(stage.module.provenance[-1].notes) if stage.changed and stage.module.provenance else {}


def _resources(found: Resources) -> dict[str, int]:
    return {
        "registers": found.registers,
        "spill_bytes": found.spill_bytes,
        "shared_bytes": found.shared_bytes,
    }


def estimated_us(stage: Stage, target: str) -> float | None:
    """The cost model's time for one call; None without kernels, without a GPU target, or if refused."""
    chip = get_target(target)
    if stage.module.level is Level.TORCH or not chip.is_gpu or stage.verdict is None or not stage.verdict.ok:
        return None
    return round(estimate(stage.module, chip).us, 3)


def estimated_speedup(result: CompileResult, target: str) -> dict[str, Any]:
    """The last stage against the first that had kernels, by the cost model; None if they are the same.

    A stage that lowered in several ways itself is compared with the plain one of them.
    """
    lowered = [stage for stage in result.stages if stage.module.level is not Level.TORCH]
    if lowered and (plain_us := notes_of(lowered[0]).get("plain_us")) and (last := estimated_us(lowered[-1], target)):
        how = f"cost model: estimated for {target}, not measured"
        return {"value": round(plain_us / last, 3), "how": how, "against": notes_of(lowered[0])["plain"]}
    if not lowered or lowered[0].module.digest == lowered[-1].module.digest:
        return {"value": None, "how": "not measured: no GPU, and no other stage to compare with", "against": ""}
    first, last = estimated_us(lowered[0], target), estimated_us(lowered[-1], target)
    if not first or not last:
        return {"value": None, "how": f"not estimated: the cost model has no figures for {target}", "against": ""}
    how = f"cost model: estimated for {target}, not measured"
    return {"value": round(first / last, 3), "how": how, "against": lowered[0].spec}


def print_table(report: Mapping[str, Any], console: Console) -> None:
    """One row a stage, then the outcome. Registers a thread, spilled and shared bytes: the largest
    over the stage's kernels."""
    rows = [_cells(stage) for stage in report["stages"]]
    print_rows(console, f"{report['name']} for {report['target']}", HEADINGS, rows, words=2)
    for stage in report["stages"]:
        if stage["notes"]:
            print_line(console, f"{stage['name']}: {_told(stage['notes'])}")
    print_line(console, summary_line(report))


def report_html(report: Mapping[str, Any]) -> str:
    """The same table and lines as HTML, for a notebook; a report of a run that stopped has the lines alone."""
    stages = report.get("stages", ())
    notes = [f"{stage['name']}: {_told(stage['notes'])}" for stage in stages if stage["notes"]]
    if stages:
        notes.append("est.µs is the cost model's estimate of one call, not measured")
    title = f"{report['name']} for {report['target']}"
    return html_table(title, HEADINGS if stages else (), map(_cells, stages), [*notes, summary_line(report)])


def _told(notes: Mapping[str, Any]) -> str:
    """Notes in one line; of those that list things, how many there are."""
    parts = []
    for name, value in notes.items():
        parts.append(f"{name.replace('_', ' ')} {len(value) if isinstance(value, Mapping) else value}")
    return "; ".join(parts)


def _cells(stage: Mapping[str, Any]) -> list[str]:
    found = stage["resources"].values()
    worst = [str(max((r[key] for r in found), default="-")) for key in ("registers", "spill_bytes", "shared_bytes")]
    us = stage["estimated_us"]
    return [
        stage["spec"],
        (stage["verdict"] or "-") if stage["changed"] else "unchanged",
        str(len(stage["kernels"])),
        str(len(stage["externs"])),
        *worst,
        "-" if us is None else f"{us:.2f}",
        f"{stage['seconds']:.1f}",
    ]


def summary_line(report: Mapping[str, Any]) -> str:
    """The outcome in one line: status, how far it was checked, speed and how that was obtained."""
    if "speedup" not in report:  # of a run that stopped
        return f"{report['status']}: {report['detail']}" if report["detail"] else str(report["status"])
    speedup = report["speedup"]
    checked = f" ({', '.join(report['rungs'])})" if report["rungs"] else ""
    small = " at shrunken sizes" if report["shrunken"] else ""
    line = f"{report['status']}{checked}{small}"
    if report["status"] != "ok" and report["detail"]:
        line += f": {report['detail']}"
    if alone := report.get("kernels_alone"):  # older reports have none
        line += f"; {alone['told']}"
    if speedup["value"] is not None:
        line += f"; {speedup['value']:.2f}x against {speedup['against']} ({speedup['how']})"
    elif report["status"] == "ok":
        line += f"; speed {speedup['how']}"
    return line
