"""Work on a model in a process of its own, with caches of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def apart(
    module: Sequence[str], given: Sequence[str], folder: Path, name: str, limit_s: float
) -> tuple[dict[str, Any], str]:
    """What `python MODULE… GIVEN… --out FILE` writes to the file, and what it prints; a `failure` in words where it
    writes nothing, or not within so many seconds.

    Inductor's caches and the user's are in the folder, so that another process with it finds them.
    """
    answer = folder / f"{name}.json"
    caches = {"TORCHINDUCTOR_CACHE_DIR": folder / "inductor", "KERNELWRIGHT_CACHE_DIR": folder / "kernelwright"}
    environment = os.environ | {key: str(value) for key, value in caches.items()}
    command = [sys.executable, *module, *given, "--out", str(answer)]
    with (folder / f"{name}.log").open("w+", encoding="utf-8") as log:
        try:
            done = subprocess.run(command, env=environment, timeout=limit_s, stdout=log, stderr=log, check=False)
            failed = f"exit status {done.returncode}" if done.returncode else ""
        except subprocess.TimeoutExpired:
            failed = f"more than {limit_s:.0f} s"
        log.seek(0)
        said = log.read()
    if failed:
        return {"failure": f"{failed}: {said[-1500:]}"}, said
    found: dict[str, Any] = json.loads(answer.read_text("utf-8"))
    return found, said
