"""The run folder of a compilation: one run at a time writes it, and it holds what that run wrote alone."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kernelwright.driver.config.paths import new_folder
from kernelwright.driver.config.settings import Settings
from kernelwright.driver.run.build import MODULE_HEADER
from kernelwright.driver.run.locks import locked

_REPORT, _SCRIPT, _STAGES = "report.json", "reproduce.sh", "[0-9][0-9]-*.py"


@contextmanager
def compile_folder(settings: Settings) -> Iterator[Path]:
    """The folder that `settings.out` names; one that the user did not name is new.

    What an earlier run left in it is removed. Raises UserError for a folder that another run writes, or that cannot be
    made.
    """
    folder = Path(settings.out) if is_named(settings) else new_folder(settings.out)
    with locked(folder):
        for path in left_by_a_run(folder):
            path.unlink()
        yield folder


def is_named(settings: Settings) -> bool:
    """Whether the user says which folder it is."""
    return any(override.lstrip("+").startswith("out=") for override in settings.overrides)


def left_by_a_run(folder: Path) -> list[Path]:
    """The files of a run folder that a run wrote; others of the same names, such as a user's own module.py, are not."""
    modules = [*folder.glob(_STAGES), folder / "module.py", folder / "reproduce.py"]
    found = [path for path in modules if _text(path).startswith(MODULE_HEADER)]
    if "kernelwright opt reproduce.py" in _text(folder / _SCRIPT):
        found.append(folder / _SCRIPT)
    try:
        report: Any = json.loads(_text(folder / _REPORT))
    except ValueError:
        report = None
    if isinstance(report, dict) and {"status", "target", "shrunken"} <= report.keys():
        found.append(folder / _REPORT)
    return found


def what_is_kept(folder: Path | None) -> str:
    """What a run leaves that was stopped, in one line."""
    if folder is None:
        return "stopped; nothing of this run is kept"
    done = len(list(folder.glob(_STAGES))) - 1  # the first is the program
    if done < 1:
        return f"stopped before the first stage was done; {folder} holds only the program and a report"
    return f"{done} stage{' was' if done == 1 else 's were'} done; kept in {folder}"


def write_report(folder: Path, report: dict[str, Any]) -> None:
    """Write what came of the run."""
    (folder / _REPORT).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
