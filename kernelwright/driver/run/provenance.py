"""What a run was started with: its command, this project's code, versions of packages, and the whole configuration."""

import importlib.metadata
import json
import shlex
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import kernelwright
from kernelwright.ir.own_source import source_digest
from kernelwright.rl.data.rows import write_text

#: In a run's folder: an object with `starts`, one for each time that the run began or went on.
RUN = "run.json"
_PACKAGES = ("kernelwright", "torch", "triton", "transformers", "peft", "tokenizers", "safetensors", "vllm", "ray")
#: Packages of this project that decide what is learnt.
_OWN = ("agent", "backend", "driver", "evaluation", "frontend", "ir", "midend", "rl", "serve")
_GIT_SECONDS = 20


def record_start(
    folder: Path, configuration: Mapping[str, Any], device: str, pairs: Mapping[str, Any] | None = None
) -> None:
    """Add a start to a run's folder; `pairs` is what was read of a file of pairs."""
    start = {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": shlex.join(["kernelwright", *sys.argv[1:]]),
        "code": own_code(),
        "versions": versions(),
        "device": device,
        "configuration": configuration,
    }
    if pairs is not None:
        start["pairs"] = pairs
    write_text(folder / RUN, json.dumps({"starts": [*read_starts(folder), start]}, indent=1) + "\n")


def read_starts(folder: Path) -> list[dict[str, Any]]:
    """The starts of a run, in order; none where the file is not there or cannot be read."""
    try:
        found: list[dict[str, Any]] = json.loads((folder / RUN).read_text("utf-8"))["starts"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return found


def versions() -> dict[str, str]:
    """The versions of the packages that a run depends on, of those that are installed."""
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in _PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def own_code() -> dict[str, Any]:
    """Which code of this project runs: a digest, and in a checkout the commit and whether files differ from it."""
    root = Path(kernelwright.__file__).resolve().parents[1]
    found: dict[str, Any] = {"digest": source_digest(*_OWN)}
    if (root / ".git").exists() and (commit := _git(root, "rev-parse", "HEAD")):
        found |= {"commit": commit, "changed": bool(_git(root, "status", "--porcelain", "--untracked-files=no"))}
    return found


def _git(root: Path, *words: str) -> str:
    """What git says, "" where it says nothing or is not there."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *words], capture_output=True, text=True, timeout=_GIT_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
