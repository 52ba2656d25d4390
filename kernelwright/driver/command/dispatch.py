"""Runs a verb: reads its arguments, checks them, tells errors in one line, and gives the exit status."""

import difflib
import importlib
import os
import shutil
import signal
import sys
import textwrap
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from kernelwright.driver import verbs
from kernelwright.driver.command.helping import verb_help
from kernelwright.driver.config.arguments import ASKING, HYDRA_FLAGS, read_arguments, root_of
from kernelwright.driver.run.starting import starting
from kernelwright.driver.run.streams import debugging, naming, told
from kernelwright.ir.errors import KernelwrightError, Terminated, UserError

#: The shells that Hydra completes in.
_SHELLS = ("bash", "fish", "zsh")
OK, NOT_VERIFIED, BAD_INPUT, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143


def run(given: list[str]) -> int:
    """Run a command line that names a verb; returns the exit status."""
    try:
        with warnings.catch_warnings(), _terminable() as signalled:
            if not debugging():  # of torch's warnings none is about the user's doing
                warnings.filterwarnings("ignore", module=r"torch\b")
                warnings.showwarning = _warn
            with naming("stdout"):  # whoever writes to another file names that
                status = _dispatch(given)
                sys.stdout.flush()
        if signalled.is_set():  # such as in a search, which ends early and keeps the best that it has found
            _close("terminated", Terminated("the work ended early; what it gave is kept"))
            return TERMINATED
        return status
    except KeyboardInterrupt as stop:
        terminated = isinstance(stop, Terminated)
        _close("terminated" if terminated else "interrupted", stop)
        return TERMINATED if terminated else INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone, e.g. `| head`
        _drop_output()
        return OK
    except OSError as error:
        if debugging():
            raise
        if error.filename == "stdout":
            _drop_output()
        _complain(told(error))
        return NOT_VERIFIED
    except KernelwrightError as error:
        if debugging():
            raise
        _complain(str(error))
        return BAD_INPUT if isinstance(error, UserError) else NOT_VERIFIED
    except ModuleNotFoundError as error:
        from kernelwright.serve.optional import missing_extra  # needs what few starts need

        missing = missing_extra(error)
        if not missing or debugging():
            raise
        _complain(missing)
        return BAD_INPUT


def tell_of_output(error: OSError) -> int:
    """Tell in one line why stdout cannot be written; returns the exit status."""
    error.filename = "stdout"
    _drop_output()
    _complain(told(error))
    return NOT_VERIFIED


def _warn(message: Warning | str, *_place: Any, **_more: Any) -> None:
    """A warning in one line, without the line of code that gave it."""
    if sys.stderr is not None:
        sys.stderr.write(f"kernelwright: warning: {message}\n")


def _drop_output() -> None:
    """Let nothing more be written to stdout, also by Python itself at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _terminable() -> Iterator[threading.Event]:
    """Let SIGTERM raise Terminated, and give what tells whether it came: the work may go on to an end of its own.

    Only a process's main thread may say what its signals do.
    """
    signalled = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        signalled.set()
        raise Terminated

    if threading.current_thread() is not threading.main_thread():
        yield signalled
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield signalled
    finally:
        signal.signal(signal.SIGTERM, before)


def _dispatch(given: list[str]) -> int:
    verb, rest = given[0], given[1:]
    try:
        Path.cwd()
    except FileNotFoundError:
        raise UserError("the working folder was removed; cd to another one") from None
    if verb in ("-sc", "--shell-completion"):
        return _complete(rest)
    if verb not in verb_help():
        raise UserError(_unknown_verb(verb))
    # Before torch is there. Threads that spin while they wait for one another take the cores from whoever else works:
    # a model that writes on a CPU took twelve times as long beside other programs.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    # What a verb that is stopped leaves of its pools' semaphores, Python's tracker clears away, and it warns of that
    # after our closing sentence.
    os.environ.setdefault("PYTHONWARNINGS", "ignore::UserWarning:multiprocessing.resource_tracker")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")  # ours tell how far the work is
    module = importlib.import_module(f"{verbs.__name__}.{verb}")
    root = getattr(module, "ROOT", "")
    flags = (*(HYDRA_FLAGS if root else ()), *module.FLAGS)  # a verb's own -p is not Hydra's
    arguments = read_arguments(verb, rest, flags, getattr(module, "TAKES_PATH", True))
    root = root_of(module, arguments)
    out, settings = "", None
    asked = [name for name in (*ASKING, "--multirun") if name in arguments.flags]
    # What is wrong is told before Hydra makes a folder, and before torch is imported.
    if root and not asked and (settings := module.check(arguments)) is not None:
        out = str(getattr(getattr(settings, "plain", settings), "out", ""))
        own = any(item.startswith("hydra.") and not item.startswith("hydra.searchpath") for item in arguments.overrides)
        asked = ["run"] if own or getattr(module, "FOLDER", False) else []
    if asked:
        from kernelwright.driver.command.hydra_app import launch

        if settings is None:
            return launch(verb, root, arguments)
        with starting(verb):
            return launch(verb, root, arguments, out)
    with starting(verb):
        status: int = module.run(arguments)
    return status


def _complete(overrides: list[str]) -> int:
    """Hydra's completion for a program with verbs: of a verb its keys, of the rest of the line the verbs."""
    action, _, shell = overrides[0].partition("=") if len(overrides) == 1 else ("", "", "")
    if action not in ("install", "uninstall", "query") or shell not in _SHELLS:
        raise UserError(
            f"{' '.join(['--shell-completion', *overrides])}: give install=SHELL or uninstall=SHELL, "
            f"where SHELL is {', '.join(_SHELLS[:-1])} or {_SHELLS[-1]}"
        )
    words = os.environ.get("COMP_LINE", "").split()
    verb = words[1] if len(words) > 1 else ""
    if "query=bash" in overrides and (verb not in verb_help() or os.environ["COMP_LINE"].endswith(f" {verb}")):
        sys.stdout.write(" ".join(name for name in verb_help() if name.startswith(verb)) + "\n")
        return OK
    if "query=bash" in overrides:
        os.environ["COMP_LINE"] = os.environ["COMP_LINE"].replace(f" {verb}", "", 1)
    return _dispatch([verb if "query=bash" in overrides else "train", "--shell-completion", *overrides])


def _unknown_verb(verb: str) -> str:
    close = difflib.get_close_matches(verb, verb_help(), n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    if Path(verb).suffix == ".py":
        hint = f"; to compile a file: `kernelwright compile {verb}`"
    return f"unknown verb {verb!r}{hint} (verbs: {', '.join(verb_help())})"


def _close(how: str, stop: KeyboardInterrupt) -> None:
    """Say how a verb ended and what is kept; of several processes of torchrun the first one does."""
    if os.environ.get("RANK", "0") == "0":
        _tell(f"kernelwright: {how}{': ' * bool(stop.args)}{'; '.join(map(str, stop.args))}")


def _complain(message: str) -> None:
    _tell(f"kernelwright: error: {message}")


def _tell(text: str) -> None:
    """Write to stderr; on a terminal lines end between words, but for those that point into a line above them."""
    if sys.stderr.isatty():
        width = shutil.get_terminal_size().columns
        wrap = partial(textwrap.fill, width=width, break_long_words=False, break_on_hyphens=False)
        text = "\n".join(line if line.startswith(" ") else wrap(line) for line in text.split("\n"))
    sys.stderr.write(f"{text}\n")
