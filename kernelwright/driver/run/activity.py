"""What goes on in a long run: a live line on a terminal; elsewhere a plain line every few seconds."""

import threading
import time
from collections.abc import Callable
from types import TracebackType

from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from kernelwright.driver.run.starting import last_said, say_now, started
from kernelwright.driver.run.tables import print_line

#: Elsewhere than on a terminal, nothing is silent for longer.
SILENT_SECONDS = 4.0


class _Counted(ProgressColumn):
    """A column for what has a total; nothing in its place where that is not known."""

    def __init__(self, inner: ProgressColumn) -> None:
        super().__init__()
        self.inner = inner

    def render(self, task: Task) -> RenderableType:
        return "" if task.total is None else self.inner.render(task)


class Activity:
    """One line that says what goes on, how far it has come and how long it will take. Use it as a context manager.

    `total` None: nobody knows how much there is. The line is shown from the beginning on; elsewhere than on a terminal
    it is printed when nothing else was for SILENT_SECONDS, so that short work prints nothing.
    """

    def __init__(self, console: Console, what: str, total: int | None = None, done: int = 0) -> None:
        self.console = console
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            _Counted(BarColumn(bar_width=20)),
            _Counted(MofNCompleteColumn()),
            TimeElapsedColumn(),
            _Counted(TimeRemainingColumn()),
            TextColumn("{task.fields[figures]}", markup=False),
            console=console,
            disable=not console.is_terminal,
            redirect_stdout=False,
            redirect_stderr=False,
            transient=True,
            speed_estimate_period=3600.0,  # steps may take minutes each
        )
        self._task = self._bar.add_task(what, total=total, completed=done, figures="")
        self._done = threading.Event()

    def show(
        self, what: str | None = None, *, completed: float | None = None, total: int | None = None, figures: str = ""
    ) -> None:
        """Change what the line says; None leaves it as it is."""
        self._bar.update(self._task, description=what, completed=completed, total=total, figures=figures)

    def advance(self) -> None:
        """One more is done."""
        self._bar.advance(self._task)

    def say(self, line: str) -> None:
        """Print a line as it is, above the live one."""
        say_now()
        print_line(self.console, line)

    @property
    def line(self) -> str:
        """What is printed elsewhere than on a terminal."""
        task = self._bar.tasks[self._task]
        parts = [task.description]
        if task.total is not None:
            parts.append(f"{task.completed:.0f} of {task.total:.0f}")
        parts.append(f"{_spelt(task.elapsed or 0.0)} so far")
        if task.total is not None and (left := task.time_remaining) is not None and not task.finished:
            parts.append(f"about {_spelt(left)} left")
        return ", ".join(parts) + (f"  {figures}" if (figures := task.fields["figures"]) else "")

    def __enter__(self) -> "Activity":
        started()
        if time.monotonic() > last_said() + SILENT_SECONDS:  # nobody waits for a line
            say_now()
        if self.console.is_terminal:
            self._bar.start()
        else:
            threading.Thread(target=self._print, name="activity", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._bar.stop()

    def _print(self) -> None:
        while not self._done.wait(max(0.05, last_said() + SILENT_SECONDS - time.monotonic())):
            if time.monotonic() >= last_said() + SILENT_SECONDS:
                self.say(self.line)


def sayer(console: Console) -> Callable[[str], None]:
    """What prints a line."""
    return lambda line: print_line(console, line)


def _spelt(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
