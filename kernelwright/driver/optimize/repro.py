"""A folder for each kernel that was made and not admitted: what shows, with one command, why."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kernelwright.backend.emit import emit_kernelbench
from kernelwright.driver.optimize.result import Kernel
from kernelwright.ir.parser import parse_module

#: What a folder holds, and the command that judges it again.
REFERENCE, CANDIDATE, VERDICT, COMMAND = "reference.py", "candidate.py", "verdict.json", "run.sh"


def write_repros(folder: Path, kernels: Sequence[Kernel], journal: Mapping[str, Mapping[str, Any]]) -> list[Path]:
    """Write a folder, named after the kernel, for each one whose module is in the journal; returns those folders.

    `reference.py` is the problem, with a recipe for its inputs; `candidate.py` is our kernel; `verdict.json` has what
    became of it and its certificate, `inductor.py` Inductor's own text where that is known. `run.sh` judges it again.
    """
    written = []
    for kernel in kernels:
        kept = journal.get(kernel.key, {})
        entry = kept.get("entry") or {}
        text = entry.get("module") or kept.get("module")
        if kernel.became == "admitted" or not text or not (module := parse_module(text)).kernels:
            continue
        place = folder / f"{kernel.name.partition(' ')[0]}_{kernel.key[:8]}"
        place.mkdir(parents=True, exist_ok=True)
        told = kernel.told() | {"certificate": entry.get("certificate")}
        files = {
            REFERENCE: module.reference.source,
            CANDIDATE: emit_kernelbench(module),
            VERDICT: json.dumps(told, indent=1),
            COMMAND: f'cd "$(dirname "$0")" && kernelwright evaluate reference={REFERENCE} candidate={CANDIDATE} '
            "import.shrink=never cache=false",
        }
        if source := entry.get("source"):
            files["inductor.py"] = source
        for name, content in files.items():
            (place / name).write_text(content.rstrip("\n") + "\n", encoding="utf-8")
        written.append(place)
    return written
