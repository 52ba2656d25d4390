"""What a search has found out, kept on disk, so that another one on the same program does not do it again."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch
import triton

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.backend.compile.compiled import cache_folder
from kernelwright.backend.measure.stopwatch import Measured
from kernelwright.ir.own_source import JUDGING, source_digest
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule, Reference
from kernelwright.midend.search.services import SearchServices

#: What another run would find again; time or memory may have been short for the others.
_LASTING = (Status.OK, Status.UNPARSED, Status.COMPILE_ERROR, Status.MISMATCH, Status.CHEAT, Status.HOST_COMPUTES)


class SearchJournal:
    """Verdicts by a candidate's digest and rungs, and launch options by digest and trials, in a file of JSON lines.

    Lines are added as things are found out. A line that does not read, as one that was not written to its end, is not
    there; a file that cannot be written keeps nothing. With `folder` None it is in memory alone.
    """

    def __init__(self, folder: Path | None, key: str) -> None:
        self._path = None if folder is None else folder / f"{key}.jsonl"
        self._known: dict[str, Any] = {}
        try:
            lines = self._path.read_text("utf-8").splitlines() if self._path else []
        except (OSError, UnicodeDecodeError):
            lines = []
        for line in lines:
            try:
                entry = json.loads(line)
                self._known[entry["key"]] = entry["value"]
            except (ValueError, KeyError, TypeError):
                continue

    def verdict(self, module: KernelModule, rungs: tuple[Rung, ...] | None) -> Verdict | None:
        """The verdict that a module was given, less what a search does not read; None where there is none."""
        found = self._known.get(_verdict_key(module, rungs))
        try:
            return None if found is None else _decoded(found)
        except (ValueError, KeyError, TypeError, AttributeError):
            return None

    def add_verdict(self, module: KernelModule, rungs: tuple[Rung, ...] | None, verdict: Verdict) -> None:
        """Keep a verdict, if another run would find the same."""
        if verdict.status in _LASTING and "fault" not in verdict.caliber:
            self._add(_verdict_key(module, rungs), _encoded(verdict))

    def tuned(self, module: KernelModule, spec: str) -> KernelModule | None:
        """The module with the launch options that a pass once found for it; None where it never ran."""
        found = self._known.get(_tuned_key(module, spec))
        try:
            metas = {symbol: tuple((key, value) for key, value in meta) for symbol, meta in (found or {}).items()}
        except (ValueError, TypeError, AttributeError):
            return None
        if set(metas) != {kernel.symbol for kernel in module.kernels}:
            return None
        return replace(module, kernels=tuple(replace(kernel, meta=metas[kernel.symbol]) for kernel in module.kernels))

    def add_tuned(self, module: KernelModule, spec: str, tuned: KernelModule) -> None:
        """Keep the launch options that a pass found."""
        self._add(_tuned_key(module, spec), {kernel.symbol: kernel.meta for kernel in tuned.kernels})

    def measured(self, module: KernelModule, symbols: Sequence[str], cache: str = "cold") -> Measured | None:
        """What a module's kernels, or all of it, once took with caches in a state; None where that was not measured."""
        found = self._known.get(_measured_key(module, symbols, cache))
        try:
            us = {} if found is None else {str(symbol): float(us) for symbol, us in found["us"].items()}
            return None if found is None else Measured(us, str(found["failure"]))
        except (ValueError, KeyError, TypeError, AttributeError):
            return None

    def add_measured(
        self, module: KernelModule, symbols: Sequence[str], measured: Measured, cache: str = "cold"
    ) -> None:
        """Keep what was measured."""
        self._add(_measured_key(module, symbols, cache), {"us": dict(measured.us), "failure": measured.failure})

    def _add(self, key: str, value: Any) -> None:
        self._known[key] = value
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                # First the newline: it ends a line that a killed run did not.
                file.write("\n" + json.dumps({"key": key, "value": value}))
        except OSError:
            self._path = None


def open_journal(reference: Reference, ctx: Context, resume: bool) -> SearchJournal:
    """The journal for a reference, a target, what judges and this machine, in the folder that the context's
    `SearchServices` name.
    """
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else ""
    services = ctx.service(SearchServices)
    made_with = [
        source_digest(*JUDGING),
        torch.__version__,
        triton.__version__,
        device,
        ctx.target,
        asdict(reference),
        dict(services.judging),
    ]
    key = hashlib.sha256(json.dumps(made_with, sort_keys=True, default=str).encode()).hexdigest()
    folder = services.journals or cache_folder() / "search"
    return SearchJournal(folder if resume else None, key)


def _verdict_key(module: KernelModule, rungs: tuple[Rung, ...] | None) -> str:
    return f"verdict {module.digest} {'-' if rungs is None else ' '.join(rungs)}"


def _tuned_key(module: KernelModule, spec: str) -> str:
    return f"tuned {module.digest} {spec}"


def _measured_key(module: KernelModule, symbols: Sequence[str], cache: str) -> str:
    return f"measured {module.digest} {' '.join(symbols)}" + (f" {cache}" if cache != "cold" else "")


def _encoded(verdict: Verdict) -> dict[str, Any]:
    return {
        "status": str(verdict.status),
        "rung": str(verdict.rung),
        "detail": verdict.detail,
        "rungs": list(verdict.rungs),
        "times_ms": dict(verdict.times_ms),
    }


def _decoded(found: Mapping[str, Any]) -> Verdict:
    return Verdict(
        Status(found["status"]),
        Rung(found["rung"]),
        str(found["detail"]),
        tuple(map(Rung, found["rungs"])),
        times_ms={str(name): float(value) for name, value in found["times_ms"].items()},
    )
