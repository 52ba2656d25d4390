"""Why no kernel of ours runs for one of Inductor's: what `optimize` noted when it tried."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from kernelwright.backend.compile.compiled import cache_folder
from kernelwright.backend.store.entry import Versions
from kernelwright.driver.optimize.result import Kernel

#: What `optimize` decided by trying; the rest says that it did not get so far.
_DECIDED = ("slower", "dropped", "refused", "unimproved", "left out", "wrong")


def outcomes(keys: Iterable[str], folder: Path | None = None) -> dict[str, str]:
    """By key, the last outcome of a kernel for which nothing was admitted, in words. `folder` has the journals; None
    for that of `optimize`."""
    wanted, found = set(keys), dict[str, str]()
    for told in _noted(folder or cache_folder() / "optimize"):
        kernel = Kernel.read(told)
        if kernel.key in wanted:
            found.pop(kernel.key, None)
            if kernel.became in _DECIDED:
                found[kernel.key] = f"optimize: {kernel.became}" + (f", {kernel.why}" if kernel.why else "")
    return found


def _noted(folder: Path) -> Iterator[dict[str, Any]]:
    """The outcomes in all journals that these releases of torch and Triton have written, the oldest first."""
    try:
        paths = sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
    except OSError:
        return
    for path in paths:
        try:
            lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        except (OSError, ValueError):
            continue  # another process may be writing its last line
        if lines and lines[0].get("journal", {}).get("versions") == str(Versions.installed()):
            yield from lines[1:]
