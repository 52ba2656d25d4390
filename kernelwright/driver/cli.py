"""Kernelwright: a staged compiler from PyTorch to verified, tuned Triton.

usage: kernelwright VERB … [key=value …]

  kernelwright compile model.py                  compile, verify and tune a program
  kernelwright compile model.py target=h100 --emit=triton
  kernelwright opt module.py -p tune --diff      run chosen passes on one module
  kernelwright evaluate reference=R.py candidate=C.py   judge a program
  kernelwright passes                            list the passes and their options
  kernelwright VERB --help                       everything a verb takes

Exit status: 0 done and verified, 1 not verified, 2 bad usage or input, 130 interrupted, 143 terminated.
KERNELWRIGHT_DEBUG=1 shows tracebacks.
"""

import ast
import difflib
import importlib
import os
import shutil
import signal
import sys
import textwrap
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType

from kernelwright import __version__
from kernelwright.driver import verbs
from kernelwright.driver.arguments import read_arguments
from kernelwright.driver.starting import starting
from kernelwright.driver.streams import naming, told
from kernelwright.ir.errors import KernelwrightError, Terminated, UserError

OK, NOT_VERIFIED, BAD_INPUT, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    given = list(sys.argv[1:] if argv is None else argv)
    try:
        with warnings.catch_warnings(), _terminable():
            if not os.environ.get("KERNELWRIGHT_DEBUG"):  # of torch's warnings none is about the user's doing
                warnings.filterwarnings("ignore", module=r"torch\b")
            with naming("stdout"):  # whoever writes to another file names that
                status = _dispatch(given)
                sys.stdout.flush()
        return status
    except KeyboardInterrupt as stop:
        terminated = isinstance(stop, Terminated)
        _close("terminated" if terminated else "interrupted", stop)
        return TERMINATED if terminated else INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone, e.g. `| head`
        _drop_output()
        return OK
    except OSError as error:
        if os.environ.get("KERNELWRIGHT_DEBUG"):
            raise
        if error.filename == "stdout":
            _drop_output()
        _complain(told(error))
        return NOT_VERIFIED
    except KernelwrightError as error:
        if os.environ.get("KERNELWRIGHT_DEBUG"):
            raise
        _complain(str(error))
        return BAD_INPUT if isinstance(error, UserError) else NOT_VERIFIED
    except ModuleNotFoundError as error:
        from kernelwright.serve.optional import missing_extra  # needs what few starts need

        missing = missing_extra(error)
        if not missing or os.environ.get("KERNELWRIGHT_DEBUG"):
            raise
        _complain(missing)
        return BAD_INPUT


def _drop_output() -> None:
    """Let nothing more be written to stdout, also by Python itself at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM raise Terminated. Only a process's main thread may say what its signals do."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise Terminated

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _dispatch(given: list[str]) -> int:
    if given == ["--version"]:
        return _show(f"kernelwright {__version__}")
    if not given or given[0] in ("-h", "--help", "help"):
        if given:
            return _show(_overview())
        raise UserError("a verb is missing; `kernelwright --help` lists them")
    verb, rest = given[0], given[1:]
    if verb not in verb_help():
        raise UserError(_unknown_verb(verb))
    if "-h" in rest or "--help" in rest:
        return _show(verb_help()[verb])
    # Before torch is there. Threads that spin while they wait for one another take the cores from whoever else works:
    # a model that writes on a CPU took twelve times as long beside other programs.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    with starting(verb):
        module = importlib.import_module(f"{verbs.__name__}.{verb}")
        takes_path = getattr(module, "TAKES_PATH", True)
        status: int = module.run(read_arguments(verb, rest, module.FLAGS, takes_path))
    return status


def verb_help() -> dict[str, str]:
    """Verb -> its help: the docstring of its module, read without importing what it needs."""
    files = sorted(Path(verbs.__path__[0]).glob("[a-z]*.py"))
    return {path.stem: ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "" for path in files}


def _overview() -> str:
    width = max(map(len, verb_help()))
    lines = [f"  {verb:{width}}  {text.splitlines()[0]}" for verb, text in verb_help().items()]
    return f"{(__doc__ or '').strip()}\n\nVerbs:\n" + "\n".join(lines)


def _unknown_verb(verb: str) -> str:
    close = difflib.get_close_matches(verb, verb_help(), n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    if Path(verb).suffix == ".py":
        hint = f"; to compile a file: `kernelwright compile {verb}`"
    return f"unknown verb {verb!r}{hint} (verbs: {', '.join(verb_help())})"


def _show(text: str) -> int:
    sys.stdout.write(f"{text}\n")
    return OK


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


if __name__ == "__main__":
    sys.exit(main())
