"""The end of the process: what the user's program left running in it does not outlive the command."""

import atexit
import contextlib
import os
import signal
import sys
import threading
import time
from pathlib import Path

#: Seconds that threads have to end by themselves once the command is done.
PATIENCE_S = 3.0


def end_children_last() -> None:
    """Let every child process that is still there at the very end be terminated.

    To be called first of all: what is registered first runs last, so ours have ended by then.
    """
    atexit.register(_terminate_children)


def end_threads(status: int) -> None:
    """Let the process end with this status though threads of a program still run, which Python would wait for."""
    threading.Thread(target=_leave, args=(status,), daemon=True).start()


def _leave(status: int) -> None:
    time.sleep(PATIENCE_S)
    names = [one.name for one in threading.enumerate() if not one.daemon and one is not threading.main_thread()]
    if not names:  # the process is about to end
        return
    if sys.stderr is not None:
        sys.stderr.write(f"kernelwright: ended with a thread of the program still running: {', '.join(names)}\n")
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    atexit._run_exitfuncs()
    os._exit(status)


def _terminate_children() -> None:
    for listed in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for pid in map(int, listed.read_text("utf-8").split()):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGTERM)
