"""The process that workers are forked from: it imports torch and Triton once, for every sandbox of its parent.

Both ends: `fork_worker` is for the parent, `main` is what the process does. It runs no job and no code of a candidate,
never touches a device, and knows of its parent only the variables that it was given.
"""

import atexit
import gc
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import kernelwright

#: Variables that workers inherit; everything else, secrets included, stays with the parent.
_ENVIRONMENT = frozenset(
    (
        "PATH",
        "LD_LIBRARY_PATH",
        "LANG",
        "LC_ALL",
        "TMPDIR",
        "TZ",
        "CC",
        "CUDA_HOME",
        "CUDA_PATH",
        "CUDA_VISIBLE_DEVICES",
        "CUDA_DEVICE_ORDER",
        "NVIDIA_VISIBLE_DEVICES",
        "NVIDIA_DRIVER_CAPABILITIES",
        "TRITON_PTXAS_PATH",
        "TRITON_LIBCUDA_PATH",
    )
)
_FORK = b"fork"
_END_SECONDS = 5.0


@dataclass(frozen=True)
class Forker:
    """Where to ask for workers that have `environment`. Only the process that started it has `process` and `errors`."""

    environment: Mapping[str, str]
    requests: socket.socket
    process: "subprocess.Popen[bytes] | None" = None
    errors: IO[bytes] | None = None

    def last_words(self) -> str:
        """What the process wrote last, where that is known."""
        if self.errors is None or self.errors.closed:
            return ""
        self.errors.seek(0)
        return self.errors.read()[-2000:].decode(errors="replace").strip()

    def close(self) -> None:
        """End the process if it was started here. Workers stay until their sandboxes let them go."""
        self.requests.close()
        if self.process is not None and self.errors is not None:
            try:
                self.process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.errors.close()


_lock = threading.Lock()
#: By process: one that was forked from another needs its own, as that other's ends with the other.
_forkers: dict[int, Forker] = {}


def fork_worker(control: socket.socket) -> Forker:
    """Ask for a worker that serves `control`, which says there that it is ready, and its process id; who was asked."""
    with _lock:
        asked = _current()
        try:
            socket.send_fds(asked.requests, [_FORK], [control.fileno()])
        except ConnectionError:  # it has ended
            _drop(asked)
            asked = _current()
            socket.send_fds(asked.requests, [_FORK], [control.fileno()])
        return asked


def lend() -> Forker:
    """What to send to another process, so that its workers come from the same forker as this one's."""
    with _lock:
        current = _current()
        return Forker(current.environment, current.requests)


def borrow(lent: Forker) -> None:
    """Get this process's workers from another's forker, as long as that is there."""
    _forkers[os.getpid()] = lent


def forget(ended: Forker) -> str:
    """Have another started where one is needed next; what this one wrote last, told once."""
    with _lock:
        last_words = ended.last_words()
        _drop(ended)
        return last_words


def _current() -> Forker:
    """Started, without waiting for it, where there is none that has the environment as it is now."""
    known, wanted = _forkers.get(os.getpid()), _environment()
    if known is not None and known.environment == wanted:
        return known
    if known is not None:
        known.close()
    _forkers[os.getpid()] = started = _start(wanted)
    return started


def _drop(ended: Forker) -> None:
    if _forkers.get(os.getpid()) is ended:
        _forkers.pop(os.getpid()).close()


@atexit.register
def _end() -> None:
    if os.getpid() in _forkers:
        _forkers.pop(os.getpid()).close()


def _environment() -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if name in _ENVIRONMENT}
    root = str(Path(kernelwright.__file__).parents[1])
    environment["PYTHONPATH"] = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    environment["PYTHONHASHSEED"] = "0"
    return environment | dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


def _start(environment: dict[str, str]) -> Forker:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "kernelwright.evaluation.sandbox.forker", str(theirs.fileno())],
            env=environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
    return Forker(environment, ours, process, errors)


def main() -> None:
    """Fork a worker for each socket that comes, until the parent goes away."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, parent = socket.socket(fileno=int(sys.argv[1])), os.pidfd_open(os.getppid())
    from kernelwright.backend.scratch import Scratch
    from kernelwright.evaluation.sandbox import forked, worker

    scratch = Scratch("evaluation")  # never closed here: it goes with the last worker
    tempfile.tempdir = str(scratch.folder)
    devices = forked.hide_devices()
    gc.disable()  # what is imported stays: to look through it again and again takes half a second
    from kernelwright.evaluation.child import jobs  # torch and Triton: slow, and paid once
    from kernelwright.evaluation.host import program  # noqa: F401 - for the children

    jobs.warm_up()
    gc.collect()
    gc.freeze()  # keeps the collector from copying shared pages in every child
    gc.enable()
    signal.signal(signal.SIGCHLD, _reap)
    while parent not in select.select([requests.fileno(), parent], [], [])[0]:
        message, fds, _, _ = socket.recv_fds(requests, len(_FORK), 1)
        if not message:
            return
        with socket.socket(fileno=fds[0]) as control:
            if os.fork() == 0:
                requests.close()
                worker.main(control, parent, devices)


def _reap(*_: object) -> None:
    """Take note of workers that have ended: their sandboxes see it by themselves, but their time is to be counted."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


if __name__ == "__main__":
    main()
