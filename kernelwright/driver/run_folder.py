"""What the folder of a training run remembers: what the run was told, and what came of its last step."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernelwright.ir.errors import UserError
from kernelwright.rl.data import write_text
from kernelwright.rl.run_log import read_metrics


def remember(folder: Path, told: Mapping[str, Any]) -> None:
    """Keep what a run was told, and refuse to go on from its checkpoints with something else."""
    path, now = folder / "config.json", json.loads(json.dumps(told))
    if path.is_file() and any((folder / "checkpoints").glob("*")):
        try:
            before = json.loads(path.read_text("utf-8"))
        except ValueError as error:
            raise UserError(f"{path} cannot be read ({error}); give another out=…, or remove {folder}") from error
        changed = sorted(key for key in {*before, *now} if before.get(key) != now.get(key))
        if changed:
            raise UserError(f"{folder} is a run with other settings ({', '.join(changed)} differ); give another out=…")
    write_text(path, json.dumps(now, indent=1) + "\n")


def last_metrics(folder: Path) -> dict[str, Any]:
    """Of a run that was at its end already."""
    rows = read_metrics(folder)
    return {key: value for key, value in rows[-1].items() if key not in ("step", "seconds")} if rows else {}
