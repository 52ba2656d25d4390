"""The parent's side of the sandbox: warm worker processes that fork a throw-away child for every job.

Jobs and answers lie in sealed memory files of a fixed size, so nothing that a child does can make the parent
read more than it offered. See `worker` for the other side.
"""

import contextlib
import fcntl
import json
import mmap
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from kernelwright.evaluation.protocol.answers import Failed, Reply
from kernelwright.evaluation.protocol.decoding import MalformedError
from kernelwright.evaluation.protocol.jobs import Job, decode_answer
from kernelwright.evaluation.protocol.wire import FrameError, RawTensor, frame_size, read_frame, write_frame
from kernelwright.evaluation.sandbox.forker import Forker, forget, fork_worker
from kernelwright.ir.errors import KernelwrightError

_START_SECONDS = 300.0
_GRACE_SECONDS = 15.0
_END_SECONDS = 5.0


class SandboxError(KernelwrightError):
    """The sandbox itself does not work; never the fault of a candidate."""


@dataclass(frozen=True)
class Limits:
    """What one job may take: wall-clock seconds, memory on top of the worker's own, bytes of a file written.

    `device` jobs have their resident memory watched instead of their address space, of which CUDA reserves
    far more than it uses. `host` jobs get a second process for a candidate's host code. `lasting` jobs may be done by a
    device process that did others before, as long as all went well.
    """

    timeout_s: float = 60.0
    memory_gb: float = 8.0
    file_mb: int = 256
    device: bool = False
    host: bool = False
    lasting: bool = False


@dataclass(frozen=True)
class Answer:
    """What came of a job. `content` is None where no child has answered, and `failure` is not "" then.

    `failure`: `timeout`, `memory`, `died`, or `lost` where the worker died; `detail` says it in words for people.
    `host` says how a host process ended that did so by itself.
    """

    content: Reply | Failed | None = None
    tensors: tuple[RawTensor, ...] = ()
    failure: Literal["", "timeout", "memory", "died", "lost"] = ""
    detail: str = ""
    host: str = ""
    seconds: float = 0.0

    @property
    def failed(self) -> Failed | None:
        """What the child says went wrong; None where it says something else or nothing."""
        return self.content if isinstance(self.content, Failed) else None

    @property
    def why(self) -> str:
        """Why it has no result, in words."""
        return self.detail or (self.failed.detail if self.failed else "no answer")


class Sandbox:
    """A warm worker process, started on first use and replaced when it dies; one job at a time.

    Safe to use from several threads, which then wait for one another.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._forker: Forker | None = None
        self._pid: int | None = None
        self._process = -1  # a pidfd

    @property
    def pid(self) -> int | None:
        """The worker's process id, from when it is ready until it ends."""
        return self._pid

    def start(self) -> None:
        """Begin to start the worker without waiting for it; does nothing where it runs."""
        with self._lock:
            self._start()

    def run(self, job: Job, tensors: Sequence[RawTensor], answer_bytes: int, limits: Limits) -> Answer:
        """Run one job in a fresh child; `answer_bytes` bounds its answer's tensors.

        Raises SandboxError where no worker can be started.
        """
        with self._lock, contextlib.ExitStack() as stack:
            try:
                self._start()
                self._wait_ready()
                job_fd = stack.enter_context(_memory_file(frame_size(tensors), job.encode(), tensors))
                answer_fd = stack.enter_context(_memory_file(frame_size(()) + answer_bytes))
                began = time.monotonic()
                answer = self._exchange(job, job_fd, answer_fd, limits)
                return replace(answer, seconds=time.monotonic() - began)
            except BaseException:
                self._stop()
                raise

    def close(self) -> None:
        """End the worker and all it started; idempotent. A later `run` starts another."""
        with self._lock:
            self._stop()

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _start(self) -> None:
        if self._control is not None:
            return
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._forker = fork_worker(theirs)
        self._control = ours

    def _wait_ready(self) -> None:
        if self._pid is not None:
            return
        said = self._receive(_START_SECONDS)
        with contextlib.suppress(ProcessLookupError):
            if said is not None:
                self._process, self._pid = os.pidfd_open(said["ready"]), said["ready"]
                return
        assert self._forker is not None
        raise SandboxError(f"the evaluation worker did not start: {forget(self._forker) or 'no message'}")

    def _receive(self, seconds: float) -> dict[str, Any] | None:
        """The worker's next message; None where it died or stayed silent."""
        assert self._control is not None
        if not select.select([self._control], [], [], seconds)[0]:
            return None
        try:
            message = self._control.recv(1 << 16)
            return json.loads(message) if message else None
        except (ConnectionError, ValueError):
            return None

    def _exchange(self, job: Job, job_fd: int, answer_fd: int, limits: Limits) -> Answer:
        assert self._control is not None
        try:
            socket.send_fds(self._control, [json.dumps(asdict(limits)).encode()], [job_fd, answer_fd])
        except ConnectionError:
            result = None
        else:
            result = self._receive(limits.timeout_s + _GRACE_SECONDS)
        if result is None:
            self._stop()
            return Answer(failure="lost", detail="the program took the evaluation worker down with it")
        failure = _failure(result, limits)
        if failure is not None:
            return failure
        buffer = mmap.mmap(answer_fd, 0, prot=mmap.PROT_READ)
        try:
            header, tensors = read_frame(buffer)
            content = decode_answer(job, header, len(tensors))
            return Answer(content, tensors, host=_ending(result.get("host")))
        except FrameError as error:
            return Answer(failure="died", detail=f"the program left without an answer ({error})")
        except MalformedError as error:
            return Answer(failure="died", detail=f"the program's answer is malformed: {error}"[:500])

    def _stop(self) -> None:
        control, self._control = self._control, None
        if control is not None:
            control.close()  # the worker kills its children and leaves
        pid, self._pid = self._pid, None
        if pid is not None:
            if not select.select([self._process], [], [], _END_SECONDS)[0]:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(pid, signal.SIGKILL)
                select.select([self._process], [], [])
            os.close(self._process)


def _failure(result: dict[str, Any], limits: Limits) -> Answer | None:
    """What the worker's report about a child means where it did not end well."""
    timeout = Answer(failure="timeout", detail=f"no answer within {limits.timeout_s:g} s")
    memory = Answer(failure="memory", detail=f"took more than {limits.memory_gb:g} GB of memory")
    if result.get("killed") == "timeout":
        return timeout
    if result.get("killed") == "memory":
        return memory
    code = int(result["code"])
    if code == -signal.SIGXCPU:
        return timeout
    return Answer(failure="died", detail=f"the program {_ending(code)}") if code else None


def _ending(code: int | None) -> str:
    """How a process ended, in words; "" where that is not known."""
    if code is None:
        return ""
    if code >= 0:
        return f"left with exit status {code}"
    names = {number.value: number.name for number in signal.Signals}
    return f"was ended by {names.get(-code, f'signal {-code}')}"


@contextlib.contextmanager
def _memory_file(size: int, header: dict[str, Any] | None = None, tensors: Sequence[RawTensor] = ()) -> Any:
    """A memory file of a fixed size, holding a frame and read-only where a header is given."""
    fd = os.memfd_create("kernelwright", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        os.ftruncate(fd, size)
        seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW
        if header is not None:
            with mmap.mmap(fd, size) as buffer:
                # A process that another thread forks meanwhile would keep what can be written, and nothing be sealed.
                buffer.madvise(mmap.MADV_DONTFORK)
                write_frame(buffer, header, tensors)
            seals |= fcntl.F_SEAL_WRITE
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals | fcntl.F_SEAL_SEAL)
        yield fd
    finally:
        os.close(fd)
