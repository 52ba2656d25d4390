"""The processes that children are: fresh, or forked from one that has imported what they need.

Both ends of the forks: `Forked` is for the process that wants children, `main` is what their origin does. An origin is
started where the first child is wanted from it, and lives as long as the process that started it. It computes on no
GPU and has one thread, so that forking it is safe.
"""

import atexit
import contextlib
import ctypes
import gc
import importlib
import math
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import IO, Any, NoReturn

import kernelwright

#: Seconds in which a process has to be ready.
START_SECONDS = 120.0
_END_SECONDS = 10.0
_FORK = b"fork"
_PR_SET_PDEATHSIG = 1


def prepare(names: Iterable[str]) -> None:
    """Import modules; of `module:function`, call the function as well."""
    for name in names:
        module, _, function = name.partition(":")
        imported = importlib.import_module(module)
        if function:
            getattr(imported, function)()


def last_line(errors: IO[bytes]) -> str:
    """What a process complained of last, in parentheses after a space; "" where it did not complain."""
    errors.seek(0, os.SEEK_END)
    errors.seek(max(errors.tell() - 2000, 0))
    lines = errors.read().decode(errors="replace").strip().splitlines()
    return f" ({lines[-1].strip()[:160]})" if lines else ""


class Fresh(subprocess.Popen[bytes]):
    """A Python process that runs a module of ours, which is given a descriptor's number and more arguments."""

    def __init__(
        self, module: str, fd: int, errors: IO[bytes], environment: Mapping[str, str], arguments: Iterable[str] = ()
    ) -> None:
        super().__init__(
            [sys.executable, "-P", "-m", module, str(fd), *arguments],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            pass_fds=[fd],
            start_new_session=True,  # Ctrl-C is for the parent
        )

    def end(self) -> None:
        """End it and what it started; idempotent."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.wait()

    def complaint(self) -> str:
        """What its child cannot tell itself."""
        return ""


def environment_of(given: Mapping[str, str]) -> dict[str, str]:
    """This process's environment as it is now, in which ours can be imported, with what is given set over it."""
    root = str(Path(kernelwright.__file__).parents[1])
    path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, **given}


class Forked:
    """A forked process; as far as children need it, it is what subprocess.Popen is.

    It serves `theirs` as `children.serve` does, and writes its complaints to `errors`.
    """

    def __init__(
        self, modules: tuple[str, ...], given: Mapping[str, str], theirs: Connection, errors: IO[bytes]
    ) -> None:
        self._channel, far = Pipe()
        self._told: list[int] = []  # its process id (0: it could not be forked), then its exit status
        self._over = False
        self._began = time.monotonic()
        with far:
            self._origin = _ask(modules, given, [theirs.fileno(), errors.fileno(), far.fileno()])

    @property
    def pid(self) -> int:
        """The process's id, once it is there; ProcessLookupError where it could not be started."""
        self._hear(1, START_SECONDS)
        if not self._told or not self._told[0]:
            raise ProcessLookupError("the process did not start")
        return self._told[0]

    def wait(self, seconds: float | None = None) -> int:
        """Its exit status, or its origin's, with which it ended; subprocess.TimeoutExpired after so many seconds."""
        self._hear(2, seconds)
        if len(self._told) == 2:
            return self._told[1]
        if not self._over:
            raise subprocess.TimeoutExpired(_FORK.decode(), seconds or 0.0)
        return self._origin.process.wait()

    def end(self) -> None:
        """End it and what it started; idempotent. One that is not there yet ends as soon as it is."""
        with contextlib.suppress(OSError):
            self._channel.send(None)
        self._hear(1, 0.0)
        if self._told:
            self._hear(math.inf, _END_SECONDS)
        elif not self._over and time.monotonic() > self._began + START_SECONDS:
            _drop(self._origin)  # it hangs
        self._over = True
        self._channel.close()

    def complaint(self) -> str:
        """What the origin complained of last, where it has ended."""
        return "" if self._origin.process.poll() is None else self._origin.complaint()

    def _hear(self, count: float, seconds: float | None) -> None:
        """Listen until so much is told or there is no more, but no longer than so many seconds."""
        until = math.inf if seconds is None else time.monotonic() + seconds
        while len(self._told) < count and not self._over:
            try:
                left = until - time.monotonic()
                if not self._channel.poll(None if math.isinf(left) else max(left, 0.0)):
                    return
                self._told.append(self._channel.recv())
            except (EOFError, OSError):
                self._over = True


@dataclass
class _Origin:
    """Where to ask for forks; `surroundings` are what it was started in."""

    requests: socket.socket
    process: Fresh
    errors: IO[bytes]
    surroundings: Any
    words: str = ""
    owner: int = field(default_factory=os.getpid)

    def complaint(self) -> str:
        if not self.errors.closed:
            self.words = last_line(self.errors)
        return self.words

    def close(self) -> None:
        """Have it end with the last of its forks."""
        self.requests.close()
        self.complaint()
        self.errors.close()


_lock = threading.Lock()
#: By process, as one that was forked from another has to start its own; by modules and given environment.
_origins: dict[tuple[Any, ...], _Origin] = {}
#: Others took the places of these, which may have forks yet.
_replaced: list[_Origin] = []


def _ask(modules: tuple[str, ...], given: Mapping[str, str], fds: list[int]) -> _Origin:
    """Ask for a fork that has these descriptors; who was asked."""
    key = (os.getpid(), modules, tuple(sorted(given.items())))
    here = Path().stat()
    environment = environment_of(given)
    surroundings = environment, here.st_dev, here.st_ino
    with _lock:
        known = _origins.get(key)
        if known is not None and (known.surroundings != surroundings or known.process.poll() is not None):
            known.close()
            _replaced.append(known)
            known = None
        if known is None:
            _replaced[:] = [origin for origin in _replaced if origin.process.poll() is None]
            known = _origins[key] = _start(modules, environment, surroundings)
        with contextlib.suppress(ConnectionError):  # it is gone since, which its child finds out
            socket.send_fds(known.requests, [_FORK], fds)
        return known


def _start(modules: tuple[str, ...], environment: Mapping[str, str], surroundings: Any) -> _Origin:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
    with theirs:
        process = Fresh(__spec__.name, theirs.fileno(), errors, environment, modules)
    return _Origin(ours, process, errors, surroundings)


def _drop(hung: _Origin) -> None:
    """End an origin; who asks next starts another."""
    with _lock:
        for key in [key for key, origin in _origins.items() if origin is hung]:
            _origins.pop(key).close()
    hung.process.end()


@atexit.register
def _end() -> None:
    """End this process's origins, and with them their forks."""
    for origin in [*_origins.values(), *_replaced]:
        if origin.owner == os.getpid():
            origin.close()
            origin.process.end()


@dataclass
class _Fork:
    """What an origin knows of a fork. It stays a zombie until it is let go of, so that its id remains its own."""

    channel: Connection
    pid: int
    process: int  # a pidfd
    told: bool = False

    def tell(self) -> None:
        """Tell how it ended."""
        found = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        assert found is not None
        code = found.si_status if found.si_code == os.CLD_EXITED else -found.si_status
        with contextlib.suppress(OSError):
            self.channel.send(code)
        self.told = True

    def end(self) -> None:
        """End it and what it started, tell, and let go of it."""
        for kill in (os.killpg, os.kill):  # it may not lead its group yet
            with contextlib.suppress(ProcessLookupError):
                kill(self.pid, signal.SIGKILL)
        if not self.told:
            self.tell()
        os.waitpid(self.pid, 0)
        os.close(self.process)
        self.channel.close()


def main() -> None:
    """Import what is named, and fork a process for each request, until the process that started this one ends."""
    requests, owner = socket.socket(fileno=int(sys.argv[1])), os.pidfd_open(os.getppid())
    prepare(sys.argv[2:])
    gc.collect()
    gc.freeze()  # keeps the collector from copying shared pages in every fork
    forks: list[_Fork] = []
    heard = [requests]
    while heard or forks:
        running = [fork.process for fork in forks if not fork.told]
        ready = wait([owner, *heard, *running, *(fork.channel for fork in forks)])
        if owner in ready:
            return  # forks end with their origin
        for fork in list(forks):
            if fork.channel in ready:
                forks.remove(fork)
                fork.end()
            elif not fork.told and fork.process in ready:
                fork.tell()
        if requests in ready:
            message, fds, _, _ = socket.recv_fds(requests, len(_FORK), 3)
            if not message:  # no more is wanted
                heard = []
            elif (made := _fork(fds, [owner, requests.fileno()], forks)) is not None:
                forks.append(made)


def _fork(fds: list[int], inherited: list[int], forks: Iterable[_Fork]) -> _Fork | None:
    """Fork a process that serves; None where that fails, which it is told then."""
    connection, errors, channel = fds
    origin = os.getpid()
    try:
        pid = os.fork()
    except OSError as error:
        os.write(errors, f"it could not be forked: {error}\n".encode())
        with Connection(channel) as told, contextlib.suppress(OSError):
            told.send(0)
            told.send(1)
        made = None
    else:
        if pid == 0:
            siblings = [fd for fork in forks for fd in (fork.channel.fileno(), fork.process)]
            _serve(connection, errors, origin, [*inherited, *siblings, channel])
        made = _Fork(Connection(channel), pid, os.pidfd_open(pid))
        with contextlib.suppress(OSError):
            made.channel.send(pid)
    os.close(connection)
    os.close(errors)
    return made


def _serve(connection: int, errors: int, origin: int, others: Iterable[int]) -> NoReturn:
    """What a process just forked does; it never returns."""
    code = 1
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == origin:  # else it ended before
            os.setsid()
            os.dup2(errors, 2)
            for fd in (errors, *others):
                os.close(fd)
            from kernelwright.backend.measure.children import serve

            with contextlib.suppress(EOFError, ConnectionError):
                serve(Connection(connection))
            code = 0
    except BaseException:  # noqa: BLE001 - its parent reads the last line
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
