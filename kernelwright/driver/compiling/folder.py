"""The run folder of a compilation: one run at a time writes it, and it holds what that run wrote alone."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kernelwright.driver.config.paths import new_folder
from kernelwright.driver.config.run_folders import COMPILE, REPORT, STAGES, check_run_folder, left_by_a_compilation
from kernelwright.driver.config.settings import Settings
from kernelwright.driver.run.locks import locked


@contextmanager
def compile_folder(settings: Settings) -> Iterator[Path]:
    """The folder that `settings.out` names; one that the user did not name is new.

    What an earlier run left in it is removed. Raises UserError for a folder that another run writes, that cannot be
    made, or whose content no compilation wrote.
    """
    folder = Path(settings.out) if is_named(settings) else new_folder(settings.out)
    check_run_folder(folder, COMPILE)
    with locked(folder):
        for path in left_by_a_compilation(folder):
            path.unlink()
        yield folder


def is_named(settings: Settings) -> bool:
    """Whether the user says which folder it is."""
    return any(override.lstrip("+").startswith("out=") for override in settings.overrides)


def what_is_kept(folder: Path | None) -> str:
    """What a run leaves that was stopped, in one line."""
    if folder is None:
        return "stopped; nothing of this run is kept"
    done = len(list(folder.glob(STAGES))) - 1  # the first is the program
    if done < 1:
        return f"stopped before the first stage was done; {folder} holds only the program and a report"
    return f"{done} stage{' was' if done == 1 else 's were'} done; kept in {folder}"


def write_report(folder: Path, report: dict[str, Any]) -> None:
    """Write what came of the run."""
    (folder / REPORT).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
