"""A run writes a folder that is new or empty, or that an earlier run of its kind wrote; it touches no other."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from kernelwright.driver.config.paths import check_folder
from kernelwright.ir.errors import UserError
from kernelwright.ir.text_files import is_json

COMPILE, TRAIN, ABLATE, BENCH = "compile", "train or sft", "ablate", "bench"
#: What the file of a module begins with.
MODULE_HEADER = "# kernelwright module"
#: What a compilation writes.
REPORT, STAGES, COMPILED = "report.json", "[0-9][0-9]-*.py", ("module.py", "reproduce.py")
#: Folders that runs write into; others may lie in a run folder's place, such as those of further runs.
_FOLDERS = ("adapter", "checkpoints", "pushed", "tensorboard", "training")
_HYDRA = ".hydra"
_NAMED = 3


def check_run_folder(path: Path | str, kind: str, key: str = "out=") -> None:
    """UserError for a folder that cannot be written, or whose content no run of this kind wrote."""
    check_folder(path, key)
    folder = Path(path)
    if not folder.is_dir() or os.environ.get("RANK", "0") != "0":  # of torchrun's processes the first one writes
        return
    found = [name for name, has_run in _KINDS.items() if has_run(folder)]
    if others := [name for name in found if name != kind]:
        raise UserError(f"{key}{folder} holds a run of {others[0]}; name another folder, or remove this one")
    foreign = _unknown(folder) if not found else _in_the_way(folder) if kind == COMPILE else set()
    if names := sorted(foreign):
        shown = ", ".join(names[:_NAMED]) + ", …" * (len(names) > _NAMED)
        raise UserError(f"{key}{folder} holds what no run has written ({shown}); name a new or an empty folder")


def _unknown(folder: Path) -> set[str]:
    """What lies in a folder without a run, but for folders that no run would write into."""
    found = {path.name: path for path in folder.iterdir() if path.name != _HYDRA}
    return {name for name, path in found.items() if not path.is_dir() or name in _FOLDERS}


def _in_the_way(folder: Path) -> set[str]:
    """Files beside a compilation's own that have the names of what the next one writes."""
    return {name for name in (REPORT, *COMPILED) if (folder / name).exists()} - {
        path.name for path in left_by_a_compilation(folder)
    }


def left_by_a_compilation(folder: Path) -> list[Path]:
    """The files of a folder that a compilation wrote; others of the same names, such as a user's own module.py, are
    not."""
    modules = [*folder.glob(STAGES), *(folder / name for name in COMPILED)]
    found = [path for path in modules if _text(path).startswith(MODULE_HEADER)]
    if "kernelwright opt reproduce.py" in _text(script := folder / "reproduce.sh"):
        found.append(script)
    if {"status", "target", "shrunken"} <= _object(_text(folder / REPORT)).keys():
        found.append(folder / REPORT)
    return found


def _trained(folder: Path) -> bool:
    text = _text(folder / "config.json")
    if text and not is_json(text):  # cut off: `check_begun` tells, and a default folder's run goes elsewhere
        return True
    config = _object(text)
    return {"stage", "trainer"} <= config.keys() or ("starts" in _run(folder) and not _journal(folder))


def _run(folder: Path) -> dict[str, Any]:
    return _object(_text(folder / "run.json"))


def _journal(folder: Path) -> dict[str, Any]:
    """What the heading of a table says; {} without one."""
    heading = _object(_text(folder / "table.jsonl").partition("\n")[0]).get("journal")
    return heading if isinstance(heading, dict) else {}


def _object(text: str) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


_KINDS: Mapping[str, Callable[[Path], bool]] = MappingProxyType(
    {
        COMPILE: lambda folder: bool(left_by_a_compilation(folder)),
        TRAIN: _trained,
        ABLATE: lambda folder: "arms" in _journal(folder),
        BENCH: lambda folder: bool(_journal(folder)) and "arms" not in _journal(folder),
    }
)
